//! What a plan says before anything is computed.

use super::{cpu, discrete, gpu, random};
use crate::gpu_common::{dispatches, open};
use ark_ff::{AdditiveGroup, Field};
use wgalois::curve::{Bls12_381, ScalarField};
use wgalois::gpu::Options;
use wgalois::ntt::scalar::{self, Coset, Transform};
use wgalois::task::Problem;
use wgalois::{Device, Error};

#[test]
fn short_vectors_are_transformed_by_sums_where_that_is_faster() {
    let (discrete, other) = (discrete(&gpu()), gpu().profile());
    // Those of stages take one pass at 2^9.
    for (batch, passes) in [(1, 2), (8, 2), (9, 1)] {
        let transform = Transform::<ScalarField<Bls12_381>>::new(1 << 9).unwrap().with_batch(batch);
        assert_eq!(transform.plan_for(&discrete).unwrap().passes(), Some(passes), "{batch} vectors");
        assert_eq!(transform.plan_for(&other).unwrap().passes(), Some(1), "{batch} vectors");
    }
}

#[test]
fn passes_are_as_few_as_tiles_allow() {
    let profile = gpu().profile();
    for (log_n, passes) in [(0, 0), (1, 1), (9, 1), (10, 2), (17, 2), (18, 2), (19, 3), (22, 3)] {
        let transform = Transform::<ScalarField<Bls12_381>>::new(1 << log_n).unwrap();
        assert_eq!(transform.plan_for(&profile).unwrap().passes(), Some(passes), "2^{log_n}");
    }
}

/// Two-adicity 22: the longest transforms of BLS24-315, whose root has exactly that order.
#[test]
fn lengths_are_limited_by_the_field_and_the_tables() {
    type F = ScalarField<wgalois::curve::Bls24_315>;
    assert!(Transform::<F>::new(1 << 22).is_ok());
    for n in [0, 3, 6, 1 << 23] {
        let error = Transform::<F>::new(n).unwrap_err();
        assert!(matches!(&error, Error::NotAPowerOfTwo { most, .. } if *most == 1 << 22), "{error}");
    }
    let root = Transform::<F>::new(1 << 22).unwrap().root();
    assert_eq!(root.pow([1 << 21]), -F::ONE);
    let longest = Transform::<F>::new(1 << 22).unwrap().with_coset(Coset::Negacyclic);
    assert!(longest.plan(&cpu()).is_err());
    let zero = Transform::<F>::new(4).unwrap().with_coset(Coset::Shift(F::ZERO));
    assert!(matches!(zero.plan(&cpu()), Err(Error::ZeroShift)));
    // A binding of 2^10 scalars, of which a longer transform takes several; and one of 2^4, which holds no table.
    let mut profile = gpu().profile();
    let mut plan = |log_n: u32, log_binding: u32| {
        if let wgalois::task::Engine::Gpu(gpu) = &mut profile.engine {
            gpu.binding_bytes = 32 << log_binding;
        }
        Transform::<F>::new(1 << log_n).unwrap().plan_for(&profile).map(drop)
    };
    assert!(plan(10, 10).is_ok() && plan(11, 10).is_ok() && plan(4, 4).is_ok());
    let error = plan(5, 4).unwrap_err();
    assert!(matches!(&error, Error::OutOfMemory(why) if why.to_string().contains("2^4 scalars")), "{error}");
    let data = &mut random::<F>(3, 1);
    let wrong = scalar::transform(&cpu(), &Transform::new(4).unwrap(), data);
    assert!(matches!(wrong, Err(Error::WrongLength { expected: 4, found: 3, .. })));
}

#[test]
fn a_plan_counts_its_dispatches_and_transforms_in_parts() {
    type F = ark_bn254::Fr;
    // A device of its own: other tests run beside this one, and their dispatches would count.
    let gpu = open(Options::default());
    let device = Device::Gpu(gpu.clone());
    let transform = Transform::<F>::new(1 << 10).unwrap().with_batch(8);
    let one = transform.with_batch(1).plan(&device).unwrap();
    assert_eq!(one.parts(), 1);
    let bound = transform.with_batch(2).plan(&device).unwrap().cost().device_bytes;
    let plan = transform.plan_for(&device.profile().with_device_memory(bound)).unwrap();
    assert_eq!(plan.parts(), 4);
    let before = random::<F>(transform.len(), 4);
    let [mut in_parts, mut at_once] = [before.clone(), before];
    plan.prepare(&device).unwrap().run(&mut in_parts).unwrap();
    scalar::transform(&cpu(), &transform, &mut at_once).unwrap();
    assert!(in_parts == at_once);
    let before = dispatches(&gpu);
    let prepared = one.prepare(&device).unwrap();
    prepared.run(&mut random(1 << 10, 1)).unwrap();
    // A software driver gets long dispatches in several; tests of the crate count them on a device that does not.
    assert!(dispatches(&gpu) - before >= one.traffic().dispatches.unwrap());
}
