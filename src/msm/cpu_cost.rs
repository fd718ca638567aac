//! The time of multiplications on the CPU engine: numbers of additions times the time of one.

use ark_ec::AffineRepr;
use ark_ff::{Field, PrimeField};

use super::signed_digits::Digits;
use super::{affine_sums, buckets};
use crate::curve::{Affine, Curve, Projective, normalized};
use crate::parallel::Threads;
use crate::task::{CpuProfile, CpuRecord, Rate, typical};

/// The time of an addition of affine points of G1, and of G2: what the 865 ms of blst for 2^20 points of BLS12-381 on 16 cores
/// of an H200's host leave for each of its additions, and 2.7 times as much, which was measured there for G2.
const SHIPPED: [f64; 2] = [704e-9, 1900e-9];

/// The seconds of `vectors` multiplications of `n` points on the CPU engine.
pub(super) fn seconds<C: Curve>(n: usize, vectors: usize, cpu: CpuProfile) -> f64 {
    additions::<C>(n) * cpu.record.seconds(&rate::<C>()) * vectors as f64 / cpu.parallel()
}

/// The seconds of an addition of affine points that shares its inversion, on one thread.
pub(super) fn affine_addition_seconds<C: Curve>(record: CpuRecord) -> f64 {
    match C::HOST_MSM {
        None => record.seconds(&rate::<C>()),
        // The library's rate is one of its own additions, of more products.
        Some(_) => record.seconds(&rate::<C>()) * AFFINE,
    }
}

/// Products of an addition that shares its inversion, to those of the library's.
const AFFINE: f64 = 6.0 / 10.0;

/// The time of an addition.
fn rate<C: Curve>() -> Rate {
    let shipped = SHIPPED[usize::from(C::BaseField::extension_degree() > 1)];
    Rate::of_thread(C::NAME.as_str(), shipped, addition::<C>)
}

/// The additions of a multiplication of `n` points, in units of one for a point and a window.
fn additions<C: Curve>(n: usize) -> f64 {
    match C::HOST_MSM {
        Some(_) => additions_of_library(n),
        None => {
            let mut lengths = [0; 256];
            // The smaller one of a scalar and its negative.
            lengths[(C::ScalarField::MODULUS_BIT_SIZE as usize - 1) & 255] = n;
            buckets::additions(n, Digits::new(&lengths))
        }
    }
}

/// The additions of blst's multiplication, which chooses the width of its windows by the number of points; of its buckets, half as
/// many as a window has values, each is added twice. In the end points are doubled once a bit.
fn additions_of_library(n: usize) -> f64 {
    const BITS: u32 = 255;
    let bits = n.max(1).ilog2() + 1;
    let width = match bits {
        13.. => bits - 3,
        5.. => bits - 2,
        _ => 2,
    };
    let windows = f64::from(BITS.div_ceil(width));
    windows * (n as f64 + f64::from(1u32 << width)) + f64::from(BITS)
}

/// Measures an addition on one thread: by a multiplication of few points, if a library does those, or by a sum of points.
fn addition<C: Curve>() -> f64 {
    /// Enough points that one inversion for many of them is as rare as in a multiplication.
    const SUMMED: usize = 1 << 10;
    /// Points whose multiplication takes some milliseconds.
    const MULTIPLIED: usize = 128;
    let Ok(thread) = Threads::new(1) else { return f64::NAN };
    match C::HOST_MSM {
        None => {
            let points = multiples::<C>(SUMMED);
            typical(affine_sums::additions(SUMMED), || {
                let _ = std::hint::black_box(thread.run(|| affine_sums::sum(points.clone())));
            })
        }
        Some(library) => {
            let points = multiples::<C>(MULTIPLIED);
            // Powers of a number are as long as random scalars.
            let base = C::ScalarField::from(u64::MAX).pow([5]);
            let scalars = (1..=MULTIPLIED as u64).map(|power| base.pow([power]).into_bigint());
            let scalars: Vec<_> = scalars.collect();
            typical(additions_of_library(MULTIPLIED), || {
                let _ = std::hint::black_box(thread.run(|| (library.run)(&points, &scalars)));
            })
        }
    }
}

/// The first multiples of the generator.
fn multiples<C: Curve>(count: usize) -> Vec<Affine<C>> {
    let generator = Affine::<C>::generator();
    let multiples =
        std::iter::successors(Some(Projective::<C>::from(generator)), |sum| Some(*sum + generator));
    normalized(&multiples.take(count).collect::<Vec<_>>())
}
