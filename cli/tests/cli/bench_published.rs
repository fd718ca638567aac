//! Tables beside published figures: `wgalois bench published`, `bench ntt --table`, `bench gf2 --table`.

use crate::common::{Folder, positive, rows};
use serde_json::Value;

#[test]
fn the_table_of_published_cases_has_every_row_and_all_are_right() {
    let folder = Folder::new();
    let report = folder.report("bench ntt --table --terms 4,100 --samples 2 --device gpu");
    assert_eq!(report["engine"], "gpu");
    let rows = rows(&report);
    assert_eq!(rows.len(), 2 * 3 * 16);
    for terms in [4, 100] {
        for prime in [7_340_033, 104_857_601, 469_762_049] {
            let case: Vec<_> = rows.iter().filter(|r| r["terms"] == terms && r["prime"] == prime).collect();
            for system in ["CPU, radix 2, %", "GPU, fast plan", "CPU engine"] {
                assert!(case.iter().any(|row| row["system"] == system), "{system}");
            }
            let textbook = |system: &str, workgroup: u32, twiddles: &str| {
                case.iter().any(|row| {
                    row["system"] == system && row["workgroup"] == workgroup && row["twiddles"] == twiddles
                })
            };
            for system in ["GPU, %", "GPU, Barrett", "GPU, Montgomery"] {
                assert!(textbook(system, 256, "table") && textbook(system, 256, "fly"), "{system}");
            }
            for workgroup in [1024, 512, 256, 128, 64] {
                assert!(textbook("GPU, Montgomery", workgroup, "table"), "{workgroup}");
            }
        }
    }
    for row in rows {
        assert!(row["outcome"] == "right" || row["outcome"] == "cannot-run", "{row}");
        if row["outcome"] == "right" {
            assert!(positive(&row["timing"]["call"]) && positive(&row["speedup"]), "{row}");
        }
    }
    assert!(rows.iter().filter(|row| row["outcome"] == "right").count() >= 2 * 3 * 12);
}

#[test]
fn published_tables_have_every_figure_and_charts() {
    let folder = Folder::new();
    let report = folder.report("bench published --quick --plot charts --device gpu");
    let tables = report["tables"].as_array().unwrap();
    let names: Vec<_> = tables.iter().map(|table| table["table"].as_str().unwrap()).collect();
    assert_eq!(names, ["ntt", "four-step", "small-ntt", "small-ntt", "gf2", "msm", "profiles"]);
    let outcomes = ["right", "cannot-run", "unchecked"];
    // Rows need more than this machine has only for these.
    let reasons = [
        "one vendor's GPUs",
        "instructions",
        "workgroup",
        "occupancy",
        "not counted",
        "timestamps",
        "without this curve",
    ];
    for table in tables {
        for row in table["rows"].as_array().unwrap() {
            assert!(outcomes.contains(&row["outcome"].as_str().unwrap()), "{row}");
            let why = row["why"].as_str().unwrap_or_default();
            let is_lacking = row["outcome"] == "cannot-run";
            assert!(!is_lacking || reasons.iter().any(|reason| why.contains(reason)), "{row}");
            let is_timed = table["table"] != "profiles" && row["outcome"] != "cannot-run";
            assert!(!is_timed || row["timing"].is_object(), "{row}");
        }
    }
    let rows = |name: &str| {
        let table = tables.iter().find(|table| table["table"] == name).unwrap();
        table["rows"].as_array().unwrap().clone()
    };
    // The first published line, and the last.
    assert_eq!(rows("ntt")[0]["published"][0]["printed"], "8.192");
    assert_eq!(rows("ntt")[0]["published"][1]["printed"], "1.000");
    assert_eq!(rows("four-step")[2]["published_as"], "one a block (original)");
    assert!(
        rows("profiles").last().unwrap()["system"].as_str().unwrap().starts_with("case 9, small stand-in")
    );
    // cuZK's times stand above the load-balanced method's, which has the printed ratios beside its own.
    let printed = |row: &Value| -> Vec<String> {
        let figures = row["published"].as_array().unwrap().iter();
        figures.map(|figure| figure["printed"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(printed(&rows("msm")[0]), ["115.39", "69.17", "51.18"]);
    assert_eq!(printed(&rows("msm")[1]), ["44.97", "29.89", "17.95", "2.566", "2.314", "2.85"]);
    let right = |rows: &[Value]| rows.iter().filter(|row| row["outcome"] == "right").count();
    assert!(right(&rows("ntt")) >= 4 * 15, "{report}");
    let gf2 = rows("gf2");
    assert_eq!(gf2.iter().filter(|row| row["published"].is_array()).count(), 63);
    assert!(gf2.iter().filter(|row| row["outcome"] == "right").all(|row| positive(&row["fast"])));
    let processes = gf2.iter().filter(|row| row["published_as"] == "algorithm 2 MPI + OpenMP + SIMD");
    assert!(processes.clone().count() == 3 && processes.clone().all(|row| row["outcome"] == "right"));
    let engine = processes.clone().next().unwrap()["engine"].as_str().unwrap();
    assert!(engine.contains("4 processes as threads of one"), "{engine}");
    for (chart, line) in [
        ("ntt-time.svg", "published, p = 469762049"),
        ("ntt-speedup.svg", "speed-up"),
        ("gf2-simd.svg", "here: serial algorithm 1"),
        ("gf2-threads.svg", "algorithm 2 pthread"),
        ("gf2-processes.svg", "algorithm 2 MPI"),
        ("gf2-gpu.svg", "DPC++"),
        ("msm-time.svg", "cuZK, RTX 4090"),
        ("msm-balance.svg", "imbalanced"),
    ] {
        let svg = folder.text(&format!("charts/{chart}"));
        assert!(svg.starts_with("<svg") && svg.contains(line), "{chart}: {svg}");
    }
}

#[test]
fn published_systems_of_the_cpu_run_without_a_gpu() {
    let folder = Folder::new();
    let report = folder.report("bench published gf2 --course-case 1 --samples 1 --device cpu");
    let rows = report["tables"][0]["rows"].as_array().unwrap();
    for row in rows {
        let why = row["why"].as_str().unwrap_or_default();
        let is_on_gpu = row["engine"] == "GPU";
        assert_eq!(why.contains("it needs a GPU"), is_on_gpu, "{row}");
        let is_right = row["outcome"] == "right" && positive(&row["fast"]);
        assert!(is_on_gpu || is_right || why.contains("instructions"), "{row}");
    }
    assert!(rows.iter().any(|row| row["engine"] == "GPU"));
}

#[test]
fn published_tables_are_printed_as_they_were() {
    let folder = Folder::new();
    assert!(folder.run("bench published small-ntt --quick --device gpu -o tables").is_empty());
    let text = folder.text("tables");
    assert!(text.lines().all(|line| line.chars().count() <= 122), "{text}");
    assert!(text.contains("Transforms of 64 points") && text.contains("Transpositions alone"), "{text}");
    assert!(text.contains("824.74 us") && text.contains("95.28%"), "{text}");
    assert!(text.contains("not available in WGSL") && text.contains("timed only"), "{text}");
    assert!(text.contains("small transpose 4096 v3") && text.contains("times twiddles"), "{text}");
}

#[test]
fn cases_of_the_course_run_alone() {
    let folder = Folder::new();
    let command = "bench published gf2 --course-case 1 --threads 2 --samples 1 --device gpu";
    let text = folder.run(command);
    assert!(text.contains("2 threads"), "{text}");
    assert!(text.contains("130") && text.contains("serial algorithm 2") && !text.contains("WRONG"), "{text}");
    for matrices in ["real", "stand-in"] {
        let mut run = folder.command(&format!("{command} --json"));
        match (matrices, std::env::var_os("WGALOIS_DATA")) {
            ("real", None) => continue,
            ("real", Some(data)) => run.env("WGALOIS_DATA", data),
            _ => run.env_remove("WGALOIS_DATA"),
        };
        let output = run.assert().success().get_output().clone();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = report["tables"][0]["rows"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["matrices"] == matrices && row["case"] == 1), "{report}");
    }
    folder.fail("bench published gf2 --course-case 12 --device gpu", 2);
    folder.fail("bench published --course-case 7 --device gpu", 2);
    folder.fail("bench published gf2 --sizes 2^20 --device gpu", 2);
    folder.fail("bench published gf2 --limit -1 --device gpu", 2);
    // No program is left out that a limit allows; those that it does not allow say so.
    let report = folder.report("bench published gf2 --course-case 6 --limit 0 --samples 1 --device gpu");
    let rows = report["tables"][0]["rows"].as_array().unwrap();
    let left_out: Vec<_> = rows.iter().filter(|row| row["outcome"] == "not-run").collect();
    assert!(left_out.iter().any(|row| row["system"] == "threads over the words of an addition"), "{report}");
    assert!(left_out.iter().all(|row| row["why"].as_str().unwrap().contains("measured on")), "{report}");
    assert!(left_out.iter().any(|row| row["system"].as_str().unwrap().starts_with("CUDA form")), "{report}");
    assert!(left_out.iter().all(|row| positive(&row["estimate"])), "{report}");
    assert!(rows.iter().any(|row| row["system"] == "two-stage" && row["outcome"] == "right"), "{report}");
}

#[test]
fn the_table_of_eliminations_has_every_program() {
    let folder = Folder::new();
    folder.write("eliminators.txt", "5 2 \n3 1 \n");
    folder.write("rows.txt", "5 3 \n4 0 \n4 1 \n5 2 \n");
    folder.write("expected.txt", "2 1 \n4 0 \n1 0 \n\n");
    let report = folder.report("bench gf2 --table --case . --samples 1 --threads 2 --device gpu");
    let found = rows(&report);
    for system in [
        "serial algorithm 1",
        "serial algorithm 2",
        "algorithm 1, SIMD",
        "threads over the words of an addition",
        "threads over rows",
        "threads over rows, static blocks",
        "threads over rows, dynamic chunks",
        "CUDA form: a thread a row, promotion on the host",
        "CUDA form, 256 threads x 32 blocks",
        "CUDA form, 10 threads x 1024 blocks",
        "blocked",
        "two-stage",
    ] {
        let mut of_system = found.iter().filter(|row| row["system"] == system);
        assert!(of_system.any(|row| row["outcome"] == "right"), "{system}: {report}");
    }
    // A wrong expected result is told of every program whose result it should be.
    folder.write("expected.txt", "2 0 \n4 0 \n1 0 \n\n");
    folder.command("bench gf2 --table --case . --samples 1 --device gpu").assert().code(1);
}
