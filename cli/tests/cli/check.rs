//! `wgalois check`: right results pass, wrong results exit with 1, invalid files with 3.

use crate::common::{Folder, P};

fn data() -> Folder {
    let folder = Folder::new();
    folder.run(&format!("gen poly --terms 32 --prime {P} --seed 1 -o a"));
    folder.run(&format!("gen poly --terms 17 --prime {P} --seed 2 -o b"));
    folder
}

/// Returns every verb whose result can be checked, with arguments.
fn verbs() -> Vec<String> {
    vec![
        format!("polymul a b --prime {P}"),
        format!("polymul a b --prime {P} --cyclic 32"),
        format!("polymul a b --prime {P} --negacyclic 64"),
        "polymul a b".to_owned(),
        format!("ntt a --prime {P}"),
        format!("ntt a --prime {P} --inverse --batch 4 --output-order bitrev"),
        format!("ntt a --prime {P} --negacyclic --input-order bitrev"),
        format!("ntt a --prime {P} --coset 12345"),
    ]
}

#[test]
fn right_results_pass() {
    let folder = data();
    for verb in verbs() {
        folder.run(&format!("{verb} -o c"));
        let report = folder.report(&format!("check {verb} --result c"));
        assert_eq!(report["verified"], true, "{verb}");
        let guarantee = report["guarantee"].as_str().unwrap();
        assert!(guarantee.contains("missed with a chance of at most 2^-"), "{verb}: {guarantee}");
        assert_eq!(report["verb"], "check");
    }
}

#[test]
fn any_changed_coefficient_is_found() {
    let folder = data();
    for verb in verbs() {
        folder.run(&format!("{verb} -o c"));
        let right: Vec<String> = folder.text("c").lines().map(str::to_owned).collect();
        for place in [0, right.len() / 2, right.len() - 1] {
            let mut wrong = right.clone();
            wrong[place] = if wrong[place] == "1" { "2".into() } else { "1".into() };
            folder.write("c", wrong.join("\n"));
            let stderr = folder.fail(&format!("check {verb} --result c"), 1);
            assert!(stderr.contains("check failed"), "{verb}: {stderr}");
        }
        let (short, long) = (right[..right.len() - 1].join("\n"), format!("{}\n5", right.join("\n")));
        for wrong in [short, long] {
            folder.write("c", wrong);
            folder.fail(&format!("check {verb} --result c"), 1);
        }
    }
}

#[test]
fn a_failed_check_is_in_the_report() {
    let folder = data();
    folder.write("c", "1 2 3");
    let output = folder.command(&format!("check polymul a b --prime {P} --result c --json")).assert().code(1);
    let report: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(report["verified"], false);
    assert_eq!(report["exit_code"], 1);
    assert!(report["error"].as_str().unwrap().contains("check failed"));
}

#[test]
fn broken_results_are_bad_input() {
    let folder = data();
    folder.write("c", "1 2 x");
    let stderr = folder.fail(&format!("check polymul a b --prime {P} --result c"), 3);
    assert!(stderr.contains("c:1:5: "));
    folder.fail(&format!("check polymul a b --prime {P} --result none"), 6);
    folder.fail(&format!("check polymul a b --prime {P}"), 2);
}

#[test]
fn malformed_results_are_wrong_or_bad_input() {
    let folder = data();
    folder.write("x", "123456789");
    folder.write("y", "-987654321");
    let malformed =
        ["", "\n", "x", "-", "0x", "-1", "1 2", "4294967296", "998244353", "1e9", "\0", "\u{feff}1", "1,2"];
    let (huge, spaces) = ("9".repeat(5000), " ".repeat(5000));
    for verb in verbs().into_iter().chain(["intmul x y".to_owned()]) {
        for text in malformed.into_iter().chain([huge.as_str(), spaces.as_str()]) {
            folder.write("c", text);
            let output = folder.command(&format!("check {verb} --result c")).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(1 | 3)), "{verb} {text:?}: {stderr}");
            assert!(stderr.contains("error: ") && !stderr.contains("panicked"), "{verb} {text:?}: {stderr}");
        }
    }
}

#[test]
fn the_help_states_the_guarantee() {
    let folder = Folder::new();
    for verb in ["polymul", "intmul", "ntt", "msm"] {
        for help in [format!("{verb} --help"), format!("check {verb} --help")] {
            let words = folder.run(&help);
            let text = words.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains("Guarantee of --verify and check: "), "{help}: {text}");
            assert!(text.contains("is missed with a chance of at most 2^-64"), "{help}: {text}");
        }
    }
}

#[test]
fn transforms_of_another_shape_are_refused() {
    let folder = Folder::new();
    let array = |shape: &str, values: &[u32]| {
        let head = format!("{{'descr':'<u4','fortran_order':False,'shape':{shape}}}");
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        [&b"\x93NUMPY\x01\x00\x46\x00"[..], format!("{head:<69}\n").as_bytes(), &data[..]].concat()
    };
    let values = [1, 2, 3, 4, 5, 6, 7, 8];
    folder.write("rows.npy", array("(2, 4)", &values));
    folder.run(&format!("ntt rows.npy --prime {P} -o right.npy"));
    folder.run(&format!("check ntt rows.npy --prime {P} --result right.npy"));
    folder.run(&format!("ntt rows.npy --prime {P} -o right.txt"));
    folder.run(&format!("check ntt rows.npy --prime {P} --result right.txt"));
    let right: Vec<u32> = crate::common::numbers(&folder.text("right.txt"));
    for shape in ["(8,)", "(4, 2)", "(1, 8)", "(2, 2, 2)"] {
        folder.write("other.npy", array(shape, &right));
        let refused = folder.fail(&format!("check ntt rows.npy --prime {P} --result other.npy"), 1);
        assert!(refused.contains("where [2, 4] was expected"), "{shape}: {refused}");
    }
    // The rows of a vector may be told.
    folder.write("vector.npy", array("(8,)", &values));
    for (shape, code) in [("(8,)", 0), ("(2, 4)", 0), ("(4, 2)", 1)] {
        folder.write("other.npy", array(shape, &right));
        let check = format!("check ntt vector.npy --prime {P} --batch 2 --result other.npy");
        folder.command(&check).assert().code(code);
    }
}

#[test]
fn results_of_another_shape_say_which_was_expected() {
    let folder = Folder::new();
    folder.write("m", "110\n011\n");
    folder.write("wide", "1010\n0110\n");
    for (verb, shape) in [("rref m", "2 x 3"), ("echelon m", "2 x 3"), ("transpose m", "3 x 2")] {
        let refused = folder.fail(&format!("check gf2 {verb} --result wide"), 1);
        assert!(refused.contains(&format!("of 2 x 4, where {shape} was expected")), "{refused}");
    }
}

/// A closed stdin is not an empty file.
#[cfg(unix)]
#[test]
fn a_closed_stdin_is_refused() {
    let folder = Folder::new();
    let program = assert_cmd::cargo::cargo_bin("wgalois");
    folder.write("e", "");
    for arguments in ["gf2 rank -", "eliminate --eliminators - --rows e", "polymul - e", "ntt - --prime 17"] {
        let script = format!("exec {} {arguments} --device cpu <&-", program.display());
        let mut shell = assert_cmd::Command::new("sh");
        let output =
            shell.current_dir(folder.path("")).args(["-c", &script]).assert().code(6).get_output().clone();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("-: standard input is closed"), "{arguments}: {told}");
    }
}
