//! Proving keys in bellman's format, which bellperson and Zcash's ceremonies share: `.params`, over BLS12-381.
//!
//! | part | contents |
//! |---|---|
//! | head | alpha and beta in G1, beta and gamma in G2, delta in G1 and in G2 |
//! | public | the points of the constant and the public variables |
//! | H | the bases of the quotient, `tau^i Z(tau) / delta`: one less than the domain has roots |
//! | L | the bases of secret variables |
//! | A, B in G1, B in G2 | the bases A and B, without those variables whose polynomial is 0 |
//! | contributions | perhaps: 64 bytes of a hash, then the contributions to the setup's second phase, of 544 bytes each |
//!
//! Points are uncompressed, in ZCash's encoding, and none is at infinity. Before the points of each part but the head, and before
//! the contributions, stands their number, a big-endian word of 32 bits. Contributions, which the files of Zcash's ceremonies have
//! (the crate phase2's `MPCParameters`), are counted and not read.
//!
//! A file has no constraints: [`Prover::prove_evaluated`](crate::groth16::Prover::prove_evaluated) proves by such a key.
//!
//! # Errors
//! [`Error::Format`](wgalois::Error::Format), with the place:
//!
//! - The file ends within a part, or something else than contributions follows the last.
//! - A point has a wrong encoding, is at infinity, off its curve or outside the subgroup.
//! - The number of bases of the quotient is no power of two less one.
//! - The parts contradict each other in size.

mod layout;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use layout::{Description, describe};
pub use read::{check_key, read_key, read_key_on_curve, read_verifying_part};
pub use write::write_key;
