//! Proof systems on the tasks of [`wgalois`]: Groth16 proofs of circuits by snarkjs' keys, and KZG commitments by Ethereum's
//! trusted setup, with the formats of their files.
#![warn(missing_docs)]

#[cfg(feature = "kzg")]
pub mod ethereum;
#[cfg(feature = "groth16")]
pub mod groth16;
#[cfg(feature = "kzg")]
pub mod kzg;
#[cfg(feature = "groth16")]
pub mod snarkjs;

#[cfg(test)]
#[path = "../../tests/gpu_common/devices.rs"]
mod test_devices;

/// Refuses input with this message unless it is right.
#[cfg(any(feature = "groth16", feature = "kzg"))]
fn ensure(is_right: bool, message: impl FnOnce() -> String) -> wgalois::Result<()> {
    if is_right { Ok(()) } else { Err(wgalois::Error::Input(message())) }
}
