//! Zcash's Sapling: the proofs of Spends and Outputs, for builders of transactions that take provers by their traits.
//!
//! ```no_run
//! use std::path::Path;
//! use wgalois_bellman::sapling::{DeviceOutputProver, DeviceSpendProver};
//! use wgalois_bellman::wgalois::{Device, gpu::Gpu};
//!
//! // Before: SpendParameters::read(file, true)?, OutputParameters::read(file, true)?
//! let device = Device::Gpu(Gpu::new()?);
//! let spend = DeviceSpendProver::new(&device, Path::new("sapling-spend.params"))?;
//! let output = DeviceOutputProver::new(&device, Path::new("sapling-output.params"))?;
//! // bundle.create_proofs(&spend, &output, rng, progress), and then:
//! if let Some(error) = spend.take_error().or_else(|| output.take_error()) {
//!     return Err(error.into());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The traits have no place for an error: bellman's provers panic. Here a proof is a [`Result`], and an error becomes bytes that no
//! verifier accepts; [`take_error`](DeviceSpendProver::take_error) returns it.

use std::sync::{Mutex, PoisonError};

use sapling_crypto::bundle::GrothProofBytes;
use sapling_crypto::circuit::{Output, OutputParameters, Spend, SpendParameters};
use sapling_crypto::keys::EphemeralSecretKey;
use sapling_crypto::prover::{OutputProver, SpendProver};
use sapling_crypto::value::{NoteValue, ValueCommitTrapdoor};
use sapling_crypto::{Diversifier, MerklePath, PaymentAddress, ProofGenerationKey, Rseed};
use wgalois::Device;

use crate::bellman::{Proof, Prover, Rng, Scalar};
use crate::{Error, Key, Result};

/// Bytes of an encoded proof.
const PROOF: usize = 192;

/// Declares a prover of one circuit.
macro_rules! on_device {
    ($(#[$doc:meta])* $name:ident, $circuit:ty) => {
        $(#[$doc])*
        pub struct $name {
            prover: Prover,
            error: Mutex<Option<Error>>,
        }

        impl $name {
            /// Prepares the parameters of the circuit, mostly a file, on a device.
            pub fn new<K: Key + ?Sized>(device: &Device, params: &K) -> Result<Self> {
                Ok(Self { prover: Prover::new(device, params)?, error: Mutex::default() })
            }

            /// The prover, whose calls return errors.
            pub fn prover(&self) -> &Prover {
                &self.prover
            }

            /// The error of the last proof that was not made since this was asked; `None` if all were.
            pub fn take_error(&self) -> Option<Error> {
                self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
            }

            /// A proof; of an error, `take_error` keeps what `Failed` says.
            fn prove<R: Rng>(&self, circuit: $circuit, rng: &mut R) -> Result<Proof, Failed> {
                self.prover.prove(circuit, rng).map_err(|error| {
                    log::error!("{}: {error}", stringify!($name));
                    *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    Failed
                })
            }
        }
    };
}

/// A proof was not made. `take_error` of the prover has the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the proof was not made")]
pub struct Failed;

on_device! {
    /// The prover of Spends, in the place of [`SpendParameters`].
    DeviceSpendProver, Spend
}

on_device! {
    /// The prover of Outputs, in the place of [`OutputParameters`].
    DeviceOutputProver, Output
}

impl SpendProver for DeviceSpendProver {
    type Proof = Result<Proof, Failed>;

    fn prepare_circuit(
        proof_generation_key: ProofGenerationKey,
        diversifier: Diversifier,
        rseed: Rseed,
        value: NoteValue,
        alpha: jubjub::Fr,
        rcv: ValueCommitTrapdoor,
        anchor: Scalar,
        merkle_path: MerklePath,
    ) -> Option<Spend> {
        <SpendParameters as SpendProver>::prepare_circuit(
            proof_generation_key,
            diversifier,
            rseed,
            value,
            alpha,
            rcv,
            anchor,
            merkle_path,
        )
    }

    fn create_proof<R: Rng>(&self, circuit: Spend, rng: &mut R) -> Self::Proof {
        self.prove(circuit, rng)
    }

    fn encode_proof(proof: Self::Proof) -> GrothProofBytes {
        encode(proof)
    }
}

impl OutputProver for DeviceOutputProver {
    type Proof = Result<Proof, Failed>;

    fn prepare_circuit(
        esk: &EphemeralSecretKey,
        payment_address: PaymentAddress,
        rcm: jubjub::Fr,
        value: NoteValue,
        rcv: ValueCommitTrapdoor,
    ) -> Output {
        <OutputParameters as OutputProver>::prepare_circuit(esk, payment_address, rcm, value, rcv)
    }

    fn create_proof<R: Rng>(&self, circuit: Output, rng: &mut R) -> Self::Proof {
        self.prove(circuit, rng)
    }

    fn encode_proof(proof: Self::Proof) -> GrothProofBytes {
        encode(proof)
    }
}

/// The bytes of a proof; zeros, which encode no point, for one that was not made.
fn encode(proof: Result<Proof, Failed>) -> GrothProofBytes {
    let mut bytes = [0; PROOF];
    let Ok(proof) = proof else { return bytes };
    // Three points fill the bytes.
    match proof.write(&mut bytes[..]) {
        Ok(()) => bytes,
        Err(_) => [0; PROOF],
    }
}

/// The provers of Spends and Outputs by the parameters of Zcash's ceremony, which the crate wagyu-zcash-parameters has.
#[cfg(feature = "sapling-parameters")]
pub fn from_ceremony(device: &Device) -> Result<(DeviceSpendProver, DeviceOutputProver)> {
    let (spend, output) = wagyu_zcash_parameters::load_sapling_parameters();
    let key = |name: &str, bytes| {
        let source = wgalois_io::Source::from_bytes(name, bytes);
        wgalois_proofs::bellman::read_key(&source, device, wgalois_io::points::Trust::Nothing, u64::MAX)
    };
    let (spend, output) = (key("sapling-spend.params", spend)?, key("sapling-output.params", output)?);
    Ok((DeviceSpendProver::new(device, &spend)?, DeviceOutputProver::new(device, &output)?))
}
