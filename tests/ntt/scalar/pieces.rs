//! Transforms of vectors that no binding holds: several pieces of one vector.

use std::sync::Arc;

use super::{all, cpu, random};
use crate::gpu_common::{full, open, portable};
use ark_ff::{FftField, Field};
use wgalois::curve::{Bls12_381, ScalarField, scalar_fields};
use wgalois::gpu::{Arithmetic, DeviceRecord, Family, Options};
use wgalois::ntt::scalar::{self, Coset, Transform};
use wgalois::ntt::{Direction, Order};
use wgalois::scalars::{DeviceScalars, Scalar};
use wgalois::task::{Budget, Engine, GpuProfile, Problem, Profile};
use wgalois::{Device, Error, with_curve};

type F = ScalarField<Bls12_381>;

/// A device of which a binding holds 2^`log_piece` scalars.
fn of_pieces(options: &Options, log_piece: u32) -> Device {
    // A binding need not hold a power of two.
    Device::Gpu(open(Options { max_chunk_bytes: (32 << log_piece) + 2000, ..options.clone() }))
}

fn agrees_with_the_definition<F: Scalar>(device: &Device, n: usize) {
    for transform in all::<F>(n) {
        let before = random::<F>(n, n as u64);
        let mut after = before.clone();
        scalar::transform(device, &transform, &mut after).unwrap();
        assert!(after == transform.by_definition(&before).unwrap(), "{transform:?}");
    }
}

fn agrees_with_the_cpu_engine<F: Scalar>(
    device: &Device,
    transforms: impl IntoIterator<Item = Transform<F>>,
) {
    for transform in transforms {
        let before = random::<F>(transform.len(), 2);
        let [mut by_gpu, mut by_cpu] = [before.clone(), before];
        scalar::transform(device, &transform, &mut by_gpu).unwrap();
        scalar::transform(&cpu(), &transform, &mut by_cpu).unwrap();
        assert!(by_gpu == by_cpu, "{transform:?}");
    }
}

/// Both forms of arithmetic.
fn both() -> [&'static Options; 2] {
    [full().options(), portable().options()]
}

#[test]
fn two_and_four_pieces_agree_with_the_definition() {
    let device = of_pieces(full().options(), 8);
    for name in scalar_fields() {
        with_curve!(name, C => agrees_with_the_definition::<ScalarField<C>>(&device, 1 << 9));
    }
    agrees_with_the_definition::<F>(&of_pieces(portable().options(), 8), 1 << 9);
    for options in both() {
        agrees_with_the_definition::<F>(&of_pieces(options, 8), 1 << 10);
    }
}

#[test]
fn up_to_sixteen_pieces_agree_with_the_cpu_engine() {
    for log_n in 11..=12 {
        for options in both() {
            agrees_with_the_cpu_engine(&of_pieces(options, 8), all::<F>(1 << log_n));
        }
    }
    let device = of_pieces(full().options(), 8);
    for name in scalar_fields() {
        with_curve!(name, C => agrees_with_the_cpu_engine(&device, all::<ScalarField<C>>(1 << 11)));
    }
    for options in full().options_of_other_texts() {
        agrees_with_the_cpu_engine(&of_pieces(&options, 8), all::<F>(1 << 10));
    }
    // Pieces that take several passes.
    let device = of_pieces(full().options(), 10);
    for log_n in [11, 12] {
        agrees_with_the_cpu_engine(&device, all::<F>(1 << log_n));
    }
}

#[test]
fn batches_in_pieces_agree_with_the_cpu_engine() {
    for options in both() {
        let batches = all::<F>(1 << 11).into_iter().map(|transform| transform.with_batch(3));
        agrees_with_the_cpu_engine(&of_pieces(options, 8), batches);
    }
}

#[test]
fn transforms_are_in_pieces_only_where_no_binding_holds_a_vector() {
    let device = of_pieces(full().options(), 8);
    let lines = |log_n: u32| Transform::<F>::new(1 << log_n).unwrap().plan(&device).unwrap().to_string();
    assert!(!lines(8).contains("pieces"), "{}", lines(8));
    for (log_n, pieces) in [(9, 2), (12, 16)] {
        let line = format!("pieces         {pieces} of 2^8 scalars for a vector");
        assert!(lines(log_n).contains(&line), "{}", lines(log_n));
    }
}

/// Vectors that stay on the device, of which one was longer before.
#[test]
fn vectors_on_the_device_are_transformed_in_pieces() {
    let device = of_pieces(full().options(), 8);
    let Device::Gpu(gpu) = &device else { unreachable!() };
    let transform = Transform::<F>::new(1 << 10).unwrap();
    let prepared = transform.plan(&device).unwrap().prepare(&device).unwrap();
    let before = random::<F>(3 << 9, 7);
    let mut vector = DeviceScalars::upload(gpu, &before).unwrap();
    vector.truncate(1 << 10);
    let mut expected = before[..1 << 10].to_vec();
    scalar::transform(&cpu(), &transform, &mut expected).unwrap();
    prepared.run_on_device(&mut vector).unwrap();
    assert!(vector.download().unwrap() == expected);
    // A vector in other pieces than the plan's.
    let whole = Device::Gpu(full().clone());
    let other = transform.plan_for(&device.profile()).unwrap().prepare(&whole).unwrap();
    let mut vector = DeviceScalars::upload(full(), &before[..1 << 10]).unwrap();
    assert!(matches!(other.run_on_device(&mut vector), Err(Error::OtherPlan { .. })));
}

#[test]
fn products_in_pieces_agree_with_the_cpu_engine() {
    for options in both() {
        let device = of_pieces(options, 8);
        for (a, b) in [(200, 58), (700, 400), (1, 2048), (1025, 1025)] {
            let (left, right) = (random::<F>(a, 1), random::<F>(b, 2));
            let product = scalar::multiply(&device, &left, &right).unwrap();
            assert!(product == scalar::multiply(&cpu(), &left, &right).unwrap(), "{a} {b}");
        }
    }
}

/// An H200 with bindings of `binding_bytes` and memory for data.
fn h200(binding_bytes: u64, device_memory: u64) -> Profile {
    let gpu = GpuProfile {
        is_software: false,
        is_discrete: true,
        arithmetic: Arithmetic { subgroups: true, ..Arithmetic::INT64 },
        record: Arc::new(DeviceRecord::of_h200()),
        compiled: Arc::default(),
        binding_bytes,
        workgroup_bytes: 48 << 10,
        workgroup_invocations: 1024,
    };
    Profile { engine: Engine::Gpu(gpu), host_memory: u64::MAX, device_memory, budget: Budget::default() }
}

/// The most bytes of a binding, within WebGPU's default limits and as wgpu has it, and the scalars of a piece, log2.
const BINDINGS: [(u64, u32); 2] = [(128 << 20, 22), ((2 << 30) - 1, 25)];

#[test]
fn long_transforms_have_plans_up_to_the_fields_roots_and_the_memory() {
    fn each<F: Scalar>() {
        let most = F::TWO_ADICITY.min(31);
        assert!(Transform::<F>::new(1 << (most + 1)).is_err());
        for ((binding_bytes, log_piece), log_n) in
            BINDINGS.into_iter().flat_map(|binding| (21..=most).map(move |log_n| (binding, log_n)))
        {
            let there = Transform::<F>::new(1 << log_n).unwrap();
            for (transform, vectors) in [
                (there, 2),
                (there.with_output(Order::BitReversed), 1),
                (there.with_output(Order::BitReversed).with_coset(Coset::Shift(F::GENERATOR)).inverted(), 1),
            ] {
                let plan = transform.plan_for(&h200(binding_bytes, u64::MAX)).unwrap();
                let needed = plan.cost().device_bytes;
                // The data, once or twice; a factor of 112 bytes for two scalars of a piece; and weights of every piece, in two levels.
                let log_count = log_n.saturating_sub(log_piece);
                let levels = (1 << log_piece.div_ceil(2)) + (1 << (log_piece / 2));
                let weights = if log_count > 0 { (112 * levels) << log_count } else { 0 };
                let least = ((vectors * 32) << log_n) + (56 << log_n.min(log_piece)) + weights;
                assert!((least..least + (2 << 20)).contains(&needed), "{transform:?}: {needed}");
                assert!(transform.plan_for(&h200(binding_bytes, needed)).is_ok());
                let refused = transform.plan_for(&h200(binding_bytes, needed - 1)).unwrap_err();
                let Error::OutOfMemory(shortage) = &refused else { panic!("{refused}") };
                assert_eq!((shortage.needed, shortage.allowed), (Some(needed), Some(needed - 1)));
            }
        }
    }
    for name in scalar_fields() {
        with_curve!(name, C => each::<ScalarField<C>>());
    }
}

/// A vector of several pieces takes the transfers, tables and passes of as many vectors of a piece each, and one pass across them. That takes
/// longer than a copy, and less time than the 3.3 products of a pass within the pieces.
#[test]
fn planned_times_are_those_of_the_passes() {
    let seconds = |log_n: u32, batch| {
        let transform = Transform::<F>::new(1 << log_n).unwrap().with_batch(batch);
        let transform = transform.with_output(Order::BitReversed);
        let plan = transform.plan_for(&h200(BINDINGS[1].0, 140 << 30)).unwrap();
        plan.cost().time.as_secs_f64()
    };
    let record = DeviceRecord::of_h200();
    let product = record.products(Family::Bits255).seconds(true);
    let across = 64.0 / record.copied_bytes..3.3 * product;
    for (log_n, batch) in [(26, 2), (27, 4)] {
        let scalar = (seconds(log_n, 1) - seconds(25, batch)) / 2f64.powi(log_n as i32);
        assert!(across.contains(&scalar), "2^{log_n}: {scalar}");
    }
}

/// A length that was refused within WebGPU's default limits. A check needs no second engine.
#[test]
#[ignore = "takes a minute"]
fn two_pieces_of_default_limits_are_right() {
    let device = Device::Gpu(open(Options { max_chunk_bytes: 128 << 20, ..portable().options().clone() }));
    for (output, direction) in
        [(Order::Natural, Direction::Forward), (Order::BitReversed, Direction::Inverse)]
    {
        let transform = Transform::<F>::new(1 << 23).unwrap().with_output(output).with_direction(direction);
        let transform = transform.with_coset(Coset::Shift(F::GENERATOR));
        let before = random::<F>(1 << 23, 3);
        let mut after = before.clone();
        scalar::transform(&device, &transform, &mut after).unwrap();
        transform.check(&device, &before, &after).unwrap();
        after[1 << 22] += F::ONE;
        assert!(transform.check(&device, &before, &after).is_err());
    }
}
