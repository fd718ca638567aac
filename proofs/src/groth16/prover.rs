//! Proofs by a key whose bases are resident.

use std::iter::zip;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(test)]
use ark_ff::Zero;
use zeroize::Zeroize;

use super::cleared::Cleared;
use super::points::{Blinding, Random, Sums, random_scalar};
use super::quotient::Quotient;
use super::{Proof, ProvingKey, ProvingPlan, Queries, Verifier, VerifyingKey};
use wgalois::curve::{Affine, PairingCurve};
use wgalois::gpu::{Gpu, block_on};
use wgalois::msm::{Bases, PendingMultiplication, Points};
use wgalois::ntt::scalar::Vector;
use wgalois::timeline::Phase;
use wgalois::{Device, Error, Result};

/// A key prepared for proofs by [`ProvingPlan::prepare`]: bases, matrices and transforms on the device. It makes any
/// number of proofs.
pub struct Prover<E: PairingCurve> {
    device: Device,
    verifier: Verifier<E>,
    beta: Affine<E::G1>,
    delta: Affine<E::G1>,
    variables: usize,
    a: Bases<'static, E::G1>,
    b: Bases<'static, E::G1>,
    secret: Bases<'static, E::G1>,
    quotient_bases: Bases<'static, E::G1>,
    b2: Bases<'static, E::G2>,
    quotient: Quotient<E::Scalar>,
    /// A vector of zeros on the GPU, for the next witness.
    spare: Mutex<Option<Cleared<E::Scalar>>>,
}

impl<E: PairingCurve> Prover<E> {
    pub(super) fn prepare(device: &Device, plan: &ProvingPlan<E>, key: ProvingKey<E>) -> Result<Self> {
        key.check_sizes()?;
        let variables = key.variables();
        let largest = key.a.largest_column().max(key.b.largest_column());
        if let Some(variable) = largest.filter(|&variable| variable as usize >= variables) {
            return Err(Error::Input(format!("variable {variable} of {variables} in the constraints")));
        }
        let ProvingKey { verifying, beta, delta, queries, a, b, domain, basis } = key;
        let Queries { a: a_bases, b: b_bases, b2, secret, quotient } = queries;
        let [a_plan, b_plan, secret_plan, quotient_plan] = &plan.plans;
        Ok(Prover {
            device: device.clone(),
            verifier: Verifier::new(verifying),
            beta,
            delta,
            variables,
            a: a_plan.prepare_with(device, Points::new(a_bases).with_name("A"))?,
            b: b_plan.prepare_with(device, Points::new(b_bases).with_name("B"))?,
            secret: secret_plan.prepare_with(device, Points::new(secret).with_name("L"))?,
            quotient_bases: quotient_plan.prepare_with(device, Points::new(quotient).with_name("H"))?,
            b2: plan.second.prepare_with(device, Points::new(b2).with_name("B in G2"))?,
            quotient: device
                .timeline()
                .time(Phase::Preparing, "constraints", || Quotient::new(device, [a, b], domain, basis))?,
            spare: Mutex::default(),
        })
    }

    /// The key that verifies the proofs.
    pub fn verifying(&self) -> &VerifyingKey<E> {
        self.verifier.key()
    }

    /// The same, prepared to verify many proofs.
    pub fn verifier(&self) -> &Verifier<E> {
        &self.verifier
    }

    /// The public values of a witness: those after the constant.
    ///
    /// # Errors
    /// [`Error::Input`] for a witness of another circuit: of another length, or without the constant 1.
    pub fn public<'w>(&self, witness: &'w [E::Scalar]) -> Result<&'w [E::Scalar]> {
        self.expect(witness)?;
        Ok(&witness[1..self.verifying().public.len()])
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

    /// One proof for each witness. While a GPU works on one, the host submits the next and finishes the one before.
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
        match &self.device {
            Device::Gpu(gpu) => self.prove_on(gpu, witnesses, random).await,
            _ => self.prove_from_host(witnesses, random).await,
        }
    }

    /// Proofs on one GPU, to which each witness goes once. All work of a proof is submitted before the host waits for
    /// its first sum, and that of the next proof before it waits for this one's:
    ///
    /// ```text
    /// host     upload 0, submit 0 | upload 1, submit 1 | sums 0 | upload 2, submit 2 | sums 1 ...
    /// device            | B in G2, A, B, L, products, transforms, H of 0 | those of 1 ...
    /// ```
    async fn prove_on(
        &self,
        gpu: &Gpu,
        witnesses: &[&[E::Scalar]],
        random: &[Random<E>],
    ) -> Result<Vec<Proof<E>>> {
        let mut proofs = Vec::with_capacity(witnesses.len());
        let mut before = None;
        let all = self.prove_in_turn(gpu, witnesses, random, &mut before, &mut proofs).await;
        if all.is_err() {
            // Staging buffers are cleared after an error, too; one that is under way only comes back once it is read.
            if let Some((begun, random)) = before {
                let _ = self.end(begun, random).await;
            }
            let _ = gpu.clear_uploads_async().await;
        }
        let cleared = gpu.clear_downloads();
        let waited = gpu.wait_async().await;
        all.and(cleared).and(waited)?;
        Ok(proofs)
    }

    /// The proofs of [`prove_on`](Self::prove_on), and in `before` the one that is under way if this ends early.
    async fn prove_in_turn<'r>(
        &self,
        gpu: &Gpu,
        witnesses: &[&[E::Scalar]],
        random: &'r [Random<E>],
        before: &mut Option<(Begun<E>, &'r Random<E>)>,
        proofs: &mut Vec<Proof<E>>,
    ) -> Result<()> {
        for (witness, random) in zip(witnesses, random) {
            let begun = self.begin(witness).await?;
            if let Some((begun, random)) = before.replace((begun, random)) {
                proofs.push(self.end(begun, random).await?);
            }
        }
        // The device is done with the uploads, and works on the last proof.
        gpu.clear_uploads_async().await?;
        if let Some((begun, random)) = before.take() {
            proofs.push(self.end(begun, random).await?);
        }
        Ok(())
    }

    /// Submits all work of a proof. The longest comes first: the device is busy while the rest is recorded.
    async fn begin(&self, witness: &[E::Scalar]) -> Result<Begun<E>> {
        let spare = self.spare().take();
        let mut vector = match spare {
            Some(vector) => vector,
            None => self.quotient.zeros(self.variables)?,
        };
        let Vector::Device(scalars) = &mut *vector else { return Err(elsewhere()) };
        scalars.write_async(0, witness).await?;
        let scalars = &*scalars;
        let all = 0..self.variables;
        let b2 = self.b2.begin_on_device_async(scalars, all.clone()).await?;
        let a = self.a.begin_on_device_async(scalars, all.clone()).await?;
        let b = self.b.begin_on_device_async(scalars, all.clone()).await?;
        let secret = self.verifying().public.len()..all.end;
        let secret = self.secret.begin_on_device_async(scalars, secret).await?;
        let values = self.quotient.scalars(&vector)?;
        let Vector::Device(scalars) = values.scalars() else { return Err(elsewhere()) };
        let used = 0..self.quotient_bases.len();
        let quotient = self.quotient_bases.begin_on_device_async(scalars, used).await?;
        self.quotient.clear(values)?;
        vector.clear()?;
        *self.spare() = Some(vector);
        Ok(Begun { a, b, b2, secret, quotient })
    }

    /// Waits for the sums of a proof, in the order in which they were begun.
    async fn end(&self, begun: Begun<E>, random: &Random<E>) -> Result<Proof<E>> {
        let Begun { a, b, b2, secret, quotient } = begun;
        let blinding = self.blinding(random);
        let b2 = self.b2.end_async(b2).await?;
        let (a, b) = (self.a.end_async(a).await?, self.b.end_async(b).await?);
        // The device still works on the last two sums.
        let part = blinding.with(&Sums { a, b, b2 }, random);
        let secret = self.secret.end_async(secret).await?;
        let quotient = self.quotient_bases.end_async(quotient).await?;
        Ok(part.with(secret, quotient))
    }

    /// True if the vectors that are kept between proofs have only zeros.
    #[cfg(test)]
    pub(super) fn leaves_nothing(&self) -> Result<bool> {
        let spare = self.spare();
        let witness = spare.as_ref().map_or(Ok(Vec::new()), |vector| vector.download())?;
        Ok(witness.iter().all(Zero::is_zero) && self.quotient.leaves_nothing()?)
    }

    fn spare(&self) -> MutexGuard<'_, Option<Cleared<E::Scalar>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Proofs with multiplications that take scalars from the host: on the CPU engine, and on several GPUs, of which the
    /// fastest computes the quotient.
    async fn prove_from_host(
        &self,
        witnesses: &[&[E::Scalar]],
        random: &[Random<E>],
    ) -> Result<Vec<Proof<E>>> {
        let secret: Vec<_> =
            witnesses.iter().map(|witness| &witness[self.verifying().public.len()..]).collect();
        let a = self.a.run_many_async(witnesses).await?;
        let b = self.b.run_many_async(witnesses).await?;
        let b2 = self.b2.run_many_async(witnesses).await?;
        let secret = self.secret.run_many_async(&secret).await?;
        let mut quotient = Vec::with_capacity(witnesses.len());
        for witness in witnesses {
            quotient.push(self.quotient_from_host(witness).await?);
        }
        let sums = zip(zip(a, b), b2).map(|((a, b), b2)| Sums { a, b, b2 });
        let parts = zip(sums, random).map(|(sums, random)| self.blinding(random).with(&sums, random));
        Ok(zip(parts, zip(secret, quotient))
            .map(|(part, (secret, quotient))| part.with(secret, quotient))
            .collect())
    }

    /// The quotient of a witness times its bases.
    async fn quotient_from_host(&self, witness: &[E::Scalar]) -> Result<Affine<E::G1>> {
        let vector = self.quotient.upload(witness)?;
        let values = self.quotient.scalars(&vector)?;
        drop(vector);
        let used = self.quotient_bases.len();
        let sum = match values.scalars() {
            Vector::Host(scalars) => self.quotient_bases.multiply_async(&scalars[..used]).await?,
            Vector::Device(scalars) => {
                let mut scalars = scalars.download_async().await?;
                let sum = self.quotient_bases.multiply_async(&scalars[..used]).await;
                scalars.zeroize();
                sum?
            }
        };
        self.quotient.clear(values)?;
        Ok(sum)
    }

    /// The parts of a proof's points that do not depend on the witness.
    fn blinding(&self, random: &Random<E>) -> Blinding<E> {
        Blinding::new(self.verifying(), [self.beta, self.delta], random)
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

impl<E: PairingCurve> Drop for Prover<E> {
    fn drop(&mut self) {
        // What the multiplications leave on the device is cleared before it is given back. A device with a fault keeps
        // nothing to clear.
        let bases = [&self.a, &self.b, &self.secret, &self.quotient_bases];
        let cleared = bases.into_iter().map(Bases::clear).fold(Ok(()), Result::and);
        let _ = cleared.and(self.b2.clear());
    }
}

fn elsewhere() -> Error {
    Error::Device("the vectors of a proof are not on its GPU".into())
}

/// The five multiplications of a proof that a GPU works on.
struct Begun<E: PairingCurve> {
    a: PendingMultiplication<E::G1>,
    b: PendingMultiplication<E::G1>,
    b2: PendingMultiplication<E::G2>,
    secret: PendingMultiplication<E::G1>,
    quotient: PendingMultiplication<E::G1>,
}
