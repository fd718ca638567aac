//! What the file of a key has, piece by piece.

use std::borrow::Cow;
use std::ops::Range;

use super::{Basis, Domain, ProvingKey, Queries};
use wgalois::Result;
use wgalois::curve::{Affine, PairingCurve};

/// The single points of a key.
pub struct Head<E: PairingCurve> {
    /// alpha in G1.
    pub alpha: Affine<E::G1>,
    /// beta in G1.
    pub beta1: Affine<E::G1>,
    /// beta in G2.
    pub beta2: Affine<E::G2>,
    /// gamma in G2.
    pub gamma: Affine<E::G2>,
    /// delta in G1.
    pub delta1: Affine<E::G1>,
    /// delta in G2.
    pub delta2: Affine<E::G2>,
}

impl<E: PairingCurve> Clone for Head<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: PairingCurve> Copy for Head<E> {}

/// The points of a key in G1 that are as many as variables or roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The points of the constant and the public variables, which the verifying key has.
    Public,
    /// The bases A.
    A,
    /// The bases B.
    B,
    /// The bases of secret variables.
    Secret,
    /// The bases of the quotient, in the order in which the key numbers the roots.
    Quotient,
}

/// A key that a file is written from: one in memory, or one whose points are made meanwhile.
pub trait KeySource<E: PairingCurve>: Sync {
    /// Refuses a key whose parts contradict each other in size.
    fn check(&self) -> Result<()>;

    /// The roots of unity.
    fn domain(&self) -> Domain;

    /// The basis of the quotient.
    fn basis(&self) -> Basis;

    /// The single points.
    fn head(&self) -> Head<E>;

    /// The number of points of a part. There are as many bases B in G2 as in G1.
    fn len(&self, part: Part) -> usize;

    /// Some points of a part.
    fn points(&self, part: Part, range: Range<usize>) -> Result<Cow<'_, [Affine<E::G1>]>>;

    /// Some bases B in G2.
    fn second(&self, range: Range<usize>) -> Result<Cow<'_, [Affine<E::G2>]>>;

    /// The number of coefficients in A and B; `None` for a key without constraints.
    fn coefficients(&self) -> Option<usize>;

    /// Calls `visit` with the constraint, the variable and the factor of each coefficient in A (0) or B (1), by constraints.
    fn each_coefficient(&self, matrix: usize, visit: &mut dyn FnMut(u32, u32, E::Scalar));
}

impl<E: PairingCurve> KeySource<E> for ProvingKey<E> {
    fn check(&self) -> Result<()> {
        self.check_sizes()
    }

    fn domain(&self) -> Domain {
        self.domain
    }

    fn basis(&self) -> Basis {
        self.basis
    }

    fn head(&self) -> Head<E> {
        let ProvingKey { verifying, beta, delta, .. } = self;
        Head {
            alpha: verifying.alpha,
            beta1: *beta,
            beta2: verifying.beta,
            gamma: verifying.gamma,
            delta1: *delta,
            delta2: verifying.delta,
        }
    }

    fn len(&self, part: Part) -> usize {
        let Queries { a, b, secret, quotient, .. } = &self.queries;
        match part {
            Part::Public => self.verifying.public.len(),
            Part::A => a.len(),
            Part::B => b.len(),
            Part::Secret => secret.len(),
            Part::Quotient => quotient.len(),
        }
    }

    fn points(&self, part: Part, range: Range<usize>) -> Result<Cow<'_, [Affine<E::G1>]>> {
        let Queries { a, b, secret, quotient, .. } = &self.queries;
        let points = match part {
            Part::Public => &self.verifying.public,
            Part::A => a,
            Part::B => b,
            Part::Secret => secret,
            Part::Quotient if self.basis == Basis::OddRoots => {
                let odd = |i| quotient[self.domain.odd_position(i)];
                return Ok(Cow::Owned(range.map(odd).collect()));
            }
            Part::Quotient => quotient,
        };
        Ok(Cow::Borrowed(&points[range]))
    }

    fn second(&self, range: Range<usize>) -> Result<Cow<'_, [Affine<E::G2>]>> {
        Ok(Cow::Borrowed(&self.queries.b2[range]))
    }

    fn coefficients(&self) -> Option<usize> {
        self.constraints.as_ref().map(|_| ProvingKey::coefficients(self))
    }

    fn each_coefficient(&self, matrix: usize, visit: &mut dyn FnMut(u32, u32, E::Scalar)) {
        for rows in self.constraints.iter().map(|both| &both[matrix & 1]) {
            for i in 0..self.domain.len() {
                rows.row(self.domain.position(i))
                    .for_each(|(variable, factor)| visit(i as u32, variable, factor));
            }
        }
    }
}
