//! Generated keys: domains, shares of bits, densities, and the names of files.

use crate::common::Folder;

/// Proves with a key of each form, and verifies.
#[test]
fn keys_of_exact_domains_are_proved() {
    let folder = Folder::new();
    for (curve, shares) in
        [("bn254", "--bits 0.99 --density-b 0.25"), ("bls12-381", "--bits 1 --density-b 0")]
    {
        let report =
            folder.report(&format!("gen groth16 --curve {curve} --domain 2^6 {shares} --witnesses 2 -o k"));
        let sizes = ["variables", "public", "constraints"].map(|size| report[size].as_u64().unwrap());
        assert_eq!(sizes, [61, 1, 62]);
        let info = folder.report("groth16 info k/circuit.zkey");
        assert_eq!((&info["log2_constraints"], &info["variables"]), (&6.into(), &61.into()));
        folder.run("groth16 prove k/circuit.zkey k/witness.1.wtns k/witness.2.wtns --proof p --public x");
        for number in ["1", "2"] {
            folder.run(&format!(
                "groth16 verify k/verification_key.json x/witness.{number}.json p/witness.{number}.json"
            ));
        }
        // Of bits, only the first is free.
        assert!(curve != "bn254" || folder.read("k/witness.1.wtns") != folder.read("k/witness.2.wtns"));
    }
}

#[test]
fn the_name_of_a_key_says_its_format() {
    let folder = Folder::new();
    folder.run("gen groth16 --domain 64 --bits 0.9 --density-b 0.25 --seed 2 -o c.params");
    let info = folder.report("groth16 info c.params");
    assert_eq!(info["log2_constraints"], 6);
    assert_eq!(info["variables"], 61);
    assert_eq!((&info["variables_in_a"], &info["variables_in_b"]), (&61.into(), &15.into()));
    folder.run("groth16 prove c.params --circuit c.r1cs c.wtns");
    folder.run("groth16 verify c.json public.json proof.json");
    folder.run("groth16 verify c.params public.json proof.json");
    // The same circuit in the other format has the same witness, and constraints of its own.
    folder.run("gen groth16 --domain 64 --bits 0.9 --density-b 0.25 --seed 2 -o d.zkey");
    assert_eq!(folder.read("c.wtns"), folder.read("d.wtns"));
    assert!(!folder.path("d.r1cs").exists());
    folder.run("groth16 prove d.zkey c.wtns");
    folder.run("groth16 verify d.json public.json proof.json");
    // A key for a circuit that was written is the one of the generated circuit.
    folder.run("gen groth16 --circuit c.r1cs --seed 2 -o e.params");
    assert_eq!(folder.read("c.params"), folder.read("e.params"));
    let error = folder.fail("gen groth16 --domain 64 --curve bn254 -o f.params", 2);
    assert!(error.contains("bls12-381"), "{error}");
    assert!(!folder.path("f.params").exists());
}

#[test]
fn shapes_that_do_not_exist_are_refused() {
    let folder = Folder::new();
    let refused = |arguments: &str, message: &str| {
        let error = folder.fail(&format!("gen groth16 {arguments} -o no"), 2);
        assert!(error.contains(message), "{arguments}: {error}");
    };
    refused("--domain 12", "power of two");
    refused("--domain 4", "from 8");
    refused("--domain 2^29", "from 8");
    refused("--domain 8 --bits 1.5", "from 0 to 1");
    refused("--domain 8 --density-b=-0.1", "from 0 to 1");
    refused("--domain 8 --bits nan", "from 0 to 1");
    refused("--constraints 5 --bits 0.5", "--constraints");
    refused("--constraints 5 --domain 8", "--domain");
    // More roots than the field of BN254 has.
    folder.fail("gen groth16 --domain 2^28 --curve bn254 -o no", 3);
    for shares in ["--bits 0 --density-b 0", "--bits 0 --density-b 1", "--bits 1 --density-b 1"] {
        folder.run(&format!("gen groth16 --domain 8 {shares} -o edge"));
        folder.run("groth16 prove edge/circuit.zkey edge/witness.wtns");
        folder.run("groth16 verify edge/verification_key.json public.json proof.json");
    }
}

/// The device makes the same points.
#[test]
fn every_device_makes_the_same_key() {
    let folder = Folder::new();
    for curve in ["bn254", "bls12-381"] {
        for device in ["cpu", "gpu"] {
            folder
                .run(&format!("gen groth16 --curve {curve} --constraints 40 --device {device} -o {device}"));
        }
        assert_eq!(folder.read("cpu/circuit.zkey"), folder.read("gpu/circuit.zkey"), "{curve}");
        assert_eq!(folder.read("cpu/verification_key.json"), folder.read("gpu/verification_key.json"));
    }
}

/// The points of ones are summed, and the few other scalars multiplied; with `--verify` the host checks the sum.
#[test]
fn a_gpu_takes_bits_apart() {
    let folder = Folder::new();
    folder.run("gen msm --count 20000 --curve bn254 --distribution bits --seed 5 -o s");
    let msm = "msm --curve bn254 --points s/points.bin --scalars s/scalars.bin --device gpu";
    let plan = folder.run(&format!("{msm} --plan"));
    assert!(plan.contains("bits apart") && plan.contains("100.0% of the scalars"), "{plan}");
    folder.run(&format!("{msm} --verify -o sum.txt"));
    assert_eq!(folder.read("sum.txt"), folder.read("s/sum.txt"));
}
