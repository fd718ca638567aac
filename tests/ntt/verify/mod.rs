//! The checks accept right results and find every error.

mod integers;
mod products;
mod transforms;

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::ntt::exact::ExactProduct;
use wgalois::ntt::{Coset, Direction, Order, Ring, Transform, cpu, exact, verify};
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

fn schoolbook(prime: Prime, product: Ring, a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut c = vec![0; product.length(a.len(), b.len()).unwrap()];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let term = prime.mul(x, y);
            let (place, negative) = match product {
                Ring::Linear => (i + j, false),
                Ring::Cyclic(n) => ((i + j) % n, false),
                Ring::Negacyclic(n) => ((i + j) % n, (i + j) / n % 2 == 1),
            };
            c[place] = if negative { prime.sub(c[place], term) } else { prime.add(c[place], term) };
        }
    }
    c
}

/// 200 flipped bits for every kind of result.
#[test]
fn flipped_bits_are_found() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let transform = Transform::new(BABY_BEAR, 1 << 8).unwrap().with_batch(4);
    let before = random(&mut rng, BABY_BEAR, transform.len());
    let after = transform.by_definition(&before).unwrap();
    let (a, b) = (&before[..300], &before[300..]);
    let c = schoolbook(BABY_BEAR, Ring::Negacyclic(512), a, b);
    let [x, y] = [a, b].map(|words| words.iter().map(|&x| i64::from(x) - (1 << 30)).collect::<Vec<_>>());
    let device = Device::Cpu(Default::default());
    let z = exact::multiply(&device, &ExactProduct::new(x.len(), y.len()), &x, &y).unwrap();
    for _ in 0..200 {
        let mut wrong = after.clone();
        wrong[rng.random_range(0..after.len())] ^= 1 << rng.random_range(0..32);
        assert!(is_refused(verify::transform(&transform, &before, &wrong, &mut rng)));
        let mut wrong = c.clone();
        wrong[rng.random_range(0..c.len())] ^= 1 << rng.random_range(0..32);
        assert!(is_refused(verify::product(Ring::Negacyclic(512), BABY_BEAR, a, b, &wrong, &mut rng)));
        let mut wrong = z.clone();
        wrong[rng.random_range(0..z.len())] ^= 1 << rng.random_range(0..128);
        assert!(is_refused(verify::exact_product(Ring::Linear, &x, &y, &wrong, &mut rng)));
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
            verify::transform(&transform, &before, &after, &mut rng).unwrap();
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
        for product in [Ring::Linear, Ring::Cyclic(n), Ring::Negacyclic(n)] {
            let c = schoolbook(prime, product, &x, &y);
            verify::product(product, prime, &x, &y, &c, &mut rng).unwrap();
            let [x, y] = [&x, &y].map(|words| words.iter().map(|&w| i64::from(w) - 5).collect::<Vec<_>>());
            let c = exact::multiply(&device, &ExactProduct::new(x.len(), y.len()).with_ring(product), &x, &y).unwrap();
            verify::exact_product(product, &x, &y, &c, &mut rng).unwrap();
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
