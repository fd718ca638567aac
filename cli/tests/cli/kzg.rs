//! `wgalois kzg`.

use crate::common::{Folder, find};

#[test]
fn blobs_are_committed_opened_and_verified() {
    let folder = Folder::new();
    folder.write("setup.txt", crate::common::trusted_setup());
    // Values below r: the first byte of each is 0.
    let blob =
        |seed: usize| (0..4096 * 32).map(|i| if i % 32 == 0 { 0 } else { (i * i + seed) as u8 }).collect();
    let blobs: [Vec<u8>; 2] = [blob(1), blob(2)];
    folder.write("a.bin", &blobs[0]);
    folder.write("b.bin", &blobs[1]);
    let hex: String = blobs[0].iter().map(|byte| format!("{byte:02x}")).collect();
    folder.write("a.hex", format!("0x{hex}\n"));
    let commitments = folder.run("kzg commit --setup setup.txt a.bin b.bin");
    // The result is verified before it is written, and the report says so.
    let open_at = format!("open --at {:064x}", 7);
    for (verb, claim) in [
        ("commit", "the commitments are to these blobs"),
        ("open", "the proofs hold"),
        (open_at.as_str(), "the values and the proofs"),
    ] {
        let run = format!("kzg {verb} --setup setup.txt a.bin b.bin --verify");
        let output = folder.command(&format!("{run} --json")).assert().success().get_output().clone();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["verified"], true);
        assert!(report["guarantee"].as_str().unwrap().contains(claim), "{report}");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains("verified: ") && errors.contains(claim), "{errors}");
        let without = folder.report(&format!("kzg {verb} --setup setup.txt a.bin b.bin"));
        assert!(without.get("verified").is_none() && without["results"] == report["results"]);
    }
    let lines: Vec<&str> = commitments.lines().collect();
    assert_eq!(folder.run("kzg commit --setup setup.txt a.hex").lines().collect::<Vec<_>>(), lines[..1]);
    folder.write("c.txt", &commitments);
    folder.run("kzg open --setup setup.txt a.bin b.bin -o p.txt");
    let verify = "kzg verify --setup setup.txt --commitments c.txt --proofs";
    let verified = folder.command(&format!("{verify} p.txt a.bin b.bin")).assert().success();
    let errors = String::from_utf8_lossy(&verified.get_output().stderr).into_owned();
    assert!(errors.contains("the commitments are to these blobs"), "{errors}");
    folder.fail(&format!("{verify} p.txt b.bin a.bin"), 1);
    folder.fail(&format!("{verify} p.txt a.bin"), 3);
    let at = format!("--at {:064x}", 7);
    folder.run(&format!("kzg open --setup setup.txt a.bin b.bin {at} -o z.txt"));
    folder.run(&format!("{verify} z.txt {at}"));
    folder.fail(&format!("{verify} z.txt --at {:064x}", 8), 1);
    folder.fail(&format!("{verify} p.txt {at}"), 3);
    folder.write("none.txt", "");
    let none = "kzg verify --setup setup.txt --commitments none.txt --proofs none.txt";
    assert!(folder.fail(&format!("{none} {at}"), 3).contains("0 commitments"));
    folder.write("large.bin", [0xff; 4096 * 32]);
    assert!(folder.fail("kzg commit --setup setup.txt large.bin", 3).contains("value 0"));
    folder.write("short.bin", [0; 100]);
    folder.fail("kzg commit --setup setup.txt short.bin", 3);
}

/// Wrong setups that keep the sum of the points and their subgroup are refused, also beside a damaged list of setups that passed.
#[test]
fn setups_in_another_order_are_refused_and_right_ones_are_remembered() {
    let folder = Folder::new();
    let setup = crate::common::trusted_setup();
    folder.write("setup.txt", &setup);
    folder.write("zero.bin", [0; 4096 * 32]);
    let lines: Vec<&str> = setup.split_ascii_whitespace().collect();
    let (lagrange, rest) = lines[2..].split_at(4096);
    let command = |arguments: &str| {
        let mut command = folder.command(arguments);
        for variable in ["XDG_CACHE_HOME", "HOME"] {
            command.env(variable, folder.path("cache"));
        }
        command
    };
    let report = |code: i32| -> serde_json::Value {
        let run =
            command("kzg commit --setup setup.txt zero.bin --json").assert().code(code).get_output().clone();
        serde_json::from_slice(&run.stdout).unwrap()
    };
    let refused = |lagrange: Vec<&str>, rest: &[&str]| {
        let text = [&["4096", "65"][..], &lagrange, rest].concat().join("\n");
        folder.write("wrong.txt", text);
        // Twice: what is refused is not remembered.
        for _ in 0..2 {
            let run = command("kzg commit --setup wrong.txt zero.bin -o out.txt").assert().code(3);
            let errors = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
            assert!(errors.contains("wrong.txt: the Lagrange points are not those of tau"), "{errors}");
            assert!(!folder.path("out.txt").exists());
        }
    };
    let swapped = |i: usize, j: usize| {
        let mut lines = lagrange.to_vec();
        lines.swap(i, j);
        lines
    };
    refused(swapped(7, 4000), rest);
    // Without the powers of tau in G1, too.
    refused(swapped(0, 1), &rest[..65]);
    refused([&lagrange[1..], &lagrange[..1]].concat(), rest);
    refused((0..4096usize).map(|i| lagrange[i.reverse_bits() >> 52]).collect(), &rest[..65]);
    // A right one is checked in the first run, and in no other unless the list is damaged.
    let first = report(0);
    assert_eq!(first["setup_checked"], "in this run");
    let zero = format!("c{}", "0".repeat(95));
    assert_eq!(first["results"][0], zero.as_str());
    assert_eq!(report(0)["setup_checked"], "in an earlier run");
    let list = find(&folder.path("cache"), "checked_files").expect("the list");
    let text = std::fs::read_to_string(&list).unwrap();
    for damaged in ["", &text[1..], &text.replace(['0', '1', '2', '3'], "g"), "\u{fffd}\0"] {
        std::fs::write(&list, damaged).unwrap();
        assert_eq!(report(0)["setup_checked"], "in this run");
        assert_eq!(report(0)["setup_checked"], "in an earlier run");
    }
    // No file, but a folder, in the place of the list.
    std::fs::remove_file(&list).unwrap();
    std::fs::create_dir(&list).unwrap();
    assert_eq!(report(0)["setup_checked"], "in this run");
    assert_eq!(report(0)["setup_checked"], "in this run");
}
