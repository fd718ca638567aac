//! Commitments to polynomials as by Kate, Zaverucha and Goldberg (ASIACRYPT 2010): the sum of the
//! coefficients times the powers of a secret in the group. The bases are fixed, so they stay on the
//! GPU, with precomputed multiples. Compares the results and the times of GPU and CPU.
//!
//!     cargo run --release --example commit [COEFFICIENTS [POLYNOMIALS]]

use ark_bls12_381::Fr;
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, ScalarMul};
use ark_ff::{Field, UniformRand};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use std::time::Instant;
use wgalois::curve::{Affine, Bls12_381, Projective};
use wgalois::gpu::Gpu;
use wgalois::msm::{Multiplication, Precompute};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Result, Wrong};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize| {
        arguments.next().map_or(Ok(default), |text| {
            text.parse().map_err(|e| Error::Usage(format!("{text:?} is no number: {e}")))
        })
    };
    let (n, polynomials) = (number(1 << 16)?, number(4)?);
    let gpu = Gpu::new()?;
    println!("{polynomials} polynomials of {n} coefficients, {} against the CPU engine", gpu.adapter().name);

    // The bases s^i G, which a trusted setup publishes. Here the secret s is known, so that
    // commitments can also be checked in the exponent.
    let mut random = StdRng::seed_from_u64(1);
    let secret = Fr::rand(&mut random);
    let powers: Vec<Fr> =
        std::iter::successors(Some(Fr::ONE), |power| Some(*power * secret)).take(n).collect();
    let points: Vec<Affine<Bls12_381>> = Projective::<Bls12_381>::generator().batch_mul(&powers);

    // Done once for all commitments: upload, precompute, compile.
    let problem = Multiplication::new(n).with_vectors(polynomials).with_precompute(Precompute::Windows);
    let (gpu, cpu) = (Device::Gpu(gpu), Device::Cpu(Cpu::default()));
    let (bases, time) = timed(|| {
        let bases = problem.plan(&gpu)?.prepare(&gpu, &points)?;
        let _ = bases.multiply(&powers)?;
        Ok(bases)
    })?;
    let on_host = problem.plan(&cpu)?.prepare(&cpu, &points)?;
    println!("bases prepared:    GPU {time:9.3} ms");

    let coefficients: Vec<Vec<Fr>> =
        (0..polynomials).map(|_| (0..n).map(|_| Fr::rand(&mut random)).collect()).collect();
    let vectors: Vec<&[Fr]> = coefficients.iter().map(Vec::as_slice).collect();
    let (one_by_one, time) =
        timed(|| vectors.iter().map(|vector| bases.multiply(vector)).collect::<Result<Vec<_>>>())?;
    println!("one after another: GPU {time:9.3} ms");
    let (batch, time) = timed(|| bases.run_many(&vectors))?;
    println!("as a batch:        GPU {time:9.3} ms");
    let (on_cpu, time) = timed(|| on_host.run_many(&vectors))?;
    println!("one after another: CPU {time:9.3} ms");

    // The commitment to f is f(s) G.
    let evaluate = |vector: &[Fr]| vector.iter().rev().fold(Fr::from(0u64), |sum, c| sum * secret + c);
    let expected: Vec<_> = vectors
        .iter()
        .map(|vector| (Affine::<Bls12_381>::generator() * evaluate(vector)).into_affine())
        .collect();
    let equal = [&one_by_one, &batch, &on_cpu].iter().all(|commitments| **commitments == expected);
    println!("commitments are {}", if equal { "equal" } else { "DIFFERENT" });
    Wrong::unless(equal, "the engines disagree")
}

/// Returns the result of `work` and its time in milliseconds.
fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed().as_secs_f64() * 1e3))
}
