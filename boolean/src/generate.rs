//! Random systems of Boolean equations.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{Equations, Monomial, Polynomial};
use wgalois::{Error, Result};

/// A random system, with its planted solution if it has one.
#[derive(Clone, Debug)]
pub struct Random {
    /// The equations in x1, x2, ...
    pub equations: Equations,
    /// The values of a solution.
    pub planted: Option<Vec<bool>>,
}

/// Returns the number of monomials of degree at most `degree` in `variables` variables; `u64::MAX` if it is larger.
pub fn monomials(variables: usize, degree: usize) -> u64 {
    let mut sum = 1u64;
    let mut binomial = 1u128;
    for k in 1..=degree.min(variables) {
        binomial = binomial * (variables - k + 1) as u128 / k as u128;
        sum = sum.saturating_add(u64::try_from(binomial).unwrap_or(u64::MAX));
        if sum == u64::MAX {
            break;
        }
    }
    sum
}

/// Draws `count` polynomials: each coefficient of each monomial of degree at most `degree` is a random bit. If
/// `planted`, a random assignment is drawn first, and constant terms are changed so that it is a solution.
///
/// The bits are those of ChaCha8, so the same arguments give the same system on every machine. Refuses more than 2^28
/// terms.
///
/// ```
/// use wgalois_boolean::generate::random;
///
/// let system = random(10, 20, 2, 1, true)?;
/// assert_eq!(system.equations.violated(&system.planted.unwrap()), None);
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn random(variables: usize, count: usize, degree: usize, seed: u64, planted: bool) -> Result<Random> {
    let terms = monomials(variables, degree).saturating_mul(count as u64);
    Error::expect_at_most("coefficients to generate", 1 << 28, terms)?;
    let mut bits = Bits { random: ChaCha8Rng::seed_from_u64(seed), word: 0, left: 0 };
    let planted = planted.then(|| (0..variables).map(|_| bits.next()).collect::<Vec<bool>>());
    let all = all_monomials(variables, degree);
    let polynomials = (0..count)
        .map(|_| {
            let polynomial = Polynomial::new(all.iter().filter(|_| bits.next()).cloned());
            let is_one = planted.as_ref().is_some_and(|values| polynomial.evaluate(|v| values[v as usize]));
            if is_one { polynomial.plus(&Polynomial::one()) } else { polynomial }
        })
        .collect();
    let names = (1..=variables).map(|number| format!("x{number}")).collect();
    Ok(Random { equations: Equations::new(names, polynomials)?, planted })
}

/// Returns the monomials of degree at most `degree`, by degree.
fn all_monomials(variables: usize, degree: usize) -> Vec<Monomial> {
    let mut all = vec![Monomial::one()];
    let mut first = 0;
    for _ in 0..degree {
        let last = all.len();
        for at in first..last {
            let begin = all[at].variables().last().map_or(0, |&highest| highest + 1);
            for variable in begin..variables as u32 {
                all.push(all[at].times(&Monomial::new([variable])));
            }
        }
        first = last;
    }
    all
}

/// Random bits, 64 from each number.
struct Bits {
    random: ChaCha8Rng,
    word: u64,
    left: u32,
}

impl Bits {
    fn next(&mut self) -> bool {
        if self.left == 0 {
            (self.word, self.left) = (self.random.next_u64(), 64);
        }
        let bit = self.word & 1 == 1;
        self.word >>= 1;
        self.left -= 1;
        bit
    }
}
