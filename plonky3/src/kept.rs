//! What was prepared and may be used again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wgalois::Result;

/// Prepared transforms that are kept, with their tables and scratch vectors. A proof takes about ten.
const KEPT: usize = 16;

/// Prepared transforms of one kind, the least recently used first.
#[derive(Debug)]
pub(crate) struct Kept<P> {
    list: Mutex<Vec<Arc<P>>>,
}

impl<P> Default for Kept<P> {
    fn default() -> Self {
        Kept { list: Mutex::default() }
    }
}

impl<P> Kept<P> {
    /// Returns the one that `is_it`, or what `prepare` makes.
    ///
    /// # Errors
    /// Those of `prepare`.
    pub fn get(&self, is_it: impl Fn(&P) -> bool, prepare: impl FnOnce() -> Result<P>) -> Result<Arc<P>> {
        let mut list = self.lock();
        if let Some(i) = list.iter().position(|prepared| is_it(prepared)) {
            let prepared = list.remove(i);
            list.push(Arc::clone(&prepared));
            return Ok(prepared);
        }
        // Compiling takes a while. If two threads prepare the same transform, both get theirs and one is kept.
        drop(list);
        let prepared = Arc::new(prepare()?);
        let mut list = self.lock();
        if !list.iter().any(|prepared| is_it(prepared)) {
            list.push(Arc::clone(&prepared));
        }
        let surplus = list.len().saturating_sub(KEPT);
        list.drain(..surplus);
        Ok(prepared)
    }

    /// Frees all.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// Locks the list, also after a thread panicked with the lock: every change leaves it whole.
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<P>>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
