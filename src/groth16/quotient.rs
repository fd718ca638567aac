//! From a witness to the scalars that multiply the bases of the quotient.

use ark_ff::PrimeField;
use rayon::prelude::*;
use zeroize::Zeroize;

use super::Domain;
use super::transforms::Transforms;
use crate::{Error, Result};

/// The basis of a key's bases for the quotient `h = (a b - c) / Z`, where `Z = x^n - 1` is zero at all n-th roots of
/// unity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// `L_i(tau) / delta` for the Lagrange polynomials L_i of the odd powers of a root of order 2n, among all of its powers.
    /// snarkjs' keys.
    ///
    /// `a b - c` has a degree below 2n and is zero at the even powers, the n-th roots of unity. So
    /// its values at the odd powers are its coordinates in this basis, and nothing is divided.
    OddRoots,
    /// `tau^i Z(tau) / delta` for i below n - 1: h by its coefficients. arkworks' keys.
    Powers,
}

/// A sparse matrix: for each constraint, the coefficients of variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Products<F> {
    /// The begin of each row among the entries, and the end of the last.
    begins: Vec<u32>,
    variables: Vec<u32>,
    factors: Vec<F>,
}

impl<F: PrimeField> Products<F> {
    /// A matrix of `rows` rows from entries in any order: row, variable, factor. Entries of one place add up.
    ///
    /// # Errors
    /// [`Error::Input`] for a row that does not exist, and for more than 2^32 entries.
    pub fn new<I>(rows: usize, entries: I) -> Result<Self>
    where
        I: Iterator<Item = (usize, u32, F)> + Clone,
    {
        let mut begins = vec![0u32; rows + 1];
        let mut count = 0usize;
        for (row, _, _) in entries.clone() {
            let Some(next) = begins.get_mut(row + 1) else {
                return Err(Error::Input(format!("row {row} of {rows}")));
            };
            if count == u32::MAX as usize {
                return Err(Error::Input("2^32 coefficients or more".into()));
            }
            *next += 1;
            count += 1;
        }
        for row in 0..rows {
            begins[row + 1] += begins[row];
        }
        let mut ends = begins.clone();
        let (mut variables, mut factors) = (vec![0; count], vec![F::ZERO; count]);
        for (row, variable, factor) in entries {
            let at = ends[row] as usize;
            ends[row] += 1;
            (variables[at], factors[at]) = (variable, factor);
        }
        Ok(Products { begins, variables, factors })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.begins.len() - 1
    }

    /// The number of coefficients.
    pub fn entries(&self) -> usize {
        self.factors.len()
    }

    /// The entries of a row: variables and their coefficients.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = (u32, F)> + '_ {
        let entries = self.begins[row] as usize..self.begins[row + 1] as usize;
        self.variables[entries.clone()].iter().copied().zip(self.factors[entries].iter().copied())
    }

    /// The largest variable that occurs.
    pub fn largest_variable(&self) -> Option<u32> {
        self.variables.iter().copied().max()
    }

    /// The products of all rows with a witness, which has a value for every variable that occurs.
    fn multiply(&self, witness: &[F]) -> Vec<F> {
        let row = |ends: &[u32]| {
            let entries = ends[0] as usize..ends[1] as usize;
            let products = self.variables[entries.clone()].iter().zip(&self.factors[entries]);
            products.map(|(&variable, factor)| witness[variable as usize] * factor).sum()
        };
        self.begins.par_windows(2).map(row).collect()
    }
}

/// The computation of the quotient's scalars, prepared for a circuit.
pub(super) struct Quotient<F: PrimeField> {
    a: Products<F>,
    b: Products<F>,
    basis: Basis,
    transforms: Transforms<F>,
}

impl<F: PrimeField> Quotient<F> {
    pub(super) fn new(a: Products<F>, b: Products<F>, domain: Domain, basis: Basis) -> Result<Self> {
        // The coset of odd powers of a root of order 2n; any other will do for coefficients.
        let root = F::get_root_of_unity(2 * domain.len() as u64);
        let shift = root.ok_or_else(|| Error::Input("no roots of unity of twice the domain's order".into()))?;
        Ok(Quotient { a, b, basis, transforms: Transforms::new(domain.log2(), shift)? })
    }

    /// The scalars of the quotient's bases. The witness has a value for every variable.
    pub(super) fn scalars(&self, witness: &[F]) -> Result<Vec<F>> {
        let (mut a, mut b) = rayon::join(|| self.a.multiply(witness), || self.b.multiply(witness));
        // Where the constraints hold, this is C w. Where they do not, the proof is wrong: C is part of other bases.
        let mut c: Vec<F> = a.par_iter().zip(&b).map(|(a, b)| *a * b).collect();
        for values in [&mut a, &mut b, &mut c] {
            self.transforms.to_coset(values)?;
        }
        a.par_iter_mut().zip(&b).zip(&c).for_each(|((a, b), c)| *a = *a * b - c);
        b.zeroize();
        c.zeroize();
        if self.basis == Basis::Powers {
            // Z = -2 at the odd powers of a root of order 2n.
            let inverse = -F::from(2u64).inverse().unwrap_or_default();
            a.par_iter_mut().for_each(|value| *value *= inverse);
            self.transforms.coefficients_from_coset(&mut a)?;
            // The degree of h is at most n - 2.
            a.pop();
        }
        Ok(a)
    }
}
