//! Behaviour common to all verbs: exit codes, streams, files, the report, the trace.

use crate::common::{Folder, P};
use std::process::{Command, Stdio};

fn factors() -> Folder {
    let folder = Folder::new();
    folder.write("a", "1 2 3");
    folder.write("b", "4 5");
    folder
}

#[test]
fn help_and_version() {
    let folder = Folder::new();
    let help = folder.run("--help");
    for word in
        ["polymul", "intmul", "ntt", "gen", "check", "devices", "shaders", "completions", "Exit codes"]
    {
        assert!(help.contains(word), "{word}");
    }
    assert_eq!(folder.run("--version"), format!("wgalois {}\n", env!("CARGO_PKG_VERSION")));
    assert!(folder.run("polymul --help").contains("--negacyclic"));
    for arguments in ["", "nonsense", "polymul --nonsense", "devices --memory 5x", "devices -q -v"] {
        folder.fail(arguments, 2);
    }
}

#[test]
fn options_stand_before_or_after_the_verb() {
    let folder = factors();
    let after = folder.run(&format!("polymul a b --prime {P} --device cpu"));
    assert_eq!(folder.run(&format!("--device cpu polymul a b --prime {P}")), after);
    assert_eq!(folder.run(&format!("polymul --device CPU --prime {P} a b")), after);
}

#[test]
fn data_on_stdout_and_all_else_on_stderr() {
    let folder = factors();
    let output =
        folder.command(&format!("polymul a b --prime {P} --verify --device auto")).assert().success();
    let output = output.get_output();
    assert_eq!(output.stdout, b"4\n13\n22\n15\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("CPU engine") && stderr.contains("less than opening a GPU"), "{stderr}");
    assert!(stderr.contains("verified"));
    let quiet =
        folder.command(&format!("polymul a b --prime {P} --verify --device auto -q")).assert().success();
    assert!(quiet.get_output().stderr.is_empty());
    let named = folder.command(&format!("polymul a b --prime {P} --device cpu")).assert().success();
    assert!(named.get_output().stderr.is_empty());
}

#[test]
fn devices_that_are_not_there() {
    let folder = factors();
    for device in ["99", "no-such-vendor"] {
        let stderr = folder.fail(&format!("polymul a b --prime {P} --device {device} -o new"), 4);
        assert!(stderr.contains("no such device"), "{stderr}");
    }
    // A named device never falls back, even if no driver is found at all.
    let mut none = folder.command(&format!("polymul a b --prime {P} --device gpu"));
    none.env("WGPU_BACKEND", "metal").env("VK_DRIVER_FILES", "/none").env("VK_ICD_FILENAMES", "/none");
    if !cfg!(target_os = "macos") {
        none.assert().code(4);
    }
}

#[test]
fn files_that_cannot_be_read_or_written() {
    let folder = factors();
    std::fs::create_dir(folder.path("folder")).unwrap();
    assert!(folder.fail("polymul none b", 6).contains("none: No such file"));
    folder.fail("polymul folder b", 6);
    assert!(folder.fail("polymul a b -o none/c", 6).contains("none/c: "));
    folder.fail("polymul a b -o folder", 6);
    folder.fail("polymul a b --trace none/t", 6);
    // The output is checked before the inputs are read.
    assert!(folder.fail("polymul none b -o none/c", 6).contains("none/c"));
}

#[test]
fn an_output_file_is_replaced_whole_or_not_at_all() {
    let folder = factors();
    folder.write("c", "before");
    folder.write("bad", "1 x");
    folder.fail("polymul a bad -o c", 3);
    assert_eq!(folder.text("c"), "before");
    // .npy holds 64 bits: this fails after half of the file is written.
    folder.write("wide", "1 1099511627776");
    let stderr = folder.fail("polymul wide wide -o c.npy", 6);
    assert!(stderr.contains("64 bits"), "{stderr}");
    folder.run("polymul a b -o c");
    assert_eq!(folder.text("c"), "4\n13\n22\n15\n");
    // A file may replace its own input. A device is written to and not replaced.
    folder.run("polymul c b -o c");
    assert_eq!(folder.text("c"), "16\n72\n153\n170\n75\n");
    #[cfg(unix)]
    {
        folder.run("polymul a b -o /dev/null");
        assert_eq!(folder.run("polymul a b -o /dev/stdout"), "4\n13\n22\n15\n");
    }
    assert_eq!(folder.run("polymul a b -o -"), "4\n13\n22\n15\n");
    assert_eq!(folder.names(), ["a", "b", "bad", "c", "wide"]);
}

#[test]
fn a_broken_pipe_ends_quietly() {
    let folder = Folder::new();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("wgalois"))
        .args(["gen", "poly", "--terms", "1000000", "--prime", "17"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The reader closes the pipe before anything is written.
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
    drop(folder);
}

#[test]
#[cfg(unix)]
fn a_full_disk_is_an_error() {
    let folder = factors();
    if std::path::Path::new("/dev/full").exists() {
        assert!(folder.fail("polymul a b -o /dev/full", 6).contains("/dev/full: "));
    }
}

#[test]
fn the_report() {
    let folder = factors();
    let report = folder.report(&format!("polymul a b --prime {P} --verify -o c"));
    assert_eq!(folder.text("c"), "4\n13\n22\n15\n");
    assert_eq!(report["verb"], "polymul");
    assert_eq!(report["engine"], "cpu");
    assert!(report["device"].as_str().unwrap().contains("CPU engine"));
    assert_eq!(report["verified"], true);
    assert_eq!(report["exit_code"], 0);
    assert_eq!(report["terms"], serde_json::json!([3, 2]));
    assert!(report["dispatches"].as_object().unwrap().is_empty());
    for phase in ["reading", "upload", "device", "download", "checking", "writing", "host", "total"] {
        assert!(report["seconds"][phase].as_f64().unwrap() >= 0.0, "{phase}");
    }
    for phase in ["reading", "checking", "writing", "total"] {
        assert!(report["seconds"][phase].as_f64().unwrap() > 0.0, "{phase}");
    }
    // Without -o the data are not written, and a note says so.
    let output = folder.command(&format!("polymul a b --prime {P} --json")).assert().success();
    assert!(serde_json::from_slice::<serde_json::Value>(&output.get_output().stdout).is_ok());
    assert!(String::from_utf8_lossy(&output.get_output().stderr).contains("not written"));
}

#[test]
fn an_error_in_the_report() {
    let folder = factors();
    let output = folder.command("polymul a none --json").assert().code(6);
    let report: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(report["exit_code"], 6);
    assert!(report["error"].as_str().unwrap().starts_with("none: "));
    assert_eq!(report["fault"]["File"]["path"], "none");
    assert_eq!(report["engine"], serde_json::Value::Null);
}

#[test]
fn the_trace() {
    let folder = factors();
    folder.run(&format!("polymul a b --prime {P} --verify --trace t.json"));
    let trace: serde_json::Value = serde_json::from_str(&folder.text("t.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    for name in ["read a", "read b", "verify", "write"] {
        let event = events.iter().find(|event| event["name"] == name);
        let event = event.unwrap_or_else(|| panic!("no {name} in {trace}"));
        assert!(event["ph"] == "X" && event["dur"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn completions_of_every_shell() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(&format!("completions {shell}"));
        assert!(script.contains("polymul") && script.contains("negacyclic"), "{shell}");
    }
    folder.fail("completions tcsh", 2);
}

#[test]
fn no_colour_where_nobody_looks() {
    let folder = factors();
    for arguments in ["polymul a", "--help"] {
        let output = folder.command(arguments).env("NO_COLOR", "1").output().unwrap();
        assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b));
    }
}
