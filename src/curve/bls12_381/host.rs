//! BLS12-381 on the host by blst.

use std::ptr::null;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use ark_bls12_381::{Fq, Fq2};
use ark_ff::{BigInt, Zero};
use blst::{MultiPoint, blst_fp, blst_fp2, blst_p1, blst_p1_affine, blst_p2, blst_p2_affine};

use crate::parallel::*;
use crate::curve::{Affine, Bls12_381, Bls12_381G2, Curve, Projective, ScalarInt};
use crate::field::Words;
use crate::threads;

/// One of the two groups as blst has it.
pub(in crate::curve) trait Blst: Curve {
    type Point: Copy + Send + Sync;
    type Sum: Default;

    /// Both libraries keep field elements in Montgomery's form with R = 2^384.
    fn to_blst(point: &Affine<Self>) -> Self::Point;

    /// Both libraries use Jacobian coordinates, with Z = 0 at infinity.
    fn from_blst(sum: &Self::Sum) -> Projective<Self>;

    /// The reverse.
    fn sum_to_blst(sum: &Projective<Self>) -> Self::Sum;

    /// blst's multiplication on all cores.
    fn on_all_cores(points: &[Self::Point], scalars: &[u8]) -> Self::Sum;

    /// blst's multiplication on the calling thread, and the bytes of its scratch space.
    const ON_ONE_THREAD: Pippenger<Self::Sum, Self::Point>;
    const SCRATCH: unsafe extern "C" fn(usize) -> usize;

    /// Writes twice a point to the first argument, or the sum of two.
    const DOUBLE: unsafe extern "C" fn(*mut Self::Sum, *const Self::Sum);
    const ADD: unsafe extern "C" fn(*mut Self::Sum, *const Self::Sum, *const Self::Sum);

    /// blst's form of the endomorphism test.
    const IN_SUBGROUP: unsafe extern "C" fn(*const Self::Point) -> bool;
}

/// blst's multiplication: the sum, points, their number, scalars, the bits of a scalar, scratch space.
type Pippenger<S, P> = unsafe extern "C" fn(*mut S, *const *const P, usize, *const *const u8, usize, *mut u64);

/// Implements [`Blst`] for a group by blst's types and functions, whose coordinates `$to` and `$from` convert.
macro_rules! group {
    (
        $curve:ident $point:ident $sum:ident $to:ident $from:ident
        $pippenger:ident $scratch:ident $double:ident $add:ident $in_subgroup:ident
    ) => {
        impl Blst for $curve {
            type Point = $point;
            type Sum = $sum;

            fn to_blst(point: &Affine<Self>) -> $point {
                $point { x: $to(&point.x), y: $to(&point.y) }
            }

            fn from_blst(sum: &$sum) -> Projective<Self> {
                Projective::new_unchecked($from(&sum.x), $from(&sum.y), $from(&sum.z))
            }

            fn sum_to_blst(sum: &Projective<Self>) -> $sum {
                $sum { x: $to(&sum.x), y: $to(&sum.y), z: $to(&sum.z) }
            }

            fn on_all_cores(points: &[$point], scalars: &[u8]) -> $sum {
                points.mult(scalars, BITS)
            }

            const ON_ONE_THREAD: Pippenger<$sum, $point> = blst::$pippenger;
            const SCRATCH: unsafe extern "C" fn(usize) -> usize = blst::$scratch;
            const DOUBLE: unsafe extern "C" fn(*mut $sum, *const $sum) = blst::$double;
            const ADD: unsafe extern "C" fn(*mut $sum, *const $sum, *const $sum) = blst::$add;
            const IN_SUBGROUP: unsafe extern "C" fn(*const $point) -> bool = blst::$in_subgroup;
        }
    };
}

group! {
    Bls12_381 blst_p1_affine blst_p1 fp element
    blst_p1s_mult_pippenger blst_p1s_mult_pippenger_scratch_sizeof blst_p1_double blst_p1_add_or_double blst_p1_affine_in_g1
}
group! {
    Bls12_381G2 blst_p2_affine blst_p2 fp2 element2
    blst_p2s_mult_pippenger blst_p2s_mult_pippenger_scratch_sizeof blst_p2_double blst_p2_add_or_double blst_p2_affine_in_g2
}

fn fp(x: &Fq) -> blst_fp {
    blst_fp { l: x.0.0 }
}

fn fp2(x: &Fq2) -> blst_fp2 {
    blst_fp2 { fp: [fp(&x.c0), fp(&x.c1)] }
}

fn element(fp: &blst_fp) -> Fq {
    Fq::from_words(&fp.l).unwrap_or_default()
}

fn element2(x: &blst_fp2) -> Fq2 {
    Fq2::new(element(&x.fp[0]), element(&x.fp[1]))
}

/// Multi-scalar multiplication by blst, almost twice as fast as arkworks'.
pub(in crate::curve) fn msm<C: Blst>(points: &[Affine<C>], scalars: &[ScalarInt]) -> Projective<C> {
    // blst knows no point at infinity.
    let is_useful = |point: &Affine<C>| *point != Affine::identity();
    if !points.par_iter().all(is_useful) {
        let useful = points.iter().zip(scalars).filter(|(point, _)| is_useful(point));
        let (points, scalars): (Vec<Affine<C>>, Vec<ScalarInt>) = useful.unzip();
        return msm(&points, &scalars);
    }
    if points.is_empty() {
        return Projective::default();
    }
    let points: Vec<C::Point> = points.par_iter().map(C::to_blst).collect();
    let scalars: Vec<[u8; 32]> = scalars.par_iter().map(little_endian).collect();
    let threads = threads();
    // blst starts one thread per core, which a forked process lacks.
    let is_alike = available_parallelism().is_ok_and(|cores| cores.get() == threads) && !is_forked();
    if is_alike && threads > 1 && blst_has_threads(threads) {
        return C::from_blst(&C::on_all_cores(&points, scalars.as_flattened()));
    }
    let part = points.len().div_ceil(threads);
    let parts = points.par_chunks(part).zip(scalars.par_chunks(part));
    parts.map(|(points, scalars)| C::from_blst(&on_one_thread::<C>(points, scalars))).sum()
}

/// True if blst has its threads, or can start them: it panics where the system refuses one.
fn blst_has_threads(count: usize) -> bool {
    static STARTED: AtomicBool = AtomicBool::new(false);
    let can_start = STARTED.load(Ordering::Relaxed) || threads::can_start(count);
    // They are started for the first sum and stay.
    if can_start {
        STARTED.store(true, Ordering::Relaxed);
    }
    can_start
}

/// The maximum number of bytes that [`msm`] takes: points and scalars in blst's form, and, if some points are infinity,
/// lists of the others, which double as they grow; and the buckets of each thread, for a window of at most as many bits as the number
/// of points has.
pub(in crate::curve) fn msm_bytes<C: Blst>(points: u64, threads: u64) -> u64 {
    let of_point = 3 * (size_of::<C::Point>() + 32) as u64;
    let bits = u64::from(points.max(2).ilog2());
    // Windows have at most bits - 2 bits, or 8 where points are few, and half as many buckets of
    // four coordinates as a window has values.
    let buckets = (2 * size_of::<C::Point>() as u64) << bits.saturating_sub(3).max(7);
    points.saturating_mul(of_point).saturating_add(threads.saturating_mul(buckets))
}

/// Bits of a scalar.
const BITS: usize = 255;

/// The sum of scalars times points, for at least one point, on the calling thread.
fn on_one_thread<C: Blst>(points: &[C::Point], scalars: &[[u8; 32]]) -> C::Sum {
    // A null pointer after the first says that the rest follows it in memory.
    let starts = [points.as_ptr(), null()];
    let digits = [scalars.as_flattened().as_ptr(), null()];
    let mut sum = C::Sum::default();
    // SAFETY: blst is told the number of points and scalars, and gets as much scratch space as it asks for.
    unsafe {
        let mut scratch = vec![0u64; C::SCRATCH(points.len()) / 8];
        C::ON_ONE_THREAD(&mut sum, starts.as_ptr(), points.len(), digits.as_ptr(), BITS, scratch.as_mut_ptr());
    }
    sum
}

/// 2^`times` `point` + `addend`, by blst, in two thirds of the time of arkworks.
pub(in crate::curve) fn shifted_sum<C: Blst>(
    point: &Projective<C>,
    times: u32,
    addend: &Projective<C>,
) -> Projective<C> {
    // It would be doubled as any other point.
    if point.is_zero() {
        return *addend;
    }
    let mut point = C::sum_to_blst(point);
    let mut result = C::Sum::default();
    // SAFETY: blst reads points of any value and writes the first argument.
    unsafe {
        for _ in 0..times {
            C::DOUBLE(&mut result, &point);
            std::mem::swap(&mut result, &mut point);
        }
        C::ADD(&mut result, &point, &C::sum_to_blst(addend));
    }
    C::from_blst(&result)
}

/// Tests membership in the subgroup by blst's form of the endomorphism test.
pub(in crate::curve) fn in_subgroup<C: Blst>(point: &Affine<C>) -> bool {
    // SAFETY: it reads the point behind the reference, of any value, and nothing else.
    unsafe { C::IN_SUBGROUP(&C::to_blst(point)) }
}

fn little_endian(scalar: &BigInt<4>) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (place, word) in bytes.chunks_exact_mut(8).zip(scalar.0) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;
    use crate::msm::{Known, multiply, random_scalars};
    use ark_ff::AdditiveGroup;
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

    fn any_number_of_threads<C: Curve>(lengths: &[usize]) {
        for &n in lengths {
            let known = Known::<C>::random(n, 3);
            let scalars = random_scalars::<C>(n, &mut ChaCha8Rng::seed_from_u64(4));
            for threads in [1, 2, 3, 7] {
                let cpu = crate::Cpu { threads, ..crate::Cpu::default() };
                let sum = multiply(&Device::Cpu(cpu), &known.points, &scalars).unwrap();
                assert_eq!(sum, known.sum(&scalars), "{n} points on {threads} threads");
            }
        }
    }

    #[test]
    fn any_number_of_threads_gives_the_sum() {
        any_number_of_threads::<Bls12_381>(&[1, 2, 33, 500]);
        any_number_of_threads::<Bls12_381G2>(&[1, 2, 33]);
    }

    fn sums_of_every_kind<C: Curve>() {
        let known = Known::<C>::random(2, 5);
        let [a, b] = [known.points[0], known.points[1]].map(Projective::<C>::from);
        let zero = Projective::<C>::ZERO;
        for (point, times, addend) in [
            (a, 0, b),
            (a, 1, b),
            (a, 17, b),
            (a, 0, a),
            (a, 1, a + a),
            (a, 0, -a),
            (a, 3, zero),
            (zero, 3, b),
            (zero, 2, zero),
        ] {
            let expected = (0..times).fold(point, |sum, _| sum + sum) + addend;
            assert_eq!(C::shifted_sum(point, times, &addend), expected, "2^{times} {point} + {addend}");
        }
    }

    #[test]
    fn sums_of_equal_opposite_and_infinite_points_are_right() {
        sums_of_every_kind::<Bls12_381>();
        sums_of_every_kind::<Bls12_381G2>();
    }
}
