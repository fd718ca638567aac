//! The beginning of the server: keys that are refused, memory, addresses.

use crate::common::Folder;
use crate::server::{Bn, Server, command, write_circuit};

/// What the program says, which must end with this code.
fn refused(folder: &Folder, arguments: &str, code: i32) -> String {
    let output = command(folder, &format!("groth16 serve {arguments}")).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments}: {said}");
    said
}

#[test]
fn damaged_and_missing_keys_are_refused_at_the_start() {
    let folder = Folder::new();
    write_circuit::<Bn>(&folder, "circuit", 20);
    let bytes = folder.read("circuit.zkey");
    folder.write("half.zkey", &bytes[..bytes.len() / 2]);
    // A coordinate of the last point: it is no longer on the curve.
    let mut damaged = bytes.clone();
    let end = damaged.len();
    damaged[end - 1] ^= 1;
    damaged[end / 2] ^= 1;
    folder.write("damaged.zkey", &damaged);
    assert!(refused(&folder, "circuit.zkey half.zkey", 3).contains("half.zkey: byte "));
    assert!(refused(&folder, "damaged.zkey", 3).contains("damaged.zkey: "));
    assert!(refused(&folder, "damaged.zkey --unchecked", 3).contains("damaged.zkey: "));
    refused(&folder, "missing.zkey", 6);
    refused(&folder, "circuit.wtns", 3);
    refused(&folder, "", 2);
    std::fs::create_dir(folder.path("other")).unwrap();
    folder.write("other/circuit.zkey", &bytes);
    let same = refused(&folder, "circuit.zkey other/circuit.zkey", 2);
    assert!(same.contains("the name of circuit.zkey and the name of other/circuit.zkey"), "{same}");
    // A key without the second phase: delta is gamma.
    let (circuit, _) = wgalois_proofs::groth16::chain::<ark_bn254::Fr>(5, 1);
    let setup = wgalois_proofs::groth16::Setup::<Bn>::random().unwrap();
    let setup = wgalois_proofs::groth16::Setup { delta: setup.gamma, ..setup };
    let key = setup.key(&circuit, wgalois_proofs::groth16::Basis::OddRoots).unwrap();
    let mut file = std::fs::File::create(folder.path("weak.zkey")).unwrap();
    wgalois_proofs::snarkjs::write_key(&mut file, &key).unwrap();
    assert!(refused(&folder, "weak.zkey", 3).contains("anybody can forge"));
    Server::start(&folder, "weak.zkey circuit.zkey --allow-insecure-key --unchecked --precompute none");
}

#[test]
fn keys_that_do_not_fit_are_refused_with_the_memory_that_suffices() {
    let folder = Folder::new();
    for name in ["a", "b", "c"] {
        write_circuit::<Bn>(&folder, name, 200);
    }
    for device in ["cpu", "gpu"] {
        let all = format!("a.zkey b.zkey c.zkey --device {device}");
        let memory = |said: &str| -> u64 {
            let (_, rest) = said.split_once("--memory ").unwrap_or_else(|| panic!("{said}"));
            rest.split(' ').next().unwrap().parse().unwrap()
        };
        let of_one = memory(&refused(&folder, &format!("a.zkey --device {device} --memory 10K"), 5));
        let said = refused(&folder, &format!("{all} --memory {of_one}"), 5);
        assert!(said.contains("proving by the first 2 keys needs"), "{said}");
        let of_all = memory(&said);
        assert!(of_all > 2 * of_one, "{of_all} {of_one}");
        let server = Server::start(&folder, &format!("{all} --memory {of_all}"));
        assert_eq!(server.prove("c", &folder.read("c.wtns")).status, 200);
        // What suffices for three does not exceed by much what they need.
        refused(&folder, &format!("{all} --memory {}", of_all / 6 * 5), 5);
        // The plans of all keys, without a server.
        let mut planning = command(&folder, &format!("groth16 serve {all} --plan"));
        let output = planning.stdout(std::process::Stdio::piped()).output().unwrap();
        let plan = String::from_utf8(output.stdout).unwrap();
        assert_eq!(plan.matches("2 of them public").count(), 3, "{plan}");
    }
}

#[test]
fn addresses_that_are_taken_or_open_to_all_are_named() {
    let folder = Folder::new();
    let (key, witness) = write_circuit::<Bn>(&folder, "circuit", 5);
    let mut first = Server::start(&folder, "circuit.zkey");
    assert!(!first.said().contains("encryption"), "{}", first.said());
    let said = refused(&folder, &format!("circuit.zkey --listen {}", first.address), 6);
    assert!(said.contains(&format!("error: {}: ", first.address)), "{said}");
    let mut open = Server::start(&folder, "circuit.zkey --listen 0.0.0.0:0");
    assert!(open.said().contains("whoever reaches the port can use the device"), "{}", open.said());
    open.prove("circuit", &folder.read("circuit.wtns")).proves::<Bn>(&key, &witness);
    assert!(refused(&folder, "circuit.zkey --listen localhost", 2).contains("--listen"));
}
