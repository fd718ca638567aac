//! Checks of products over the integers.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::Device;
use wgalois::ntt::exact::{self, ExactProduct};
use wgalois::ntt::{Ring, verify};

use super::is_refused;

#[test]
fn exact_products_pass_and_wrong_ones_do_not() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for product in [Ring::Linear, Ring::Cyclic(20), Ring::Negacyclic(33)] {
        let [a, b] = [30, 41].map(|len| {
            (0..len).map(|_| rng.random_range(i64::from(i32::MIN) << 20..1 << 52)).collect::<Vec<i64>>()
        });
        let mut c = vec![0i128; product.length(a.len(), b.len()).unwrap()];
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in b.iter().enumerate() {
                match product {
                    Ring::Linear => c[i + j] += i128::from(x) * i128::from(y),
                    Ring::Cyclic(n) => c[(i + j) % n] += i128::from(x) * i128::from(y),
                    Ring::Negacyclic(n) => {
                        let sign = if (i + j) / n % 2 == 1 { -1 } else { 1 };
                        c[(i + j) % n] += sign * i128::from(x) * i128::from(y);
                    }
                }
            }
        }
        verify::exact_product(product, &a, &b, &c, &mut rng).unwrap();
        for shift in 0..100 {
            for by in [1, -1, i128::from(rng.random::<i64>())] {
                let mut wrong = c.clone();
                let i = rng.random_range(0..c.len());
                wrong[i] += by << (shift / 4);
                assert!(is_refused(verify::exact_product(product, &a, &b, &wrong, &mut rng)));
            }
        }
        assert!(is_refused(verify::exact_product(product, &a, &b, &c[1..], &mut rng)));
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
    for product in [Ring::Linear, Ring::Cyclic(33), Ring::Negacyclic(50)] {
        let c = exact::multiply(&device, &ExactProduct::new(a.len(), b.len()).with_ring(product), &a, &b)
            .unwrap();
        verify::exact_product(product, &a, &b, &c, &mut rng).unwrap();
        let by =
            [1, p, q, r, p * q, q * r, p * q * r, 1 << 32, (1 << 31) - 1, 1 << 64, 1 << 90, 30_030 << 64];
        for i in 0..c.len() {
            for by in by.into_iter().flat_map(|by| [by, -by]) {
                let mut wrong = c.clone();
                wrong[i] += by;
                assert!(is_refused(verify::exact_product(product, &a, &b, &wrong, &mut rng)), "{i} {by}");
            }
        }
        for extreme in [i128::MIN, i128::MAX, 0, -c[3], c[3] >> 1, c[3] << 1, i128::from(c[3] as i64)] {
            let mut wrong = c.clone();
            wrong[3] = extreme;
            assert_eq!(is_refused(verify::exact_product(product, &a, &b, &wrong, &mut rng)), wrong != c);
        }
        let mut moved = c.clone();
        moved.rotate_left(1);
        let mut exchanged = c.clone();
        exchanged.swap(3, 5);
        let longer = [&c[..], &[0]].concat();
        for wrong in [moved, exchanged, longer] {
            assert!(is_refused(verify::exact_product(product, &a, &b, &wrong, &mut rng)));
        }
    }
}
