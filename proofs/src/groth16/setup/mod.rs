//! A setup by one party, for tests and measurements.

mod chain;
mod exponents;
mod lagrange;
mod new_key;

use ark_ff::PrimeField;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::points::random_scalar;
use super::with_constraints::constraints;
use super::{Basis, Circuit, Constraints, KeySource, ProvingKey};
use wgalois::curve::PairingCurve;
use wgalois::{Cpu, Device, Result};

pub use chain::chain;
pub use new_key::NewKey;

/// The secrets of a setup. Whoever knows them can prove anything, so a key that one party makes is good for tests and
/// measurements only; keys that others trust come from a ceremony.
pub struct Setup<E: PairingCurve> {
    /// The point at which all polynomials are evaluated.
    pub tau: E::Scalar,
    /// Binds A to its form.
    pub alpha: E::Scalar,
    /// Binds B to its form.
    pub beta: E::Scalar,
    /// Divides the public variables.
    pub gamma: E::Scalar,
    /// Divides the secret variables and the quotient.
    pub delta: E::Scalar,
}

/// The same, by the field.
struct Secrets<F> {
    tau: F,
    alpha: F,
    beta: F,
    gamma: F,
    delta: F,
}

impl<E: PairingCurve> Setup<E> {
    /// Secrets from the operating system.
    pub fn random() -> Result<Self> {
        let [tau, alpha, beta, gamma, delta] = [(); 5].map(|()| random_scalar());
        Ok(Setup { tau: tau?, alpha: alpha?, beta: beta?, gamma: gamma?, delta: delta? })
    }

    /// Secrets that follow from a seed, which everyone who knows it can compute.
    pub fn of_seed(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let [tau, alpha, beta, gamma, delta] = [(); 5].map(|()| {
            let mut bytes = [0; 64];
            rng.fill_bytes(&mut bytes);
            E::Scalar::from_le_bytes_mod_order(&bytes)
        });
        Setup { tau, alpha, beta, gamma, delta }
    }

    /// The key of a circuit, with the domain of snarkjs for [`Basis::OddRoots`], and arkworks' for [`Basis::Powers`]. All
    /// threads of the host make its points.
    pub fn key(&self, circuit: &Circuit<E::Scalar>, basis: Basis) -> Result<ProvingKey<E>> {
        circuit.check()?;
        let key = self.new_key(&Device::Cpu(Cpu::default()), circuit, basis)?;
        let constraints = constraints(circuit, &key.domain())?;
        Ok(ProvingKey { constraints: Some(constraints), ..key.collect()? })
    }

    /// The key of a circuit that is written while `device` makes its points. A key without constraints, as bellman has them, leaves out
    /// the variables whose polynomial is 0: that is one by [`Basis::Powers`].
    pub fn new_key<'c>(
        &self,
        device: &Device,
        circuit: &'c dyn Constraints<E::Scalar>,
        basis: Basis,
    ) -> Result<NewKey<'c, E>> {
        let Setup { tau, alpha, beta, gamma, delta } = *self;
        NewKey::new(device, &Secrets { tau, alpha, beta, gamma, delta }, circuit, basis)
    }
}
