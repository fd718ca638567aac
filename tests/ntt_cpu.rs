//! The CPU engine against the definition, for every set of instructions that is here.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::field::{BABY_BEAR, KOALA_BEAR, Prime, bit_reverse, is_prime};
use wgalois::ntt::cpu::{Instructions, Plan};
use wgalois::ntt::{Coset, Direction, Order, Transform};

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];
const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];

fn primes() -> Vec<Prime> {
    let found = (1..).map(|k| (1u32 << 31) - k * (1 << 11) + 1).find(|&p| is_prime(p)).unwrap();
    assert!(found > 0x7fff_0000, "a prime of 31 bits with transforms of 2^11");
    let values = [3, 5, 17, 97, 257, 7_340_033, 469_762_049, 998_244_353, found];
    values.map(|p| Prime::new(p).unwrap()).into_iter().chain([BABY_BEAR, KOALA_BEAR]).collect()
}

fn random(rng: &mut ChaCha8Rng, prime: Prime, len: usize) -> Vec<u32> {
    (0..len).map(|_| rng.random_range(0..prime.value())).collect()
}

/// From natural order to `order`, vector by vector.
fn ordered(words: &[u32], order: Order, log_n: u32) -> Vec<u32> {
    let place = |i| if order == Order::Natural { i } else { bit_reverse(i, log_n) };
    words.chunks(1 << log_n).flat_map(|x| (0..x.len()).map(|i| x[place(i)])).collect()
}

fn cosets(prime: Prime, log_n: u32) -> Vec<Coset> {
    let p = prime.value();
    let mut cosets = vec![Coset::Subgroup, Coset::Shift(1), Coset::Shift(p - 1), Coset::Shift(p / 2)];
    if prime.two_adicity() > log_n {
        cosets.push(Coset::Negacyclic);
    }
    cosets
}

#[test]
fn every_transform_is_what_the_definition_says() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for prime in primes() {
        for log_n in 1..=prime.two_adicity().min(10) {
            for (coset, direction) in
                cosets(prime, log_n).into_iter().flat_map(|c| DIRECTIONS.map(|d| (c, d)))
            {
                let batch = if log_n < 8 { 37 } else { 2 };
                let natural =
                    Transform { batch, direction, coset, ..Transform::new(prime, 1 << log_n).unwrap() };
                let mut x = random(&mut rng, prime, natural.len());
                x[..1 << log_n].fill(prime.value() - 1);
                let y = natural.by_definition(&x).unwrap();
                for (input, output) in ORDERS.into_iter().flat_map(|i| ORDERS.map(|o| (i, o))) {
                    let transform = Transform { input, output, ..natural };
                    for instructions in Instructions::available() {
                        let mut data = ordered(&x, input, log_n);
                        Plan::with_instructions(&transform, 1, instructions).unwrap().run(&mut data).unwrap();
                        assert!(data == ordered(&y, output, log_n), "{transform:?} {instructions:?}");
                    }
                }
            }
        }
    }
}
