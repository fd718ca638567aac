//! The checks accept right results and find every error.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::ntt::exact::ExactProduct;
use wgalois::ntt::{Coset, Direction, Form, Order, Product, Transform, cpu, exact};
use wgalois::verify::Guarantee;
use wgalois::{Device, Error, Result};

fn random(rng: &mut ChaCha8Rng, prime: Prime, len: usize) -> Vec<u32> {
    (0..len).map(|_| rng.random_range(0..prime.value())).collect()
}

fn is_refused(result: Result<Guarantee>) -> bool {
    matches!(result, Err(Error::Check(_)))
}

/// Replaces a word at a random place by another word below p.
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
                all.push(
                    transform
                        .with_direction(direction)
                        .with_input(input)
                        .with_output(output)
                        .with_coset(coset)
                        .with_batch(3),
                );
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
                transform.check(&before, &after, &mut rng).unwrap();
                for _ in 0..20 {
                    let mut wrong = after.clone();
                    spoil(&mut rng, prime, &mut wrong);
                    assert!(is_refused(transform.check(&before, &wrong, &mut rng)), "{transform:?}");
                    let mut other = before.clone();
                    spoil(&mut rng, prime, &mut other);
                    assert!(is_refused(transform.check(&other, &after, &mut rng)), "{transform:?}");
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
            assert_eq!(other.check(&before, &after, &mut rng).is_ok(), i == j, "{transform:?} {other:?}");
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
    transform.check(&before, &after, &mut rng).unwrap();
    let double: Vec<u32> = after.iter().map(|&x| BABY_BEAR.add(x, x)).collect();
    let mut swapped = after.clone();
    swapped.swap(12_345, 54_321);
    let mut rotated = after.clone();
    rotated.rotate_left(1);
    for wrong in [double, swapped, rotated, vec![0; 1 << 16], before.clone(), after[1..].to_vec()] {
        assert!(is_refused(transform.check(&before, &wrong, &mut rng)));
    }
    after[7] = BABY_BEAR.value();
    assert!(is_refused(transform.check(&before, &after, &mut rng)));
    assert!(matches!(transform.check(&before[1..], &before, &mut rng), Err(Error::Input(_))));
}

fn schoolbook(prime: Prime, product: Form, a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut c = vec![0; product.length(a.len(), b.len()).unwrap()];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let term = prime.mul(x, y);
            let (place, negative) = match product {
                Form::Linear => (i + j, false),
                Form::Cyclic(n) => ((i + j) % n, false),
                Form::Negacyclic(n) => ((i + j) % n, (i + j) / n % 2 == 1),
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
            for product in [Form::Linear, Form::Cyclic(n), Form::Negacyclic(n)] {
                for (a, b) in [(1, 1), (1, 2), (2, 1), (5, 9), (60, 61), (0, 3), (250, 31)] {
                    if a + b > prime.value() as usize {
                        continue;
                    }
                    let (a, b) = (random(&mut rng, prime, a), random(&mut rng, prime, b));
                    let c = schoolbook(prime, product, &a, &b);
                    product.check(prime, &a, &b, &c, &mut rng).unwrap();
                    for _ in 0..10.min(c.len()) {
                        let mut wrong = c.clone();
                        spoil(&mut rng, prime, &mut wrong);
                        let result = product.check(prime, &a, &b, &wrong, &mut rng);
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
        Form::Linear,
        Form::Cyclic(1 << 16),
        Form::Negacyclic(1 << 16),
        Form::Cyclic(50_000),
        Form::Negacyclic(70_001),
    ] {
        let (a, b) = (random(&mut rng, BABY_BEAR, 60_000), random(&mut rng, BABY_BEAR, 47_111));
        for (a, b) in [(&a, &b), (&b, &a)] {
            let c = {
                let product = Product::new(BABY_BEAR, a.len(), b.len()).with_form(product);
                wgalois::ntt::multiply(&device, &product, a, b).unwrap()
            };
            product.check(BABY_BEAR, a, b, &c, &mut rng).unwrap();
            for _ in 0..20 {
                let mut wrong = c.clone();
                spoil(&mut rng, BABY_BEAR, &mut wrong);
                assert!(is_refused(product.check(BABY_BEAR, a, b, &wrong, &mut rng)));
            }
            assert!(is_refused(product.check(BABY_BEAR, a, b, &c[1..], &mut rng)));
        }
    }
}

#[test]
fn exact_products_pass_and_wrong_ones_do_not() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for product in [Form::Linear, Form::Cyclic(20), Form::Negacyclic(33)] {
        let [a, b] = [30, 41].map(|len| {
            (0..len).map(|_| rng.random_range(i64::from(i32::MIN) << 20..1 << 52)).collect::<Vec<i64>>()
        });
        let mut c = vec![0i128; product.length(a.len(), b.len()).unwrap()];
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in b.iter().enumerate() {
                match product {
                    Form::Linear => c[i + j] += i128::from(x) * i128::from(y),
                    Form::Cyclic(n) => c[(i + j) % n] += i128::from(x) * i128::from(y),
                    Form::Negacyclic(n) => {
                        let sign = if (i + j) / n % 2 == 1 { -1 } else { 1 };
                        c[(i + j) % n] += sign * i128::from(x) * i128::from(y);
                    }
                }
            }
        }
        product.check_exact(&a, &b, &c, &mut rng).unwrap();
        for shift in 0..100 {
            for by in [1, -1, i128::from(rng.random::<i64>())] {
                let mut wrong = c.clone();
                let i = rng.random_range(0..c.len());
                wrong[i] += by << (shift / 4);
                assert!(is_refused(product.check_exact(&a, &b, &wrong, &mut rng)));
            }
        }
        assert!(is_refused(product.check_exact(&a, &b, &c[1..], &mut rng)));
    }
}

/// Wrong transforms that keep the structure: each is the result of some plausible mistake.
#[test]
fn mistakes_of_transforms_are_found() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for prime in [97, 65_537, 7_340_033, 2_013_265_921].map(|p| Prime::new(p).unwrap()) {
        for transform in transforms(prime, 4) {
            let n = transform.n();
            let before = random(&mut rng, prime, transform.len());
            let after = transform.by_definition(&before).unwrap();
            let changed = |change: &dyn Fn(&mut [u32])| {
                let mut wrong = after.clone();
                change(&mut wrong);
                wrong
            };
            let scale = |factor: u32| after.iter().map(|&x| prime.mul(x, factor)).collect::<Vec<_>>();
            let length = u32::try_from(n).unwrap();
            let wrong = [
                ("moved by one", changed(&|w| w[..n].rotate_left(1))),
                ("moved by one back", changed(&|w| w[n..2 * n].rotate_right(1))),
                ("two exchanged", changed(&|w| w.swap(n + 2, n + 5))),
                ("halves exchanged", changed(&|w| w[2 * n..].rotate_left(n / 2))),
                ("two vectors exchanged", changed(&|w| w.rotate_left(n))),
                ("a vector of another's", changed(&|w| w.copy_within(..n, 2 * n))),
                ("conjugated", changed(&|w| w[1..n].reverse())),
                ("the factor n forgotten", scale(length)),
                ("the factor 1/n too much", scale(prime.inverse(length))),
                ("negated", scale(prime.value() - 1)),
                ("one more everywhere", after.iter().map(|&x| prime.add(x, 1)).collect()),
                ("one negated", changed(&|w| w[3] = prime.sub(0, prime.add(w[3], u32::from(w[3] == 0))))),
                ("not transformed", before.clone()),
                ("twice", transform.by_definition(&after).unwrap()),
            ];
            for (mistake, wrong) in wrong.into_iter().filter(|(_, wrong)| *wrong != after) {
                assert!(is_refused(transform.check(&before, &wrong, &mut rng)), "{mistake}: {transform:?}");
            }
            // The same residue in another word.
            for i in (0..after.len()).filter(|&i| after[i] <= u32::MAX - prime.value()) {
                let wrong = changed(&|w| w[i] += prime.value());
                assert!(is_refused(transform.check(&before, &wrong, &mut rng)), "{transform:?}");
            }
        }
    }
}

/// Wrong products that keep the structure.
#[test]
fn mistakes_of_products_are_found() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for prime in [7_340_033, 2_013_265_921].map(|p| Prime::new(p).unwrap()) {
        for product in [Form::Linear, Form::Cyclic(32), Form::Negacyclic(32), Form::Cyclic(27)] {
            let (a, b) = (random(&mut rng, prime, 30), random(&mut rng, prime, 19));
            let c = schoolbook(prime, product, &a, &b);
            let fitted = |mut words: Vec<u32>| {
                words.resize(c.len(), 0);
                words
            };
            let changed = |change: &dyn Fn(&mut [u32])| {
                let mut wrong = c.clone();
                change(&mut wrong);
                wrong
            };
            let reversed: Vec<u32> = b.iter().rev().copied().collect();
            let mut wrong = vec![
                ("moved by one", changed(&|w| w.rotate_left(1))),
                ("moved by one back", changed(&|w| w.rotate_right(1))),
                ("two exchanged", changed(&|w| w.swap(4, 11))),
                ("negated", c.iter().map(|&x| prime.sub(0, x)).collect()),
                ("a correlation", schoolbook(prime, product, &a, &reversed)),
                ("a square", fitted(schoolbook(prime, product, &b, &b))),
                ("a term forgotten", schoolbook(prime, product, &a[..29], &b)),
                ("a factor", fitted(a.clone())),
            ];
            for other in [Form::Linear, Form::Cyclic(c.len()), Form::Negacyclic(c.len())] {
                wrong.push(("another ring", fitted(schoolbook(prime, other, &a, &b))));
            }
            for (mistake, mut wrong) in wrong {
                wrong.resize(c.len(), 0);
                if wrong != c {
                    assert!(
                        is_refused(product.check(prime, &a, &b, &wrong, &mut rng)),
                        "{mistake}: {product:?}"
                    );
                }
            }
            for i in (0..c.len()).filter(|&i| c[i] <= u32::MAX - prime.value()) {
                let wrong = changed(&|w| w[i] += prime.value());
                assert!(is_refused(product.check(prime, &a, &b, &wrong, &mut rng)));
            }
            let longer = [&c[..], &[0]].concat();
            assert!(is_refused(product.check(prime, &a, &b, &longer, &mut rng)), "a length too many");
        }
    }
}

/// Wrong exact products that are right modulo the primes they were computed with.
#[test]
fn mistakes_of_exact_products_are_found() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let device = Device::Cpu(Default::default());
    let [a, b] =
        [40, 23].map(|len| (0..len).map(|_| rng.random_range(-1 << 40..1 << 40)).collect::<Vec<_>>());
    let [p, q, r] = exact::PRIMES.map(i128::from);
    for product in [Form::Linear, Form::Cyclic(33), Form::Negacyclic(50)] {
        let c = exact::multiply(&device, &ExactProduct::new(a.len(), b.len()).with_form(product), &a, &b)
            .unwrap();
        product.check_exact(&a, &b, &c, &mut rng).unwrap();
        let by =
            [1, p, q, r, p * q, q * r, p * q * r, 1 << 32, (1 << 31) - 1, 1 << 64, 1 << 90, 30_030 << 64];
        for i in 0..c.len() {
            for by in by.into_iter().flat_map(|by| [by, -by]) {
                let mut wrong = c.clone();
                wrong[i] += by;
                assert!(is_refused(product.check_exact(&a, &b, &wrong, &mut rng)), "{i} {by}");
            }
        }
        for extreme in [i128::MIN, i128::MAX, 0, -c[3], c[3] >> 1, c[3] << 1, i128::from(c[3] as i64)] {
            let mut wrong = c.clone();
            wrong[3] = extreme;
            assert_eq!(is_refused(product.check_exact(&a, &b, &wrong, &mut rng)), wrong != c);
        }
        let mut moved = c.clone();
        moved.rotate_left(1);
        let mut exchanged = c.clone();
        exchanged.swap(3, 5);
        let longer = [&c[..], &[0]].concat();
        for wrong in [moved, exchanged, longer] {
            assert!(is_refused(product.check_exact(&a, &b, &wrong, &mut rng)));
        }
    }
}

/// 200 flipped bits for every kind of result.
#[test]
fn flipped_bits_are_found() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let transform = Transform::new(BABY_BEAR, 1 << 8).unwrap().with_batch(4);
    let before = random(&mut rng, BABY_BEAR, transform.len());
    let after = transform.by_definition(&before).unwrap();
    let (a, b) = (&before[..300], &before[300..]);
    let c = schoolbook(BABY_BEAR, Form::Negacyclic(512), a, b);
    let [x, y] = [a, b].map(|words| words.iter().map(|&x| i64::from(x) - (1 << 30)).collect::<Vec<_>>());
    let device = Device::Cpu(Default::default());
    let z = exact::multiply(&device, &ExactProduct::new(x.len(), y.len()), &x, &y).unwrap();
    for _ in 0..200 {
        let mut wrong = after.clone();
        wrong[rng.random_range(0..after.len())] ^= 1 << rng.random_range(0..32);
        assert!(is_refused(transform.check(&before, &wrong, &mut rng)));
        let mut wrong = c.clone();
        wrong[rng.random_range(0..c.len())] ^= 1 << rng.random_range(0..32);
        assert!(is_refused(Form::Negacyclic(512).check(BABY_BEAR, a, b, &wrong, &mut rng)));
        let mut wrong = z.clone();
        wrong[rng.random_range(0..z.len())] ^= 1 << rng.random_range(0..128);
        assert!(is_refused(Form::Linear.check_exact(&x, &y, &wrong, &mut rng)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Also of the smallest and largest values, and for the shortest lengths.
    #[test]
    fn right_transforms_are_never_refused(p in 0..8usize, log_n in 1..9u32, value in 0..4u32, seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let prime = primes()[p];
        for transform in transforms(prime, log_n.min(prime.two_adicity())) {
            let before = filled(&mut rng, prime, transform.len(), value);
            let mut after = before.clone();
            cpu::transform(&transform, &mut after, 1).unwrap();
            transform.check(&before, &after, &mut rng).unwrap();
        }
    }

    #[test]
    fn right_products_are_never_refused(
        p in 3..8usize, a in 0..20usize, b in 0..20usize, n in 1..40usize, value in 0..4u32, seed: u64,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let prime = primes()[p];
        let (x, y) = (filled(&mut rng, prime, a, value), filled(&mut rng, prime, b, value));
        let device = Device::Cpu(Default::default());
        for product in [Form::Linear, Form::Cyclic(n), Form::Negacyclic(n)] {
            let c = schoolbook(prime, product, &x, &y);
            product.check(prime, &x, &y, &c, &mut rng).unwrap();
            let [x, y] = [&x, &y].map(|words| words.iter().map(|&w| i64::from(w) - 5).collect::<Vec<_>>());
            let c = exact::multiply(&device, &ExactProduct::new(x.len(), y.len()).with_form(product), &x, &y).unwrap();
            product.check_exact(&x, &y, &c, &mut rng).unwrap();
        }
    }
}

/// Words of the value 0, 1 or p - 1, or random ones.
fn filled(rng: &mut ChaCha8Rng, prime: Prime, len: usize, value: u32) -> Vec<u32> {
    match value {
        0 | 1 => vec![value; len],
        2 => vec![prime.value() - 1; len],
        _ => random(rng, prime, len),
    }
}
