//! The secret input of a proof.

use std::fmt;
use std::ops::Deref;

use zeroize::Zeroize;

/// A value for every variable of a circuit: 1, then the public values, then the secret ones. It is overwritten with
/// zeros when it is dropped, and its values are not printed.
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois_proofs::groth16::Witness;
///
/// let witness = Witness::from(vec![Fr::from(1), Fr::from(35), Fr::from(5)]);
/// assert_eq!(witness.len(), 3);
/// assert_eq!(format!("{witness:?}"), "Witness of 3 values");
/// ```
pub struct Witness<F: Zeroize>(Vec<F>);

impl<F: Zeroize> From<Vec<F>> for Witness<F> {
    fn from(values: Vec<F>) -> Self {
        Witness(values)
    }
}

impl<F: Zeroize> Deref for Witness<F> {
    type Target = [F];

    fn deref(&self) -> &[F] {
        &self.0
    }
}

impl<F: Zeroize> fmt::Debug for Witness<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Witness of {} values", self.0.len())
    }
}

impl<F: Zeroize> Drop for Witness<F> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}
