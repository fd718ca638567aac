//! `wgalois groth16`.

use crate::common::Folder;
use ark_bls12_381::{Fr, G1Projective};
use ark_ec::CurveGroup;
use std::fs::File;
use wgalois_proofs::groth16::{Basis, Circuit, Proof, ProvingKey, Setup, chain};
use wgalois_proofs::snarkjs::{write_key, write_proof, write_verifying_key, write_witness};

type Pairing = ark_bls12_381::Bls12_381;

/// A folder with the files of a circuit: a key, two witnesses, and one of another circuit.
pub fn circuit() -> (Folder, ProvingKey<Pairing>) {
    let folder = Folder::new();
    let (circuit, witness) = chain::<Fr>(6, 1);
    let key = Setup::<Pairing>::random().unwrap().key(&circuit, Basis::OddRoots).unwrap();
    let create = |name: &str| File::create(folder.path(name)).unwrap();
    write_key(&mut create("circuit.zkey"), &key).unwrap();
    write_verifying_key(&mut create("vk.json"), &key.verifying).unwrap();
    for name in ["one.wtns", "two.wtns"] {
        write_witness::<Fr>(&mut create(name), &witness).unwrap();
    }
    let mut wrong = witness.to_vec();
    wrong[4] += Fr::from(1u64);
    write_witness(&mut create("wrong.wtns"), &wrong).unwrap();
    write_witness::<Fr>(&mut create("other.wtns"), &chain::<Fr>(7, 1).1).unwrap();
    write_witness::<ark_bn254::Fr>(&mut create("bn.wtns"), &chain::<ark_bn254::Fr>(6, 1).1).unwrap();
    (folder, key)
}

#[test]
fn proofs_are_written_and_verified() {
    let (folder, _) = circuit();
    let report = folder.report("groth16 prove circuit.zkey one.wtns --proof p.json --public x.json");
    assert_eq!((&report["curve"], &report["checked"]), (&"bls12-381".into(), &true.into()));
    assert_eq!((&report["variables"], &report["public"]), (&9.into(), &2.into()));
    for key in ["vk.json", "circuit.zkey"] {
        let report = folder.report(&format!("groth16 verify {key} x.json p.json"));
        assert_eq!(report["verified"], true);
    }
    folder.run("groth16 prove circuit.zkey one.wtns two.wtns --proof proofs --public publics");
    for name in ["one", "two"] {
        folder.run(&format!("groth16 verify vk.json publics/{name}.json proofs/{name}.json"));
    }
    assert_ne!(folder.read("proofs/one.json"), folder.read("proofs/two.json"));
    // By default the names are snarkjs'.
    folder.run("groth16 prove circuit.zkey one.wtns");
    folder.run("groth16 verify vk.json public.json proof.json");
    folder.run("groth16 prove circuit.zkey --warm");
    let plan = folder.run("groth16 prove circuit.zkey one.wtns --plan");
    assert!(plan.contains("9 variables, 2 of them public"), "{plan}");
    assert!(plan.contains("\nB in G2:\ncurve          bls12-381-g2\n"), "{plan}");
    let info = folder.run("groth16 info circuit.zkey");
    assert!(info.contains("bls12-381") && info.contains("at most 2^4"), "{info}");
    // What was proved is not what is claimed.
    folder.write("changed.json", "[\"1\", \"2\"]");
    let error = folder.fail("groth16 verify vk.json changed.json p.json", 1);
    assert!(error.contains("does not hold"), "{error}");
}

#[cfg(not(feature = "serve"))]
#[test]
fn a_program_without_the_server_says_so() {
    let (folder, _) = circuit();
    let error = folder.fail("groth16 serve circuit.zkey", 2);
    assert!(error.contains("groth16 serve needs a program that was built with the feature serve"), "{error}");
}

#[test]
fn a_gpu_proves_too() {
    let (folder, _) = circuit();
    folder.run("groth16 prove circuit.zkey one.wtns two.wtns --proof proofs --public publics --device gpu");
    for name in ["one", "two"] {
        folder.run(&format!("groth16 verify vk.json publics/{name}.json proofs/{name}.json"));
    }
}

#[test]
fn nothing_is_written_of_what_is_refused() {
    let (folder, key) = circuit();
    let outputs = "--proof p.json --public x.json";
    let prove = |files: &str, code: i32| folder.fail(&format!("groth16 prove {files} {outputs}"), code);
    assert!(prove("circuit.zkey wrong.wtns", 1).contains("does not satisfy"));
    assert!(prove("circuit.zkey other.wtns", 3).contains("another circuit"));
    assert!(prove("circuit.zkey bn.wtns", 3).contains("another curve"));
    assert!(prove("circuit.zkey circuit.zkey", 3).contains("begins with wtns"));
    assert!(prove("one.wtns one.wtns", 3).contains("zkey"));
    prove("circuit.zkey missing.wtns", 6);
    let mut bytes = folder.read("circuit.zkey");
    bytes.truncate(bytes.len() / 2);
    folder.write("half.zkey", &bytes);
    assert!(prove("half.zkey one.wtns", 3).contains("half.zkey: byte "));
    let error = folder.fail("groth16 prove circuit.zkey one.wtns --proof p.json --public p.json", 2);
    assert!(error.contains("the same file"), "{error}");
    for folders in ["", "proofs publics"] {
        folders.split_whitespace().for_each(|name| std::fs::create_dir(folder.path(name)).unwrap());
        let twice =
            folder.fail("groth16 prove circuit.zkey one.wtns ./one.wtns --proof proofs --public publics", 2);
        assert!(twice.contains("one.wtns are the same file"), "{twice}");
    }
    folder.fail("groth16 prove circuit.zkey", 2);
    folder.fail("groth16 prove circuit.zkey one.wtns -o x", 2);
    assert!(folder.fail("groth16 prove circuit.zkey one.wtns two.wtns", 2).contains("needs folders"));
    // A witness that does not satisfy the circuit, behind as many as are proved together.
    let copies: Vec<String> = (0..8).map(|i| format!("copy{i}.wtns")).collect();
    for copy in &copies {
        std::fs::copy(folder.path("one.wtns"), folder.path(copy)).unwrap();
    }
    let all = copies.join(" ");
    folder.fail(&format!("groth16 prove circuit.zkey {all} wrong.wtns --proof ps --public xs"), 1);
    folder.fail(&format!("groth16 prove circuit.zkey {all} bn.wtns --proof ps --public xs"), 3);
    folder.fail("groth16 prove circuit.zkey one.wtns two.wtns --proof ps --public bn.wtns", 6);
    #[cfg(target_os = "linux")]
    folder.fail("groth16 prove circuit.zkey one.wtns --proof p.json --public /dev/full", 6);
    for output in ["ps", "xs", "p.json", "x.json"] {
        assert!(!folder.path(output).exists(), "{output}");
    }
    // A header that promises more than the file has: 2^30 roots, then 2^32 - 1 variables.
    for (place, word, section) in [(136, 1u32 << 30, 9), (128, u32::MAX, 5)] {
        let mut bytes = folder.read("circuit.zkey");
        bytes[place..place + 4].copy_from_slice(&word.to_le_bytes());
        folder.write("huge.zkey", &bytes);
        let place = format!("section {section}");
        assert!(prove("huge.zkey one.wtns", 3).contains(&place));
        assert!(folder.fail("groth16 info huge.zkey", 3).contains(&place));
    }
    // A wrong proof is written only if the user trusts it.
    folder.run(&format!("groth16 prove circuit.zkey wrong.wtns --no-check {outputs}"));
    folder.fail("groth16 verify vk.json x.json p.json", 1);
    folder.write("empty.json", "[]");
    assert!(folder.fail("groth16 verify vk.json empty.json p.json", 3).contains("0 public values"));
    // A key whose points are on the curve, but not in the subgroup.
    let x = (1u64..).map(ark_bls12_381::Fq::from);
    let mut points = x.filter_map(|x| ark_bls12_381::G1Affine::get_point_from_x_unchecked(x, true));
    let outside = points.find(|p| !p.is_in_correct_subgroup_assuming_on_curve()).unwrap();
    let mut key = key;
    let changed = ProvingKey { delta: outside, ..key.clone() };
    write_key(&mut File::create(folder.path("delta.zkey")).unwrap(), &changed).unwrap();
    assert!(prove("delta.zkey one.wtns --no-check --unchecked", 3).contains("section 2: delta in G1"));
    let proof = Proof::<Pairing> { a: outside, b: key.verifying.delta, c: key.delta };
    write_proof(&mut File::create(folder.path("outside.json")).unwrap(), &proof).unwrap();
    let message = folder.fail("groth16 verify vk.json x.json outside.json", 3);
    assert!(message.contains("outside.json: pi_a: on the curve, but not"), "{message}");
    key.queries.secret[1] = outside;
    write_key(&mut File::create(folder.path("outside.zkey")).unwrap(), &key).unwrap();
    assert!(prove("outside.zkey one.wtns", 3).contains("section 8: point 1"));
}

/// A key without the setup's second phase is refused, and the forged proof with it.
#[test]
fn keys_for_which_anybody_forges_proofs_are_refused() {
    let folder = Folder::new();
    let (circuit, witness) = chain::<Fr>(6, 1);
    let create = |name: &str| File::create(folder.path(name)).unwrap();
    write_witness::<Fr>(&mut create("w.wtns"), &witness).unwrap();
    folder.write("public.json", "[\"123\", \"4\"]");
    let secrets = Setup::<Pairing>::random().unwrap();
    let one = Fr::from(1u64);
    for (gamma, delta) in [(one, one), (secrets.gamma, secrets.gamma), (secrets.gamma, one)] {
        let key = Setup::<Pairing> { gamma, delta, ..Setup::random().unwrap() };
        let key = key.key(&circuit, Basis::OddRoots).unwrap();
        write_key(&mut create("weak.zkey"), &key).unwrap();
        write_verifying_key(&mut create("weak.json"), &key.verifying).unwrap();
        // Whoever has the key makes this proof of values that no witness has.
        let points = &key.verifying.public;
        let values =
            G1Projective::from(points[0]) + points[1] * Fr::from(123u64) + points[2] * Fr::from(4u64);
        let c = (-(values * (gamma / delta))).into_affine();
        let forged = Proof::<Pairing> { a: key.verifying.alpha, b: key.verifying.beta, c };
        write_proof(&mut create("forged.json"), &forged).unwrap();
        for name in ["weak.json", "weak.zkey"] {
            let verify = format!("groth16 verify {name} public.json forged.json");
            let error = folder.fail(&verify, 3);
            assert!(error.contains("second phase") && error.contains("anybody can forge"), "{error}");
            let report = folder.report(&format!("{verify} --allow-insecure-key"));
            assert!(report["guarantee"].as_str().unwrap().contains("no knowledge of a witness"), "{report}");
            assert!(report["insecure_key"].as_str().unwrap().starts_with("delta is "), "{report}");
        }
        for option in ["", "--no-check", "--plan", "--unchecked"] {
            let error =
                folder.fail(&format!("groth16 prove weak.zkey w.wtns {option} --proof p --public x"), 3);
            assert!(error.contains("--allow-insecure-key"), "{error}");
        }
        let prove = "groth16 prove weak.zkey w.wtns --proof p.json --public x.json --allow-insecure-key";
        assert!(folder.report(prove)["insecure_key"].is_string());
        folder.run("groth16 verify weak.json x.json p.json --allow-insecure-key");
        // The equation is still checked.
        folder.fail("groth16 verify weak.json x.json forged.json --allow-insecure-key", 1);
        assert!(folder.run("groth16 info weak.zkey").contains("anybody can forge"));
        assert!(folder.report("groth16 info weak.zkey")["insecure"].is_string());
    }
    let (folder, _) = self::circuit();
    assert!(folder.report("groth16 info circuit.zkey")["insecure"].is_null());
    let report = folder.report("groth16 prove circuit.zkey one.wtns --allow-insecure-key");
    assert!(report.get("insecure_key").is_none());
}

/// Circuits of which a part is empty are proved from files on both engines.
#[test]
fn circuits_with_empty_parts_are_proved() {
    let folder = Folder::new();
    let entry = |variable: u32| vec![(Fr::from(1u64), variable)];
    let sum = [vec![(Fr::from(1u64), 1), (Fr::from(1u64), 2)], entry(0), entry(3)];
    let cases = [
        (1, 0, vec![], vec![1]),
        (4, 3, vec![sum.clone()], vec![1, 5, 6, 11]),
        (4, 0, vec![sum], vec![1, 5, 6, 11]),
        (3, 1, vec![], vec![1, 5, 6]),
    ];
    for (variables, public, constraints, witness) in cases {
        let circuit = Circuit { variables, public, constraints };
        let key = Setup::<Pairing>::random().unwrap().key(&circuit, Basis::OddRoots).unwrap();
        let create = |name: &str| File::create(folder.path(name)).unwrap();
        write_key(&mut create("c.zkey"), &key).unwrap();
        let witness: Vec<Fr> = witness.into_iter().map(|value: u64| Fr::from(value)).collect();
        write_witness::<Fr>(&mut create("w.wtns"), &witness).unwrap();
        for device in ["cpu", "gpu"] {
            folder.run(&format!("groth16 prove c.zkey w.wtns --device {device}"));
            folder.run("groth16 verify c.zkey public.json proof.json");
        }
        folder.run("groth16 prove c.zkey w.wtns --device gpu --plan");
    }
}

/// The arguments of `verify` in another order: the message says what a file looks like.
#[test]
fn swapped_arguments_are_named() {
    let (folder, _) = circuit();
    folder.run("groth16 prove circuit.zkey one.wtns --proof p.json --public x.json");
    for (arguments, file, found, expected) in [
        ("vk.json p.json x.json", "p.json", "a proof", "public values"),
        ("p.json x.json vk.json", "p.json", "a proof", "a verifying key"),
        ("x.json vk.json p.json", "x.json", "public values", "a verifying key"),
        ("vk.json x.json x.json", "x.json", "public values", "a proof"),
        ("vk.json vk.json p.json", "vk.json", "a verifying key", "public values"),
        ("circuit.zkey x.json vk.json", "vk.json", "a verifying key", "a proof"),
    ] {
        let error = folder.fail(&format!("groth16 verify {arguments}"), 3);
        assert!(error.contains(&format!("{file}: the file looks like {found} ")), "{arguments}: {error}");
        assert!(error.contains(&format!("where {expected} ")), "{arguments}: {error}");
    }
}

#[test]
fn keys_of_circom_s_circuits_are_generated() {
    let folder = Folder::new();
    for (curve, name) in [("bn128", "bn254"), ("bls12381", "bls12-381")] {
        let example =
            |file: &str| crate::common::repository(&format!("examples/data/groth16/{curve}/{file}"));
        std::fs::copy(example("multiplier.r1cs"), folder.path("c.r1cs")).unwrap();
        std::fs::copy(example("witness.wtns"), folder.path("w.wtns")).unwrap();
        let report = folder.report("gen groth16 --circuit c.r1cs --seed 5 -o keys");
        assert_eq!(report["curve"], name);
        let sizes = ["variables", "public", "constraints"].map(|size| report[size].as_u64().unwrap());
        assert_eq!(sizes, [6, 3, 3]);
        assert!(!folder.path("keys/witness.wtns").exists());
        folder.run("groth16 prove keys/circuit.zkey w.wtns");
        folder.run("groth16 verify keys/verification_key.json public.json proof.json");
        assert_eq!(folder.read("public.json"), std::fs::read(example("public.json")).unwrap());
        // The key is another one than snarkjs made.
        let theirs = std::fs::read(example("verification_key.json")).unwrap();
        folder.write("theirs.json", theirs);
        folder.fail("groth16 verify theirs.json public.json proof.json", 1);
        // The same seed gives the same bytes, another one others.
        folder.run("gen groth16 --circuit c.r1cs --seed 5 -o same");
        assert_eq!(folder.read("same/circuit.zkey"), folder.read("keys/circuit.zkey"));
        folder.run("gen groth16 --circuit c.r1cs --seed 6 -o other");
        assert_ne!(folder.read("other/circuit.zkey"), folder.read("keys/circuit.zkey"));
    }
    let gen_key = |arguments: &str, code: i32| folder.fail(&format!("gen groth16 {arguments} -o no"), code);
    gen_key("--circuit c.r1cs --constraints 5", 2);
    gen_key("--circuit c.r1cs --curve bn254", 2);
    gen_key("", 2);
    folder.fail("gen groth16 --circuit c.r1cs", 2);
    gen_key("--circuit missing.r1cs", 6);
    assert!(gen_key("--circuit w.wtns", 3).contains("begins with r1cs"));
    let mut bytes = folder.read("c.r1cs");
    bytes.truncate(bytes.len() - 1);
    folder.write("cut.r1cs", &bytes);
    assert!(gen_key("--circuit cut.r1cs", 3).contains("cut.r1cs: byte "));
}

#[test]
fn generated_circuits_are_proved() {
    let folder = Folder::new();
    folder.run("gen groth16 --curve bn254 --constraints 50 --seed 3 -o c");
    folder.run("groth16 prove c/circuit.zkey c/witness.wtns");
    folder.run("groth16 verify c/verification_key.json public.json proof.json");
    assert_eq!(folder.report("groth16 info c/circuit.zkey")["contributions"], 0);
}
