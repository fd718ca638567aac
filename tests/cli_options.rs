//! Every option that the help of a verb shows changes the run or the report.
//!
//! The tests walk the help of all verbs. For each pair of a verb and an option, a row says how its effect is seen; a pair
//! without one fails. Options that a verb lacks are not in its help, and are refused.

mod cli_common;

use cli_common::Folder;
use std::collections::{BTreeMap, BTreeSet};

/// Options whose meaning is plain wherever they stand: they choose among messages, and end the run.
const PLAIN: &[&str] = &["quiet", "verbose", "help", "version"];

/// A run of every verb, on small files. What it writes is the same every time.
const RUNS: &[&str] = &[
    "polymul a b --prime 17",
    "intmul i j",
    "ntt a --prime 17",
    "msm --points set/points.bin --scalars set/scalars.bin",
    "eliminate --eliminators e --rows r",
    "gf2 rank m",
    "gf2 echelon m",
    "gf2 rref m",
    "gf2 solve n v",
    "gf2 kernel m",
    "gf2 inverse n",
    "gf2 mul n v",
    "gf2 transpose n",
    "solve q",
    "groth16 prove keys/circuit.zkey keys/witness.wtns --proof new/p.json --public new/public.json",
    "groth16 verify keys/verification_key.json right/public.json right/proof.json",
    "groth16 info keys/circuit.zkey",
    "gen poly --terms 3 --prime 17",
    "gen msm --count 3 -o new",
    "gen gf2 --rows 3",
    "gen eliminate --columns 90 --eliminators 30 --rows 20 -o new",
    "gen boolean --variables 3 --equations 3",
    "gen groth16 --constraints 3 -o new",
    "check polymul a b --prime 17 --result right/polymul",
    "check intmul i j --result right/intmul",
    "check ntt a --prime 17 --result right/ntt",
    "check msm --points set/points.bin --scalars set/scalars.bin --result set/sum.txt",
    "check eliminate --eliminators e --rows r --result right/eliminate",
    "check gf2 rank m --result right/rank",
    "check gf2 echelon m --result right/echelon",
    "check gf2 rref m --result right/rref",
    "check gf2 solve n v --result right/solve",
    "check gf2 kernel m --result right/kernel",
    "check gf2 inverse n --result right/inverse",
    "check gf2 mul n v --result right/mul",
    "check gf2 transpose n --result right/transpose",
    "check solve q --result right/solution",
    "devices",
    "shaders --dump new --kernel ntt/columns",
    "completions bash",
    "formats",
    "man",
];

/// Verbs that take long, or need a GPU: other tests look at all of their options.
const ELSEWHERE: &[(&str, &[&str])] = &[
    ("bench", &["cli_bench.rs", "cli_bench_published.rs", "cli_plots.rs", "cli_msm.rs", "cli_options.rs"]),
    ("kzg", &["cli_groth16.rs", "cli_outputs.rs"]),
];

/// Options of every verb, with what follows them, and how a run that has them differs.
const COMMON: &[&str] =
    &["--device 99", "--memory 1", "--verify", "--plan", "--json", "--trace trace", "--profile", "-o output"];

/// Verbs, the beginning of their run if it is not that of [`RUNS`], and an option with its value.
const OWN: &[(&str, &str, &str)] = &[
    ("polymul", "", "--cyclic 4"),
    ("polymul", "", "--negacyclic 4"),
    ("polymul", "polymul big b --prime 17", "--wrap"),
    ("polymul", "", "--format raw"),
    ("polymul", "", "--output-format npy"),
    ("intmul", "", "--format hex"),
    ("ntt", "", "--inverse"),
    ("ntt", "", "--coset 3"),
    ("ntt", "", "--negacyclic"),
    ("ntt", "", "--batch 2"),
    ("ntt", "", "--input-order bitrev"),
    ("ntt", "", "--output-order bitrev"),
    ("ntt", "ntt big --prime 17", "--wrap"),
    ("ntt", "ntt big --field bn254-fr", "--scalars-format text"),
    ("ntt", "ntt a --field bn254-fr --scalars-format text", "--output-scalars-format hex"),
    ("ntt", "", "--format raw"),
    ("ntt", "", "--output-format npy"),
    ("polymul,ntt", "", "--reduction shoup"),
    ("msm,check msm", "", "--curve bn254"),
    ("msm,check msm", "", "--points-format ark"),
    ("msm,check msm", "", "--scalars-format ark"),
    ("msm", "", "--compressed"),
    ("eliminate", "JSON", "--method two-stage"),
    ("eliminate", "eliminate --eliminators e --rows r --method rounds --json", "--schedule static"),
    ("eliminate,gf2 rank,gf2 echelon,gf2 rref,gf2 kernel,gf2 inverse", "JSON", "--threads 1"),
    (
        "gf2 solve,gf2 mul,check gf2 rank,check gf2 echelon,check gf2 rref,check gf2 kernel",
        "JSON",
        "--threads 1",
    ),
    (
        "eliminate,gf2 rank,gf2 echelon,gf2 rref,gf2 kernel,gf2 inverse,gf2 solve,gf2 mul",
        "JSON",
        "--simd scalar",
    ),
    ("check gf2 rank,check gf2 echelon,check gf2 rref,check gf2 kernel", "JSON", "--simd scalar"),
    ("eliminate,check eliminate", "", "--format text"),
    (
        "gf2 rank,gf2 echelon,gf2 rref,gf2 kernel,gf2 inverse,gf2 solve,gf2 mul,gf2 transpose",
        "",
        "--format npy",
    ),
    ("check gf2 rank,check gf2 echelon,check gf2 rref,check gf2 kernel", "", "--format npy"),
    ("check gf2 inverse,check gf2 solve,check gf2 mul,check gf2 transpose", "", "--format npy"),
    ("eliminate,check eliminate", "JSON", "--columns 70"),
    ("gf2 rank,gf2 echelon,gf2 rref,gf2 kernel,gf2 inverse,gf2 transpose", "VERB unsorted.lists", "--sort"),
    ("gf2 rank,gf2 echelon,gf2 rref,gf2 kernel,gf2 inverse,gf2 transpose", "VERB two.mtx", "--wrap"),
    (
        "gf2 echelon,gf2 rref,gf2 kernel,gf2 inverse,gf2 solve,gf2 mul,gf2 transpose",
        "",
        "--output-format lists",
    ),
    ("gf2 rank,gf2 echelon,gf2 rref,gf2 kernel,gf2 inverse", "", "--pivots pivots"),
    ("eliminate", "", "--output-format text"),
    ("solve,check solve", "", "--format challenge"),
    ("solve", "solve p --json", "--method xl"),
    ("solve", "solve p --method xl --json", "--degree 4"),
    ("solve", "", "--all"),
    ("solve", "", "--count"),
    ("solve", "", "--fix x1=0"),
    ("check solve", "", "--fix x1=0"),
    ("solve", "solve none", "--certificate new/c"),
    ("groth16 prove", "", "--no-check --json"),
    ("gen poly", "gen poly --terms 3 --bits 5", "--signed"),
    ("gen poly,gen msm,gen gf2,gen eliminate,gen boolean,gen groth16", "", "--seed 7"),
    ("gen poly", "", "--output-format npy"),
    ("gen gf2", "", "--output-format npy"),
    ("gen gf2", "", "--columns 5"),
    ("gen gf2", "", "--density 0.01"),
    ("gen gf2", "", "--rank 1"),
    ("gen msm", "", "--curve bn254"),
    ("gen msm", "", "--distribution bits"),
    ("gen msm", "", "--compressed"),
    ("gen msm", "", "--ark"),
    ("gen msm", "", "--logarithms"),
    ("gen eliminate", "", "--promoted 0"),
    ("gen eliminate", "", "--eliminator-ones 3"),
    ("gen eliminate", "", "--row-ones 3"),
    ("gen boolean", "", "--degree 1"),
    ("gen boolean", "", "--planted"),
    ("gen boolean", "", "--format sage"),
    ("gen groth16", "", "--curve bn254"),
    ("check polymul", "", "--cyclic 2"),
    ("check polymul", "", "--negacyclic 2"),
    ("check polymul", "check polymul big b --prime 17 --result right/wrapped", "--wrap"),
    ("check polymul,check ntt", "", "--format raw"),
    ("check intmul", "", "--format hex"),
    ("check ntt", "", "--inverse"),
    ("check ntt", "", "--coset 3"),
    ("check ntt", "", "--negacyclic"),
    ("check ntt", "", "--batch 2"),
    ("check ntt", "", "--input-order bitrev"),
    ("check ntt", "", "--output-order bitrev"),
    ("check ntt", "check ntt big --prime 17 --result right/ntt", "--wrap"),
    ("shaders", "", "--target spirv"),
];

/// Pairs that other tests look at, by the file of the test: effects that small files do not show.
const SEEN_IN: &[(&str, &str, &str)] = &[
    // Files that do not fit into memory.
    ("*", "scratch", "cli_out_of_core.rs"),
    // A GPU of a group that is lost.
    ("*", "keep-going", "cli_groups.rs"),
    // Kernels of a GPU.
    ("*", "textbook", "cli_textbook.rs"),
    ("*", "workgroup", "cli_textbook.rs"),
    ("*", "twiddles", "cli_textbook.rs"),
    ("eliminate", "grid", "cli_eliminate.rs"),
    ("eliminate", "full", "cli_eliminate.rs"),
    ("check eliminate", "method", "cli_eliminate.rs"),
    ("msm", "unchecked", "cli_msm.rs"),
    ("check ntt", "scalars-format", "cli_ntt.rs"),
    ("msm", "window", "cli_msm.rs"),
    ("msm", "precompute", "cli_msm.rs"),
    ("check msm", "window", "cli_msm.rs"),
    ("check msm", "precompute", "cli_msm.rs"),
    ("check msm", "unchecked", "cli_msm.rs"),
    ("check eliminate", "full", "cli_eliminate.rs"),
    ("check eliminate", "threads", "cli_eliminate.rs"),
    ("*", "simd", "cli_gf2.rs"),
    ("*", "threads", "cli_gf2.rs"),
    ("*", "columns", "cli_formats.rs"),
    ("*", "sort", "cli_eliminate.rs"),
    ("*", "wrap", "cli_formats.rs"),
    ("solve", "time-limit", "cli_solve.rs"),
    ("solve", "checkpoint", "cli_solve.rs"),
    // A count or a certificate takes the place of the result.
    ("check solve", "count", "cli_solve.rs"),
    ("check solve", "unsatisfiable", "cli_solve.rs"),
    ("check solve", "certificate", "cli_solve.rs"),
    ("check solve", "time-limit", "cli_solve.rs"),
    ("*", "columns-of-b", "cli_gf2.rs"),
    ("groth16 prove", "unchecked", "cli_groth16.rs"),
    ("*", "allow-insecure-key", "cli_groth16.rs"),
    // The multiples of points are those of msm.
    ("groth16 prove", "precompute", "cli_msm.rs"),
    ("groth16 prove", "warm", "cli_groth16.rs"),
    ("gen groth16", "circuit", "cli_groth16.rs"),
    ("gen poly", "bits", "cli_gen.rs"),
    ("ntt", "field", "cli_ntt.rs"),
    ("check ntt", "field", "cli_ntt.rs"),
];

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
        stdout = serde_json::Value::Object(report).to_string();
    }
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
    let is_its =
        |run: &&&str| run.strip_prefix(verb).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    RUNS.iter().find(is_its).unwrap_or_else(|| panic!("{verb} has no run"))
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
        let first = verb.split(' ').next().unwrap();
        if let Some((_, tests)) = ELSEWHERE.iter().find(|(other, _)| other == &first) {
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
    std::fs::read_to_string(cli_common::repository(&format!("tests/{file}"))).unwrap()
}

#[test]
fn options_that_a_verb_lacks_are_refused() {
    let folder = files();
    let mut verbs = Vec::new();
    declared(&folder, "", &mut verbs);
    for (verb, options) in &verbs {
        if ELSEWHERE.iter().any(|(other, _)| verb.starts_with(other)) {
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
    assert!(refused.contains("1 levels do not fit this product"), "{refused}");
    assert!(rows("group --msm 2^4 --device 0,0").contains("bls12-381"));
}
