//! `wgalois bench ntt` and the textbook kernels on the command line, on any adapter that is present,
//! such as lavapipe (Debian's mesa-vulkan-drivers).

mod cli_common;

use cli_common::{Folder, numbers};
use serde_json::Value;

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().unwrap()
}

fn positive(value: &Value) -> bool {
    value.as_f64().is_some_and(|number| number > 0.0)
}

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
fn one_gpu_is_compared_with_two() {
    let folder = Folder::new();
    let report = folder.report("bench group --device 0,0 --samples 1 --ntt 2^6 --batch 3 --rank 2^9");
    let rows = rows(&report);
    assert_eq!(rows.len(), 2 + 4);
    for (place, row) in rows.iter().enumerate() {
        assert_eq!(row["system"], ["1 GPU", "2 GPUs"][place % 2], "{row}");
        assert!(row["outcome"] == "right" && positive(&row["timing"]["call"]), "{row}");
        assert_eq!(positive(&row["speedup"]), place % 2 == 1, "{row}");
    }
    let fault = folder.fail("bench group --device cpu", 2);
    assert!(fault.contains("--device all"), "{fault}");
}

#[test]
fn rows_that_a_device_cannot_do_say_so() {
    let folder = Folder::new();
    let command = "bench ntt --table --terms 3 --prime 97 --samples 1 --default-limits --device gpu";
    let report = folder.report(command);
    let cannot: Vec<_> = rows(&report).iter().filter(|row| row["outcome"] == "cannot-run").collect();
    assert_eq!(cannot.iter().map(|row| &row["workgroup"]).collect::<Vec<_>>(), [1024, 512]);
    assert!(cannot.iter().all(|row| row["why"].as_str().unwrap().contains("256")));
    let table = folder.run(command);
    assert!(
        table.contains("cannot run here: 1024 threads a workgroup") && table.contains("speed-up"),
        "{table}"
    );

    let report =
        folder.report("bench ntt --four-step --sizes 2^13 --samples 1 --default-limits --device gpu");
    let cannot: Vec<_> = rows(&report).iter().filter(|row| row["outcome"] == "cannot-run").collect();
    assert_eq!(cannot.len(), 2);
    assert!(cannot.iter().all(|row| row["log_base"] == 12 && row["padded"] == true));
    assert!(cannot.iter().all(|row| row["why"].as_str().unwrap().contains("16384")));
}

#[test]
fn the_four_step_table_has_every_form() {
    let folder = Folder::new();
    let command = "bench ntt --four-step --sizes 2^8,2^13 --prime 7340033 --samples 1 --device gpu";
    let report = folder.report(command);
    let rows = rows(&report);
    assert_eq!(rows.len(), 2 * 24);
    for row in rows {
        assert!(row["outcome"] == "right" || row["outcome"] == "cannot-run", "{row}");
        if row["outcome"] == "right" {
            let steps = row["timing"]["steps"].as_object().unwrap();
            assert!(steps.contains_key("transforms 1") && steps.values().all(positive), "{row}");
            assert!(positive(&row["fast"]) && positive(&row["timing"]["copy"]), "{row}");
        }
    }
    let table = folder.run(command);
    for word in ["apart", "merged", "4096", "right", "2^13"] {
        assert!(table.contains(word), "{word}: {table}");
    }
}

#[test]
fn device_times_of_transforms_and_products() {
    let folder = Folder::new();
    for (options, work, count) in [
        ("--sizes 2^4..2^6", "to-bit-reversed", 3),
        ("--sizes 2^10,2^13 --order natural --batch 3 --prime 469762049", "to-natural", 2),
        ("--sizes 64 --product --portable", "product", 1),
    ] {
        let report = folder.report(&format!("bench ntt {options} --samples 2 --device gpu"));
        assert_eq!(rows(&report).len(), count, "{options}");
        for row in rows(&report) {
            assert_eq!(row["work"], work);
            assert!(positive(&row["timing"]["device"]) && positive(&row["timing"]["copy"]), "{row}");
            assert!(!options.contains("portable") || row["int64"] == false);
        }
        assert!(report["dispatches"]["copy"].as_u64().unwrap() > 0);
    }
    let table = folder.run("bench ntt --sizes 2^5 --samples 1 --device gpu");
    assert!(table.contains("2^5") && table.contains("copies") && table.contains("2013265921"), "{table}");
}

#[test]
fn times_can_be_drawn() {
    let folder = Folder::new();
    for (arguments, names) in [
        ("ntt --sizes 2^5..2^7", &["GPU", "CPU engine", "one copy on the GPU"][..]),
        (
            "gf2 --sizes 2^8,2^9 --kind random,permutation",
            &["GPU, random", "CPU engine, permutation", "one copy"],
        ),
        (
            "msm --sizes 2^5,2^6 --curve bn254 --window 4,5",
            &["GPU, c 4", "GPU, c 5", "CPU engine", "one copy"],
        ),
        (
            "msm --sizes 2^5 --curve bn254 --accumulators registers,workgroup --addends 2 --reduction \
             layers:8,prefix-sums",
            &["GPU, registers, layers:8", "GPU, workgroup, prefix-sums"],
        ),
        ("msm --sizes 2^5 --curve bn254 --balance buckets,each", &["GPU, imbalanced", "one thread a bucket"]),
    ] {
        folder.run(&format!("bench {arguments} --samples 1 --plot times.svg --device gpu"));
        folder.write("x", "1 2 3 4");
        let svg = folder.text("times.svg");
        assert!(svg.starts_with("<svg"), "{arguments}: {svg}");
        let device =
            folder.report("ntt x --prime 17 --device gpu -o y")["device"].as_str().unwrap().to_owned();
        assert!(arguments.contains("msm") || svg.contains(&device), "{arguments}: {svg}");
        for name in names {
            assert!(svg.contains(name), "{arguments}: no {name} in {svg}");
        }
    }
}

#[test]
fn what_cannot_be_measured_is_refused_before_any_work() {
    let folder = Folder::new();
    for (arguments, code) in [
        ("bench ntt --device cpu", 2),
        ("bench ntt --table --device cpu", 2),
        ("bench ntt --table --four-step --device gpu", 2),
        ("bench ntt --terms 4 --device gpu", 2),
        ("bench ntt --sizes 2^5..2^4 --device gpu", 2),
        ("bench ntt --product --batch 2 --device gpu", 2),
        ("bench ntt --samples 0 --device gpu", 2),
        ("bench ntt --prime 15 --device gpu", 3),
        ("bench ntt --sizes 2^28 --device gpu", 3),
        ("bench ntt --sizes 2^20 --batch 4000000000 --device gpu", 3),
        ("bench ntt --four-step --sizes 2^21 --prime 7340033 --device gpu", 3),
        ("bench ntt --table --terms 0 --device gpu", 3),
        ("bench ntt --table --terms 1000000000000 --device gpu", 3),
        ("bench ntt --device no-such-device", 4),
        ("bench ntt --sizes 2^4 --plot no/such/folder/x.svg --device gpu", 6),
        ("bench gf2 --sizes 2^8 --plot no/such/folder/x.svg --device gpu", 6),
        ("bench msm --sizes 2^4 --plot no/such/folder/x.svg --device gpu", 6),
        ("bench gf2 --case . --plot x.svg --device gpu", 2),
        ("bench msm --table --plot x.svg --device gpu", 2),
        ("bench msm --table --reduction prefix-sums --device gpu", 2),
        ("bench msm --reduction layers:3 --device gpu", 2),
        ("bench msm --addends 3 --device gpu", 2),
        ("bench msm --addends 2 --balance each --sizes 2^4 --curve bn254 --device gpu", 2),
    ] {
        folder.fail(arguments, code);
    }
}

const KERNELS: [&str; 8] = [
    "",
    "--reduction montgomery --workgroup 64",
    "--reduction barrett --workgroup 128",
    "--reduction shoup --workgroup 512",
    "--reduction plain",
    "--reduction montgomery --twiddles fly",
    "--reduction barrett --twiddles fly --workgroup 1024",
    "--reduction plain --twiddles fly",
];

#[test]
fn textbook_kernels_multiply_and_transform() {
    let folder = Folder::new();
    folder.write("a", "1 2 3 4 5 6 7 8");
    folder.write("b", "96 95 94");
    let expected = folder.run("polymul a b --prime 97");
    let cyclic = folder.run("polymul a b --prime 97 --negacyclic 8");
    let values = folder.run("ntt a --prime 97 --batch 2");
    for kernels in KERNELS {
        let gpu = format!("--prime 97 --textbook {kernels} --verify --device gpu");
        assert_eq!(folder.run(&format!("polymul a b {gpu}")), expected, "{kernels}");
        assert_eq!(folder.run(&format!("polymul a b --negacyclic 8 {gpu}")), cyclic, "{kernels}");
        assert_eq!(folder.run(&format!("ntt a --batch 2 {gpu}")), values, "{kernels}");
        folder.write("values", &values);
        let back = folder.run(&format!("ntt values --inverse --batch 2 {gpu}"));
        assert_eq!(numbers::<u32>(&back), [1, 2, 3, 4, 5, 6, 7, 8], "{kernels}");
        let report = folder.report(&format!("polymul a b -o c {gpu}"));
        assert_eq!(report["engine"], "gpu");
        assert!(report["dispatches"]["stage 0"].as_u64().unwrap() >= 3, "{report}");
    }
}

#[test]
fn what_textbook_kernels_cannot_do_is_refused() {
    let folder = Folder::new();
    folder.write("a", "1 2 3 4");
    for (arguments, code) in [
        ("polymul a a --textbook --device gpu", 2),
        ("polymul a a --prime 97 --textbook --device cpu", 2),
        ("polymul a a --prime 97 --workgroup 64 --device gpu", 2),
        ("polymul a a --prime 97 --textbook --workgroup 100 --device gpu", 2),
        ("polymul a a --prime 97 --textbook --reduction shoup --twiddles fly --device gpu", 2),
        ("ntt a --prime 97 --textbook --negacyclic --device gpu", 2),
        ("ntt a --prime 97 --textbook --coset 5 --device gpu", 2),
    ] {
        let message = folder.fail(arguments, code);
        assert!(message.contains("error"), "{arguments}: {message}");
    }
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

#[test]
fn kernels_have_their_times_in_every_report() {
    let folder = Folder::new();
    folder.write("x", "1 2 3 4");
    let report = folder.report("ntt x --prime 17 --device gpu -o y");
    let kernels = report["kernels"].as_object().unwrap();
    let counted: u64 = kernels.values().map(|kernel| kernel["dispatches"].as_u64().unwrap()).sum();
    let dispatched: u64 =
        report["dispatches"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert!(counted == dispatched && counted > 0, "{report}");
    assert!(
        kernels.values().all(|kernel| kernel["seconds"].is_null() || kernel["seconds"].as_f64() > Some(0.0))
    );
    // A table names a software driver.
    let table = folder.run("bench ntt --sizes 2^5 --samples 1 --device gpu");
    let device = report["device"].as_str().unwrap();
    assert_eq!(
        table.contains(&format!("computed by {device}")),
        device.contains("a software driver"),
        "{table}"
    );
}
