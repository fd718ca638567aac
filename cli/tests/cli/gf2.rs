//! `wgalois gf2`: results, formats, places of errors.

use crate::common::{Folder, numbers};

/// A matrix of rank 2: the third row is the sum of the others.
const DEFICIENT: &str = "1100\n0110\n1010\n";

#[test]
fn small_answers() {
    let folder = Folder::new();
    folder.write("a", DEFICIENT);
    folder.write("regular", "011\n101\n111\n");
    assert_eq!(folder.run("gf2 rank a"), "2\n");
    assert_eq!(folder.run("gf2 rref a --pivots p"), "1010\n0110\n0000\n");
    assert_eq!(numbers::<u32>(&folder.text("p")), [0, 1]);
    let echelon = folder.run("gf2 echelon a --verify");
    assert!(echelon.starts_with('1') && echelon.ends_with("\n0000\n"), "{echelon}");
    assert_eq!(folder.run("gf2 kernel a --verify"), "1110\n0001\n");
    assert_eq!(folder.run("gf2 transpose a --verify"), "101\n110\n011\n000\n");
    assert_eq!(folder.run("gf2 inverse regular --verify -o i"), "");
    folder.run("gf2 mul regular i -o e --verify");
    assert_eq!(folder.text("e"), "100\n010\n001\n");
    folder.write("b", "1\n1\n0\n");
    assert_eq!(folder.run("gf2 solve a b --verify"), "0\n1\n0\n0\n");
}

#[test]
fn no_solution_and_no_inverse_are_answers() {
    let folder = Folder::new();
    folder.write("a", DEFICIENT);
    folder.write("b", "10\n11\n00\n");
    let solved = folder.command("gf2 solve a b").assert().code(7).get_output().clone();
    assert_eq!(solved.stdout, b"0\n1\n0\n0\n");
    let stderr = String::from_utf8(solved.stderr).unwrap();
    assert_eq!(stderr, "wgalois: inconsistent: no solution for column 1 of B\n");
    let report = folder.no_answer("gf2 solve a b --json -o x");
    assert_eq!(report["inconsistent"], serde_json::json!([1]));
    assert_eq!(report["rank"], 2);
    folder.write("s", "11\n11\n");
    let inverse = folder.command("gf2 inverse s").assert().code(7).get_output().clone();
    assert_eq!(
        (inverse.stdout, inverse.stderr),
        (vec![], b"wgalois: singular: the rank is 1 of 2\n".to_vec())
    );
    let report = folder.no_answer("gf2 inverse s --json -o none.npy");
    assert_eq!(report["answer"], "singular: the rank is 1 of 2");
    assert_eq!(report["output_removed"], false);
    assert!(!folder.names().contains(&"none.npy".to_owned()));
}

#[test]
fn shapes_that_do_not_fit() {
    let folder = Folder::new();
    folder.write("a", DEFICIENT);
    folder.write("b", "1\n1\n");
    for (verb, files) in [("solve a b", "a, b: "), ("mul a b", "a, b: "), ("inverse a", "")] {
        let told = folder.fail(&format!("gf2 {verb}"), 3);
        assert!(told.contains(files), "{told}");
    }
}

#[test]
fn empty_matrices() {
    let folder = Folder::new();
    folder.write("empty", "");
    assert_eq!(folder.run("gf2 rank empty"), "0\n");
    assert_eq!(folder.run("gf2 rref empty"), "");
    assert_eq!(folder.run("gf2 inverse empty"), "");
    folder.write("lists", "\n\n");
    assert_eq!(folder.run("gf2 transpose lists --format lists --columns 2 --output-format text"), "00\n00\n");
}

#[test]
fn every_format_in_and_out() {
    let folder = Folder::new();
    folder.run("gen gf2 --rows 37 --columns 70 --density 0.2 --seed 5 -o m");
    for name in ["m.mtx", "m.npy", "m.gf2"] {
        folder.run(&format!("gf2 transpose m -o t{name}"));
        folder.run(&format!("gf2 transpose t{name} -o {name}"));
        folder.run(&format!("gf2 transpose {name} -o back.txt"));
        folder.run("gf2 transpose back.txt -o back.txt");
        assert_eq!(folder.text("back.txt"), folder.text("m"), "{name}");
        assert_eq!(folder.run(&format!("gf2 rank {name}")), folder.run("gf2 rank m"));
    }
    folder.run("gf2 transpose m -o t.txt --output-format lists");
    let back = folder.run("gf2 transpose t.txt --format lists --columns 37 --output-format text");
    assert_eq!(back, folder.text("m"));
    // The format follows from the content if the name does not indicate it, and for standard input
    // too.
    std::fs::copy(folder.path("m.gf2"), folder.path("unnamed")).unwrap();
    assert_eq!(folder.run("gf2 rank unnamed"), folder.run("gf2 rank m"));
    let piped = folder.command("gf2 rank -").write_stdin(folder.read("m.npy")).assert().success();
    assert_eq!(piped.get_output().stdout, folder.run("gf2 rank m").as_bytes());
}

#[test]
fn generated_matrices_are_reproducible_and_of_the_wanted_rank() {
    let folder = Folder::new();
    let text = folder.run("gen gf2 --rows 80 --columns 120 --rank 30 --seed 1");
    assert_eq!(text, folder.run("gen gf2 --rows 80 --columns 120 --rank 30 --seed 1"));
    assert_ne!(text, folder.run("gen gf2 --rows 80 --columns 120 --rank 30 --seed 2"));
    folder.write("m", text);
    assert_eq!(folder.run("gf2 rank m"), "30\n");
    assert!(!folder.run("gen gf2 --rows 5 --density 0").contains('1'));
    assert!(!folder.run("gen gf2 --rows 5 --density 1").contains('0'));
    folder.fail("gen gf2 --rows 5 --density 2", 2);
    assert!(folder.fail("gen gf2 --rows 100000000 --columns 100000000", 3).contains("memory"));
}

#[test]
fn broken_files_are_refused_with_their_place() {
    let folder = Folder::new();
    folder.write("a", "01\n0x\n");
    assert!(folder.fail("gf2 rank a", 3).contains("a:2:2: \"x\""));
    folder.write("b", "01\n011\n");
    assert!(folder.fail("gf2 rank b -o new", 3).contains("b:2:3: more than 2 columns"));
    folder.write("c.gf2", "01\n");
    assert!(folder.fail("gf2 rank c.gf2", 3).contains("c.gf2: byte 0: no packed matrix"));
    folder.run("gen gf2 --rows 9 -o d.gf2");
    folder.write("e.gf2", &folder.read("d.gf2")[..70]);
    assert!(folder.fail("gf2 rank e.gf2", 3).contains("promises 9 rows"));
    std::fs::copy(folder.path("d.gf2"), folder.path("f.npy")).unwrap();
    assert!(folder.fail("gf2 rank f.npy", 3).contains("f.npy: byte 0: no .npy file"));
    folder.fail("gf2 rank d.gf2 --format mtx", 3);
    folder.fail("gf2 rank d.gf2 --simd nonsense", 2);
    folder.fail("gf2 rank d.gf2 --threads 0", 2);
    if !cfg!(target_arch = "aarch64") {
        folder.fail("gf2 rank d.gf2 --simd neon", 4);
    }
    assert!(folder.fail("gf2 rank d.gf2 --memory 100", 3).contains("may be used"));
}

#[test]
fn checks_tell_right_from_wrong() {
    let folder = Folder::new();
    folder.run("gen gf2 --rows 60 --seed 1 -o a");
    folder.run("gen gf2 --rows 60 --columns 3 --seed 2 -o b");
    for verb in ["echelon a", "rref a", "kernel a", "transpose a", "mul a b"] {
        folder.run(&format!("gf2 {verb} -o right"));
        assert_eq!(folder.report(&format!("check gf2 {verb} --result right"))["verified"], true);
        let right = folder.text("right");
        if !right.is_empty() {
            let middle = right.find('1').unwrap();
            let mut wrong = right.clone();
            wrong.replace_range(middle..=middle, "0");
            folder.write("wrong", wrong);
            folder.fail(&format!("check gf2 {verb} --result wrong"), 1);
        }
    }
}

#[test]
fn forms_and_kernels_of_another_rank_are_refused() {
    let folder = Folder::new();
    folder.write("ones", "11\n11\n");
    folder.write("identity", "10\n01\n");
    for verb in ["echelon", "rref"] {
        let told = folder.fail(&format!("check gf2 {verb} ones --result identity"), 1);
        assert!(told.contains("rank"), "{told}");
    }
    folder.write("zero", "000\n");
    folder.write("short", "110\n");
    folder.fail("check gf2 kernel zero --result short", 1);
    folder.write("other", "110\n011\n111\n");
    folder.run("check gf2 kernel zero --result other");
    folder.write("dependent", "110\n011\n101\n");
    folder.fail("check gf2 kernel zero --result dependent", 1);
    // The basis of a trivial kernel.
    folder.write("none", "");
    folder.run("check gf2 kernel identity --result none");
    folder.fail("check gf2 kernel zero --result none", 1);
}

#[test]
fn ranks_and_answers_without_a_matrix_are_checked() {
    let folder = Folder::new();
    folder.write("a", DEFICIENT);
    for (rank, code) in [("2\n", 0), ("1", 1), ("3", 1), ("", 3), ("two", 3), ("-1", 3)] {
        folder.write("rank", rank);
        folder.command("check gf2 rank a --result rank").assert().code(code);
    }
    assert!(
        folder.report("gf2 rank a --verify -o r")["guarantee"].as_str().unwrap().contains("the rank is 2")
    );
    folder.write("s", "11\n11\n");
    folder.no_answer("gf2 inverse s --verify --json");
    for (answer, code) in [
        ("singular: the rank is 1 of 2\n", 0),
        ("singular: the rank is 0 of 2", 1),
        ("singular: the rank is 2 of 2", 1),
        ("singular: the rank is 1 of 3", 3),
        ("singular: the rank is one of 2", 3),
        ("10\n01\n", 1),
    ] {
        folder.write("answer", answer);
        folder.command("check gf2 inverse s --result answer").assert().code(code);
    }
    folder.write("b", "10\n11\n00\n");
    let report = folder.no_answer("gf2 solve a b --verify --json");
    folder.write("answer", report["answer"].as_str().unwrap());
    folder.run("check gf2 solve a b --result answer");
    for (answer, code) in [
        ("inconsistent: no solution for column 0 of B", 1),
        ("inconsistent: no solution for column 0, 1 of B", 1),
        ("inconsistent: no solution for column 1, 1 of B", 1),
        ("inconsistent: no solution for column 9 of B", 1),
        ("inconsistent: no solution for column  of B", 3),
        ("inconsistent: no solution for column 1", 3),
        ("00\n00\n00\n00\n", 1),
    ] {
        folder.write("answer", answer);
        folder.command("check gf2 solve a b --result answer").assert().code(code);
    }
}

#[test]
fn results_without_a_shape_of_their_own_are_checked() {
    let folder = Folder::new();
    folder.run("gen gf2 --rows 40 --columns 70 --rank 9 --seed 5 -o m.gf2");
    folder.run("gf2 transpose m.gf2 -o t.gf2");
    folder.run("gf2 transpose t.gf2 --output-format lists -o m.txt");
    for verb in ["echelon", "rref", "kernel", "transpose"] {
        let lists = "m.txt --format lists --columns 70";
        folder.run(&format!("gf2 {verb} {lists} --output-format lists -o r.txt --verify"));
        folder.run(&format!("check gf2 {verb} {lists} --result r.txt"));
    }
    // A matrix without columns, and its transpose without rows.
    folder.write("lists", "\n\n\n");
    folder.run("gf2 transpose lists --format lists -o t");
    assert_eq!(folder.text("t"), "# 0 x 3\n");
    folder.run("check gf2 transpose lists --format lists --result t");
    // Older files state no shape.
    folder.write("t", "");
    folder.run("check gf2 transpose lists --format lists --result t");
}

#[test]
fn every_operation_states_its_guarantee() {
    let folder = Folder::new();
    for verb in ["rank", "echelon", "rref", "solve", "kernel", "inverse", "mul", "transpose"] {
        for help in [format!("gf2 {verb} --help"), format!("check gf2 {verb} --help")] {
            let help = folder.run(&help).split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(help.contains("Guarantee of --verify and check: "), "{help}");
            assert!(help.contains("missed with a chance of at most 2^-64"), "{help}");
        }
    }
}

#[test]
fn checks_refuse_matrices_of_wrong_shapes() {
    let folder = Folder::new();
    folder.run("gen gf2 --rows 4 --seed 1 -o square");
    folder.run("gen gf2 --rows 4 --columns 6 --seed 2 -o wide");
    folder.run("gen gf2 --rows 5 --columns 3 --seed 3 -o tall");
    folder.run("gen gf2 --rows 4 --columns 2 --seed 4 -o sides");
    folder.run("gen gf2 --rows 6 --columns 2 --seed 5 -o x");
    // Inputs that have no such answer are faults of the input.
    for (arguments, says) in [
        ("inverse wide --result wide", "cannot invert: the matrix has 4 rows and 6 columns"),
        ("inverse tall --result tall", "cannot invert: the matrix has 5 rows and 3 columns"),
        ("solve wide tall --result x", "wide, tall: cannot solve: A has 4 rows, B has 5 rows"),
        ("mul wide tall --result sides", "wide, tall: cannot multiply: A has 6 columns, B has 5 rows"),
        ("mul tall square --result tall", "tall, square: cannot multiply: A has 3 columns, B has 4 rows"),
    ] {
        let refused = folder.fail(&format!("check gf2 {arguments}"), 3);
        assert!(refused.contains(says), "{arguments}: {refused}");
    }
    // A result of another shape is a wrong result.
    for arguments in [
        "inverse square --result wide",
        "inverse square --result tall",
        "solve wide sides --result sides",
        "solve wide sides --result square",
        "mul wide x --result wide",
        "mul wide x --result x",
    ] {
        let refused = folder.fail(&format!("check gf2 {arguments}"), 1);
        assert!(refused.contains("check failed: "), "{arguments}: {refused}");
        assert!(refused.contains(" x "), "{arguments}: {refused}");
    }
}

/// The ways to write and to read a matrix, and the name of a file.
const FORMATS: [(&str, &str); 6] = [
    ("text", "r.txt"),
    ("lists", "r.lists"),
    ("mtx", "r.mtx"),
    ("npy", "r.npy"),
    ("npz", "r.npz"),
    ("packed", "r.gf2"),
];

#[test]
fn no_format_loses_the_shape() {
    let folder = Folder::new();
    folder.write("injective", "100\n010\n001\n");
    folder.write("low", "1100\n0110\n");
    folder.write("blank", "\n\n");
    for (format, name) in FORMATS {
        // The kernel of an injective matrix has no vectors, and every vector is in the kernel of that.
        folder.run(&format!("gf2 kernel injective -o {name}"));
        for columns in ["", "--columns 3"] {
            let kernel = folder.run(&format!("gf2 kernel {name} {columns} --output-format text --verify"));
            assert_eq!(kernel, "100\n010\n001\n", "{format}");
        }
        folder.run(&format!("check gf2 kernel injective --result {name}"));
        // The last column of a reduced form is zero.
        folder.run(&format!("gf2 rref low -o {name}"));
        let form = folder.run(&format!("gf2 rref {name} --output-format text"));
        assert_eq!(form, "1010\n0110\n", "{format}");
        folder.run(&format!("check gf2 rref low --result {name}"));
        let kernel = folder.run(&format!("gf2 kernel {name} --output-format text"));
        assert_eq!(kernel, "1110\n0001\n", "{format}");
        // Rows without columns, and their transpose.
        folder.run(&format!("gf2 transpose blank --format lists -o {name}"));
        assert_eq!(
            folder.run(&format!("gf2 transpose {name} --output-format text")),
            "\n\n# 2 x 0\n",
            "{format}"
        );
        folder.run(&format!("gf2 transpose {name} -o back.npy"));
        folder.run(&format!("gf2 transpose back.npy -o {name}"));
        let count = folder.run(&format!("gf2 kernel {name} --output-format text"));
        assert_eq!(count, "10\n01\n", "{format}");
        folder.run(&format!("gen gf2 --rows 0 --columns 5 --output-format {format} -o {name}"));
        assert_eq!(folder.run(&format!("gf2 transpose {name} --output-format text")).lines().count(), 6);
    }
}

#[test]
fn the_number_of_columns_is_that_of_the_file() {
    let folder = Folder::new();
    folder.write("m", "1011\n0110\n");
    for (format, name) in FORMATS {
        folder.run(&format!("gf2 echelon m -o {name}"));
        for verb in ["rank", "echelon", "rref", "kernel", "transpose"] {
            folder.command(&format!("gf2 {verb} {name} --columns 4")).assert().success();
            for columns in [3, 5] {
                let refused = folder.command(&format!("gf2 {verb} {name} --columns {columns}")).assert();
                // Lists without a shape may have more columns.
                let code = if (format, columns) == ("lists", 5) { 0 } else { 3 };
                let refused = refused.code(code).get_output().clone();
                let refused = String::from_utf8(refused.stderr).unwrap();
                assert!(code == 0 || refused.contains(name) && refused.contains("columns"), "{refused}");
            }
        }
        let rows = format!("eliminate --eliminators {name} --rows {name} --format {format} --columns");
        folder.command(&format!("{rows} 4")).assert().success();
        folder.fail(&format!("{rows} 3"), 3);
        // --columns is that of A.
        folder.write("b", "110\n010\n");
        folder.command(&format!("gf2 solve {name} b --columns 4 --columns-of-b 3")).assert().success();
        folder.fail(&format!("gf2 solve {name} b --columns-of-b 2"), 3);
        folder.fail(&format!("gf2 solve {name} b --columns 3"), 3);
    }
    let refused = folder.fail("gf2 rank m --columns 3", 3);
    assert!(refused.contains("m:1:1: the first row has 4 columns, where 3 were expected"), "{refused}");
    folder.write("shape", "1011\n0110\n# 2 x 5\n");
    assert!(folder.fail("gf2 rank shape", 3).contains("shape:3:1: the file states 5 columns"));
    folder.write("shape", "3 1\n# 2 x 5\n");
    let refused = folder.fail("gf2 rank shape --format lists", 3);
    assert!(refused.contains("shape:2:1: the file states 2 rows, and has 1"), "{refused}");
    folder.write("shape", "3 1\n# 1 x 3\n");
    assert!(folder.fail("gf2 rank shape --format lists", 3).contains("shape:1:1: index"));
    folder.write("shape", "# 1 by 3\n");
    assert!(folder.fail("gf2 rank shape", 3).contains("expected a shape, as in"));
}

#[test]
fn an_empty_file_without_a_shape_is_told() {
    let folder = Folder::new();
    folder.write("none", "");
    let told = folder.command("gf2 kernel none").assert().success().get_output().clone();
    assert!(String::from_utf8(told.stderr).unwrap().contains("none has no rows and states no columns"));
    assert_eq!(folder.run("gf2 kernel none --columns 3 --verify"), "100\n010\n001\n");
    assert_eq!(folder.run("gf2 kernel none --format lists --columns 2 --output-format text"), "10\n01\n");
}
