//! Multiples of a base on both engines, against arkworks' multiplication of one point.

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field, PrimeField};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::*;
use crate::curve::{Bls12_381, Bls12_381G2, Bn254, Bn254G2, CurveName};
use crate::gpu::Options;
use crate::gpu::test_devices::open;
use crate::msm::random_scalars;
use crate::{Cpu, Device};

/// Zeros, ones, the ends of the range, single digits, a carry through all windows, and random scalars.
fn scalars<C: Curve>(n: usize) -> Vec<C::ScalarField> {
    let half = C::ScalarField::from(C::ScalarField::MODULUS_MINUS_ONE_DIV_TWO);
    let one = C::ScalarField::ONE;
    let mut scalars = vec![C::ScalarField::ZERO, one, -one, half, half + one, C::ScalarField::ZERO];
    scalars.extend((0..60).map(|k| C::ScalarField::from(2u64).pow([4 * k]) - one));
    scalars.extend(random_scalars::<C>(n, &mut ChaCha8Rng::seed_from_u64(4)));
    scalars.truncate(n);
    scalars
}

fn agrees_on<C: Curve>(device: &Device, counts: &[usize]) {
    let base = (Affine::<C>::generator() * C::ScalarField::from(77u64)).into_affine();
    for &n in counts {
        let scalars = scalars::<C>(n);
        let multiples = FixedBase::<C>::new(n).plan(device).unwrap().prepare_with(device, base).unwrap();
        let expected: Vec<Affine<C>> = scalars.iter().map(|k| (base * k).into_affine()).collect();
        assert_eq!(multiples.run(&scalars).unwrap(), expected, "{} {n}", C::NAME);
    }
}

#[test]
fn the_cpu_engine_agrees_with_single_multiplications() {
    for name in CurveName::all() {
        crate::with_curve!(name, C => agrees_on::<C>(&Device::Cpu(Cpu::default()), &[0, 1, 70]));
    }
    let threads = Device::Cpu(Cpu { threads: 3, ..Cpu::default() });
    // More than one block.
    agrees_on::<Bn254>(&threads, &[2500]);
}

#[test]
fn a_gpu_agrees_with_single_multiplications() {
    for options in [Options::default(), Options::portable()] {
        let device = Device::Gpu(open(options));
        agrees_on::<Bn254>(&device, &[0, 1, 70, 300]);
        agrees_on::<Bls12_381>(&device, &[70]);
        agrees_on::<Bls12_381G2>(&device, &[70]);
        agrees_on::<Bn254G2>(&device, &[3]);
    }
}

/// A run of more scalars than are multiplied at a time, and a run of more than planned.
#[test]
fn pieces_are_multiplied_one_after_the_other() {
    let gpu = open(Options::default());
    let problem = FixedBase::<Bn254>::new(5000);
    let whole = problem.plan_for(&Profile::of_gpu(&gpu)).unwrap();
    let profile = Profile { device_memory: whole.cost().device_bytes / 3, ..Profile::of_gpu(&gpu) };
    let plan = problem.plan_for(&profile).unwrap();
    assert!(plan.cost().device_bytes <= profile.device_memory);
    let at_a_time = plan.way::<OnGpu>().unwrap().at_a_time;
    assert!(at_a_time < 5000, "{at_a_time}");
    let (base, scalars) = (Affine::<Bn254>::generator(), scalars::<Bn254>(2 * at_a_time + 1));
    let device = Device::Gpu(gpu);
    let in_pieces = plan.prepare_with(&device, base).unwrap().run(&scalars).unwrap();
    let host = Device::Cpu(Cpu::default());
    let on_host = FixedBase::<Bn254>::new(1).plan(&host).unwrap().prepare_with(&host, base).unwrap();
    assert_eq!(in_pieces, on_host.run(&scalars).unwrap());
    let tiny = Profile { device_memory: 1 << 14, ..profile };
    let error = problem.plan_for(&tiny).unwrap_err();
    let crate::Error::OutOfMemory(shortage) = &error else { panic!("{error}") };
    let enough = Profile { device_memory: shortage.needed.unwrap(), ..tiny };
    problem.plan_for(&enough).unwrap();
}

#[test]
fn multiples_of_infinity_are_infinity() {
    let host = Device::Cpu(Cpu::default());
    for device in [host, Device::Gpu(open(Options::default()))] {
        let plan = FixedBase::<Bn254>::new(3).plan(&device).unwrap();
        let multiples = plan.prepare_with(&device, Affine::identity()).unwrap();
        assert_eq!(multiples.run(&scalars::<Bn254>(3)).unwrap(), [Affine::identity(); 3]);
    }
}
