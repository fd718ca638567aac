//! `wgalois solve`, `gen boolean` and `check solve`.

use crate::common::Folder;

const SYSTEM: &str = "x1 + x2 + x3\nx1*x2 + x2*x3 + 1\n";

#[test]
fn solutions_all_of_them_and_their_number() {
    let folder = Folder::new();
    folder.write("a.anf", SYSTEM);
    assert_eq!(folder.run("solve a.anf --all"), "x1=0 x2=1 x3=1\nx1=1 x2=1 x3=0\n");
    assert_eq!(folder.run("solve a.anf --count"), "2\n");
    assert_eq!(folder.run("solve a.anf --fix x3=1"), "x1=0 x2=1 x3=1\n");
    assert_eq!(folder.run("solve a.anf --fix x3=0 --fix x1=1 --all"), "x1=1 x2=1 x3=0\n");
    let report = folder.report("solve a.anf --all");
    assert_eq!(report["solutions"], "2");
    assert_eq!(report["assignments"][0], serde_json::json!({ "x1": 0, "x2": 1, "x3": 1 }));
    // From stdin, and to a file that is verified.
    let mut command = folder.command("solve - --all -o out.txt --verify");
    command.write_stdin(SYSTEM).assert().success();
    folder.run("check solve a.anf --result out.txt");
    folder.write("wrong.txt", "x1=0 x2=1 x3=0\n");
    folder.fail("check solve a.anf --result wrong.txt", 1);
    folder.write("partial.txt", "x1=0 x2=1\n");
    assert!(folder.fail("check solve a.anf --result partial.txt", 3).contains("partial.txt:1:10"));
}

#[test]
fn no_solution_is_an_answer() {
    let folder = Folder::new();
    folder.write("a.anf", "x1 + x2 + x3 + x4\nx2 + x3 + x5\nx1 + x4 + x5 + 1\n");
    assert!(folder.fail("solve a.anf", 7).contains("no solution"));
    assert_eq!(folder.run("solve a.anf --count"), "0\n");
    folder.command("solve a.anf --certificate c.txt").assert().code(7);
    folder.run("check solve a.anf --result c.txt");
    let certificate = folder.text("c.txt");
    assert_eq!(certificate.lines().count(), 4, "{certificate}");
    // Without its last product it proves nothing.
    let shorter: Vec<&str> = certificate.lines().take(3).collect();
    folder.write("d.txt", shorter.join("\n"));
    folder.fail("check solve a.anf --result d.txt", 1);
    for method in ["exhaustive", "xl", "crossbred", "auto"] {
        folder.run("gen boolean --variables 12 --equations 40 --seed 5 -o b.anf");
        folder.fail(&format!("solve b.anf --method {method}"), 7);
    }
}

#[test]
fn generated_systems_are_solved_by_every_method() {
    let folder = Folder::new();
    folder.run("gen boolean --variables 14 --equations 28 --seed 3 --planted -o a.anf");
    let text = folder.text("a.anf");
    let planted = text.lines().next().unwrap().strip_prefix("c planted: ").unwrap().to_owned();
    for method in ["exhaustive", "xl", "crossbred"] {
        let all = folder.run(&format!("solve a.anf --all --method {method}"));
        assert!(all.lines().any(|line| line == planted), "{method}: {all}");
    }
    // The same seed gives the same bytes, in every format the same equations.
    folder.run("gen boolean --variables 14 --equations 28 --seed 3 --planted -o b.anf");
    assert_eq!(folder.text("b.anf"), text);
    let all = folder.run("solve a.anf --all");
    for format in ["sage", "challenge"] {
        let arguments =
            format!("gen boolean --variables 14 --equations 28 --seed 3 --planted --format {format}");
        folder.run(&format!("{arguments} -o c.txt"));
        assert_eq!(folder.run("solve c.txt --all"), all, "{format}");
    }
}

/// Each text, its solutions in any order, and the number of them.
#[test]
fn names_keep_their_spelling_and_no_line_is_lost() {
    let folder = Folder::new();
    for (text, all) in [
        ("a*b + c\nc + 1\n", "a=1 b=1 c=1\n"),
        ("[X1 + x1 + 1]\n", "X1=0 x1=1\nX1=1 x1=0\n"),
        ("[x01 + x1 + 1, x1]\n", "x01=1 x1=0\n"),
        ("[x00 + 1]\n", "x00=1\n"),
        ("X(3) + 1\n", "X(3)=1\n"),
        ("Ideal (y + 1) of Boolean PolynomialRing in x, y\n", "x=0 y=1\nx=1 y=1\n"),
    ] {
        folder.write("a.txt", text);
        assert_eq!(folder.run("solve a.txt --all"), all, "{text}");
        assert_eq!(folder.run("solve a.txt --count").trim(), all.lines().count().to_string(), "{text}");
        folder.run("solve a.txt --all -o out.txt");
        folder.run("check solve a.txt --result out.txt");
    }
    folder.write("a.txt", "[X1 + x1 + 1]\n");
    assert_eq!(folder.run("solve a.txt --fix X1=1"), "X1=1 x1=0\n");
    assert_eq!(folder.report("solve a.txt --fix X1=1")["assignments"][0]["X1"], 1);
    assert!(folder.fail("solve a.txt --fix x01=1", 2).contains("X1"));
    for (text, place) in [
        ("X1 + x1 + 1\n", "a.txt:1:6"),
        ("x1\nc\n", "a.txt:2:1"),
        ("Ideal (x0 + 1) of Multivariate Polynomial Ring in x0 over Finite Field of size 3\n", "a.txt:1:59"),
    ] {
        folder.write("a.txt", text);
        let message = folder.fail("solve a.txt", 3);
        assert!(message.contains(place), "{message}");
    }
}

/// With the memory that the refusal states, the file is read; a plan may need more.
#[test]
fn the_memory_that_a_refusal_states_suffices_to_read() {
    let folder = Folder::new();
    for format in ["anf", "sage", "challenge"] {
        folder.run(&format!("gen boolean --variables 20 --equations 30 --seed 4 --format {format} -o a.txt"));
        let message = folder.fail("solve a.txt --plan --memory 1K", 3);
        assert!(message.contains("a.txt: reading it takes"), "{message}");
        let stated = message.split("--memory ").nth(1).unwrap().split_whitespace().next().unwrap();
        let output = folder.command(&format!("solve a.txt --plan --memory {stated}")).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(matches!(output.status.code(), Some(0 | 5)), "{message}");
        assert!(!message.contains("reading it takes"), "{message}");
    }
}

#[test]
fn plans_say_the_method_and_its_size() {
    let folder = Folder::new();
    folder.run("gen boolean --variables 24 --equations 48 --seed 1 --planted -o a.anf");
    let plan = folder.run("solve a.anf --plan --method xl");
    assert!(plan.contains("14016 x 12951, degree 4"), "{plan}");
    // Of a lower degree; with one value for a variable or more, no linear polynomial is expected of it.
    assert!(folder.run("solve a.anf --plan --method xl --degree 3").contains("1200 x 2325, degree 3"));
    let plan = folder.run("solve a.anf --plan --method exhaustive");
    assert!(plan.contains("2^24") && plan.contains("expected time"), "{plan}");
    assert!(folder.run("solve a.anf --plan --method crossbred").contains("linear systems"));
    // The other methods, with their times or the reasons against them.
    let plan = folder.run("solve a.anf --plan --method xl -v");
    assert!(plan.contains("not taken      exhaustive: about"), "{plan}");
    assert!(plan.contains("but the method xl is asked for"), "{plan}");
}

#[test]
fn bad_input_names_line_and_column() {
    let folder = Folder::new();
    let cases = [
        ("x1 + x2 + \u{fc}1\n", "a.anf:1:11"),
        ("x1\nx2 +\n", "a.anf:2:5"),
        (
            "Galois Field : GF(2)\nNumber of variables (n) : 2\nNumber of equations (m) : 1\n***\n1 0 1 ;\n",
            "a.anf:5:7",
        ),
    ];
    let challenge = |lines: &str| {
        format!(
            "Galois Field : GF(2)\nNumber of variables (n) : 2\nNumber of equations (m) : 2\n***\n{lines}"
        )
    };
    let lines = [
        // A coefficient of a third variable, of another field, and a file that ends within a line.
        ("1 0 1 1 0 1 1 ;\n", "a.anf:5:13"),
        ("1 0 1 1 0 1 ;\n0 2 1 1 0 1 ;\n", "a.anf:6:3"),
        ("1 0 1 1 0 1 ;\n0 1 1", "a.anf:6:6"),
    ];
    let cases = cases.into_iter().map(|(text, place)| (text.to_owned(), place));
    for (text, place) in cases.chain(lines.map(|(lines, place)| (challenge(lines), place))) {
        folder.write("a.anf", text);
        let message = folder.fail("solve a.anf", 3);
        assert!(message.contains(place), "{message}");
    }
    folder.write("a.anf", SYSTEM);
    folder.write("answer.txt", "x1=0 x2=1 x4=1\n");
    assert!(folder.fail("check solve a.anf --result answer.txt", 3).contains("answer.txt:1:11"));
    folder.write("a.anf", SYSTEM);
    for options in [
        "--fix x9=1",
        "--fix x1=2",
        "--fix x1",
        "--method sat",
        "--time-limit soon",
        "--all --count",
        "--method exhaustive --degree 3",
    ] {
        folder.fail(&format!("solve a.anf {options}"), 2);
    }
    folder.fail("solve nothing.anf", 6);
}

/// The report of a run with `--verify`, which ends with `code`.
pub fn verified(folder: &Folder, arguments: &str, code: i32) -> serde_json::Value {
    let output = folder.command(&format!("{arguments} --verify --json")).assert().code(code);
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

#[test]
fn verified_says_what_was_verified() {
    let folder = Folder::new();
    folder.run("gen boolean --variables 14 --equations 28 --seed 3 --planted -o some.anf");
    folder.run("gen boolean --variables 12 --equations 40 --seed 5 -o none.anf");
    let cases =
        [("exhaustive", "planted solutions"), ("crossbred", "planted solutions"), ("xl", "at most 2^-")];
    for (method, how) in cases {
        let questions =
            [("some.anf --all", 0), ("some.anf --count", 0), ("none.anf", 7), ("none.anf --count", 0)];
        for (question, code) in questions {
            let report = verified(&folder, &format!("solve {question} --method {method}"), code);
            assert_eq!(report["verified"], true, "{question} {method}");
            let guarantee = report["guarantee"].as_str().unwrap();
            assert!(guarantee.starts_with("no solution is missing;"), "{guarantee}");
            assert!(guarantee.contains(how), "{method}: {guarantee}");
        }
    }
    // What the simplification decides is computed again.
    folder.write("linear.anf", "x1 + x2\nx2 + x3 + 1\n");
    let report = verified(&folder, "solve linear.anf --count", 0);
    assert_eq!((&report["verified"], &report["solutions"]), (&true.into(), &"2".into()));
    assert!(report["guarantee"].as_str().unwrap().contains("all values of 3 variables"));
    // One solution is evaluated; that there are no others is not claimed.
    let report = verified(&folder, "solve some.anf", 0);
    assert!(report["guarantee"].as_str().unwrap().starts_with("every assignment solves all equations"));
    // A certificate is checked.
    folder.write("no.anf", "x1*x2 + 1\nx1\n");
    let report = verified(&folder, "solve no.anf --certificate c.txt", 7);
    assert!(report["guarantee"].as_str().unwrap().contains("the products sum to 1"));
}

#[test]
fn counts_and_absences_are_checked() {
    let folder = Folder::new();
    folder.write("a.anf", SYSTEM);
    folder.run("check solve a.anf --count 2");
    assert!(folder.fail("check solve a.anf --count 3", 1).contains("2 solutions, not 3"));
    folder.fail("check solve a.anf --unsatisfiable", 1);
    folder.write("no.anf", "x1*x2 + 1\nx1\n");
    folder.run("check solve no.anf --unsatisfiable");
    folder.command("solve no.anf --certificate c.txt").assert().code(7);
    folder.run("check solve no.anf --unsatisfiable --certificate c.txt");
    folder.fail("check solve a.anf --unsatisfiable --certificate c.txt", 1);
    for options in [
        "",
        "--count x",
        "--count 2 --unsatisfiable",
        "--certificate c.txt",
        "--count 2 --result c.txt",
        "--result list.txt --time-limit 9",
        "--unsatisfiable --certificate c.txt --time-limit 9",
    ] {
        folder.fail(&format!("check solve a.anf {options}"), 2);
    }
    folder.write("list.txt", "x1=0 x2=1 x3=1\n");
    folder.fail("check solve a.anf --unsatisfiable --certificate list.txt", 3);
    // Too many assignments to evaluate: the number comes from a second simplification and a search.
    folder.run("gen boolean --variables 30 --equations 30 --seed 1 -o b.anf");
    let count = folder.run("solve b.anf --count");
    folder.run(&format!("check solve b.anf --count {count}"));
    let text: String = (1..200).map(|i| format!("x{i} + x{}\n", i + 1)).collect();
    folder.write("long.anf", text + "x300*x301 + x302\n");
    folder.run("check solve long.anf --count 8");
    folder.run("gen boolean --variables 40 --equations 40 --seed 1 -o long.anf");
    folder.fail("check solve long.anf --count 1 --time-limit 0", 8);
}

#[test]
fn systems_with_empty_parts() {
    let folder = Folder::new();
    // Equations, the number of solutions, the first of all.
    let cases = [
        ("x1 + x1\n", "2", "x1=0"),
        ("0\n", "1", ""),
        ("1\n", "0", ""),
        ("x1\nx1 + 1\n", "0", ""),
        ("x1 + 1\n", "1", "x1=1"),
        ("x1*x2\n", "3", "x1=0 x2=0"),
        ("x1*x2\n0\n", "3", "x1=0 x2=0"),
        ("x1*x2\n1\n", "0", ""),
    ];
    for device in ["cpu", "gpu"] {
        for (text, count, first) in cases {
            folder.write("a.anf", text);
            let report = verified(&folder, &format!("solve a.anf --count --device {device}"), 0);
            let what = format!("{text:?} on {device}");
            assert_eq!((&report["solutions"], &report["verified"]), (&count.into(), &true.into()), "{what}");
            let code = if count == "0" { 7 } else { 0 };
            for question in ["", "--all"] {
                let mut output =
                    folder.command(&format!("solve a.anf {question} --verify --device {device}"));
                let stdout = output.assert().code(code).get_output().stdout.clone();
                let stdout = String::from_utf8(stdout).unwrap();
                assert_eq!(stdout.lines().next().unwrap_or(""), first, "{what} {question}");
            }
        }
    }
}
