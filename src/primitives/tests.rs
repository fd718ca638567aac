//! Prefix sums and sorting against the host.

use ark_std::rand::rngs::StdRng;
use ark_std::rand::{Rng, SeedableRng};

use super::*;
use crate::gpu::test_devices::open;
use crate::gpu::{Gpu, Options};

fn gpu() -> Gpu {
    open(Options::portable())
}

#[test]
fn prefix_sums_of_any_length() {
    let gpu = gpu();
    let mut rng = StdRng::seed_from_u64(1);
    let largest = 5_000_000;
    let scan = Scan::new(&gpu, largest).unwrap();
    for len in [1, 2, 255, 256, 257, 2047, 2048, 2049, 100_000, 2048 * 2048, 2048 * 2048 + 1, largest] {
        let mut numbers: Vec<u32> = (0..len).map(|_| rng.r#gen()).collect();
        let on_device = gpu.upload(&numbers).unwrap();
        let mut recorder = gpu.record();
        scan.record(&mut recorder, on_device.whole().unwrap(), len).unwrap();
        recorder.submit().unwrap();
        let mut sum = 0u32;
        for number in &mut numbers {
            let own = std::mem::replace(number, sum);
            sum = sum.wrapping_add(own);
        }
        assert!(on_device.download().unwrap() == numbers, "{len}");
    }
}

fn sorts(gpu: &Gpu, segments: usize, segment_len: usize, bits: u32, mut key: impl FnMut() -> u32) {
    let sort = Sort::new(gpu, segments, segment_len).unwrap();
    let keys: Vec<u32> = (0..segments * segment_len).map(|_| key()).collect();
    let values: Vec<u32> = (0..keys.len() as u32).collect();
    let (device_keys, device_values) = (gpu.upload(&keys).unwrap(), gpu.upload(&values).unwrap());
    let mut recorder = gpu.record();
    let data = (&device_keys, &device_values);
    let (sorted_keys, sorted_values) =
        sort.record(&mut recorder, data, (segments, segment_len), bits).unwrap();
    recorder.submit().unwrap();
    let mut expected: Vec<(u32, u32)> = keys.into_iter().zip(values).collect();
    for segment in expected.chunks_mut(segment_len) {
        // The host's sort is stable too.
        segment.sort_by_key(|(key, _)| key & ((1u64 << bits) - 1) as u32);
    }
    let (keys, values): (Vec<u32>, Vec<u32>) = expected.into_iter().unzip();
    assert!(sorted_keys.download().unwrap() == keys, "{segments} {segment_len} {bits}");
    assert!(sorted_values.download().unwrap() == values, "{segments} {segment_len} {bits}");
}

#[test]
fn sorting_is_stable_for_any_shape() {
    let gpu = gpu();
    let mut rng = StdRng::seed_from_u64(2);
    for (segments, segment_len, bits) in [
        (1, 1, 1),
        (1, 2048, 8),
        (3, 2049, 9),
        (2, 5000, 16),
        (16, 300, 15),
        (1, 100_000, 21),
        (1, 70_000, 32),
    ] {
        sorts(&gpu, segments, segment_len, bits, || rng.r#gen());
    }
}

#[test]
fn sorting_skewed_keys() {
    let gpu = gpu();
    let mut rng = StdRng::seed_from_u64(3);
    sorts(&gpu, 2, 10_000, 16, || 0xffff);
    sorts(&gpu, 2, 10_000, 16, || 0);
    sorts(&gpu, 1, 10_000, 12, || rng.gen_range(0..2) * 0x800);
    let mut next = 50_000;
    sorts(&gpu, 1, 50_000, 16, || {
        next -= 1;
        next
    });
}
