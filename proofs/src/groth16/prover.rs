//! Proofs by a key whose bases are resident.

use zeroize::Zeroize;

use super::evaluated::Witnesses;
use super::in_turn::InTurn;
use super::parts::Parts;
use super::points::random_scalar;
use super::problem::WITNESSES;
use super::{EvaluatedWitness, Proof, Proving, ProvingKey, ProvingPlan, Verifier, VerifyingKey};
use wgalois::curve::PairingCurve;
use wgalois::gpu::block_on;
use wgalois::task::Prepared;
use wgalois::{Device, Error, Result};

/// A key prepared for proofs: bases, matrices and transforms on the device. It makes any number of proofs.
pub struct Prover<E: PairingCurve> {
    verifier: Verifier<E>,
    prepared: Prepared<'static, Proving<E>>,
}

impl<E: PairingCurve> Prover<E> {
    /// Prepares the proofs by a key on the device that was planned for. The key's points are not checked here: a reader
    /// has done it, or they are trusted.
    pub fn new(device: &Device, plan: &ProvingPlan<E>, key: ProvingKey<E>) -> Result<Self> {
        let verifying = key.verifying.clone();
        let prepared = plan.prepare_with(device, key)?;
        Ok(Prover { verifier: Verifier::new(verifying), prepared })
    }

    /// [`new`](Self::new) for browsers, where no thread may block: it then awaits the device, which reports its faults late
    /// there.
    pub async fn new_async(device: &Device, plan: &ProvingPlan<E>, key: ProvingKey<E>) -> Result<Self> {
        let prover = Self::new(device, plan, key)?;
        if let Device::Gpu(gpu) = device {
            gpu.wait_async().await?;
        }
        Ok(prover)
    }

    /// Compiles the kernels of proofs and, with `check`, those that check a key's points, which is worth doing while the key
    /// is read. Only the last transform for a key of arkworks is compiled later.
    pub fn compile(device: &Device, plan: &ProvingPlan<E>, check: bool) -> Result<()> {
        plan.way::<Parts<E>>().map_or(Ok(()), |parts| parts.compile_all(device, check))
    }

    /// The plan.
    pub fn plan(&self) -> &ProvingPlan<E> {
        self.prepared.plan()
    }

    /// The number of witnesses that one run serves best: where the bases go to the device for each run, as many as the host has room
    /// for.
    pub fn together(&self) -> usize {
        self.plan().way::<InTurn<E>>().map_or(WITNESSES, InTurn::together)
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
    pub fn public<'w>(&self, witness: &'w [E::Scalar]) -> Result<&'w [E::Scalar]> {
        self.plan().problem().expect(witness)?;
        Ok(&witness[1..self.verifying().public.len()])
    }

    /// A proof for a witness, with randomness from the operating system.
    ///
    /// A witness that violates the constraints gives a proof that does not verify:
    /// [`VerifyingKey::check`] finds it.
    pub fn prove(&self, witness: &[E::Scalar]) -> Result<Proof<E>> {
        block_on(self.prove_async(witness))
    }

    /// The asynchronous form of [`prove`](Self::prove), for browsers.
    pub async fn prove_async(&self, witness: &[E::Scalar]) -> Result<Proof<E>> {
        let proofs = self.prove_many_async(&[witness]).await?;
        proofs.into_iter().next().ok_or_else(|| Error::Device("one witness gave no proof".into()))
    }

    /// One proof for each witness. While a GPU works on one, the host submits the next and finishes the one before.
    pub fn prove_many(&self, witnesses: &[&[E::Scalar]]) -> Result<Vec<Proof<E>>> {
        block_on(self.prove_many_async(witnesses))
    }

    /// The asynchronous form of [`prove_many`](Self::prove_many), for browsers.
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
    pub fn prove_with(
        &self,
        witnesses: &[&[E::Scalar]],
        random: &[(E::Scalar, E::Scalar)],
    ) -> Result<Vec<Proof<E>>> {
        block_on(self.prove_with_async(witnesses, random))
    }

    /// The asynchronous form of [`prove_with`](Self::prove_with), for browsers.
    pub async fn prove_with_async(
        &self,
        witnesses: &[&[E::Scalar]],
        random: &[(E::Scalar, E::Scalar)],
    ) -> Result<Vec<Proof<E>>> {
        self.prepared.run_async((Witnesses::Whole(witnesses), random)).await
    }

    /// [`prove_with`](Self::prove_with) of evaluated witnesses: for keys without constraints, and for others, too.
    ///
    /// ```
    /// use ark_bn254::{Bn254, Fr};
    /// use wgalois_proofs::groth16::{Basis, EvaluatedWitness, Prover, Proving, Setup, chain};
    /// use wgalois::task::Problem;
    /// use wgalois::{Cpu, Device};
    ///
    /// let (circuit, witness) = chain::<Fr>(20, 1);
    /// let mut key = Setup::<Bn254>::random()?.key(&circuit, Basis::Powers)?;
    /// let device = Device::Cpu(Cpu::default());
    /// let with = Prover::new(&device, &Proving::of(&key).plan(&device)?, key.clone())?;
    /// // What a synthesis gives: A w and B w, to which the rows that bind the public variables belong.
    /// let rows = key.constraints.take().unwrap_or_else(|| unreachable!());
    /// let products = rows.map(|rows| {
    ///     let product = |i| rows.row(i).map(|(variable, factor)| factor * witness[variable as usize]).sum();
    ///     (0..rows.rows()).map(product).collect::<Vec<Fr>>().into()
    /// });
    /// let secret = witness[1 + circuit.public..].to_vec().into();
    /// let [a, b] = [witness.to_vec().into(), witness.to_vec().into()];
    /// let evaluated = EvaluatedWitness { a, b, secret, products };
    ///
    /// // The points of variables whose polynomial is 0 may be left out, as bellman does.
    /// let without = Prover::new(&device, &Proving::of(&key).plan(&device)?, key)?;
    /// let random = [(Fr::from(5), Fr::from(6))];
    /// assert!(without.prove_evaluated(&[&evaluated], &random)? == with.prove_with(&[&witness], &random)?);
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn prove_evaluated(
        &self,
        witnesses: &[&EvaluatedWitness<E::Scalar>],
        random: &[(E::Scalar, E::Scalar)],
    ) -> Result<Vec<Proof<E>>> {
        block_on(self.prove_evaluated_async(witnesses, random))
    }

    /// The asynchronous form of [`prove_evaluated`](Self::prove_evaluated), for browsers.
    pub async fn prove_evaluated_async(
        &self,
        witnesses: &[&EvaluatedWitness<E::Scalar>],
        random: &[(E::Scalar, E::Scalar)],
    ) -> Result<Vec<Proof<E>>> {
        self.prepared.run_async((Witnesses::Evaluated(witnesses), random)).await
    }

    /// For the end of a process: overwrites what the proofs left on the prover's device, as dropping the prover does, and leaves all
    /// memory to the system, which takes it back at once. To give it back piece by piece took 0.12 s for 2^20 constraints on an H200.
    pub fn leave(self, device: &Device) {
        if let (Device::Gpu(gpu), Some(key)) = (device, self.prepared.kernels()) {
            key.clear();
            if block_on(gpu.wait_async()).is_ok() {
                std::mem::forget(self);
            }
        }
    }

    /// True if the vectors that are kept between proofs have only zeros.
    #[cfg(test)]
    pub(super) fn leaves_nothing(&self) -> Result<bool> {
        self.prepared.kernels().map_or(Ok(false), |key| key.leaves_nothing())
    }
}
