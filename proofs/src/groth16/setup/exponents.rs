//! The logarithms of a new key's points to the base of their generators.

use std::ops::Range;

use ark_ff::PrimeField;

use super::Secrets;
use super::lagrange::Coset;
use crate::groth16::{Basis, Constraints, Domain};
use wgalois::parallel::*;
use wgalois::{Error, Result};

/// Constraints whose Lagrange polynomials are computed at a time.
const AT_A_TIME: usize = 1 << 16;

/// The logarithms of a key's points.
pub(super) struct Exponents<F> {
    pub domain: Domain,
    pub basis: Basis,
    /// The variables of the polynomials a and b, which are those of all variables unless zeros were left out.
    pub a: Vec<F>,
    pub b: Vec<F>,
    /// `beta a + alpha b + c` of all variables, divided by gamma for public ones and by delta for the others.
    pub bound: Vec<F>,
    /// The number of coefficients in A, those of the rows that bind the public variables included, and in B.
    pub coefficients: [usize; 2],
    quotient: Quotient<F>,
    /// True if A and B lack the polynomials that are 0.
    pub has_left_out: bool,
}

/// The basis of the quotient, in the order in which the key numbers it.
enum Quotient<F> {
    OddRoots(Coset<F>),
    /// The powers of tau times a factor.
    Powers {
        tau: F,
        factor: F,
    },
}

impl<F: PrimeField> Exponents<F> {
    pub fn new(secrets: &Secrets<F>, circuit: &dyn Constraints<F>, basis: Basis) -> Result<Self> {
        let Secrets { tau, alpha, beta, gamma, delta } = *secrets;
        let known = circuit.public() + 1;
        let log2 = circuit
            .constraints()
            .saturating_add(known)
            .checked_next_power_of_two()
            .map_or(usize::BITS, usize::ilog2);
        let domain = match basis {
            Basis::OddRoots => Domain::of_snarkjs::<F>(log2)?,
            Basis::Powers => Domain::new::<F>(log2)?,
        };
        let n = domain.len();
        let vanishing = tau.pow([n as u64]) - F::ONE;
        let inverse = |value: F| {
            value
                .inverse()
                .ok_or_else(|| Error::value("a secret of the setup", "0, or a root of unity".into()))
        };
        let (by_gamma, by_delta) = (inverse(gamma)?, inverse(delta)?);
        inverse(vanishing)?;
        let double = domain.double_root::<F>();
        let ([a, b, mut bound], coefficients) =
            evaluated(circuit, &Coset::of_roots(tau, double.square(), n))?;
        let terms = bound.par_iter_mut().zip(&a).zip(&b).enumerate();
        terms.for_each(|(i, ((bound, a), b))| {
            let by = if i < known { by_gamma } else { by_delta };
            *bound = (beta * a + alpha * b + *bound) * by;
        });
        let quotient = match basis {
            Basis::OddRoots => Quotient::OddRoots(Coset::of_odd_powers(tau, double, n, by_delta)),
            Basis::Powers => Quotient::Powers { tau, factor: vanishing * by_delta },
        };
        Ok(Exponents { domain, basis, a, b, bound, coefficients, quotient, has_left_out: false })
    }

    /// The number of bases of the quotient.
    pub fn quotient_len(&self) -> usize {
        match self.quotient {
            Quotient::OddRoots(_) => self.domain.len(),
            Quotient::Powers { .. } => self.domain.len() - 1,
        }
    }

    /// Some bases of the quotient, in the order in which the key numbers them.
    pub fn quotient(&self, range: Range<usize>) -> Vec<F> {
        let mut values = vec![F::ZERO; range.len()];
        match &self.quotient {
            Quotient::OddRoots(coset) => coset.fill(range.start, &mut values),
            Quotient::Powers { tau, factor } => {
                const BLOCK: usize = 1 << 10;
                values.par_chunks_mut(BLOCK).enumerate().for_each(|(block, values)| {
                    let mut power = *factor * tau.pow([(range.start + block * BLOCK) as u64]);
                    for value in values {
                        *value = power;
                        power *= tau;
                    }
                });
            }
        }
        values
    }

    /// Leaves out the polynomials that are 0 from A and B, as keys without constraints do. A polynomial that is not 0 has the
    /// value 0 at tau with a chance of 2^28 in r.
    pub fn leave_out_zeros(&mut self) {
        self.has_left_out = true;
        for values in [&mut self.a, &mut self.b] {
            values.retain(|value| !value.is_zero());
            values.shrink_to_fit();
        }
    }
}

/// The values at tau of the polynomials a, b and c of every variable, and the numbers of coefficients in A and B. Rows of their
/// own, behind the constraints, bind the public variables in a.
fn evaluated<F: PrimeField>(
    circuit: &dyn Constraints<F>,
    lagrange: &Coset<F>,
) -> Result<([Vec<F>; 3], [usize; 2])> {
    let (variables, count) = (circuit.variables(), circuit.constraints());
    Error::expect_index("variable", variables, circuit.public())?;
    let all = count + circuit.public() + 1;
    let mut values = [(); 3].map(|()| vec![F::ZERO; variables]);
    let mut counts = [0; 3];
    let mut at_tau = AtTau { lagrange, all, values: vec![F::ZERO; AT_A_TIME.min(all)] };
    let (mut i, mut unknown) = (0, Ok(()));
    circuit.each(&mut |rows| {
        let at = if i < count { at_tau.get(i) } else { F::ZERO };
        i += 1;
        for ((values, row), count) in values.iter_mut().zip(rows).zip(&mut counts) {
            *count += row.len();
            for (factor, variable) in row {
                match values.get_mut(*variable as usize) {
                    // Most factors are 1.
                    Some(value) if factor.is_one() => *value += at,
                    Some(value) => *value += at * factor,
                    None => unknown = Error::expect_index("variable", variables, *variable as usize),
                }
            }
        }
    });
    unknown?;
    Error::expect_length("constraints of the circuit", count, i)?;
    for (i, value) in values[0].iter_mut().enumerate().take(circuit.public() + 1) {
        *value += at_tau.get(count + i);
    }
    Ok((values, [counts[0] + circuit.public() + 1, counts[1]]))
}

/// Lagrange polynomials at tau, in order.
struct AtTau<'l, F> {
    lagrange: &'l Coset<F>,
    all: usize,
    /// Those of the current part.
    values: Vec<F>,
}

impl<F: PrimeField> AtTau<'_, F> {
    /// Polynomial i, which is the one after that of the call before.
    fn get(&mut self, i: usize) -> F {
        let place = i % AT_A_TIME;
        if place == 0 {
            let count = AT_A_TIME.min(self.all - i);
            self.lagrange.fill(i, &mut self.values[..count]);
        }
        self.values[place]
    }
}
