//! The GPU's transforms and products against the definition, on the adapter of this machine.

use crate::gpu_common::{dispatches, full, open, portable, random};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::Device;
use wgalois::field::{BABY_BEAR, KOALA_BEAR, NAMED, Prime};
use wgalois::gpu::{Gpu, Options};
use wgalois::ntt::{
    self, Coset, Direction, Order, PreparedProduct, PreparedTransform, Product, Reduction, Ring, Transform,
};
use wgalois::task::Problem;

const ORDERS: [(Order, Order); 4] = [
    (Order::Natural, Order::Natural),
    (Order::Natural, Order::BitReversed),
    (Order::BitReversed, Order::Natural),
    (Order::BitReversed, Order::BitReversed),
];
const REDUCTIONS: [Reduction; 4] =
    [Reduction::Shoup, Reduction::Montgomery, Reduction::Barrett, Reduction::Plain];

fn device(gpu: &Gpu) -> Device {
    Device::Gpu(gpu.clone())
}

fn prepare(gpu: &Gpu, spec: &Transform) -> wgalois::Result<PreparedTransform> {
    spec.plan(&device(gpu))?.prepare(&device(gpu))
}

fn prepare_product(gpu: &Gpu, product: &Product) -> wgalois::Result<PreparedProduct> {
    product.plan(&device(gpu))?.prepare(&device(gpu))
}

/// Devices that take the texts for few registers, with 64-bit integers and within WebGPU's default limits.
fn with_few_registers() -> [Gpu; 2] {
    let few = |options| Options { compact: Some(true), few_registers: Some(true), ..options };
    [Options::default(), Options::portable()].map(|options| open(few(options)))
}

fn check(gpu: &Gpu, spec: &Transform, data: &[u32]) {
    let before = dispatches(gpu);
    let mut result = data.to_vec();
    ntt::transform(&device(gpu), spec, &mut result).unwrap();
    assert!(dispatches(gpu) > before, "nothing ran on the device");
    assert!(result == spec.by_definition(data).unwrap(), "{spec:?} on {gpu:?}");
}

#[test]
fn every_length_to_1024_matches_the_definition() {
    let tiny = Prime::new(3).unwrap();
    check(full(), &Transform::new(tiny, 2).unwrap(), &[2, 1]);
    for gpu in [full(), portable()] {
        for prime in [Prime::new(12289).unwrap(), NAMED[2].1, BABY_BEAR] {
            for log_n in 1..=10 {
                let (input, output) = ORDERS[log_n % 4];
                let spec = Transform::new(prime, 1 << log_n)
                    .unwrap()
                    .with_input(input)
                    .with_output(output)
                    .with_batch(3);
                check(gpu, &spec, &random(prime, spec.len(), log_n as u64));
            }
        }
    }
}

/// Every reduction with every prime on both devices, forward on one and inverse on the other.
#[test]
fn every_reduction_matches_the_definition() {
    for (i, gpu) in [full(), portable()].into_iter().enumerate() {
        for (j, prime) in
            [NAMED[0].1, NAMED[2].1, KOALA_BEAR, Prime::new(97).unwrap()].into_iter().enumerate()
        {
            for (k, reduction) in REDUCTIONS.into_iter().enumerate() {
                let (log_n, direction) = [(5, Direction::Forward), (4, Direction::Inverse)][(i + j + k) % 2];
                let spec = Transform::new(prime, 1 << log_n)
                    .unwrap()
                    .with_reduction(reduction)
                    .with_direction(direction);
                check(gpu, &spec, &random(prime, spec.len(), 7));
                check(gpu, &spec, &vec![prime.value() - 1; spec.len()]);
            }
        }
    }
}

#[test]
fn every_order_direction_and_coset_matches_the_definition() {
    for (input, output) in ORDERS {
        for direction in [Direction::Forward, Direction::Inverse] {
            for coset in [Coset::Subgroup, Coset::Shift(12345), Coset::Negacyclic] {
                let spec = Transform::new(BABY_BEAR, 64)
                    .unwrap()
                    .with_input(input)
                    .with_output(output)
                    .with_direction(direction)
                    .with_coset(coset)
                    .with_batch(2);
                check(full(), &spec, &random(BABY_BEAR, spec.len(), 3));
            }
        }
    }
}

/// Values of a long transform at random points, by Horner's rule.
fn check_points(gpu: &Gpu, spec: &Transform, data: &[u32], result: &[u32]) {
    let (prime, n) = (spec.prime(), spec.n());
    let (root, shift) = (spec.root().unwrap(), spec.shift().unwrap());
    let place = |order: Order, i: usize| match order {
        Order::Natural => i,
        Order::BitReversed => wgalois::field::bit_reverse(i, spec.log_n()),
    };
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for v in 0..spec.batch() {
        for _ in 0..8 {
            let j = rng.random_range(0..n);
            let point = prime.mul(shift, prime.pow(root, j as u64));
            let (x, y) = (&data[v * n..][..n], &result[v * n..][..n]);
            let value =
                (0..n).rev().fold(0, |sum, i| prime.add(prime.mul(sum, point), x[place(spec.input(), i)]));
            assert_eq!(y[place(spec.output(), j)], value, "{spec:?} at {j} on {gpu:?}");
        }
    }
}

/// Checks a forward transform at random points, and transforms back.
fn check_long(gpu: &Gpu, spec: &Transform) {
    let data = random(spec.prime(), spec.len(), 11);
    let mut vector = gpu.upload(&data).unwrap();
    prepare(gpu, spec).unwrap().run_on_device(&mut vector).unwrap();
    check_points(gpu, spec, &data, &vector.download().unwrap());
    prepare(gpu, &spec.inverted()).unwrap().run_on_device(&mut vector).unwrap();
    assert!(vector.download().unwrap() == data, "{spec:?} and back on {gpu:?}");
}

#[test]
fn long_transforms_are_right_at_random_points_and_invertible() {
    for log_n in 11..=20 {
        let (input, output) = ORDERS[log_n % 4];
        let coset = [Coset::Subgroup, Coset::Shift(3), Coset::Negacyclic][log_n % 3];
        let batch = if log_n < 15 { 3 } else { 1 };
        // The devices take turns with the primes.
        for (i, gpu) in [full(), portable()].into_iter().enumerate() {
            let spec = Transform::new([BABY_BEAR, NAMED[2].1][(i + log_n / 2) % 2], 1 << log_n)
                .unwrap()
                .with_input(input)
                .with_output(output)
                .with_coset(coset)
                .with_batch(batch);
            check_long(gpu, &spec);
        }
    }
}

#[test]
fn transforms_in_parts_match_the_definition() {
    // Those of 2^11 and 2^12 from natural to bit-reversed order, of up to 16 vectors, and their
    // neighbours, which are not.
    for (log_n, batch) in [(11, 16), (11, 17), (12, 1), (12, 3)] {
        for gpu in [full(), portable()] {
            for prime in [BABY_BEAR, NAMED[2].1] {
                let output = Order::BitReversed;
                let spec = Transform::new(prime, 1 << log_n).unwrap().with_output(output).with_batch(batch);
                check(gpu, &spec, &random(prime, spec.len(), 3));
                check(gpu, &spec, &vec![prime.value() - 1; spec.len()]);
            }
        }
    }
    for reduction in REDUCTIONS {
        let spec = Transform::new(KOALA_BEAR, 2048)
            .unwrap()
            .with_reduction(reduction)
            .with_output(Order::BitReversed);
        check(portable(), &spec, &random(KOALA_BEAR, 2048, 4));
    }
}

#[test]
fn natural_order_on_both_sides_at_every_length() {
    for log_n in 11..=21 {
        check_long(full(), &Transform::new(BABY_BEAR, 1 << log_n).unwrap());
    }
}

#[test]
fn three_passes_in_every_order() {
    for (input, output) in ORDERS {
        let spec = Transform::new(BABY_BEAR, 1 << 21).unwrap().with_input(input).with_output(output);
        check_long(portable(), &spec);
    }
}

/// A device whose bindings hold 16 KiB only.
fn narrow() -> Gpu {
    open(Options { max_chunk_bytes: 16 << 10, ..Options::default() })
}

#[test]
fn vectors_past_a_binding_are_done_in_chunks() {
    let gpu = narrow();
    for (input, output) in ORDERS {
        for coset in [Coset::Subgroup, Coset::Negacyclic] {
            for batch in [1, 3] {
                let spec = Transform::new(BABY_BEAR, 1 << 14)
                    .unwrap()
                    .with_input(input)
                    .with_output(output)
                    .with_coset(coset)
                    .with_batch(batch);
                check_long(&gpu, &spec);
            }
        }
    }
    // Many short vectors in many chunks.
    check_long(&gpu, &Transform::new(BABY_BEAR, 1 << 9).unwrap().with_batch(33));
}

fn schoolbook(prime: Prime, n: usize, negacyclic: bool, a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut product = vec![0; n];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let (term, k) = (prime.mul(x, y), (i + j) % n);
            let wrapped = negacyclic && i + j >= n;
            product[k] = if wrapped { prime.sub(product[k], term) } else { prime.add(product[k], term) };
        }
    }
    product
}

#[test]
fn products_match_schoolbook() {
    let (narrow, [few, few_portable]) = (narrow(), with_few_registers());
    for (log_n, coset) in [
        (1, Coset::Subgroup),
        (3, Coset::Negacyclic),
        (7, Coset::Subgroup),
        (10, Coset::Negacyclic),
        (13, Coset::Subgroup),
        (13, Coset::Negacyclic),
    ] {
        let (prime, n) = (BABY_BEAR, 1usize << log_n);
        let (a, b) = (random(prime, n, 1), random(prime, n.div_ceil(3), 2));
        let expected = schoolbook(prime, n, coset == Coset::Negacyclic, &a, &b);
        let form = if coset == Coset::Negacyclic { Ring::Negacyclic(n) } else { Ring::Cyclic(n) };
        for gpu in [full(), portable(), &narrow, &few, &few_portable] {
            for reduction in [Reduction::Auto, Reduction::Barrett] {
                let problem = Product::new(prime, n, n).with_ring(form).with_reduction(reduction);
                let prepared = prepare_product(gpu, &problem).unwrap();
                let product =
                    prepared.run_on_device(&gpu.upload(&a).unwrap(), &gpu.upload(&b).unwrap()).unwrap();
                assert!(product.download().unwrap() == expected, "2^{log_n} {coset:?} {reduction:?} {gpu:?}");
            }
        }
    }
}

#[test]
fn a_long_product_of_the_largest_coefficients() {
    // All p - 1: the coefficient of x^k is the number of its terms.
    let (prime, n) = (NAMED[2].1, 1usize << 19);
    let factor = vec![prime.value() - 1; n / 2];
    let [few, few_portable] = with_few_registers();
    for gpu in [full(), portable(), &few, &few_portable] {
        let problem = Product::new(prime, n, n).with_ring(Ring::Cyclic(n));
        let prepared = prepare_product(gpu, &problem).unwrap();
        let [left, right] = [(); 2].map(|()| gpu.upload(&factor).unwrap());
        let product = prepared.run_on_device(&left, &right).unwrap();
        let expected: Vec<u32> = (0..n).map(|k| (k + 1).min(n - 1 - k) as u32).collect();
        assert!(product.download().unwrap() == expected);
    }
}

#[test]
fn what_a_plan_cannot_do_is_refused() {
    let gpu = full();
    assert!(Transform::new(BABY_BEAR, 3).is_err());
    assert!(Transform::new(NAMED[0].1, 1 << 21).is_err());
    let spec = Transform::new(BABY_BEAR, 4).unwrap();
    let code = |data: &mut [u32]| ntt::transform(&device(gpu), &spec, data).unwrap_err().exit_code();
    assert_eq!(code(&mut [0; 3]), 3);
    assert_eq!(code(&mut [0, 1, 2, BABY_BEAR.value()]), 3);
    let zero_shift = spec.with_coset(Coset::Shift(0));
    assert!(prepare(gpu, &zero_shift).is_err());
    let prepared = prepare(gpu, &spec).unwrap();
    assert!(prepared.run_on_device(&mut gpu.upload(&[1u32; 8]).unwrap()).is_err());
}

/// A plan and a device of different kinds are refused, and only GPUs have device vectors.
#[test]
fn plans_of_another_device_are_refused() {
    let cpu = Device::Cpu(Default::default());
    let spec = Transform::new(BABY_BEAR, 4).unwrap();
    let product = Product::new(BABY_BEAR, 3, 3);
    for (one, other) in [(&cpu, &device(full())), (&device(full()), &cpu)] {
        assert_eq!(spec.plan(one).unwrap().prepare(other).unwrap_err().exit_code(), 2);
        assert_eq!(product.plan(one).unwrap().prepare(other).unwrap_err().exit_code(), 2);
    }
    let mut vector = full().upload(&[1u32; 4]).unwrap();
    let on_cpu = spec.plan(&cpu).unwrap().prepare(&cpu).unwrap();
    assert_eq!(on_cpu.run_on_device(&mut vector).unwrap_err().exit_code(), 2);
    let on_cpu = product.plan(&cpu).unwrap().prepare(&cpu).unwrap();
    assert_eq!(on_cpu.run_on_device(&vector, &vector).unwrap_err().exit_code(), 2);
    // Products that the host folds do not run on the device.
    let folded = prepare_product(full(), &product.with_ring(Ring::Cyclic(3))).unwrap();
    assert_eq!(folded.run_on_device(&vector, &vector).unwrap_err().exit_code(), 2);
}

#[test]
fn a_batch_past_the_memory_is_done_in_parts() {
    let spec = Transform::new(BABY_BEAR, 1 << 13).unwrap().with_batch(7);
    let data = random(BABY_BEAR, spec.len(), 8);
    let mut expected = data.clone();
    ntt::transform(&Device::Cpu(Default::default()), &spec, &mut expected).unwrap();
    // The data alone take 224 KiB, their tables some more.
    let mut parts = Vec::new();
    for memory in [1 << 20, 300 << 10, 200 << 10, 160 << 10] {
        let gpu = device(&open(Options { memory, ..Options::default() }));
        let plan = spec.plan(&gpu).unwrap();
        assert!(plan.cost().device_bytes <= memory);
        parts.push(plan.parts());
        let mut result = data.clone();
        let prepared = plan.prepare(&gpu).unwrap();
        for _ in 0..2 {
            result.copy_from_slice(&data);
            prepared.run(&mut result).unwrap();
            assert!(result == expected, "{memory}");
        }
        // A prepared transform holds device memory.
        drop(prepared);
        let mut result = data.clone();
        ntt::transform(&gpu, &spec, &mut result).unwrap();
        assert!(result == expected, "{memory}");
    }
    assert!(parts.is_sorted() && parts[0] == 1 && *parts.last().unwrap() > 2, "{parts:?}");
    let none = spec.plan(&device(&open(Options { memory: 1000, ..Options::default() }))).unwrap_err();
    assert_eq!(none.exit_code(), 5);
}

/// Runs share a vector on the device, which one of them would spoil for another between recording and submitting.
#[test]
fn one_prepared_transform_serves_several_threads() {
    for gpu in [full(), portable()] {
        let spec = Transform::new(BABY_BEAR, 1 << 12).unwrap();
        let prepared = prepare(gpu, &spec).unwrap();
        let product = Product::new(BABY_BEAR, 1 << 12, 1 << 12);
        let prepared_product = prepare_product(gpu, &product).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (prepared, prepared_product) = (&prepared, &prepared_product);
                scope.spawn(move || {
                    for round in 0..10 {
                        let data = random(BABY_BEAR, spec.len(), 100 * thread + round);
                        let mut values = gpu.upload(&data).unwrap();
                        let mut expected = data.clone();
                        // Without waits in between, threads meet between recording and submitting.
                        for _ in 0..40 {
                            prepared.run_on_device(&mut values).unwrap();
                            ntt::cpu::transform(&spec, &mut expected, 1).unwrap();
                        }
                        assert!(values.download().unwrap() == expected, "thread {thread}, round {round}");
                        let factor = gpu.upload(&data).unwrap();
                        let square = prepared_product.run_on_device(&factor, &factor).unwrap();
                        let by_cpu = Device::Cpu(wgalois::Cpu::default());
                        let mut expected = ntt::multiply(&by_cpu, &product, &data, &data).unwrap();
                        expected.resize(square.len(), 0);
                        assert!(square.download().unwrap() == expected, "thread {thread}, round {round}");
                    }
                });
            }
        });
    }
}
