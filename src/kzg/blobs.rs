//! Commitments to blobs, and their proofs, by resident bases.

use ark_bls12_381::{Fr, G1Affine};

use super::verify::check;
use super::{Blob, Claim, Opening, TrustedSetup, challenge};
use crate::curve::Bls12_381;
use crate::msm::Bases;
use crate::verify::Guarantee;
use crate::{Error, Result};

/// A trusted setup prepared by [`CommittingPlan::prepare`](super::CommittingPlan::prepare). The functions are those of
/// EIP-4844, on batches.
pub struct Blobs {
    pub(super) bases: Bases<'static, Bls12_381>,
}

impl Blobs {
    /// The number of values of a blob.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// False: a setup has points.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    /// Commitments to blobs (`blob_to_kzg_commitment`).
    ///
    /// # Errors
    /// [`Error::Input`] for a blob of another size; the device's faults.
    pub fn commit(&self, blobs: &[Blob]) -> Result<Vec<G1Affine>> {
        self.expect(blobs)?;
        let values: Vec<&[Fr]> = blobs.iter().map(Blob::values).collect();
        self.bases.run_many(&values)
    }

    /// The values of blobs' polynomials at a point for each, with proofs (`compute_kzg_proof`).
    ///
    /// # Errors
    /// As [`commit`](Self::commit); [`Error::Input`] for more or fewer points than blobs.
    pub fn open(&self, blobs: &[Blob], points: &[Fr]) -> Result<Vec<Opening<Bls12_381>>> {
        self.expect(blobs)?;
        expect_one_each(blobs, points.len(), "points")?;
        let (values, quotients): (Vec<Fr>, Vec<Vec<Fr>>) =
            blobs.iter().zip(points).map(|(blob, z)| blob.divided(*z)).unzip();
        let quotients: Vec<&[Fr]> = quotients.iter().map(Vec::as_slice).collect();
        let proofs = self.bases.run_many(&quotients)?;
        Ok(values.into_iter().zip(proofs).map(|(value, proof)| Opening { value, proof }).collect())
    }

    /// Proofs that commitments are to blobs (`compute_blob_kzg_proof`). The commitments are not checked.
    ///
    /// # Errors
    /// As [`commit`](Self::commit); [`Error::Input`] for more or fewer commitments than blobs.
    pub fn prove(&self, blobs: &[Blob], commitments: &[G1Affine]) -> Result<Vec<G1Affine>> {
        expect_one_each(blobs, commitments.len(), "commitments")?;
        let points: Vec<Fr> = blobs.iter().zip(commitments).map(|(blob, one)| challenge(blob, one)).collect();
        Ok(self.open(blobs, &points)?.into_iter().map(|opening| opening.proof).collect())
    }

    fn expect(&self, blobs: &[Blob]) -> Result<()> {
        blobs.iter().try_for_each(|blob| expect_size(blob, self.len()))
    }
}

impl TrustedSetup {
    /// Checks that committed polynomials have the claimed values (`verify_kzg_proof`), all at once, on the host.
    ///
    /// # Errors
    /// [`Error::Check`] if a proof does not hold; [`Error::Input`] for more or fewer proofs than claims.
    pub fn check(&self, claims: &[Claim], proofs: &[G1Affine]) -> Result<Guarantee> {
        check(claims, proofs, &self.tau)
    }

    /// Checks that commitments are to blobs (`verify_blob_kzg_proof` and its batch), all at once, on the host.
    ///
    /// # Errors
    /// As [`check`](Self::check); [`Error::Input`] for a blob of another size, and more or fewer commitments than blobs.
    pub fn check_blobs(
        &self,
        blobs: &[Blob],
        commitments: &[G1Affine],
        proofs: &[G1Affine],
    ) -> Result<Guarantee> {
        expect_one_each(blobs, commitments.len(), "commitments")?;
        expect_one_each(blobs, proofs.len(), "proofs")?;
        blobs.iter().try_for_each(|blob| expect_size(blob, self.len()))?;
        let claim = |(blob, commitment): (&Blob, &G1Affine)| {
            let z = challenge(blob, commitment);
            Claim { commitment: *commitment, z, y: blob.divided(z).0 }
        };
        let claims: Vec<Claim> = blobs.iter().zip(commitments).map(claim).collect();
        self.check(&claims, proofs)
    }
}

fn expect_size(blob: &Blob, size: usize) -> Result<()> {
    match blob.values.len() == size {
        true => Ok(()),
        false => {
            Err(Error::Input(format!("a blob of {} values, where the setup has {size}", blob.values.len())))
        }
    }
}

fn expect_one_each(blobs: &[Blob], count: usize, what: &str) -> Result<()> {
    match blobs.len() == count {
        true => Ok(()),
        false => Err(Error::Input(format!("{count} {what} for {} blobs", blobs.len()))),
    }
}
