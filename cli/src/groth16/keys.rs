//! The forms of proving keys: snarkjs', and bellman's with a circuit.

use crate::prelude::*;
use ark_bls12_381::{Bls12_381, Fr};
use wgalois::curve::PairingCurve;
use wgalois_io::points::Trust;
use wgalois_proofs::groth16::{Basis, Circuit, ProvingKey, Weakness};
use wgalois_proofs::{bellman, snarkjs};

/// True for a key of bellman, whose format has no letters to tell it by.
pub fn is_params(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("params"))
}

/// The sizes of a key's circuit.
pub struct Sizes {
    pub variables: usize,
    pub public: usize,
    pub log2: u32,
    pub coefficients: usize,
    /// The numbers of bases A and B.
    pub bases: [usize; 2],
    pub basis: Basis,
    pub weakness: Option<Weakness>,
}

/// A form of proving keys, by which a key is read in steps.
pub trait KeyForm<E: PairingCurve>: Sync {
    /// Reads the sizes.
    fn sizes(&self, source: &Source) -> Result<Sizes>;
    /// The name of the check that points are on their curves and in the subgroups. A check that refuses more gets another one.
    const CHECK: &str;
    /// Reads the key, whose points are checked to be on their curves unless that is trusted.
    fn read(&self, source: &Source, trust: Trust, memory: u64) -> Result<ProvingKey<E>>;
    /// Checks that the points of the key that was read are in the subgroups.
    fn check(&self, source: &Source, key: &ProvingKey<E>, device: &Device) -> Result<()>;
    /// Adds what the file does not have.
    fn complete(&self, key: ProvingKey<E>) -> Result<ProvingKey<E>>;
}

/// A key of snarkjs.
pub struct Zkey;

impl<E: PairingCurve> KeyForm<E> for Zkey {
    fn sizes(&self, source: &Source) -> Result<Sizes> {
        let snarkjs::Description { variables, public, log2, coefficients, weakness, .. } =
            snarkjs::describe::<E>(source)?;
        let bases = [variables; 2];
        Ok(Sizes { variables, public, log2, coefficients, bases, basis: Basis::OddRoots, weakness })
    }

    const CHECK: &str = "wgalois snarkjs key 1";

    fn read(&self, source: &Source, trust: Trust, memory: u64) -> Result<ProvingKey<E>> {
        snarkjs::read_key_on_curve(source, trust, memory)
    }

    fn check(&self, source: &Source, key: &ProvingKey<E>, device: &Device) -> Result<()> {
        snarkjs::check_key(source, key, device)
    }

    fn complete(&self, key: ProvingKey<E>) -> Result<ProvingKey<E>> {
        Ok(key)
    }
}

/// A key of bellman, and the circuit whose constraints it does not have.
pub struct Params {
    circuit: Circuit<Fr>,
}

impl Params {
    /// Reads the circuit.
    pub fn with_circuit(context: &Context, path: &Path) -> Result<Self> {
        let memory = context.memory();
        let circuit = context.read(path, |source| snarkjs::read_circuit::<Fr>(source, memory))?;
        Ok(Params { circuit })
    }
}

impl KeyForm<Bls12_381> for Params {
    fn sizes(&self, source: &Source) -> Result<Sizes> {
        let bellman::Description { variables, public, a, b, log2, weakness, .. } = bellman::describe(source)?;
        let rows = self.circuit.constraints.iter().flat_map(|[a, b, _]| [a, b]);
        let coefficients = rows.map(Vec::len).sum::<usize>() + public + 1;
        Ok(Sizes { variables, public, log2, coefficients, bases: [a, b], basis: Basis::Powers, weakness })
    }

    const CHECK: &str = "wgalois bellman key 1";

    fn read(&self, source: &Source, trust: Trust, memory: u64) -> Result<ProvingKey<Bls12_381>> {
        bellman::read_key_on_curve(source, trust, memory)
    }

    fn check(&self, source: &Source, key: &ProvingKey<Bls12_381>, device: &Device) -> Result<()> {
        bellman::check_key(source, key, device)
    }

    fn complete(&self, key: ProvingKey<Bls12_381>) -> Result<ProvingKey<Bls12_381>> {
        key.with_rows(&self.circuit)
    }
}
