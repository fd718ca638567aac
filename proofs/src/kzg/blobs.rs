//! Commitments to blobs, and their proofs, by resident bases.

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ff::AdditiveGroup;

use super::verify::{check, check_sum, first_outside, random_factors};
use super::{Blob, Claim, Opening, TrustedSetup, challenge};
use wgalois::curve::Bls12_381;
use wgalois::msm::{Bases, Multiplication, Points, sum_of_multiples};
use wgalois::task::Planned;
use wgalois::verify::Guarantee;
use wgalois::{Device, Error, Result, Wrong};

/// Commitments to blobs, by bases that stay on the device. Points are the values of a blob, 4096 on Ethereum; vectors are the
/// blobs of a call, one by default, for the expected time: any number can be committed to.
pub type Committing = Multiplication<Bls12_381>;

/// The plan of commitments on one device: one multiplication a blob.
pub type CommittingPlan = Planned<Committing>;

/// A trusted setup on a device. The functions are those of EIP-4844, on batches.
pub struct Blobs {
    bases: Bases<'static, Bls12_381>,
}

impl Blobs {
    /// Prepares the bases of a setup on the device that was planned for.
    pub fn new(device: &Device, plan: &CommittingPlan, setup: TrustedSetup) -> Result<Self> {
        Ok(Blobs { bases: plan.prepare_with(device, Points::new(setup.lagrange))? })
    }

    /// The number of values of a blob.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// False: a setup has points.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    /// Commitments to blobs (`blob_to_kzg_commitment`).
    pub fn commit(&self, blobs: &[Blob]) -> Result<Vec<G1Affine>> {
        self.expect(blobs)?;
        let values: Vec<&[Fr]> = blobs.iter().map(Blob::values).collect();
        self.bases.run_many(&values)
    }

    /// The values of blobs' polynomials at a point for each, with proofs (`compute_kzg_proof`).
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
    pub fn check(&self, claims: &[Claim], proofs: &[G1Affine]) -> Result<Guarantee> {
        check(claims, proofs, &self.tau)
    }

    /// Checks that commitments are to blobs (`verify_blob_kzg_proof` and its batch), all at once, on the host.
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
        self.check(&claims, proofs)?;
        Ok(Guarantee::probable("the commitments are to these blobs, and the proofs hold for them", 126))
    }
}

impl TrustedSetup {
    /// Checks that commitments which a device computed are to these blobs. The host computes the sum of the commitments by random
    /// factors from the blobs, by an algorithm that no engine uses.
    pub fn check_commitments(&self, blobs: &[Blob], commitments: &[G1Affine]) -> Result<Guarantee> {
        expect_one_each(blobs, commitments.len(), "commitments")?;
        Wrong::none("commitment", first_outside(commitments), "is no point of the subgroup of order r")?;
        let factors = random_factors(blobs.len())?;
        let expected = self.sum_of(blobs, &factors)?;
        let hold = sum_of_multiples(commitments, &factors) == expected;
        Wrong::unless(hold, "a commitment that was computed is not to its blob")?;
        Ok(Guarantee::probable("the commitments are to these blobs", 127))
    }

    /// Checks openings of blobs which a device computed, each at its point, by the equation of pairings. The host computes the
    /// commitments that it takes from the blobs, as [`check_commitments`](Self::check_commitments) does.
    pub fn check_openings(
        &self,
        blobs: &[Blob],
        points: &[Fr],
        openings: &[Opening<Bls12_381>],
    ) -> Result<Guarantee> {
        expect_one_each(blobs, points.len(), "points")?;
        expect_one_each(blobs, openings.len(), "openings")?;
        let factors = random_factors(blobs.len())?;
        let commitment = self.sum_of(blobs, &factors)?;
        check_sum((commitment, &factors), points, openings, &self.tau)?;
        Ok(Guarantee::probable("the values and the proofs are those of these blobs", 127))
    }

    /// The sum of the blobs' commitments by these factors: the commitment to the sum of the blobs.
    fn sum_of(&self, blobs: &[Blob], factors: &[Fr]) -> Result<G1Projective> {
        blobs.iter().try_for_each(|blob| expect_size(blob, self.len()))?;
        let mut sum = vec![Fr::ZERO; self.len()];
        for (blob, factor) in blobs.iter().zip(factors) {
            sum.iter_mut().zip(&blob.values).for_each(|(sum, value)| *sum += *value * factor);
        }
        Ok(sum_of_multiples(&self.lagrange, &sum))
    }
}

fn expect_size(blob: &Blob, size: usize) -> Result<()> {
    Error::expect_length("values of a blob", size, blob.values.len())
}

fn expect_one_each(blobs: &[Blob], count: usize, what: &'static str) -> Result<()> {
    Error::expect_length(what, blobs.len(), count)
}
