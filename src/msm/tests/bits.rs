//! Scalars of which most are 0 or 1, on both engines, against arkworks' sums.

use ark_ff::{AdditiveGroup, Field};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::curve::{Bls12_381, Bls12_381G2, Bn254, Curve};
use crate::gpu::Options;
use crate::gpu::test_devices::open;
use crate::msm::apart::OnGpuApart;
use crate::msm::{BitsApart, Known, Multiplication, random_scalars};
use crate::scalars::DeviceScalars;
use crate::task::{Problem, Profile};
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

#[test]
fn a_gpu_takes_bits_apart() {
    for options in [Options::default(), Options::portable()] {
        let gpu = open(options);
        let plan =
            Multiplication::<Bn254>::new(5000).with_bits(0.99).plan_for(&Profile::of_gpu(&gpu)).unwrap();
        assert!(plan.way::<OnGpuApart>().is_some(), "{plan}");
        let device = Device::Gpu(gpu);
        // All bits, few others, more others than are multiplied at a time, and only others.
        agrees::<Bn254>(&device, 5000, &[0, 100, 2, 1]);
        agrees::<Bls12_381>(&device, 300, &[0, 50]);
        agrees::<Bls12_381G2>(&device, 300, &[0, 50]);
    }
}

/// In parts, and with scalars that are on the device.
#[test]
fn bits_are_taken_apart_in_any_memory() {
    let (n, gpu) = (1 << 14, open(Options::default()));
    let problem = Multiplication::<Bn254>::new(n).with_bits(0.99).with_vectors(2);
    let known = Known::<Bn254>::random(n, 3);
    let vectors = [scalars::<Bn254>(n, 100, 1), scalars::<Bn254>(n - 1000, 90, 2)];
    let expected = vectors.each_ref().map(|vector| known.sum(vector));
    let mut memory = problem.plan_for(&Profile::of_gpu(&gpu)).unwrap().cost().device_bytes;
    let mut parts = 1;
    while parts < 4 {
        let profile = Profile { device_memory: memory, ..Profile::of_gpu(&gpu) };
        let plan = problem.plan_for(&profile).unwrap();
        let apart = plan.way::<OnGpuApart>().unwrap_or_else(|| panic!("{plan}"));
        parts = n.div_ceil(apart.part);
        let device = Device::Gpu(gpu.clone());
        let bases = plan.prepare(&device, &known.points).unwrap();
        assert_eq!(bases.run_many(&[&vectors[0], &vectors[1]]).unwrap(), expected, "{plan}");
        let scalars = DeviceScalars::upload(&gpu, &vectors[0]).unwrap();
        assert_eq!(bases.run_on_device(&scalars).unwrap(), expected[0]);
        if parts == 1 {
            let split = BitsApart::new(&vectors[0]);
            let begun = bases.begin_apart(&split, 100..n).unwrap();
            assert_eq!(bases.end(begun).unwrap(), known.sum(&vectors[0][100..]));
            bases.begin_apart(&split, 100..n + 1).map(drop).unwrap_err();
        }
        memory = memory * 2 / 3;
    }
}
