//! Packed files that are larger than `--memory`: the same bytes as in memory, no scratch file left behind.

use crate::common::Folder;

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

/// Verified runs, the check of their results, and of results that are wrong in one bit.
#[test]
fn answers_are_verified() {
    // A check takes some MB: larger matrices, of which the first is regular.
    let folder = Folder::new();
    folder.run("gen gf2 --rows 6000 --columns 6000 --seed 5 -o a.gf2");
    folder.run("gen gf2 --rows 6000 --columns 1400 --seed 2 -o b.gf2");
    folder.run("gen gf2 --rows 4000 --columns 8000 --seed 3 -o wide.gf2");
    for operation in [
        "rank wide.gf2",
        "echelon wide.gf2",
        "rref wide.gf2",
        "kernel wide.gf2",
        "solve wide.gf2 wide.gf2",
        "inverse a.gf2",
        "mul a.gf2 b.gf2",
    ] {
        let result = if operation.starts_with("rank") { "r.txt" } else { "r.gf2" };
        let verb = format!("gf2 {operation} -o {result} --verify");
        let memory = stated(&folder.fail(&format!("{verb} --memory 300K"), 5));
        let verb = format!("{verb} --memory {memory}");
        assert!(folder.run(&format!("{verb} --plan")).contains("on files"), "{operation}");
        let report = folder.report(&verb);
        assert_eq!(report["verified"], true, "{operation}");
        assert!(report["guarantee"].as_str().unwrap().contains("2^-64"), "{operation}");
        let check = format!("check gf2 {operation} --result {result}");
        // Some checks plan an elimination, others only read.
        let eliminates = ["rank", "echelon", "rref", "kernel"].iter().any(|name| operation.starts_with(name));
        let refusal = folder.fail(&format!("{check} --memory 200K"), if eliminates { 5 } else { 3 });
        let memory = stated(&refusal);
        let check = format!("{check} --memory {memory}");
        folder.run(&check);
        let mut wrong = folder.read(result);
        let place = if result == "r.txt" { 0 } else { 64 + (wrong.len() - 64) / 2 };
        wrong[place] ^= 1;
        folder.write(result, wrong);
        folder.fail(&check, 1);
        std::fs::remove_file(folder.path(result)).unwrap();
    }
}

/// The solutions of those right sides that have one, as a run in memory writes them.
#[test]
fn some_solutions_are_checked_on_files() {
    let folder = Folder::new();
    // Of rank 3999, so that about half of the right sides have a solution.
    folder.run("gen gf2 --rows 4000 --columns 4000 --seed 1 -o a.gf2");
    folder.run("gen gf2 --rows 4000 --columns 1200 --seed 2 -o b.gf2");
    let report = folder.no_answer("gf2 solve a.gf2 b.gf2 -o x.gf2 --json");
    assert!((400..800).contains(&report["inconsistent"].as_array().unwrap().len()));
    let check = "check gf2 solve a.gf2 b.gf2 --result x.gf2";
    let memory = stated(&folder.fail(&format!("{check} --memory 200K"), 5));
    let check = format!("{check} --memory {memory}");
    assert!(folder.run(&format!("{check} --plan")).contains("on files"));
    let report = folder.report(&check);
    assert!(report["guarantee"].as_str().unwrap().contains("have no solution"), "{report}");
    let right = folder.read("x.gf2");
    for place in [64, right.len() / 2] {
        let mut wrong = right.clone();
        wrong[place] ^= 1;
        folder.write("x.gf2", wrong);
        folder.fail(&check, 1);
    }
    // Solutions of other right sides than these.
    folder.run("gen gf2 --rows 4000 --columns 1199 --seed 3 -o x.gf2");
    assert!(folder.fail(&check, 1).contains("1199"));
}

/// On files, too, the solutions of the right sides that have one are written, with the bytes of a run in memory.
#[test]
fn some_solutions_are_written_from_files() {
    let folder = Folder::new();
    // Of rank 2999, so that about half of the right sides have a solution.
    folder.run("gen gf2 --rows 3000 --columns 3000 --seed 1 -o a.gf2");
    folder.run("gen gf2 --rows 3000 --columns 700 --seed 2 -o b.gf2");
    let expected = folder.no_answer("gf2 solve a.gf2 b.gf2 -o expected.gf2 --json");
    assert!((200..500).contains(&expected["inconsistent"].as_array().unwrap().len()));
    for verify in ["", "--verify"] {
        let command = format!("gf2 solve a.gf2 b.gf2 -o x.gf2 {verify}");
        let memory = stated(&folder.fail(&format!("{command} --memory 300K"), 5));
        let command = format!("{command} --memory {memory}");
        assert!(folder.run(&format!("{command} --plan")).contains("on files"));
        folder.write("x.gf2", "before");
        let report = folder.no_answer(&format!("{command} --json"));
        assert_eq!(report["inconsistent"], expected["inconsistent"], "{verify}");
        assert_eq!(report["answer"], expected["answer"], "{verify}");
        assert_eq!(report["verified"] == true, !verify.is_empty(), "{verify}");
        assert!(folder.read("x.gf2") == folder.read("expected.gf2"), "{verify}");
    }
}

/// A refusal names the format that would be read in parts.
#[test]
fn files_that_are_read_as_a_whole_are_named() {
    let folder = matrices();
    for (format, name) in [("text", "e.txt"), ("npy", "e.npy"), ("mtx", "e.mtx")] {
        folder.run(&format!("gf2 echelon wide.gf2 --output-format {format} -o {name}"));
        let hint = format!("the format {format} of {name} is read as a whole, packed in parts");
        let refusal = folder.fail(&format!("gf2 rank {name} --memory 100K"), 3);
        assert!(refusal.contains(&hint), "{refusal}");
        let refusal = folder.fail(&format!("check gf2 echelon wide.gf2 --result {name} --memory 600K"), 3);
        assert!(refusal.contains(&hint), "{refusal}");
    }
    folder.write("none.txt", "");
    let refusal = folder.fail("eliminate --eliminators none.txt --rows e.npy --memory 100K", 3);
    assert!(refusal.contains("the format npy of e.npy is read as a whole, lists in parts"), "{refusal}");
    let refusal = folder.fail("gf2 rank wide.gf2 --memory 100K", 5);
    assert!(!refusal.contains("as a whole"), "{refusal}");
}

/// The bytes that a plan counts of scratch files are those that a run with its check, or the check of a file, moves:
/// input files are mapped, and what is mapped is not counted as read.
#[cfg(target_os = "linux")]
#[test]
fn plans_count_the_bytes_that_are_moved() {
    // No block of columns is without pivots, and no row without one: nothing can be left out.
    let folder = Folder::new();
    folder.run("gen gf2 --rows 6000 --columns 6000 --seed 5 -o a.gf2");
    folder.run("gen gf2 --rows 6000 --columns 1400 --seed 2 -o b.gf2");
    folder.run("gen gf2 --rows 6000 --columns 6100 --seed 3 -o wide.gf2");
    for (operation, result) in [
        ("rank wide.gf2", "rank.txt"),
        ("echelon wide.gf2", "echelon.gf2"),
        ("rref wide.gf2", "rref.gf2"),
        ("kernel wide.gf2", "kernel.gf2"),
        ("solve a.gf2 b.gf2", "x.gf2"),
    ] {
        let run = format!("gf2 {operation} -o {result} --verify");
        let check = format!("check gf2 {operation} --result {result}");
        for command in [run, check] {
            // Solutions are checked without an elimination.
            let code = if command.starts_with("check gf2 solve") { 3 } else { 5 };
            let memory = stated(&folder.fail(&format!("{command} --memory 200K"), code));
            for memory in [memory, memory + memory / 4] {
                let command = format!("{command} --memory {memory}");
                let plan = if code == 5 { folder.run(&format!("{command} --plan")) } else { String::new() };
                let count = |before: &str, after: &str| -> u64 {
                    let count = plan.split_once(before).and_then(|(_, rest)| rest.split_once(after));
                    count.map_or(0, |(count, _)| count.trim().parse().unwrap())
                };
                let of_input = count(" bytes, ", " of them");
                let planned = count("reads", " bytes").saturating_sub(of_input);
                let to_write = count("writes", " bytes");
                let (read, written) = moved(&folder, &command);
                eprintln!("{command}: {planned} planned, {read} read; {to_write} planned, {written} written");
                // Of a kernel's form only the tiles with free columns are read again.
                let least = if operation.starts_with("kernel") { planned / 2 } else { planned };
                assert!((least..planned + SMALL).contains(&read), "{command}: {read} of {planned}");
                let answer = if command.starts_with("check") { 0 } else { folder.read(result).len() as u64 };
                assert!(written.abs_diff(to_write + answer) <= SMALL, "{command}: {written} of {to_write}");
            }
        }
    }
}

/// Bytes of the program's libraries and of small files.
#[cfg(target_os = "linux")]
const SMALL: u64 = 1 << 18;

/// The bytes that the program reads and writes by calls to the system.
#[cfg(target_os = "linux")]
fn moved(folder: &Folder, arguments: &str) -> (u64, u64) {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("wgalois"));
    command.current_dir(folder.path("")).args(arguments.split_whitespace()).args(["--device", "cpu", "-q"]);
    let mut child = command.spawn().unwrap();
    // Its numbers can be read as long as nobody has waited for it.
    // SAFETY: zeros are a value of the type, which the call overwrites; the child is this process's.
    let ended = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        libc::waitid(libc::P_PID, child.id(), &mut info, libc::WEXITED | libc::WNOWAIT)
    };
    assert_eq!(ended, 0);
    let numbers = std::fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap();
    assert!(child.wait().unwrap().success(), "{arguments}");
    let number = |name: &str| {
        let line = numbers.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap().trim().parse().unwrap()
    };
    (number("rchar:"), number("wchar:"))
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
    assert_eq!(answer("gf2 solve b.gf2 a.gf2 --json --memory 2M -o x.gf2"), in_memory);
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
