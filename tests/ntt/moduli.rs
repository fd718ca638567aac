//! Products modulo numbers without the roots of unity that they would take, against schoolbook multiplication.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::field::{BABY_BEAR, Modulus};
use wgalois::ntt::{self, Product, Ring, verify};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error};

use crate::gpu_common::{full, portable};

/// Primes without roots, composites, and the ends of the range.
const MODULI: [u32; 15] = [
    2,
    3,
    4,
    6,
    97,
    3329,
    10_007,
    65_536,
    1_000_000_007,
    1 << 30,
    2_013_265_920,
    2_013_265_921,
    2_147_483_645,
    2_147_483_646,
    2_147_483_647,
];

fn cpu(threads: usize) -> Device {
    Device::Cpu(Cpu { threads, ..Cpu::default() })
}

fn modulus(m: u32) -> Modulus {
    Modulus::new(m).unwrap()
}

/// The product by its definition.
fn schoolbook(m: u32, ring: Ring, a: &[u32], b: &[u32]) -> Vec<u32> {
    let m = u128::from(m);
    let mut c = vec![0u128; ring.length(a.len(), b.len()).unwrap()];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let (place, negative) = match ring {
                Ring::Linear => (i + j, false),
                Ring::Cyclic(n) => ((i + j) % n, false),
                Ring::Negacyclic(n) => ((i + j) % n, (i + j) / n % 2 == 1),
            };
            let term = u128::from(x) * u128::from(y) % m;
            c[place] = (c[place] + if negative { m - term } else { term }) % m;
        }
    }
    c.into_iter().map(|x| x as u32).collect()
}

fn draw(rng: &mut ChaCha8Rng, m: u32, len: usize) -> Vec<u32> {
    (0..len).map(|_| rng.random_range(0..m)).collect()
}

/// Computes on `device`, checks, and compares with the definition.
fn check(device: &Device, m: u32, ring: Ring, a: &[u32], b: &[u32]) {
    let product = Product::new(modulus(m), a.len(), b.len()).with_ring(ring);
    let c = ntt::multiply(device, &product, a, b).unwrap();
    assert_eq!(c, schoolbook(m, ring, a, b), "{m} {ring:?} {} {}", a.len(), b.len());
    // A check modulo a small factor takes some milliseconds, however short the product.
    if ring == Ring::Linear || modulus(m).prime_factors()[0] > 1000 {
        product.check(device, a, b, &c).unwrap();
    }
}

#[test]
fn products_of_all_small_lengths_modulo_any_number() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for m in MODULI {
        for (a, b) in [(0, 0), (0, 3), (1, 1), (1, 7), (2, 2), (5, 3), (8, 8), (9, 16), (31, 33), (64, 64)] {
            let (x, y) = (draw(&mut rng, m, a), draw(&mut rng, m, b));
            let rings = [1, 2, 5, 8, 64].into_iter().flat_map(|n| [Ring::Cyclic(n), Ring::Negacyclic(n)]);
            for ring in rings.chain([Ring::Linear]) {
                check(&cpu(1), m, ring, &x, &y);
            }
        }
    }
}

/// The coefficients whose products are the largest, of either sign.
#[test]
fn extreme_coefficients_modulo_any_number() {
    for m in MODULI {
        for len in [1, 63, 255, 256, 300] {
            for x in [m / 2, m / 2 + 1, m - 1].into_iter().filter(|&x| x < m) {
                let (a, b) = (vec![x; len], vec![m / 2; 257]);
                for ring in [Ring::Linear, Ring::Cyclic(256), Ring::Negacyclic(256), Ring::Negacyclic(100)] {
                    check(&cpu(1), m, ring, &a, &b);
                }
            }
        }
    }
}

#[test]
fn batches_are_the_products_one_by_one() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (m, n, count) in
        [(3329, 256, 300), (1_000_000_007, 100, 17), (2, 5, 40), (12_289, 64, 700), (6, 40_000, 3)]
    {
        for ring in [Ring::Negacyclic(n), Ring::Linear] {
            let mut pairs: Vec<[Vec<u32>; 2]> =
                (0..count).map(|_| [draw(&mut rng, m, n), draw(&mut rng, m, n - 1)]).collect();
            pairs[1] = [vec![m - 1; n], vec![m - 1; n - 1]];
            let factors: Vec<[&[u32]; 2]> = pairs.iter().map(|[a, b]| [&a[..], &b[..]]).collect();
            let product = Product::new(modulus(m), n, n - 1).with_ring(ring);
            let one = ntt::multiply_many(&cpu(1), &product, &factors).unwrap();
            for threads in [0, 3] {
                assert!(ntt::multiply_many(&cpu(threads), &product, &factors).unwrap() == one);
            }
            for ([a, b], c) in factors.iter().zip(&one) {
                product.check(&cpu(1), a, b, c).unwrap();
            }
            if n < 1000 {
                let [a, b] = factors[count / 2];
                assert_eq!(one[count / 2], schoolbook(m, ring, a, b));
            }
            let squares: Vec<[&[u32]; 2]> = pairs.iter().map(|[a, _]| [&a[..], &a[..]]).collect();
            let product = Product::new(modulus(m), n, n).with_ring(ring);
            let all = ntt::multiply_many(&cpu(2), &product, &squares).unwrap();
            for ([a, b], c) in squares.iter().zip(&all).step_by(count.div_ceil(3)) {
                product.check(&cpu(1), a, b, c).unwrap();
            }
        }
    }
}

#[test]
fn long_products_on_any_number_of_threads() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for m in [3329, 1_000_000_007, 1 << 20, Modulus::MOST] {
        let (a, b) = (draw(&mut rng, m, 70_000), draw(&mut rng, m, 50_001));
        for ring in [Ring::Linear, Ring::Cyclic(1 << 16), Ring::Negacyclic(1 << 16), Ring::Negacyclic(99_999)]
        {
            let product = Product::new(modulus(m), a.len(), b.len()).with_ring(ring);
            let one = ntt::multiply(&cpu(1), &product, &a, &b).unwrap();
            product.check(&cpu(0), &a, &b, &one).unwrap();
            for threads in [0, 3] {
                assert!(ntt::multiply(&cpu(threads), &product, &a, &b).unwrap() == one, "{m} {ring:?}");
            }
        }
    }
}

/// A prime with roots keeps its own transforms; other moduli take as few primes as the bound allows.
#[test]
fn plans_state_the_primes() {
    let plan = |m: u32, n: usize| {
        let product = Product::new(modulus(m), n, n).with_ring(Ring::Negacyclic(n));
        product.plan(&cpu(1)).unwrap().to_string()
    };
    assert!(plan(BABY_BEAR.value(), 256).contains("transforms     of 2^8 words\n"));
    assert!(plan(3329, 64).contains("transforms     of 2^6 words\n"));
    assert!(plan(3329, 256).contains("transforms     of 2^8 words modulo 2013265921\n"));
    assert!(plan(10_007, 256).contains("of 2^8 words modulo 2013265921, 1811939329\n"));
    assert!(plan(1_000_000_007, 256).contains("of 2^8 words modulo 2013265921, 1811939329, 469762049\n"));
}

#[test]
fn what_is_no_product_is_refused() {
    assert!(matches!(Modulus::new(1), Err(Error::OutOfRange { value: 1, least: 2, .. })));
    assert!(matches!(Modulus::new(1 << 31), Err(Error::PrimeTooLarge { .. })));
    let error = ntt::multiply(&cpu(1), &Product::new(modulus(10), 1, 2), &[1], &[1, 10]).unwrap_err();
    assert!(matches!(error, Error::NotReduced { index: 1, value: 10, modulus: 10, .. }), "{error}");
    // Two primes have transforms of 2^26 only.
    let long = Product::new(modulus(1 << 30), 1 << 26, 2);
    let error = long.plan(&cpu(1)).unwrap_err();
    assert!(matches!(error, Error::NoProduct { largest: 26, log_length: 27, .. }), "{error}");
}

/// Wrong products that are right modulo a divisor of the modulus, or in all but one coefficient.
#[test]
fn wrong_products_are_found_out() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for m in [2, 3, 4, 6, 3329, 1 << 30, 2_147_483_646] {
        for ring in [Ring::Linear, Ring::Cyclic(50), Ring::Negacyclic(64), Ring::Negacyclic(99)] {
            let (a, b) = (draw(&mut rng, m, 60), draw(&mut rng, m, 40));
            let right = schoolbook(m, ring, &a, &b);
            verify::product(ring, modulus(m), &a, &b, &right, &mut rng).unwrap();
            let divisors = modulus(m).prime_factors().into_iter().map(|q| m / q).chain([1, m - 1]);
            for error in divisors.filter(|error| error % m != 0) {
                for place in [0, right.len() / 2, right.len() - 1] {
                    let mut wrong = right.clone();
                    wrong[place] = ((u64::from(wrong[place]) + u64::from(error)) % u64::from(m)) as u32;
                    let refused = verify::product(ring, modulus(m), &a, &b, &wrong, &mut rng);
                    assert!(matches!(refused, Err(Error::Check(_))), "{m} {ring:?} {error} {place}");
                }
            }
            let shorter = verify::product(ring, modulus(m), &a, &b, &right[1..], &mut rng);
            assert!(matches!(shorter, Err(Error::Check(_))));
        }
    }
}

#[test]
fn products_on_a_gpu_are_those_of_the_cpu_engine() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for gpu in [full(), portable()] {
        let device = Device::Gpu(gpu.clone());
        for m in [2, 3329, 10_007, Modulus::MOST] {
            let (a, b) = (draw(&mut rng, m, 300), draw(&mut rng, m, 200));
            for ring in [Ring::Linear, Ring::Negacyclic(256), Ring::Cyclic(77)] {
                check(&device, m, ring, &a, &b);
            }
            check(&device, m, Ring::Linear, &[], &b);
        }
        let (a, b) = (draw(&mut rng, 1_000_000_007, 9000), draw(&mut rng, 1_000_000_007, 8000));
        let product = Product::new(modulus(1_000_000_007), a.len(), b.len());
        let factors: [[&[u32]; 2]; 2] = [[&a, &b], [&a, &b]];
        let both = ntt::multiply_many(&device, &product, &factors).unwrap();
        assert!(both == ntt::multiply_many(&cpu(1), &product, &factors).unwrap());
        let on_device = product.plan(&device).unwrap().prepare(&device).unwrap();
        let vector = gpu.upload(&a).unwrap();
        assert!(matches!(on_device.run_on_device(&vector, &vector), Err(Error::Unsupported { .. })));
    }
}
