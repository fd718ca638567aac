//! Checks of products modulo a prime.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use wgalois::Device;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::ntt::{Product, Ring, verify};

use super::{is_refused, primes, random, schoolbook, spoil};

#[test]
fn products_pass_and_single_wrong_words_do_not() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for prime in primes() {
        for n in [1, 2, 3, 7, 16, 100] {
            for product in [Ring::Linear, Ring::Cyclic(n), Ring::Negacyclic(n)] {
                for (a, b) in [(1, 1), (1, 2), (2, 1), (5, 9), (60, 61), (0, 3), (250, 31)] {
                    if a + b > prime.value() as usize {
                        continue;
                    }
                    let (a, b) = (random(&mut rng, prime, a), random(&mut rng, prime, b));
                    let c = schoolbook(prime, product, &a, &b);
                    verify::product(product, prime, &a, &b, &c, &mut rng).unwrap();
                    for _ in 0..10.min(c.len()) {
                        let mut wrong = c.clone();
                        spoil(&mut rng, prime, &mut wrong);
                        let result = verify::product(product, prime, &a, &b, &wrong, &mut rng);
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
        Ring::Linear,
        Ring::Cyclic(1 << 16),
        Ring::Negacyclic(1 << 16),
        Ring::Cyclic(50_000),
        Ring::Negacyclic(70_001),
    ] {
        let (a, b) = (random(&mut rng, BABY_BEAR, 60_000), random(&mut rng, BABY_BEAR, 47_111));
        for (a, b) in [(&a, &b), (&b, &a)] {
            let c = {
                let product = Product::new(BABY_BEAR, a.len(), b.len()).with_ring(product);
                wgalois::ntt::multiply(&device, &product, a, b).unwrap()
            };
            verify::product(product, BABY_BEAR, a, b, &c, &mut rng).unwrap();
            for _ in 0..20 {
                let mut wrong = c.clone();
                spoil(&mut rng, BABY_BEAR, &mut wrong);
                assert!(is_refused(verify::product(product, BABY_BEAR, a, b, &wrong, &mut rng)));
            }
            assert!(is_refused(verify::product(product, BABY_BEAR, a, b, &c[1..], &mut rng)));
        }
    }
}

/// Wrong products that keep the structure.
#[test]
fn mistakes_of_products_are_found() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for prime in [7_340_033, 2_013_265_921].map(|p| Prime::new(p).unwrap()) {
        for product in [Ring::Linear, Ring::Cyclic(32), Ring::Negacyclic(32), Ring::Cyclic(27)] {
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
            for other in [Ring::Linear, Ring::Cyclic(c.len()), Ring::Negacyclic(c.len())] {
                wrong.push(("another ring", fitted(schoolbook(prime, other, &a, &b))));
            }
            for (mistake, mut wrong) in wrong {
                wrong.resize(c.len(), 0);
                if wrong != c {
                    assert!(
                        is_refused(verify::product(product, prime, &a, &b, &wrong, &mut rng)),
                        "{mistake}: {product:?}"
                    );
                }
            }
            for i in (0..c.len()).filter(|&i| c[i] <= u32::MAX - prime.value()) {
                let wrong = changed(&|w| w[i] += prime.value());
                assert!(is_refused(verify::product(product, prime, &a, &b, &wrong, &mut rng)));
            }
            let longer = [&c[..], &[0]].concat();
            assert!(
                is_refused(verify::product(product, prime, &a, &b, &longer, &mut rng)),
                "a length too many"
            );
        }
    }
}
