//! Commitments by the names of ark-poly-commit's `KZG10`.

use std::ops::Div;

use ark_ec::{CurveGroup, VariableBaseMSM};
use ark_poly::DenseUVPolynomial;
use ark_poly_commit::PCCommitmentState;
use ark_poly_commit::kzg10::{Commitment, Powers, Proof, Randomness};
use ark_std::rand::RngCore;
use wgalois::curve::{Affine, PairingCurve, Projective};
use wgalois::{Device, Error, Result};

/// [`Powers`] of ark-poly-commit on a device. Commitments and proofs are those of `KZG10`: from the same randomness,
/// the same points. `MarlinKZG10` and `SonicKZG10` have such powers in their `CommitterKey`.
///
/// ```
/// use ark_bn254::{Bn254, Fr};
/// use ark_poly::DenseUVPolynomial;
/// use ark_poly::univariate::DensePolynomial;
/// use ark_poly_commit::kzg10::{KZG10, Powers};
/// use ark_std::rand::{SeedableRng, rngs::StdRng};
/// use wgalois_arkworks::Committer;
/// use wgalois_arkworks::wgalois::{Cpu, Device};
///
/// type Poly = DensePolynomial<Fr>;
/// let mut rng = StdRng::seed_from_u64(1);
/// let params = KZG10::<Bn254, Poly>::setup(8, false, &mut rng)?;
/// let powers_of_gamma_g = params.powers_of_gamma_g.values().copied().collect();
/// let powers = Powers { powers_of_g: params.powers_of_g[..].into(), powers_of_gamma_g };
/// let (p, z) = (Poly::from_coefficients_slice(&[1, 2, 3].map(Fr::from)), Fr::from(5));
/// // Before.
/// let (commitment, randomness) = KZG10::commit(&powers, &p, None, None)?;
/// let proof = KZG10::open(&powers, &p, z, &randomness)?;
/// // After; `Device::Gpu(Gpu::new()?)` is the first GPU.
/// let committer = Committer::<Bn254>::new(&Device::Cpu(Cpu::default()), &powers)?;
/// assert_eq!(committer.commit(&p, None, None)?.0, commitment);
/// assert_eq!(committer.open(&p, z, &randomness)?, proof);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// - [`Error::NotOnCurve`]: a power of g is not on the curve.
/// - [`Error::Input`]: there are more coefficients than powers, also of those that hide.
/// - [`Error::Usage`]: a bound of what is to be hidden comes without randomness.
pub struct Committer<'p, E: PairingCurve> {
    committer: wgalois_proofs::kzg::Committer<'p, E::G1>,
    hiding: &'p [Affine<E::G1>],
}

/// A commitment, and the randomness that hides it.
pub type Committed<E, P> =
    (Commitment<<E as PairingCurve>::Pairing>, Randomness<<E as PairingCurve>::Scalar, P>);

impl<'p, E: PairingCurve> Committer<'p, E> {
    /// Prepares powers, after the host has checked that those of g lie on the curve.
    pub fn new(device: &Device, powers: &'p Powers<'_, E::Pairing>) -> Result<Self> {
        let committer = wgalois_proofs::kzg::Committer::new(device, &powers.powers_of_g)?;
        Ok(Committer { committer, hiding: &powers.powers_of_gamma_g })
    }

    /// The number of powers: the largest number of coefficients.
    pub fn size(&self) -> usize {
        self.committer.len()
    }

    /// The commitment to a polynomial, and what was added to hide it: nothing without a bound. The host multiplies the
    /// coefficients that hide, `hiding_bound + 2` of them.
    pub fn commit<P: DenseUVPolynomial<E::Scalar>>(
        &self,
        polynomial: &P,
        hiding_bound: Option<usize>,
        rng: Option<&mut dyn RngCore>,
    ) -> Result<Committed<E, P>> {
        let commitment = self.committer.commit(polynomial.coeffs())?;
        let Some(bound) = hiding_bound else { return Ok((Commitment(commitment), Randomness::empty())) };
        let mut rng = rng.ok_or_else(|| Error::needs("a commitment that hides", "randomness"))?;
        self.check_hiding(bound.saturating_add(2))?;
        let randomness = Randomness::<E::Scalar, P>::rand(bound, false, None, &mut rng);
        let hidden = self.hide(randomness.blinding_polynomial.coeffs())? + commitment;
        Ok((Commitment(hidden.into_affine()), randomness))
    }

    /// Commitments to several polynomials, which hide nothing. A device works on one while the host prepares the next.
    pub fn commit_many<P: DenseUVPolynomial<E::Scalar>>(
        &self,
        polynomials: &[&P],
    ) -> Result<Vec<Commitment<E::Pairing>>> {
        let polynomials: Vec<_> = polynomials.iter().map(|polynomial| polynomial.coeffs()).collect();
        Ok(self.committer.commit_many(&polynomials)?.into_iter().map(Commitment).collect())
    }

    /// The proof of a polynomial's value at a point, with the randomness of its commitment.
    pub fn open<P>(
        &self,
        polynomial: &P,
        point: E::Scalar,
        randomness: &Randomness<E::Scalar, P>,
    ) -> Result<Proof<E::Pairing>>
    where
        P: DenseUVPolynomial<E::Scalar, Point = E::Scalar>,
        for<'a, 'b> &'a P: Div<&'b P, Output = P>,
    {
        let proof = self.committer.open(polynomial.coeffs(), point)?.proof;
        if !randomness.is_hiding() {
            return Ok(Proof { w: proof, random_v: None });
        }
        let blinding = &randomness.blinding_polynomial;
        let divisor = P::from_coefficients_vec(vec![-point, E::Scalar::from(1u64)]);
        let hidden = self.hide((blinding / &divisor).coeffs())? + proof;
        Ok(Proof { w: hidden.into_affine(), random_v: Some(blinding.evaluate(&point)) })
    }

    /// The sum of the coefficients times the powers of gamma g, on the host.
    fn hide(&self, coefficients: &[E::Scalar]) -> Result<Projective<E::G1>> {
        self.check_hiding(coefficients.len())?;
        Ok(VariableBaseMSM::msm_unchecked(&self.hiding[..coefficients.len()], coefficients))
    }

    fn check_hiding(&self, coefficients: usize) -> Result<()> {
        Error::expect_at_most("coefficients to hide with", self.hiding.len() as u64, coefficients as u64)
    }
}
