//! `wgalois groth16` with keys of bellman, which have no constraints.

use crate::common::Folder;
use ark_bls12_381::{Bls12_381, Fr};
use ark_ec::AffineRepr;
use std::fs::File;
use wgalois_proofs::bellman::write_key;
use wgalois_proofs::groth16::{Basis, Setup, chain};
use wgalois_proofs::snarkjs::{write_circuit, write_witness};

/// A folder with a key, its circuit, witnesses, and another circuit.
fn circuit() -> Folder {
    let folder = Folder::new();
    let create = |name: &str| File::create(folder.path(name)).unwrap();
    let (circuit, witness) = chain::<Fr>(6, 1);
    let mut key = Setup::<Bls12_381>::random().unwrap().key(&circuit, Basis::Powers).unwrap();
    key.constraints = None;
    key.queries.a.retain(|point| !point.is_zero());
    key.queries.b.retain(|point| !point.is_zero());
    key.queries.b2.retain(|point| !point.is_zero());
    assert!(key.queries.b.len() < key.variables());
    write_key(&mut create("k.params"), &key).unwrap();
    write_circuit::<Fr>(&mut create("c.r1cs"), &circuit).unwrap();
    write_circuit::<Fr>(&mut create("other.r1cs"), &chain(7, 1).0).unwrap();
    for name in ["one.wtns", "two.wtns"] {
        write_witness::<Fr>(&mut create(name), &witness).unwrap();
    }
    let mut wrong = witness.to_vec();
    wrong[4] += Fr::from(1u64);
    write_witness(&mut create("wrong.wtns"), &wrong).unwrap();
    folder
}

#[test]
fn keys_of_bellman_prove_with_their_circuit() {
    let folder = circuit();
    let prove = "groth16 prove k.params --circuit c.r1cs";
    let report = folder.report(&format!("{prove} one.wtns --proof p.json --public x.json"));
    assert_eq!((&report["curve"], &report["checked"]), (&"bls12-381".into(), &true.into()));
    assert_eq!((&report["variables"], &report["public"]), (&9.into(), &2.into()));
    assert_eq!(folder.report("groth16 verify k.params x.json p.json")["verified"], true);
    folder.run(&format!("{prove} one.wtns two.wtns --proof proofs --public publics"));
    folder.run("groth16 verify k.params publics/two.json proofs/two.json");
    folder.run(&format!("{prove} --warm"));
    assert!(folder.run(&format!("{prove} one.wtns --plan")).contains("9 variables, 2 of them public"));
    folder.write("changed.json", "[\"1\", \"2\"]");
    assert!(folder.fail("groth16 verify k.params changed.json p.json", 1).contains("does not hold"));
    let info = folder.run("groth16 info k.params");
    assert!(info.contains("bls12-381") && info.contains("at most 2^4"), "{info}");
    let report = folder.report("groth16 info k.params");
    assert_eq!([&report["variables"], &report["variables_in_b"], &report["public"]], [9, 7, 2]);
    assert!(report["contributions"].is_null() && report["insecure"].is_null());
}

#[test]
fn other_circuits_witnesses_and_damaged_keys_of_bellman_are_refused() {
    let folder = circuit();
    let fail = |arguments: &str, code| {
        folder.fail(&format!("groth16 prove {arguments} --proof p.json --public x.json"), code)
    };
    assert!(fail("k.params one.wtns", 2).contains("--circuit"));
    assert!(fail("k.params --circuit c.r1cs wrong.wtns", 1).contains("wrong.wtns"));
    assert!(
        fail("k.params --circuit other.r1cs one.wtns", 3).contains("10 variables of the circuit, where 9")
    );
    assert!(fail("k.params --circuit one.wtns one.wtns", 3).contains("begins with r1cs"));
    let bytes = folder.read("k.params");
    folder.write("cut.params", &bytes[..bytes.len() - 1]);
    let damage = |at: usize| {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        folder.write("damaged.params", &changed);
    };
    damage(bytes.len() - 1);
    for name in ["cut.params", "damaged.params"] {
        let place = format!("{name}: byte {}: ", bytes.len() - 192);
        assert!(fail(&format!("{name} --circuit c.r1cs one.wtns"), 3).contains(&place));
    }
    damage(0);
    for verb in ["info damaged.params", "verify damaged.params x.json p.json"] {
        assert!(folder.fail(&format!("groth16 {verb}"), 3).contains("damaged.params: byte 0: alpha in G1"));
    }
}
