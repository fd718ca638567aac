//! Circuits that are synthesised beside each other, and beside the proofs of those before.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, Builder};

use crate::Result;

/// Makes a value of every circuit on threads of its own, and hands over the values in order: the first that is not yet handed
/// over, with those behind it that are ready. It ends early when `take` returns false.
///
/// Each thread keeps at most one value until it is taken, so that no more of them are held than there are threads. They are not
/// those of a pool: the thread that takes the values waits for them, and may itself be the only one of the caller's pool.
pub(crate) fn in_order<C: Send, T: Send>(
    circuits: Vec<C>,
    make: impl Fn(C) -> T + Sync,
    mut take: impl FnMut(usize, Vec<T>) -> bool,
) -> Result<()> {
    let count = circuits.len();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(count);
    if threads < 2 {
        let mut circuits = circuits.into_iter().enumerate();
        circuits.all(|(i, circuit)| take(i, vec![make(circuit)]));
        return Ok(());
    }
    let mut shares: Vec<Vec<C>> = (0..threads).map(|_| Vec::new()).collect();
    for (i, circuit) in circuits.into_iter().enumerate() {
        shares[i % threads].push(circuit);
    }
    thread::scope(|scope| {
        let make = &make;
        let start = |share: Vec<C>| {
            let (sender, receiver) = sync_channel(0);
            // Nobody takes the values of a batch that ended early.
            let work = move || share.into_iter().all(|circuit| sender.send(make(circuit)).is_ok());
            Builder::new().spawn_scoped(scope, work).map(|_| receiver)
        };
        let started = shares.into_iter().map(start).collect::<std::io::Result<Vec<_>>>();
        let receivers = started.map_err(|error| wgalois::Error::file("a thread of the batch", error))?;
        hand_over(count, &receivers, &mut take);
        Ok(())
    })
}

/// Hands over the values of the threads, of which thread i has those of the circuits i, i + threads, ...
fn hand_over<T>(count: usize, threads: &[Receiver<T>], take: &mut impl FnMut(usize, Vec<T>) -> bool) {
    let thread_of = |circuit: usize| &threads[circuit % threads.len()];
    let mut next = 0;
    while next < count {
        // A thread that ends without a value panics: its scope does so, too.
        let Ok(first) = thread_of(next).recv() else { return };
        let mut ready = vec![first];
        while let Some(value) =
            (next + ready.len() < count).then(|| thread_of(next + ready.len()).try_recv().ok()).flatten()
        {
            ready.push(value);
        }
        let taken = ready.len();
        if !take(next, ready) {
            return;
        }
        next += taken;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn values_come_in_order_whichever_is_ready_first() {
        for count in [0, 1, 2, 7, 30] {
            let mut taken = Vec::new();
            // Later ones are ready sooner.
            let make = |i: u64| {
                thread::sleep(Duration::from_micros(300 - 10 * i));
                i
            };
            in_order((0..count).collect(), make, |first, values| {
                assert_eq!(first, taken.len());
                assert!(!values.is_empty());
                taken.extend(values);
                true
            })
            .unwrap();
            assert!(taken.into_iter().eq(0..count));
        }
    }

    #[test]
    fn a_batch_that_ends_early_makes_no_more_values() {
        let made = AtomicUsize::new(0);
        let make = |_| made.fetch_add(1, Ordering::Relaxed);
        let mut taken = 0;
        in_order(vec![(); 1000], make, |_, values| {
            taken += values.len();
            taken < 3
        })
        .unwrap();
        let threads = thread::available_parallelism().map_or(1, usize::from);
        // Those that were taken, one that each thread has ready, and one that it then makes.
        assert!((3..=taken + 2 * threads).contains(&made.into_inner()));
    }

    #[test]
    #[should_panic]
    fn a_circuit_that_panics_ends_the_batch() {
        let make = |i: usize| if i == 3 { panic!("a circuit") } else { i };
        let _ = in_order((0..8).collect(), make, |_, _| true);
    }
}
