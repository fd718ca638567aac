//! Sizes above the limits: each is refused with a message that states the limit, and none crashes
//! the process.

use crate::common::Folder;

#[test]
fn indices_past_32_bits_are_refused() {
    let folder = Folder::new();
    folder.write("e", "5 1 \n");
    folder.write("r", "5 1 \n");
    folder.write("far", "4294967301 3 \n");
    folder.write("last", "4294967295 3 \n");
    let systems = ["--eliminators e --rows far", "--eliminators far --rows e"];
    for columns in ["", "--columns 4294967296"] {
        for system in systems {
            for verb in ["eliminate", "check eliminate --result r"] {
                let refused = folder.fail(&format!("{verb} {system} {columns}"), 3);
                assert!(refused.contains("far:1:1: index \"4294967301\""), "{refused}");
                assert!(refused.contains("4294967295"), "{refused}");
            }
        }
        for verb in ["rank", "kernel", "transpose"] {
            let refused = folder.fail(&format!("gf2 {verb} far --format lists {columns}"), 3);
            assert!(refused.contains("4294967295"), "{refused}");
        }
        assert_eq!(
            folder.run(&format!("eliminate --eliminators e --rows last {columns}")),
            "4294967295 3 \n"
        );
    }
    for columns in ["4294967297", "1099511627776", "18446744073709551615", "18446744073709551616"] {
        for verb in ["eliminate --eliminators e --rows r", "gf2 rank e --format lists"] {
            let refused = folder.fail(&format!("{verb} --columns {columns}"), 2);
            assert!(refused.contains("4294967296") || columns.len() == 20, "{refused}");
        }
    }
}

#[test]
fn sides_past_32_bits_are_refused() {
    let folder = Folder::new();
    for size in ["4294967296", "1000000000000", "9223372036854775807", "18446744073709551616"] {
        for arguments in [
            format!("--rows 0 --columns {size}"),
            format!("--rows {size} --columns 0"),
            format!("--rows 1 --columns {size}"),
            format!("--rows 1 --rank {size}"),
        ] {
            folder.fail(&format!("gen gf2 {arguments}"), 2);
        }
    }
    // No rows, with the largest number of columns.
    assert_eq!(folder.run("gen gf2 --rows 0 --columns 4294967295"), "# 0 x 4294967295\n");
    for format in ["text", "lists", "mtx", "npy", "packed"] {
        folder.run(&format!("gen gf2 --rows 0 --columns 4294967295 --output-format {format} -o m"));
    }
    let market = |sizes: &str| {
        folder.write("m.mtx", format!("%%MatrixMarket matrix coordinate pattern general\n{sizes}\n"));
    };
    for sizes in ["0 4000000000 0", "0 4294967295 0"] {
        market(sizes);
        assert_eq!(folder.run("gf2 rank m.mtx"), "0\n");
        let columns = sizes.split(' ').nth(1).unwrap();
        assert_eq!(folder.run("gf2 rref m.mtx"), format!("# 0 x {columns}\n"));
        folder.fail("gf2 kernel m.mtx", 5);
    }
    for sizes in ["4294967296 0 0", "0 4294967296 0", "18446744073709551616 1 0"] {
        market(sizes);
        folder.fail("gf2 rank m.mtx", 3);
    }
}

#[test]
fn empty_matrices_of_many_rows() {
    let folder = Folder::new();
    folder.write("tall.mtx", "%%MatrixMarket matrix coordinate pattern general\n400000000 0 0\n");
    // Rows without columns take no bits, but a word each, and their offsets.
    let refused = folder.fail("gf2 rank tall.mtx --memory 1G", 3);
    assert!(refused.contains("may be used"), "{refused}");
    let refused = folder.fail("gf2 rref tall.mtx --memory 1G", 3);
    assert!(refused.contains("may be used"), "{refused}");
}

#[test]
fn options_of_benches_are_bounded() {
    let folder = Folder::new();
    for samples in ["0", "4294967295", "18446744073709551616"] {
        for verb in ["bench msm --sizes 2^4", "bench gf2 --sizes 64", "bench ntt --sizes 2^4"] {
            folder.fail(&format!("{verb} --samples {samples} --device gpu"), 2);
        }
    }
    for size in ["9223372036854775807", "18446744073709551615"] {
        for verb in ["bench msm", "bench gf2", "bench gf2 --kind doubled", "bench ntt"] {
            let run = folder.command(&format!("{verb} --sizes {size} --device gpu")).assert();
            let code = run.get_output().status.code();
            assert!(matches!(code, Some(2..=5)), "{verb} {size}: {code:?}");
        }
    }
}

#[test]
fn the_smallest_doubled_matrix_is_measured_or_refused() {
    let folder = Folder::new();
    let run = folder.command("bench gf2 --kind doubled --sizes 1 --samples 1 --device gpu").assert();
    let output = run.get_output();
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 2 | 3 | 4)), "{code:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The `--memory` that an error names.
fn named(errors: &str) -> u64 {
    let (_, after) = errors.split_once("--memory ").unwrap_or_else(|| panic!("no --memory in {errors}"));
    after.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

#[test]
fn refusals_of_small_inputs_and_of_pipes_name_the_memory_that_suffices() {
    let folder = Folder::new();
    for format in ["text", "lists", "mtx", "npy", "packed"] {
        folder.run(&format!("gen gf2 --rows 60 --columns 70 --seed 1 --output-format {format} -o {format}"));
    }
    folder.write("m", "3 2 1\n4\n");
    folder.write("far", "4000000 1 \n2 \n");
    folder.run("gen poly --terms 50 --prime 97 -o a");
    folder.run("gen msm --count 5 -o set");
    let verbs = [
        ("gf2 rank text", 2),
        ("gf2 rref packed", 2),
        ("gf2 kernel npy", 2),
        ("gf2 rank mtx --format mtx", 2),
        ("gf2 rank lists --format lists", 2),
        ("gf2 rank far --format lists", 2),
        ("gf2 transpose text", 2),
        ("polymul a a", 3),
        ("polymul a a --prime 998244353", 3),
        ("eliminate --eliminators m --rows far --sort", 4),
        ("msm --points set/points.bin --scalars set/scalars.bin", 3),
    ];
    for (verb, most) in verbs {
        let mut memory = 1;
        let mut refusals = 0;
        loop {
            let output = folder.command(&format!("{verb} --memory {memory}")).output().unwrap();
            if output.status.success() {
                break;
            }
            let errors = String::from_utf8(output.stderr).unwrap();
            assert!(matches!(output.status.code(), Some(3 | 5)), "{verb}: {errors}");
            assert!(named(&errors) > memory, "{verb} at {memory}: {errors}");
            memory = named(&errors);
            refusals += 1;
        }
        // One for each input, one for a system's index, one for the plan: what an error names suffices for its step.
        assert!((1..=most).contains(&refusals), "{verb}: {refusals} refusals, {memory} bytes");
    }
    // A pipe is counted to its end, then its content.
    let piped = |memory: u64| {
        let mut command = folder.command(&format!("gf2 rank - --memory {memory}"));
        command.write_stdin(folder.read("text")).output().unwrap()
    };
    let held = named(&String::from_utf8(piped(10).stderr).unwrap());
    assert_eq!(held, folder.read("text").len() as u64);
    let read = piped(held);
    assert_eq!(read.status.code(), Some(3));
    let read = named(&String::from_utf8(read.stderr).unwrap());
    assert!(read > held);
    let planned = piped(read);
    assert_eq!(planned.status.code(), Some(5));
    assert!(piped(named(&String::from_utf8(planned.stderr).unwrap())).status.success());
}
