//! Proofs by a key whose bases are resident.

use std::iter::zip;

use ark_ec::CurveGroup;
use ark_ff::PrimeField;
use rand::TryRng;
use rand::rngs::SysRng;
use zeroize::Zeroize;

use super::quotient::Quotient;
use super::{Proof, ProvingKey, ProvingPlan, Queries, VerifyingKey};
use crate::curve::{Affine, PairingCurve, Projective};
use crate::gpu::block_on;
use crate::msm::Bases;
use crate::ntt::scalar::Vector;
use crate::timeline::Phase;
use crate::{Device, Error, Result};

/// A key prepared for proofs by [`ProvingPlan::prepare`]: bases and transforms on the device, matrices on the host. It
/// makes any number of proofs.
pub struct Prover<E: PairingCurve> {
    device: Device,
    verifying: VerifyingKey<E>,
    beta: Affine<E::G1>,
    delta: Affine<E::G1>,
    variables: usize,
    a: Bases<'static, E::G1>,
    b: Bases<'static, E::G1>,
    secret: Bases<'static, E::G1>,
    quotient_bases: Bases<'static, E::G1>,
    b2: Bases<'static, E::G2>,
    quotient: Quotient<E::Scalar>,
}

impl<E: PairingCurve> Prover<E> {
    pub(super) fn prepare(device: &Device, plan: &ProvingPlan<E>, key: ProvingKey<E>) -> Result<Self> {
        key.check_sizes()?;
        let variables = key.variables();
        let largest = key.a.largest_variable().max(key.b.largest_variable());
        if let Some(variable) = largest.filter(|&variable| variable as usize >= variables) {
            return Err(Error::Input(format!("variable {variable} of {variables} in the constraints")));
        }
        let ProvingKey { verifying, beta, delta, queries, a, b, domain, basis } = key;
        let Queries { a: a_bases, b: b_bases, b2, secret, quotient } = queries;
        let [a_plan, b_plan, secret_plan, quotient_plan] = &plan.plans;
        Ok(Prover {
            device: device.clone(),
            verifying,
            beta,
            delta,
            variables,
            a: a_plan.prepare_unchecked(device, a_bases)?,
            b: b_plan.prepare_unchecked(device, b_bases)?,
            secret: secret_plan.prepare_unchecked(device, secret)?,
            quotient_bases: quotient_plan.prepare_unchecked(device, quotient)?,
            b2: plan.second.prepare_unchecked(device, b2)?,
            quotient: device
                .timeline()
                .time(Phase::Preparing, "constraints", || Quotient::new(device, a, b, domain, basis))?,
        })
    }

    /// The key that verifies the proofs.
    pub fn verifying(&self) -> &VerifyingKey<E> {
        &self.verifying
    }

    /// The public values of a witness: those after the constant.
    ///
    /// # Errors
    /// [`Error::Input`] for a witness of another circuit: of another length, or without the constant 1.
    pub fn public<'w>(&self, witness: &'w [E::Scalar]) -> Result<&'w [E::Scalar]> {
        self.expect(witness)?;
        Ok(&witness[1..self.verifying.public.len()])
    }

    /// A proof for a witness, with randomness from the operating system.
    ///
    /// A witness that violates the constraints gives a proof that does not verify:
    /// [`VerifyingKey::check`] finds it.
    ///
    /// # Errors
    /// [`Error::Input`] for a witness of another circuit; the device's faults.
    pub fn prove(&self, witness: &[E::Scalar]) -> Result<Proof<E>> {
        block_on(self.prove_async(witness))
    }

    /// The asynchronous form of [`prove`](Self::prove), for browsers.
    ///
    /// # Errors
    /// As [`prove`](Self::prove).
    pub async fn prove_async(&self, witness: &[E::Scalar]) -> Result<Proof<E>> {
        let proofs = self.prove_many_async(&[witness]).await?;
        proofs.into_iter().next().ok_or_else(|| Error::Device("one witness gave no proof".into()))
    }

    /// One proof for each witness. The vectors of all are held at the same time.
    ///
    /// # Errors
    /// As [`prove`](Self::prove).
    pub fn prove_many(&self, witnesses: &[&[E::Scalar]]) -> Result<Vec<Proof<E>>> {
        block_on(self.prove_many_async(witnesses))
    }

    /// The asynchronous form of [`prove_many`](Self::prove_many), for browsers.
    ///
    /// # Errors
    /// As [`prove`](Self::prove).
    pub async fn prove_many_async(&self, witnesses: &[&[E::Scalar]]) -> Result<Vec<Proof<E>>> {
        let random = |_: &_| Ok((random_scalar()?, random_scalar()?));
        let mut random = witnesses.iter().map(random).collect::<Result<Vec<_>>>()?;
        let proofs = self.prove_with_async(witnesses, &random).await;
        for (r, s) in &mut random {
            r.zeroize();
            s.zeroize();
        }
        proofs
    }

    /// [`prove_many`](Self::prove_many) with r and s, the paper's names of the randomness, given for each witness. They
    /// have to be uniform, independent and secret for the proofs to hide the witnesses; with zeros they hide nothing.
    ///
    /// # Errors
    /// As [`prove`](Self::prove); [`Error::Input`] for more or fewer pairs than witnesses.
    pub fn prove_with(
        &self,
        witnesses: &[&[E::Scalar]],
        random: &[(E::Scalar, E::Scalar)],
    ) -> Result<Vec<Proof<E>>> {
        block_on(self.prove_with_async(witnesses, random))
    }

    /// The asynchronous form of [`prove_with`](Self::prove_with), for browsers.
    ///
    /// # Errors
    /// As [`prove_with`](Self::prove_with).
    pub async fn prove_with_async(
        &self,
        witnesses: &[&[E::Scalar]],
        random: &[(E::Scalar, E::Scalar)],
    ) -> Result<Vec<Proof<E>>> {
        if witnesses.len() != random.len() {
            let (witnesses, random) = (witnesses.len(), random.len());
            return Err(Error::Input(format!("{random} pairs of random scalars for {witnesses} witnesses")));
        }
        witnesses.iter().try_for_each(|witness| self.expect(witness))?;
        let secret: Vec<_> =
            witnesses.iter().map(|witness| &witness[self.verifying.public.len()..]).collect();
        let a = self.a.run_many_async(witnesses).await?;
        let b = self.b.run_many_async(witnesses).await?;
        let b2 = self.b2.run_many_async(witnesses).await?;
        let secret = self.secret.run_many_async(&secret).await?;
        let mut quotient = Vec::with_capacity(witnesses.len());
        for witness in witnesses {
            quotient.push(self.quotient_sum(witness).await?);
        }
        let first = zip(zip(a, b), zip(secret, quotient));
        let sums =
            first.zip(b2).map(|(((a, b), (secret, quotient)), b2)| Sums { a, b, b2, secret, quotient });
        Ok(zip(sums, random).map(|(sums, random)| self.assemble(&sums, *random)).collect())
    }

    /// The quotient of a witness times its bases.
    async fn quotient_sum(&self, witness: &[E::Scalar]) -> Result<Affine<E::G1>> {
        let mut scalars = self.quotient.scalars(witness)?;
        let sum = match (&scalars, &self.device) {
            (Vector::Host(scalars), _) => self.quotient_bases.run_async(scalars).await?,
            // Bases that several GPUs share take scalars from the host.
            (Vector::Device(scalars), Device::Group(_)) => {
                self.quotient_bases.run_async(&scalars.download_async().await?).await?
            }
            (Vector::Device(scalars), _) => self.quotient_bases.run_on_device_async(scalars).await?,
        };
        scalars.clear()?;
        Ok(sum)
    }

    /// The proof of the paper's section 3.2, from the sums.
    fn assemble(&self, sums: &Sums<E>, (r, s): (E::Scalar, E::Scalar)) -> Proof<E> {
        let delta: Projective<E::G1> = self.delta.into();
        let a = delta * r + self.verifying.alpha + sums.a;
        let b = delta * s + self.beta + sums.b;
        let b2 = Projective::from(self.verifying.delta) * s + self.verifying.beta + sums.b2;
        let c = a * s + b * r - delta * (r * s) + sums.secret + sums.quotient;
        Proof { a: a.into_affine(), b: b2.into_affine(), c: c.into_affine() }
    }

    fn expect(&self, witness: &[E::Scalar]) -> Result<()> {
        if witness.len() != self.variables {
            return Err(Error::Input(format!(
                "a witness of {} values for a circuit of {} variables: it belongs to another circuit",
                witness.len(),
                self.variables
            )));
        }
        match witness.first() == Some(&E::Scalar::from(1u64)) {
            true => Ok(()),
            false => Err(Error::Input("the first value of the witness is not 1".into())),
        }
    }
}

/// The five sums of a proof.
struct Sums<E: PairingCurve> {
    a: Affine<E::G1>,
    b: Affine<E::G1>,
    b2: Affine<E::G2>,
    secret: Affine<E::G1>,
    quotient: Affine<E::G1>,
}

/// A uniform element of a field of at most 256 bits, from the operating system: 512 bits modulo the order, which
/// is off by a chance of at most 2^-256.
///
/// # Errors
/// [`Error::Device`] if the system has no randomness.
pub(super) fn random_scalar<F: PrimeField>() -> Result<F> {
    let mut bytes = [0; 64];
    let filled = SysRng.try_fill_bytes(&mut bytes);
    filled.map_err(|error| Error::Device(format!("no randomness from the system: {error}")))?;
    let scalar = F::from_le_bytes_mod_order(&bytes);
    bytes.zeroize();
    Ok(scalar)
}
