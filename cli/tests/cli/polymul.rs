//! `wgalois polymul`.

use crate::common::{Folder, P, numbers, repository};

fn factors() -> Folder {
    let folder = Folder::new();
    folder.write("a", "1 2 3\n");
    folder.write("b", "4\n5\n");
    folder
}

/// Computes the product of two integer polynomials, coefficient by coefficient.
fn schoolbook(a: &[i64], b: &[i64]) -> Vec<i128> {
    let mut product = vec![0; a.len() + b.len() - 1];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            product[i + j] += i128::from(x) * i128::from(y);
        }
    }
    product
}

#[test]
fn products_modulo_a_prime() {
    let folder = factors();
    assert_eq!(folder.run(&format!("polymul a b --prime {P}")), "4\n13\n22\n15\n");
    assert_eq!(folder.run(&format!("polymul a b --prime {P} --cyclic 4")), "4\n13\n22\n15\n");
    assert_eq!(folder.run("polymul a b --prime 17 --cyclic 4 --verify"), "4\n13\n5\n15\n");
    // Any length is allowed: x^3 = 1 adds the 15 to the 4.
    assert_eq!(folder.run(&format!("polymul a b --prime {P} --cyclic 3")), "19\n13\n22\n");
    // x^4 = -1: 15 x^3 stays, and of (1 + 2x + 3x^2 + 4x^3)(4 + 5x) the 20 x^4 becomes -20.
    folder.write("a", "1 2 3 4");
    assert_eq!(folder.run(&format!("polymul a b --prime {P} --negacyclic 4")), "998244337\n13\n22\n31\n");
    assert_eq!(folder.run(&format!("polymul a b --prime {P} --cyclic 4")), "24\n13\n22\n31\n");
}

#[test]
fn products_modulo_any_number() {
    let folder = factors();
    folder.write("a", "1 2 3 4");
    folder.write("b", "4 5");
    // 4 + 13 x + 22 x^2 + 31 x^3 + 20 x^4.
    for (option, product) in [
        ("--prime 7", "4\n6\n1\n3\n6\n"),
        ("--modulus 7", "4\n6\n1\n3\n6\n"),
        ("--modulus 6", "4\n1\n4\n1\n2\n"),
        ("--modulus 6 --negacyclic 4", "2\n1\n4\n1\n"),
        ("--modulus 16 --cyclic 3", "3\n1\n6\n"),
        ("--modulus 2 --wrap", "0\n1\n0\n1\n0\n"),
        ("--modulus 1000000007", "4\n13\n22\n31\n20\n"),
        ("--modulus kyber", "4\n13\n22\n31\n20\n"),
    ] {
        assert_eq!(folder.run(&format!("polymul a b {option} --verify")), product, "{option}");
        folder.run(&format!("polymul a b {option} -o c"));
        folder.run(&format!("check polymul a b {option} --result c"));
    }
    folder.write("c", "4\n1\n4\n1\n5\n");
    folder.fail("check polymul a b --modulus 6 --result c", 1);
    folder.fail("polymul a b --modulus 6 --prime 7", 2);
}

#[test]
fn exact_products_have_signs() {
    let folder = Folder::new();
    folder.write("a", "-1 2 -3");
    folder.write("b", "4 -5 9000000000000000");
    let (a, b) = ([-1, 2, -3], [4, -5, 9_000_000_000_000_000]);
    let product: Vec<i128> = numbers(&folder.run("polymul a b --verify"));
    assert_eq!(product, schoolbook(&a, &b));
}

#[test]
fn every_reduction_gives_the_same() {
    let folder = factors();
    for reduction in ["auto", "montgomery", "barrett", "shoup", "plain"] {
        let product = folder.run(&format!("polymul a b --prime {P} --reduction {reduction}"));
        assert_eq!(product, "4\n13\n22\n15\n", "{reduction}");
    }
}

#[test]
fn the_command_of_the_readme() {
    let folder = Folder::new();
    let (signal, filter) = (repository("examples/data/signal.txt"), repository("examples/data/filter.txt"));
    let product: Vec<i128> = numbers(&folder.run(&format!("polymul {signal} {filter} --verify")));
    let read = |path: &str| numbers::<i64>(&std::fs::read_to_string(path).unwrap());
    assert_eq!((read(&signal).len(), read(&filter).len()), (4096, 129));
    assert_eq!(product, schoolbook(&read(&signal), &read(&filter)));

    let residues =
        ["signal", "filter"].map(|name| repository(&format!("examples/data/{name}-mod-469762049.txt")));
    let arguments = format!("polymul {} {} --prime 469762049 --verify", residues[0], residues[1]);
    let reduced: Vec<i128> = numbers(&folder.run(&arguments));
    assert!(product.iter().zip(&reduced).all(|(&c, &r)| c.rem_euclid(469_762_049) == r));
    let wrapped = folder.run(&format!("polymul {signal} {filter} --prime 469762049 --wrap"));
    assert_eq!(numbers::<i128>(&wrapped), reduced);
}

#[test]
fn formats_by_ending_and_by_option() {
    let folder = factors();
    for ending in ["npy", "raw", "bin", "u32", "txt"] {
        folder.run(&format!("polymul a b --prime {P} -o c.{ending}"));
        folder.run(&format!("polymul c.{ending} b --prime {P} -o d.txt"));
        assert_eq!(folder.text("d.txt"), "16\n72\n153\n170\n75\n", "{ending}");
    }
    assert_eq!(folder.read("c.raw"), [4, 13, 22, 15].map(u32::to_le_bytes).concat());
    assert_eq!(folder.read("c.raw"), folder.read("c.bin"));
    folder.run(&format!("polymul a b --prime {P} -o plain --output-format npy"));
    assert_eq!(folder.read("plain"), folder.read("c.npy"));
    let product = folder.run(&format!("polymul plain plain --prime {P} --format npy --output-format text"));
    assert_eq!(product, "16\n104\n345\n692\n874\n660\n225\n");
    folder.run("polymul a b -o exact.npy");
    folder.write("one", "1");
    assert_eq!(folder.run("polymul exact.npy one"), "4\n13\n22\n15\n");
}

#[test]
fn standard_input() {
    let folder = factors();
    let product = folder.command(&format!("polymul - b --prime {P}")).write_stdin("1 2 3").assert();
    product.success().stdout("4\n13\n22\n15\n");
    let words = |values: &[u32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    folder.write("b.raw", words(&[4, 5]));
    let mut raw = folder.command(&format!("polymul - b.raw --prime {P} --format raw"));
    raw.write_stdin(words(&[1, 2, 3])).assert().success().stdout(words(&[4, 13, 22, 15]));
    let twice = folder.command("polymul - -").write_stdin("1").assert().code(2).get_output().clone();
    assert!(String::from_utf8_lossy(&twice.stderr).contains("`-`, standard input: only for one input"));
    let bad = folder.command("polymul - b").write_stdin("1 x").assert().code(3).get_output().clone();
    assert!(String::from_utf8_lossy(&bad.stderr).contains("-:1:3: expected a decimal integer, found \"x\""));
}

#[test]
fn bad_input_and_its_place() {
    let folder = factors();
    folder.write("word", "1 2\n3 four 5\n");
    folder.write("large", "1\n998244353\n");
    folder.write("negative", "1 -1");
    folder.write("empty", "");
    folder.write("blank", " \n\n");
    folder.write("odd.raw", [1, 0, 0, 0, 2]);
    folder.write("large.raw", u32::MAX.to_le_bytes());
    folder.write("not.npy", "1 2 3");
    folder.write("wide", "170141183460469231731687303715884105727");
    for (arguments, message) in [
        (
            format!("word b --prime {P}"),
            "word:2:3: expected a decimal number from 0 to 998244352, found \"four\"",
        ),
        (format!("a word --prime {P}"), "word:2:3: "),
        ("word b".to_owned(), "word:2:3: expected a decimal integer, found \"four\""),
        (format!("large b --prime {P}"), "large:2:1: \"998244353\" is not from 0 to 998244352; --wrap"),
        (format!("negative b --prime {P}"), "negative:1:3: "),
        (format!("empty b --prime {P}"), "empty: empty"),
        ("a empty".to_owned(), "empty: empty"),
        ("a blank".to_owned(), "blank: empty"),
        (format!("a odd.raw --prime {P}"), "odd.raw: byte 4: "),
        (format!("a large.raw --prime {P}"), "large.raw: byte 0: item 0: 4294967295 is not"),
        (format!("a not.npy --prime {P}"), "not.npy: byte 0: no .npy file"),
        ("a wide".to_owned(), "wide:1:1: "),
        ("a b --prime 15".to_owned(), "--prime 15: modulus 15 is not prime"),
        ("a b --prime 16".to_owned(), "--prime 16: modulus 16 is even"),
        ("a b --prime 2147483659".to_owned(), "too large"),
        ("a b --prime 99999999999999999999999".to_owned(), "--prime 99999999999999999999999: "),
        ("a b --prime foo".to_owned(), "--prime foo: "),
        ("a b --modulus 1".to_owned(), "--modulus 1: modulus 1: it must be"),
        ("a b --modulus 2147483648".to_owned(), "below 2^31"),
        ("a b --modulus foo".to_owned(), "--modulus foo: "),
        ("a b --modulus 5".to_owned(), "\"5\" is not from 0 to 4; --wrap"),
        (format!("a b --prime {P} --cyclic 1000000000"), "at most 2^27"),
    ] {
        let stderr = folder.fail(&format!("polymul {arguments} -o new"), 3);
        assert!(stderr.contains(message), "{arguments}: {stderr}");
    }
}

#[test]
fn usage_errors() {
    let folder = factors();
    for arguments in [
        "polymul a",
        "polymul a b c",
        "polymul a b --cyclic 4 --negacyclic 4",
        "polymul a b --wrap",
        "polymul a b --cyclic x",
        "polymul a b --cyclic 0",
        "polymul a b --prime 17 --reduction fast",
        "polymul a b --reduction plain",
        "polymul a b --prime 17 --workgroup 64",
        "polymul a b --prime 17 --textbook --workgroup 65",
        "polymul a b --format hex",
        "polymul a b --format raw",
    ] {
        folder.fail(arguments, 2);
    }
}

#[test]
fn sizes_past_the_memory() {
    let folder = factors();
    let many = "1 ".repeat(40_000);
    folder.write("many", &many);
    assert!(folder.fail("polymul many b --memory 100K", 3).contains("reading it takes 320000 bytes"));
    assert!(folder.fail("polymul many many --memory 800K", 5).contains("this product needs"));
    let piped =
        folder.command("polymul - b --memory 10K").write_stdin(many).assert().code(3).get_output().clone();
    assert!(String::from_utf8_lossy(&piped.stderr).contains("-: more than the 10240 bytes"));
}

#[test]
fn the_bound_of_exact_products_is_stated() {
    let folder = Folder::new();
    folder.write("large", (1u64 << 45).to_string());
    let refused = folder.fail("polymul large large", 3);
    // Half of 2013265921 * 1811939329 * 469762049.
    assert!(refused.contains("bounded by 856826177374294404465950720, about 2^89.4"), "{refused}");
    for prime in ["goldilocks", "18446744069414584321"] {
        let refused = folder.fail(&format!("polymul large large --prime {prime}"), 3);
        assert!(refused.contains("polymul without a prime"), "{refused}");
    }
    // Modulo 17 there is no root of unity of this order: the product is one of integers, reduced.
    folder.write("long", "1 ".repeat(20));
    let product: Vec<u32> = numbers(&folder.run("polymul long long --prime 17"));
    assert_eq!(product, (1..=20).chain((1..20).rev()).map(|count| count % 17).collect::<Vec<u32>>());
}

/// The smallest factors on both engines, by their right values; `None` for a file that is refused.
#[test]
fn the_smallest_products() {
    let folder = Folder::new();
    for (name, text) in
        [("empty", ""), ("zero", "0\n"), ("five", "5\n"), ("zeros", "0 0 0\n"), ("p", "1 2 3\n")]
    {
        folder.write(name, text);
    }
    let cases = [
        ("empty p", "", None),
        ("p empty", "--cyclic 1", None),
        ("empty empty", "--prime 17", None),
        ("five five", "", Some("25")),
        ("five five", "--prime 17", Some("8")),
        ("five five", "--prime 17 --negacyclic 3", Some("8 0 0")),
        ("zero zero", "", Some("0")),
        ("zero zero", "--prime 17 --cyclic 1", Some("0")),
        ("zeros p", "", Some("0 0 0 0 0")),
        ("five p", "", Some("5 10 15")),
        ("five p", "--cyclic 1", Some("30")),
        ("five p", "--prime 17 --cyclic 1", Some("13")),
        ("five p", "--negacyclic 1", Some("10")),
        ("five p", "--cyclic 4", Some("5 10 15 0")),
    ];
    for device in ["cpu", "gpu"] {
        for (factors, options, product) in cases {
            let arguments = format!("polymul {factors} {options} --verify --device {device}");
            let output = folder.command(&arguments).output().unwrap();
            match (output.status.code(), product) {
                (Some(4), _) if device == "gpu" => eprintln!("NOT RUN: there is no GPU"),
                (code, None) => assert_eq!(code, Some(3), "{arguments}"),
                (code, Some(product)) => {
                    assert_eq!(code, Some(0), "{arguments}");
                    let words = String::from_utf8(output.stdout).unwrap();
                    assert_eq!(
                        words.split_whitespace().collect::<Vec<_>>().join(" "),
                        product,
                        "{arguments}"
                    );
                }
            }
        }
    }
}
