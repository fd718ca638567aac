//! `wgalois bench` on the command line, on any adapter that is present, such as lavapipe (Debian's
//! mesa-vulkan-drivers).

use crate::common::{Folder, positive, rows};

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
fn calls_are_timed_on_both_engines() {
    let folder = Folder::new();
    // Many vectors at a time, which a software driver multiplies for minutes, are left out.
    let cases: [(&str, &[&str], &str); 2] = [
        ("gpu", &["GPU", "CPU engine"], "transform,resident,product,rank"),
        ("cpu", &["CPU engine"], "multiplication,sparse,small"),
    ];
    for (device, systems, works) in cases {
        let command = format!("bench calls --device {device} --work {works} --sizes 2^6 --samples 1");
        let report = folder.report(&command);
        let expected = works.split(',').flat_map(|work| systems.iter().map(move |system| (work, system)));
        assert_eq!(rows(&report).len(), expected.clone().count());
        for (row, (work, system)) in rows(&report).iter().zip(expected) {
            assert!(row["work"] == work && row["system"] == *system, "{row}");
            assert!(row["outcome"] == "right" && positive(&row["timing"]["call"]), "{row}");
            assert_eq!(row["vectors"], if work == "resident" { 256 } else { 1 }, "{row}");
        }
    }
    folder.run("bench calls --device cpu --work rank --sizes 2^6..2^7 --samples 1 --plot rank.svg");
    assert!(folder.text("rank.svg").contains("rows and columns"));
    let fault = folder.fail("bench calls --device cpu --work rank,product --plot two.svg", 2);
    assert!(fault.contains("--plot: only for one kind of call"), "{fault}");
}

#[test]
fn plans_are_compared_with_measured_times() {
    let folder = Folder::new();
    let report = folder.report("bench plans --device cpu --verbs columns,kzg --each 1 --total 5");
    let rows = rows(&report);
    let measured: Vec<_> = rows.iter().filter(|row| row["outcome"] == "right").collect();
    assert!(measured.len() >= 2, "{report}");
    for row in measured {
        let (planned, call) = (row["planned"].as_f64().unwrap(), row["timing"]["call"].as_f64().unwrap());
        let ratio = row["ratio"].as_f64().unwrap();
        assert!(planned > 0.0 && call > 0.0 && (ratio * planned / call - 1.0).abs() < 1e-9, "{row}");
        assert!(row["system"] == "CPU engine" && row.get("auto").is_none(), "{row}");
    }
    // The others are left out for their time.
    assert!(rows.iter().all(|row| row["outcome"] == "right" || row["outcome"] == "not-run"), "{report}");
    let summary = &report["summary"]["engines"][0];
    let factors = ["median", "worst"].map(|name| summary[name].as_f64().unwrap());
    assert!(1.0 <= factors[0] && factors[0] <= factors[1] && summary["failed"] == 0, "{report}");
    assert!(report["summary"]["auto"].is_null(), "{report}");
    let table = folder.run("bench plans --device cpu --verbs columns --each 1 --total 2");
    let on_gpu = folder.report("bench plans --device gpu --verbs columns --each 1 --total 5 --cold");
    let row = &on_gpu["rows"][0];
    assert!(
        positive(&row["planned_cold"]) && positive(&row["measured_cold"]) && positive(&row["planned"]),
        "{row}"
    );
    assert!(positive(&on_gpu["summary"]["engines"][0]["opening"]), "{on_gpu}");
    assert!(table.contains("planned and measured differ by a factor of"), "{table}");
    folder.fail("bench plans --device cpu --verbs no-verb", 2);
    folder.fail("bench plans --device cpu --each 0", 2);
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
        table.contains("cannot run here: threads of a workgroup 2^10") && table.contains("speed-up"),
        "{table}"
    );

    let report =
        folder.report("bench ntt --four-step --sizes 2^13 --samples 1 --default-limits --device gpu");
    let cannot: Vec<_> = rows(&report).iter().filter(|row| row["outcome"] == "cannot-run").collect();
    assert_eq!(cannot.len(), 2);
    assert!(cannot.iter().all(|row| row["log_base"] == 12 && row["padded"] == true));
    assert!(cannot.iter().all(|row| row["why"].as_str().unwrap().contains("2^14")));
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
fn what_cannot_be_measured_is_refused_before_any_work() {
    let folder = Folder::new();
    for (arguments, code) in [
        ("bench ntt --table --device cpu", 2),
        ("bench ntt --portable --sizes 2^4 --device cpu", 2),
        ("bench gf2 --table --device cpu", 2),
        ("bench msm --table --device cpu", 2),
        ("bench msm --window 4 --sizes 2^4 --curve bls12-381 --device cpu", 2),
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

/// The cells of a file of comma-separated values; those in quotes have no quotes in them.
fn cells(text: &str) -> Vec<Vec<String>> {
    let line = |line: &str| {
        let mut cells = vec![String::new()];
        let mut is_quoted = false;
        for letter in line.chars() {
            match letter {
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => cells.push(String::new()),
                letter => cells.last_mut().unwrap().push(letter),
            }
        }
        cells
    };
    text.lines().map(line).collect()
}

#[test]
fn the_cpu_engine_is_measured_with_the_same_table() {
    let folder = Folder::new();
    folder.write("eliminators.txt", "5 2 \n3 1 \n");
    folder.write("rows.txt", "5 3 \n4 0 \n4 1 \n5 2 \n");
    for (arguments, count, has_copy) in [
        ("ntt --sizes 2^4,2^7 --samples 2", 2, true),
        ("ntt --sizes 2^6 --product --samples 1", 1, true),
        ("ntt --sizes 2^5 --order natural --batch 3 --samples 1", 1, true),
        ("gf2 --sizes 2^6 --kind random,deficient,doubled,permutation --samples 2", 4, false),
        ("gf2 --case . --samples 1", 2, false),
        ("msm --sizes 2^4 --curve bls12-381 --distribution uniform,bits --samples 1", 3, false),
    ] {
        let report = folder.report(&format!("bench {arguments} --csv rows.csv --device cpu"));
        assert_eq!(report["engine"], "cpu", "{arguments}");
        let rows = rows(&report);
        assert_eq!(rows.len(), count, "{arguments}: {report}");
        for row in rows {
            assert!(row["outcome"] == "right" && positive(&row["timing"]["call"]), "{row}");
            assert!(row["timing"]["device"].is_null() && row["threads"].as_u64() > Some(0), "{row}");
            assert_eq!(positive(&row["timing"]["copy"]), has_copy, "{row}");
        }
        // The file has the same numbers.
        let text = folder.text("rows.csv");
        let cells = cells(&text);
        assert_eq!(cells.len(), 1 + count, "{text}");
        let place = cells[0].iter().position(|head| head == "call").unwrap();
        for (row, line) in rows.iter().zip(&cells[1..]) {
            assert_eq!(line.len(), cells[0].len(), "{text}");
            assert_eq!(line[place].parse::<f64>().ok(), row["timing"]["call"].as_f64(), "{text}");
            assert!(line.last().unwrap().starts_with("CPU engine, "), "{text}");
        }
        let table = folder.run(&format!("bench {arguments} --device cpu"));
        assert!(table.contains("CPU engine") && table.contains("call") && table.contains("right"), "{table}");
    }
    let bits =
        folder.report("bench msm --sizes 2^4 --curve bls12-381 --distribution bits --samples 1 --device cpu");
    assert_eq!(rows(&bits)[1]["system"], "arkworks, scalars of 0 and 1");
    assert!(positive(&rows(&bits)[1]["speedup"]), "{bits}");
}
