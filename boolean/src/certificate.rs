//! Certificates that equations have no solution: products of equations that sum to 1.

use std::collections::{BTreeSet, HashMap};

use super::generate::monomials;
use super::{Equations, Monomial, Polynomial};
use wgalois::gf2::{self, BitMatrix};
use wgalois::verify::Guarantee;
use wgalois::{Device, Error, Result, Wrong};

/// Products of equations and monomials whose sum is 1. A solution of the equations would make the sum 0, so there is
/// none.
///
/// ```
/// use wgalois_boolean::{Certificate, Equations, Monomial, Polynomial};
/// use wgalois::{Cpu, Device};
///
/// // x y + 1 and x: y times the second, and the first, sum to 1.
/// let names = ["x", "y"].map(str::to_owned).to_vec();
/// let product = Polynomial::new([Monomial::new([0, 1]), Monomial::one()]);
/// let equations = Equations::new(names, vec![product, Polynomial::variable(0)])?;
/// let device = Device::Cpu(Cpu::default());
/// let certificate = Certificate::find(&device, &equations, 1 << 20)?.unwrap();
/// assert_eq!(certificate.products().len(), 2);
/// certificate.check(&equations)?;
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Monomials with the numbers of the equations that they multiply.
    products: Vec<(Monomial, usize)>,
}

impl Certificate {
    /// Makes a certificate from products: a monomial and the number, from 0, of the equation that it multiplies.
    pub fn new(products: Vec<(Monomial, usize)>) -> Self {
        Certificate { products }
    }

    /// Returns the products.
    pub fn products(&self) -> &[(Monomial, usize)] {
        &self.products
    }

    /// Looks for a certificate in Macaulay matrices of ascending degree, as long as they take at most `bytes`.
    /// Returns `None` if none of these has 1 in its row space: the equations may have a solution or not.
    pub fn find(device: &Device, equations: &Equations, bytes: u64) -> Result<Option<Self>> {
        let polynomials = equations.polynomials();
        let occurring: BTreeSet<u32> = polynomials.iter().flat_map(Polynomial::variables).collect();
        let variables: Vec<u32> = occurring.into_iter().collect();
        let Some(lowest) = polynomials.iter().map(Polynomial::degree).min() else { return Ok(None) };
        for degree in lowest..=variables.len().max(lowest) {
            let factors = |polynomial: &Polynomial| {
                degree.checked_sub(polynomial.degree()).map_or(0, |left| monomials(variables.len(), left))
            };
            let rows = polynomials.iter().map(factors).fold(0, u64::saturating_add);
            let columns = monomials(variables.len(), degree);
            // Columns in which no product has a term are not made, and sparse systems have many of them.
            let terms = rows.saturating_mul(equations.terms() as u64 / polynomials.len() as u64 + 1);
            if rows.saturating_mul(columns.min(terms)) / 8 > bytes {
                return Ok(None);
            }
            if let Some(certificate) = Self::of_degree(device, equations, &variables, degree)? {
                return Ok(Some(certificate));
            }
        }
        Ok(None)
    }

    fn of_degree(
        device: &Device,
        equations: &Equations,
        variables: &[u32],
        degree: usize,
    ) -> Result<Option<Self>> {
        let mut products = Vec::new();
        for (number, polynomial) in equations.polynomials().iter().enumerate() {
            let Some(left) = degree.checked_sub(polynomial.degree()).filter(|_| !polynomial.is_zero()) else {
                continue;
            };
            push_factors(&mut products, number, variables, left, &mut Vec::new());
        }
        // A row of the transpose for each monomial: 1 is the first.
        let mut rows = HashMap::from([(Monomial::one(), 0usize)]);
        let mut ones = Vec::new();
        for (column, (factor, number)) in products.iter().enumerate() {
            device.timeline().check()?;
            for term in equations.polynomials()[*number].times_monomial(factor).terms() {
                let next = rows.len();
                ones.push((*rows.entry(term.clone()).or_insert(next), column));
            }
        }
        let mut transpose = BitMatrix::zeros(rows.len(), products.len())?;
        ones.into_iter().for_each(|(row, column)| transpose.set(row, column, true));
        let mut one = BitMatrix::zeros(rows.len(), 1)?;
        one.set(0, 0, true);
        let solution = gf2::solve(device, &transpose, &one)?;
        if !solution.inconsistent.is_empty() {
            return Ok(None);
        }
        let chosen = products.into_iter().enumerate().filter(|(row, _)| solution.x.get(*row, 0));
        Ok(Some(Certificate { products: chosen.map(|(_, product)| product).collect() }))
    }

    /// Checks that the products sum to 1.
    pub fn check(&self, equations: &Equations) -> Result<Guarantee> {
        let mut sum: BTreeSet<Monomial> = BTreeSet::new();
        for (factor, number) in &self.products {
            let count = equations.polynomials().len();
            let polynomial = equations.polynomials().get(*number);
            let missing = Error::NoSuch { what: "equation", index: *number as u64, count: count as u64 };
            for term in polynomial.ok_or(missing)?.times_monomial(factor).terms() {
                if !sum.remove(term) {
                    sum.insert(term.clone());
                }
            }
        }
        let is_one = sum.len() == 1 && sum.contains(&Monomial::one());
        Wrong::unless(is_one, format!("the products do not sum to 1, but to {} terms", sum.len()))?;
        Ok(Guarantee::certain("the equations have no solution: the products sum to 1"))
    }
}

/// Pushes the products of an equation and all monomials of a degree at most `left`.
fn push_factors(
    products: &mut Vec<(Monomial, usize)>,
    number: usize,
    variables: &[u32],
    left: usize,
    chosen: &mut Vec<u32>,
) {
    products.push((Monomial::new(chosen.iter().copied()), number));
    if left == 0 {
        return;
    }
    for (place, &variable) in variables.iter().enumerate() {
        chosen.push(variable);
        push_factors(products, number, &variables[place + 1..], left - 1, chosen);
        chosen.pop();
    }
}
