//! `wgalois groth16` and `wgalois kzg`.

mod cli_common;

use ark_bls12_381::Fr;
use cli_common::Folder;
use std::fs::File;
use std::io::Read;
use wgalois::groth16::{Basis, Proof, ProvingKey, Setup, chain};
use wgalois::io::snarkjs::{write_key, write_proof, write_verifying_key, write_witness};

type Pairing = ark_bls12_381::Bls12_381;

/// A folder with the files of a circuit: a key, two witnesses, and one of another circuit.
fn circuit() -> (Folder, ProvingKey<Pairing>) {
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
    let info = folder.run("groth16 info circuit.zkey");
    assert!(info.contains("bls12-381") && info.contains("at most 2^4"), "{info}");
    // What was proved is not what is claimed.
    folder.write("changed.json", "[\"1\", \"2\"]");
    let error = folder.fail("groth16 verify vk.json changed.json p.json", 1);
    assert!(error.contains("does not hold"), "{error}");
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
    folder.fail("groth16 prove circuit.zkey one.wtns ./one.wtns --proof p --public x", 2);
    folder.fail("groth16 prove circuit.zkey", 2);
    folder.fail("groth16 prove circuit.zkey one.wtns -o x", 2);
    assert!(folder.fail("groth16 prove circuit.zkey one.wtns two.wtns", 2).contains("need folders"));
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

#[test]
fn blobs_are_committed_opened_and_verified() {
    let folder = Folder::new();
    let mut setup = Vec::new();
    let file = File::open(cli_common::repository("tests/kzg/trusted_setup.txt.gz")).unwrap();
    flate2::read::GzDecoder::new(file).read_to_end(&mut setup).unwrap();
    folder.write("setup.txt", setup);
    // Values below r: the first byte of each is 0.
    let blob =
        |seed: usize| (0..4096 * 32).map(|i| if i % 32 == 0 { 0 } else { (i * i + seed) as u8 }).collect();
    let blobs: [Vec<u8>; 2] = [blob(1), blob(2)];
    folder.write("a.bin", &blobs[0]);
    folder.write("b.bin", &blobs[1]);
    let hex: String = blobs[0].iter().map(|byte| format!("{byte:02x}")).collect();
    folder.write("a.hex", format!("0x{hex}\n"));
    let commitments = folder.run("kzg commit --setup setup.txt a.bin b.bin");
    let lines: Vec<&str> = commitments.lines().collect();
    assert_eq!(folder.run("kzg commit --setup setup.txt a.hex").lines().collect::<Vec<_>>(), lines[..1]);
    folder.write("c.txt", &commitments);
    folder.run("kzg open --setup setup.txt a.bin b.bin -o p.txt");
    let verify = "kzg verify --setup setup.txt --commitments c.txt --proofs";
    folder.run(&format!("{verify} p.txt a.bin b.bin"));
    folder.fail(&format!("{verify} p.txt b.bin a.bin"), 1);
    folder.fail(&format!("{verify} p.txt a.bin"), 3);
    let at = format!("--at {:064x}", 7);
    folder.run(&format!("kzg open --setup setup.txt a.bin b.bin {at} -o z.txt"));
    folder.run(&format!("{verify} z.txt {at}"));
    folder.fail(&format!("{verify} z.txt --at {:064x}", 8), 1);
    folder.fail(&format!("{verify} p.txt {at}"), 3);
    folder.write("none.txt", "");
    let none = "kzg verify --setup setup.txt --commitments none.txt --proofs none.txt";
    assert!(folder.fail(&format!("{none} {at}"), 3).contains("no commitments"));
    folder.write("large.bin", [0xff; 4096 * 32]);
    assert!(folder.fail("kzg commit --setup setup.txt large.bin", 3).contains("value 0"));
    folder.write("short.bin", [0; 100]);
    folder.fail("kzg commit --setup setup.txt short.bin", 3);
}

#[test]
fn keys_of_circom_s_circuits_are_generated() {
    let folder = Folder::new();
    for (curve, name) in [("bn128", "bn254"), ("bls12381", "bls12-381")] {
        let example = |file: &str| cli_common::repository(&format!("examples/data/groth16/{curve}/{file}"));
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
