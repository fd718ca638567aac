use super::*;
use crate::gpu::test_devices::open;
use crate::gpu::{Records, block_on};
use std::sync::Arc;

#[test]
fn a_measured_record_is_sound() {
    let gpu = open(Options::default());
    let mut calls = 0;
    let mut record = gpu.measured(None, &[], &mut || calls += 1).unwrap();
    // Of one that shares the host's memory, or has no clock, all is measured before other work.
    assert_eq!(calls, u32::from(gpu.measures_by_its_clock()));
    assert!(!gpu.adapter().is_software() || calls == 0);
    assert_eq!(record.origin, Origin::Measured);
    assert!(record.is_sound(), "{record:?}");
    assert!(!record.knows(Family::Bits255) && !record.knows(Family::Bits381));
    let without_fields = record.clone();
    for family in [Family::Bits255, Family::Bits381] {
        record = gpu.measured(Some(record), &[family], &mut || ()).unwrap();
    }
    assert!(
        record.is_sound() && record.knows(Family::Bits255) && record.knows(Family::Bits381),
        "{record:?}"
    );
    // 2 13^2 products of limbs take longer than 2 9^2 of them, and both longer than a product of words.
    let families = [Family::Words, Family::Bits255, Family::Bits381];
    let mut best = families.map(|family| record.products(family).portable);
    let are_in_order = |[words, of_255, of_381]: [f64; 3]| words > 5.0 * of_255 && of_255 > of_381;
    // Other tests run beside, and slow some measurements: the best of some counts.
    for _ in 0..5 {
        if !are_in_order(best) {
            let again = gpu.measured(Some(without_fields.clone()), &families[1..], &mut || ()).unwrap();
            let rates = families.map(|family| again.products(family).portable);
            best = [0, 1, 2].map(|i: usize| best[i].max(rates[i]));
        }
    }
    assert!(are_in_order(best), "{best:?}, {record:?}");
    assert_eq!(record.words.int64.is_some(), gpu.arithmetic().int64);
}

#[test]
fn a_fixed_record_is_not_measured_unless_asked() {
    let fixed = Records::Fixed(Arc::new(DeviceRecord::of_h200()));
    let gpu = crate::gpu::test_devices::open_another(Options {
        records: fixed,
        cache: false,
        ..Options::default()
    });
    assert_eq!(gpu.device_record(), &DeviceRecord::of_h200());
    assert!(gpu.tuned(&[Family::Bits255], false).unwrap().is_none());
}

/// Both arithmetics behind one device: the record alone decides which kernels are compiled, and the result is the same.
#[test]
fn the_arithmetic_of_a_record_changes_no_result() {
    use crate::Device;
    use crate::ntt;
    use crate::task::Problem;
    use ark_bn254::Fr;
    use ark_ff::Field;

    let gpu = open(Options::default());
    let portable = |products: Products| Products { int64: products.int64.map(|_| 1.0), ..products };
    let mut record = DeviceRecord::of_h200();
    record.words = portable(record.words);
    record.bits255 = record.bits255.map(portable);
    let scalars: Vec<Fr> = (1..=1 << 11).map(|i: u64| Fr::from(i).inverse().unwrap()).collect();
    let transform = ntt::scalar::Transform::<Fr>::new(1 << 11).unwrap();
    let words: Vec<u32> = (0..1 << 14).map(|i: u32| i.wrapping_mul(2_654_435_769) >> 2).collect();
    let word_transform = ntt::Transform::new(crate::field::BABY_BEAR, 1 << 14).unwrap();
    let run = |gpu: &Gpu| {
        let device = Device::Gpu(gpu.clone());
        let mut batch = scalars.clone();
        let plan = transform.plan(&device).unwrap();
        block_on(plan.compute_async(&device, &mut batch)).unwrap();
        let mut numbers = words.clone();
        word_transform.plan(&device).unwrap().compute(&device, &mut numbers).unwrap();
        (batch, numbers)
    };
    let other = gpu.with_record(record);
    assert!(!other.arithmetic_of(Family::Bits255).int64 && !other.arithmetic_of(Family::Words).int64);
    assert_eq!(run(&gpu.with_record(DeviceRecord::of_h200())), run(&other));
    // A plan for one record runs with kernels of the other.
    let device = Device::Gpu(gpu.with_record(DeviceRecord::of_h200()));
    let plan = word_transform.plan(&Device::Gpu(other)).unwrap();
    let (mut crossed, mut own) = (words.clone(), words.clone());
    plan.compute(&device, &mut crossed).unwrap();
    word_transform.plan(&device).unwrap().compute(&device, &mut own).unwrap();
    assert_eq!(crossed, own);
}
