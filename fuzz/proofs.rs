//! The properties of the readers of keys, proofs and commitments.

use wgalois::curve::{Affine, Bls12_381, PairingCurve};
use wgalois::{Cpu, Device};
use wgalois_io::{Source, points, scalars};
use wgalois_proofs::groth16::{Circuit, Proof, ProvingKey, VerifyingKey};
use wgalois_proofs::{bellman, ethereum, snarkjs as files};

use super::common::{round_trip, source, written};
use super::watched::read_within;

pub fn zkey(data: &[u8]) {
    zkey_of::<ark_bn254::Bn254>(data);
    zkey_of::<ark_bls12_381::Bls12_381>(data);
}

fn zkey_of<E: PairingCurve>(data: &[u8]) {
    let device = Device::Cpu(Cpu::default());
    let trust = points::Trust::Nothing;
    let read = |source: &Source, memory| files::read_key::<E>(source, &device, trust, memory);
    let Some(key) = round_trip(data, read, size_of_key::<E>, |out, key| files::write_key(out, key)) else {
        return;
    };
    assert_eq!(files::describe::<E>(&source(data)).expect("a key").variables, key.variables());
}

/// Keys of bellman.
pub fn params(data: &[u8]) {
    type E = ark_bls12_381::Bls12_381;
    let device = Device::Cpu(Cpu::default());
    let trust = points::Trust::Nothing;
    let read = |source: &Source, memory| bellman::read_key(source, &device, trust, memory);
    let Some(key) = round_trip(data, read, size_of_key::<E>, |out, key| bellman::write_key(out, key)) else {
        return;
    };
    assert_eq!(bellman::describe(&source(data)).expect("a key").variables, key.variables());
    let verifying = bellman::read_verifying_part(&source(data), u64::MAX).expect("a key");
    assert!(verifying == key.verifying);
}

fn size_of_key<E: PairingCurve>(key: &ProvingKey<E>) -> usize {
    let queries = &key.queries;
    let first = queries.a.len() + queries.b.len() + queries.secret.len() + queries.quotient.len();
    first * size_of::<Affine<E::G1>>() + queries.b2.len() * size_of::<Affine<E::G2>>()
}

/// The first byte chooses the file and the curve.
pub fn snarkjs(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    match choice & 1 {
        0 => snarkjs_of::<ark_bn254::Bn254>(choice >> 1, data),
        _ => snarkjs_of::<ark_bls12_381::Bls12_381>(choice >> 1, data),
    }
}

fn snarkjs_of<E: PairingCurve>(choice: u8, data: &[u8]) {
    let values = |values: &Vec<E::Scalar>| size_of_val(&values[..]);
    match choice % 6 {
        0 => {
            let read = |source: &Source, memory| {
                files::read_witness::<E::Scalar>(source, memory).map(|witness| witness.to_vec())
            };
            round_trip(data, read, values, |out, values| files::write_witness(out, values));
        }
        1 => {
            let size = |_: &Proof<E>| size_of::<Proof<E>>();
            round_trip(data, files::read_proof::<E>, size, |out, proof| files::write_proof(out, proof));
        }
        2 => {
            let read = files::read_public::<E::Scalar>;
            round_trip(data, read, values, |out, values| files::write_public(out, values));
        }
        3 => {
            let size = |key: &VerifyingKey<E>| key.public.len() * size_of::<Affine<E::G1>>();
            let read = files::read_verifying_key::<E>;
            round_trip(data, read, size, |out, key| files::write_verifying_key(out, key));
        }
        // Public values have the same form.
        5 => {
            let read = |source: &Source, memory| {
                files::read_witness_json::<E::Scalar>(source, memory).map(|witness| witness.to_vec())
            };
            round_trip(data, read, values, |out, values| files::write_public(out, values));
        }
        _ => {
            let size = |circuit: &Circuit<E::Scalar>| {
                let rows = circuit.constraints.iter().flatten();
                let entries: usize = rows.map(|row| size_of_val(&row[..])).sum();
                size_of_val(&circuit.constraints[..]) + entries
            };
            let read = files::read_circuit::<E::Scalar>;
            round_trip(data, read, size, |out, circuit| files::write_circuit(out, circuit));
        }
    }
}

/// The first byte chooses a setup or a blob.
pub fn kzg(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    if choice & 1 == 0 {
        let device = Device::Cpu(Cpu::default());
        let read = |source: &Source, memory| ethereum::read_setup(source, &device, memory);
        read_within(data, read, |setup| setup.len() * size_of::<Affine<Bls12_381>>());
    } else {
        let count = 1 << (choice >> 1 & 7);
        let read = |source: &Source, memory| ethereum::read_blob(source, count, memory);
        let blob = read_within(data, read, |blob| size_of_val(blob.values()));
        let Some(blob) = blob else { return };
        assert_eq!(blob.values().len(), count);
        let bytes = written(|out| scalars::write(out, scalars::Format::BigEndian, blob.values()));
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        for written in [bytes, digits.into_bytes()] {
            let again = read(&source(&written), 1 << 30).expect("what was written");
            assert!(again.values() == blob.values());
        }
    }
}
