//! The device record: a GPU is measured once, and no content of the record's file can make a job fail.

use crate::common::Folder;
use serde_json::Value;
use std::path::PathBuf;

const JOB: &str = "polymul m m --prime babybear --device gpu";

/// Runs the program with the record in the folder; returns stdout and stderr.
fn run(folder: &Folder, arguments: &str) -> [String; 2] {
    let mut command = folder.command(arguments);
    command.env("XDG_CACHE_HOME", folder.path("cache")).env_remove("WGALOIS_SHIPPED_RECORD");
    let output = command.assert().success().get_output().clone();
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
}

/// The file of the record.
fn file(folder: &Folder) -> PathBuf {
    let entries = std::fs::read_dir(folder.path("cache/wgalois")).unwrap();
    let is_record = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("record-");
    let mut records = entries.map(|entry| entry.unwrap().path()).filter(is_record);
    let record = records.next().expect("a record was kept");
    assert_eq!(records.next(), None);
    record
}

#[cfg(target_os = "linux")]
#[test]
fn a_gpu_is_measured_once_and_again_if_its_record_is_damaged() {
    let folder = Folder::new();
    folder.write("m", "1 1");
    let measured = |arguments: &str| {
        let [stdout, stderr] = run(&folder, arguments);
        assert_eq!(stdout, "1\n2\n1\n");
        assert!(
            stderr.is_empty() || stderr.contains("measured in") && stderr.lines().count() == 1,
            "{stderr}"
        );
        !stderr.is_empty()
    };
    assert!(measured(JOB));
    assert!(!measured(JOB));
    assert!(measured(&format!("{JOB} --retune")));
    let path = file(&folder);
    let whole = std::fs::read_to_string(&path).unwrap();
    for damaged in ["", "{}", &whole[..whole.len() / 2], &whole.replace("\"version\": 2", "\"version\": 1")] {
        std::fs::write(&path, damaged).unwrap();
        assert!(measured(JOB), "{damaged}");
        assert!(!measured(JOB), "the file was not repaired");
    }
    // It can be neither read nor written: the job still succeeds, and says why it measures each time.
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let [stdout, stderr] = run(&folder, JOB);
    assert_eq!(stdout, "1\n2\n1\n");
    assert!(stderr.contains("cannot be kept"), "{stderr}");
}

#[test]
fn a_larger_field_is_measured_when_a_job_needs_it() {
    let folder = Folder::new();
    folder.write("m", "1 1");
    folder.run("gen msm --count 64 -o set");
    run(&folder, JOB);
    let record = |folder: &Folder| -> Value {
        serde_json::from_str::<Value>(&std::fs::read_to_string(file(folder)).unwrap()).unwrap()["record"]
            .clone()
    };
    let words = record(&folder);
    assert!(words["words"].is_object() && words["bits255"].is_null() && words["bits381"].is_null());
    run(&folder, "msm --points set/points.bin --scalars set/scalars.bin --device gpu");
    let fields = record(&folder);
    assert!(fields["bits381"].is_object(), "{fields}");
    // What was known stays.
    assert_eq!(fields["copied_bytes"], words["copied_bytes"]);
}

#[test]
fn tune_prints_and_reports_the_whole_record() {
    let folder = Folder::new();
    run(&folder, "tune --device gpu --output table");
    let table = folder.text("table");
    for line in ["copies", "random reads", "products of words", "of 255 bits", "of 381 bits", "upload"] {
        assert!(table.lines().any(|text| text.starts_with(line)), "{line} in {table}");
    }
    let [json, _] = run(&folder, "tune --device gpu --json");
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["record"]["origin"], "measured");
    assert!(report["record"]["bits381"]["portable"].as_f64() > Some(0.0));
}

#[test]
fn a_report_has_the_device_and_its_times_and_nothing_of_the_user() {
    let folder = Folder::new();
    run(&folder, "report --device gpu --each 1 --output report.md");
    let report = folder.text("report.md");
    for part in [
        "# wgalois ",
        "| driver |",
        "| copies |",
        "| problem | engine |",
        "| ntt 2^20 | CPU engine |",
        " right |",
    ] {
        assert!(report.contains(part), "{part} in {report}");
    }
    assert!(!report.contains("WRONG") && !report.contains("failed"), "{report}");
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let home = std::env::var("HOME").unwrap_or_default();
    for own in [host.trim(), home.as_str(), folder.path("").to_str().unwrap()] {
        assert!(own.len() < 4 || !report.contains(own), "{own} in {report}");
    }
    let [json, _] = run(&folder, "report --device gpu --each 1 --json");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json["adapter"]["driver"].is_string() && json["record"]["upload"].is_f64());
    assert!(json["rows"].as_array().unwrap().len() >= 6, "{json}");
}
