//! BLS12-381 on the host by blst.

use std::ptr::null;
use std::thread::available_parallelism;

use ark_bls12_381::Fq;
use ark_ff::BigInt;
use blst::{MultiPoint, blst_p1, blst_p1_affine};
use rayon::prelude::*;

use super::Bls12_381;
use crate::curve::{Affine, Projective, ScalarInt};
use crate::field::Words;

/// Multi-scalar multiplication by blst, almost twice as fast as arkworks'.
pub(super) fn msm(points: &[Affine<Bls12_381>], scalars: &[ScalarInt]) -> Projective<Bls12_381> {
    let useful = points.par_iter().zip(scalars).filter(|(point, _)| **point != Affine::identity());
    let (points, scalars): (Vec<blst_p1_affine>, Vec<[u8; 32]>) =
        useful.map(|(point, scalar)| (to_blst(point), little_endian(scalar))).unzip();
    if points.is_empty() {
        return Projective::default();
    }
    let threads = rayon::current_num_threads();
    // blst starts one thread per core.
    if available_parallelism().is_ok_and(|cores| cores.get() == threads) && threads > 1 {
        return from_blst(&points.mult(scalars.as_flattened(), BITS));
    }
    let part = points.len().div_ceil(threads);
    let parts = points.par_chunks(part).zip(scalars.par_chunks(part));
    parts.map(|(points, scalars)| from_blst(&on_one_thread(points, scalars))).sum()
}

/// The maximum number of bytes that [`msm`] takes: points and scalars in blst's form, in lists that double as they grow
/// and are then joined, and the buckets of each thread, for a window of at most as many bits as the number
/// of points has.
pub(super) fn msm_bytes(points: u64, threads: u64) -> u64 {
    let of_point = 3 * (size_of::<blst_p1_affine>() + 32) as u64;
    let bits = u64::from(points.max(2).ilog2());
    // Windows have at most bits - 2 bits, or 8 where points are few, and half as many buckets of
    // four field elements as a window has values.
    let buckets = 192 << bits.saturating_sub(3).max(7);
    points.saturating_mul(of_point).saturating_add(threads.saturating_mul(buckets))
}

/// Bits of a scalar.
const BITS: usize = 255;

/// The sum of scalars times points, for at least one point, on the calling thread.
fn on_one_thread(points: &[blst_p1_affine], scalars: &[[u8; 32]]) -> blst_p1 {
    // A null pointer after the first says that the rest follows it in memory.
    let starts = [points.as_ptr(), null()];
    let digits = [scalars.as_flattened().as_ptr(), null()];
    let mut sum = blst_p1::default();
    // SAFETY: blst is told the number of points and scalars, and gets as much scratch space as it asks for.
    unsafe {
        let mut scratch = vec![0u64; blst::blst_p1s_mult_pippenger_scratch_sizeof(points.len()) / 8];
        blst::blst_p1s_mult_pippenger(
            &mut sum,
            starts.as_ptr(),
            points.len(),
            digits.as_ptr(),
            BITS,
            scratch.as_mut_ptr(),
        );
    }
    sum
}

/// Tests membership in the subgroup by blst's form of the endomorphism test.
pub(super) fn in_subgroup(point: &Affine<Bls12_381>) -> bool {
    // SAFETY: it reads the point behind the reference, of any value, and nothing else.
    unsafe { blst::blst_p1_affine_in_g1(&to_blst(point)) }
}

/// Both libraries keep field elements in Montgomery's form with R = 2^384.
fn to_blst(point: &Affine<Bls12_381>) -> blst_p1_affine {
    blst_p1_affine { x: blst::blst_fp { l: point.x.0.0 }, y: blst::blst_fp { l: point.y.0.0 } }
}

/// Both libraries use Jacobian coordinates, with Z = 0 at infinity.
fn from_blst(point: &blst_p1) -> Projective<Bls12_381> {
    let element = |fp: &blst::blst_fp| Fq::from_words(&fp.l).unwrap_or_default();
    Projective::new_unchecked(element(&point.x), element(&point.y), element(&point.z))
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
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

    #[test]
    fn any_number_of_threads_gives_the_sum() {
        for n in [1, 2, 33, 500] {
            let known = Known::<Bls12_381>::random(n, 3);
            let scalars = random_scalars::<Bls12_381>(n, &mut ChaCha8Rng::seed_from_u64(4));
            for threads in [1, 2, 3, 7] {
                let cpu = crate::Cpu { threads, ..crate::Cpu::default() };
                let sum = multiply(&Device::Cpu(cpu), &known.points, &scalars).unwrap();
                assert_eq!(sum, known.sum(&scalars), "{n} points on {threads} threads");
            }
        }
    }
}
