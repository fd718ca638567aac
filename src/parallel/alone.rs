//! Work that is shorter than its handover to other threads.

use std::cell::Cell;

thread_local! {
    /// True while loops stay on this thread.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Ends [`alone`], after a panic too; the field is what was before.
struct Until(bool);

impl Drop for Until {
    fn drop(&mut self) {
        ALONE.set(self.0);
    }
}

/// Calls `work`, whose loops run on this thread, as if there were no other: for work that takes some microseconds, as long as other
/// threads take to wake.
///
/// ```
/// use wgalois::parallel::{alone, threads};
///
/// assert_eq!(alone(threads), 1);
/// ```
pub fn alone<T>(work: impl FnOnce() -> T) -> T {
    let _until = Until(ALONE.replace(true));
    work()
}

/// True in the work of [`alone`].
pub(super) fn is_alone() -> bool {
    ALONE.get()
}
