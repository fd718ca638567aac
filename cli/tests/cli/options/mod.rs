//! Every option that the help of a verb shows changes the run or the report.
//!
//! The tests walk the help of all verbs. For each pair of a verb and an option, a row says how its effect is seen; a pair
//! without one fails. Options that a verb lacks are not in its help, and are refused.

mod table;

use crate::common::Folder;
use std::collections::{BTreeMap, BTreeSet};
use table::{COMMON, ELSEWHERE, OWN, PLAIN, RUNS, SEEN_IN};

/// The files that runs read.
fn files() -> Folder {
    let folder = Folder::new();
    for (name, text) in [
        ("a", "1 2 3 4"),
        ("b", "5 6 7 8"),
        ("big", "17 20 3 4"),
        ("i", "123456"),
        ("j", "789"),
        ("m", "110\n011\n101\n"),
        ("n", "111\n011\n001\n"),
        ("v", "1\n0\n1\n"),
        ("e", "3 1\n2 0\n"),
        ("r", "3 2\n1 0\n4 3\n"),
        ("unsorted.lists", "0 1\n0\n"),
        ("two.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3\n2 2 1\n"),
        ("q", "x1*x2 + x3\nx1 + x2 + 1\n"),
        ("p", "x1*x2 + x3*x4 + 1\nx1*x3 + x2 + x4\nx2*x3 + x1*x4 + x1\n"),
        ("none", "x1*x2 + 1\nx1*x2\n"),
    ] {
        folder.write(name, text);
    }
    std::fs::create_dir(folder.path("right")).unwrap();
    folder.run("gen msm --count 3 -o set");
    folder.run("gen groth16 --constraints 3 -o keys");
    folder.run("groth16 prove keys/circuit.zkey keys/witness.wtns --proof right/proof.json --public right/public.json");
    for run in RUNS.iter().filter_map(|run| run.strip_prefix("check ")) {
        let (run, result) = run.split_once(" --result ").unwrap();
        if result.starts_with("right/") {
            folder.run(&format!("{run} -o {result}"));
        }
    }
    folder.run("polymul big b --prime 17 --wrap -o right/wrapped");
    folder
}

/// What a run leaves: its exit code, its outputs, and its files. Times and proofs differ every time, and are left out.
#[derive(Debug, PartialEq)]
struct Outcome {
    code: Option<i32>,
    stdout: String,
    stderr: String,
    files: BTreeMap<String, Vec<u8>>,
}

fn outcome(folder: &Folder, arguments: &str) -> Outcome {
    std::fs::create_dir_all(folder.path("new")).unwrap();
    let output = folder.command(arguments).output().unwrap();
    let mut stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if let Ok(serde_json::Value::Object(mut report)) = serde_json::from_str(&stdout) {
        for times in ["seconds", "steps", "kernels", "search_seconds", "speeds", "proving"] {
            report.remove(times);
        }
        // What others leave of the memory differs from call to call.
        for adapter in report.get_mut("adapters").and_then(|all| all.as_array_mut()).into_iter().flatten() {
            adapter["memory"]["budget"] = 0.into();
        }
        stdout = serde_json::Value::Object(report).to_string();
    }
    stdout = stdout.lines().filter(|line| !line.contains("memory for plans")).collect::<Vec<_>>().join("\n");
    let mut files = BTreeMap::new();
    for name in ["new", "output", "trace", "pivots", "public.json"] {
        let path = folder.path(name);
        if path.is_dir() {
            for entry in std::fs::read_dir(&path).unwrap().flatten() {
                let name = format!("{name}/{}", entry.file_name().to_string_lossy());
                let bytes = std::fs::read(entry.path()).unwrap();
                files.insert(name.clone(), if name.ends_with("p.json") { Vec::new() } else { bytes });
            }
            std::fs::remove_dir_all(path).unwrap();
        } else if let Ok(bytes) = std::fs::read(&path) {
            files.insert(name.to_owned(), if name == "trace" { Vec::new() } else { bytes });
            std::fs::remove_file(path).unwrap();
        }
    }
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Outcome { code: output.status.code(), stdout, stderr, files }
}

/// The verbs that do something, each with the options of its help.
fn declared(folder: &Folder, verb: &str, into: &mut Vec<(String, BTreeSet<String>)>) {
    let help = folder.run(&format!("{verb} --help"));
    let operations = help.split_once("\nCommands:\n").map_or("", |(_, rest)| rest);
    let operations = operations.lines().take_while(|line| line.is_empty() || line.starts_with("  "));
    let operations: Vec<&str> = operations
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    if operations.is_empty() {
        // Longer indents are those of descriptions.
        let indent = |line: &&str| line.len() - line.trim_start().len();
        let lines = help.lines().filter(|line| (1..=6).contains(&indent(line)));
        let lines = lines.map(str::trim_start).filter(|line| line.starts_with('-'));
        let name = |line: &str| {
            let word = line.split_whitespace().find(|word| word.starts_with("--"))?;
            Some(word.trim_start_matches("--").trim_end_matches(',').trim_end_matches("...").to_owned())
        };
        into.push((verb.trim().to_owned(), lines.filter_map(name).collect()));
    }
    for operation in operations {
        declared(folder, format!("{verb} {operation}").trim(), into);
    }
}

/// The run of a verb in [`RUNS`].
fn run_of(verb: &str) -> &'static str {
    RUNS.iter().find(|run| is_or_begins(run, verb)).unwrap_or_else(|| panic!("{verb} has no run"))
}

/// True if the verb is this one, or an operation of it.
fn is_or_begins(verb: &str, other: &str) -> bool {
    verb.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// A run without an option and its value.
fn without(run: &str, option: &str) -> Option<String> {
    let words: Vec<&str> = run.split(' ').collect();
    let place = words.iter().position(|word| *word == option)?;
    Some([&words[..place], &words[place + 2..]].concat().join(" "))
}

/// The long name of an option.
fn name(option: &str) -> &str {
    let first = option.split(' ').next().unwrap_or_default();
    if first == "-o" { "output" } else { first.trim_start_matches("--") }
}

#[test]
fn every_option_changes_the_run_or_is_refused() {
    let folder = files();
    let mut verbs = Vec::new();
    declared(&folder, "", &mut verbs);
    assert!(verbs.len() > 40, "{verbs:?}");
    let mut faults = Vec::new();
    for (verb, options) in &verbs {
        if let Some((_, tests)) = ELSEWHERE.iter().find(|(other, _)| is_or_begins(verb, other)) {
            let texts: String = tests.iter().map(|test| test_text(test)).collect();
            let elsewhere =
                |option: &str| SEEN_IN.iter().any(|(verb, name, _)| *verb == "*" && *name == option);
            let own = options.iter().filter(|option| !COMMON.iter().any(|common| name(common) == *option));
            let own = own.filter(|option| !elsewhere(option));
            let lacking = own.filter(|option| !PLAIN.contains(&option.as_str()) && !is_named(&texts, option));
            faults.extend(lacking.map(|option| format!("{verb} --{option}: no test names it")));
            continue;
        }
        let run = run_of(verb);
        let plain = outcome(&folder, run);
        assert_eq!(plain, outcome(&folder, run), "{run}: not the same twice");
        assert_eq!(plain.code, Some(0), "{run}: {plain:?}");
        for option in options.iter().filter(|option| !PLAIN.contains(&option.as_str())) {
            let short = if option == "output" { "-o".to_owned() } else { format!("--{option}") };
            if let Some(rest) = without(run, &short) {
                if outcome(&folder, &rest) == plain {
                    faults.push(format!("{run}: {short} changes nothing"));
                }
                continue;
            }
            let common = COMMON.iter().filter(|row| name(row) == option).map(|row| ("", *row));
            let is_of = |verbs: &str| verbs.split(',').any(|one| one == verb);
            let own = OWN.iter().filter(|(verbs, _, row)| is_of(verbs) && name(row) == option);
            let rows: Vec<_> = common.chain(own.map(|(_, run, row)| (*run, *row))).collect();
            let seen = SEEN_IN.iter().find(|(one, name, _)| (one == verb || *one == "*") && name == option);
            match (&rows[..], seen) {
                ([], None) => faults.push(format!("{verb} --{option}: no row says how its effect is seen")),
                ([], Some((_, _, test))) if !test_text(test).contains(&format!("--{option}")) => {
                    faults.push(format!("{verb} --{option}: {test} does not name it"));
                }
                _ => (),
            }
            for (begin, row) in rows {
                let begin = match begin {
                    "" => run.to_owned(),
                    "JSON" => format!("{run} --json"),
                    other => other.replace("VERB", verb),
                };
                let (plain, with) = (outcome(&folder, &begin), outcome(&folder, &format!("{begin} {row}")));
                if with == plain || with.code == Some(2) {
                    faults.push(format!("{begin} {row}: {} and {}", summary(&plain), summary(&with)));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} pairs:\n{}", faults.len(), faults.join("\n"));
}

fn summary(outcome: &Outcome) -> String {
    format!("{:?} {:.80} {:.160}", outcome.code, outcome.stdout, outcome.stderr)
}

/// True if a command line in a text has the option.
fn is_named(text: &str, option: &str) -> bool {
    [' ', '"'].iter().any(|end| text.contains(&format!("--{option}{end}")))
}

/// The text of a test file.
fn test_text(file: &str) -> String {
    std::fs::read_to_string(crate::common::repository(&format!("cli/tests/cli/{file}"))).unwrap()
}

#[test]
fn options_that_a_verb_lacks_are_refused() {
    let folder = files();
    let mut verbs = Vec::new();
    declared(&folder, "", &mut verbs);
    for (verb, options) in &verbs {
        if ELSEWHERE.iter().any(|(other, _)| is_or_begins(verb, other)) {
            continue;
        }
        let run = run_of(verb);
        for row in COMMON.iter().chain(&["--keep-going"]).filter(|row| !options.contains(name(row))) {
            let refused = folder.command(&format!("{run} {row}")).assert().code(2).get_output().clone();
            let refused = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert!(refused.contains(&format!("has no option --{}", name(row))), "{run} {row}: {refused}");
        }
    }
}

#[test]
fn options_of_other_work_are_refused() {
    let folder = files();
    for refused in [
        "groth16 prove keys/circuit.zkey --warm --proof p",
        "groth16 prove keys/circuit.zkey --warm --no-check",
        "eliminate --eliminators e --rows r --full",
        "bench gf2 --sizes 4 --sort",
        "bench gf2 --sizes 4 --columns 9",
        "bench gf2 --sizes 4 --method blocked",
        "bench gf2 --case right --sizes 4",
        "bench gf2 --case right --kind random",
        "bench gf2 --table --kind random",
        "bench published msm --limit 3",
        "bench published ntt --threads 3",
        "bench published profiles --plot new",
        "msm --points set/points.bin --points-format pairs --scalars-format text",
        "gf2 rank m --threads 2 --device gpu",
        "gf2 rank m --simd scalar --device gpu",
    ] {
        folder.fail(refused, 2);
    }
}

#[test]
fn options_of_benchmarks_show_in_their_rows() {
    let folder = files();
    std::fs::create_dir(folder.path("case")).unwrap();
    folder.write("case/eliminators.txt", "0 2\n1\n");
    folder.write("case/rows.txt", "2 1\n0\n");
    let rows = |arguments: &str| {
        let mut report = folder.report(&format!("bench {arguments} --samples 1"));
        for row in report["rows"].as_array_mut().unwrap() {
            // Times are no whole numbers.
            row.as_object_mut().unwrap().retain(|_, value| value.is_string() || value.is_u64());
        }
        report["rows"].to_string()
    };
    let ntt = "ntt --sizes 2^4 --device cpu";
    assert_ne!(rows(&format!("{ntt} --field bn254-fr ")), rows(ntt));
    // Lists in ascending order are sorted only if that is asked for.
    folder.fail("bench gf2 --case case --samples 1", 3);
    rows("gf2 --case case --sort --device cpu");
    folder.fail("bench gf2 --case case --sort --format npy --samples 1", 3);
    folder.fail("bench gf2 --case case --sort --columns 2 --samples 1", 3);
    assert_ne!(
        rows("gf2 --case case --sort --method blocked --device cpu"),
        rows("gf2 --case case --sort --method two-stage --device cpu")
    );
    // On a GPU, such as lavapipe.
    let msm = "msm --sizes 2^4 --curve bn254 --device gpu";
    assert_ne!(rows(&format!("{msm} --coordinates jacobian ")), rows(msm));
    let product = "gf2 --product --sizes 2^6 --device gpu";
    rows(product);
    let refused = folder.command(&format!("bench {product} --strassen 1 --samples 1")).assert().failure();
    let refused = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(refused.contains("a product of this shape cannot recurse by 1 levels"), "{refused}");
    assert!(rows("group --msm 2^4 --device 0,0").contains("bls12-381"));
}

#[test]
fn verbs_have_no_options_that_they_ignore() {
    let folder = Folder::new();
    folder.write("m", "11\n01\n");
    folder.write("r", "2\n");
    let cases = [
        ("gf2 rank", "--output-format", "npy", "m"),
        ("gf2 transpose", "--pivots", "p", "m"),
        ("gf2 transpose", "--threads", "2", "m"),
        ("check gf2 rank", "--pivots", "p", "m --result r"),
        ("check gf2 rref", "--output-format", "npy", "m --result m"),
        ("check polymul", "--output-format", "npy", "m m --prime 97 --result m"),
        ("check ntt", "--output-format", "npy", "m --prime 97 --result m"),
        ("check msm", "--compressed", "", "--points m --scalars m --result m"),
        ("check eliminate", "--grid", "64x2", "--eliminators m --rows m --result m"),
    ];
    for (verb, option, value, rest) in cases {
        for help in ["--help", "-h"] {
            let help = folder.run(&format!("{verb} {help}"));
            assert!(!help.contains(&format!("{option} ")), "{verb}:\n{help}");
        }
        let refused = folder.fail(&format!("{verb} {option} {value} {rest}"), 2);
        assert!(refused.contains(&format!("has no option {option}")), "{refused}");
        assert!(!folder.run("completions bash").is_empty());
    }
    for verb in ["gen gf2 --rows 2", "devices", "shaders --dump d", "completions bash", "bench gf2"] {
        assert!(folder.fail(&format!("{verb} --plan"), 2).contains("has no option --plan"));
    }
    // Operations on matrices have one method.
    assert!(folder.fail("gf2 rank m --method dense", 2).contains("--method"));
    // The verbs that share the arguments keep them.
    assert!(folder.run("gf2 rref --help").contains("--pivots"));
    assert!(folder.run("gf2 transpose --help").contains("--output-format"));
    assert!(folder.run("gf2 rank --help").contains("--pivots"));
}
