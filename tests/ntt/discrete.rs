//! Transforms of any length against their definition, and ML-KEM's against FIPS 203.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::ntt::{self, Direction, DiscreteTransform, Transform, discrete_transform, ml_kem};
use wgalois::{Cpu, Device, Error};

use crate::gpu_common::{full, portable};

fn cpu() -> Device {
    Device::Cpu(Cpu { threads: 2, ..Cpu::default() })
}

fn draw(rng: &mut ChaCha8Rng, p: u32, len: usize) -> Vec<u32> {
    (0..len).map(|_| rng.random_range(0..p)).collect()
}

/// The values at g w^j, by Horner's rule in 128 bits.
fn values(transform: &DiscreteTransform, x: &[u32]) -> Vec<u32> {
    let p = u128::from(transform.prime().value());
    let mut z = u128::from(transform.shift());
    let value = |_| {
        let sum = x.iter().rev().fold(0, |sum, &x| (sum * z + u128::from(x)) % p);
        z = z * u128::from(transform.root()) % p;
        sum as u32
    };
    (0..transform.n()).map(value).collect()
}

fn check(device: &Device, transform: DiscreteTransform, rng: &mut ChaCha8Rng) {
    let (p, n, batch) = (transform.prime().value(), transform.n(), 3);
    let transform = transform.with_batch(batch);
    let before = draw(rng, p, batch * n);
    let mut after = before.clone();
    discrete_transform(device, &transform, &mut after).unwrap();
    for (x, y) in before.chunks(n).zip(after.chunks(n)) {
        assert_eq!(y, values(&transform, x), "{transform:?}");
    }
    transform.check(device, &before, &after).unwrap();
    let inverse = transform.with_direction(Direction::Inverse);
    let mut back = after.clone();
    discrete_transform(device, &inverse, &mut back).unwrap();
    assert_eq!(back, before, "{transform:?}");
    inverse.check(device, &after, &before).unwrap();
    let mut wrong = after.clone();
    wrong[batch * n / 2] = (wrong[batch * n / 2] + 1) % p;
    assert!(matches!(transform.check(device, &before, &wrong), Err(Error::Check(_))));
}

#[test]
fn every_length_that_divides_the_order() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for p in [3, 7, 17, 97, 3329, 7681] {
        let prime = Prime::new(p).unwrap();
        for n in (1..p as usize).filter(|n| (p as usize - 1).is_multiple_of(*n) && *n < 500) {
            let transform = DiscreteTransform::new(prime, n).unwrap();
            check(&cpu(), transform, &mut rng);
            check(&cpu(), transform.with_shift(2 % p).unwrap(), &mut rng);
            // Every other root of this order.
            let coprime =
                (2..n as u64).find(|k| (2..=*k).all(|d| k % d != 0 || !(n as u64).is_multiple_of(d)));
            if let Some(k) = coprime {
                check(&cpu(), transform.with_root(prime.pow(transform.root(), k)).unwrap(), &mut rng);
            }
        }
    }
    for (p, n) in [(2_147_483_647, 4_774), (2_013_265_921, 1_920)] {
        check(&cpu(), DiscreteTransform::new(Prime::new(p).unwrap(), n).unwrap(), &mut rng);
    }
}

#[test]
fn powers_of_two_agree_with_the_plain_transform() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for n in [2, 8, 1024] {
        let before = draw(&mut rng, BABY_BEAR.value(), n);
        let (mut one, mut other) = (before.clone(), before);
        let transform = DiscreteTransform::new(BABY_BEAR, n).unwrap();
        let plain = Transform::new(BABY_BEAR, n).unwrap();
        assert_eq!(transform.root(), plain.root().unwrap());
        discrete_transform(&cpu(), &transform, &mut one).unwrap();
        ntt::transform(&cpu(), &plain, &mut other).unwrap();
        assert_eq!(one, other);
    }
}

#[test]
fn gpus_transform_any_length() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for gpu in [full(), portable()] {
        for (p, n) in [(3329, 13), (97, 96), (2_147_483_647, 62)] {
            check(
                &Device::Gpu(gpu.clone()),
                DiscreteTransform::new(Prime::new(p).unwrap(), n).unwrap(),
                &mut rng,
            );
        }
    }
}

#[test]
fn what_is_no_transform_is_refused() {
    let seven = Prime::new(7).unwrap();
    for n in [0, 4, 5, 7, 12] {
        let error = DiscreteTransform::new(seven, n).unwrap_err();
        assert!(error.to_string().contains("the length must divide 6"), "{error}");
    }
    let three = DiscreteTransform::new(seven, 3).unwrap();
    // 1 and 6 have smaller orders, 3 has the order 6.
    for root in [1, 6, 3] {
        assert!(three.with_root(root).unwrap_err().to_string().contains("order is not 3"), "{root}");
    }
    for value in [0, 7, u32::MAX] {
        assert!(matches!(three.with_root(value), Err(Error::OutOfRange { .. })));
        assert!(matches!(three.with_shift(value), Err(Error::OutOfRange { .. })));
    }
    assert!(matches!(discrete_transform(&cpu(), &three, &mut [1, 2]), Err(Error::WrongLength { .. })));
    let error = discrete_transform(&cpu(), &three, &mut [1, 2, 7]).unwrap_err();
    assert!(matches!(error, Error::NotReduced { index: 2, value: 7, .. }), "{error}");
}

const Q: u32 = 3329;

/// Seven binary digits reversed.
fn reversed(i: u32) -> u32 {
    (0..7).fold(0, |r, bit| r | (i >> bit & 1) << (6 - bit))
}

fn zeta(exponent: u32) -> u32 {
    (0..exponent).fold(1, |power, _| power * 17 % Q)
}

/// Algorithm 9 of FIPS 203, line by line.
fn fips_203_ntt(f: &[u32]) -> Vec<u32> {
    let mut f = f.to_vec();
    let (mut i, mut len) = (1, 128);
    while len >= 2 {
        for start in (0..256).step_by(2 * len) {
            let zeta = zeta(reversed(i));
            i += 1;
            for j in start..start + len {
                let t = zeta * f[j + len] % Q;
                f[j + len] = (f[j] + Q - t) % Q;
                f[j] = (f[j] + t) % Q;
            }
        }
        len /= 2;
    }
    f
}

/// Algorithms 11 and 12 of FIPS 203.
fn fips_203_multiply(f: &[u32], g: &[u32]) -> Vec<u32> {
    let product = |i: usize| {
        let gamma = zeta(2 * reversed(i as u32) + 1);
        let (a, b) = (&f[2 * i..], &g[2 * i..]);
        [(a[0] * b[0] + a[1] * b[1] % Q * gamma) % Q, (a[0] * b[1] + a[1] * b[0]) % Q]
    };
    (0..128).flat_map(product).collect()
}

#[test]
fn ml_kem_is_that_of_fips_203() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut devices = vec![cpu()];
    devices.extend([full(), portable()].map(|gpu| Device::Gpu(gpu.clone())));
    for device in devices {
        let before = [draw(&mut rng, Q, 5 * 256), vec![Q - 1; 256], vec![0; 256]].concat();
        let mut after = before.clone();
        ml_kem::transform(&device, &mut after).unwrap();
        for (f, found) in before.chunks(256).zip(after.chunks(256)) {
            assert_eq!(found, fips_203_ntt(f));
        }
        let swapped = [&after[256..], &after[..256]].concat();
        let mut product = ml_kem::multiply(&after, &swapped).unwrap();
        for ((f, g), found) in after.chunks(256).zip(swapped.chunks(256)).zip(product.chunks(256)) {
            assert_eq!(found, fips_203_multiply(f, g));
        }
        ml_kem::inverse(&device, &mut product).unwrap();
        let mut expected = [0i64; 256];
        for (i, &x) in before[..256].iter().enumerate() {
            for (j, &y) in before[256..512].iter().enumerate() {
                let term = i64::from(x) * i64::from(y);
                expected[(i + j) % 256] += if i + j < 256 { term } else { -term };
            }
        }
        assert_eq!(product[..256], expected.map(|x| x.rem_euclid(Q.into()) as u32));
        ml_kem::inverse(&device, &mut after).unwrap();
        assert_eq!(after, before);
    }
    assert!(ml_kem::transform(&cpu(), &mut [0; 255]).is_err());
    assert!(ml_kem::transform(&cpu(), &mut [Q; 256]).is_err());
    assert!(ml_kem::multiply(&[0; 256], &[0; 512]).is_err());
    ml_kem::transform(&cpu(), &mut []).unwrap();
}
