//! From a witness to the scalars that multiply the bases of the quotient.

use ark_ff::PrimeField;
use rayon::prelude::*;
use zeroize::Zeroize;

use super::Domain;
use crate::ntt::scalar::{Coset, PreparedTransform, Transform, Vector, Vectors};
use crate::ntt::{Direction, Order};
use crate::scalars::Scalar;
use crate::task::Problem;
use crate::{Device, Error, Result};

/// The polynomials that a key's bases stand for, by which the quotient `h = (a b - c) / Z` is multiplied; `Z = x^n - 1` is
/// zero at all n-th roots of unity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// `L_i(tau) / delta` for the Lagrange polynomials L_i of the odd powers of a root of order 2n, among all of its powers,
    /// as snarkjs' keys have them.
    ///
    /// `a b - c` has a degree below 2n and is zero at the even powers, the n-th roots of unity. So
    /// its values at the odd powers are its coordinates in this basis, and nothing is divided.
    OddRoots,
    /// `tau^i Z(tau) / delta` for i below n - 1: h by its coefficients, as arkworks' keys have them.
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

/// The computation of the quotient's scalars, prepared for a circuit on a device.
pub(super) struct Quotient<F: Scalar> {
    a: Products<F>,
    b: Products<F>,
    vectors: Vectors<F>,
    /// From the values at the roots to coefficients, in bit-reversed order.
    inverse: PreparedTransform<F>,
    /// From these to the values on the coset of odd powers of a root of order 2n.
    forward: PreparedTransform<F>,
    /// From the coset to coefficients, if the basis takes them.
    back: Option<PreparedTransform<F>>,
}

impl<F: Scalar> Quotient<F> {
    pub(super) fn new(
        device: &Device,
        a: Products<F>,
        b: Products<F>,
        domain: Domain,
        basis: Basis,
    ) -> Result<Self> {
        let [inverse, forward, back] = transforms(domain.log2())?;
        let prepare = |transform: Transform<F>| transform.plan(device)?.prepare(device);
        Ok(Quotient {
            a,
            b,
            vectors: Vectors::new(device)?,
            inverse: prepare(inverse)?,
            forward: prepare(forward)?,
            back: (basis == Basis::Powers).then(|| prepare(back)).transpose()?,
        })
    }

    /// The scalars of the quotient's bases, on the device. The witness has a value for every variable.
    pub(super) fn scalars(&self, witness: &[F]) -> Result<Vector<F>> {
        let (mut a, mut b) = rayon::join(|| self.a.multiply(witness), || self.b.multiply(witness));
        let (on_device, vectors) = (self.vectors.upload(&a), &self.vectors);
        let both = on_device.and_then(|first| Ok((first, vectors.upload(&b)?)));
        // Where the constraints hold, a b is C w. Where they do not, the proof is wrong: C is part of other bases.
        a.par_iter_mut().zip(&b).for_each(|(a, b)| *a *= b);
        let product = vectors.upload(&a);
        a.zeroize();
        b.zeroize();
        let ((mut a, mut b), mut c) = (both?, product?);
        for values in [&mut a, &mut b, &mut c] {
            self.inverse.run_vector(values)?;
            self.forward.run_vector(values)?;
        }
        vectors.multiply(&mut a, &b)?;
        vectors.subtract(&mut a, &c)?;
        b.clear()?;
        c.clear()?;
        self.inverse.clear()?;
        self.forward.clear()?;
        if let Some(back) = &self.back {
            // Z = -2 at the odd powers of a root of order 2n.
            vectors.scale(&mut a, -F::from(2u64).inverse().unwrap_or_default())?;
            back.run_vector(&mut a)?;
            back.clear()?;
            // The degree of h is at most n - 2.
            a.truncate(a.len() - 1);
        }
        Ok(a)
    }
}

/// The transforms of a proof: to coefficients, to the coset, and from there to coefficients.
pub(super) fn transforms<F: Scalar>(log2: u32) -> Result<[Transform<F>; 3]> {
    let domain = Domain::new::<F>(log2)?;
    let transform = || Transform::<F>::new(domain.len());
    let inverse = transform()?.with_direction(Direction::Inverse).with_output(Order::BitReversed);
    let forward = transform()?.with_input(Order::BitReversed).with_coset(Coset::Negacyclic);
    let back = transform()?.with_direction(Direction::Inverse).with_coset(Coset::Negacyclic);
    Ok([inverse, forward, back])
}
