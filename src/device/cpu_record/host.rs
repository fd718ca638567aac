//! The rates of memory and of threads.

use std::hint::black_box;

use super::{Rate, typical};
use crate::parallel::*;

/// A byte of fresh memory of a long vector, which one thread writes for the first time; the system then finds a page for it. A Xeon
/// with AVX-512 took 0.45 ns for one of pages of 4 KiB.
pub static FRESH: Rate = Rate { name: "fresh byte", shipped: 0.45e-9, measure: fresh, is_shared: true };

/// A byte that all threads together copy, beyond what their caches hold. 16 cores of that Xeon took 0.85 ns for a word that is read
/// and written, some times over.
pub static COPIED: Rate = Rate { name: "copied byte", shipped: 0.1e-9, measure: copied, is_shared: true };

/// Sharing a loop among all threads. 16 cores of an EPYC (Zen 5) took 0.22 ms for the loops of three transforms.
pub static SHARED: Rate = Rate { name: "shared loop", shipped: 20e-6, measure: shared, is_shared: true };

/// By how many times a thread is slower while all threads compute than alone: threads of one core share it. Rates are measured while
/// all compute, and so were the shipped ones.
pub static CROWDED: Rate = Rate { name: "crowded thread", shipped: 1.0, measure: crowded, is_shared: true };

/// Larger than what allocators keep of freed memory, so that every vector has new pages: glibc keeps vectors of up to 32 MiB.
const FRESH_BYTES: usize = 40 << 20;

fn fresh() -> f64 {
    typical(FRESH_BYTES as f64, || {
        let zeros = crate::huge_pages::zeros::<u8>(black_box(FRESH_BYTES));
        drop(zeros.map(|mut zeros| {
            zeros.fill(1);
            black_box(&zeros);
        }));
    })
}

fn copied() -> f64 {
    /// Two such vectors exceed the caches of most machines: 128 MiB.
    const WORDS: usize = 1 << 23;
    let zeros = || -> crate::Result<Vec<u64>> {
        let mut zeros = crate::huge_pages::zeros(WORDS)?;
        crate::huge_pages::touch(bytemuck::cast_slice_mut(&mut zeros));
        Ok(zeros)
    };
    let (Ok(from), Ok(mut to)) = (zeros(), zeros()) else { return f64::NAN };
    let part = WORDS.div_ceil(threads().max(1));
    typical(8.0 * WORDS as f64, || {
        to.par_chunks_mut(part).zip(from.par_chunks(part)).for_each(|(to, from)| to.copy_from_slice(from));
        black_box(&to);
    })
}

fn shared() -> f64 {
    const LOOPS: usize = 8;
    let mut words = vec![0u32; 4 * threads().max(1)];
    typical(LOOPS as f64, || {
        for _ in 0..LOOPS {
            words.par_chunks_mut(1).for_each(|word| word[0] = word[0].wrapping_add(1));
        }
        black_box(&words);
    })
}

fn crowded() -> f64 {
    /// Rounds of a chain of multiply-adds with four independent links, some 0.2 ms.
    const ROUNDS: u64 = 1 << 17;
    let work = |seed: &mut u64| {
        let mut links = [*seed, *seed + 1, *seed + 2, *seed + 3];
        for _ in 0..ROUNDS {
            for link in &mut links {
                *link = link.wrapping_mul(6_364_136_223_846_793_005).rotate_left(17).wrapping_add(1);
            }
        }
        *seed = black_box(links).into_iter().fold(0, u64::wrapping_add);
    };
    let (mut one, mut all) = (1, vec![1u64; threads().max(1)]);
    let alone = typical(1.0, || work(&mut one));
    let together = typical(1.0, || all.par_chunks_mut(1).for_each(|seed| work(&mut seed[0])));
    (together / alone).max(1.0)
}
