//! `wgalois devices`, `shaders`, and work on a real or software GPU. These tests need an adapter and
//! fail without one.

use crate::common::{Folder, P};
use serde_json::Value;

#[test]
fn devices_are_listed_with_what_they_can_do() {
    let folder = Folder::new();
    let report = folder.report("devices");
    let adapters = report["adapters"].as_array().unwrap();
    assert!(!adapters.is_empty(), "no adapter was found");
    for (index, adapter) in adapters.iter().enumerate() {
        assert_eq!(adapter["index"], index);
        for key in ["name", "vendor", "backend", "driver", "kind"] {
            assert!(adapter[key].is_string(), "{key}");
        }
        for key in ["int64", "subgroups", "timestamps"] {
            assert!(adapter[key].is_boolean(), "{key}");
        }
        assert!(adapter["max_binding_bytes"].as_u64().unwrap() >= 1 << 27);
        // OpenGL has no word for it.
        assert_eq!(adapter["memory"].is_null(), adapter["backend"] == "gl");
        if let Some(memory) = adapter["memory"].as_object() {
            let [bytes, budget] = ["bytes", "budget"].map(|key| memory[key].as_u64().unwrap());
            assert!(0 < budget && budget <= bytes, "{memory:?}");
            assert!(memory["is_shared"] == true || adapter["kind"] != "software");
        }
    }
    let table = folder.run("devices");
    assert!(table.contains("64-bit integers") && table.contains("memory for plans"));
    let none = folder.command("devices").env("WGPU_BACKEND", "metal").assert().success();
    assert!(cfg!(target_os = "macos") || none.get_output().stdout.is_empty());
}

#[test]
fn a_gpu_that_was_asked_for_does_the_work() {
    let folder = Folder::new();
    folder.run(&format!("gen poly --terms 700 --prime {P} --seed 1 -o a"));
    folder.run(&format!("gen poly --terms 600 --prime {P} --seed 2 -o b"));
    folder.run(&format!("polymul a b --prime {P} -o cpu"));
    let name = folder.report("devices")["adapters"][0]["name"].as_str().unwrap().to_owned();
    let word = name.split_whitespace().next().unwrap();
    for device in ["gpu", "0", word] {
        let report = folder.report(&format!("polymul a b --prime {P} --verify -o gpu --device {device}"));
        assert_eq!(folder.text("gpu"), folder.text("cpu"));
        assert_eq!(report["engine"], "gpu");
        assert!(report["device"].as_str().unwrap().contains(&name));
        let dispatches = report["dispatches"].as_object().unwrap();
        assert!(dispatches.values().any(|count| count.as_u64() > Some(0)), "{report}");
        assert!(report["seconds"]["upload"].as_f64() > Some(0.0));
        assert!(report["seconds"]["download"].as_f64() > Some(0.0));
    }
}

/// A limit above what the driver reports changes nothing, and one that is too small is refused with one that suffices.
#[test]
fn plans_keep_to_the_limit_and_to_the_driver() {
    let folder = Folder::new();
    folder.run("gen gf2 --rows 3000 --columns 2500 --seed 1 -o a.gf2");
    folder.run("gen poly --terms 65536 --prime babybear --seed 1 -o a.npy");
    folder.run("gen msm --count 2000 --seed 1 -o m");
    for verb in [
        "gf2 rref a.gf2",
        "polymul a.npy a.npy --prime babybear",
        "msm --points m/points.bin --scalars m/scalars.bin --unchecked",
    ] {
        let plan = format!("{verb} --device gpu --plan");
        assert_eq!(folder.run(&format!("{plan} --memory 1000T")), folder.run(&plan), "{verb}");
        // Inputs are refused before the plan.
        let mut memory = 1 << 20;
        let bytes = loop {
            let output = folder.command(&format!("{plan} --json --memory {memory}")).output().unwrap();
            if output.status.success() {
                let report: Value = serde_json::from_slice(&output.stdout).unwrap();
                break report["plan"]["device_bytes"].as_u64().unwrap();
            }
            let refused = String::from_utf8_lossy(&output.stderr).into_owned();
            let (_, stated) = refused.rsplit_once("--memory ").unwrap_or_else(|| panic!("{refused}"));
            let digits = stated.find(|c: char| !c.is_ascii_digit()).unwrap_or(stated.len());
            let stated: u64 = stated[..digits].parse().unwrap();
            assert!(stated > memory, "{refused}");
            memory = stated;
        };
        assert!(0 < bytes && bytes <= memory, "{verb}: {bytes} of {memory}");
    }
}

/// On a machine without a desktop, where no variable tells libraries of the system of one.
#[test]
fn nothing_is_said_that_is_not_ours() {
    let folder = Folder::new();
    folder.write("m", "1 1");
    for arguments in ["devices", "polymul m m --prime babybear --device gpu"] {
        let mut command = folder.command(arguments);
        for variable in ["XDG_RUNTIME_DIR", "MESA_VK_DEVICE_SELECT", "NODEVICE_SELECT", "DRI_PRIME"] {
            command.env_remove(variable);
        }
        command.env("XDG_CACHE_HOME", folder.path("cache")).assert().success().stderr("");
    }
}

#[test]
fn every_verb_gives_the_same_on_a_gpu() {
    let folder = Folder::new();
    folder.run(&format!("gen poly --terms 1024 --prime {P} --seed 1 -o a"));
    folder.run("gen poly --terms 300 --bits 20 --signed --seed 2 -o b");
    folder.write("c", "123456789".repeat(200));
    for verb in [
        "polymul b b".to_owned(),
        "intmul c c".to_owned(),
        format!("polymul a b --wrap --prime {P} --cyclic 512"),
        format!("polymul a b --wrap --prime {P} --negacyclic 1024 --reduction montgomery"),
        format!("polymul a b --wrap --prime {P} --reduction barrett"),
        format!("polymul a b --wrap --prime {P} --reduction shoup"),
        format!("polymul a b --wrap --prime {P} --reduction plain"),
        format!("ntt a --prime {P} --batch 4 --output-order bitrev"),
        format!("ntt a --prime {P} --inverse --coset 7"),
        format!("ntt a --prime {P} --negacyclic --input-order bitrev --reduction plain"),
    ] {
        let report = folder.report(&format!("{verb} --device gpu --verify -o gpu"));
        assert_eq!(report["engine"], "gpu", "{verb}");
        assert!(!report["dispatches"].as_object().unwrap().is_empty(), "{verb}");
        folder.run(&format!("{verb} -o cpu"));
        assert_eq!(folder.text("gpu"), folder.text("cpu"), "{verb}");
    }
}

#[test]
fn shaders_are_written_in_every_language() {
    let folder = Folder::new();
    // Whole in WGSL; the tests of translation give all texts to the other languages' compilers.
    for (target, ending, kernels) in [
        ("wgsl", "wgsl", ""),
        ("spirv", "spv", "--kernel gf2/"),
        ("msl", "metal", "--kernel gf2/"),
        ("hlsl", "hlsl", "--kernel gf2/"),
        ("glsl", "glsl", "--kernel gf2/"),
    ] {
        folder.run(&format!("shaders --dump {target} --target {target} {kernels} -q"));
        let index: Value = serde_json::from_str(&folder.text(&format!("{target}/index.json"))).unwrap();
        let index = index.as_array().unwrap();
        assert!(!index.is_empty());
        for entry in index {
            let file = entry["file"].as_str().unwrap();
            assert!(kernels.is_empty() || file.starts_with("gf2-"), "{file}");
            assert!(file.ends_with(ending));
            let bytes = folder.read(&format!("{target}/{file}"));
            assert!(target != "spirv" || bytes.starts_with(&0x0723_0203u32.to_le_bytes()), "{file}");
            assert!(!bytes.is_empty());
        }
    }
    folder.write("file", "");
    folder.fail("shaders --dump file", 6);
    folder.fail("shaders", 2);
    folder.fail("shaders --dump none --kernel gf3/", 2);
}
