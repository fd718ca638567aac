//! Where proving keys come from.

use std::path::Path;

use ark_bls12_381::Bls12_381;
use wgalois::Device;
use wgalois_io::Source;
use wgalois_io::points::Trust;
use wgalois_proofs::bellman::read_key;
use wgalois_proofs::groth16::ProvingKey;

/// A proving key, or what one is read from: `Parameters` of groth16 or bellperson, bellperson's `MappedParameters`, the path of a
/// file of parameters, or the library's own key.
///
/// The points of a file are checked to be on their curves and, on the device, in the subgroups. Those of `Parameters` were checked
/// by who read or made them, and of `MappedParameters` as they say themselves (`checked`).
pub trait Key {
    /// The key, as the library has it.
    fn proving_key(&self, device: &Device) -> wgalois::Result<ProvingKey<Bls12_381>>;
}

impl Key for ProvingKey<Bls12_381> {
    fn proving_key(&self, _: &Device) -> wgalois::Result<ProvingKey<Bls12_381>> {
        Ok(self.clone())
    }
}

impl Key for Path {
    fn proving_key(&self, device: &Device) -> wgalois::Result<ProvingKey<Bls12_381>> {
        read_key(&Source::open(self, u64::MAX)?, device, Trust::Nothing, u64::MAX)
    }
}

/// The key of parameters that write themselves in the format of their files.
#[cfg(any(feature = "bellman", feature = "bellperson"))]
pub(crate) fn of_parameters(
    write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>,
) -> wgalois::Result<ProvingKey<Bls12_381>> {
    const NAME: &str = "the parameters";
    let mut bytes = Vec::new();
    write(&mut bytes).map_err(|error| wgalois::Error::file(NAME, error))?;
    wgalois_proofs::bellman::read_key_on_curve(&Source::from_bytes(NAME, bytes), Trust::Everything, u64::MAX)
}
