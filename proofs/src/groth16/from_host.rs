//! Proofs whose witnesses go to each multiplication from the host: on the CPU engine, and on several GPUs.

use std::iter::zip;

use zeroize::Zeroize;

use super::density::Dense;
use super::evaluated::{Rows, Terms, Witnesses};
use super::points::Random;
use super::resident::ResidentKey;
use super::{Proof, Proving};
use wgalois::Result;
use wgalois::curve::{Affine, PairingCurve};
use wgalois::gpu::block_on;
use wgalois::ntt::scalar::Vector;
use wgalois::parallel::{Threads, join};
use wgalois::task::{Done, Ready};

/// A key on the device.
#[derive(Debug)]
pub struct ReadyFromHost<E: PairingCurve> {
    pub key: ResidentKey<E>,
    /// The threads of the CPU engine, if its multiplications run at the same time.
    pub together: Option<Threads>,
    /// True if nothing is kept for another run.
    pub is_for_one_run: bool,
}

/// The products of the bases A, B, B in G2 and L, and of the quotient's, each by several witnesses.
type Sums<E> = (OfFirst<E>, OfFirst<E>, Vec<Affine<<E as PairingCurve>::G2>>, OfFirst<E>, OfFirst<E>);
type OfFirst<E> = Vec<Affine<<E as PairingCurve>::G1>>;

impl<E: PairingCurve> Ready<Proving<E>> for ReadyFromHost<E> {
    /// Each multiplication by several witnesses at a time, few points on the CPU engine by all together. Of several GPUs, the fastest computes the quotient.
    async fn run<'i: 'i>(
        &self,
        _: &Proving<E>,
        (witnesses, random): (Witnesses<'i, E::Scalar>, &'i [Random<E>]),
        _: &Done,
    ) -> Result<Vec<Proof<E>>> {
        let key = &self.key;
        let gather = |i| key.densities.gather(witnesses.whole(i).unwrap_or_default());
        let dense: Vec<Dense<_>> = (0..witnesses.len()).map(gather).collect();
        let terms = zip(witnesses.terms(key.verifying.public.len()), &dense);
        let terms: Vec<_> = terms.map(|(terms, dense)| terms.with(dense)).collect();
        let sums = match &self.together {
            Some(threads) => self.together(threads, &terms)?,
            None => self.in_turn(&terms).await?,
        };
        Ok(self.proofs(sums, random))
    }

    fn kernels(&self) -> Option<&ResidentKey<E>> {
        Some(&self.key)
    }
}

impl<E: PairingCurve> ReadyFromHost<E> {
    /// The proofs of these products.
    fn proofs(&self, (a, b, b2, secret, quotient): Sums<E>, random: &[Random<E>]) -> Vec<Proof<E>> {
        let proof = |(i, random): (usize, &Random<E>)| {
            let part = self.key.blinding(random).with([a[i], b[i]], b2[i], random);
            part.with(secret[i], quotient[i])
        };
        random.iter().enumerate().map(proof).collect()
    }

    /// One product after the other.
    async fn in_turn(&self, terms: &[Terms<'_, E::Scalar>]) -> Result<Sums<E>> {
        let key = &self.key;
        let [of_a, of_b, of_secret] = scalars(terms);
        let a = key.a.run_many_async(&of_a).await?;
        let b = key.b.run_many_async(&of_b).await?;
        let b2 = key.b2.run_many_async(&of_b).await?;
        let secret = key.secret.run_many_async(&of_secret).await?;
        Ok((a, b, b2, secret, self.quotients(terms).await?))
    }

    /// All products at the same time: each of them alone is too short for many threads.
    fn together(&self, threads: &Threads, terms: &[Terms<'_, E::Scalar>]) -> Result<Sums<E>> {
        let key = &self.key;
        let [of_a, of_b, of_secret] = scalars(terms);
        let secret = || key.secret.run_many(&of_secret);
        let b = || join(|| key.b.run_many(&of_b), secret);
        let a = || join(|| key.a.run_many(&of_a), b);
        let quotient = || join(|| block_on(self.quotients(terms)), a);
        let all = || join(|| key.b2.run_many(&of_b), quotient);
        let (b2, (quotient, (a, (b, secret)))) = threads.enter(all);
        Ok((a?, b?, b2?, secret?, quotient?))
    }

    /// The product of the quotient's bases for each witness.
    async fn quotients(&self, terms: &[Terms<'_, E::Scalar>]) -> Result<OfFirst<E>> {
        let mut quotients = Vec::with_capacity(terms.len());
        for terms in terms {
            quotients.push(self.quotient_from_host(terms.rows).await?);
        }
        Ok(quotients)
    }

    /// The quotient of a witness times its bases.
    async fn quotient_from_host(&self, rows: Rows<'_, E::Scalar>) -> Result<Affine<E::G1>> {
        let key = &self.key;
        let values = match rows {
            Rows::Witness(witness) => key.quotient.scalars(&*key.quotient.upload(witness)?)?,
            Rows::Evaluated(products) => key.quotient.scalars_of_products(products).await?,
        };
        let used = key.quotient_bases.len();
        if self.is_for_one_run {
            // The memory of the other vectors is free for the multiplication.
            key.quotient.clear_transforms()?;
            let values = values.into_scalars();
            return self.by_quotient_bases(&values, used).await;
        }
        let sum = self.by_quotient_bases(values.scalars(), used).await?;
        key.quotient.clear(values)?;
        Ok(sum)
    }

    /// The product of the quotient's bases by the first `used` scalars.
    async fn by_quotient_bases(&self, scalars: &Vector<E::Scalar>, used: usize) -> Result<Affine<E::G1>> {
        let bases = &self.key.quotient_bases;
        match scalars {
            Vector::Host(scalars) => bases.multiply_async(&scalars[..used]).await,
            Vector::Device(scalars) => {
                let mut scalars = scalars.download_async().await?;
                let sum = bases.multiply_async(&scalars[..used]).await;
                scalars.zeroize();
                sum
            }
        }
    }
}

/// The scalars of the bases A, B and L, for each witness.
fn scalars<'t, F>(terms: &[Terms<'t, F>]) -> [Vec<&'t [F]>; 3] {
    [
        terms.iter().map(|terms| terms.a).collect(),
        terms.iter().map(|terms| terms.b).collect(),
        terms.iter().map(|terms| terms.secret).collect(),
    ]
}
