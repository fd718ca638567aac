//! The textbook's transform on one thread: the baseline that faster programs are compared with, as plain as
//! in their publications.
//!
//! Bit reversal, then log2 n stages of radix-2 butterflies (Cooley and Tukey 1965; Cormen,
//! Leiserson, Rivest and Stein, "Introduction to Algorithms", section 30.2), twiddles
//! computed on the fly, every product reduced by the remainder operator.

use wgalois::Result;
use wgalois::field::{Prime, bit_reverse};
use wgalois::ntt::{Direction, Ring, Transform};

/// Transforms one vector in place, natural order on both sides. Refuses a length that is not a power of two from 2 to
/// 2^27 or without a root of unity, and an entry that is not below p.
pub fn transform(prime: Prime, direction: Direction, data: &mut [u32]) -> Result<()> {
    let transform = Transform::new(prime, data.len())?;
    transform.check_words(data)?;
    let p = u64::from(prime.value());
    let (n, forward) = (data.len(), direction == Direction::Forward);
    for i in 0..n {
        let j = bit_reverse(i, transform.log_n());
        if i < j {
            data.swap(i, j);
        }
    }
    for stage in 1..=transform.log_n() {
        let (half, root) = (1 << (stage - 1), prime.root_of_unity(stage)?);
        let root = u64::from(if forward { root } else { prime.inverse(root) });
        for block in data.chunks_exact_mut(2 * half) {
            let mut twiddle = 1;
            for k in 0..half {
                let (x, y) = (u64::from(block[k]), u64::from(block[k + half]) * twiddle % p);
                block[k] = ((x + y) % p) as u32;
                block[k + half] = ((x + p - y) % p) as u32;
                twiddle = twiddle * root % p;
            }
        }
    }
    if !forward {
        let scale = u64::from(prime.inverse(n as u32));
        for x in data {
            *x = (u64::from(*x) * scale % p) as u32;
        }
    }
    Ok(())
}

/// The linear product of `a` and `b`, lowest degree first, by two forward transforms and one inverse one. It
/// has no coefficients if `a` or `b` has none. A transform must exist for the next power of two of the length of the
/// product.
pub fn multiply(prime: Prime, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
    let length = Ring::Linear.length(a.len(), b.len())?;
    if length == 0 {
        return Ok(Vec::new());
    }
    let padded = |x: &[u32]| {
        let mut words = x.to_vec();
        words.resize(length.next_power_of_two().max(2), 0);
        words
    };
    let (mut a, mut b) = (padded(a), padded(b));
    transform(prime, Direction::Forward, &mut a)?;
    transform(prime, Direction::Forward, &mut b)?;
    for (x, &y) in a.iter_mut().zip(&b) {
        *x = (u64::from(*x) * u64::from(y) % u64::from(prime.value())) as u32;
    }
    transform(prime, Direction::Inverse, &mut a)?;
    a.truncate(length);
    Ok(a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgalois::ntt::Product;
    use wgalois::{Cpu, Device, Error};

    #[test]
    fn transforms_are_what_the_definition_says() {
        for p in [3, 17, 7_340_033, 2_013_265_921] {
            let prime = Prime::new(p).unwrap();
            for log_n in 1..=prime.two_adicity().min(9) {
                for direction in [Direction::Forward, Direction::Inverse] {
                    let mut x: Vec<u32> =
                        (0..1 << log_n).map(|i: u32| i.wrapping_mul(2_654_435_769) % p).collect();
                    x[0] = p - 1;
                    let stated = Transform::new(prime, x.len()).unwrap().with_direction(direction);
                    let y = stated.by_definition(&x).unwrap();
                    transform(prime, direction, &mut x).unwrap();
                    assert_eq!(x, y, "{stated:?}");
                }
            }
        }
    }

    #[test]
    fn products_agree_with_the_engine() {
        let prime = Prime::new(7_340_033).unwrap();
        let device = Device::Cpu(Cpu::default());
        for (a, b) in [(0, 3), (1, 1), (2, 1), (4, 4), (5, 300)] {
            let [a, b] = [a, b].map(|len: u32| (0..len).map(|i| 7_340_032 - i * i).collect::<Vec<u32>>());
            let expected =
                wgalois::ntt::multiply(&device, &Product::new(prime, a.len(), b.len()), &a, &b).unwrap();
            assert_eq!(multiply(prime, &a, &b).unwrap(), expected);
        }
        assert!(matches!(multiply(prime, &[1], &[7_340_033]), Err(Error::NotReduced { index: 0, .. })));
    }
}
