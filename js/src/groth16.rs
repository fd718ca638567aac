//! Groth16: keys, proofs and their verification.

use std::rc::Rc;

use ark_ff::PrimeField;
use wasm_bindgen::prelude::*;
use wgalois::task::Problem;
use wgalois::verify::Guarantee;
use wgalois::{Error, Fault, Result};
use wgalois_io::Source;
use wgalois_io::points::Trust;
use wgalois_proofs::groth16::{self, Proving, ProvingKey, Witness};
use wgalois_proofs::snarkjs;
use zeroize::{Zeroize, Zeroizing};

use crate::engine::Engine;
use crate::outcome::{outcome, thrown};
use crate::{MEMORY, Pairing};

type Scalar = <Pairing as wgalois::curve::PairingCurve>::Scalar;

/// A key that was read.
#[wasm_bindgen]
pub struct Key(Rc<Read>);

struct Read {
    source: Source,
    key: ProvingKey<Pairing>,
}

/// Reads a `.zkey`, whose points must lie on their curves. Messages call it `name`.
#[wasm_bindgen(js_name = readKey)]
pub fn read_key(name: String, bytes: Vec<u8>) -> Result<Key, JsValue> {
    let source = Source::from_bytes(name, bytes);
    let key = snarkjs::read_key_on_curve(&source, Trust::Nothing, MEMORY).map_err(thrown)?;
    Ok(Key(Rc::new(Read { source, key })))
}

#[wasm_bindgen]
impl Key {
    /// Returns the numbers of variables and of public values, and the size of the domain.
    pub fn sizes(&self) -> Vec<u32> {
        let key = &self.0.key;
        // A file has them as 32-bit integers.
        [key.variables(), key.public(), key.domain.len()].map(|size| size as u32).to_vec()
    }

    /// Checks that the points are in the subgroups of order r.
    pub fn check(&self, engine: &Engine, is_timed: bool) -> Result<JsValue, JsValue> {
        let (read, device) = (Rc::clone(&self.0), engine.device(is_timed));
        outcome(async move {
            snarkjs::check_key_async(&read.source, &read.key, &device).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Prepares proofs by the key, which is used up. `is_timed` asks for the times of this and of all proofs.
    pub fn prepare(self, engine: &Engine, is_timed: bool) -> Result<JsValue, JsValue> {
        let device = engine.device(is_timed);
        outcome(async move {
            // A check that is under way holds the key, too, and ends first.
            let read =
                Rc::into_inner(self.0).ok_or_else(|| Error::Usage("the key is being checked".into()))?;
            drop(read.source);
            let plan = Proving::of(&read.key).plan(&device)?;
            let prover = groth16::Prover::new_async(&device, &plan, read.key).await?;
            Ok(Prover(Rc::new(prover)))
        })
    }
}

/// A key prepared for proofs.
#[wasm_bindgen]
pub struct Prover(Rc<groth16::Prover<Pairing>>);

#[wasm_bindgen]
impl Prover {
    /// Makes a proof for a `.wtns`, which messages call `name`. Its randomness comes from `randomness`, or from the system.
    pub fn prove(
        &self,
        name: String,
        bytes: Vec<u8>,
        randomness: Option<Vec<u8>>,
    ) -> Result<JsValue, JsValue> {
        let prover = Rc::clone(&self.0);
        outcome(async move {
            let source = Source::from_bytes(name, bytes);
            let witness: Witness<Scalar> = snarkjs::read_witness(&source, MEMORY)?;
            // The length is compared before anything is computed.
            let public = prover.public(&witness)?.to_vec();
            let proof = match randomness {
                None => prover.prove_async(&witness).await?,
                Some(bytes) => prove_with(&prover, &witness, bytes).await?,
            };
            Ok(Proof { prover, proof, public })
        })
    }

    /// True if a proof is accepted for these public values by the key; see [`verify`].
    pub fn verify(&self, public: String, proof: String) -> Result<bool, JsValue> {
        accepts(public, proof, |proof, public| self.0.verifier().check(proof, public))
    }
}

/// Makes a proof with r and s from the halves of `bytes`, integers that are reduced modulo the order of the groups.
async fn prove_with(
    prover: &groth16::Prover<Pairing>,
    witness: &Witness<Scalar>,
    bytes: Vec<u8>,
) -> Result<groth16::Proof<Pairing>> {
    let bytes = Zeroizing::new(bytes);
    let (r, s) = bytes.split_at(bytes.len() / 2);
    let mut random = [(Scalar::from_le_bytes_mod_order(r), Scalar::from_le_bytes_mod_order(s))];
    let proofs = prover.prove_with_async(&[witness], &random).await;
    random.zeroize();
    proofs?.pop().ok_or_else(|| Error::Device("one witness gave no proof".into()))
}

/// A proof with its public values.
#[wasm_bindgen]
pub struct Proof {
    prover: Rc<groth16::Prover<Pairing>>,
    proof: groth16::Proof<Pairing>,
    public: Vec<Scalar>,
}

#[wasm_bindgen]
impl Proof {
    /// Verifies the proof by the key that made it.
    pub fn verify(&self) -> Result<(), JsValue> {
        match self.prover.verifier().check(&self.proof, &self.public) {
            Ok(_) => Ok(()),
            Err(Error::Check(fault)) => {
                let text = "the witness does not satisfy the circuit, or the device computed wrongly";
                Err(thrown(Error::Check(format!("{fault}: {text}").into())))
            }
            Err(other) => Err(thrown(other)),
        }
    }

    /// A text of JSON, of the proof and of the public values.
    pub fn json(&self) -> Result<Vec<String>, JsValue> {
        let mut texts = [Vec::new(), Vec::new()];
        let written = snarkjs::write_proof(&mut texts[0], &self.proof)
            .and_then(|()| snarkjs::write_public(&mut texts[1], &self.public));
        written.map_err(|error| thrown(Error::File { path: "proof".into(), source: error }))?;
        Ok(texts.map(|text| String::from_utf8_lossy(&text).into_owned()).into())
    }
}

/// True if a proof proves that somebody knows a witness with these public values. Proofs whose points are none, or not in their groups, and
/// values that are not below r, prove nothing. Other texts are refused.
#[wasm_bindgen]
pub fn verify(key: String, public: String, proof: String) -> Result<bool, JsValue> {
    let source = Source::from_bytes("the verifying key", key);
    let key: groth16::VerifyingKey<Pairing> = snarkjs::read_verifying_key(&source, MEMORY).map_err(thrown)?;
    accepts(public, proof, |proof, public| key.check(proof, public))
}

fn accepts(
    public: String,
    proof: String,
    check: impl FnOnce(&groth16::Proof<Pairing>, &[Scalar]) -> Result<Guarantee>,
) -> Result<bool, JsValue> {
    let read_and_check = || {
        let public = snarkjs::read_public(&Source::from_bytes("the public signals", public), MEMORY)?;
        check(&snarkjs::read_proof(&Source::from_bytes("the proof", proof), MEMORY)?, &public)
    };
    match read_and_check() {
        Ok(_) => Ok(true),
        Err(Error::Check(_)) => Ok(false),
        Err(Error::Format { fault, .. }) if is_of_a_value(&fault) => Ok(false),
        Err(other) => Err(thrown(other)),
    }
}

/// True if the value is wrong, not the form of the text.
fn is_of_a_value(fault: &Fault) -> bool {
    match fault {
        Fault::In { fault, .. } | Fault::Of { fault, .. } => is_of_a_value(fault),
        Fault::NotBelow { .. } | Fault::NotOnCurve { .. } | Fault::OutsideSubgroup => true,
        _ => false,
    }
}
