//! Files of small circuits, whole and damaged.

use std::iter::zip;

use ark_ff::Field;

use super::*;
use crate::groth16::{Basis, Proof, Prover, Proving, ProvingKey, Setup, chain};
use wgalois::curve::{Affine, CurveName, PairingCurve};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Result};
use wgalois_io::Source;
use wgalois_io::points::Trust;

type Bn = ark_bn254::Bn254;
type Bls = ark_bls12_381::Bls12_381;

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

fn source(bytes: impl Into<Vec<u8>>) -> Source {
    Source::from_bytes("f", bytes)
}

fn written(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    bytes
}

/// A key of 5 constraints and its file.
fn key<E: PairingCurve>() -> (ProvingKey<E>, Vec<u8>) {
    let (circuit, _) = chain::<E::Scalar>(5, 1);
    let [tau, alpha, beta, gamma, delta] =
        [12345u64, 3, 5, 7, 11].map(|value| E::Scalar::from(value).pow([9u64]));
    let key = Setup::<E> { tau, alpha, beta, gamma, delta }.key(&circuit, Basis::OddRoots).unwrap();
    let bytes = written(|out| write_key(out, &key));
    (key, bytes)
}

fn read<E: PairingCurve>(bytes: &[u8]) -> Result<ProvingKey<E>> {
    read_key(&source(bytes), &cpu(), Trust::Nothing, u64::MAX)
}

/// The error of a reader, which must be of exit code 3 and name the file.
fn fault<T>(outcome: Result<T>) -> String {
    let error = outcome.err().expect("an error");
    assert_eq!(error.exit_code(), 3, "{error}");
    let text = error.to_string();
    assert!(text.starts_with("f: "), "{text}");
    text
}

fn keys_come_back<E: PairingCurve>(name: CurveName) {
    let (key, bytes) = key::<E>();
    assert_eq!(curve_of(&source(&bytes[..])).unwrap(), name);
    assert_eq!(read::<E>(&bytes).unwrap(), key);
    let verifying = read_verifying_part::<E>(&source(&bytes[..]), u64::MAX).unwrap();
    assert_eq!(verifying, key.verifying);
    let text = written(|out| write_verifying_key(out, &verifying));
    assert_eq!(curve_of_verifying_key(&source(&text[..]), u64::MAX).unwrap(), name);
    assert_eq!(read_verifying_key::<E>(&source(text), u64::MAX).unwrap(), verifying);
    let (circuit, witness) = chain::<E::Scalar>(5, 1);
    let bytes = written(|out| write_circuit(out, &circuit));
    assert_eq!(curve_of(&source(&bytes[..])).unwrap(), name);
    assert_eq!(read_circuit::<E::Scalar>(&source(bytes), u64::MAX).unwrap(), circuit);
    let bytes = written(|out| write_witness(out, &witness));
    assert_eq!(curve_of(&source(&bytes[..])).unwrap(), name);
    assert_eq!(*read_witness::<E::Scalar>(&source(bytes), u64::MAX).unwrap(), *witness);
    let prover = Prover::new(&cpu(), &Proving::of(&key).plan(&cpu()).unwrap(), key).unwrap();
    let proof = prover.prove(&witness).unwrap();
    let text = written(|out| write_proof(out, &proof));
    assert_eq!(read_proof::<E>(&source(text), u64::MAX).unwrap(), proof);
    let public = prover.public(&witness).unwrap();
    let text = written(|out| write_public(out, public));
    assert_eq!(read_public::<E::Scalar>(&source(text), u64::MAX).unwrap(), public);
}

#[test]
fn files_come_back() {
    keys_come_back::<Bn>(CurveName::Bn254);
    keys_come_back::<Bls>(CurveName::Bls12_381);
}

#[test]
fn the_form_of_json_is_snarkjs_s() {
    let infinity = Proof::<Bn> {
        a: Affine::new_unchecked(1u64.into(), 2u64.into()),
        b: Affine::identity(),
        c: Affine::identity(),
    };
    let text = String::from_utf8(written(|out| write_proof(out, &infinity))).unwrap();
    let expected = "{\n \"pi_a\": [\n  \"1\",\n  \"2\",\n  \"1\"\n ],\n \"pi_b\": [\n  [\n   \"0\",\n   \"0\"\n  ],\n  \
                    [\n   \"1\",\n   \"0\"\n  ],\n  [\n   \"0\",\n   \"0\"\n  ]\n ],\n \"pi_c\": [\n  \"0\",\n  \"1\",\n  \
                    \"0\"\n ],\n \"protocol\": \"groth16\",\n \"curve\": \"bn128\"\n}";
    assert_eq!(text, expected);
    let values = [1u64, 0].map(ark_bn254::Fr::from);
    assert_eq!(written(|out| write_public(out, &values)), b"[\n \"1\",\n \"0\"\n]");
}

#[test]
fn truncated_files_are_refused() {
    let (_, bytes) = key::<Bn>();
    let mut cuts: Vec<usize> = (0..40).chain([bytes.len() - 1, bytes.len() / 2]).collect();
    for section in describe::<Bn>(&source(&bytes[..])).unwrap().sections {
        let (begin, end) = (section.offset, section.offset + section.bytes);
        cuts.extend([begin - 12, begin - 1, begin, begin + 1, end - 1, end]);
    }
    for cut in cuts.into_iter().filter(|&cut| cut < bytes.len()) {
        fault(read::<Bn>(&bytes[..cut]));
        fault(describe::<Bn>(&source(&bytes[..cut])));
    }
    let (_, witness) = chain::<ark_bn254::Fr>(5, 1);
    let bytes = written(|out| write_witness(out, &witness));
    for cut in 0..bytes.len() {
        fault(read_witness::<ark_bn254::Fr>(&source(&bytes[..cut]), u64::MAX));
    }
}

#[test]
fn changed_words_are_refused_with_section_and_place() {
    let (_, bytes) = key::<Bn>();
    let sections = describe::<Bn>(&source(&bytes[..])).unwrap().sections;
    let offset = |number: u32| sections.iter().find(|section| section.number == number).unwrap().offset;
    let changed = |at: usize, word: u32, expected: &str| {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        let message = fault(read::<Bn>(&bytes));
        assert!(message.contains(expected), "{message}");
    };
    let header = offset(2);
    // Fields of the header: q and r take 36 bytes each.
    changed(4, 3, "byte 4: version 3");
    changed(8, 11, "bytes");
    changed(8, u32::MAX, "a section");
    changed(8, 9, "bytes after the last section");
    changed(offset(1), 2, "PLONK");
    changed(offset(1), 10, "FFLONK");
    changed(offset(1), 7, "protocol 7");
    changed(offset(3) - 12, 4, "occurs twice");
    changed(offset(9) - 12, 20, "there is no section 9");
    changed(offset(9) - 8, u32::MAX, "section 9 should have");
    changed(header, 100_000, "section 2");
    changed(header + 4, 5, "section 2");
    changed(header + 72, 1 << 30, "section");
    changed(header + 76, 1 << 30, "public variables and the constant");
    changed(header + 80, 12, "no power of two");
    changed(header + 80, 1 << 31, "roots of unity");
    changed(header + 80, 1 << 20, "section 9");
    changed(header + 84, 5, &format!("byte {}: section 2: alpha in G1: not on the curve", header + 84));
    changed(offset(3) + 64, 5, &format!("byte {}: section 3: point 1", offset(3) + 64));
    changed(offset(4), 1 << 30, "section 4");
    changed(offset(4) + 4, 2, "matrix 2");
    changed(offset(4) + 8, 8, "constraint 8 of 8");
    changed(offset(4) + 12, 99, "variable 99 of 8");
    changed(
        offset(4) + 44,
        u32::MAX,
        &format!("byte {}: section 4: coefficient 0: the value", offset(4) + 4),
    );
    for number in [5, 6, 7, 8, 9] {
        let at = offset(number);
        // The first point of B may be infinity, of which no byte may change either.
        changed(at + 4, 5, &format!("byte {at}: section {number}: point 0"));
    }
    changed(offset(5) + 28, u32::MAX, "a coordinate is not below the modulus");
}

#[test]
fn points_outside_the_subgroup_are_refused() {
    let (key, _) = key::<Bls>();
    let x = (1u64..).map(ark_bls12_381::Fq::from);
    let mut points = x.filter_map(|x| ark_bls12_381::G1Affine::get_point_from_x_unchecked(x, true));
    let outside = points.find(|point| !point.is_in_correct_subgroup_assuming_on_curve()).unwrap();
    let x = (1u64..).map(ark_bls12_381::Fq2::from);
    let mut points = x.filter_map(|x| ark_bls12_381::G2Affine::get_point_from_x_unchecked(x, true));
    let outside2 = points.find(|point| !point.is_in_correct_subgroup_assuming_on_curve()).unwrap();
    let mut changed = key.clone();
    changed.queries.a[2] = outside;
    let bytes = written(|out| write_key(out, &changed));
    assert!(fault(read::<Bls>(&bytes)).contains("section 5: point 2 of the bases A: on the curve, but not"));
    read_key::<Bls>(&source(bytes), &cpu(), Trust::Everything, u64::MAX).unwrap();
    let mut changed = key.clone();
    changed.queries.b2[1] = outside2;
    let bytes = written(|out| write_key(out, &changed));
    assert!(fault(read::<Bls>(&bytes)).contains("section 7: point 1"));
    let mut changed = key.clone();
    changed.verifying.gamma = outside2;
    let bytes = written(|out| write_key(out, &changed));
    assert!(fault(read::<Bls>(&bytes)).contains("gamma in G2: on the curve, but not in the subgroup"));
    for (beta, delta, name) in [(outside, key.delta, "beta"), (key.beta, outside, "delta")] {
        let changed = ProvingKey { beta, delta, ..key.clone() };
        let bytes = written(|out| write_key(out, &changed));
        let message = fault(describe::<Bls>(&source(bytes)));
        assert!(message.contains(&format!("section 2: {name} in G1: on the curve, but not")), "{message}");
    }
    let mut with_point = key.clone();
    with_point.verifying.public[1] = outside;
    let bytes = written(|out| write_key(out, &with_point));
    assert!(fault(read::<Bls>(&bytes)).contains("section 3: point 1 of public variables: on the curve, but"));
    let proof = Proof::<Bls> { a: key.beta, b: outside2, c: key.delta };
    let text = written(|out| write_proof(out, &proof));
    let message = fault(read_proof::<Bls>(&source(text), u64::MAX));
    assert!(message.contains("pi_b: on the curve, but not in the subgroup of order r"), "{message}");
    let text = written(|out| write_verifying_key(out, &changed.verifying));
    assert!(fault(read_verifying_key::<Bls>(&source(text), u64::MAX)).contains("gamma in G2"));
}

#[test]
fn witnesses_in_json_are_those_of_snarkjs() {
    type Fr = ark_bn254::Fr;
    let (_, witness) = chain::<Fr>(5, 1);
    // `snarkjs wtns export json` writes the same list as the public values have, with the constant.
    let text = written(|out| write_public(out, &witness));
    assert_eq!(*read_witness_json::<Fr>(&source(&text[..]), u64::MAX).unwrap(), *witness);
    let message = |text: &str| fault_of_text(read_witness_json::<Fr>(&source(text), u64::MAX));
    for (text, expected) in [
        (r#"["1", "x"]"#, "value 1: not a decimal number below r"),
        (r#"["1", "-1"]"#, "value 1: not a decimal number below r"),
        (r#"["2", "1"]"#, "the first value is not 1"),
        (r#"["1", 777]"#, "a value must be a string of decimal digits"),
        (r#"{"pi_a": []}"#, "the file looks like a proof (proof.json), where a witness was expected"),
        ("", "the file is empty"),
        ("[\"1\"", "EOF"),
    ] {
        let message = message(text);
        assert!(message.contains(expected), "{text}: {message}");
        assert!(!message.contains("777"), "{message}");
    }
    let order = <Fr as ark_ff::PrimeField>::MODULUS.to_string();
    assert!(message(&format!(r#"["1", "{order}"]"#)).contains("value 1: not a decimal number below r"));
    assert!(matches!(read_witness_json::<Fr>(&source("[\"1\"]"), 3), Err(Error::TooLarge(_))));
}

#[test]
fn witnesses_of_others_are_refused() {
    let (_, witness) = chain::<ark_bn254::Fr>(5, 1);
    let bytes = written(|out| write_witness(out, &witness));
    assert!(
        fault(read_witness::<ark_bls12_381::Fr>(&source(&bytes[..]), u64::MAX)).contains("another curve")
    );
    let values = bytes.len() - 32 * witness.len();
    let mut changed = bytes.clone();
    changed[values + 64..values + 96].fill(0xff);
    let message = fault(read_witness::<ark_bn254::Fr>(&source(changed), u64::MAX));
    assert!(
        message.contains(&format!("byte {}: section 2: value 2 is not below r", values + 64)),
        "{message}"
    );
    let limited = read_witness::<ark_bn254::Fr>(&source(bytes), 10);
    assert!(matches!(limited.unwrap_err(), Error::TooLarge(_)));
    let (_, bytes) = key::<Bn>();
    assert!(fault(read_witness::<ark_bn254::Fr>(&source(&bytes[..]), u64::MAX)).contains("begins with wtns"));
    assert!(fault(read::<Bls>(&bytes)).contains("not over bls12-381"));
    let limited = read_key::<Bn>(&source(bytes), &cpu(), Trust::Nothing, 1000);
    assert!(matches!(limited.unwrap_err(), Error::TooLarge(_)));
}

#[test]
fn damaged_json_is_refused() {
    let proof = |text: &str| fault_of_text(read_proof::<Bn>(&source(text), u64::MAX));
    let infinity = r#"["0","1","0"]"#;
    let infinity2 = r#"[["0","0"],["1","0"],["0","0"]]"#;
    let with = |a: &str, tail: &str| format!(r#"{{"pi_a":{a},"pi_b":{infinity2},"pi_c":{infinity}{tail}}}"#);
    read_proof::<Bn>(&source(with(infinity, "")), u64::MAX).unwrap();
    for (a, expected) in [
        (r#"["1","5","1"]"#, "f: pi_a: not on the curve"),
        (r#"["1","2","3"]"#, "neither 0 nor 1"),
        (r#"["1","2"]"#, "2 coordinates"),
        (r#"["1","-2","1"]"#, "decimal digits"),
        (r#"["1",["2","3"],"1"]"#, "a coordinate of 2 numbers"),
        (
            r#"["1","21888242871839275222246405745257275088696311157297823662689037894645226208583","1"]"#,
            "not below the modulus q",
        ),
        ("7", "f:1:"),
    ] {
        let message = proof(&with(a, ""));
        assert!(message.contains(expected), "{message}");
    }
    let long = format!(r#"["{}","2","1"]"#, "9".repeat(100_000));
    assert!(proof(&with(&long, "")).contains("not below"));
    assert!(proof(&with(infinity, r#","protocol":"plonk""#)).contains("plonk"));
    assert!(proof(&with(infinity, r#","curve":"bls12381""#)).contains("bls12381"));
    assert!(proof(" \n").contains("the file is empty"));
    assert!(proof(&with("[1, 2, 1]", "")).contains("a coordinate must be a string of decimal digits"));
    // Other protocols have other fields.
    assert!(proof(r#"{"A":["1","2","1"],"protocol":"plonk","curve":"bn128"}"#).contains("plonk"));
    let other = r#"{"protocol":"fflonk","curve":"bn128","nPublic":1,"power":3,"k1":"2","w":"5"}"#;
    assert!(fault_of_text(read_verifying_key::<Bn>(&source(other), u64::MAX)).contains("fflonk"));
    assert!(proof("{\n \"pi_a\": x}").starts_with("f:2:"));
    assert!(proof(&"[".repeat(10_000)).starts_with("f:1:"));
    let public = |text: &str| fault_of_text(read_public::<ark_bn254::Fr>(&source(text), u64::MAX));
    assert!(public(r#"["1", "x"]"#).contains("value 1"));
    let number = public("[\n \"1\",\n 5\n]");
    assert!(number.starts_with("f:3:") && number.contains("expected a string"), "{number}");
    let r = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    assert!(public(&format!(r#"["{r}"]"#)).contains("not below the order r"));
    assert!(matches!(read_public::<ark_bn254::Fr>(&source("[\"1\"]"), 3), Err(Error::TooLarge(_))));
    let (key, _) = key::<Bn>();
    let text = String::from_utf8(written(|out| write_verifying_key(out, &key.verifying))).unwrap();
    let changed = |from: &str, to: &str, expected: &str| {
        assert!(text.contains(from));
        let message = fault_of_text(read_verifying_key::<Bn>(&source(text.replacen(from, to, 1)), u64::MAX));
        assert!(message.contains(expected), "{message}");
    };
    changed("\"nPublic\": 2", "\"nPublic\": 3", "3 points in IC, where nPublic is 3");
    changed("groth16", "fflonk", "fflonk");
    changed(" \"protocol\": \"groth16\",\n", "", "missing field `protocol`");
    changed(" \"curve\": \"bn128\",\n", "", "missing field `curve`");
    changed("vk_delta_2", "delta", "missing field `vk_delta_2`");
    changed("vk_alpha_1\": [\n  \"", "vk_alpha_1\": [\n  \"1", "vk_alpha_1");
}

/// A file in the place of another says what it looks like.
#[test]
fn a_file_of_another_kind_is_named() {
    let (key, _) = key::<Bn>();
    let proof = Proof::<Bn> { a: key.verifying.alpha, b: key.verifying.beta, c: key.delta };
    let [key, proof, public] = [
        written(|out| write_verifying_key(out, &key.verifying)),
        written(|out| write_proof(out, &proof)),
        written(|out| write_public(out, &[ark_bn254::Fr::from(5u64)])),
    ];
    let names = ["a verifying key", "a proof", "public values"];
    for (file, found) in zip([&key, &proof, &public], names) {
        let source = source(&file[..]);
        let outcomes = [
            read_verifying_key::<Bn>(&source, u64::MAX).map(drop),
            read_proof::<Bn>(&source, u64::MAX).map(drop),
            read_public::<ark_bn254::Fr>(&source, u64::MAX).map(drop),
        ];
        for (outcome, expected) in zip(outcomes, names) {
            match found == expected {
                true => outcome.unwrap(),
                false => {
                    let message = fault_of_text(outcome);
                    assert!(message.contains(&format!("looks like {found} ")), "{message}");
                    assert!(message.contains(&format!("where {expected} ")), "{message}");
                }
            }
        }
    }
    // A list has no curve.
    let message = fault_of_text(curve_of_verifying_key(&source(&public[..]), u64::MAX));
    assert!(message.contains("looks like public values"), "{message}");
}

/// As [`fault`], for texts, whose places are lines.
fn fault_of_text<T>(outcome: Result<T>) -> String {
    let error = outcome.err().expect("an error");
    assert_eq!(error.exit_code(), 3, "{error}");
    error.to_string()
}
