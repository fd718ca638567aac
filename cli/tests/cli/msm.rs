//! `wgalois msm`, `gen msm`, `check msm` and `bench msm`, on the CPU engine and on any adapter that
//! is present, such as lavapipe (Debian's mesa-vulkan-drivers).

use crate::common::Folder;
use serde_json::Value;

const CURVES: [&str; 7] =
    ["bls12-381", "bls12-377", "bn254", "bls24-315", "bls12-381-g2", "bls12-377-g2", "bn254-g2"];

/// Returns a folder with `s`, which has points and scalars of a curve.
fn generated(curve: &str, count: usize, options: &str) -> Folder {
    let folder = Folder::new();
    folder.run(&format!("gen msm --curve {curve} --count {count} -o s {options}"));
    folder
}

#[test]
fn sums_are_what_the_logarithms_say() {
    for curve in CURVES {
        for (count, options, ending) in [
            (40, "", "bin"),
            (3, "--compressed", "bin"),
            (40, "--ark", "ark"),
            (0, "", "bin"),
            (1, "", "bin"),
        ] {
            let folder = generated(curve, count, &format!("--seed 5 {options}"));
            let files = format!("--curve {curve} --points s/points.{ending} --scalars s/scalars.{ending}");
            assert_eq!(folder.run(&format!("msm {files}")), folder.text("s/sum.txt"), "{curve} {options}");
            folder.run(&format!("check msm {files} --result s/sum.txt"));
            let short = folder.run(&format!("msm {files} --compressed --verify"));
            assert_eq!(2 * short.trim().len(), folder.text("s/sum.txt").trim().len());
        }
    }
}

#[test]
fn distributions_and_seeds() {
    let folder = Folder::new();
    for distribution in ["uniform", "equal", "skewed"] {
        folder.run(&format!("gen msm --count 50 --distribution {distribution} -o a"));
        folder.run(&format!("gen msm --count 50 --distribution {distribution} -o b --logarithms"));
        assert_eq!(folder.read("a/scalars.bin"), folder.read("b/scalars.bin"));
        assert_eq!(folder.read("a/points.bin"), folder.read("b/points.bin"));
        assert_eq!(folder.read("b/logarithms.bin").len(), 50 * 32);
        assert_eq!(folder.run("msm --points a/points.bin --scalars a/scalars.bin"), folder.text("a/sum.txt"));
    }
    folder.run("gen msm --count 50 --seed 1 -o b");
    assert_ne!(folder.read("a/points.bin"), folder.read("b/points.bin"));
    folder.fail("gen msm --count 5", 2);
}

#[test]
fn a_gpu_gives_the_same_with_every_precomputation() {
    let methods = ["", "--window 5 --precompute doublings:2", "--window 6 --precompute windows"];
    // Software takes long to compile kernels of G2; the unit tests have more of its forms.
    for (curve, methods) in
        CURVES[..4].iter().map(|curve| (curve, &methods[..])).chain([(&CURVES[4], &methods[1..2])])
    {
        let folder = generated(curve, 60, "");
        let files = format!("--curve {curve} --points s/points.bin --scalars s/scalars.bin");
        for method in methods {
            let sum = folder.run(&format!("msm {files} --device gpu --verify {method}"));
            assert_eq!(sum, folder.text("s/sum.txt"), "{curve} {method}");
        }
    }
    let folder = generated("bn254", 30, "");
    let files = "--curve bn254 --points s/points.bin --scalars s/scalars.bin";
    let report = folder.report(&format!("msm {files} --device gpu --window 4"));
    assert_eq!(report["result"].as_str(), Some(folder.text("s/sum.txt").trim()));
    assert_eq!((&report["engine"], report["n"].as_u64()), (&Value::from("gpu"), Some(30)));
    folder.fail(&format!("msm {files} --window 1"), 2);
    // The CPU engine says that it has no such kernels.
    for option in ["--window 5", "--precompute windows"] {
        let run = folder.command(&format!("msm {files} --device cpu {option}")).assert().success();
        let note = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        let name = option.split(' ').next().unwrap();
        assert!(note.contains(&format!("{name} chooses among kernels of a GPU")), "{note}");
    }
    folder.fail(&format!("msm {files} --precompute doublings:24"), 2);
}

#[test]
fn a_wrong_sum_is_found() {
    let folder = generated("bls12-381", 20, "");
    let files = "--points s/points.bin --scalars s/scalars.bin";
    folder.run("gen msm --count 20 --seed 9 -o other");
    for device in ["cpu", "gpu"] {
        folder.run(&format!("check msm {files} --result s/sum.txt --device {device}"));
        folder.fail(&format!("check msm {files} --result other/sum.txt --device {device}"), 1);
    }
    folder.write("none", "");
    folder.write("two", "00 00");
    folder.write("odd", "123");
    let mut off_curve = folder.text("s/sum.txt").trim().to_owned();
    off_curve.replace_range(190.., if off_curve.ends_with('0') { "1" } else { "0" });
    folder.write("off", off_curve);
    for result in ["none", "two", "odd", "off"] {
        folder.fail(&format!("check msm {files} --result {result}"), 3);
    }
    folder.fail(&format!("check msm {files}"), 2);
    folder.fail(&format!("check msm {files} --result missing"), 6);
}

/// Every invalid point is reported with its place and its number.
#[test]
fn bad_points_are_told_by_their_number() {
    let folder = generated("bls12-381", 9, "");
    let good = folder.read("s/points.bin");
    let verb = "msm --scalars s/scalars.bin --points bad.bin";
    // Big-endian, with room for three flag bits.
    let p =
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";
    let p: Vec<u8> = (0..48).map(|i| u8::from_str_radix(&p[2 * i..][..2], 16).unwrap()).collect();
    let told = |change: &dyn Fn(&mut [u8]), message: &str| {
        for point in [0, 4, 8] {
            let mut bytes = good.clone();
            change(&mut bytes[96 * point..96 * (point + 1)]);
            folder.write("bad.bin", bytes);
            // The flags of the first point apply to the whole file.
            if point > 0 || !message.contains("flags") {
                let stderr = folder.fail(verb, 3);
                let place = format!("bad.bin: byte {}: point {point}: ", 96 * point);
                assert!(stderr.contains(&place) && stderr.contains(message), "{stderr}");
            }
        }
    };
    told(&|point| point[0] |= 0x80, "flags");
    told(&|point| point[0] |= 0x40, "infinity, but other bits");
    told(&|point| point[..48].copy_from_slice(&p), "x is not below");
    told(&|point| point[48..].copy_from_slice(&p), "y is not below");
    told(&|point| point[95] ^= 1, "not on bls12-381");

    // On the curve, not in the subgroup: x = 4.
    folder.run("gen msm --count 3 --compressed -o c");
    let mut bytes = folder.read("c/points.bin");
    bytes[48..96].fill(0);
    (bytes[48], bytes[95]) = (0x80, 4);
    folder.write("bad.bin", bytes);
    let verb = "msm --scalars c/scalars.bin --points bad.bin";
    assert!(folder.fail(verb, 3).contains("byte 48: point 1: on the curve, but not in the subgroup"));
    folder.run(&format!("{verb} --unchecked"));
}

#[test]
fn bad_files_are_told() {
    let folder = generated("bls12-381", 9, "");
    let (points, scalars) = (folder.read("s/points.bin"), folder.read("s/scalars.bin"));
    let both = "msm --points points.bin --scalars scalars.bin";
    let told = |points: &[u8], scalars: &[u8], message: &str| {
        folder.write("points.bin", points);
        folder.write("scalars.bin", scalars);
        let stderr = folder.fail(both, 3);
        assert!(stderr.contains(message), "{stderr}");
    };
    told(&points[..800], &scalars, "byte 768: the file ends within point 8");
    told(&points[..768], &scalars, "8 points, where 9 were expected");
    told(&points, &scalars[..257], "scalars.bin: byte 256");
    let mut large = scalars.clone();
    large[32 * 5..32 * 6].fill(0xff);
    told(&points, &large, "scalar 5");
    folder.fail("msm --points s/points.bin --scalars missing", 6);
    folder.fail("msm --points - --scalars -", 2);
}

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().unwrap()
}

#[test]
fn measurements_of_every_choice() {
    let folder = Folder::new();
    let choices = "--window 4 --pairs 0,1 --precompute none,windows --steps";
    let report =
        folder.report(&format!("bench msm --curve bn254 --sizes 2^5 --samples 1 --device gpu {choices}"));
    let found = rows(&report);
    assert_eq!(found.len(), 4);
    for row in found {
        assert_eq!((&row["outcome"], row["width"].as_u64()), (&Value::from("right"), Some(4)));
        let timing = &row["timing"];
        assert!(timing["device"].as_f64() > Some(0.0) && timing["call"].as_f64() > Some(0.0));
        let steps = timing["steps"].as_object().unwrap();
        for step in ["digits", "sort", "accumulate", "gather", "reduce"] {
            assert!(steps.contains_key(step), "{step} of {steps:?}");
        }
        assert_eq!(steps.contains_key("pair backward"), row["pair_rounds"] == 1);
    }
    folder.fail("bench msm --sizes 2^5 --pairs 9 --device gpu", 2);
    folder.run("bench msm --sizes 2^5 --balance buckets --precompute doublings:1 --device gpu");
}

#[test]
fn the_table_has_every_row_and_all_are_right() {
    let folder = Folder::new();
    let report = folder.report("bench msm --table --curve bn254 --sizes 2^4 --samples 1 --device gpu");
    let found = rows(&report);
    assert_eq!(found.len(), 25);
    assert!(found.iter().all(|row| row["outcome"] == "right" && row["timing"]["call"].as_f64() > Some(0.0)));
    for method in ["CPU engine", "CPU, plain Pippenger", "CPU, double-and-add", "GPU, imbalanced"] {
        assert!(found.iter().any(|row| row["system"] == method), "{method}");
    }
    // Rows that do not fit are reported one by one.
    let table = folder.run("bench msm --table --curve bn254 --sizes 2^24 --memory 1G --device gpu");
    assert_eq!(table.matches(" no (1)").count(), 25, "{table}");
    assert!(table.contains("(1) cannot run here: so many points needs"), "{table}");
}

#[test]
fn points_and_scalars_of_one_file_are_multiplied() {
    let folder = Folder::new();
    folder.run("gen msm --count 20 --seed 3 -o s");
    let (points, scalars) = (folder.read("s/points.bin"), folder.read("s/scalars.bin"));
    let mut records = Vec::new();
    for (point, scalar) in points.chunks(96).zip(scalars.chunks(32)) {
        for coordinate in point.chunks(48) {
            records.extend([0; 16]);
            records.extend(coordinate);
        }
        records.extend(scalar.iter().rev());
    }
    folder.write("in.eipmsm", &records);
    assert_eq!(folder.run("msm --points in.eipmsm"), folder.text("s/sum.txt"));
    folder.write("in", &records);
    assert_eq!(folder.run("msm --points in --points-format pairs --verify"), folder.text("s/sum.txt"));
    let fault = folder.fail("msm --points in", 2);
    assert!(fault.contains("--scalars FILE") && fault.contains("pairs"), "{fault}");
    folder.fail("msm --points in.eipmsm --scalars s/scalars.bin", 2);
    // As hexadecimal digits: a record per line, or all in one number, as Ethereum's tests have them.
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let lines: String = records.chunks(160).map(|record| digits(record) + "\n").collect();
    for text in [lines, digits(&records), format!("0x{}\n", digits(&records))] {
        folder.write("text.eipmsm", text);
        assert_eq!(folder.run("msm --points text.eipmsm"), folder.text("s/sum.txt"));
    }
    let points: String = records.chunks(160).map(|record| digits(&record[..128])).collect();
    folder.write("points.eip", &points);
    assert_eq!(folder.run("msm --points points.eip --scalars s/scalars.bin"), folder.text("s/sum.txt"));
    folder.write("points.eip", points.replacen("0000", "000g", 2));
    let fault = folder.fail("msm --points points.eip --scalars s/scalars.bin --points-format eip", 3);
    assert!(fault.contains("points.eip"), "{fault}");
    let mut wrong = points.into_bytes();
    // The last digit of the third point.
    let last = &mut wrong[3 * 256 - 1];
    *last = if *last == b'0' { b'1' } else { b'0' };
    folder.write("points.eip", wrong);
    let fault = folder.fail("msm --points points.eip --scalars s/scalars.bin", 3);
    assert!(fault.contains("points.eip:1:513: "), "{fault}");
    folder.write("points.eip", "00".repeat(200));
    let fault = folder.fail("msm --points points.eip --scalars s/scalars.bin", 3);
    assert!(fault.contains("256 hexadecimal digits"), "{fault}");
    folder.write("short.eipmsm", &records[..records.len() - 1]);
    assert!(folder.fail("msm --points short.eipmsm", 3).contains("within record 19"));
}
