//! The files of circom and snarkjs for Groth16, over BN254 and BLS12-381.
//!
//! | file | contents |
//! |---|---|
//! | `.r1cs` | a circuit: constraints, of which a setup makes a key |
//! | `.zkey` | a proving key: sections of points and of the constraints' coefficients |
//! | `.wtns`, `witness.json` | a witness: a value for every variable; in JSON a list of decimal numbers |
//! | `verification_key.json` | a verifying key |
//! | `proof.json` | a proof |
//! | `public.json` | the public values |
//!
//! `.r1cs`, `.zkey` and `.wtns` are containers: four letters, a version, a number of sections, and for each its number, its
//! length in bytes and its content, all in little-endian words. Points are affine, with coordinates in Montgomery form,
//! and zeros for infinity. Faults are reported with the section and the place.
//!
//! # Errors
//! Readers:
//!
//! - [`Error::Format`](wgalois::Error::Format): the file violates its format. The error has the section and the
//!   place, or the field, or line and column. The cause is one of:
//!   - The file is truncated, of another kind, or of another protocol, curve or field.
//!   - Its sizes contradict each other.
//!   - A variable does not exist.
//!   - A value is not below its modulus.
//!   - A point is off its curve, or outside its subgroup where that is checked.
//! - [`Error::TooLarge`](wgalois::Error::TooLarge): what is read takes more memory than the caller allows.
//!
//! Writers return the errors of what they write to.

mod circuit;
mod decimal;
mod json;
mod points;
mod sections;
mod text;
mod verifying;
mod witness;
mod zkey;
mod zkey_check;
mod zkey_header;
mod zkey_write;

pub use circuit::{read_circuit, write_circuit};
pub use json::{read_proof, read_public, write_proof, write_public};
pub use sections::Section;
pub use verifying::{curve_of_verifying_key, read_verifying_key, write_verifying_key};
pub use witness::{read_witness, read_witness_json, share_of_bits, write_witness};
pub use zkey::{Description, describe, read_key, read_key_on_curve, read_verifying_part};
pub use zkey_check::{check_key, check_key_async};
pub use zkey_header::curve_of;
pub use zkey_write::write_key;

#[cfg(test)]
mod tests;
