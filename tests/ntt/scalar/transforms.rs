//! Transforms, and their checks.

use super::{ORDERS, all, cpu, discrete, gpu, gpus_with_other_texts, portable_gpu, random};
use crate::gpu_common::open;
use ark_ff::Field;
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use wgalois::curve::scalar_fields;
use wgalois::curve::{Bls12_381, ScalarField};
use wgalois::gpu::Options;
use wgalois::ntt::Order;
use wgalois::ntt::scalar::{self, Coset, Transform};
use wgalois::scalars::Scalar;
use wgalois::task::{Problem, Profile};
use wgalois::{Device, Error, with_curve};

fn agrees_with_the_definition<F: Scalar>(device: &Device, n: usize, batch: usize) {
    for transform in all::<F>(n) {
        let transform = transform.with_batch(batch);
        let before = random::<F>(transform.len(), n as u64);
        let mut after = before.clone();
        scalar::transform(device, &transform, &mut after).unwrap();
        assert!(after == transform.by_definition(&before).unwrap(), "{transform:?}");
    }
}

#[test]
fn the_cpu_engine_agrees_with_the_definition() {
    for name in scalar_fields() {
        with_curve!(name, C => {
            for (n, batch) in [(1, 3), (2, 1), (4, 2), (64, 1)] {
                agrees_with_the_definition::<ScalarField<C>>(&cpu(), n, batch);
            }
        });
    }
    agrees_with_the_definition::<ScalarField<Bls12_381>>(&cpu(), 1, 0);
}

#[test]
fn a_gpu_agrees_with_the_definition() {
    // 33 vectors of 8 fill a tile, and a part of another one.
    for (n, batch) in [(1, 2), (2, 1), (4, 3), (8, 33), (32, 1)] {
        agrees_with_the_definition::<ScalarField<Bls12_381>>(&gpu(), n, batch);
    }
    for gpu in gpus_with_other_texts().into_iter().chain([portable_gpu()]) {
        agrees_with_the_definition::<ScalarField<Bls12_381>>(&gpu, 8, 1);
    }
}

/// The engines take different paths from 2^13 on: the CPU engine shares a vector, the GPU takes several passes.
#[test]
fn long_transforms_agree_with_ark_poly() {
    fn agrees<F: Scalar>(device: &Device, log_n: u32) {
        agrees_with_profile::<F>(device, &device.profile(), log_n);
    }
    fn agrees_with_profile<F: Scalar>(device: &Device, profile: &Profile, log_n: u32) {
        let run = |transform: &Transform<F>, data: &mut [F]| {
            transform.plan_for(profile).unwrap().prepare(device).unwrap().run(data).unwrap();
        };
        let n = 1 << log_n;
        let domain = Radix2EvaluationDomain::<F>::new(n).unwrap();
        for (domain, coset) in
            [(domain, Coset::Subgroup), (domain.get_coset(F::GENERATOR).unwrap(), Coset::Shift(F::GENERATOR))]
        {
            let coefficients = random::<F>(n, 5);
            let values = domain.fft(&coefficients);
            for orders in ORDERS.into_iter().flat_map(|input| ORDERS.map(|output| (input, output))) {
                let transform = Transform::new(n).unwrap().with_coset(coset);
                let transform = transform.with_input(orders.0).with_output(orders.1);
                let place = |order, list: &[F]| match order {
                    Order::Natural => list.to_vec(),
                    Order::BitReversed => {
                        (0..n).map(|i| list[i.reverse_bits() >> (usize::BITS - log_n)]).collect()
                    }
                };
                let (before, after) = (place(orders.0, &coefficients), place(orders.1, &values));
                let mut data = before.clone();
                run(&transform, &mut data);
                assert!(data == after, "{transform:?}");
                run(&transform.inverted(), &mut data);
                assert!(data == before, "{transform:?}, back");
            }
        }
    }
    agrees::<ScalarField<Bls12_381>>(&cpu(), 14);
    // Two passes, of equal and of different lengths.
    agrees::<ScalarField<Bls12_381>>(&gpu(), 11);
    gpus_with_other_texts().iter().for_each(|gpu| agrees::<ScalarField<Bls12_381>>(gpu, 11));
    agrees::<ScalarField<Bls12_381>>(&portable_gpu(), 12);
    // Tiles of 2^9, which make one pass of two, and two of three.
    agrees::<ScalarField<Bls12_381>>(&gpu(), 9);
    gpus_with_other_texts().iter().for_each(|gpu| agrees::<ScalarField<Bls12_381>>(gpu, 9));
    agrees::<ScalarField<Bls12_381>>(&portable_gpu(), 9);
    agrees::<ScalarField<Bls12_381>>(&gpu(), 17);
    // Exchanges in workgroup memory alone.
    let without_subgroups = open(Options { subgroups: false, compact: Some(false), ..Options::default() });
    agrees::<ScalarField<Bls12_381>>(&Device::Gpu(without_subgroups), 11);
    // Sums of four and of eight products, in workgroups for a row and for half of one.
    for log_n in 9..=12 {
        agrees_with_profile::<ScalarField<Bls12_381>>(&gpu(), &discrete(&gpu()), log_n);
    }
    for log_n in [9, 12] {
        agrees_with_profile::<ScalarField<Bls12_381>>(&portable_gpu(), &discrete(&portable_gpu()), log_n);
    }
    for name in scalar_fields() {
        with_curve!(name, C => agrees_with_profile::<ScalarField<C>>(&gpu(), &discrete(&gpu()), 10));
    }
}

#[test]
fn a_batch_of_long_vectors_agrees_on_both_engines() {
    fn agrees<F: Scalar>(device: &Device, profile: &Profile, log_n: u32) {
        let transform = Transform::<F>::new(1 << log_n).unwrap().with_batch(3);
        let transform = transform.with_coset(Coset::Negacyclic);
        for transform in [transform, transform.inverted(), transform.with_output(Order::BitReversed)] {
            let before = random(transform.len(), 9);
            let [mut by_gpu, mut by_cpu] = [before.clone(), before];
            transform.plan_for(profile).unwrap().prepare(device).unwrap().run(&mut by_gpu).unwrap();
            scalar::transform(&cpu(), &transform, &mut by_cpu).unwrap();
            assert!(by_gpu == by_cpu, "{transform:?}");
        }
    }
    let device = gpu();
    for name in scalar_fields() {
        with_curve!(name, C => agrees::<ScalarField<C>>(&device, &device.profile(), 11));
    }
    agrees::<ScalarField<Bls12_381>>(&device, &discrete(&device), 10);
}

#[test]
fn checks_pass_right_results_and_find_wrong_ones() {
    type F = ScalarField<Bls12_381>;
    for n in [1, 2, 1 << 11] {
        for transform in all::<F>(n) {
            let transform = transform.with_batch(2);
            let before = random(transform.len(), 3);
            let mut after = before.clone();
            scalar::transform(&cpu(), &transform, &mut after).unwrap();
            let guarantee = transform.check(&cpu(), &before, &after).unwrap();
            let bits = 253 - n.ilog2();
            assert!(guarantee.to_string().ends_with(&format!("at most 2^-{bits}")), "{guarantee}");
            // One value wrong; two values exchanged; a whole vector of another coset.
            let last = after.len() - 1;
            after[last] += F::ONE;
            assert!(
                matches!(transform.check(&cpu(), &before, &after), Err(Error::Check(_))),
                "{transform:?}"
            );
            after[last] -= F::ONE;
            if n > 2 && after[last] != after[last - 1] {
                after.swap(last - 1, last);
                assert!(transform.check(&cpu(), &before, &after).is_err(), "{transform:?}");
                after.swap(last - 1, last);
            }
            let other = transform.with_coset(Coset::Shift(F::from(5u64)));
            assert_eq!(other.check(&cpu(), &before, &after).is_err(), n > 1, "{transform:?}");
            assert!(transform.check(&cpu(), &before, &after[1..]).is_err());
        }
    }
}

/// Plans for a device with little workgroup memory and small bindings: three passes.
#[test]
fn three_passes_agree_with_the_cpu_engine() {
    type F = ScalarField<Bls12_381>;
    let device = gpu();
    let mut profile = device.profile();
    if let wgalois::task::Engine::Gpu(gpu) = &mut profile.engine {
        gpu.workgroup_bytes = 36 << 4;
        gpu.binding_bytes = 32 << 11;
    }
    for transform in all::<F>(1 << 11) {
        if transform.coset() == Coset::Negacyclic {
            continue;
        }
        let plan = transform.plan_for(&profile).unwrap();
        let reverses = transform.input() == Order::BitReversed && transform.output() == Order::BitReversed;
        assert_eq!(plan.passes(), Some(if reverses { 4 } else { 3 }));
        let before = random::<F>(1 << 11, 6);
        let [mut by_gpu, mut by_cpu] = [before.clone(), before];
        plan.prepare(&device).unwrap().run(&mut by_gpu).unwrap();
        scalar::transform(&cpu(), &transform, &mut by_cpu).unwrap();
        assert!(by_gpu == by_cpu, "{transform:?}");
    }
}
