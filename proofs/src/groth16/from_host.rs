//! Proofs whose witnesses go to each multiplication from the host: on the CPU engine, and on several GPUs.

use std::iter::zip;

use zeroize::Zeroize;

use super::density::Dense;
use super::evaluated::{Rows, Witnesses};
use super::points::Random;
use super::resident::ResidentKey;
use super::{Proof, Proving};
use wgalois::Result;
use wgalois::curve::{Affine, PairingCurve};
use wgalois::ntt::scalar::Vector;
use wgalois::task::{Done, Ready};

/// A key on the device.
#[derive(Debug)]
pub struct ReadyFromHost<E: PairingCurve>(pub ResidentKey<E>);

impl<E: PairingCurve> Ready<Proving<E>> for ReadyFromHost<E> {
    /// Each multiplication by several witnesses at a time. Of several GPUs, the fastest computes the quotient.
    async fn run<'i: 'i>(
        &self,
        _: &Proving<E>,
        (witnesses, random): (Witnesses<'i, E::Scalar>, &'i [Random<E>]),
        _: &Done,
    ) -> Result<Vec<Proof<E>>> {
        let key = &self.0;
        let gather = |i| key.densities.gather(witnesses.whole(i).unwrap_or_default());
        let dense: Vec<Dense<_>> = (0..witnesses.len()).map(gather).collect();
        let terms = zip(witnesses.terms(key.verifying.public.len()), &dense);
        let terms: Vec<_> = terms.map(|(terms, dense)| terms.with(dense)).collect();
        let scalars_of_a: Vec<_> = terms.iter().map(|terms| terms.a).collect();
        let scalars_of_b: Vec<_> = terms.iter().map(|terms| terms.b).collect();
        let scalars_of_secret: Vec<_> = terms.iter().map(|terms| terms.secret).collect();
        let a = key.a.run_many_async(&scalars_of_a).await?;
        let b = key.b.run_many_async(&scalars_of_b).await?;
        let b2 = key.b2.run_many_async(&scalars_of_b).await?;
        let secret = key.secret.run_many_async(&scalars_of_secret).await?;
        let mut quotient = Vec::with_capacity(terms.len());
        for terms in &terms {
            quotient.push(self.quotient_from_host(terms.rows).await?);
        }
        let parts = zip(zip(a, b), zip(b2, random))
            .map(|((a, b), (b2, random))| key.blinding(random).with([a, b], b2, random));
        Ok(zip(parts, zip(secret, quotient))
            .map(|(part, (secret, quotient))| part.with(secret, quotient))
            .collect())
    }

    fn kernels(&self) -> Option<&ResidentKey<E>> {
        Some(&self.0)
    }
}

impl<E: PairingCurve> ReadyFromHost<E> {
    /// The quotient of a witness times its bases.
    async fn quotient_from_host(&self, rows: Rows<'_, E::Scalar>) -> Result<Affine<E::G1>> {
        let key = &self.0;
        let values = match rows {
            Rows::Witness(witness) => key.quotient.scalars(&*key.quotient.upload(witness)?)?,
            Rows::Evaluated(products) => key.quotient.scalars_of_products(products).await?,
        };
        let used = key.quotient_bases.len();
        let sum = match values.scalars() {
            Vector::Host(scalars) => key.quotient_bases.multiply_async(&scalars[..used]).await?,
            Vector::Device(scalars) => {
                let mut scalars = scalars.download_async().await?;
                let sum = key.quotient_bases.multiply_async(&scalars[..used]).await;
                scalars.zeroize();
                sum?
            }
        };
        key.quotient.clear(values)?;
        Ok(sum)
    }
}
