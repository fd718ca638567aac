//! Searches of `wgalois solve` that a time limit or a signal ends, and that go on from a checkpoint.

use crate::common::Folder;
use crate::solve::verified;

#[test]
fn the_time_limit_ends_every_part_of_the_work() {
    let folder = Folder::new();
    folder.run("gen boolean --variables 32 --equations 64 --seed 1 -o a.anf");
    // The simplification.
    assert!(folder.fail("solve a.anf --time-limit 0", 8).contains("time limit"));
    // Eliminations that take one thread longer than that: they do not end.
    folder.run("gen boolean --variables 40 --equations 80 --seed 1 -o c.anf");
    for (file, method, end) in [("a.anf", "xl", "x 41449 made"), ("c.anf", "crossbred", "made in")] {
        let options =
            format!("solve {file} --method {method} --degree 4 --device cpu --verbose --time-limit 0.5");
        let mut command = folder.command(&options);
        let output = command.env("RAYON_NUM_THREADS", "1").assert().code(8).get_output().clone();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("ended before it was complete"), "{message}");
        assert!(!message.contains(end), "{message}");
    }
    // The search for a certificate: the answer stands.
    folder.run("gen boolean --variables 12 --equations 14 --degree 3 --seed 4 -o b.anf");
    folder.command("solve b.anf --certificate c.txt --time-limit 1").assert().code(7);
}

#[test]
fn the_time_limit_holds_for_dense_polynomials_and_long_monomials() {
    let folder = Folder::new();
    let product = |factors: usize| (1..=factors).map(|i| format!("(x{i} + 1)")).collect::<Vec<_>>().join("*");
    // A product of sums of a variable and 1 has all monomials. It is 1 at one assignment.
    folder.write("dense.anf", product(14) + "\n");
    assert_eq!(folder.run("solve dense.anf --count --method exhaustive"), "16383\n");
    // 2^22 terms are made, simplified and searched. How long each takes depends on the machine: the limits
    // double until one suffices.
    folder.write("dense.anf", product(22) + "\n");
    // The product of all variables is 1 at one assignment, and one case for each variable shows it.
    let long: Vec<String> = (1..=59_999).map(|i| format!("x{i}")).collect();
    folder.write("long.anf", long.join("*") + "\n");
    let ends_at = |file: &str, limit: f64| {
        let begin = std::time::Instant::now();
        let mut command = folder.command(&format!("solve {file} --count --time-limit {limit}"));
        let output = command.assert().get_output().clone();
        // Half a second late on two idle cores; the tests of other files run beside this one.
        assert!(begin.elapsed().as_secs_f64() < limit + 5.0, "{file}: {:?}", begin.elapsed());
        match output.status.code() {
            Some(8) => true,
            Some(0) => {
                assert_eq!(output.stdout, b"4194303\n", "{file}");
                false
            }
            code => panic!("{file}: {code:?}"),
        }
    };
    let ended = (0..8).take_while(|i| ends_at("dense.anf", 0.5 * f64::from(1 << i))).count();
    assert!((2..8).contains(&ended), "{ended} limits ended the search");
    assert!(ends_at("long.anf", 2.0));
    assert!(folder.run("solve long.anf").starts_with("x1=0 x2=0 "));
}

#[test]
fn a_search_that_is_ended_goes_on_from_its_checkpoint() {
    let folder = Folder::new();
    // 2^40 candidates take more than one round.
    folder.run("gen boolean --variables 40 --equations 40 --seed 2 -o a.anf");
    let search = "solve a.anf --method exhaustive --count --checkpoint state.json";
    folder.command(&format!("{search} --time-limit 4")).assert().code(8);
    let state: serde_json::Value = serde_json::from_slice(&folder.read("state.json")).unwrap();
    let done = state["done"].as_u64().unwrap();
    assert!(done > 0 && done < state["of"].as_u64().unwrap());
    folder.command(&format!("{search} --time-limit 4")).assert().code(8);
    let state: serde_json::Value = serde_json::from_slice(&folder.read("state.json")).unwrap();
    assert!(state["done"].as_u64().unwrap() > done);
    // The state is that of this search alone.
    folder.run("gen boolean --variables 40 --equations 40 --seed 3 -o a.anf");
    folder.command(search).assert().code(3);
}

#[test]
fn a_search_that_went_on_from_a_checkpoint_is_not_called_verified() {
    let folder = Folder::new();
    folder.run("gen boolean --variables 32 --equations 40 --seed 2 -o a.anf");
    let search = "solve a.anf --method exhaustive --count --checkpoint state.json";
    let expected = folder.run("solve a.anf --method exhaustive --count");
    // The limit that ends the search after some of its windows depends on the machine.
    let is_ended = |limit: &f64| {
        let code =
            folder.command(&format!("{search} --time-limit {limit}")).assert().get_output().status.code();
        code == Some(8) && folder.path("state.json").exists()
    };
    let limits = (0..8).map(|i| 0.05 * f64::from(1 << i));
    assert!(limits.into_iter().any(|limit| is_ended(&limit)), "no limit leaves a checkpoint");
    let report = verified(&folder, search, 0);
    assert_eq!(report["solutions"].as_str().unwrap(), expected.trim());
    assert_eq!(report["verified"], false);
    assert!(report["not_verified"].as_str().unwrap().contains("checkpoint"));
    assert!(!folder.path("state.json").exists());
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_refused_at_once() {
    let folder = Folder::new();
    folder.run("gen boolean --variables 40 --equations 40 --seed 2 -o a.anf");
    folder.fail("solve a.anf --count --checkpoint missing/state.json", 6);
    folder.fail("solve a.anf --count --checkpoint -", 2);
    folder.fail("solve a.anf --count --method xl --checkpoint state.json", 2);
    // A run that ends before it has a state says so.
    let early = folder.fail("solve a.anf --count --checkpoint none.json --time-limit 0", 8);
    assert!(early.contains("no checkpoint: the first round"), "{early}");
    assert!(!folder.names().contains(&"none.json".to_owned()));
    // A file that is no checkpoint of this run stays.
    folder.run("gen boolean --variables 24 --equations 24 --seed 3 -o b.anf");
    let state = r#"{"fingerprint":1,"done":1,"of":2,"solutions":[],"count":0}"#;
    folder.write("state.json", state);
    let refused = folder.fail("solve b.anf --count --method exhaustive --checkpoint state.json", 3);
    assert!(refused.contains("that of another search") && !refused.contains("goes on"), "{refused}");
    assert_eq!(folder.text("state.json"), state);
    folder.write("other.json", "mine");
    folder.write("linear.anf", "x1 + x2\n");
    folder.run("solve linear.anf --count --checkpoint other.json");
    assert_eq!(folder.text("other.json"), "mine");
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_a_checkpoint() {
    let folder = Folder::new();
    folder.run("gen boolean --variables 40 --equations 40 --seed 2 -o a.anf");
    let search = "solve a.anf --method exhaustive --count --device cpu --checkpoint state.json";
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("wgalois"));
    command.current_dir(folder.path(".")).args(search.split_whitespace());
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(4));
    let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert!(!child.wait().unwrap().success());
    let state: serde_json::Value = serde_json::from_slice(&folder.read("state.json")).unwrap();
    assert!(state["done"].as_u64().unwrap() > 0);
    // The rest is searched from there, and is not called verified.
    let done = state["done"].as_u64().unwrap();
    folder.command(&format!("{search} --time-limit 2")).assert().code(8);
    let state: serde_json::Value = serde_json::from_slice(&folder.read("state.json")).unwrap();
    assert!(state["done"].as_u64().unwrap() > done);
}
