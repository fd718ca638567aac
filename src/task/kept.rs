//! Prepared forms that are kept for the next call.

use std::sync::{Arc, Mutex};

use crate::Result;
use crate::lock::lock;

/// The most that are kept: each has tables, and may have a vector on the device.
const MOST: usize = 16;

/// Prepared forms of one kind that a program keeps, because a call for the same problem may follow: at most 16, of which a
/// new one replaces the least recently used. Several threads can use it.
///
/// ```
/// use std::sync::Arc;
///
/// use wgalois::field::BABY_BEAR;
/// use wgalois::ntt::{PreparedTransform, Transform};
/// use wgalois::task::{Kept, Problem};
/// use wgalois::{Cpu, Device};
///
/// let (device, kept) = (Device::Cpu(Cpu::default()), Kept::<PreparedTransform>::default());
/// let transform = Transform::new(BABY_BEAR, 8)?;
/// let prepared = || {
///     let is_it = |prepared: &PreparedTransform| *prepared.plan().transform() == transform;
///     kept.get(is_it, || transform.plan(&device)?.prepare(&device))
/// };
/// assert!(Arc::ptr_eq(&prepared()?, &prepared()?));
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Debug)]
pub struct Kept<P> {
    /// The least recently used first.
    list: Mutex<Vec<Arc<P>>>,
}

impl<P> Default for Kept<P> {
    fn default() -> Self {
        Kept { list: Mutex::default() }
    }
}

impl<P> Kept<P> {
    /// Returns the one that `is_it`, or what `prepare` makes.
    pub fn get(&self, is_it: impl Fn(&P) -> bool, prepare: impl FnOnce() -> Result<P>) -> Result<Arc<P>> {
        let mut list = lock(&self.list);
        if let Some(i) = list.iter().position(|prepared| is_it(prepared)) {
            let prepared = list.remove(i);
            list.push(Arc::clone(&prepared));
            return Ok(prepared);
        }
        // Compiling takes a while. If two threads prepare the same problem, both get theirs and one is kept.
        drop(list);
        let prepared = Arc::new(prepare()?);
        let mut list = lock(&self.list);
        if !list.iter().any(|prepared| is_it(prepared)) {
            list.push(Arc::clone(&prepared));
        }
        let surplus = list.len().saturating_sub(MOST);
        list.drain(..surplus);
        Ok(prepared)
    }

    /// Frees all that no call uses.
    pub fn clear(&self) {
        lock(&self.list).clear();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn the_least_recently_used_is_replaced() {
        let (kept, made) = (Kept::<usize>::default(), Cell::new(0));
        let get = |i: usize| {
            let make = || {
                made.set(made.get() + 1);
                Ok(i)
            };
            assert_eq!(*kept.get(|&kept| kept == i, make).unwrap(), i);
        };
        (0..MOST).for_each(get);
        get(0);
        assert_eq!(made.get(), MOST);
        get(MOST);
        get(0);
        assert_eq!(made.get(), MOST + 1);
        get(1);
        assert_eq!(made.get(), MOST + 2);
        kept.clear();
        get(0);
        assert_eq!(made.get(), MOST + 3);
        assert!(kept.get(|_| false, || Err(crate::Error::ZeroShift)).is_err());
    }
}
