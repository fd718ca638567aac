//! `--profile`, on the CPU engine and on any adapter that is present, such as lavapipe.

use crate::common::{Folder, P};
use serde_json::Value;

/// A folder with inputs, and a command line of each task on them.
fn jobs() -> (Folder, [String; 4]) {
    let folder = Folder::new();
    folder.run(&format!("gen poly --terms 4096 --prime {P} --seed 1 -o x"));
    folder.run("gen gf2 --rows 700 --columns 900 --seed 1 -o m");
    folder.run("gen eliminate --columns 900 --eliminators 700 --rows 300 --promoted 100 --eliminator-ones 20 --row-ones 30 -o s");
    folder.run("gen msm --count 300 -o p");
    let jobs = [
        format!("ntt x --prime {P}"),
        "gf2 rank m".to_owned(),
        "eliminate --eliminators s/eliminators.txt --rows s/rows.txt".to_owned(),
        "msm --points p/points.bin --scalars p/scalars.bin".to_owned(),
    ];
    (folder, jobs)
}

fn seconds(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// The laws of every profile; returns the calls of a kind.
fn check<'p>(profile: &'p Value, kind: &str) -> Vec<&'p Value> {
    let wall = seconds(&profile["wall"]);
    let share = seconds(&profile["busy"]["share"]);
    assert!((0.0..=1.0).contains(&share), "{profile}");
    assert!((seconds(&profile["busy"]["seconds"]) - share * wall).abs() < 1e-6 + 1e-3 * wall, "{profile}");
    let idle = profile["idle"].as_array().unwrap();
    assert!(!idle.is_empty() && idle.len() <= 5);
    for idle in idle {
        let host = idle["host"].as_array().unwrap().iter();
        let host: f64 = host.map(|step| seconds(&step["seconds"])).sum();
        assert!((host + seconds(&idle["unrecorded"]) - seconds(&idle["seconds"])).abs() < 1e-6);
        assert!(seconds(&idle["start"]) + seconds(&idle["seconds"]) <= wall + 1e-6);
    }
    let counters = &profile["counters"];
    match counters["missing"].as_str() {
        Some(reason) => assert!(!reason.is_empty()),
        None => {
            assert!(counters["ticks"].as_u64().unwrap() > 0 && counters["instructions"].as_u64().unwrap() > 0)
        }
    }
    for calls in profile["calls"].as_array().unwrap() {
        let (count, timed) = (calls["count"].as_u64().unwrap(), calls["timed"].as_u64().unwrap());
        assert!(count >= 1 && timed <= count);
        if timed > 0 {
            let [total, mean, least, largest] =
                ["total", "mean", "least", "largest"].map(|name| seconds(&calls[name]));
            assert!(least <= mean + 1e-9 && mean <= largest + 1e-9, "{calls}");
            assert!((total - mean * timed as f64).abs() < 1e-6 + 1e-3 * total, "{calls}");
        }
    }
    profile["calls"].as_array().unwrap().iter().filter(|calls| calls["kind"] == kind).collect()
}

#[test]
fn the_cpu_engine_has_steps_and_threads() {
    let (folder, jobs) = jobs();
    for job in &jobs {
        let report = folder.report(&format!("{job} --profile -o out"));
        let profile = &report["profile"];
        assert!(!check(profile, "compute").is_empty(), "{profile}");
        assert_eq!(check(profile, "dispatch").len(), 0);
        assert_eq!(profile["busy"]["basis"], "host steps");
        // The engine computed, so at least one thread was busy; no thread for longer than the run.
        let threads = profile["threads"].as_array().unwrap();
        if cfg!(target_os = "linux") {
            assert!(!threads.is_empty(), "{job}: {profile}");
        }
        for thread in threads {
            let busy = seconds(&thread["busy"]);
            assert!(busy > 0.0 && busy <= seconds(&profile["wall"]) + 0.02, "{job}: {profile}");
        }
    }
}

#[test]
fn a_gpu_has_every_kind_of_call() {
    let (inputs, jobs) = jobs();
    for (number, job) in jobs.iter().enumerate() {
        let report = inputs.report(&format!("{job} --device gpu --profile -o out"));
        let profile = &report["profile"];
        for kind in ["upload", "download", "map"] {
            let [calls] = check(profile, kind)[..] else { panic!("{job}: {kind}: {profile}") };
            assert!(calls["bytes"].as_u64().unwrap() > 0, "{job}: {calls}");
        }
        let [_] = check(profile, "wait")[..] else { panic!("{job}: {profile}") };
        let kernels = check(profile, "dispatch");
        let count: u64 = kernels.iter().map(|calls| calls["count"].as_u64().unwrap()).sum();
        let stages = report["dispatches"].as_object().unwrap();
        assert_eq!(
            count,
            stages.values().map(|count| count.as_u64().unwrap()).sum::<u64>(),
            "{job}: {profile}"
        );
        // Every task has kernels of its own; those of prefix sums and sorting are shared.
        let folder = ["ntt/", "gf2/", "gf2/", "msm/"][number];
        let name = |calls: &&&Value| calls["name"].as_str().unwrap().starts_with(folder);
        assert!(kernels.iter().filter(name).count() > 0, "{profile}");
        let timed: u64 = kernels.iter().map(|calls| calls["timed"].as_u64().unwrap()).sum();
        if profile["busy"]["basis"] == "device clock" {
            assert_eq!(timed, count);
            assert!(seconds(&profile["busy"]["seconds"]) > 0.0, "{job}: {profile}");
            let device: f64 = kernels.iter().map(|calls| seconds(&calls["total"])).sum();
            assert!((device - seconds(&report["seconds"]["device"])).abs() < 1e-6 + 1e-3 * device);
        } else {
            // A driver without timestamps.
            assert_eq!((timed, &profile["busy"]["basis"]), (0, &Value::from("host waits")), "{job}");
        }
    }
}

#[test]
fn the_text_goes_to_stderr_and_a_trace_beside_it() {
    let (folder, jobs) = jobs();
    for device in ["cpu", "gpu"] {
        let job = format!("{} --device {device}", jobs[1]);
        let plain = folder.command(&job).assert().success().get_output().clone();
        assert!(!String::from_utf8_lossy(&plain.stderr).contains("busy"));
        let output = folder.command(&format!("{job} --profile --trace t.json")).assert().success();
        let output = output.get_output();
        assert_eq!(output.stdout, plain.stdout);
        let text = String::from_utf8(output.stderr.clone()).unwrap();
        for part in ["profile of ", "largest", "read", "% of the time", "idle ", "clock ticks"] {
            assert!(text.contains(part), "{device}: {part}: {text}");
        }
        assert_eq!(text.contains("dispatch gf2/"), device == "gpu", "{text}");
        let trace: Value = serde_json::from_str(&folder.text("t.json")).unwrap();
        assert!(!trace["traceEvents"].as_array().unwrap().is_empty());
    }
    // A verb that uses no device has no busy share, and a profile is asked for.
    let report = folder.report(&format!("gen poly --terms 9 --prime {P} -o y --profile"));
    assert_eq!(report["profile"]["busy"], Value::Null);
    assert!(report["profile"]["calls"].is_array());
    assert_eq!(folder.report(&format!("{} -o out", jobs[0]))["profile"], Value::Null);
}

#[test]
fn a_trace_names_its_tracks_and_tells_of_workgroups_and_of_opening_the_device() {
    let folder = Folder::new();
    folder.write("a", "123456789123456789123456789");
    folder.write("b", "987654321987654321987654321");
    folder.run("intmul a b --device gpu --trace t.json -o c");
    let trace: Value = serde_json::from_str(&folder.text("t.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |category: &str| events.iter().filter(move |event| event["cat"] == category).collect::<Vec<_>>();
    assert!(of("preparing").iter().any(|event| event["name"] == "open the device"), "{trace}");
    // No two tracks have the same name.
    let mut names: Vec<_> =
        events.iter().filter(|event| event["ph"] == "M").map(|e| e["args"]["name"].as_str()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "{names:?}");
    let dispatches = of("device");
    assert!(!dispatches.is_empty());
    for event in &dispatches {
        let arguments = &event["args"];
        assert!(
            arguments["workgroups"].as_u64() > Some(0) && arguments["bound bytes"].as_u64() > Some(0),
            "{event}"
        );
        assert!(arguments["kernel"].is_string(), "{event}");
    }
    for copy in of("upload").iter().chain(&of("download")) {
        assert!(copy["args"]["bytes"].as_u64() > Some(0), "{copy}");
    }
}

#[test]
fn kernels_are_compiled_at_the_same_time_as_many_as_there_are_cores() {
    let folder = Folder::new();
    folder.write("a", "123456789123456789123456789");
    folder.write("b", "987654321987654321987654321");
    let at_once = std::thread::available_parallelism().map_or(1, usize::from).min(3);
    // A kernel takes a few milliseconds: a thread that other tests delay may come late, but not each time.
    let mut found = Vec::new();
    let overlap = (0..20).any(|_| {
        folder.run("intmul a b --device gpu --trace t.json -o c");
        let trace: Value = serde_json::from_str(&folder.text("t.json")).unwrap();
        let events = trace["traceEvents"].as_array().unwrap().iter();
        // Those of the three primes.
        let kernels = events.filter(|event| {
            event["cat"] == "preparing" && event["name"].as_str().unwrap().starts_with("ntt/")
        });
        let mut spans: Vec<(f64, f64)> =
            kernels.map(|event| (seconds(&event["ts"]), seconds(&event["dur"]))).collect();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(spans.len() >= 3, "{spans:?}");
        let first_end = spans.iter().map(|(begin, time)| begin + time).fold(f64::MAX, f64::min);
        let overlap = spans[at_once - 1].0 < first_end;
        found.push(spans);
        overlap
    });
    assert!(overlap, "{found:?}");
}

#[test]
fn a_trace_has_every_dispatch_once_or_in_parts_that_make_it_up() {
    let (folder, jobs) = jobs();
    folder.run(&format!("gen poly --terms 262144 --prime {P} --seed 2 -o long"));
    let long = format!("ntt long --prime {P}");
    let mut cut = 0;
    for job in jobs.iter().chain([&long]) {
        let report = folder.report(&format!("{job} --device gpu --trace t.json -o out"));
        let trace: Value = serde_json::from_str(&folder.text("t.json")).unwrap();
        let events = trace["traceEvents"].as_array().unwrap().iter();
        let dispatches: Vec<&Value> = events.filter(|event| event["cat"] == "device").collect();
        // As many events as the report counts.
        for (stage, count) in report["dispatches"].as_object().unwrap() {
            let found = dispatches.iter().filter(|event| event["name"] == stage.as_str()).count();
            assert_eq!(Some(found as u64), count.as_u64(), "{job}: {stage}");
        }
        // A part begins at the workgroup after the one before it, and says of how many; the last ends the dispatch.
        let mut next = std::collections::BTreeMap::new();
        for event in &dispatches {
            let arguments = &event["args"];
            let next: &mut u64 = next.entry(event["name"].to_string()).or_default();
            assert_eq!(arguments["first workgroup"].as_u64().unwrap_or(0), *next, "{job}: {event}");
            *next += arguments["workgroups"].as_u64().unwrap();
            match arguments["workgroups of the dispatch"].as_u64() {
                Some(all) if *next < all => cut += 1,
                Some(all) => assert_eq!(std::mem::take(next), all, "{job}: {event}"),
                None => *next = 0,
            }
        }
        assert!(next.values().all(|&next| next == 0), "{job}: {next:?}");
    }
    // A driver that computes on the CPU gets few workgroups of a kernel at first.
    let device = folder.report(&format!("{} --device gpu -o out", jobs[0]))["device"].to_string();
    assert!(cut > 0 || !device.contains("software"), "{device}");
}
