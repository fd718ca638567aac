//! Proofs on one GPU, to which each witness goes once.

use std::iter::zip;
use std::ops::Range;

use super::evaluated::{Rows, Terms, Witnesses};
use super::points::Random;
use super::resident::ResidentKey;
use super::{Proof, Proving};
use wgalois::curve::{Curve, PairingCurve};
use wgalois::gpu::Gpu;
use wgalois::msm::{Bases, BitsApart, PendingMultiplication};
use wgalois::ntt::scalar::Vector;
use wgalois::scalars::{DeviceScalars, Scalar};
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
        let terms = witnesses.terms(self.key.verifying.public.len());
        for (i, (terms, random)) in zip(terms, random).enumerate() {
            let dense = self.key.densities.gather(witnesses.whole(i).unwrap_or_default());
            let begun = self.begin(&terms.with(&dense)).await?;
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
                // The scalars of bases that leave variables out lie behind it.
                let all = 0..witness.len();
                let (mut parts, mut end) = (vec![witness], all.end);
                let mut ranges = [all.clone(), all.clone()];
                for (range, scalars) in zip(&mut ranges, [terms.a, terms.b]) {
                    if !std::ptr::eq(scalars, witness) {
                        parts.push(scalars);
                        *range = end..end + scalars.len();
                        end = range.end;
                    }
                }
                let [of_a, of_b] = ranges;
                (parts, [of_a, of_b, all.end - terms.secret.len()..all.end])
            }
            Rows::Evaluated(_) => {
                let (a, b) = (terms.a.len(), terms.a.len() + terms.b.len());
                (vec![terms.a, terms.b, terms.secret], [0..a, a..b, b..b + terms.secret.len()])
            }
        };
        let len = parts.iter().map(|part| part.len()).sum();
        let spare = self.key.spare().take().filter(|spare| spare.len() == len);
        let mut vector = spare.map_or_else(|| self.key.quotient.zeros(len), Ok)?;
        let Vector::Device(scalars) = &mut *vector else { return Err(elsewhere()) };
        let mut start = 0;
        for part in parts {
            scalars.write_async(start, part).await?;
            start += part.len();
        }
        let scalars = &*scalars;
        let mut split = Split::new(terms);
        let b2 = begin(&self.key.b2, (scalars, of_b.clone()), &mut split, (1, terms.b)).await?;
        let a = begin(&self.key.a, (scalars, of_a), &mut split, (0, terms.a)).await?;
        let b = begin(&self.key.b, (scalars, of_b), &mut split, (1, terms.b)).await?;
        let secret = begin(&self.key.secret, (scalars, of_secret), &mut split, (2, terms.secret)).await?;
        drop(split);
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

/// Begins a multiplication by scalars in this range of a vector of the device or, by bases that take bits apart, by those of the
/// host, which are vector `number` of `split`.
async fn begin<C: Curve>(
    bases: &Bases<'static, C>,
    (scalars, range): (&DeviceScalars<C::ScalarField>, Range<usize>),
    split: &mut Split<'_, C::ScalarField>,
    (number, host): (usize, &[C::ScalarField]),
) -> Result<PendingMultiplication<C>> {
    if bases.takes_bits_apart() {
        let (scalars, range) = split.of(number, host);
        return bases.begin_apart(scalars, range);
    }
    bases.begin_on_device_async(scalars, range).await
}

/// The scalars of a witness with bits apart, each vector of which is split when it is first asked for.
struct Split<'t, F: Scalar> {
    terms: &'t Terms<'t, F>,
    /// Of A, which are the whole witness unless it was evaluated, of B, and of the secret variables.
    vectors: [Option<BitsApart<F>>; 3],
}

impl<'t, F: Scalar> Split<'t, F> {
    fn new(terms: &'t Terms<'t, F>) -> Self {
        Split { terms, vectors: [None, None, None] }
    }

    /// The vector of these scalars if the witness was evaluated, and otherwise the last ones of the whole witness.
    fn of(&mut self, number: usize, scalars: &[F]) -> (&BitsApart<F>, Range<usize>) {
        let (number, all) = match self.terms.rows {
            // The secret variables are the last ones of the whole witness.
            Rows::Witness(witness) if number == 2 => (2, witness),
            Rows::Witness(witness) if std::ptr::eq(scalars, witness) => (2, witness),
            _ => (number, scalars),
        };
        let split = self.vectors[number].get_or_insert_with(|| BitsApart::new(all));
        (split, all.len() - scalars.len()..all.len())
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
