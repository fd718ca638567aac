//! A key on a device.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(test)]
use ark_ff::Zero;

use super::cleared::Cleared;
use super::density::Densities;
use super::parts::Parts;
use super::points::{Blinding, Random};
use super::quotient::Quotient;
use super::{ProvingKey, Queries, VerifyingKey};
use wgalois::curve::{Affine, PairingCurve};
use wgalois::msm::{Bases, Points};
use wgalois::timeline::Phase;
use wgalois::{Device, Result};

/// A key on a device: bases, matrices and transforms.
pub struct ResidentKey<E: PairingCurve> {
    pub(super) verifying: VerifyingKey<E>,
    beta: Affine<E::G1>,
    delta: Affine<E::G1>,
    pub(super) variables: usize,
    pub(super) a: Bases<'static, E::G1>,
    pub(super) b: Bases<'static, E::G1>,
    pub(super) secret: Bases<'static, E::G1>,
    pub(super) quotient_bases: Bases<'static, E::G1>,
    pub(super) b2: Bases<'static, E::G2>,
    pub(super) quotient: Quotient<E::Scalar>,
    pub(super) densities: Densities,
    /// A vector of zeros on the GPU, for the scalars of the next witness.
    spare: Mutex<Option<Cleared<E::Scalar>>>,
}

impl<E: PairingCurve> ResidentKey<E> {
    pub(super) fn new(device: &Device, parts: &Parts<E>, key: ProvingKey<E>) -> Result<Self> {
        let (variables, densities) = (key.variables(), Densities::of(&key));
        let ProvingKey { verifying, beta, delta, queries, constraints, domain: _, basis } = key;
        let Queries { a: a_bases, b: b_bases, b2, secret, quotient } = queries;
        let [a_plan, b_plan, secret_plan, quotient_plan] = &parts.first;
        let bases = || {
            Ok((
                a_plan.prepare_with(device, Points::new(a_bases).with_name("A"))?,
                b_plan.prepare_with(device, Points::new(b_bases).with_name("B"))?,
                secret_plan.prepare_with(device, Points::new(secret).with_name("L"))?,
                quotient_plan.prepare_with(device, Points::new(quotient).with_name("H"))?,
                parts.second.prepare_with(device, Points::new(b2).with_name("B in G2"))?,
            ))
        };
        let quotient = || {
            let new = || Quotient::new(device, constraints, &parts.transforms, basis);
            device.timeline().time(Phase::Preparing, "constraints", new)
        };
        // All threads lay out the matrices, while one copies the points.
        let (quotient, (a, b, secret, quotient_bases, b2)) = match device {
            Device::Gpu(gpu) => gpu.beside(quotient, bases)?,
            _ => (quotient()?, bases()?),
        };
        Ok(ResidentKey {
            verifying,
            beta,
            delta,
            variables,
            a,
            b,
            secret,
            quotient_bases,
            b2,
            quotient,
            densities,
            spare: Mutex::default(),
        })
    }

    /// The parts of a proof's points that do not depend on the witness.
    pub(super) fn blinding(&self, random: &Random<E>) -> Blinding<E> {
        Blinding::new(&self.verifying, [self.beta, self.delta], random)
    }

    /// True if the vectors that are kept between proofs have only zeros.
    #[cfg(test)]
    pub(super) fn leaves_nothing(&self) -> Result<bool> {
        let spare = self.spare();
        let witness = spare.as_ref().map_or(Ok(Vec::new()), |vector| vector.download())?;
        Ok(witness.iter().all(Zero::is_zero) && self.quotient.leaves_nothing()?)
    }

    pub(super) fn spare(&self) -> MutexGuard<'_, Option<Cleared<E::Scalar>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E: PairingCurve> ResidentKey<E> {
    /// Overwrites what multiplications and transforms leave on the device. A device with a fault keeps nothing to clear.
    pub(super) fn clear(&self) {
        let bases = [&self.a, &self.b, &self.secret, &self.quotient_bases];
        let cleared = bases.into_iter().map(Bases::clear).fold(Ok(()), Result::and);
        let _ = cleared.and(self.b2.clear()).and(self.quotient.clear_transforms());
    }
}

impl<E: PairingCurve> Drop for ResidentKey<E> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl<E: PairingCurve> fmt::Debug for ResidentKey<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResidentKey").field("variables", &self.variables).finish_non_exhaustive()
    }
}
