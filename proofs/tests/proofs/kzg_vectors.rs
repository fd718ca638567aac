//! Ethereum's test vectors of EIP-4844, all of those on blobs, by the mainnet's trusted setup. `tests/kzg/README.md` names
//! their source. Some of them need an adapter: lavapipe (Debian's mesa-vulkan-drivers) is one.

use std::io::Read;
use std::path::Path;

use ark_bls12_381::{Fr, G1Affine};
use serde_json::Value;
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Result};
use wgalois_io::Source;
use wgalois_proofs::ethereum;
use wgalois_proofs::kzg::{
    Blob, Blobs, Claim, Committing, TrustedSetup, decode_point, decode_scalar, encode_point, encode_scalar,
};

/// The number of values of a blob.
const VALUES: usize = 4096;

fn unpacked(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kzg").join(name);
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

/// The vectors and the functions that they test.
struct Vectors {
    blobs: Vec<Vec<u8>>,
    setup: TrustedSetup,
    prepared: Blobs,
}

impl Vectors {
    /// The bytes of a value, a blob by its number; what is no whole bytes in hexadecimal digits is refused as input is.
    fn bytes(&self, value: &Value) -> Result<Vec<u8>> {
        let text = value.as_str().unwrap();
        match text.strip_prefix("blob ") {
            Some(number) => Ok(self.blobs[number.parse::<usize>().unwrap()].clone()),
            None => ethereum::hexadecimal(text.as_bytes()).ok_or(Error::ZeroShift),
        }
    }

    fn blob(&self, value: &Value) -> Result<Blob> {
        Blob::new(&self.bytes(value)?, VALUES)
    }

    fn point(&self, value: &Value) -> Result<G1Affine> {
        decode_point(&self.bytes(value)?)
    }

    fn scalar(&self, value: &Value) -> Result<Fr> {
        decode_scalar(&self.bytes(value)?)
    }

    fn all<T>(&self, values: &Value, one: impl Fn(&Value) -> Result<T>) -> Result<Vec<T>> {
        values.as_array().unwrap().iter().map(one).collect()
    }

    /// The result of a function, in the form of the vectors: `null` for input that is refused.
    fn computed(&self, function: &str, input: &Value) -> Value {
        let checked = |outcome: Result<_>| match outcome {
            Ok(_) => Ok(true.into()),
            Err(Error::Check(_)) => Ok(false.into()),
            Err(error) => Err(error),
        };
        let hex = |bytes: Vec<u8>| {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            Value::from(format!("0x{digits}"))
        };
        let compute = || -> Result<Value> {
            match function {
                "blob_to_kzg_commitment" => {
                    let points = self.prepared.commit(&[self.blob(&input["blob"])?])?;
                    Ok(hex(encode_point(&points[0])))
                }
                "compute_kzg_proof" => {
                    let (blob, z) = (self.blob(&input["blob"])?, self.scalar(&input["z"])?);
                    let opening = &self.prepared.open(&[blob], &[z])?[0];
                    Ok(vec![hex(encode_point(&opening.proof)), hex(encode_scalar(&opening.value))].into())
                }
                "compute_blob_kzg_proof" => {
                    let (blob, commitment) = (self.blob(&input["blob"])?, self.point(&input["commitment"])?);
                    Ok(hex(encode_point(&self.prepared.prove(&[blob], &[commitment])?[0])))
                }
                "verify_kzg_proof" => {
                    let (z, y) = (self.scalar(&input["z"])?, self.scalar(&input["y"])?);
                    let claim = Claim { commitment: self.point(&input["commitment"])?, z, y };
                    checked(self.setup.check(&[claim], &[self.point(&input["proof"])?]))
                }
                "verify_blob_kzg_proof" => {
                    let blob = self.blob(&input["blob"])?;
                    let (commitment, proof) =
                        (self.point(&input["commitment"])?, self.point(&input["proof"])?);
                    checked(self.setup.check_blobs(&[blob], &[commitment], &[proof]))
                }
                "verify_blob_kzg_proof_batch" => {
                    let blobs = self.all(&input["blobs"], |value| self.blob(value))?;
                    let commitments = self.all(&input["commitments"], |value| self.point(value))?;
                    let proofs = self.all(&input["proofs"], |value| self.point(value))?;
                    checked(self.setup.check_blobs(&blobs, &commitments, &proofs))
                }
                other => panic!("no function {other}"),
            }
        };
        compute().unwrap_or_else(|error| {
            assert_eq!(error.exit_code(), 3, "{error}");
            Value::Null
        })
    }
}

/// The vectors, with the setup prepared on `device`, and their cases.
fn vectors(device: &Device) -> (Vectors, Vec<Value>) {
    let mut file: Value = serde_json::from_slice(&unpacked("vectors.json.gz")).unwrap();
    let texts = file["blobs"].as_array().unwrap();
    let text = |value: &Value| match value.as_str() {
        Some(text) => text.to_owned(),
        None => {
            let begin = texts[value["as"].as_u64().unwrap() as usize].as_str().unwrap();
            let digits = value["digits"].as_u64().unwrap() as usize;
            begin[..digits].to_owned() + value["then"].as_str().unwrap()
        }
    };
    let blobs = texts.iter().map(|value| ethereum::hexadecimal(text(value).as_bytes()).unwrap()).collect();
    let source = Source::from_bytes("trusted_setup.txt", unpacked("trusted_setup.txt.gz"));
    let setup = ethereum::read_setup(&source, device, u64::MAX).unwrap();
    let plan = Committing::new(VALUES).plan(device).unwrap();
    let prepared = Blobs::new(device, &plan, setup.clone()).unwrap();
    let Value::Array(cases) = file["cases"].take() else { panic!("no list of cases") };
    (Vectors { blobs, setup, prepared }, cases)
}

#[test]
fn every_vector_of_ethereum() {
    let (vectors, cases) = vectors(&Device::Cpu(Cpu::default()));
    assert_eq!(cases.len(), 253);
    for case in &cases {
        let (function, name) = (case["function"].as_str().unwrap(), case["name"].as_str().unwrap());
        assert_eq!(vectors.computed(function, &case["input"]), case["output"], "{name}");
    }
}

/// The first two vectors of each function whose work a device does, those of refused input left out.
#[test]
fn vectors_on_a_gpu() {
    let (vectors, cases) = vectors(&Device::Gpu(crate::gpu_common::full().clone()));
    for function in ["blob_to_kzg_commitment", "compute_kzg_proof", "compute_blob_kzg_proof"] {
        let valid = cases.iter().filter(|case| case["function"] == function && !case["output"].is_null());
        let valid: Vec<_> = valid.take(2).collect();
        assert_eq!(valid.len(), 2);
        for case in valid {
            assert_eq!(vectors.computed(function, &case["input"]), case["output"], "{}", case["name"]);
        }
    }
    assert!(crate::gpu_common::dispatches(crate::gpu_common::full()) > 0);
}

#[test]
fn damaged_setups_are_refused_with_the_place() {
    let text = String::from_utf8(unpacked("trusted_setup.txt.gz")).unwrap();
    let device = Device::Cpu(Cpu::default());
    let refused = |text: &str, message: &str| {
        let source = Source::from_bytes("s", text.as_bytes());
        let error = ethereum::read_setup(&source, &device, u64::MAX).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().starts_with(message), "{error}");
    };
    refused("", "s: the file ends before");
    refused("x 65", "s:1:1: expected the number");
    refused("18446744073709551615 2", "s: 0 points, where");
    refused(&text.replacen("4096", "4095", 1), "s: 8257 points, where 4095 of G1 and 65 of G2");
    refused(&text[..text.len() / 2], "s: ");
    // The first point: another digit, another length.
    refused(&text.replacen("\na0", "\naz", 1), "s:3:1: expected 96 hexadecimal digits");
    refused(&text.replacen("\na0", "\n", 1), "s:3:1: expected 96 hexadecimal digits");
    refused(&text.replacen("\na0", "\n20", 1), "s:3:1: ");
    let source = Source::from_bytes("s", text.as_bytes());
    let error = ethereum::read_setup(&source, &device, 1000).unwrap_err();
    assert!(matches!(error, Error::TooLarge(_)));
}
