//! The program on several devices: the result is that of one.

use crate::common::{Folder, P};
use crate::gpu_common::both_drivers;
use serde_json::Value;

#[test]
fn the_program_shares_its_work_among_the_devices_that_are_named() {
    let folder = Folder::new();
    folder.run("gen msm --count 40 --seed 1 -o s");
    folder.run(&format!("gen poly --terms 4096 --prime {P} --seed 1 -o a"));
    let sum = folder.run("msm --points s/points.bin --scalars s/scalars.bin");
    assert_eq!(folder.run("msm --points s/points.bin --scalars s/scalars.bin --device 0,0 --verify"), sum);
    let report = folder.report("msm --points s/points.bin --scalars s/scalars.bin --device 0,0 --trace t");
    assert_eq!(report["engine"], "gpu");
    let devices = report["devices"].as_array().unwrap();
    assert_eq!(devices.len(), 2);
    for device in devices {
        assert!(device["seconds"]["upload"].as_f64() > Some(0.0), "{report}");
        assert!(!device["dispatches"].as_object().unwrap().is_empty());
    }
    let trace: Value = serde_json::from_slice(&folder.read("t")).unwrap();
    let tracks: Vec<_> = trace["traceEvents"].as_array().unwrap().iter().collect();
    for name in ["device 0", "device 1", "host, for device 1"] {
        let id = tracks.iter().find(|event| event["args"]["name"] == name).unwrap()["tid"].clone();
        assert!(tracks.iter().any(|event| event["tid"] == id && event["ph"] == "X"), "{name}");
    }
    let transform = format!("ntt a --batch 4 --prime {P}");
    folder.run(&format!("{transform} -o one"));
    folder.run(&format!("{transform} -o two --device 0,0,0 --verify"));
    assert_eq!(folder.read("one"), folder.read("two"));
    let plan = folder.run(&format!("{transform} --plan --device 0,0"));
    assert!(plan.contains("device 1       2 vectors"), "{plan}");
    // One that matches is one device.
    let all = folder.report("devices")["adapters"].as_array().unwrap().len();
    let report = folder.report(&format!("{transform} -o all --device all"));
    assert_eq!(report["devices"].is_array(), all > 1);
    assert_eq!(folder.read("one"), folder.read("all"));
    folder.fail(&format!("{transform} --device all:no-such-device"), 4);
    folder.fail(&format!("{transform} --device 0,99"), 4);
}

#[test]
fn the_program_ends_when_a_device_is_lost_unless_it_is_to_keep_going() {
    let folder = Folder::new();
    folder.run("gen msm --count 40 --seed 1 -o s");
    let sum = folder.run("msm --points s/points.bin --scalars s/scalars.bin");
    let command = |arguments: &str| {
        let arguments =
            format!("msm --points s/points.bin --scalars s/scalars.bin --unchecked --device 0,0 {arguments}");
        let mut command = folder.command(&arguments);
        command.env("WGALOIS_LOSE_DEVICE", "1").env("WGALOIS_LOSE_AFTER", "1");
        command
    };
    let output = command("").assert().code(5).get_output().clone();
    assert!(output.stdout.is_empty());
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("device lost: device 1, "), "{message}");
    let output = command("--keep-going").assert().success().get_output().clone();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), sum);
}

#[test]
fn unlike_devices_share_by_their_speeds_and_agree() {
    let Some(drivers) = both_drivers() else {
        assert!(std::env::var_os("CI").is_none(), "lavapipe or SwiftShader is missing");
        eprintln!("NOT RUN: two unlike devices need lavapipe and SwiftShader (Debian's chromium)");
        return;
    };
    let folder = Folder::new();
    folder.run("gen msm --count 40 --seed 1 -o s");
    folder.run(&format!("gen poly --terms 4096 --prime {P} --seed 1 -o a"));
    folder.run("gen gf2 --rows 300 --seed 1 -o m.gf2");
    let run = |arguments: &str| {
        let mut command = folder.command(arguments);
        command.env("VK_ICD_FILENAMES", &drivers).env("VK_DRIVER_FILES", &drivers);
        let output = command.assert().success().get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    };
    for (verb, ending) in [
        ("msm --unchecked --points s/points.bin --scalars s/scalars.bin", ""),
        (&*format!("ntt a --batch 8 --prime {P}"), ""),
        ("gf2 mul m.gf2 m.gf2", ".gf2"),
        ("gf2 rref m.gf2", ".gf2"),
    ] {
        folder.run(&format!("{verb} -o one{ending}"));
        run(&format!("{verb} -o both{ending} --device all --verify"));
        assert_eq!(folder.read(&format!("one{ending}")), folder.read(&format!("both{ending}")), "{verb}");
    }
    let plan = run(&format!("ntt a --batch 8 --prime {P} --plan --device all"));
    assert!(
        plan.contains("llvmpipe") && plan.contains("SwiftShader") && plan.contains(", speed 1.000"),
        "{plan}"
    );
}
