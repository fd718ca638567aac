//! Proof systems on the tasks of [`wgalois`]: Groth16 proofs of circuits by snarkjs' and bellman's keys, and KZG commitments by Ethereum's
//! trusted setup, with the formats of their files.
#![warn(missing_docs)]

#[cfg(feature = "groth16")]
pub mod bellman;
#[cfg(feature = "kzg")]
pub mod ethereum;
#[cfg(feature = "groth16")]
pub mod groth16;
#[cfg(feature = "kzg")]
pub mod kzg;
#[cfg(feature = "groth16")]
mod pieces;
#[cfg(feature = "groth16")]
pub mod snarkjs;

#[cfg(test)]
#[path = "../../tests/gpu_common/devices.rs"]
mod test_devices;

/// Fills an array by the randomness of the operating system.
#[cfg(any(feature = "groth16", feature = "kzg"))]
fn fill_at_random(bytes: &mut [u8]) -> wgalois::Result<()> {
    let filled = rand::TryRng::try_fill_bytes(&mut rand::rngs::SysRng, bytes);
    filled.map_err(|error| wgalois::Error::Device(format!("no randomness from the system: {error}")))
}
