//! Ethereum's trusted setup.

use ark_bls12_381::{G1Affine, G2Affine};

use super::structure;
use wgalois::{Error, Result};

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
    /// The points are checked to be those of one setup: each Lagrange point is that of its root for the tau of G2, and all powers are those
    /// of this tau. Points of which one is another, or stands in another place, pass with a chance of at most 2^-128.
    pub fn new(lagrange: Vec<G1Affine>, powers2: &[G2Affine], powers: Vec<G1Affine>) -> Result<Self> {
        check_sizes(&lagrange, powers2, &powers).map(drop)?;
        structure::check(&lagrange, powers2, &powers)?;
        Self::of_checked(lagrange, powers2, powers)
    }

    /// [`new`](Self::new) for points that passed its checks before. With others, commitments are wrong. Their numbers
    /// must be those of a setup.
    pub fn of_checked(
        mut lagrange: Vec<G1Affine>,
        powers2: &[G2Affine],
        powers: Vec<G1Affine>,
    ) -> Result<Self> {
        let tau = check_sizes(&lagrange, powers2, &powers)?;
        let n = lagrange.len();
        for i in 0..n {
            let j = reversed(i, n);
            if i < j {
                lagrange.swap(i, j);
            }
        }
        Ok(TrustedSetup { lagrange, tau, powers })
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

/// Refuses numbers of points that no setup has, and returns tau in G2.
fn check_sizes(lagrange: &[G1Affine], powers2: &[G2Affine], powers: &[G1Affine]) -> Result<G2Affine> {
    let n = lagrange.len();
    let (what, value, least, most) = ("number of points of G1", n as u64, 2, 1 << 20);
    if !n.is_power_of_two() || !(least..=most).contains(&value) {
        return Err(Error::NotAPowerOfTwo { what, value, least, most });
    }
    if !powers.is_empty() {
        Error::expect_length("powers in G1", n, powers.len())?;
    }
    Error::expect_at_least("powers in G2", 2, powers2.len() as u64)?;
    Ok(powers2[1])
}

/// i < n with its log2 n bits reversed.
pub(super) fn reversed(i: usize, n: usize) -> usize {
    i.reverse_bits() >> (usize::BITS - n.ilog2()).min(usize::BITS - 1)
}
