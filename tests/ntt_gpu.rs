//! The GPU's transforms and products against the definition, on whatever adapter is here.

mod gpu_common;

use gpu_common::{dispatches, full, open, portable, random};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::field::{BABY_BEAR, KOALA_BEAR, NAMED, Prime};
use wgalois::gpu::{Gpu, Options};
use wgalois::ntt::{Coset, Direction, Order, Plan, ProductPlan, Reduction, Transform, gpu};

const ORDERS: [(Order, Order); 4] = [
    (Order::Natural, Order::Natural),
    (Order::Natural, Order::BitReversed),
    (Order::BitReversed, Order::Natural),
    (Order::BitReversed, Order::BitReversed),
];
const REDUCTIONS: [Reduction; 4] =
    [Reduction::Shoup, Reduction::Montgomery, Reduction::Barrett, Reduction::Plain];

fn check(gpu: &Gpu, spec: &Transform, data: &[u32]) {
    let before = dispatches(gpu);
    let mut result = data.to_vec();
    gpu::transform(gpu, spec, &mut result).unwrap();
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
                let spec =
                    Transform { input, output, batch: 3, ..Transform::new(prime, 1 << log_n).unwrap() };
                check(gpu, &spec, &random(prime, spec.len(), log_n as u64));
            }
        }
    }
}

#[test]
fn every_reduction_matches_the_definition() {
    for gpu in [full(), portable()] {
        for prime in [NAMED[0].1, NAMED[2].1, KOALA_BEAR, Prime::new(97).unwrap()] {
            for reduction in REDUCTIONS {
                for (log_n, direction) in [(5, Direction::Forward), (4, Direction::Inverse)] {
                    let spec =
                        Transform { reduction, direction, ..Transform::new(prime, 1 << log_n).unwrap() };
                    check(gpu, &spec, &random(prime, spec.len(), 7));
                    check(gpu, &spec, &vec![prime.value() - 1; spec.len()]);
                }
            }
        }
    }
}

#[test]
fn every_order_direction_and_coset_matches_the_definition() {
    for (input, output) in ORDERS {
        for direction in [Direction::Forward, Direction::Inverse] {
            for coset in [Coset::Subgroup, Coset::Shift(12345), Coset::Negacyclic] {
                let spec = Transform {
                    input,
                    output,
                    direction,
                    coset,
                    batch: 2,
                    ..Transform::new(BABY_BEAR, 64).unwrap()
                };
                check(full(), &spec, &random(BABY_BEAR, spec.len(), 3));
            }
        }
    }
}

/// Values of a long transform at random points, by Horner's rule.
fn check_points(gpu: &Gpu, spec: &Transform, data: &[u32], result: &[u32]) {
    let (prime, n) = (spec.prime, spec.n());
    let (root, shift) = (spec.root().unwrap(), spec.shift().unwrap());
    let place = |order: Order, i: usize| match order {
        Order::Natural => i,
        Order::BitReversed => wgalois::field::bit_reverse(i, spec.log_n),
    };
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for v in 0..spec.batch {
        for _ in 0..8 {
            let j = rng.random_range(0..n);
            let point = prime.mul(shift, prime.pow(root, j as u64));
            let (x, y) = (&data[v * n..][..n], &result[v * n..][..n]);
            let value =
                (0..n).rev().fold(0, |sum, i| prime.add(prime.mul(sum, point), x[place(spec.input, i)]));
            assert_eq!(y[place(spec.output, j)], value, "{spec:?} at {j} on {gpu:?}");
        }
    }
}

/// A forward transform at random points, and back again.
fn check_long(gpu: &Gpu, spec: &Transform) {
    let data = random(spec.prime, spec.len(), 11);
    let mut vector = gpu.upload(&data).unwrap();
    Plan::new(gpu, spec).unwrap().run(&mut vector).unwrap();
    check_points(gpu, spec, &data, &vector.download().unwrap());
    Plan::new(gpu, &spec.inverted()).unwrap().run(&mut vector).unwrap();
    assert!(vector.download().unwrap() == data, "{spec:?} and back on {gpu:?}");
}

#[test]
fn long_transforms_are_right_at_random_points_and_invertible() {
    for log_n in 11..=20 {
        let (input, output) = ORDERS[log_n % 4];
        let coset = [Coset::Subgroup, Coset::Shift(3), Coset::Negacyclic][log_n % 3];
        let batch = if log_n < 15 { 3 } else { 1 };
        for gpu in [full(), portable()] {
            for prime in [BABY_BEAR, NAMED[2].1] {
                let spec =
                    Transform { input, output, coset, batch, ..Transform::new(prime, 1 << log_n).unwrap() };
                check_long(gpu, &spec);
            }
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
                let spec = Transform { output, batch, ..Transform::new(prime, 1 << log_n).unwrap() };
                check(gpu, &spec, &random(prime, spec.len(), 3));
                check(gpu, &spec, &vec![prime.value() - 1; spec.len()]);
            }
        }
    }
    for reduction in REDUCTIONS {
        let spec =
            Transform { reduction, output: Order::BitReversed, ..Transform::new(KOALA_BEAR, 2048).unwrap() };
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
        let spec = Transform { input, output, ..Transform::new(BABY_BEAR, 1 << 21).unwrap() };
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
                let spec =
                    Transform { input, output, coset, batch, ..Transform::new(BABY_BEAR, 1 << 14).unwrap() };
                check_long(&gpu, &spec);
            }
        }
    }
    // Many short vectors in many chunks.
    check_long(&gpu, &Transform { batch: 33, ..Transform::new(BABY_BEAR, 1 << 9).unwrap() });
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
    for gpu in [full(), portable(), &narrow()] {
        for reduction in [Reduction::Auto, Reduction::Barrett] {
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
                let plan = ProductPlan::new(gpu, prime, n, coset, reduction).unwrap();
                let product = plan.run(&gpu.upload(&a).unwrap(), &gpu.upload(&b).unwrap()).unwrap();
                let expected = schoolbook(prime, n, coset == Coset::Negacyclic, &a, &b);
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
    for gpu in [full(), portable()] {
        let plan = ProductPlan::new(gpu, prime, n, Coset::Subgroup, Reduction::Auto).unwrap();
        let product = plan.run(&gpu.upload(&factor).unwrap(), &gpu.upload(&factor).unwrap()).unwrap();
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
    assert_eq!(gpu::transform(gpu, &spec, &mut [0; 3]).unwrap_err().exit_code(), 3);
    assert_eq!(gpu::transform(gpu, &spec, &mut [0, 1, 2, BABY_BEAR.value()]).unwrap_err().exit_code(), 3);
    let zero_shift = Transform { coset: Coset::Shift(0), ..spec };
    assert!(Plan::new(gpu, &zero_shift).is_err());
    let plan = Plan::new(gpu, &spec).unwrap();
    assert!(plan.run(&mut gpu.upload(&[1u32; 8]).unwrap()).is_err());
}
