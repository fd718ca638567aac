//! Keys and points that passed a long check are remembered by their digests, and nothing else skips a check.

use crate::common::{Folder, find};
use crate::groth16::circuit;
use ark_bls12_381::{Fq, G1Affine};
use ark_ec::AffineRepr;
use std::path::Path;
use wgalois_proofs::snarkjs::write_key;

/// Runs the program with a cache of its own, and returns its report.
fn report(folder: &Folder, arguments: &str, code: i32) -> serde_json::Value {
    let mut command = folder.command(&format!("{arguments} --json"));
    for variable in ["XDG_CACHE_HOME", "HOME"] {
        command.env(variable, folder.path("cache"));
    }
    let run = command.assert().code(code).get_output().clone();
    serde_json::from_slice(&run.stdout).unwrap()
}

/// The list of files that passed.
fn list(folder: &Folder) -> std::path::PathBuf {
    find(&folder.path("cache"), "checked_files").expect("the list")
}

/// Checks that `run`, which reports when its input was checked, checks it again whenever the list is damaged.
fn damage_is_no_pass(list: &Path, run: impl Fn() -> String) {
    let text = std::fs::read_to_string(list).unwrap();
    for damaged in ["", &text[1..], &text.replace(['0', '1', '2', '3'], "g"), "\u{fffd}\0"] {
        std::fs::write(list, damaged).unwrap();
        assert_eq!(run(), "in this run");
        assert_eq!(run(), "in an earlier run");
    }
    // A folder in the place of the list: nothing is remembered, and nothing fails.
    std::fs::remove_file(list).unwrap();
    std::fs::create_dir(list).unwrap();
    assert_eq!(run(), "in this run");
    assert_eq!(run(), "in this run");
}

#[test]
fn a_key_is_checked_once_and_again_if_it_changed() {
    let (folder, mut key) = circuit();
    let prove = |key: &str, options: &str| {
        let verb = format!("groth16 prove {key} one.wtns --proof p.json --public x.json {options}");
        let checked = report(&folder, &verb, 0)["key_checked"].as_str().unwrap().to_owned();
        folder.run("groth16 verify vk.json x.json p.json");
        checked
    };
    let refused = |key: &str, message: &str| {
        // Twice: what is refused is not remembered.
        for _ in 0..2 {
            let verb = format!("groth16 prove {key} one.wtns --proof p.json --public x.json");
            let error = report(&folder, &verb, 3)["error"].to_string();
            assert!(error.contains(message), "{error}");
        }
    };
    assert_eq!(prove("circuit.zkey", "--unchecked"), "no");
    assert_eq!(prove("circuit.zkey", ""), "in this run");
    assert_eq!(prove("circuit.zkey", ""), "in an earlier run");
    assert_eq!(prove("circuit.zkey", "--device gpu"), "in an earlier run");
    // The name does not matter, the bytes do.
    let bytes = folder.read("circuit.zkey");
    folder.write("copy.zkey", &bytes);
    assert_eq!(prove("copy.zkey", ""), "in an earlier run");
    assert_eq!(prove("copy.zkey", "--recheck"), "in this run");
    assert_eq!(prove("circuit.zkey", ""), "in an earlier run");
    folder.fail("groth16 prove circuit.zkey one.wtns --recheck --unchecked", 2);
    // The lowest bit of a coordinate of the last base A.
    let x = key.queries.a.iter().rev().find_map(AffineRepr::x).unwrap();
    let words: Vec<u8> = x.0.0.iter().flat_map(|word| word.to_le_bytes()).collect();
    let at = bytes.windows(words.len()).position(|window| window == words).unwrap();
    let mut changed = bytes.clone();
    changed[at] ^= 1;
    folder.write("copy.zkey", changed);
    refused("copy.zkey", "not on the curve");
    // A key of the same length with a point of another subgroup.
    let outside = (1u64..)
        .filter_map(|x| G1Affine::get_point_from_x_unchecked(Fq::from(x), true))
        .find(|point| !point.is_in_correct_subgroup_assuming_on_curve());
    key.queries.a[2] = outside.unwrap();
    let mut other = Vec::new();
    write_key(&mut other, &key).unwrap();
    assert_eq!(other.len(), bytes.len());
    folder.write("copy.zkey", other);
    refused("copy.zkey", "not in the subgroup");
    damage_is_no_pass(&list(&folder), || prove("circuit.zkey", ""));
}

#[test]
fn points_are_checked_once_for_each_meaning_of_their_bytes() {
    let folder = Folder::new();
    folder.run("gen msm --count 20 -o sum");
    folder.run("gen msm --curve bls12-377 --count 20 -o other");
    let multiply = |points: &str, options: &str, code| {
        let verb = format!("msm --points {points} --scalars sum/scalars.bin {options}");
        report(&folder, &verb, code)["points_checked"].as_str().unwrap_or("refused").to_owned()
    };
    assert_eq!(multiply("sum/points.bin", "", 0), "in this run");
    assert_eq!(multiply("sum/points.bin", "--device gpu", 0), "in an earlier run");
    assert_eq!(multiply("sum/points.bin", "--recheck", 0), "in this run");
    assert_eq!(multiply("sum/points.bin", "--unchecked", 0), "no");
    // The same bytes are no points of another curve.
    assert_eq!(multiply("sum/points.bin", "--curve bls12-377", 3), "refused");
    assert_eq!(multiply("other/points.bin", "", 3), "refused");
    let mut bytes = folder.read("sum/points.bin");
    *bytes.last_mut().unwrap() ^= 1;
    folder.write("changed.bin", bytes);
    assert_eq!(multiply("changed.bin", "", 3), "refused");
    assert_eq!(multiply("changed.bin", "", 3), "refused");
    damage_is_no_pass(&list(&folder), || multiply("sum/points.bin", "", 0));
}

#[test]
fn a_setup_is_checked_again_if_asked() {
    let folder = Folder::new();
    folder.write("setup.txt", crate::common::trusted_setup());
    folder.write("zero.bin", [0; 4096 * 32]);
    let commit = |options: &str| {
        let verb = format!("kzg commit --setup setup.txt zero.bin {options}");
        report(&folder, &verb, 0)["setup_checked"].as_str().unwrap().to_owned()
    };
    assert_eq!(commit(""), "in this run");
    assert_eq!(commit(""), "in an earlier run");
    assert_eq!(commit("--recheck"), "in this run");
}

#[test]
fn commands_at_once_share_the_list() {
    let (folder, _) = circuit();
    let prove = |i: usize| {
        let verb = format!("groth16 prove circuit.zkey one.wtns --proof p{i}.json --public x{i}.json");
        report(&folder, &verb, 0)["key_checked"].as_str().unwrap().to_owned()
    };
    let prove = &prove;
    std::thread::scope(|scope| (0..4).for_each(|i| drop(scope.spawn(move || prove(i)))));
    (0..4).for_each(|i| drop(folder.run(&format!("groth16 verify vk.json x{i}.json p{i}.json"))));
    assert_eq!(prove(0), "in an earlier run");
}
