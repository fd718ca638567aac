//! Outputs: each is checked before any work is done, and none overwrites another.

mod cli_common;

use cli_common::{Folder, P};

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
    // A hard link and the other name become separate files when one is replaced, so no data are
    // lost.
    std::fs::hard_link(folder.path("x"), folder.path("hard")).unwrap();
    folder.run("gf2 rref m -o x --pivots hard");
    assert_eq!((folder.text("x"), folder.text("hard")), ("101\n011\n000\n".into(), "0\n1\n".into()));
    // Devices and pipes are not replaced.
    folder.run("gf2 rref m -o /dev/null --pivots /dev/null --trace /dev/null");
}

#[test]
fn an_input_may_be_replaced_by_its_result() {
    let folder = matrix();
    folder.run("gf2 rref m -o ./m");
    assert_eq!(folder.text("m"), "101\n011\n000\n");
    folder.run("gf2 rank m -o rank --pivots m");
    assert_eq!(folder.text("m"), "0\n1\n");
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
        let script = format!("exec {program} {arguments} --device cpu >&-");
        let command = std::process::Command::new("sh")
            .current_dir(folder.path("."))
            .args(["-c", &script])
            .output()
            .unwrap();
        (command.status.code(), String::from_utf8(command.stderr).unwrap())
    };
    for arguments in ["gf2 rank m", "gf2 rank m --json", "gf2 rank m -o x --pivots -", "devices", "--version"]
    {
        let (code, stderr) = close(arguments);
        assert_eq!(code, Some(6), "{arguments}: {stderr}");
        assert!(stderr.contains("standard output is closed"), "{arguments}: {stderr}");
    }
    // A run that writes nothing to stdout does not need it.
    assert_eq!(close("gf2 rank m -o x"), (Some(0), String::new()));
    assert_eq!(folder.text("x"), "2\n");
}
