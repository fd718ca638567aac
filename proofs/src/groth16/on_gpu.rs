//! Proofs on one GPU, to which each witness goes once.

use std::iter::zip;

use super::evaluated::{Rows, Terms, Witnesses};
use super::points::Random;
use super::resident::ResidentKey;
use super::{Proof, Proving};
use wgalois::curve::PairingCurve;
use wgalois::gpu::Gpu;
use wgalois::msm::PendingMultiplication;
use wgalois::ntt::scalar::Vector;
use wgalois::task::{Done, Ready};
use wgalois::{Error, Result};

/// A key on the GPU.
#[derive(Debug)]
pub struct ReadyOnGpu<E: PairingCurve> {
    pub gpu: Gpu,
    pub key: ResidentKey<E>,
}

impl<E: PairingCurve> Ready<Proving<E>> for ReadyOnGpu<E> {
    /// All work of a proof is submitted before the host waits for its first sum, and that of the next proof before it waits for
    /// this one's:
    ///
    /// ```text
    /// host     upload 0, submit 0 | upload 1, submit 1 | sums 0 | upload 2, submit 2 | sums 1 ...
    /// device            | B in G2, A, B, L, products, transforms, H of 0 | those of 1 ...
    /// ```
    async fn run<'i: 'i>(
        &self,
        _: &Proving<E>,
        (witnesses, random): (Witnesses<'i, E::Scalar>, &'i [Random<E>]),
        _: &Done,
    ) -> Result<Vec<Proof<E>>> {
        let mut proofs = Vec::with_capacity(witnesses.len());
        let mut before = None;
        let all = self.prove_in_turn(witnesses, random, &mut before, &mut proofs).await;
        if all.is_err() {
            // Staging buffers are cleared after an error, too; one that is under way only comes back once it is read.
            if let Some((begun, random)) = before {
                let _ = self.end(begun, random).await;
            }
            let _ = self.gpu.clear_uploads_async().await;
        }
        let cleared = self.gpu.clear_downloads();
        let waited = self.gpu.wait_async().await;
        all.and(cleared).and(waited)?;
        Ok(proofs)
    }

    fn kernels(&self) -> Option<&ResidentKey<E>> {
        Some(&self.key)
    }
}

impl<E: PairingCurve> ReadyOnGpu<E> {
    /// The proofs of a run, and in `before` the one that is under way if this ends early.
    async fn prove_in_turn<'r>(
        &self,
        witnesses: Witnesses<'r, E::Scalar>,
        random: &'r [Random<E>],
        before: &mut Option<(Begun<E>, &'r Random<E>)>,
        proofs: &mut Vec<Proof<E>>,
    ) -> Result<()> {
        for (terms, random) in zip(witnesses.terms(self.key.verifying.public.len()), random) {
            let begun = self.begin(&terms).await?;
            if let Some((begun, random)) = before.replace((begun, random)) {
                proofs.push(self.end(begun, random).await?);
            }
        }
        // The device is done with the uploads, and works on the last proof.
        self.gpu.clear_uploads_async().await?;
        if let Some((begun, random)) = before.take() {
            proofs.push(self.end(begun, random).await?);
        }
        Ok(())
    }

    /// Submits all work of a proof. The longest comes first: the device is busy while the rest is recorded.
    async fn begin(&self, terms: &Terms<'_, E::Scalar>) -> Result<Begun<E>> {
        // A whole witness has the scalars of all bases; evaluated ones lie behind each other.
        let (parts, [of_a, of_b, of_secret]) = match terms.rows {
            Rows::Witness(witness) => {
                let all = 0..witness.len();
                (vec![witness], [all.clone(), all.clone(), all.end - terms.secret.len()..all.end])
            }
            Rows::Evaluated(_) => {
                let (a, b) = (terms.a.len(), terms.a.len() + terms.b.len());
                (vec![terms.a, terms.b, terms.secret], [0..a, a..b, b..b + terms.secret.len()])
            }
        };
        let spare = self.key.spare().take().filter(|spare| spare.len() == of_secret.end);
        let mut vector = spare.map_or_else(|| self.key.quotient.zeros(of_secret.end), Ok)?;
        let Vector::Device(scalars) = &mut *vector else { return Err(elsewhere()) };
        let mut start = 0;
        for part in parts {
            scalars.write_async(start, part).await?;
            start += part.len();
        }
        let scalars = &*scalars;
        let b2 = self.key.b2.begin_on_device_async(scalars, of_b.clone()).await?;
        let a = self.key.a.begin_on_device_async(scalars, of_a).await?;
        let b = self.key.b.begin_on_device_async(scalars, of_b).await?;
        let secret = self.key.secret.begin_on_device_async(scalars, of_secret).await?;
        let values = match terms.rows {
            Rows::Witness(_) => self.key.quotient.scalars(&vector)?,
            Rows::Evaluated(products) => self.key.quotient.scalars_of_products(products).await?,
        };
        let Vector::Device(scalars) = values.scalars() else { return Err(elsewhere()) };
        let used = 0..self.key.quotient_bases.len();
        let quotient = self.key.quotient_bases.begin_on_device_async(scalars, used).await?;
        self.key.quotient.clear(values)?;
        vector.clear()?;
        *self.key.spare() = Some(vector);
        Ok(Begun { a, b, b2, secret, quotient })
    }

    /// Waits for the sums of a proof, in the order in which they were begun.
    async fn end(&self, begun: Begun<E>, random: &Random<E>) -> Result<Proof<E>> {
        let Begun { a, b, b2, secret, quotient } = begun;
        let blinding = self.key.blinding(random);
        let b2 = self.key.b2.end_async(b2).await?;
        let (a, b) = (self.key.a.end_async(a).await?, self.key.b.end_async(b).await?);
        // The device still works on the last two sums.
        let part = blinding.with([a, b], b2, random);
        let secret = self.key.secret.end_async(secret).await?;
        let quotient = self.key.quotient_bases.end_async(quotient).await?;
        Ok(part.with(secret, quotient))
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
