//! Outputs: each is checked before any work is done, and none overwrites another.

use crate::common::{Folder, P};

fn matrix() -> Folder {
    let folder = Folder::new();
    folder.write("m", "110\n011\n101\n");
    std::fs::create_dir(folder.path("sub")).unwrap();
    folder
}

#[test]
fn outputs_with_one_name_are_refused() {
    let folder = matrix();
    for (result, other) in [("x", "x"), ("x", "./x"), ("x", "sub/../x"), ("sub/x", "./sub/x")] {
        for option in ["--trace", "--pivots"] {
            let refused = folder.fail(&format!("gf2 rref m -o {result} {option} {other}"), 2);
            assert!(refused.contains(option) && refused.contains("the same file"), "{refused}");
        }
        folder.fail(&format!("gf2 rref m --pivots {result} --trace {other}"), 2);
    }
    // The same with an existing file, which stays unchanged.
    folder.write("x", "before");
    folder.fail("gf2 rref m -o x --trace x", 2);
    assert_eq!(folder.text("x"), "before");
    folder.fail("gen eliminate --columns 9 --eliminators 3 --rows 3 -o sub --trace sub/rows.txt", 2);
    folder.fail("gen eliminate --columns 9 --eliminators 3 --rows 3 -o new --trace new/rows.txt", 6);
    folder.fail("gen msm --count 3 -o sub --trace sub/points.bin", 2);
}

#[cfg(unix)]
#[test]
fn links_are_seen_through() {
    use std::os::unix::fs::symlink;
    let folder = matrix();
    symlink("x", folder.path("link")).unwrap();
    symlink("sub", folder.path("way")).unwrap();
    folder.fail("gf2 rref m -o x --trace link", 2);
    folder.fail("gf2 rref m -o sub/y --trace way/y", 2);
    // A link to a missing file creates its target.
    folder.run("gf2 rref m -o link --pivots way/pivots");
    assert_eq!(folder.text("x"), "101\n011\n000\n");
    assert_eq!(folder.text("sub/pivots"), "0\n1\n");
    assert!(std::fs::symlink_metadata(folder.path("link")).unwrap().is_symlink());
    // A hard link is another name of the same file.
    std::fs::hard_link(folder.path("x"), folder.path("hard")).unwrap();
    let refused = folder.fail("gf2 rref m -o x --pivots hard", 2);
    assert!(refused.contains("the same file"), "{refused}");
    assert_eq!(folder.text("hard"), "101\n011\n000\n");
    // Devices and pipes are not replaced.
    folder.run("gf2 rref m -o /dev/null --pivots /dev/null --trace /dev/null");
}

#[test]
fn an_input_may_be_replaced_by_its_result() {
    let folder = matrix();
    folder.run("gf2 rref m -o ./m");
    assert_eq!(folder.text("m"), "101\n011\n000\n");
    // What is no answer does not replace an input.
    folder.fail("gf2 rank m -o rank --pivots m", 2);
    assert_eq!(folder.text("m"), "101\n011\n000\n");
}

/// The inputs of every verb that reads files, as a command line, and its options for outputs beside `-o`.
const INPUTS: &[(&str, &str, &str)] = &[
    ("polymul A B", "A B", "--trace"),
    ("polymul A B --prime 17", "A B", "--trace"),
    ("intmul A B", "A B", "--trace"),
    ("ntt A --prime 17", "A", "--trace"),
    ("ntt A --field bn254-fr", "A", "--trace"),
    ("msm --points A --scalars B", "A B", "--trace"),
    ("eliminate --eliminators A --rows B", "A B", "--trace"),
    ("gf2 rank A", "A", "--trace --pivots"),
    ("gf2 echelon A", "A", "--trace --pivots"),
    ("gf2 rref A", "A", "--trace --pivots"),
    ("gf2 kernel A", "A", "--trace --pivots"),
    ("gf2 inverse A", "A", "--trace --pivots"),
    ("gf2 solve A B", "A B", "--trace"),
    ("gf2 mul A B", "A B", "--trace"),
    ("gf2 transpose A", "A", "--trace"),
    ("solve A", "A", "--trace --certificate --checkpoint"),
    ("groth16 prove A B C", "A B C", "--trace"),
    ("groth16 prove A B --public x", "A B", "--proof --trace"),
    ("groth16 prove A B --proof x", "A B", "--public --trace"),
    ("groth16 verify A B C", "A B C", "--trace"),
    ("groth16 info A", "A", "--trace"),
    ("kzg commit --setup A B C", "A B C", "--trace"),
    ("kzg open --setup A B C", "A B C", "--trace"),
    ("kzg verify --setup A B --commitments C --proofs D", "A B C D", "--trace"),
    ("gen groth16 --circuit A -o new", "A", "--trace"),
    ("check polymul A B --result C", "A B C", "--trace"),
    ("check intmul A B --result C", "A B C", "--trace"),
    ("check ntt A --prime 17 --result C", "A C", "--trace"),
    ("check msm --points A --scalars B --result C", "A B C", "--trace"),
    ("check eliminate --eliminators A --rows B --result C", "A B C", "--trace"),
    ("check gf2 rank A --result C", "A C", "--trace"),
    ("check gf2 solve A B --result C", "A B C", "--trace"),
    ("check solve A --result C", "A C", "--trace"),
];

#[test]
fn no_output_is_an_input() {
    let folder = Folder::new();
    for name in ["A", "B", "C", "D"] {
        folder.write(name, name);
        // Links of both kinds lead to the same file.
        std::fs::hard_link(folder.path(name), folder.path(&format!("hard{name}"))).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(name, folder.path(&format!("soft{name}"))).unwrap();
    }
    std::fs::create_dir(folder.path("sub")).unwrap();
    let kinds: &[&str] = if cfg!(unix) { &["", "sub/../", "hard", "soft"] } else { &["", "sub/../"] };
    for (command, inputs, options) in INPUTS {
        for (input, option) in inputs.split(' ').flat_map(|input| options.split(' ').map(move |o| (input, o)))
        {
            for kind in kinds {
                let refused = folder.fail(&format!("{command} {option} {kind}{input}"), 2);
                let reason = format!("the input {input} are the same file");
                assert!(refused.contains(option) && refused.contains(&reason), "{command}: {refused}");
            }
        }
    }
    // Folders in which outputs have given names, and inputs that lie in folders.
    for (name, command) in [
        ("circuit.zkey", "gen groth16 --circuit sub/circuit.zkey -o sub"),
        ("a.json", "groth16 prove A sub/a.json B --proof sub --public sub2"),
        ("rows.txt", "bench gf2 --case sub --csv sub/rows.txt"),
        ("eliminators.txt", "bench gf2 --case sub --table --trace sub/eliminators.txt"),
        ("expected.txt", "bench gf2 --case sub -o sub/../x --csv sub/expected.txt"),
    ] {
        folder.write(&format!("sub/{name}"), "input");
        let refused = folder.fail(command, 2);
        assert!(refused.contains("the input "), "{command}: {refused}");
        assert_eq!(folder.text(&format!("sub/{name}")), "input");
    }
    let groebner = folder.path("data/groebner/1_2_3_4");
    std::fs::create_dir_all(&groebner).unwrap();
    folder.write("data/groebner/1_2_3_4/rows.txt", "1\n");
    let mut published = folder.command("bench published gf2 --quick --csv data/groebner/1_2_3_4/rows.txt");
    published.env("WGALOIS_DATA", folder.path("data")).assert().code(2);
    // Plots have names of their own.
    let refused = folder.fail("bench published --plot sub --csv sub/gf2-gpu.svg", 2);
    assert!(refused.contains("the same file"), "{refused}");
    for name in ["A", "B", "C", "D"] {
        assert_eq!(folder.text(name), name);
    }
}

#[test]
fn an_answer_of_none_leaves_an_input_as_it_is() {
    let folder = Folder::new();
    let (singular, contradiction) = ("11\n11\n", "x1*x2 + x1\nx1*x2 + x1 + 1\n");
    for (command, code, content) in [
        ("gf2 inverse m -o m", 7, singular),
        ("gf2 inverse m -o link", 7, singular),
        ("gf2 inverse m -o m --json", 7, singular),
        ("gf2 solve m b -o m", 7, singular),
        ("gf2 solve a m -o m", 7, "1\n0\n"),
        ("gf2 inverse m -o x --pivots m", 2, singular),
        ("solve m -o m", 7, contradiction),
        ("solve m -o m --certificate m", 2, contradiction),
        ("solve m --certificate m", 2, contradiction),
        ("solve m --certificate m", 2, "x1 + x2\n"),
        ("solve m --checkpoint m", 2, contradiction),
    ] {
        folder.write("m", content);
        folder.write("a", singular);
        folder.write("b", "1\n0\n");
        #[cfg(unix)]
        if !folder.path("link").exists() {
            std::os::unix::fs::symlink("m", folder.path("link")).unwrap();
        }
        let output = folder.command(command).assert().code(code).get_output().clone();
        assert_eq!(folder.text("m"), content, "{command}");
        if command.ends_with("--json") {
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(report["output_removed"], false);
        }
    }
    // An input that is standard input is the same file as that of its name.
    folder.write("m", singular);
    for (command, code) in
        [("gf2 inverse - -o m", 7), ("gf2 rank - --pivots m", 2), ("gf2 rank - -o x --trace m", 2)]
    {
        let input = std::fs::File::open(folder.path("m")).unwrap();
        assert_eq!(run_with(&folder, command, input, std::process::Stdio::null()), code, "{command}");
        assert_eq!(folder.text("m"), singular, "{command}");
    }
    let input = std::fs::File::open(folder.path("m")).unwrap();
    assert_eq!(run_with(&folder, "gf2 rref - -o m", input, std::process::Stdio::null()), 0);
    assert_eq!(folder.text("m"), "11\n00\n");
}

/// Runs the program with the given streams and returns its exit code.
fn run_with(
    folder: &Folder,
    command: &str,
    input: impl Into<std::process::Stdio>,
    output: impl Into<std::process::Stdio>,
) -> i32 {
    let mut program = std::process::Command::new(assert_cmd::cargo::cargo_bin!("wgalois"));
    program.current_dir(folder.path(".")).args(command.split(' ')).args(["--device", "cpu"]);
    program.stdin(input).stdout(output).stderr(std::process::Stdio::null());
    program.status().unwrap().code().unwrap()
}

#[cfg(unix)]
#[test]
fn a_stdout_that_is_an_input_or_another_output_is_refused() {
    let folder = matrix();
    let append =
        |name: &str| std::fs::File::options().append(true).create(true).open(folder.path(name)).unwrap();
    let null = std::process::Stdio::null;
    for (command, name, code) in [
        ("gf2 rref m", "m", 2),
        ("gf2 rref m --json", "m", 2),
        ("gf2 rref m --plan", "m", 2),
        ("gf2 rref m -o x --trace -", "m", 2),
        ("gf2 rref m --pivots log", "log", 2),
        ("gf2 rref m", "log", 0),
        // Nothing goes to this stdout.
        ("gf2 rref m -o x", "log", 0),
    ] {
        let before = folder.text("m");
        assert_eq!(run_with(&folder, command, null(), append(name)), code, "{command} >> {name}");
        assert_eq!(folder.text("m"), before, "{command}");
    }
    assert_eq!(folder.text("log"), folder.text("x"));
}

#[test]
fn a_checkpoint_is_a_file_of_its_own() {
    let folder = Folder::new();
    folder.write("q", "x1*x2 + x3\n");
    for refused in ["-o x --checkpoint x", "--checkpoint x --certificate x", "--checkpoint -"] {
        folder.fail(&format!("solve q {refused}"), 2);
    }
    folder.fail("solve missing --checkpoint none/x", 6);
    folder.run("solve q -o x --checkpoint state");
}

#[test]
fn a_dash_is_stdout_where_it_is_free() {
    let folder = matrix();
    assert_eq!(folder.run("gf2 rref m -o x --pivots -"), "0\n1\n");
    let trace = folder.run("gf2 rref m -o x --trace -");
    assert!(trace.contains("traceEvents"), "{trace}");
    for taken in ["--pivots -", "--trace -", "-o - --pivots -", "-o x --trace - --pivots -"] {
        let refused = folder.fail(&format!("gf2 echelon m {taken}"), 2);
        assert!(refused.contains("stdout is taken"), "{refused}");
    }
    let json = folder.command("gf2 rref m -o x --pivots - --json").assert().code(2).get_output().clone();
    assert!(String::from_utf8_lossy(&json.stderr).contains("--json"));
    folder.write("r", "101\n011\n000\n");
    assert!(folder.run("check gf2 rref m --result r --trace -").contains("traceEvents"));
    assert!(!folder.names().contains(&"-".to_owned()));
}

#[test]
fn outputs_are_checked_before_the_work() {
    let folder = matrix();
    let long = "x".repeat(300);
    for bad in ["none/x", "new/", "sub", ".", &long, "m/x"] {
        for option in ["-o", "--trace", "--pivots"] {
            let other = if option == "-o" { "" } else { "-o y" };
            // The input is missing, but an error about it would come later.
            let refused = folder.fail(&format!("gf2 rank missing {other} {option} {bad}"), 6);
            assert!(!refused.contains("missing"), "{refused}");
        }
    }
    folder.fail("gen eliminate --columns 9 --eliminators 3 --rows 3 -o m", 6);
    folder.fail("gen eliminate --columns 9 --eliminators 3 --rows 3 -o m/new", 6);
    folder.fail("gen msm --count 3 -o new --trace none/t", 6);
    folder.fail("shaders --dump m", 6);
    folder.fail(&format!("polymul missing m --prime {P} -o new/"), 6);
    folder.run("gen eliminate --columns 9 --eliminators 3 --rows 3 -o new/er");
    assert!(folder.path("new/er/rows.txt").is_file());
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_mode_and_owner() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let folder = matrix();
    folder.write("x", "before");
    std::fs::set_permissions(folder.path("x"), std::fs::Permissions::from_mode(0o604)).unwrap();
    // Only the superuser may change a file's owner.
    let given = chown(folder.path("x"), Some(12_345), Some(54_321)).is_ok();
    folder.run("gf2 rank m -o x");
    let now = std::fs::metadata(folder.path("x")).unwrap();
    assert_eq!(now.permissions().mode() & 0o7777, 0o604);
    if given {
        assert_eq!((now.uid(), now.gid()), (12_345, 54_321));
    }
}

#[cfg(unix)]
#[test]
fn a_closed_stdout_is_an_error() {
    let folder = matrix();
    let close = |arguments: &str| {
        let program = assert_cmd::cargo::cargo_bin!("wgalois").display();
        let script = format!("exec {program} {arguments} >&-");
        let command = std::process::Command::new("sh")
            .current_dir(folder.path("."))
            .args(["-c", &script])
            .output()
            .unwrap();
        (command.status.code(), String::from_utf8(command.stderr).unwrap())
    };
    for arguments in [
        "gf2 rank m --device cpu",
        "gf2 rank m --json --device cpu",
        "gf2 rank m -o x --pivots - --device cpu",
        "devices",
        "--version",
    ] {
        let (code, stderr) = close(arguments);
        assert_eq!(code, Some(6), "{arguments}: {stderr}");
        assert!(stderr.contains("standard output is closed"), "{arguments}: {stderr}");
    }
    // A run that writes nothing to stdout does not need it.
    assert_eq!(close("gf2 rank m -o x --device cpu"), (Some(0), String::new()));
    assert_eq!(folder.text("x"), "2\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_is_an_error() {
    let folder = matrix();
    for arguments in [
        "--help",
        "-h",
        "--version",
        "-V",
        "gf2 rank --help",
        "gf2 --version",
        "help",
        "help gf2",
        "help formats",
        "formats",
        "completions bash",
        "man",
        "devices",
        "devices --json",
        "gf2 rank m",
        "gf2 rank m --json",
        "gf2 rank m --plan",
        "gf2 rank m -o x --trace -",
        "gf2 rank m -o x --pivots -",
        "gen gf2 --rows 3",
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut program = std::process::Command::new(assert_cmd::cargo::cargo_bin!("wgalois"));
        program.current_dir(folder.path(".")).args(arguments.split(' ')).stdout(full);
        let output = program.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        let is_short = arguments == "devices" && stderr.contains("no adapter was found");
        assert_eq!(output.status.code(), Some(if is_short { 0 } else { 6 }), "{arguments}: {stderr}");
        assert!(is_short || stderr.contains("No space left"), "{arguments}: {stderr}");
    }
    // A reader of help that has read enough is no error.
    let program = assert_cmd::cargo::cargo_bin!("wgalois").display();
    for arguments in ["--help", "formats", "completions bash", "man"] {
        let script = format!("({program} {arguments}; echo $? >code) | head -c 1 >part");
        let mut shell = std::process::Command::new("sh");
        assert!(shell.current_dir(folder.path(".")).args(["-c", &script]).status().unwrap().success());
        assert_eq!(folder.text("code"), "0\n", "{arguments}");
    }
}
