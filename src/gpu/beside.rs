//! Work that does not wait for other work: on threads of its own, where there are threads.
//!
//! Not on rayon's: they may be busy with long loops, behind which this would have to wait.

use crate::Result;

/// The outcomes of both, of which `first` has a thread of its own.
///
/// # Errors
/// That of `first`, or else that of `second`.
pub(crate) fn beside<A: Send, B>(
    first: impl Fn() -> Result<A> + Sync,
    second: impl FnOnce() -> Result<B>,
) -> Result<(A, B)> {
    #[cfg(target_arch = "wasm32")]
    return Ok((first()?, second()?));
    #[cfg(not(target_arch = "wasm32"))]
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, &first);
        let second = second();
        // Where no thread is to be had, it is done here.
        let first = thread.map_or_else(|_| first(), joined);
        Ok((first?, second?))
    })
}

/// What `work` makes of each item, every one on a thread of its own, the last on this.
///
/// # Errors
/// That of the first item that has one.
pub(super) fn each<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> Result<T> + Sync) -> Result<Vec<T>> {
    #[cfg(target_arch = "wasm32")]
    return items.iter().map(work).collect();
    #[cfg(not(target_arch = "wasm32"))]
    std::thread::scope(|scope| {
        let Some((last, others)) = items.split_last() else { return Ok(Vec::new()) };
        let work = &work;
        let begin = |item| std::thread::Builder::new().spawn_scoped(scope, move || work(item));
        let threads: Vec<_> = others.iter().map(begin).collect();
        let last = work(last);
        let others = threads.into_iter().zip(others);
        // All are waited for before the first error is told.
        let others: Vec<_> =
            others.map(|(thread, item)| thread.map_or_else(|_| work(item), joined)).collect();
        others.into_iter().chain([last]).collect()
    })
}

/// The outcome of a thread; its panic goes on in this one.
#[cfg(not(target_arch = "wasm32"))]
fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
