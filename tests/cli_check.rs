//! `wgalois check`: right results pass, wrong results exit with 1, invalid files with 3.

mod cli_common;

use cli_common::{Folder, P};

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
