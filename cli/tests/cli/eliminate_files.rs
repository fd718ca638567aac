//! Systems that are larger than `--memory`: the same bytes as in memory, no scratch file left behind.

use crate::common::Folder;

const VERB: &str = "eliminate --eliminators s/eliminators.txt --rows s/rows.txt --device cpu";

/// The `--memory` that a refusal says to suffice.
fn stated(refusal: &str) -> u64 {
    let (_, rest) = refusal.rsplit_once("--memory ").unwrap_or_else(|| panic!("{refusal}"));
    rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

fn system() -> Folder {
    let folder = Folder::new();
    folder.run("gen eliminate --columns 8000 --eliminators 3000 --rows 2500 --promoted 1500 --seed 1 -o s");
    folder
}

/// The `--memory` that suffices for files: that of the first plan that is refused.
fn least(folder: &Folder) -> u64 {
    stated(&folder.fail(&format!("{VERB} -o r --memory 300K"), 5))
}

#[test]
fn results_equal_those_in_memory() {
    let folder = system();
    folder.run(&format!("{VERB} -o expected"));
    let least = least(&folder);
    for memory in [least, least + least / 3] {
        let command = format!("{VERB} -o r --memory {memory}");
        let plan = folder.run(&format!("{command} --plan"));
        for line in ["on files", "parts", "passes", "reads", "writes", "host memory", "expected time"] {
            assert!(plan.contains(line), "{plan}");
        }
        let before = folder.names();
        let report = folder.report(&command);
        assert_eq!(report["promoted"], 1500);
        assert!(report["parts"].as_u64().unwrap() > 2, "{report}");
        assert!(folder.read("r") == folder.read("expected"), "in {memory}");
        std::fs::remove_file(folder.path("r")).unwrap();
        assert_eq!(folder.names(), before);
    }
}

/// A verified run, the check of its result, and of wrong results with the structure of a right one.
#[test]
fn results_are_verified() {
    let folder = system();
    let verb = format!("{VERB} -o r --verify");
    let memory = stated(&folder.fail(&format!("{verb} --memory 300K"), 5));
    let verb = format!("{verb} --memory {memory}");
    assert!(folder.run(&format!("{verb} --plan")).contains("on files"));
    let report = folder.report(&verb);
    assert!(report["parts"].as_u64().unwrap() > 2, "{report}");
    assert_eq!(report["verified"], true);
    assert_eq!(report["guarantee"], "every row follows from the definition in file order; checked in full");
    let check = format!("check {VERB} --result r");
    let refusal = folder.fail(&format!("{check} --memory 300K"), 3);
    let check = format!("{check} --memory {}", stated(&refusal).max(memory));
    folder.run(&check);
    let right = folder.text("r");
    let lines: Vec<&str> = right.lines().collect();
    let promoted: Vec<usize> = (0..lines.len()).filter(|&k| lines[k].contains(' ')).collect();
    let eliminators = folder.text("s/eliminators.txt");
    // A row less; a one less; two rows exchanged; an eliminator in place of a row.
    let [first, last] = [promoted[3], promoted[promoted.len() - 1]];
    let shorter = lines[last].trim_end().rsplit_once(' ').map_or("", |(row, _)| row);
    let other = eliminators.lines().find(|line| line.len() > 1).unwrap();
    for changes in [
        vec![(last, "")],
        vec![(last, shorter)],
        vec![(first, lines[last]), (last, lines[first])],
        vec![(last, other)],
    ] {
        let mut wrong = lines.clone();
        changes.iter().for_each(|&(row, text)| wrong[row] = text);
        folder.write("r", wrong.iter().map(|line| format!("{line}\n")).collect::<String>());
        folder.fail(&check, 1);
    }
}

#[test]
fn other_forms_of_lists_have_the_same_result() {
    let folder = system();
    let memory = least(&folder);
    // Tabs, no last line feed, rows of zeros at the beginning and the end.
    let rows = folder.text("s/rows.txt").replacen(' ', "\t", 1000);
    folder.write("s/rows.txt", format!("\n\n{rows}\n \n7 5"));
    for verb in [format!("{VERB} --method blocked"), format!("{VERB} --columns 9000")] {
        folder.run(&format!("{verb} -o expected"));
        folder.run(&format!("{verb} -o r --memory {}", memory + 10_000));
        assert!(folder.read("r") == folder.read("expected"), "{verb}");
    }
}

#[test]
fn faults_are_named_as_in_memory() {
    let folder = system();
    let memory = least(&folder);
    let (eliminators, rows) = (folder.text("s/eliminators.txt"), folder.text("s/rows.txt"));
    let first = eliminators.lines().next().unwrap();
    for (eliminators, rows) in [
        (format!("{eliminators}{first}\n"), rows.clone()),
        (eliminators.clone(), format!("{rows}1 2 \n")),
        (format!("{eliminators}x\n"), rows.clone()),
    ] {
        folder.write("s/eliminators.txt", eliminators);
        folder.write("s/rows.txt", rows);
        let [in_memory, on_files] = ["".to_owned(), format!("--memory {memory}")]
            .map(|memory| folder.fail(&format!("{VERB} {memory}"), 3));
        assert_eq!(in_memory, on_files);
    }
}

#[test]
fn what_stays_in_memory_is_refused_with_the_memory_that_suffices() {
    let folder = system();
    let memory = least(&folder);
    for options in ["--method two-stage", "--output-format packed", "--sort"] {
        let command = format!("{VERB} {options} -o r");
        let mut refusal = folder.command(&format!("{command} --memory {memory}")).output().unwrap();
        // Reading refuses first, then the plan.
        for _ in 0..6 {
            if refusal.status.success() {
                break;
            }
            let stated = stated(&String::from_utf8_lossy(&refusal.stderr));
            refusal = folder.command(&format!("{command} --memory {stated}")).output().unwrap();
        }
        assert!(refusal.status.success(), "{options}: {}", String::from_utf8_lossy(&refusal.stderr));
    }
}

/// A scratch file that the system cuts off is an error of a file: the output stays as it was.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = system();
    let memory = least(&folder);
    folder.write("r", "before");
    std::fs::create_dir(folder.path("scratch")).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("wgalois");
    for (blocks, code) in [(100, 6), (100_000, 0)] {
        // Files of at most so many blocks of 512 bytes, as on a disk without room for more.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut command = std::process::Command::new("sh");
        command.current_dir(folder.path("")).args(["-c", &script, "sh"]).arg(program);
        command.args(VERB.split(' ')).args(["-o", "r", "--scratch", "scratch"]);
        let output = command.args(["--memory", &memory.to_string()]).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert_eq!(folder.read("r") == b"before", code == 6, "{errors}");
        assert_eq!(std::fs::read_dir(folder.path("scratch")).unwrap().count(), 0);
    }
    folder.fail(&format!("{VERB} -o r --memory {memory} --scratch missing"), 6);
}

/// Scratch files have no name, so not even a process that is killed leaves one behind.
#[cfg(unix)]
#[test]
fn a_killed_process_leaves_no_file() {
    let folder = system();
    let memory = least(&folder).to_string();
    std::fs::create_dir(folder.path("scratch")).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("wgalois");
    for milliseconds in [30, 100, 250] {
        let mut command = std::process::Command::new(program);
        command.current_dir(folder.path("")).stdout(std::process::Stdio::null());
        command.args(VERB.split(' ')).args(["--memory", &memory, "--scratch", "scratch"]);
        let mut child = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        let _ended_before = child.kill();
        child.wait().unwrap();
        assert_eq!(std::fs::read_dir(folder.path("scratch")).unwrap().count(), 0);
    }
}
