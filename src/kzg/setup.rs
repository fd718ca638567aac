//! Ethereum's trusted setup.

use ark_bls12_381::{Bls12_381 as Pairing, G1Affine, G1Projective, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};

use crate::curve::PairingCurve;
use crate::{Error, Result};

/// The points of a trusted setup for blobs of n values, n a power of two: 4096 on Ethereum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedSetup {
    /// `L_i(tau) G` for the Lagrange polynomials of the n-th roots of unity, in the order of blobs: the root of value i is
    /// the power of bit-reversed i.
    pub(super) lagrange: Vec<G1Affine>,
    /// tau in G2.
    pub(super) tau: G2Affine,
    /// `tau^i G`; empty if the file does not have them.
    pub(super) powers: Vec<G1Affine>,
}

impl TrustedSetup {
    /// A setup from the points of a file: in G1 for the Lagrange polynomials, by powers of the root; the powers
    /// of tau in G2; and the powers of tau in G1, which may be missing. The points are in the subgroups of order r.
    ///
    /// # Errors
    /// [`Error::Input`] for points that are not of one setup: the Lagrange polynomials sum to 1, so their points sum to the
    /// generator; the first powers are generators; tau is the same in both groups.
    pub fn new(mut lagrange: Vec<G1Affine>, powers2: &[G2Affine], powers: Vec<G1Affine>) -> Result<Self> {
        let n = lagrange.len();
        if !n.is_power_of_two() || !(2..=1 << 20).contains(&n) {
            return Err(Error::Input(format!("{n} points of G1, which is no power of two from 2 to 2^20")));
        }
        if !powers.is_empty() && powers.len() != n {
            return Err(Error::Input(format!("{} powers in G1, where {n} were expected", powers.len())));
        }
        let [generator, tau, ..] = powers2 else {
            return Err(Error::Input(format!(
                "{} powers in G2, where 2 or more were expected",
                powers2.len()
            )));
        };
        let (first, second) = (G1Affine::generator(), G2Affine::generator());
        if *generator != second || powers.first().is_some_and(|power| *power != first) {
            return Err(Error::Input("the first power of tau is not the generator".into()));
        }
        if lagrange.iter().sum::<G1Projective>().into_affine() != first {
            return Err(Error::Input("the Lagrange points do not sum to the generator of G1".into()));
        }
        if let Some(power) = powers.get(1)
            && !Pairing::product_is_one(&[(*power, second), (-first, *tau)])
        {
            return Err(Error::Input("tau in G1 is not tau in G2".into()));
        }
        for i in 0..n {
            let j = reversed(i, n);
            if i < j {
                lagrange.swap(i, j);
            }
        }
        Ok(TrustedSetup { lagrange, tau: *tau, powers })
    }

    /// The number of values of a blob.
    pub fn len(&self) -> usize {
        self.lagrange.len()
    }

    /// False: a setup has points.
    pub fn is_empty(&self) -> bool {
        self.lagrange.is_empty()
    }

    /// The powers of tau in G1, for a [`Committer`](super::Committer); empty if the file does not have them.
    pub fn powers(&self) -> &[G1Affine] {
        &self.powers
    }
}

/// i < n with its log2 n bits reversed.
pub(super) fn reversed(i: usize, n: usize) -> usize {
    i.reverse_bits() >> (usize::BITS - n.ilog2()).min(usize::BITS - 1)
}
