//! From residues modulo m to the integers nearest to 0, modulo a prime.

use super::Constant;
use crate::field::{Modulus, Prime};

/// The constants by which a residue x modulo m becomes x or x - m, whichever is nearer to 0, modulo p.
///
/// ```text
/// v = x - h - 1, and + m below 0         h = floor(m / 2): x is v + h + 1 - m if it is at most h, and x - m is if not
/// v + offset                             offset = h + 1 - m, plus a multiple of p that makes the sum positive
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Centring {
    /// h + 1.
    pub above: u32,
    /// m.
    pub modulus: u32,
    /// The multiple of p, less m - h - 1.
    pub offset: u32,
    /// p.
    pub prime: u32,
    /// 1, as a factor that reduces modulo p.
    pub one: Constant,
}

impl Centring {
    /// The constants for residues modulo `modulus` that are wanted modulo `prime`.
    pub fn new(modulus: Modulus, prime: Prime) -> Self {
        let (m, p) = (modulus.value(), prime.value());
        let below = m - m / 2 - 1;
        // At most 2^30 is made up for by 3 * 469762049, or by a larger prime once: v and offset are below 2^32 together.
        let offset = below.div_ceil(p).max(1) * p - below;
        Centring { above: m / 2 + 1, modulus: m, offset, prime: p, one: Constant::new(p, 1) }
    }

    /// The integer nearest to 0, modulo p.
    #[cfg(test)]
    pub fn apply(&self, x: u32) -> u32 {
        let v = x.wrapping_sub(self.above);
        let v = v.min(v.wrapping_add(self.modulus));
        self.one.times(v + self.offset, self.prime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ntt::three_primes::fields;

    #[test]
    fn residues_become_the_nearest_integers() {
        for m in [2, 3, 4, 5, 10_007, 469_762_049, 1 << 30, 2_013_265_921, Modulus::MOST - 1, Modulus::MOST] {
            let modulus = Modulus::new(m).unwrap();
            for prime in fields().unwrap() {
                let centring = Centring::new(modulus, prime);
                let near = [0, 1, 2, m / 2 - 1, m / 2, m / 2 + 1, m - 2, m - 1];
                for x in near.into_iter().filter(|&x| x < m) {
                    let nearest = if x > m / 2 { i64::from(x) - i64::from(m) } else { x.into() };
                    let expected = nearest.rem_euclid(prime.value().into()) as u32;
                    assert_eq!(centring.apply(x), expected, "{x} modulo {m} and {prime}");
                }
            }
        }
    }
}
