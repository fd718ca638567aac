//! Blobs: polynomials by their values at the roots of unity.

use ark_bls12_381::{Fr, G1Affine};
use ark_ff::{FftField, Field, PrimeField, batch_inversion};
use sha2::{Digest, Sha256};

use super::setup::reversed;
use super::verify::{encode_point, encode_scalar, scalar_of};
use wgalois::{Error, Fault, Result};

/// A blob: values of a polynomial of degree below their number, at the roots of unity by bit-reversed powers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    pub(super) values: Vec<Fr>,
}

/// The claim of a proof: a committed polynomial has the value y at z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The commitment.
    pub commitment: G1Affine,
    /// The point.
    pub z: Fr,
    /// The value.
    pub y: Fr,
}

impl Blob {
    /// Reads `count` values, each a big-endian integer of 32 bytes below r. The error has the number of a value that
    /// is not.
    pub fn new(bytes: &[u8], count: usize) -> Result<Blob> {
        let values = bytes.as_chunks::<32>().0;
        Error::expect_length("bytes of a blob", 32 * count, bytes.len())?;
        let value = |(i, bytes): (usize, &[u8; 32])| {
            let fault = || Fault::NotBelow { what: format!("value {i}").into(), bound: "r" };
            scalar_of(bytes).ok_or_else(|| Error::value("a blob", fault()))
        };
        Ok(Blob { values: values.iter().enumerate().map(value).collect::<Result<_>>()? })
    }

    /// The blob of these values.
    pub fn of_values(values: Vec<Fr>) -> Result<Blob> {
        let count = values.len();
        match count.is_power_of_two() {
            true => Ok(Blob { values }),
            false => {
                let (what, value) = ("number of values of a blob", count as u64);
                Err(Error::NotAPowerOfTwo { what, value, least: 1, most: 1 << 32 })
            }
        }
    }

    /// The values.
    pub fn values(&self) -> &[Fr] {
        &self.values
    }

    /// The root of unity at which each value is taken.
    fn roots(&self) -> Vec<Fr> {
        let n = self.values.len();
        let root = Fr::get_root_of_unity(n as u64).unwrap_or(Fr::ONE);
        let powers: Vec<Fr> =
            std::iter::successors(Some(Fr::ONE), |power| Some(*power * root)).take(n).collect();
        (0..n).map(|i| powers[reversed(i, n)]).collect()
    }

    /// The polynomial's value at `z`, and the values of its quotient `(p - y) / (x - z)`, in the order of the blob.
    pub(super) fn divided(&self, z: Fr) -> (Fr, Vec<Fr>) {
        let roots = self.roots();
        let (n, values) = (Fr::from(roots.len() as u64), &self.values);
        let Some(at) = roots.iter().position(|root| *root == z) else {
            // The barycentric formula: p(z) = (z^n - 1) / n sum of p_i w_i / (z - w_i).
            let mut inverses: Vec<Fr> = roots.iter().map(|root| z - root).collect();
            batch_inversion(&mut inverses);
            let terms = values.iter().zip(&roots).zip(&inverses);
            let sum: Fr = terms.map(|((value, root), inverse)| *value * root * inverse).sum();
            let y = sum * (z.pow([roots.len() as u64]) - Fr::ONE) * n.inverse().unwrap_or_default();
            let quotient = values.iter().zip(&inverses).map(|(value, inverse)| (y - value) * inverse);
            return (y, quotient.collect());
        };
        let y = values[at];
        let mut inverses: Vec<Fr> = roots.iter().map(|root| *root - z).collect();
        // The inverse of 0 stays 0.
        batch_inversion(&mut inverses);
        let mut quotient: Vec<Fr> =
            values.iter().zip(&inverses).map(|(value, inverse)| (*value - y) * inverse).collect();
        // At z itself the quotient is p'(z) = - sum of q_i w_i / z.
        let sum: Fr = quotient.iter().zip(&roots).map(|(value, root)| *value * root).sum();
        quotient[at] = -sum * z.inverse().unwrap_or_default();
        (y, quotient)
    }
}

/// The point at which a blob is opened to prove that a commitment is to it: the hash of both (EIP-4844's
/// `compute_challenge`).
pub fn challenge(blob: &Blob, commitment: &G1Affine) -> Fr {
    let mut hash = Sha256::new();
    hash.update(b"FSBLOBVERIFY_V1_");
    hash.update((blob.values.len() as u128).to_be_bytes());
    blob.values.iter().for_each(|value| hash.update(encode_scalar(value)));
    hash.update(encode_point(commitment));
    Fr::from_be_bytes_mod_order(&hash.finalize())
}
