//! Circuits as circom writes them, `.r1cs`: whole and damaged.
#![cfg(feature = "groth16")]

use ark_ff::{BigInteger, PrimeField};
use wgalois::{Error, Result};
use wgalois_io::Source;
use wgalois_proofs::groth16::{Circuit, chain};
use wgalois_proofs::snarkjs;

type Fr = ark_bn254::Fr;

/// A circuit and its file.
fn circuit() -> (Circuit<Fr>, Vec<u8>) {
    let (circuit, _) = chain::<Fr>(5, 1);
    let bytes = written(&circuit);
    (circuit, bytes)
}

fn written(circuit: &Circuit<Fr>) -> Vec<u8> {
    let mut bytes = Vec::new();
    snarkjs::write_circuit(&mut bytes, circuit).unwrap();
    bytes
}

fn source(bytes: &[u8]) -> Source {
    Source::from_bytes("f", bytes)
}

/// The error of a reader, which must be of exit code 3 and name the file.
fn fault<T>(outcome: Result<T>) -> String {
    let error = outcome.err().expect("an error");
    assert_eq!(error.exit_code(), 3, "{error}");
    let text = error.to_string();
    assert!(text.starts_with("f: "), "{text}");
    text
}

fn read_bytes(bytes: &[u8]) -> Result<Circuit<Fr>> {
    snarkjs::read_circuit::<Fr>(&source(bytes), u64::MAX)
}

/// The bytes with more sections.
fn with_sections(bytes: &[u8], more: &[(u32, &[u8])]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[8] += more.len() as u8;
    for (number, content) in more {
        bytes.extend(number.to_le_bytes());
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(*content);
    }
    bytes
}

#[test]
fn circuits_are_read_as_circom_writes_them() {
    // By hand, after the format's description: (x1 + 2 x2) x3 = r - 1, with one output, two labels too many.
    let mut header = vec![32, 0, 0, 0];
    header.extend(Fr::MODULUS.to_bytes_le());
    for word in [4u32, 1, 0, 2] {
        header.extend(word.to_le_bytes());
    }
    header.extend(6u64.to_le_bytes());
    header.extend(1u32.to_le_bytes());
    let entry = |variable: u8, coefficient: u8| {
        let mut bytes = [0; 36];
        (bytes[0], bytes[4]) = (variable, coefficient);
        bytes
    };
    let mut rows = vec![2, 0, 0, 0];
    rows.extend([entry(1, 1), entry(2, 2)].concat());
    rows.extend([1, 0, 0, 0]);
    rows.extend(entry(3, 1));
    rows.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    let mut largest = Fr::MODULUS.to_bytes_le();
    largest[0] -= 1;
    rows.extend(&largest);
    let mut head = b"r1cs".to_vec();
    head.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    // The order of the sections is free.
    let bytes = with_sections(&head, &[(2, &rows), (1, &header), (3, &[0; 32])]);
    let one = Fr::from(1u64);
    let constraint = [vec![(one, 1), (one + one, 2)], vec![(one, 3)], vec![(-one, 0)]];
    assert_eq!(
        read_bytes(&bytes).unwrap(),
        Circuit { variables: 4, public: 1, constraints: vec![constraint] }
    );
    let bytes = with_sections(&bytes, &[(4, &[0; 4]), (5, &[0; 4])]);
    read_bytes(&bytes).unwrap();
}

#[test]
fn damaged_circuits_are_refused_with_section_and_place() {
    let (_, bytes) = circuit();
    for cut in 0..bytes.len() {
        fault(read_bytes(&bytes[..cut]));
    }
    let (header, rows) = (24, 24 + 64 + 12);
    let changed = |at: usize, word: u32, expected: &str| {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        let message = fault(read_bytes(&bytes));
        assert!(message.contains(expected), "{message}");
    };
    changed(0, 7, "begins with r1cs");
    changed(4, 3, "byte 4: version 3 of r1cs");
    changed(12, 9, "there is no section 1");
    changed(rows - 12, 9, "there is no section 2");
    changed(header, 1000, "section 1");
    changed(header + 4, 5, "byte 24: section 1: the circuit is over the scalar field of another curve");
    changed(header + 36, 2, "byte 60: section 1: 2 public variables and the constant, of 2");
    changed(header + 36, 3, "section 2: row A of constraint 0: variable 3 of 3");
    changed(header + 40, u32::MAX, "4294967297 public variables");
    changed(header + 60, u32::MAX, "hold no 4294967295 constraints");
    changed(header + 60, 4, "bytes more than expected");
    changed(rows, u32::MAX, &format!("byte {rows}: section 2: row A of constraint 0: 4294967295 entries"));
    changed(rows + 4, 8, &format!("byte {}: section 2: row A of constraint 0: variable 8 of 8", rows + 4));
    let message = format!("byte {}: section 2: row A of constraint 0: a coefficient is not", rows + 8);
    changed(rows + 36, u32::MAX, &message);
    // The row C of the last constraint, the last in the file.
    let at = bytes.len() - 36;
    changed(at, 99, &format!("byte {at}: section 2: row C of constraint 4: variable 99 of 8"));
    let more = |sections: &[(u32, &[u8])], expected: &str| {
        let message = fault(read_bytes(&with_sections(&bytes, sections)));
        assert!(message.contains(expected), "{message}");
    };
    more(&[(3, &[0; 60])], "section 3: 60 bytes, where 8 labels");
    more(&[(4, &[1, 0, 0, 0])], "section 4: custom gates");
    more(&[(5, &[1, 0, 0, 0])], "section 5: custom gates");
    more(&[(2, &[])], "section 2 occurs twice");
    let other = snarkjs::read_circuit::<ark_bls12_381::Fr>(&source(&bytes[..]), u64::MAX);
    assert!(fault(other).contains("another curve"));
    let limited = snarkjs::read_circuit::<Fr>(&source(&bytes), 100);
    assert!(matches!(limited.unwrap_err(), Error::TooLarge(_)));
}
