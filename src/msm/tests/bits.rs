//! Scalars of which most are 0 or 1, on the CPU engine, against sums of known logarithms. Tests of the program look at GPUs.

use ark_ff::{AdditiveGroup, Field};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::curve::{Bls12_381, Bn254, Curve};
use crate::msm::{Known, Multiplication, random_scalars};
use crate::task::Problem;
use crate::{Cpu, Device};

/// Scalars of which one in `rest` is random, and the others are 0 or 1; all are bits if `rest` is 0.
fn scalars<C: Curve>(n: usize, rest: usize, seed: u64) -> Vec<C::ScalarField> {
    let random = random_scalars::<C>(n, &mut ChaCha8Rng::seed_from_u64(seed));
    let scalar = |(i, random): (usize, C::ScalarField)| match i {
        _ if rest > 0 && i % rest == rest - 1 => random,
        _ if (i + seed as usize).is_multiple_of(3) => C::ScalarField::ONE,
        _ => C::ScalarField::ZERO,
    };
    random.into_iter().enumerate().map(scalar).collect()
}

fn agrees<C: Curve>(device: &Device, n: usize, rests: &[usize]) {
    let known = Known::<C>::random(n, 3);
    let problem = Multiplication::<C>::new(n).with_bits(0.99).with_vectors(rests.len());
    let bases = problem.plan(device).unwrap().prepare(device, &known.points).unwrap();
    let vectors: Vec<_> = rests.iter().map(|&rest| scalars::<C>(n, rest, rest as u64)).collect();
    let slices: Vec<_> = vectors.iter().map(|vector| &vector[..]).collect();
    let expected: Vec<_> = slices.iter().map(|vector| known.sum(vector)).collect();
    assert_eq!(bases.run_many(&slices).unwrap(), expected, "{} {n}", C::NAME);
    // Shorter vectors, and ranges of the bases.
    assert_eq!(bases.multiply(&vectors[0][..n / 3]).unwrap(), known.sum(&vectors[0][..n / 3]));
    let mut shifted = vec![C::ScalarField::ZERO; n - 5];
    shifted.extend_from_slice(&vectors[0][..5]);
    assert_eq!(bases.run_from(n - 5, &vectors[0][..5]).unwrap(), known.sum(&shifted));
}

#[test]
fn the_cpu_engine_multiplies_bits() {
    let device = Device::Cpu(Cpu::default());
    agrees::<Bn254>(&device, 500, &[0, 100, 7, 2, 1]);
    agrees::<Bls12_381>(&device, 500, &[0, 100, 2]);
}
