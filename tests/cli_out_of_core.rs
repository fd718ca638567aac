//! Packed files that are larger than `--memory`: the same bytes as in memory, no scratch file left behind.

mod cli_common;

use cli_common::Folder;

/// The `--memory` that a refusal says to suffice.
fn stated(refusal: &str) -> u64 {
    let (_, rest) = refusal.rsplit_once("--memory ").unwrap_or_else(|| panic!("{refusal}"));
    rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

/// Three matrices, of which the first is regular.
fn matrices() -> Folder {
    let folder = Folder::new();
    folder.run("gen gf2 --rows 3000 --columns 3000 --seed 12 -o a.gf2");
    folder.run("gen gf2 --rows 3000 --columns 1400 --seed 2 -o b.gf2");
    folder.run("gen gf2 --rows 1400 --columns 3000 --seed 3 -o wide.gf2");
    folder
}

#[test]
fn answers_equal_those_in_memory() {
    let folder = matrices();
    let operations = [
        ("rank a.gf2 --pivots p", true),
        ("echelon a.gf2 --pivots p", true),
        ("rref wide.gf2 --pivots p", true),
        ("kernel wide.gf2 --pivots p", true),
        ("kernel b.gf2", false),
        ("solve wide.gf2 wide.gf2", false),
        ("solve a.gf2 b.gf2", false),
        ("inverse a.gf2", false),
        ("mul a.gf2 b.gf2", false),
    ];
    for (operation, has_pivots) in operations {
        let format = if operation.starts_with("rank") { "" } else { "--output-format packed" };
        folder.run(&format!("gf2 {operation} {format} -o expected"));
        let expected = (folder.read("expected"), has_pivots.then(|| folder.read("p")));
        let memory = stated(&folder.fail(&format!("gf2 {operation} {format} -o r --memory 300K"), 5));
        for memory in [memory, memory + memory / 4] {
            let command = format!("gf2 {operation} {format} -o r --memory {memory}");
            let plan = folder.run(&format!("{command} --plan"));
            assert!(plan.contains("on files"), "{operation}: {plan}");
            for line in ["parts", "reads", "writes", "host memory", "expected time"] {
                assert!(plan.contains(line), "{operation}: {plan}");
            }
            let before = folder.names();
            folder.run(&command);
            let answer = (folder.read("r"), has_pivots.then(|| folder.read("p")));
            assert!(answer == expected, "{operation} in {memory}");
            std::fs::remove_file(folder.path("r")).unwrap();
            assert_eq!(folder.names(), before);
        }
    }
}

#[test]
fn answers_are_written_in_every_format_but_one() {
    let folder = matrices();
    for format in ["text", "lists", "npy", "packed"] {
        let command = format!("gf2 rref wide.gf2 --output-format {format}");
        folder.run(&format!("{command} -o expected"));
        folder.run(&format!("{command} -o r --memory 1300K"));
        assert!(folder.read("r") == folder.read("expected"), "{format}");
    }
    folder.fail("gf2 rref wide.gf2 -o r.mtx --memory 1300K", 2);
}

#[test]
fn singular_matrices_and_systems_without_solution_are_named() {
    let folder = matrices();
    // The second file's rows are dependent: there are 3000 of them, with 1400 columns.
    let answer = |arguments: &str| folder.no_answer(arguments)["answer"].as_str().unwrap().to_owned();
    let in_memory = answer("gf2 solve b.gf2 a.gf2 --json");
    assert!(in_memory.starts_with("inconsistent"));
    folder.write("x.gf2", "before");
    let on_files = answer("gf2 solve b.gf2 a.gf2 --json --memory 2M -o x.gf2");
    assert!(on_files.starts_with(&in_memory), "{on_files}");
    assert!(!folder.names().contains(&"x.gf2".to_owned()));
    folder.run("gf2 mul b.gf2 wide.gf2 -o singular.gf2");
    let in_memory = answer("gf2 inverse singular.gf2 --json");
    assert!(in_memory.contains("1400"), "{in_memory}");
    assert_eq!(answer("gf2 inverse singular.gf2 --json --memory 3M"), in_memory);
}

#[test]
fn ones_past_the_last_column_are_refused() {
    let folder = matrices();
    folder.run("gen gf2 --rows 2000 --columns 1999 --seed 1 -o odd.gf2");
    let mut bytes = folder.read("odd.gf2");
    *bytes.last_mut().unwrap() |= 0x80;
    folder.write("odd.gf2", bytes);
    let [in_memory, on_files] =
        ["", "--memory 1200K"].map(|memory| folder.fail(&format!("gf2 rank odd.gf2 {memory}"), 3));
    assert!(on_files.contains("row 1999"), "{on_files}");
    assert_eq!(in_memory, on_files);
}

/// A scratch file that the system cuts off is an error of a file: the output stays as it was.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = matrices();
    folder.write("r.gf2", "before");
    std::fs::create_dir(folder.path("scratch")).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("wgalois");
    for (blocks, code) in [(100, 6), (100_000, 0)] {
        // Files of at most so many blocks of 512 bytes, as on a disk without room for more.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut command = std::process::Command::new("sh");
        command.current_dir(folder.path("")).args(["-c", &script, "sh"]).arg(program);
        command.args("gf2 rref a.gf2 -o r.gf2 --memory 1800K --device cpu --scratch scratch".split(' '));
        let output = command.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{errors}");
        assert_eq!(folder.read("r.gf2") == b"before", code == 6, "{errors}");
        assert_eq!(errors.contains("scratch"), code == 6, "{errors}");
        assert_eq!(std::fs::read_dir(folder.path("scratch")).unwrap().count(), 0);
    }
    folder.fail("gf2 rref a.gf2 -o r.gf2 --memory 1800K --scratch missing", 6);
}

/// Scratch files have no name, so not even a process that is killed leaves one behind.
#[cfg(unix)]
#[test]
fn a_killed_process_leaves_no_file() {
    let folder = matrices();
    std::fs::create_dir(folder.path("scratch")).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("wgalois");
    for milliseconds in [50, 200, 400] {
        let mut command = std::process::Command::new(program);
        command.current_dir(folder.path("")).stdout(std::process::Stdio::null());
        command.args("gf2 inverse a.gf2 --memory 3M --device cpu --scratch scratch".split(' '));
        let mut child = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        let _ended_before = child.kill();
        child.wait().unwrap();
        assert_eq!(std::fs::read_dir(folder.path("scratch")).unwrap().count(), 0);
    }
}
