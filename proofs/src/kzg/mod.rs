//! KZG commitments: to polynomials by powers of a secret, and to blobs by Ethereum's trusted setup.
//!
//! ```text
//! Committer         the bases of any curve, resident: commit(coefficients), open(coefficients, z)
//! TrustedSetup      of Ethereum (io::ethereum reads trusted_setup.txt); check, check_blobs, check_commitments, check_openings
//!   |  Committing, a problem: plan(&device); Blobs::new(&device, &plan, setup)
//!   v
//! Blobs             commit(blobs), open(blobs, points), prove(blobs, commitments)
//! ```
//!
//! A commitment to a polynomial p is `p(tau) G`, for a tau that nobody knows; the proof that p(z) = y is
//! `q(tau) G` for the quotient q = (p - y) / (x - z). It is checked by one equation of pairings (Kate, Zaverucha, Goldberg:
//! "Constant-Size Commitments to Polynomials and Their Applications", ASIACRYPT 2010). The functions on blobs are those of
//! EIP-4844 and its consensus specification.
//!
//! This layer uses only the public interface of the tasks below it. Nothing runs in constant time, and nothing is
//! audited.
//!
//! # Errors
//! - [`Error::Check`](wgalois::Error::Check): a proof, a commitment or an opening does not hold.
//! - [`Error::Input`](wgalois::Error::Input), one of:
//!   - A blob has another size than the setup, or a number of values that is not a power of two.
//!   - A scalar is not below r, or its bytes have another length.
//!   - The bytes of a point are no encoding of one.
//!   - There are more or fewer points, commitments, proofs or openings than blobs or claims.
//!   - There are more coefficients than powers.
//!   - The points of a setup are not those of one setup.
//! - [`Error::NotOnCurve`](wgalois::Error::NotOnCurve): a power is not on the curve.
//! - [`Error::Device`](wgalois::Error::Device): the operating system has no randomness.

mod blob;
mod blobs;
mod committer;
mod setup;
mod structure;
#[cfg(test)]
mod tests;
mod verify;

pub use blob::{Blob, Claim, challenge};
pub use blobs::{Blobs, Committing, CommittingPlan};
pub use committer::{Committer, Opening};
pub use setup::TrustedSetup;
pub use verify::{decode_point, decode_scalar, encode_point, encode_scalar};
