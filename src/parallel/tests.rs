//! Loops against the iterators of the standard library.

use std::panic::catch_unwind;
use std::sync::Arc;

use super::*;

const LENGTHS: [usize; 8] = [0, 1, 2, 3, 7, 64, 1000, 4099];

fn numbers(len: usize) -> Vec<usize> {
    (0..len).map(|i| (i * 7919) % 1009).collect()
}

/// Runs a test on one thread, two and five.
fn on_threads(test: impl Fn() + Sync) {
    [1, 2, 5].into_iter().for_each(|count| Threads::new(count).unwrap().run(&test));
}

#[test]
fn items_keep_their_order() {
    on_threads(|| {
        for len in LENGTHS {
            let a = numbers(len);
            assert_eq!(a.par_iter().copied().collect(), a);
            assert_eq!(
                a.par_iter().map(|x| x.to_string()).collect(),
                a.iter().map(usize::to_string).collect::<Vec<_>>()
            );
            assert_eq!((3..3 + len).into_par_iter().collect(), (3..3 + len).collect::<Vec<_>>());
            let begin = u64::MAX / 2;
            let end = begin + len as u64;
            assert_eq!((begin..end).into_par_iter().collect(), (begin..end).collect::<Vec<_>>());
            let mut appended = vec![9];
            a.par_iter().copied().with_max_len(1).append_to(&mut appended);
            assert_eq!(appended[1..], a);
            let pairs = a.par_iter().zip(&a[..len / 2]).enumerate().map(|(i, (x, y))| (i, *x, *y)).collect();
            assert_eq!(pairs, (0..len / 2).map(|i| (i, a[i], a[i])).collect::<Vec<_>>());
        }
    });
}

#[test]
fn every_item_is_taken_once() {
    on_threads(|| {
        for len in LENGTHS {
            for size in [0, 1, 2, 3, 64, 5000] {
                let mut a = vec![0; len];
                a.par_chunks_mut(size).enumerate().for_each(|(i, chunk)| {
                    chunk.iter_mut().enumerate().for_each(|(k, x)| *x += i * size.max(1) + k + 1);
                });
                assert!(a.iter().copied().eq(1..=len), "{len} {size}");
                a.par_iter_mut().with_min_len(size).for_each_in_place(|x| *x *= 2);
                let exact = len / size.max(1) * size.max(1);
                a.par_chunks_exact_mut(size).for_each(|chunk| chunk.iter_mut().for_each(|x| *x += 1));
                assert!(a.iter().enumerate().all(|(i, &x)| x == 2 * (i + 1) + usize::from(i < exact)));
                let chunks: Vec<usize> = a.par_chunks(size).map(<[usize]>::len).collect();
                assert_eq!(chunks, a.chunks(size.max(1)).map(<[usize]>::len).collect::<Vec<_>>());
                let exact: Vec<usize> = a.par_chunks_exact(size).map(<[usize]>::len).collect();
                assert_eq!(exact, a.chunks_exact(size.max(1)).map(<[usize]>::len).collect::<Vec<_>>());
                let windows: Vec<&[usize]> = a.par_windows(size).map(|window| window).collect();
                assert_eq!(windows, a.windows(size.max(1)).collect::<Vec<_>>());
            }
        }
    });
}

#[test]
fn sums_and_combinations() {
    on_threads(|| {
        for len in LENGTHS {
            let a = numbers(len);
            assert_eq!(a.par_iter().copied().sum::<usize>(), a.iter().sum::<usize>());
            assert_eq!(a.par_iter().copied().max(), a.iter().copied().max());
            // Associative, not commutative.
            let text = a.par_iter().map(|x| format!("{x},")).reduce(String::new, |a, b| a + &b);
            assert_eq!(text, a.iter().map(|x| format!("{x},")).collect::<String>());
            let joined = a.par_iter().map(|x| format!("{x},")).reduce_with(|a, b| a + &b);
            assert_eq!(joined, (len > 0).then_some(text));
            for wanted in [0, 5, 2000] {
                let first = a.par_iter().position_first(|&x| x == wanted);
                assert_eq!(first, a.iter().position(|&x| x == wanted));
                assert_eq!(a.par_iter().any(|&x| x == wanted), first.is_some());
                assert_eq!(a.par_iter().all(|&x| x != wanted), first.is_none());
            }
            let with_state = a.par_iter().collect_init(Vec::new, |seen, &x| {
                seen.push(x);
                seen.last().copied().unwrap()
            });
            assert_eq!(with_state, a);
            let taken = std::sync::atomic::AtomicUsize::new(0);
            a.par_iter().for_each_init(|| 1, |one, _| _ = taken.fetch_add(*one, Ordering::Relaxed));
            assert_eq!(taken.into_inner(), len);
        }
    });
}

#[test]
fn faults_and_panics_reach_the_caller() {
    on_threads(|| {
        let a = numbers(1000);
        let even = |&x: &usize| if x % 2 == 0 { Ok(x) } else { Err(x) };
        let first = a.iter().copied().find(|x| x % 2 == 1).unwrap();
        assert_eq!(a.par_iter().map(even).try_collect::<usize, usize>(), Err(first));
        assert_eq!(a.par_iter().try_for_each(|x| even(x).map(drop)), Err(first));
        let counted = Arc::new(());
        let made = a.par_iter().map(|x| even(x).map(|_| counted.clone())).try_collect();
        assert_eq!((made, Arc::strong_count(&counted)), (Err(first), 1), "dropped after a fault");
        let made = a.par_iter().map(|_| Ok::<_, ()>(counted.clone())).try_collect().unwrap();
        assert_eq!((made.len(), Arc::strong_count(&counted)), (1000, 1001));
        assert_eq!(a.par_iter().map(|&x| Ok::<_, ()>(x)).try_collect(), Ok(a.clone()));
        let mut appended = vec![9];
        assert_eq!(a.par_iter().map(even).try_append_to(&mut appended), Err(first));
        assert_eq!(appended, [9]);
        assert_eq!(a.par_iter().map(|&x| Ok::<_, ()>(x)).try_append_to(&mut appended), Ok(()));
        assert_eq!((appended[0], &appended[1..]), (9, &a[..]));
        assert_eq!(a.par_iter().try_for_each(|_| Ok::<_, ()>(())), Ok(()));
        let panics = || a.par_iter().for_each(|&x| assert_ne!(x, 5));
        assert!(catch_unwind(panics).is_err());
        assert!(catch_unwind(|| a.par_iter().map(|&x| vec![1; 10 / (x.abs_diff(5))]).collect()).is_err());
        assert!(catch_unwind(|| join(|| 1, || panic!("on purpose"))).is_err());
    });
}

#[test]
fn threads_beside_the_pool() {
    for starts in [false, true] {
        assert_eq!(ahead(starts, || 2, |two| two.wait() + 3), 5);
        assert_eq!(ahead(starts, || 2, |_| 3), 3);
        assert!(catch_unwind(|| ahead(starts, || panic!("on purpose"), |first| first.wait())).is_err());
    }
    let (send, receive) = std::sync::mpsc::channel();
    // Both run at the same time.
    let received = ahead(
        true,
        move || receive.recv().unwrap(),
        |first| {
            send.send(4).unwrap();
            first.wait()
        },
    );
    assert_eq!(received, 4);
    for count in [0, 1, 2, 7] {
        let gate = std::sync::Barrier::new(count);
        let mut items = numbers(count);
        let meet = |x: &mut usize| {
            gate.wait();
            *x += 1;
            *x
        };
        let results: Vec<usize> = at_once(&mut items, meet).into_iter().map(|x| x.unwrap()).collect();
        assert_eq!((&results, &items), (&items, &numbers(count).iter().map(|x| x + 1).collect()));
    }
    assert!(catch_unwind(|| at_once(&mut [1, 2], |&mut x| assert_ne!(x, 1))).is_err());
}

#[test]
fn loops_within_loops_and_two_calls() {
    on_threads(|| {
        let mut table = vec![0; 100 * 100];
        table.par_chunks_mut(100).enumerate().for_each(|(i, row)| {
            row.par_iter_mut().enumerate().for_each(|(j, x)| *x = i * j);
        });
        assert!(table.iter().enumerate().all(|(k, &x)| x == (k / 100) * (k % 100)));
        assert_eq!(join(|| table.par_iter().copied().sum::<usize>(), || 7), (4950 * 4950, 7));
    });
    assert_eq!(Threads::new(3).unwrap().count(), 3);
    assert_eq!(Threads::new(3).unwrap().enter(threads), 3);
    assert_eq!(Threads::default().enter(threads), threads());
    // Work within a pool of as many threads stays there.
    let number = || rayon::current_thread_index().is_some();
    let within = |count| Threads::new(3).unwrap().run(|| Threads::for_now(count).unwrap().count());
    assert!(Threads::new(3).unwrap().run(number));
    assert_eq!([within(0), within(2), within(3)], [3, 2, 3]);
}

#[test]
fn work_alone_stays_on_its_thread() {
    let own = std::thread::current().id();
    let here = || assert_eq!(std::thread::current().id(), own);
    alone(|| {
        assert_eq!((threads(), Threads::default().count()), (1, 1));
        (0..1000usize).into_par_iter().with_max_len(1).for_each(|_| here());
        (0..9usize).into_par_iter().for_each_in_place(|_| here());
        assert_eq!(join(|| 1, || 2), (1, 2));
        join(here, here);
        Threads::default().enter(here);
        assert_eq!((0..100usize).into_par_iter().sum::<usize>(), 4950);
    });
    assert_eq!(threads(), Threads::default().count());
    assert!(!is_forked());
}
