//! Proofs whose witnesses go to each multiplication from the host: on the CPU engine, and on several GPUs.

use std::fmt;
use std::iter::zip;

use zeroize::Zeroize;

use super::parts::Parts;
use super::points::{Random, Sums};
use super::resident::ResidentKey;
use super::{Proof, Proving, ProvingKey};
use wgalois::curve::{Affine, PairingCurve};
use wgalois::ntt::scalar::Vector;
use wgalois::task::{Cost, Done, Profile, Ready, Running, Traffic, Way};
use wgalois::{Device, Result};

/// The way.
#[derive(Debug)]
pub struct FromHost<E: PairingCurve>(pub(super) Parts<E>);

impl<E: PairingCurve> FromHost<E> {
    pub const NAME: &'static str = "with witnesses from the host";

    /// Each multiplication is by several witnesses at a time.
    ///
    /// # Errors
    /// Those of the parts' plans.
    pub fn new(problem: &Proving<E>, profile: &Profile) -> Result<Self> {
        Parts::new(problem, profile, (problem.proofs, 1)).map(FromHost)
    }
}

impl<E: PairingCurve> Way<Proving<E>> for FromHost<E> {
    fn cost(&self) -> Cost {
        self.0.cost()
    }

    fn traffic(&self) -> Traffic {
        self.0.traffic()
    }

    fn check(&self, profile: &Profile, what: &str) -> Result<()> {
        self.0.check(profile, what)
    }

    fn write(&self, _: &Proving<E>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f)
    }

    fn compile(&self, _: &Proving<E>, device: &Device) -> Result<()> {
        self.0.compile(device, false)
    }

    fn prepare<'p>(
        &self,
        _: &Proving<E>,
        device: &Device,
        key: ProvingKey<E>,
    ) -> Result<Box<dyn Ready<Proving<E>> + 'p>> {
        Ok(Box::new(ReadyFromHost(self.0.prepare(device, key)?)))
    }
}

/// A key on the device.
#[derive(Debug)]
struct ReadyFromHost<E: PairingCurve>(ResidentKey<E>);

impl<E: PairingCurve> Ready<Proving<E>> for ReadyFromHost<E> {
    fn run<'r, 'i: 'r>(
        &'r self,
        _: &'r Proving<E>,
        (witnesses, random): (&'i [&'i [E::Scalar]], &'i [Random<E>]),
        _: &'r Done,
    ) -> Running<'r, Vec<Proof<E>>> {
        Box::pin(self.prove(witnesses, random))
    }

    fn kernels(&self) -> Option<&ResidentKey<E>> {
        Some(&self.0)
    }
}

impl<E: PairingCurve> ReadyFromHost<E> {
    /// Proofs with multiplications that take scalars from the host: on the CPU engine, and on several GPUs, of which the
    /// fastest computes the quotient.
    async fn prove(&self, witnesses: &[&[E::Scalar]], random: &[Random<E>]) -> Result<Vec<Proof<E>>> {
        let key = &self.0;
        let secret: Vec<_> = witnesses.iter().map(|witness| &witness[key.verifying.public.len()..]).collect();
        let a = key.a.run_many_async(witnesses).await?;
        let b = key.b.run_many_async(witnesses).await?;
        let b2 = key.b2.run_many_async(witnesses).await?;
        let secret = key.secret.run_many_async(&secret).await?;
        let mut quotient = Vec::with_capacity(witnesses.len());
        for witness in witnesses {
            quotient.push(self.quotient_from_host(witness).await?);
        }
        let sums = zip(zip(a, b), b2).map(|((a, b), b2)| Sums { a, b, b2 });
        let parts = zip(sums, random).map(|(sums, random)| key.blinding(random).with(&sums, random));
        Ok(zip(parts, zip(secret, quotient))
            .map(|(part, (secret, quotient))| part.with(secret, quotient))
            .collect())
    }

    /// The quotient of a witness times its bases.
    async fn quotient_from_host(&self, witness: &[E::Scalar]) -> Result<Affine<E::G1>> {
        let key = &self.0;
        let vector = key.quotient.upload(witness)?;
        let values = key.quotient.scalars(&vector)?;
        drop(vector);
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
