//! The memory of every verb, measured from outside: at the `--memory` that a refusal names the verb
//! succeeds, and its peak of anonymous memory stays within it.
//!
//! Each case runs the program as a user would, with a limit that is far too small. Every refusal states a
//! larger limit, which the next run gets, until one succeeds: an input that does not fit is refused as it is
//! read, and the work before it begins. The peak of the last run, less that of a run that only opens the
//! device, is then compared with its limit.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::Folder;

const MIB: u64 = 1 << 20;
const PRIME: &str = "2013265921";

/// The program with `arguments` on `device`, without pipelines compiled earlier.
fn program(folder: &Folder, arguments: &str, device: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wgalois"));
    command.current_dir(folder.path("")).args(arguments.split_whitespace());
    // Generators and some checks have no device.
    let on_host =
        ["gen ", "check polymul", "check intmul", "check ntt", "check gf2 mul", "check gf2 transpose"];
    if !on_host.iter().any(|verb| arguments.starts_with(verb)) {
        command.args(["--device", device]);
    }
    for variable in ["WGPU_ADAPTER_NAME", "RUST_LOG"] {
        command.env_remove(variable);
    }
    command
}

/// The code, the errors and the peak of anonymous memory of a run.
struct Run {
    code: Option<i32>,
    errors: String,
    peak: u64,
}

/// Runs the program and reads its anonymous memory every millisecond.
fn run(folder: &Folder, arguments: &str, device: &str) -> Run {
    let errors = folder.path("errors");
    let file = std::fs::File::create(&errors).unwrap();
    let mut command = program(folder, arguments, device);
    let mut child = command.stdout(Stdio::null()).stderr(file).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let code = loop {
        peak = anonymous(&status).unwrap_or(0).max(peak);
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    Run { code, errors: std::fs::read_to_string(errors).unwrap(), peak }
}

/// The anonymous memory that a process has resident, in bytes.
fn anonymous(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(kilobytes.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// The limit that a refusal says to suffice.
fn stated(errors: &str) -> Option<u64> {
    let number = |text: &str, after: &str| -> Option<u64> {
        let rest = &text[text.rfind(after)? + after.len()..];
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    number(errors, "--memory ")
}

/// Runs a verb at the smallest limit that refusals lead to; returns the limit and the peak.
fn at_the_stated_limit(folder: &Folder, arguments: &str, device: &str) -> (u64, u64) {
    // Files that are so small that they are copied fit this.
    let mut memory = MIB;
    // Each input takes up to three refusals; then come the index of a system, the plan, and a check.
    for _ in 0..12 {
        let run = run(folder, &format!("{arguments} --memory {memory}"), device);
        // 7: a random matrix may be singular.
        if matches!(run.code, Some(0 | 7)) {
            return (memory, run.peak);
        }
        assert!(matches!(run.code, Some(3 | 5)), "{arguments}: {:?} {}", run.code, run.errors);
        let next = stated(&run.errors).unwrap_or_else(|| panic!("{arguments}: {}", run.errors));
        assert!(next > memory, "{arguments} at {memory}: {}", run.errors);
        memory = next;
    }
    panic!("{arguments}: refused at {memory}");
}

/// Checks each of the verbs on the CPU engine. Returns the limit and the peak of each.
fn check_on_cpu(folder: &Folder, cases: &[&str]) -> Vec<(u64, u64)> {
    let idle = run(folder, "gf2 rank small.gf2 --plan", "cpu").peak;
    let check = |arguments: &&str| {
        let (memory, peak) = at_the_stated_limit(folder, arguments, "cpu");
        let peak = peak.saturating_sub(idle);
        eprintln!("{arguments}: {} MiB of {} MiB", peak / MIB, memory / MIB);
        assert!(peak <= memory + memory / 10 + 32 * MIB, "{arguments}: {peak} bytes under {memory}");
        // A limit much larger than the peak would refuse work that fits.
        assert!(memory <= 2 * peak + 32 * MIB, "{arguments}: {peak} bytes under {memory}");
        (memory, peak)
    };
    cases.iter().map(check).collect()
}

/// Checks each of the verbs on lavapipe, whose device memory is the program's own.
fn check_on_lavapipe(folder: &Folder, cases: &[(&str, &str)]) {
    let devices = Command::new(env!("CARGO_BIN_EXE_wgalois")).arg("devices").output().unwrap();
    if !String::from_utf8_lossy(&devices.stdout).contains("llvmpipe") {
        eprintln!("NOT RUN: the memory of the device is measured on llvmpipe, and there is none");
        return;
    }
    for (arguments, idle) in cases {
        let idle = run(folder, &format!("{idle} --plan"), "llvmpipe").peak;
        let (memory, peak) = at_the_stated_limit(folder, arguments, "llvmpipe");
        let peak = peak.saturating_sub(idle);
        let plan = program(folder, &format!("{arguments} --memory {memory} --plan --json"), "llvmpipe");
        let plan = { plan }.output().unwrap();
        let plan: serde_json::Value = serde_json::from_slice(&plan.stdout).unwrap();
        let on_device = plan["plan"]["device_bytes"].as_u64().unwrap();
        eprintln!("{arguments}: {} MiB of {} + {} MiB", peak / MIB, memory / MIB, on_device / MIB);
        let allowed = memory + on_device;
        assert!(peak <= allowed + allowed / 10 + 32 * MIB, "{arguments}: {peak} bytes under {allowed}");
    }
}

/// A folder with inputs: `small` ones, and large ones.
fn folder_of(generate: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.run("gen gf2 --rows 4 --columns 4 --seed 1 -o small.gf2");
    generate.iter().for_each(|arguments| drop(folder.run(arguments)));
    folder
}

fn poly(log: u32, name: &str) -> String {
    format!("gen poly --terms {} --prime {PRIME} --seed 1 -o {name}", 1 << log)
}

#[test]
fn transforms_and_products_on_the_cpu() {
    let folder = folder_of(&[
        &format!("{} --format npy", poly(22, "a.npy")),
        &poly(21, "a.txt"),
        "gen poly --terms 1000000 --bits 20 --signed --seed 1 --format npy -o z.npy",
    ]);
    let digits = |k: usize| (0..k).map(|i| char::from(b'1' + (i * i % 9) as u8)).collect::<String>();
    folder.write("decimal", digits(2_000_000));
    folder.write("hexadecimal", format!("0x{}", digits(1_000_000)));
    let modulo = format!("--prime {PRIME}");
    let verbs = [
        format!("ntt a.npy {modulo}"),
        format!("ntt a.txt {modulo} --batch 16 --output-order bitrev"),
        format!("polymul a.npy a.npy {modulo}"),
        format!("polymul a.npy a.txt {modulo} --cyclic 3000000"),
        "polymul z.npy z.npy".to_owned(),
        "polymul z.npy z.npy --negacyclic 600000".to_owned(),
        "intmul decimal decimal".to_owned(),
        "intmul hexadecimal decimal".to_owned(),
    ];
    check_with_results(&folder, &verbs, ".npy");
}

/// Checks each verb without and with `--verify`, and `check` of its result.
fn check_with_results(folder: &Folder, verbs: &[String], ending: &str) {
    for (i, verb) in verbs.iter().enumerate() {
        // Numbers are written as text.
        let is_number = verb.starts_with("gf2 rank") || verb.starts_with("intmul");
        let result = format!("result{i}{}", if is_number { ".txt" } else { ending });
        let cases = [
            format!("{verb} -o {result}"),
            format!("{verb} --verify -o {result}"),
            format!("check {verb} --result {result}"),
        ];
        check_on_cpu(folder, &cases.each_ref().map(String::as_str));
    }
}

#[test]
fn dense_matrices_on_the_cpu() {
    let folder = folder_of(&[
        "gen gf2 --rows 8000 --columns 8000 --seed 1 -o a.gf2",
        "gen gf2 --rows 4000 --columns 16000 --seed 2 -o wide.gf2",
        "gen gf2 --rows 1500000 --columns 64 --seed 3 -o tall.gf2",
        "gen gf2 --rows 1 --columns 16000000 --seed 4 -o row.txt",
    ]);
    let mut verbs = Vec::new();
    for operation in ["rank", "echelon", "rref", "kernel", "transpose"] {
        verbs.push(format!("gf2 {operation} wide.gf2"));
    }
    verbs.extend(["rank", "rref", "transpose"].map(|operation| format!("gf2 {operation} tall.gf2")));
    verbs.extend(["gf2 solve a.gf2 a.gf2", "gf2 mul a.gf2 a.gf2"].map(str::to_owned));
    verbs.extend(["gf2 rank row.txt", "gf2 transpose row.txt"].map(str::to_owned));
    check_with_results(&folder, &verbs, ".gf2");
    // A random matrix may be singular; then there is no matrix to check.
    check_on_cpu(&folder, &["gf2 inverse a.gf2 -o inverse.gf2", "gf2 inverse a.gf2 --verify -o inverse.gf2"]);
}

/// Work on files takes the memory of its plan, which is less than half of the `data` that it takes in memory.
#[test]
fn files_larger_than_memory() {
    let folder = folder_of(&[
        "gen gf2 --rows 1500 --columns 400000 --seed 1 -o wide.gf2",
        "gen gf2 --rows 1500 --columns 600 --seed 2 -o b.gf2",
        "gen gf2 --rows 400000 --columns 600 --seed 3 -o tall.gf2",
        "gen eliminate --columns 40000 --eliminators 38000 --rows 1500 --promoted 800 --seed 1 -o s",
    ]);
    let data = 1500 * 400_000 / 8;
    for (arguments, result) in [
        ("gf2 rank wide.gf2", None),
        ("gf2 rref wide.gf2", Some("r.gf2")),
        ("gf2 solve wide.gf2 b.gf2", Some("x.gf2")),
        ("gf2 mul wide.gf2 tall.gf2", Some("c.gf2")),
        ("eliminate --eliminators s/eliminators.txt --rows s/rows.txt", Some("r.txt")),
    ] {
        let output = format!("-o {}", result.unwrap_or("rank.txt"));
        let mut cases = vec![format!("{arguments} --verify {output}")];
        if let Some(result) = result {
            cases.push(format!("check {arguments} --result {result}"));
        }
        for (memory, _) in check_on_cpu(&folder, &cases.iter().map(String::as_str).collect::<Vec<_>>()) {
            assert!(memory < data / 2, "{arguments}: {memory} bytes");
        }
    }
}

#[test]
fn systems_on_the_cpu() {
    let shape = "--columns 16000 --eliminators 12000 --rows 9000 --promoted 3000 --seed 1";
    let folder = folder_of(&[&format!("gen eliminate {shape} -o s")]);
    let system = "eliminate --eliminators s/eliminators.txt --rows s/rows.txt";
    let verbs = ["blocked", "two-stage"].map(|method| format!("{system} --method {method}"));
    check_with_results(&folder, &verbs, "");
    check_on_cpu(&folder, &[&format!("{system} -o result.gf2")]);
}

#[test]
fn sums_on_the_cpu() {
    let folder = folder_of(&[
        "gen msm --count 65536 --seed 1 -o bls",
        "gen msm --count 65536 --curve bn254 --seed 1 -o bn",
    ]);
    let sum = |curve: &str, folder: &str| {
        format!("msm --curve {curve} --points {folder}/points.bin --scalars {folder}/scalars.bin --unchecked")
    };
    check_with_results(&folder, &[sum("bls12-381", "bls"), sum("bn254", "bn")], "");
}

/// The plan of proofs bounds all that they hold: the peak stays within the limit itself.
#[test]
fn proofs_on_the_cpu() {
    let (small, large) = ((1 << 12) - 8, (1 << 14) - 8);
    let folder = folder_of(&[
        &format!("gen groth16 --curve bn254 --constraints {large} -o bn"),
        &format!("gen groth16 --constraints {small} -o small"),
        &format!("gen groth16 --constraints {large} -o large"),
    ]);
    let prove = |name: &str| {
        format!("groth16 prove {name}/circuit.zkey {name}/witness.wtns --proof p.json --public x.json")
    };
    let verbs = ["bn", "small", "large"].map(prove);
    for (memory, peak) in check_on_cpu(&folder, &verbs.each_ref().map(String::as_str)) {
        assert!(peak <= memory, "{peak} bytes under {memory}");
    }
}

/// The least memory for several proofs: the bases go to the device in turn.
#[test]
fn proofs_of_a_batch_on_lavapipe() {
    let shape = "--curve bn254 --domain 2^14 --bits 0.99 --density-b 0.25 --witnesses 3";
    let folder = folder_of(&[&format!("gen groth16 {shape} -o k")]);
    let witnesses = "k/witness.1.wtns k/witness.2.wtns k/witness.3.wtns";
    let prove = format!("groth16 prove k/circuit.zkey {witnesses} --proof p --public x");
    check_on_lavapipe(&folder, &[(&prove, &prove)]);
    if folder.path("p").exists() {
        for name in ["witness.1.json", "witness.2.json", "witness.3.json"] {
            folder.run(&format!("groth16 verify k/verification_key.json x/{name} p/{name}"));
        }
    }
}

#[test]
fn every_task_on_lavapipe() {
    let folder = folder_of(&[
        &format!("{} --format npy", poly(18, "a.npy")),
        &format!("{} --format npy", poly(1, "one.npy")),
        "gen poly --terms 4096 --bits 20 --signed --seed 1 --format npy -o z.npy",
        "gen gf2 --rows 2000 --columns 2000 --seed 1 -o a.gf2",
        "gen eliminate --columns 900 --eliminators 500 --rows 400 --promoted 200 --seed 1 -o s",
        "gen msm --count 1024 --seed 1 -o m",
    ]);
    folder.write("digits", "7".repeat(5000));
    let modulo = format!("--prime {PRIME}");
    let transform = format!("ntt one.npy {modulo}");
    let rank = "gf2 rank small.gf2".to_owned();
    let system = "eliminate --eliminators s/eliminators.txt --rows s/rows.txt";
    let sum = "msm --points m/points.bin --scalars m/scalars.bin --unchecked".to_owned();
    let cases = [
        (format!("ntt a.npy {modulo} --verify -o r"), &transform),
        (format!("polymul a.npy a.npy {modulo} -o r"), &transform),
        ("polymul z.npy z.npy -o r".to_owned(), &transform),
        ("intmul digits digits -o r".to_owned(), &transform),
        ("gf2 rref a.gf2 --verify -o r".to_owned(), &rank),
        ("gf2 inverse a.gf2 -o r".to_owned(), &rank),
        ("gf2 mul a.gf2 a.gf2 -o r".to_owned(), &rank),
        (format!("{system} --method two-stage --verify -o r"), &rank),
        (format!("{sum} --verify -o r"), &sum),
    ];
    let cases: Vec<_> = cases.iter().map(|(case, idle)| (case.as_str(), idle.as_str())).collect();
    check_on_lavapipe(&folder, &cases);
}

/// Small work, where little is hidden by what every process takes: the stacks and tables of its threads.
#[test]
fn limits_hold_closely() {
    let folder = folder_of(&[
        "gen gf2 --rows 16000 --columns 16000 --seed 1 -o a.gf2",
        "gen gf2 --rows 2000 --columns 40000 --seed 1 -o rows.lists",
        "gen eliminate --columns 16000 --eliminators 12000 --rows 3000 --promoted 1000 --seed 1 -o s",
        "gen poly --terms 200000 --bits 20 --signed --seed 1 --format npy -o z.npy",
        &format!("{} --format npy", poly(18, "t.npy")),
    ]);
    folder.write("digits", "7".repeat(500_000));
    let system = "eliminate --eliminators s/eliminators.txt --rows s/rows.txt";
    let cases = [
        "gf2 rank a.gf2 --verify -o rank.txt",
        "gf2 mul a.gf2 a.gf2 -o r.gf2",
        "gf2 rref rows.lists -o r.lists",
        "gf2 transpose a.gf2 -o r.gf2",
        "polymul z.npy z.npy --verify -o r.npy",
        "intmul digits digits -o digits.txt",
        &format!("polymul t.npy t.npy --prime {PRIME} -o r.npy"),
        &format!("ntt t.npy --prime {PRIME} -o r.npy"),
        &format!("{system} -o r.txt"),
        &format!("{system} --verify -o r.txt"),
    ];
    let idle = run(&folder, "gf2 rank small.gf2 --plan", "cpu").peak;
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let fixed = MIB + MIB / 4 * threads;
    for arguments in cases {
        let (memory, peak) = at_the_stated_limit(&folder, arguments, "cpu");
        let peak = peak.saturating_sub(idle);
        assert!(peak <= memory + fixed, "{arguments}: {peak} bytes under {memory}");
    }
}
