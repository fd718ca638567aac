//! Circuits of any size with the shape of those that provers meet, for measurements: nearly all values are bits, and few
//! variables have a polynomial in B.
//!
//! ```text
//! variables      1, one public, the others secret: each is a bit or any element, each has a share in B or none
//! constraint i   defines variable i by the last ones before it: `last` of its kind, and `last in B` of its kind
//!     of a bit       2 last * last_in_b = last + last_in_b - i       exclusive or, or its complement
//!     of an element  last * last_in_b = i - constant
//! the first of each kind                                             no constraint: 0 * 0 = 0
//! two more                                                           last * 0 = 0 and 0 * last_in_b = 0 of both kinds
//! ```
//!
//! So every variable has a polynomial in A, as nearly all have in PoRep's circuits, and the rows are short.

use ark_ff::PrimeField;

use super::{Constraints, Row, Witness};
use wgalois::{Error, Result};

/// The number of public variables.
const PUBLIC: usize = 1;

/// Constraints that define no variable.
const CLOSING: usize = 2;

/// A circuit that fills a domain, and its witnesses.
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois_proofs::groth16::{Constraints, Shaped};
///
/// let circuit = Shaped::<Fr>::new(16, 0.75, 0.5, 1)?;
/// let witness = circuit.witness(1);
/// assert_eq!(Constraints::<Fr>::variables(&circuit), 13);
/// assert_eq!(witness.iter().filter(|value| **value == 0.into() || **value == 1.into()).count(), 10);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shaped<F> {
    variables: usize,
    /// Variables that are any element, and those that have a share in B.
    wide: usize,
    in_b: usize,
    seed: u64,
    field: std::marker::PhantomData<fn() -> F>,
}

/// The variables that a constraint takes: the last of each kind, and the last of each kind with a share in B.
#[derive(Clone, Copy, Default)]
struct Last {
    any: Option<u32>,
    in_b: Option<u32>,
}

/// The kind of a variable, and how it follows from those before it.
enum Step {
    /// The first variable of its kind is free.
    Free,
    Defined(Last),
}

impl<F: PrimeField> Shaped<F> {
    /// The circuit for a domain of `domain` roots, which is a power of two from 8 to 2^28. `bits` is the share of the values
    /// of a witness that are 0 or 1, `density_b` that of the variables with a polynomial in B; both are from 0 to 1. The
    /// constant 1 is a bit in any case.
    pub fn new(domain: usize, bits: f64, density_b: f64, seed: u64) -> Result<Self> {
        const DOMAINS: [u64; 2] = [8, 1 << 28];
        let [least, most] = DOMAINS;
        if !domain.is_power_of_two() {
            return Err(Error::value("the domain", format!("{domain}, which is no power of two").into()));
        }
        Error::expect_at_least("roots of the domain", least, domain as u64)?;
        Error::expect_at_most("roots of the domain", most, domain as u64)?;
        let variables = domain - PUBLIC - CLOSING;
        let count = |what: &'static str, share: f64| match (0.0..=1.0).contains(&share) {
            true => Ok((variables as f64 * share).round() as usize),
            false => Err(Error::value(what, format!("{share}, which is not from 0 to 1").into())),
        };
        let wide = variables - count("the share of bits", bits)?.max(1);
        let in_b = count("the density of B", density_b)?;
        Ok(Shaped { variables, wide, in_b, seed, field: std::marker::PhantomData })
    }

    /// A witness. Its free values follow from `number`.
    pub fn witness(&self, number: u64) -> Witness<F> {
        let mut values = Vec::with_capacity(self.variables);
        values.push(F::ONE);
        self.each_variable(&mut |i, is_wide, step| {
            let value = match step {
                Step::Free if is_wide => wide(mixed(self.seed ^ mixed(number))),
                Step::Free => F::from(mixed(self.seed ^ mixed(number)) & 1),
                Step::Defined(last) => {
                    let of = |variable: Option<u32>| variable.map_or(F::ZERO, |i| values[i as usize]);
                    let (a, b): (F, F) = (of(last.any), of(last.in_b));
                    match is_wide {
                        true => a * b + self.constant(i),
                        false => {
                            let xor = a != b;
                            F::from(u64::from(xor != self.is_complement(i)))
                        }
                    }
                }
            };
            values.push(value);
        });
        values.into()
    }

    /// True for the `count` variables that are spread evenly among all.
    fn is_among(&self, count: usize, i: usize) -> bool {
        let before = |i: usize| i as u128 * count as u128 / self.variables as u128;
        before(i + 1) > before(i)
    }

    /// Calls `visit` with each variable but the constant: its number, whether it is any element, and its definition. Returns the
    /// last variables of bits and of elements.
    fn each_variable(&self, visit: &mut dyn FnMut(usize, bool, Step)) -> [Last; 2] {
        let mut kinds = [Last::default(); 2];
        // The constant is a bit, but no bit follows from it.
        let mut begun = [false; 2];
        for i in 1..self.variables {
            let is_wide = self.is_among_wide(i);
            let kind = &mut kinds[usize::from(is_wide)];
            match std::mem::replace(&mut begun[usize::from(is_wide)], true) {
                false => visit(i, is_wide, Step::Free),
                true => visit(i, is_wide, Step::Defined(*kind)),
            }
            kind.any = Some(i as u32);
            if self.is_among(self.in_b, i) {
                kind.in_b = Some(i as u32);
            }
        }
        kinds
    }

    /// True for the variables that are any element, spread evenly among all but the constant.
    fn is_among_wide(&self, i: usize) -> bool {
        let before = |i: usize| (i - 1) as u128 * self.wide as u128 / (self.variables - 1) as u128;
        before(i + 1) > before(i)
    }

    /// True if a bit is the complement of the exclusive or.
    fn is_complement(&self, i: usize) -> bool {
        mixed(self.seed.wrapping_add(i as u64)) & 1 == 1
    }

    /// What an element differs from the product by.
    fn constant(&self, i: usize) -> F {
        wide(mixed(self.seed.wrapping_add(i as u64)))
    }
}

impl<F: PrimeField> Constraints<F> for Shaped<F> {
    fn variables(&self) -> usize {
        self.variables
    }

    fn public(&self) -> usize {
        PUBLIC
    }

    fn constraints(&self) -> usize {
        self.variables - 1 + CLOSING
    }

    fn each(&self, visit: &mut dyn FnMut(&[Row<F>; 3])) {
        let (one, two) = (F::ONE, F::from(2u64));
        let mut rows: [Row<F>; 3] = Default::default();
        let set = |row: &mut Row<F>, variable: Option<u32>, factor: F| {
            row.extend(variable.map(|variable| (factor, variable)));
        };
        let last = self.each_variable(&mut |i, is_wide, step| {
            rows.iter_mut().for_each(Vec::clear);
            let [a, b, c] = &mut rows;
            if let Step::Defined(last) = step {
                set(a, last.any, if is_wide { one } else { two });
                set(b, last.in_b, one);
                let own = Some(i as u32);
                match is_wide {
                    true => {
                        set(c, own, one);
                        set(c, Some(0), -self.constant(i));
                    }
                    false => {
                        set(c, last.any, one);
                        set(c, last.in_b, one);
                        // i = a + b - 2 a b, or 1 less that.
                        match self.is_complement(i) {
                            false => set(c, own, -one),
                            true => {
                                set(c, Some(0), -one);
                                set(c, own, one);
                            }
                        }
                    }
                }
            }
            visit(&rows);
        });
        let closing = |of: fn(&Last) -> Option<u32>| last.iter().filter_map(of).map(|i| (one, i)).collect();
        visit(&[closing(|last| last.any), Vec::new(), Vec::new()]);
        // The constant, which no constraint has in B, is among those with a share in B if all are.
        let mut in_b: Row<F> = closing(|last| last.in_b);
        in_b.extend(self.is_among(self.in_b, 0).then_some((one, 0)));
        visit(&[Vec::new(), in_b, Vec::new()]);
    }
}

/// A number that looks random (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// An element of full size.
fn wide<F: PrimeField>(number: u64) -> F {
    F::from(number | 1 << 63).pow([5])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groth16::Circuit;
    use ark_bn254::Fr;
    use std::collections::BTreeSet;

    /// The shares are those that were asked for, every witness satisfies the circuit, and another does not.
    #[test]
    fn circuits_have_the_shares_that_were_asked_for() {
        let shares = [0.0, 0.25, 0.5, 0.99, 1.0];
        for (domain, bits, density) in
            [8, 16, 256].into_iter().flat_map(|n| shares.map(|bits| shares.map(|b| (n, bits, b))).concat())
        {
            let shaped = Shaped::<Fr>::new(domain, bits, density, 3).unwrap();
            let mut constraints = Vec::new();
            shaped.each(&mut |rows| constraints.push(rows.clone()));
            let (variables, public) = (shaped.variables(), shaped.public());
            assert_eq!(constraints.len(), shaped.constraints());
            assert_eq!(constraints.len() + public + 1, domain);
            let circuit = Circuit { variables, public, constraints };
            let of = |part: usize| -> BTreeSet<u32> {
                let entries = circuit.constraints.iter().flat_map(|rows| &rows[part]);
                entries.map(|(_, variable)| *variable).collect()
            };
            let share = |share: f64| (share * variables as f64).round() as usize;
            assert_eq!(of(1).len(), share(density), "{domain} {bits} {density}");
            // The binding rows have the constant and the public variable.
            assert_eq!(of(0).len() + usize::from(!of(0).contains(&0)), variables);
            for number in [0, 1, 2] {
                let witness = shaped.witness(number);
                assert_eq!(circuit.first_violated(&witness).unwrap(), None);
                let small = witness.iter().filter(|value| [Fr::from(0), Fr::from(1)].contains(value)).count();
                assert_eq!(small, share(bits).max(1));
                let mut wrong = witness.to_vec();
                *wrong.last_mut().unwrap() += Fr::from(5);
                assert!(circuit.first_violated(&wrong).unwrap().is_some() || domain == 8);
            }
            assert!(bits > 0.9 || shaped.witness(1)[..] != shaped.witness(2)[..]);
        }
    }

    #[test]
    fn about_half_of_the_bits_are_ones() {
        for density in [0.0, 0.25, 1.0] {
            let ones = Shaped::<Fr>::new(1 << 12, 1.0, density, 5).unwrap().witness(1);
            let ones = ones.iter().filter(|value| **value == Fr::from(1)).count();
            assert!((1500..2600).contains(&ones), "{ones} at {density}");
        }
    }

    #[test]
    fn shapes_that_do_not_exist_are_refused() {
        let code =
            |domain, bits, density| Shaped::<Fr>::new(domain, bits, density, 0).unwrap_err().exit_code();
        let refused = [(12, 0.5, 0.5), (4, 0.5, 0.5), (1 << 29, 0.5, 0.5), (0, 0.5, 0.5)];
        let shares = [-0.1, 1.1, f64::NAN].map(|share| [(16, share, 0.5), (16, 0.5, share)]).concat();
        for (domain, bits, density) in refused.into_iter().chain(shares) {
            assert_eq!(code(domain, bits, density), 3, "{domain} {bits} {density}");
        }
    }
}
