//! The CPU engine's multi-scalar multiplication on BLS12-381 beside arkworks and blst, and on BN254 beside arkworks, on one
//! thread and on all cores, in one run.
//!
//!     cargo bench -p wgalois-peers --bench msm_cpu
//!
//! The CPU engine hands BLS12-381 to blst: beside blst its time says what turning arkworks' points
//! and scalars into blst's costs, and no more. On other curves it has sums of its own. blst gets
//! its own form, made before the time is taken. Every sum is checked
//! against the one that the points' known logarithms give. Times are medians; the table at the end
//! gives those of the peers as multiples of ours.

mod common;

use ark_ec::{CurveGroup, VariableBaseMSM};
use ark_ff::{BigInteger, PrimeField};
use blst::{MultiPoint, blst_fp, blst_p1, blst_p1_affine};
use common::Peers;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::ptr::null;
use std::thread::available_parallelism;
use wgalois::curve::{Affine, Bls12_381, Bn254, Bn254G2, Curve, CurveName, Projective};
use wgalois::msm::{Known, Settings, multiply_unchecked, random_scalars};
use wgalois::{Cpu, Device};

/// Bits of a scalar.
const BITS: usize = 255;

type Point = Affine<Bls12_381>;

fn main() {
    let mut peers = Peers::new(10, 500, 2000);
    let cores = available_parallelism().map_or(1, usize::from);
    let mut counts = vec![1, cores];
    counts.dedup();
    for log_n in [12, 14, 16] {
        for &threads in &counts {
            beside_both(&mut peers, log_n, threads);
            beside_arkworks::<Bn254>(&mut peers, log_n, threads);
            beside_arkworks::<Bn254G2>(&mut peers, log_n, threads);
        }
    }
    peers.print();
}

/// A multiplication that was timed.
struct Instance<C: Curve> {
    name: String,
    points: Vec<Affine<C>>,
    scalars: Vec<C::ScalarField>,
    sum: Affine<C>,
}

/// Times ours beside arkworks.
fn beside_arkworks<C: Curve>(peers: &mut Peers, log_n: u32, threads: usize) -> Instance<C> {
    let n = 1 << log_n;
    let known = Known::<C>::random(n, 1);
    let scalars = random_scalars::<C>(n, &mut ChaCha8Rng::seed_from_u64(2));
    let right = known.sum(&scalars);
    let name: CurveName = C::NAME;
    let threads_named = if threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
    let named = format!("{name}, 2^{log_n} points, {threads_named}");
    let label = named.as_str();

    let engine = Device::Cpu(Cpu { threads, ..Cpu::default() });
    let ours = || multiply_unchecked(&engine, &Settings::default(), &known.points, &scalars).unwrap();
    assert!(ours() == right, "{label}: ours is wrong");
    peers.time((label, "ours"), &(), |()| ours());

    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let arkworks = || pool.install(|| Projective::<C>::msm(&known.points, &scalars).unwrap());
    assert!(arkworks().into_affine() == right, "{label}: arkworks has another sum");
    peers.time((label, "arkworks"), &(), |()| arkworks());
    Instance { name: named, points: known.points, scalars, sum: right }
}

/// Times ours beside arkworks and blst.
fn beside_both(peers: &mut Peers, log_n: u32, threads: usize) {
    let Instance { name, points, scalars, sum: right } = beside_arkworks::<Bls12_381>(peers, log_n, threads);
    let label = name.as_str();
    let points: Vec<_> = points.iter().map(to_blst).collect();
    let digits: Vec<u8> = scalars.iter().flat_map(|k| k.into_bigint().to_bytes_le()).collect();
    let blst = || if threads == 1 { on_one_thread(&points, &digits) } else { points.mult(&digits, BITS) };
    assert!(to_affine(&blst()) == to_blst(&right), "{label}: blst has another sum");
    peers.time((label, "blst"), &(), |()| blst());
}

/// Both libraries keep field elements in Montgomery's form with R = 2^384.
fn to_blst(point: &Point) -> blst_p1_affine {
    blst_p1_affine { x: blst_fp { l: point.x.0.0 }, y: blst_fp { l: point.y.0.0 } }
}

fn to_affine(point: &blst_p1) -> blst_p1_affine {
    let mut affine = blst_p1_affine::default();
    // SAFETY: it reads the one and writes the other.
    unsafe { blst::blst_p1_to_affine(&mut affine, point) };
    affine
}

/// The work of `mult` on a machine with one core.
fn on_one_thread(points: &[blst_p1_affine], digits: &[u8]) -> blst_p1 {
    let (n, starts, digits) = (points.len(), [points.as_ptr(), null()], [digits.as_ptr(), null()]);
    let mut sum = blst_p1::default();
    // SAFETY: as many points and scalars as it is told, and the scratch space it asks for.
    unsafe {
        let mut scratch = vec![0u64; blst::blst_p1s_mult_pippenger_scratch_sizeof(n) / 8];
        let (starts, digits) = (starts.as_ptr(), digits.as_ptr());
        blst::blst_p1s_mult_pippenger(&mut sum, starts, n, digits, BITS, scratch.as_mut_ptr());
    }
    sum
}
