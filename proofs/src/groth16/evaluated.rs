//! A witness with what its circuit makes of it.

use std::fmt;

use zeroize::Zeroize;

use super::Witness;
use super::density::Dense;
use wgalois::scalars::Scalar;
use wgalois::{Error, Result};

/// A witness with what a circuit makes of it, for a key without constraints: the scalars of each set of bases, and the values of
/// A w and B w. Its values are overwritten with zeros when it is dropped, and are not printed.
///
/// C w has no place here: it is A w times B w, constraint by constraint. Who synthesises a circuit compares the two there; of
/// values that violate a constraint, the proof does not verify.
///
/// [`Prover::prove_evaluated`](super::Prover::prove_evaluated) takes it.
pub struct EvaluatedWitness<F: Zeroize> {
    /// The scalars of the bases A.
    pub a: Witness<F>,
    /// The scalars of the bases B, in G1 and in G2.
    pub b: Witness<F>,
    /// The secret variables.
    pub secret: Witness<F>,
    /// A w and B w: a value for each constraint, then for each of those that bind the public variables. The other roots of the
    /// key's domain have 0.
    pub products: [Witness<F>; 2],
}

impl<F: Zeroize> EvaluatedWitness<F> {
    /// The slices of the vectors.
    pub(super) fn terms(&self) -> Terms<'_, F> {
        let [a_w, b_w] = &self.products;
        Terms { a: &self.a, b: &self.b, secret: &self.secret, rows: Rows::Evaluated([a_w, b_w]) }
    }
}

impl<F: Zeroize> fmt::Debug for EvaluatedWitness<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EvaluatedWitness { a, b, secret, products: [a_w, b_w] } = self;
        let lengths = [a.len(), b.len(), secret.len(), a_w.len(), b_w.len()];
        f.debug_struct("EvaluatedWitness").field("lengths", &lengths).finish_non_exhaustive()
    }
}

/// The witnesses of a run: as they are, for a key with constraints, or evaluated.
#[derive(Clone, Copy)]
pub enum Witnesses<'w, F: Zeroize> {
    /// The values of all variables.
    Whole(&'w [&'w [F]]),
    /// What a circuit made of them.
    Evaluated(&'w [&'w EvaluatedWitness<F>]),
}

/// What a proof takes of one witness.
#[derive(Clone, Copy)]
pub(super) struct Terms<'w, F> {
    /// The scalars of the bases A.
    pub(super) a: &'w [F],
    /// The scalars of the bases B.
    pub(super) b: &'w [F],
    /// The scalars of the bases of secret variables.
    pub(super) secret: &'w [F],
    /// What A w and B w come from.
    pub(super) rows: Rows<'w, F>,
}

/// What A w and B w come from.
#[derive(Clone, Copy)]
pub(super) enum Rows<'w, F> {
    /// The whole witness, by the constraints.
    Witness(&'w [F]),
    /// They are given.
    Evaluated([&'w [F]; 2]),
}

impl<'w, F: Zeroize> Witnesses<'w, F> {
    /// The number of witnesses.
    pub(super) fn len(&self) -> usize {
        match self {
            Witnesses::Whole(witnesses) => witnesses.len(),
            Witnesses::Evaluated(witnesses) => witnesses.len(),
        }
    }

    /// Witness i as it is, if it was not evaluated.
    pub(super) fn whole(self, i: usize) -> Option<&'w [F]> {
        match self {
            Witnesses::Whole(witnesses) => witnesses.get(i).copied(),
            Witnesses::Evaluated(_) => None,
        }
    }

    /// What a proof takes of each, of which the first `known` variables are public. They were checked.
    pub(super) fn terms(self, known: usize) -> impl Iterator<Item = Terms<'w, F>> {
        (0..self.len()).map(move |i| match self {
            Witnesses::Whole(witnesses) => {
                let witness = witnesses[i];
                Terms { a: witness, b: witness, secret: &witness[known..], rows: Rows::Witness(witness) }
            }
            Witnesses::Evaluated(witnesses) => witnesses[i].terms(),
        })
    }
}

impl<'w, F: Scalar> Terms<'w, F> {
    /// The same with the scalars of bases that leave variables out.
    pub(super) fn with<'d>(self, Dense([a, b]): &'d Dense<F>) -> Terms<'d, F>
    where
        'w: 'd,
    {
        let (a, b) = (a.as_deref().unwrap_or(self.a), b.as_deref().unwrap_or(self.b));
        Terms { a, b, ..self }
    }
}

impl<F> Terms<'_, F> {
    /// Refuses scalars of another circuit than that of a key with so many bases A, B and of secret variables, and so many roots.
    pub(super) fn expect(&self, [a, b, secret]: [usize; 3], roots: usize) -> Result<()> {
        Error::expect_length("scalars of the bases A", a, self.a.len())?;
        Error::expect_length("scalars of the bases B", b, self.b.len())?;
        Error::expect_length("secret variables", secret, self.secret.len())?;
        let Rows::Evaluated([a_w, b_w]) = self.rows else { return Ok(()) };
        Error::expect_length("values of B w", a_w.len(), b_w.len())?;
        Error::expect_at_most("values of A w", roots as u64, a_w.len() as u64)
    }
}
