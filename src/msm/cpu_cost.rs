//! The time of multiplications on the CPU engine: numbers of additions times the time of one.

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field, PrimeField};

use super::buckets::{self, sum_of_multiples};
use super::signed_digits::Digits;
use crate::curve::{Affine, Curve, Projective};
use crate::parallel::Threads;
use crate::task::{CpuProfile, Rate, least};

/// Nanoseconds of an addition of affine points of G1, and of G2: what the 865 ms of blst for 2^20 points of BLS12-381 on 16 cores
/// of an H200's host leave for each of its additions, and 2.7 times as much, which was measured there for G2.
const SHIPPED: [f64; 2] = [770e-9, 2080e-9];
/// The points of the measurement of an addition.
const MEASURED: usize = 128;

/// The seconds of `vectors` multiplications of `n` points on the CPU engine.
pub(super) fn seconds<C: Curve>(n: usize, vectors: usize, cpu: CpuProfile) -> f64 {
    let shipped = SHIPPED[usize::from(C::BaseField::extension_degree() > 1)];
    let rate = Rate { name: C::NAME.as_str(), shipped, measure: addition::<C> };
    additions::<C>(n) * cpu.record.seconds(&rate) * vectors as f64 / cpu.threads.max(1) as f64
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

/// Measures an addition, by a multiplication of few points on one thread.
fn addition<C: Curve>() -> f64 {
    let multiples = std::iter::successors(Some(Projective::<C>::from(Affine::<C>::generator())), |sum| {
        Some(sum.double() + Affine::<C>::generator())
    });
    let points = Projective::<C>::normalize_batch(&multiples.take(MEASURED).collect::<Vec<_>>());
    // Powers of a scalar are as long as random ones.
    let base = C::ScalarField::from(u64::MAX).pow([5]);
    let scalars: Vec<C::ScalarField> = (1..=MEASURED as u64).map(|power| base.pow([power])).collect();
    let integers: Vec<_> = scalars.iter().map(|scalar| scalar.into_bigint()).collect();
    let Ok(thread) = Threads::new(1) else { return f64::NAN };
    least(additions::<C>(MEASURED), || {
        let sum = || match C::HOST_MSM {
            Some(library) => (library.run)(&points, &integers),
            None => sum_of_multiples(&points, &scalars),
        };
        let _: Projective<C> = std::hint::black_box(thread.run(sum));
    })
}
