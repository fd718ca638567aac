//! A key whose points are made as they are asked for.

use std::borrow::Cow;
use std::ops::Range;

use ark_ec::AffineRepr;

use super::Secrets;
use super::exponents::Exponents;
use crate::groth16::{Basis, Constraints, Domain, Head, KeySource, Part, ProvingKey, Queries, VerifyingKey};
use crate::pieces::PIECE;
use wgalois::curve::{Affine, PairingCurve};
use wgalois::msm::{FixedBase, Multiples};
use wgalois::task::Problem;
use wgalois::{Device, Error, Result};

/// A key of a setup, of which a device makes some points at a time: [`KeySource`] has them for the writers of files. It holds
/// three scalars for each variable.
pub struct NewKey<'c, E: PairingCurve> {
    exponents: Exponents<E::Scalar>,
    circuit: &'c dyn Constraints<E::Scalar>,
    head: Head<E>,
    first: Multiples<E::G1>,
    second: Multiples<E::G2>,
}

impl<'c, E: PairingCurve> NewKey<'c, E> {
    pub(super) fn new(
        device: &Device,
        secrets: &Secrets<E::Scalar>,
        circuit: &'c dyn Constraints<E::Scalar>,
        basis: Basis,
    ) -> Result<Self> {
        let exponents = Exponents::new(secrets, circuit, basis)?;
        let Secrets { alpha, beta, gamma, delta, .. } = *secrets;
        let (of_first, of_second) = Self::multiples(circuit.variables(), exponents.domain.len());
        let first = of_first.plan(device)?.prepare_with(device, Affine::<E::G1>::generator())?;
        let second = of_second.plan(device)?.prepare_with(device, Affine::<E::G2>::generator())?;
        let [alpha, beta1, delta1] = three(first.run(&[alpha, beta, delta])?)?;
        let [beta2, gamma, delta2] = three(second.run(&[beta, gamma, delta])?)?;
        let head = Head { alpha, beta1, beta2, gamma, delta1, delta2 };
        Ok(NewKey { exponents, circuit, head, first, second })
    }

    /// The multiples of the generators that a key for a circuit with so many variables and roots takes.
    pub fn multiples(variables: usize, roots: usize) -> (FixedBase<E::G1>, FixedBase<E::G2>) {
        let of_first = variables.saturating_mul(3).saturating_add(roots);
        (FixedBase::new(of_first), FixedBase::new(variables))
    }

    /// The maximum number of bytes of host memory that a key of a circuit with so many variables and roots takes while it is written,
    /// beside the circuit and the multiples.
    pub fn host_bytes(variables: usize, roots: usize) -> u64 {
        let scalars = 3 * (size_of::<E::Scalar>() * variables) as u64;
        // Scalars of the quotient, points and bytes of two pieces: those of a point of G2 are the most.
        let piece = roots.min(PIECE) as u64;
        scalars + piece * (size_of::<E::Scalar>() + 3 * size_of::<Affine<E::G2>>()) as u64
    }

    /// Leaves out the variables whose polynomial is 0 from the bases A and B, as keys of bellman do. Such a key has no constraints.
    #[must_use]
    pub fn without_zeros(mut self) -> Self {
        self.exponents.leave_out_zeros();
        self
    }

    /// The key that verifies.
    pub fn verifying(&self) -> Result<VerifyingKey<E>> {
        let Head { alpha, beta2: beta, gamma, delta2: delta, .. } = self.head;
        let public = self.points(Part::Public, 0..self.len(Part::Public))?.into_owned();
        Ok(VerifyingKey { alpha, beta, gamma, delta, public })
    }

    /// The whole key, without constraints.
    pub(super) fn collect(&self) -> Result<ProvingKey<E>> {
        let Exponents { domain, basis, .. } = self.exponents;
        let all = |part| self.points(part, 0..self.len(part)).map(Cow::into_owned);
        let mut quotient = all(Part::Quotient)?;
        if basis == Basis::OddRoots {
            // In memory they have the order of the field's own roots.
            let mut arranged = quotient.clone();
            for (i, point) in quotient.into_iter().enumerate() {
                arranged[domain.odd_position(i)] = point;
            }
            quotient = arranged;
        }
        let queries = Queries {
            a: all(Part::A)?,
            b: all(Part::B)?,
            b2: self.second(0..self.len(Part::B))?.into_owned(),
            secret: all(Part::Secret)?,
            quotient,
        };
        let (verifying, Head { beta1: beta, delta1: delta, .. }) = (self.verifying()?, self.head);
        Ok(ProvingKey { verifying, beta, delta, queries, constraints: None, domain, basis })
    }
}

/// The points of three scalars.
fn three<P>(points: Vec<P>) -> Result<[P; 3]> {
    points
        .try_into()
        .map_err(|points: Vec<P>| Error::Device(format!("{} multiples of three scalars", points.len())))
}

impl<E: PairingCurve> KeySource<E> for NewKey<'_, E> {
    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn domain(&self) -> Domain {
        self.exponents.domain
    }

    fn basis(&self) -> Basis {
        self.exponents.basis
    }

    fn head(&self) -> Head<E> {
        self.head
    }

    fn len(&self, part: Part) -> usize {
        let (Exponents { a, b, bound, .. }, known) = (&self.exponents, self.circuit.public() + 1);
        match part {
            Part::Public => known,
            Part::A => a.len(),
            Part::B => b.len(),
            Part::Secret => bound.len() - known,
            Part::Quotient => self.exponents.quotient_len(),
        }
    }

    fn points(&self, part: Part, range: Range<usize>) -> Result<Cow<'_, [Affine<E::G1>]>> {
        let (Exponents { a, b, bound, .. }, known) = (&self.exponents, self.circuit.public() + 1);
        let points = match part {
            Part::Public => self.first.run(&bound[..known][range]),
            Part::A => self.first.run(&a[range]),
            Part::B => self.first.run(&b[range]),
            Part::Secret => self.first.run(&bound[known..][range]),
            Part::Quotient => self.first.run(&self.exponents.quotient(range)),
        };
        points.map(Cow::Owned)
    }

    fn second(&self, range: Range<usize>) -> Result<Cow<'_, [Affine<E::G2>]>> {
        self.second.run(&self.exponents.b[range]).map(Cow::Owned)
    }

    fn coefficients(&self) -> Option<usize> {
        (!self.exponents.has_left_out).then(|| self.exponents.coefficients.iter().sum())
    }

    fn each_coefficient(&self, matrix: usize, visit: &mut dyn FnMut(u32, u32, E::Scalar)) {
        use ark_ff::Field;
        let mut i = 0;
        self.circuit.each(&mut |rows| {
            rows[matrix].iter().for_each(|(factor, variable)| visit(i, *variable, *factor));
            i += 1;
        });
        if matrix == 0 {
            (0..=self.circuit.public() as u32)
                .for_each(|variable| visit(i + variable, variable, E::Scalar::ONE));
        }
    }
}
