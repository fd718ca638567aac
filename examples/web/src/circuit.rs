//! Circuits over BN254 with a key and a witness, as files of snarkjs: the package proves.

use ark_bn254::Bn254;
use wasm_bindgen::prelude::*;
use wgalois::Error;
use wgalois_proofs::groth16::{Basis, Setup, chain};
use wgalois_proofs::snarkjs;

/// The largest number of constraints that the page generates, as a logarithm.
const MAX_LOG: u32 = 14;

/// The files of a circuit.
#[wasm_bindgen]
pub struct Circuit {
    key: Vec<u8>,
    witness: Vec<u8>,
}

#[wasm_bindgen]
impl Circuit {
    /// Generates a circuit with 2^`log_constraints` constraints, a key by one party, and a witness.
    pub fn generate(log_constraints: u32) -> Result<Circuit, JsError> {
        if log_constraints > MAX_LOG {
            return Err(Error::Usage(format!("2^{log_constraints} constraints: at most 2^{MAX_LOG}")).into());
        }
        let (circuit, values) = chain(1 << log_constraints, 1);
        let setup = Setup::<Bn254>::random()?;
        let [mut key, mut witness] = [Vec::new(), Vec::new()];
        snarkjs::write_key(&mut key, &setup.key(&circuit, Basis::OddRoots)?)
            .map_err(|error| Error::file("the key", error))?;
        snarkjs::write_witness(&mut witness, &values).map_err(|error| Error::file("the witness", error))?;
        Ok(Circuit { key, witness })
    }

    /// Returns the key, a `.zkey`.
    pub fn key(&self) -> Vec<u8> {
        self.key.clone()
    }

    /// Returns the witness, a `.wtns`.
    pub fn witness(&self) -> Vec<u8> {
        self.witness.clone()
    }
}
