//! Vectors that hold what comes from a witness.

use std::ops::{Deref, DerefMut};

use zeroize::Zeroize;

use wgalois::ntt::scalar::Vector;
use wgalois::scalars::Scalar;

/// A vector that is overwritten with zeros when it is dropped, so that no error on the way leaves a witness in memory that is
/// given back. A device with a fault keeps nothing to overwrite.
pub(super) struct Cleared<F: Scalar>(Vector<F>);

impl<F: Scalar> From<Vector<F>> for Cleared<F> {
    fn from(vector: Vector<F>) -> Self {
        Cleared(vector)
    }
}

impl<F: Scalar> Deref for Cleared<F> {
    type Target = Vector<F>;

    fn deref(&self) -> &Vector<F> {
        &self.0
    }
}

impl<F: Scalar> DerefMut for Cleared<F> {
    fn deref_mut(&mut self) -> &mut Vector<F> {
        &mut self.0
    }
}

impl<F: Scalar> Drop for Cleared<F> {
    fn drop(&mut self) {
        match &mut self.0 {
            Vector::Host(scalars) => scalars.iter_mut().zeroize(),
            Vector::Device(scalars) => drop(scalars.clear()),
        }
    }
}
