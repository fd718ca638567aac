//! `wgalois ntt`.

use crate::common::{Folder, P, numbers};

/// Computes the transform modulo 17 by its definition: w = 4 has order 4.
fn by_definition(x: [u64; 4], shift: u64) -> String {
    let power = |base: u64, e: u64| (0..e).fold(1, |product, _| product * base % 17);
    let value = |j: u64| (0..4).map(|i| x[i as usize] * power(shift * power(4, j) % 17, i)).sum::<u64>() % 17;
    [0, 1, 2, 3].map(|j| format!("{}\n", value(j))).concat()
}

/// Puts the lines of `text` in the given order.
///
/// The library's primitive fourth root of unity modulo 17 is g^4 for the generator g = 3:
/// 81 mod 17 = 13 = 4^-1. So its transform at j is that of 4 at -j.
fn in_order(text: &str, order: [usize; 4]) -> String {
    let lines: Vec<_> = text.lines().collect();
    order.map(|i| format!("{}\n", lines[i])).concat()
}

fn vectors() -> Folder {
    let folder = Folder::new();
    folder.write("x", "1 2 3 4");
    folder
}

#[test]
fn transforms_by_the_definition() {
    let folder = vectors();
    let natural = in_order(&by_definition([1, 2, 3, 4], 1), [0, 3, 2, 1]);
    assert_eq!(folder.run("ntt x --prime 17 --verify"), natural);
    let reversed = in_order(&natural, [0, 2, 1, 3]);
    assert_eq!(folder.run("ntt x --prime 17 --output-order bitrev --verify"), reversed);
    folder.write("y", "1 3 2 4");
    assert_eq!(folder.run("ntt y --prime 17 --input-order bitrev"), natural);
    let coset = in_order(&by_definition([1, 2, 3, 4], 5), [0, 3, 2, 1]);
    assert_eq!(folder.run("ntt x --prime 17 --coset 5 --verify"), coset);
}

#[test]
fn the_inverse_takes_back_what_the_transform_did() {
    let folder = Folder::new();
    folder.run(&format!("gen poly --terms 192 --prime {P} --seed 7 -o x"));
    for options in [
        "--batch 3",
        "--batch 6 --negacyclic",
        "--batch 12 --coset 5",
        "--batch 96 --output-order bitrev",
        "--batch 3 --output-order bitrev --coset 17",
    ] {
        folder.run(&format!("ntt x --prime {P} {options} --verify -o y.npy"));
        let back = options.replace("--output-order", "--input-order");
        folder.run(&format!("ntt y.npy --prime {P} --inverse {back} --verify -o z.txt"));
        assert_eq!(folder.text("z.txt"), folder.text("x"), "{options}");
    }
}

#[test]
fn wrapping_and_standard_input() {
    let folder = vectors();
    let wrapped = folder.command("ntt - --prime 17 --wrap").write_stdin("18 -15 20 21").assert().success();
    let plain = folder.run("ntt x --prime 17");
    assert_eq!(String::from_utf8_lossy(&wrapped.get_output().stdout), plain);
    assert_eq!(numbers::<u32>(&plain).len(), 4);
}

#[test]
fn bad_input_and_its_place() {
    let folder = vectors();
    folder.write("three", "1 2 3");
    folder.write("one", "1");
    folder.write("six", "1 2 3 4 5 6");
    folder.write("large", "1 2\n17 4");
    folder.write("many", "1 ".repeat(32));
    folder.write("empty", "");
    for (arguments, message) in [
        ("three --prime 17", "three: 3 entries, where 1 times a power of two was expected"),
        ("six --prime 17 --batch 4", "six: 6 entries, where 4 times"),
        ("three --prime 17 --root 2", "three: 3 entries, where 1 times a divisor of 16 was expected"),
        ("three --prime 7 --root 3", "the root 3: modulo 7 its order is not 3"),
        ("three --prime 7 --root 0", "root of unity 0"),
        ("large --prime 17", "large:2:1: \"17\" is not from 0 to 16"),
        ("many --prime 17", "many: modulo 17 there is no root of unity of order 2^5"),
        ("empty --prime 17", "empty: empty"),
        ("x --prime 21", "--prime 21: modulus 21 is not prime"),
        ("x --prime 17 --coset 0", "coset shift 0"),
        ("x --prime 17 --coset 17", "coset shift 17"),
        ("x --prime 5 --negacyclic", "no root of unity"),
    ] {
        let stderr = folder.fail(&format!("ntt {arguments} -o new"), 3);
        assert!(stderr.contains(message), "{arguments}: {stderr}");
    }
    for arguments in [
        "x",
        "x --prime 17 --coset 2 --negacyclic",
        "x --prime 17 --batch 0",
        "x --prime 17 --input-order up",
        "x --prime 17 --coset 5x",
        "x --prime 17 --coset 0x5",
        "x --prime 17 --field bn254-fr",
        "x --field bn254",
        "x --field bn254-fr --textbook",
        "x --field bn254-fr --format npy",
        "x --prime 17 --scalars-format hex",
    ] {
        folder.fail(&format!("ntt {arguments}"), 2);
    }
}

#[test]
fn scalars_are_reduced_with_wrap() {
    let folder = Folder::new();
    let minus = |least: u32| {
        format!("2188824287183927522224640574525727508854836440041603434369820418657580849{least}")
    };
    // The order r of the group of BN254 ends with 5617.
    folder.write("past", format!("{} -1 0x{}0 {}", minus(5622), "0".repeat(70), minus(5617)));
    folder.write("plain", format!("5 {} 0 0", minus(5616)));
    for options in ["", "--inverse", "--coset 3 --verify"] {
        let verb = |name: &str| format!("ntt {name} --field bn254-fr --scalars-format text {options}");
        let expected = folder.run(&verb("plain"));
        assert_eq!(folder.run(&format!("{} --wrap", verb("past"))), expected);
        assert_eq!(folder.run(&format!("{} --wrap", verb("plain"))), expected);
        folder.fail(&verb("past"), 3);
    }
    // A result is in order, and is not reduced.
    let field = "--field bn254-fr --scalars-format text";
    folder.run(&format!("ntt past {field} --wrap -o y.txt"));
    folder.run(&format!("check ntt past {field} --wrap --result y.txt"));
    folder.fail(&format!("check ntt past {field} --result y.txt"), 3);
    folder.fail(&format!("check ntt plain {field} --wrap --result past"), 3);
}

#[test]
fn any_length_that_divides_the_order() {
    let folder = Folder::new();
    folder.write("three", "1 2 3");
    folder.write("six", "1 2 3 4 5 6");
    // Modulo 7 the smallest generator is 3, so that w is 9 = 2; the other root of order 3 is 4.
    assert_eq!(folder.run("ntt three --prime 7 --verify"), "6\n3\n1\n");
    assert_eq!(folder.run("ntt three --prime 7 --root 4 --verify"), "6\n1\n3\n");
    let report = folder.run("ntt three --prime 7 --json -o values");
    assert!(report.contains("\"root\":2") || report.contains("\"root\": 2"), "{report}");
    assert_eq!(folder.run("ntt values --prime 7 --inverse --verify"), "1\n2\n3\n");
    folder.run("check ntt three --prime 7 --result values");
    folder.fail("check ntt three --prime 7 --root 4 --result values", 1);
    // Vectors of one entry are their own transforms.
    assert_eq!(folder.run("ntt six --prime 17 --batch 6 --verify"), "1\n2\n3\n4\n5\n6\n");
    // Of two vectors of three, at 3 w^j: 1 + 2 * 3 + 3 * 9 = 34, and so on.
    let shifted = folder.run("ntt six --prime 7 --batch 2 --coset 3 --verify");
    let value = |x: [u32; 3], z: u32| (x[0] + x[1] * z + x[2] * z * z) % 7;
    let expected = [[1, 2, 3], [4, 5, 6]].map(|x| [3, 6, 5].map(|z| value(x, z)));
    assert_eq!(numbers::<u32>(&shifted), expected.concat());
    folder.fail("ntt three --prime 7 --output-order bitrev", 2);
    folder.fail("ntt three --prime 7 --root 2 --negacyclic", 2);
}

#[test]
fn lengths_that_no_transform_has_are_refused_before_the_file_is_read() {
    let folder = Folder::new();
    let sparse = |name: &str, bytes: u64| {
        let file = std::fs::File::create(folder.path(name)).unwrap();
        file.set_len(bytes).unwrap();
    };
    // The zeros of a file of 64 GiB take a minute to read.
    sparse("long.raw", 1 << 36);
    sparse("odd.raw", (1 << 36) - 4);
    sparse("long.be", 1 << 37);
    sparse("odd.be", (1 << 36) - 32);
    for (arguments, reason) in [
        ("long.raw --prime babybear", "2^27"),
        ("odd.raw --prime babybear", "power of two was expected"),
        ("odd.raw --prime babybear --batch 3", "power of two was expected"),
        ("long.be --field bn254-fr", "2^28"),
        ("odd.be --field bn254-fr --batch 2", "power of two was expected"),
    ] {
        for plan in ["--plan", "", "--wrap"] {
            let begin = std::time::Instant::now();
            let refused = folder.fail(&format!("ntt {arguments} {plan}"), 3);
            assert!(refused.contains(reason), "{arguments}: {refused}");
            assert!(begin.elapsed().as_secs() < 5, "{arguments}: {:?}", begin.elapsed());
        }
    }
}

#[test]
fn rows_of_arrays_are_vectors() {
    let folder = Folder::new();
    // A .npy file of unsigned words.
    let array = |shape: &str, words: std::ops::Range<u32>| -> Vec<u8> {
        let mut header = format!("{{'descr': '<u4', 'fortran_order': False, 'shape': {shape}, }}");
        header += &" ".repeat(117 - header.len());
        let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        bytes.extend_from_slice(format!("{header}\n").as_bytes());
        bytes.extend(words.flat_map(u32::to_le_bytes));
        bytes
    };
    folder.write("flat.npy", array("(12,)", 1..13));
    folder.write("rows.npy", array("(3, 4)", 1..13));
    folder.write("deep.npy", array("(3, 2, 2)", 1..13));
    let expected = folder.run("ntt flat.npy --prime 17 --batch 3 -o -");
    assert_eq!(folder.run("ntt rows.npy --prime 17"), expected);
    assert_eq!(folder.run("ntt rows.npy --prime 17 --batch 3"), expected);
    assert_eq!(folder.run("ntt deep.npy --prime 17"), folder.run("ntt flat.npy --prime 17 --batch 6"));
    // The result has the shape of the input, and goes back.
    for (name, shape, batch) in
        [("flat", "(12,)", "--batch 3"), ("rows", "(3,4,)", ""), ("deep", "(3,2,2,)", "")]
    {
        folder.run(&format!("ntt {name}.npy --prime 17 {batch} -o y.npy --verify"));
        let header = String::from_utf8_lossy(&folder.read("y.npy")[..128]).replace(' ', "");
        assert!(header.contains(shape), "{name}: {header}");
        folder.run(&format!("check ntt {name}.npy --prime 17 {batch} --result y.npy"));
        folder.run(&format!("ntt y.npy --prime 17 {batch} --inverse -o z.npy"));
        assert!(folder.read("z.npy")[128..] == folder.read(&format!("{name}.npy"))[128..], "{name}");
    }
    let refused = folder.fail("ntt rows.npy --prime 17 --batch 6", 3);
    assert!(refused.contains("an array of 3 rows of 4 entries"), "{refused}");
    let refused = folder.fail("polymul rows.npy flat.npy --prime 17", 3);
    assert!(refused.contains("where one polynomial was expected"), "{refused}");
}

/// Over BN254's scalar field, whose root of order 4 is the one that Ethereum's and snarkjs' transforms use too.
#[test]
fn transforms_over_scalar_fields() {
    let folder = Folder::new();
    folder.write("x.txt", "1 2 3 4");
    let r = "21888242871839275222246405745257275088548364400416034343698204186575808495617";
    let values = folder.run("ntt x.txt --field bn254-fr --verify");
    let lines: Vec<_> = values.lines().collect();
    // The sum of all, and the alternating sum: 1 - 2 + 3 - 4 = -2.
    assert_eq!([lines[0], lines[2]], ["10", &format!("{}{}", &r[..r.len() - 1], 5)]);
    assert_eq!(folder.run("ntt x.txt --field bn254-fr --output-scalars-format text"), values);
    folder.run("ntt x.txt --field bn254-fr --output-order bitrev -o y.hex");
    assert_eq!(folder.text("y.hex").lines().next(), Some(format!("{:0>64}", "a").as_str()));
    folder.run("ntt y.hex --field bn254-fr --inverse --input-order bitrev --verify -o z.txt");
    assert_eq!(folder.text("z.txt"), "1\n2\n3\n4\n");
}

#[test]
fn scalar_fields_in_every_format_and_back() {
    let folder = Folder::new();
    for curve in ["bls12-381", "bls12-377", "bn254", "bls24-315"] {
        folder.run(&format!("gen msm --curve {curve} --count 24 --seed 3 -o {curve}"));
        let scalars = format!("{curve}/scalars.bin");
        for (ending, options) in [
            ("be", "--batch 3"),
            ("ark", "--batch 6 --negacyclic"),
            ("txt", "--batch 12 --coset 0x11"),
            ("hex", "--batch 24 --output-order bitrev"),
            ("bin", "--batch 3 --output-order bitrev --coset 17"),
        ] {
            let field = format!("--field {curve}-fr");
            folder.run(&format!("ntt {scalars} {field} {options} --verify -o y.{ending}"));
            folder.run(&format!("check ntt {scalars} {field} {options} --result y.{ending}"));
            let back = options.replace("--output-order", "--input-order");
            folder.run(&format!("ntt y.{ending} {field} --inverse {back} --verify -o z.bin"));
            assert_eq!(folder.read("z.bin"), folder.read(&scalars), "{curve} {options}");
        }
    }
    let report = folder.report("ntt bn254/scalars.bin --field bn254-fr --batch 3 --verify -o y.bin");
    let fields = ["field", "n", "batch", "verified"].map(|key| report[key].to_string());
    assert_eq!(fields, ["\"bn254-fr\"", "8", "3", "true"]);
    assert!(report["guarantee"].as_str().unwrap().ends_with("at most 2^-249"));
    let plan = folder.run("ntt bn254/scalars.bin --field bn254-fr --batch 3 --plan");
    assert!(plan.starts_with("transforms     3 forward, of 2^3 scalars of 254 bits"), "{plan}");
    // A value of another place is found.
    let mut bytes = folder.read("y.bin");
    bytes.swap(0, 32);
    folder.write("wrong.bin", &bytes);
    let check = "check ntt bn254/scalars.bin --field bn254-fr --batch 3 --result";
    folder.run(&format!("{check} y.bin"));
    assert!(folder.fail(&format!("{check} wrong.bin"), 1).contains("vector 0 is not the transform"));
    for (arguments, message) in [
        ("bn254/scalars.bin --field bn254-fr", "24 scalars, where 1 times a power of two"),
        ("bn254/scalars.bin --field bn254-fr --batch 3 --coset 0", "coset shift 0"),
        ("bn254/points.bin --field bn254-fr --batch 3", "is not below the order r"),
    ] {
        let stderr = folder.fail(&format!("ntt {arguments} -o new"), 3);
        assert!(stderr.contains(message), "{arguments}: {stderr}");
    }
}
