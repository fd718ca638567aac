//! Answers that there is none, older files in the place of outputs, and the formats of outputs.

use crate::common::Folder;

/// A matrix of rank 2, a singular one, and right sides of which the second and the third have no solution.
fn matrices() -> Folder {
    let folder = Folder::new();
    folder.write("a", "1100\n0110\n1010\n");
    folder.write("b", "1010\n1101\n0001\n");
    folder.write("s", "11\n11\n");
    folder
}

#[test]
fn no_older_file_passes_for_an_answer() {
    let folder = matrices();
    for (name, command) in [
        ("inverse", "gf2 inverse s -q -o x --pivots p"),
        ("solve", "gf2 solve s lacking -q -o x"),
        ("solve", "gf2 solve s lacking -q --json -o x"),
    ] {
        folder.write("lacking", "10\n01\n");
        folder.write("x", "of last week");
        folder.write("p", "of last week");
        let output = folder.command(command).assert().code(7).get_output().clone();
        assert!(output.stderr.is_empty(), "{command}");
        assert!(!folder.path("x").exists(), "{command}");
        assert_eq!(folder.path("p").exists(), name == "solve", "{command}");
        if command.contains("--json") {
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(report["output_removed"], true);
            assert_eq!(report["inconsistent"], serde_json::json!([0, 1]));
        }
    }
    // A device is no file of last week.
    #[cfg(unix)]
    folder.command("gf2 inverse s -q -o /dev/null").assert().code(7);
    let help = folder.run("--help");
    assert!(help.split_whitespace().collect::<Vec<_>>().join(" ").contains("7 there is no answer"));
}

#[cfg(unix)]
#[test]
fn the_file_behind_a_link_is_removed() {
    let folder = matrices();
    folder.write("x", "of last week");
    std::os::unix::fs::symlink("x", folder.path("link")).unwrap();
    folder.command("gf2 inverse s -o link").assert().code(7);
    assert!(!folder.path("x").exists());
}

#[test]
fn the_columns_with_a_solution_are_written() {
    let folder = matrices();
    let report = folder.no_answer("gf2 solve a b --json --verify -o x");
    assert_eq!(report["inconsistent"], serde_json::json!([1, 2]));
    assert_eq!(report["answer"], "inconsistent: no solution for column 1, 2 of B");
    // Column 0 is (1, 1, 0), column 3 is (0, 1, 1).
    assert_eq!(folder.text("x"), "01\n11\n00\n00\n");
    let checked = folder.report("check gf2 solve a b --result x");
    assert_eq!(checked["verified"], true);
    for wrong in ["11\n11\n00\n00\n", "1\n0\n0\n0\n", "010\n110\n000\n000\n"] {
        folder.write("x", wrong);
        folder.command("check gf2 solve a b --result x").assert().code(1);
    }
    // Many right sides, some without a solution, against the solutions of those that have one.
    folder.run("gen gf2 --rows 70 --columns 40 --rank 30 --seed 1 -o m");
    folder.run("gen gf2 --rows 40 --columns 90 --seed 2 -o y");
    folder.run("gf2 mul m y -o right");
    let mut sides: Vec<Vec<u8>> = folder.text("right").lines().map(|line| line.as_bytes().to_vec()).collect();
    // A one more in one place takes these columns out of the range of m, or not.
    for (row, column) in [(3, 0), (9, 63), (9, 64), (69, 89)] {
        sides[row][column] ^= 1;
    }
    folder.write(
        "mixed",
        sides.iter().map(|row| String::from_utf8(row.clone()).unwrap() + "\n").collect::<String>(),
    );
    let lacking = folder.no_answer("gf2 solve m mixed --json -o x")["inconsistent"].clone();
    let lacking: Vec<usize> = serde_json::from_value(lacking).unwrap();
    assert!(
        !lacking.is_empty() && lacking.iter().all(|column| [0, 63, 64, 89].contains(column)),
        "{lacking:?}"
    );
    let without = |text: &str| -> String {
        let keep = |line: &str| -> String {
            line.char_indices().filter(|(column, _)| !lacking.contains(column)).map(|(_, c)| c).collect()
        };
        text.lines().map(|line| keep(line) + "\n").collect()
    };
    folder.run("gf2 mul m x -o product");
    assert_eq!(folder.text("product"), without(&folder.text("mixed")));
    folder.run("check gf2 solve m mixed --result x");
}

#[test]
fn outputs_have_the_format_of_the_input_or_of_their_ending() {
    let folder = matrices();
    folder.run("gf2 transpose a -o a.npy");
    folder.write("l", "1 0 \n2 1 \n");
    // Without an ending, the format is that of the input.
    assert_eq!(folder.run("gf2 rref l --format lists"), "2 0 \n2 1 \n");
    for (input, output, begins) in [
        ("l --format lists", "r", "2 0 \n"),
        ("l --format lists", "r.txt", "2 0 \n"),
        ("l --format lists", "r.2", "2 0 \n"),
        ("l --format lists", "r.mtx", "%%MatrixMarket"),
        ("a", "r", "1010\n"),
        ("a", "r.lists", "2 0 \n"),
        ("a.npy", "r", "\u{93}NUMPY"),
        ("a.npy", "r.txt", "101\n"),
        ("a.npy --output-format text", "r.png", "101\n"),
    ] {
        folder.run(&format!("gf2 rref {input} -o {output}"));
        let text: String = folder.read(output).into_iter().map(char::from).collect();
        assert!(text.starts_with(begins), "{input} -o {output}: {text}");
    }
    assert_eq!(folder.run("gf2 rank r.lists"), "2\n");
    folder.write("p", "1 2");
    folder.run("polymul p p --prime 17 -o p.npy");
    for (input, output, length) in [("p.npy", "q", 128 + 20), ("p", "q.raw", 16), ("p.npy", "q.dat", 10)] {
        folder.run(&format!("polymul {input} {input} --prime 17 -o {output}"));
        assert!(folder.read(output).len().abs_diff(length) < 12, "{output}: {}", folder.read(output).len());
    }
}

#[test]
fn endings_that_no_format_has_are_refused_before_the_work() {
    let folder = matrices();
    for (command, ending) in [
        ("gf2 rref missing", "png"),
        ("gf2 rref missing", "csv"),
        ("gf2 rank missing", "npy"),
        ("polymul missing missing --prime 17", "json"),
        ("ntt missing --prime 17", "mtx"),
        ("intmul missing missing", "npy"),
        ("gen gf2 --rows 3", "raw"),
        ("gen poly --terms 3 --bits 3", "xlsx"),
        ("eliminate --rows missing --eliminators missing", "svg"),
        ("msm --points missing --scalars missing", "bin"),
    ] {
        let refused = folder.fail(&format!("{command} -o x.{ending}"), 2);
        assert!(refused.contains(&format!("no format for files `.{ending}`")), "{command}: {refused}");
        assert!(refused.contains(".txt"), "{refused}");
    }
}

#[test]
fn a_missing_folder_is_named() {
    let folder = matrices();
    for command in
        ["gf2 rank a -o no/such/x", "gf2 rank a --trace no/such/x", "gf2 rref a -o x --pivots no/such/x"]
    {
        let refused = folder.fail(command, 6);
        assert!(refused.contains("no/such/x: there is no folder no/such"), "{refused}");
    }
}

#[test]
fn the_report_holds_the_rank() {
    let folder = matrices();
    let output = folder.command("gf2 rank a --json").assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["rank"], 2);
}

#[test]
fn lists_of_the_solvable_columns_pass_their_check() {
    let folder = Folder::new();
    // x0 = b0, 0 = b1: of the three right sides the second has no solution.
    folder.write("a.txt", "10\n00\n");
    folder.write("b.txt", "101\n010\n");
    folder.command("gf2 solve a.txt b.txt -o x.lists").assert().code(7);
    folder.run("check gf2 solve a.txt b.txt --result x.lists");
    folder.command("gf2 solve a.txt b.txt -o x.txt").assert().code(7);
    folder.run("check gf2 solve a.txt b.txt --result x.txt");
    // Another solution of the first column, none of the second.
    folder.write("wrong.lists", "1 \n\n");
    folder.command("check gf2 solve a.txt b.txt --result wrong.lists").assert().code(1);
    folder.write("wide.lists", "2 0 \n\n");
    folder.command("check gf2 solve a.txt b.txt --result wide.lists").assert().code(1);
}
