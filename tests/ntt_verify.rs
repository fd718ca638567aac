//! The checks pass what is right, and find whatever is wrong.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::ntt::{
    Coset, Direction, Order, Product, Transform, cpu, verify_exact, verify_product, verify_transform,
};
use wgalois::verify::Guarantee;
use wgalois::{Device, Error, Result};

fn random(rng: &mut ChaCha8Rng, prime: Prime, len: usize) -> Vec<u32> {
    (0..len).map(|_| rng.random_range(0..prime.value())).collect()
}

fn is_refused(result: Result<Guarantee>) -> bool {
    matches!(result, Err(Error::Check(_)))
}

/// Another word below p at a random place.
fn spoil(rng: &mut ChaCha8Rng, prime: Prime, words: &mut [u32]) {
    let (i, by) = (rng.random_range(0..words.len()), rng.random_range(1..prime.value()));
    words[i] = prime.add(words[i], by);
}

fn primes() -> [Prime; 8] {
    [3, 5, 17, 97, 65_537, 7_340_033, 469_762_049, 2_013_265_921].map(|p| Prime::new(p).unwrap())
}

fn transforms(prime: Prime, log_n: u32) -> Vec<Transform> {
    let mut all = Vec::new();
    let orders = [Order::Natural, Order::BitReversed];
    let mut cosets = vec![Coset::Subgroup, Coset::Shift(prime.value() / 2)];
    if prime.two_adicity() > log_n {
        cosets.push(Coset::Negacyclic);
    }
    for direction in [Direction::Forward, Direction::Inverse] {
        for (input, output) in orders.into_iter().flat_map(|i| orders.map(|o| (i, o))) {
            for &coset in &cosets {
                let transform = Transform::new(prime, 1 << log_n).unwrap();
                all.push(Transform { direction, input, output, coset, batch: 3, ..transform });
            }
        }
    }
    all
}

#[test]
fn transforms_pass_and_single_wrong_words_do_not() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for prime in primes() {
        for log_n in (1..=prime.two_adicity().min(13)).step_by(3) {
            for transform in transforms(prime, log_n) {
                let before = random(&mut rng, prime, transform.len());
                let mut after = before.clone();
                cpu::transform(&transform, &mut after, 1).unwrap();
                verify_transform(&transform, &before, &after, &mut rng).unwrap();
                for _ in 0..20 {
                    let mut wrong = after.clone();
                    spoil(&mut rng, prime, &mut wrong);
                    assert!(
                        is_refused(verify_transform(&transform, &before, &wrong, &mut rng)),
                        "{transform:?}"
                    );
                    let mut other = before.clone();
                    spoil(&mut rng, prime, &mut other);
                    assert!(
                        is_refused(verify_transform(&transform, &other, &after, &mut rng)),
                        "{transform:?}"
                    );
                }
            }
        }
    }
}

/// Each variant's result is wrong for every other variant.
#[test]
fn results_of_other_transforms_are_found_out() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let all = transforms(BABY_BEAR, 6);
    let before = random(&mut rng, BABY_BEAR, all[0].len());
    for (i, transform) in all.iter().enumerate() {
        let mut after = before.clone();
        cpu::transform(transform, &mut after, 1).unwrap();
        for (j, other) in all.iter().enumerate() {
            assert_eq!(
                verify_transform(other, &before, &after, &mut rng).is_ok(),
                i == j,
                "{transform:?} {other:?}"
            );
        }
    }
}

#[test]
fn errors_of_structure_are_found_out() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let transform = Transform::new(BABY_BEAR, 1 << 16).unwrap();
    let before = random(&mut rng, BABY_BEAR, 1 << 16);
    let mut after = before.clone();
    cpu::transform(&transform, &mut after, 0).unwrap();
    verify_transform(&transform, &before, &after, &mut rng).unwrap();
    let double: Vec<u32> = after.iter().map(|&x| BABY_BEAR.add(x, x)).collect();
    let mut swapped = after.clone();
    swapped.swap(12_345, 54_321);
    let mut rotated = after.clone();
    rotated.rotate_left(1);
    for wrong in [double, swapped, rotated, vec![0; 1 << 16], before.clone(), after[1..].to_vec()] {
        assert!(is_refused(verify_transform(&transform, &before, &wrong, &mut rng)));
    }
    after[7] = BABY_BEAR.value();
    assert!(is_refused(verify_transform(&transform, &before, &after, &mut rng)));
    assert!(matches!(verify_transform(&transform, &before[1..], &before, &mut rng), Err(Error::Input(_))));
}

fn schoolbook(prime: Prime, product: Product, a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut c = vec![0; product.length(a.len(), b.len()).unwrap()];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let term = prime.mul(x, y);
            let (place, negative) = match product {
                Product::Linear => (i + j, false),
                Product::Cyclic(n) => ((i + j) % n, false),
                Product::Negacyclic(n) => ((i + j) % n, (i + j) / n % 2 == 1),
            };
            c[place] = if negative { prime.sub(c[place], term) } else { prime.add(c[place], term) };
        }
    }
    c
}

#[test]
fn products_pass_and_single_wrong_words_do_not() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for prime in primes() {
        for n in [1, 2, 3, 7, 16, 100] {
            for product in [Product::Linear, Product::Cyclic(n), Product::Negacyclic(n)] {
                for (a, b) in [(1, 1), (1, 2), (2, 1), (5, 9), (60, 61), (0, 3), (250, 31)] {
                    if a + b > prime.value() as usize {
                        continue;
                    }
                    let (a, b) = (random(&mut rng, prime, a), random(&mut rng, prime, b));
                    let c = schoolbook(prime, product, &a, &b);
                    verify_product(prime, product, &a, &b, &c, &mut rng).unwrap();
                    for _ in 0..10.min(c.len()) {
                        let mut wrong = c.clone();
                        spoil(&mut rng, prime, &mut wrong);
                        let result = verify_product(prime, product, &a, &b, &wrong, &mut rng);
                        assert!(is_refused(result), "{prime} {product:?} {} {}", a.len(), b.len());
                    }
                }
            }
        }
    }
}

/// Long enough for several parts of every sum.
#[test]
fn long_products_pass_and_single_wrong_words_do_not() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let device = Device::Cpu(Default::default());
    for product in [
        Product::Linear,
        Product::Cyclic(1 << 16),
        Product::Negacyclic(1 << 16),
        Product::Cyclic(50_000),
        Product::Negacyclic(70_001),
    ] {
        let (a, b) = (random(&mut rng, BABY_BEAR, 60_000), random(&mut rng, BABY_BEAR, 47_111));
        for (a, b) in [(&a, &b), (&b, &a)] {
            let c = wgalois::ntt::multiply(&device, BABY_BEAR, product, a, b).unwrap();
            verify_product(BABY_BEAR, product, a, b, &c, &mut rng).unwrap();
            for _ in 0..20 {
                let mut wrong = c.clone();
                spoil(&mut rng, BABY_BEAR, &mut wrong);
                assert!(is_refused(verify_product(BABY_BEAR, product, a, b, &wrong, &mut rng)));
            }
            assert!(is_refused(verify_product(BABY_BEAR, product, a, b, &c[1..], &mut rng)));
        }
    }
}

#[test]
fn exact_products_pass_and_wrong_ones_do_not() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for product in [Product::Linear, Product::Cyclic(20), Product::Negacyclic(33)] {
        let [a, b] = [30, 41].map(|len| {
            (0..len).map(|_| rng.random_range(i64::from(i32::MIN) << 20..1 << 52)).collect::<Vec<i64>>()
        });
        let mut c = vec![0i128; product.length(a.len(), b.len()).unwrap()];
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in b.iter().enumerate() {
                match product {
                    Product::Linear => c[i + j] += i128::from(x) * i128::from(y),
                    Product::Cyclic(n) => c[(i + j) % n] += i128::from(x) * i128::from(y),
                    Product::Negacyclic(n) => {
                        let sign = if (i + j) / n % 2 == 1 { -1 } else { 1 };
                        c[(i + j) % n] += sign * i128::from(x) * i128::from(y);
                    }
                }
            }
        }
        verify_exact(product, &a, &b, &c, &mut rng).unwrap();
        for shift in 0..100 {
            for by in [1, -1, i128::from(rng.random::<i64>())] {
                let mut wrong = c.clone();
                let i = rng.random_range(0..c.len());
                wrong[i] += by << (shift / 4);
                assert!(is_refused(verify_exact(product, &a, &b, &wrong, &mut rng)));
            }
        }
        assert!(is_refused(verify_exact(product, &a, &b, &c[1..], &mut rng)));
    }
}
