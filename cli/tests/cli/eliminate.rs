//! `wgalois eliminate`: results, methods, places of errors.

use crate::common::Folder;

const METHODS: [&str; 6] = ["auto", "bands", "rounds", "xor-threads", "blocked", "two-stage"];

fn small() -> Folder {
    let folder = Folder::new();
    folder.write("e", "5 1 \n3 0 \n");
    folder.write("r", "5 1 \n4 3 \n\n4 2 \n3 \n");
    folder
}

#[test]
fn the_result_has_a_line_a_row() {
    let folder = small();
    for method in METHODS {
        let result = folder.run(&format!("eliminate --eliminators e --rows r --method {method} --verify"));
        assert_eq!(result, "\n4 3 \n\n2 0 \n0 \n", "{method}");
    }
    let report =
        folder.report("eliminate --eliminators e --rows r --columns 10 --threads 1 --simd scalar -o out");
    assert_eq!(folder.text("out"), "\n4 3 \n\n2 0 \n0 \n");
    for (key, value) in [("columns", 10), ("eliminators", 2), ("rows", 5), ("promoted", 3), ("threads", 1)] {
        assert_eq!(report[key], value, "{key}");
    }
    assert_eq!(report["simd"], "scalar");
    for step in ["read", "parse", "upload", "eliminate", "download", "write"] {
        assert!(report["steps"][step].is_number(), "{step}");
    }
}

#[test]
fn schedules_of_rounds() {
    let folder = small();
    let system = "--eliminators e --rows r";
    for schedule in ["stealing", "static", "dynamic"] {
        let options = format!("--method rounds --threads 3 --schedule {schedule} --verify");
        assert_eq!(
            folder.run(&format!("eliminate {system} {options}")),
            "\n4 3 \n\n2 0 \n0 \n",
            "{schedule}"
        );
    }
    folder.fail(&format!("eliminate {system} --method rounds --schedule guided"), 2);
    folder.fail(&format!("eliminate {system} --method blocked --schedule static"), 2);
    folder.fail(&format!("eliminate {system} --method rounds --grid 256"), 2);
    folder.fail(&format!("eliminate {system} --method rounds --grid 256x32 --device cpu"), 2);
    let gpu = "--device gpu --method rounds --grid 10x1024 --verify";
    assert_eq!(folder.run(&format!("eliminate {system} {gpu}")), "\n4 3 \n\n2 0 \n0 \n");
}

#[test]
fn a_trace_has_a_track_for_each_thread() {
    let folder = small();
    let options = "--method rounds --threads 3 --schedule static --device cpu --trace t -o out";
    folder.run(&format!("eliminate --eliminators e --rows r {options}"));
    let trace: serde_json::Value = serde_json::from_slice(&folder.read("t")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    for thread in 0..3 {
        let name = format!("worker {thread}");
        let named = events.iter().filter(|event| event["args"]["name"] == name.as_str());
        let [track] = named.map(|event| &event["tid"]).collect::<Vec<_>>()[..] else {
            panic!("{name}: {trace}")
        };
        let works = |event: &serde_json::Value| event["ph"] == "X" && event["name"] == "rows";
        assert!(events.iter().any(|event| event["tid"] == *track && works(event)), "{name}: {trace}");
    }
    assert!(!trace.to_string().contains("worker 3"), "{trace}");
}

#[test]
fn empty_files_are_valid() {
    let folder = small();
    folder.write("none", "");
    assert_eq!(folder.run("eliminate --eliminators e --rows none"), "");
    assert_eq!(folder.run("eliminate --eliminators none --rows r"), "5 1 \n4 3 \n\n3 2 \n2 \n");
    assert_eq!(folder.run("eliminate --eliminators none --rows none"), "");
}

#[test]
fn all_methods_agree_on_a_generated_system() {
    let folder = Folder::new();
    let shape = "--columns 1500 --eliminators 1100 --rows 700 --promoted 300 --seed 3";
    folder.run(&format!("gen eliminate {shape} --eliminator-ones 30 --row-ones 60 -o s"));
    folder.run(&format!("gen eliminate {shape} --eliminator-ones 30 --row-ones 60 -o s"));
    let system = "--eliminators s/eliminators.txt --rows s/rows.txt";
    let expected = folder.run(&format!("eliminate {system} --method bands"));
    assert_eq!(expected.lines().count(), 700);
    for method in METHODS {
        let result = folder.run(&format!("eliminate {system} --method {method} --threads 2 --verify"));
        assert_eq!(result == expected, method != "rounds", "{method}");
        folder.write(method, result);
        folder.report(&format!("check eliminate {system} --method {method} --result {method}"));
    }
    // Results in another order, with a missing row, and with a changed row.
    folder.fail(&format!("check eliminate {system} --result rounds"), 1);
    folder.write("short", expected[..expected.len() - 1].rsplit_once('\n').unwrap().0);
    folder.fail(&format!("check eliminate {system} --result short"), 1);
    let blank = expected.replacen(expected.lines().find(|line| !line.is_empty()).unwrap(), "", 1);
    folder.write("blank", blank);
    folder.fail(&format!("check eliminate {system} --result blank"), 1);
}

#[test]
fn other_formats() {
    let folder = small();
    folder.write("e.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 6 4\n1 6\n1 2\n2 4\n2 1\n");
    folder.write("r.txt", "010001\n000110\n000000\n001010\n000100\n");
    let result = folder.run("eliminate --eliminators e.mtx --rows r");
    assert_eq!(result, "\n4 3 \n\n2 0 \n0 \n");
    folder.run("eliminate --eliminators e --rows r --columns 6 -o out.gf2");
    assert_eq!(folder.run("gf2 transpose out.gf2"), "00011\n00000\n00010\n01000\n01000\n00000\n");
}

#[test]
fn faults_have_their_place() {
    let folder = small();
    let fail = |eliminators: &str, rows: &str, more: &str| {
        folder.write("e2", eliminators);
        folder.write("r2", rows);
        folder.write("new", "");
        folder.fail(&format!("eliminate --eliminators e2 --rows r2 {more}"), 3)
    };
    assert!(fail("5 1 \n3 x \n", "", "").contains("e2:2:3: \"x\""));
    assert!(fail("5 1 \n3 9 \n", "", "").contains("e2:2:3: index 9 follows 3"));
    assert!(fail("5 1 \n", "2 \n4 4 \n", "").contains("r2:2:3: index 4 occurs twice"));
    assert!(fail("5 1 \n4 \n5 2 \n", "2 \n", "").contains("e2:3:1: row 2 has the lead 5, and so has row 0"));
    assert!(fail("5 1 \n", "2 \n6 \n", "--columns 6").contains("r2:2:1: index \"6\": there are 6 columns"));
    assert!(fail("5 1 \n", "1 2 2 \n", "--sort").contains("r2:1:5: index 2 occurs twice"));
    assert!(fail("5 1 \n", "1 2 \n", "--memory 3").contains("may be used"));
    folder.write("e2", "1 5 \n");
    folder.write("r2", "2 5 \n");
    assert_eq!(folder.run("eliminate --eliminators e2 --rows r2 --sort"), "2 1 \n");
    folder.fail("eliminate --eliminators e --rows none", 6);
    folder.fail("eliminate --eliminators e --rows r --method nonsense", 2);
    assert!(folder.fail("eliminate --eliminators - --rows -", 2).contains("standard input"));
}

#[test]
fn a_huge_index_takes_no_memory_of_its_size() {
    let folder = Folder::new();
    folder.write("e", "4294967295 7 \n");
    folder.write("r", "4294967295 4000000000 \n4000000000 7 \n");
    for method in METHODS {
        let result =
            folder.run(&format!("eliminate --eliminators e --rows r --method {method} --memory 1M --verify"));
        assert_eq!(result, "4000000000 7 \n\n", "{method}");
    }
}

#[test]
fn a_promoted_row_changed_within_the_span_is_refused() {
    let folder = Folder::new();
    let shape = "--columns 1500 --eliminators 900 --rows 900 --promoted 400 --seed 3";
    folder.run(&format!("gen eliminate {shape} --eliminator-ones 30 --row-ones 60 -o s"));
    let system = "--eliminators s/eliminators.txt --rows s/rows.txt";
    let report = folder.report(&format!("eliminate {system} -o right --verify"));
    assert!(report["guarantee"].as_str().unwrap().ends_with("checked in full"), "{report}");
    folder.run(&format!("check eliminate {system} --result right --full"));
    let right: Vec<Vec<u32>> = folder.text("right").lines().map(crate::common::numbers).collect();
    let promoted: Vec<usize> = (0..900).filter(|&row| !right[row].is_empty()).collect();
    for k in (0..20).map(|k| 19 * k) {
        let row = promoted[k];
        let Some(other) = promoted.iter().find(|&&other| right[other][0] < right[row][0]) else { continue };
        let mut sum: Vec<u32> = right[row].iter().filter(|c| !right[*other].contains(c)).copied().collect();
        sum.extend(right[*other].iter().filter(|c| !right[row].contains(c)));
        sum.sort_unstable_by(|a, b| b.cmp(a));
        let mut wrong = right.clone();
        wrong[row] = sum;
        let line = |row: &Vec<u32>| row.iter().map(|c| format!("{c} ")).collect::<String>() + "\n";
        folder.write("wrong", wrong.iter().map(line).collect::<String>());
        folder.fail(&format!("check eliminate {system} --result wrong"), 1);
        // The span is unchanged, which is all that rounds guarantees.
        let report = folder.report(&format!("check eliminate {system} --result wrong --method rounds"));
        assert!(report["guarantee"].as_str().unwrap().contains("2^-64"), "{report}");
    }
}

#[test]
fn the_guarantee_is_in_the_help() {
    let folder = Folder::new();
    for help in ["eliminate --help", "check eliminate --help"] {
        let help = folder.run(help).split_whitespace().collect::<Vec<_>>().join(" ");
        for words in ["Guarantee of --verify and check: ", "--full", "at most 2^-64", "512 random rows"] {
            assert!(help.contains(words), "{help}");
        }
    }
}
