//! The help: examples that parse, only options that apply, the formats, counts, names of primes, manual pages.

use crate::common::Folder;

const VERBS: [&str; 22] = [
    "polymul",
    "intmul",
    "ntt",
    "msm",
    "eliminate",
    "gf2",
    "gf2 rank",
    "gf2 kernel",
    "gf2 mul",
    "gf2 solve",
    "solve",
    "groth16",
    "kzg",
    "gen",
    "check",
    "bench",
    "bench ntt",
    "bench gf2",
    "bench msm",
    "completions",
    "man",
    "shaders",
];

#[test]
fn examples_are_command_lines_that_parse() {
    let folder = Folder::new();
    for verb in VERBS {
        for help in ["--help", "-h"] {
            let help = folder.run(&format!("{verb} {help}"));
            let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{verb}: {help}"));
            let lines = examples.lines().take_while(|line| line.trim_start().starts_with("wgalois "));
            let lines: Vec<_> = lines.collect();
            assert!(!lines.is_empty(), "{verb}");
            for line in lines {
                let line = line.trim().split(" > ").next().unwrap().split("   ").next().unwrap();
                let arguments = line.strip_prefix("wgalois ").unwrap();
                assert!(
                    arguments.starts_with(verb.split(' ').next().unwrap()) || arguments.starts_with("gen"),
                    "{line}"
                );
                // Benchmarks, generators and folders of the system are not run; --help stops after parsing what it can.
                if ["bench", "gen", "man", "completions", "shaders"]
                    .iter()
                    .any(|first| arguments.starts_with(first))
                {
                    continue;
                }
                // The files are missing: a command line with a fault would end with 2.
                folder.command(arguments).arg("-q").assert().code(6);
            }
        }
    }
}

/// True if a line of the help begins with the option, after its short form if it has one.
fn has_option(help: &str, option: &str) -> bool {
    let name = |line: &str| line.split_whitespace().find(|word| !word.ends_with(',')).map(str::to_owned);
    help.lines().any(|line| line.trim_start().starts_with('-') && name(line).as_deref() == Some(option))
}

#[test]
fn help_has_the_options_that_apply() {
    let folder = Folder::new();
    for (verb, without) in [
        ("completions", "--verify --memory --device --plan --keep-going"),
        ("gf2 rank", "--output-format"),
        ("gf2 mul", "--method --pivots"),
        ("check gf2 rank", "--output-format --pivots --verify --output"),
        ("check gf2 mul", "--plan --device --keep-going --output"),
        ("check polymul", "--verify --plan --device --keep-going --output"),
        ("check solve", "--degree --plan --device --output"),
        ("gen gf2", "--plan --verify --device"),
        ("bench gf2", "--plan --verify --keep-going"),
        ("devices", "--plan --device --memory --trace"),
        ("shaders", "--plan --device --memory --output"),
    ] {
        let help = folder.run(&format!("{verb} --help"));
        for option in without.split(' ') {
            assert!(!has_option(&help, option), "{verb}: {option}");
        }
    }
    let help = folder.run("gf2 rank --help");
    for option in ["--device", "--verify", "--wrap", "--plan", "--output"] {
        assert!(has_option(&help, option), "{option}: {help}");
    }
    assert!(has_option(&folder.run("check gf2 rank --help"), "--plan"));
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    let folder = Folder::new();
    for (command, option) in [
        ("check gf2 rank a --result r -o x", "--output"),
        ("check polymul a b --prime 17 --result r --plan", "--plan"),
        ("check gf2 mul a b --result r --plan", "--plan"),
        ("check solve s --result r --plan", "--plan"),
        ("bench ntt --keep-going", "--keep-going"),
        ("shaders --dump d -o x", "--output"),
    ] {
        let refused = folder.fail(command, 2);
        assert!(refused.contains(&format!("has no option {option}")), "{command}: {refused}");
    }
    folder.fail("check solve s --result r --degree 3", 2);
}

#[test]
fn leads_and_formats_are_described() {
    let folder = Folder::new();
    let plain = |help: &str| folder.run(help).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(plain("gf2 --help").contains("The lead of a row is its lowest column"));
    assert!(plain("eliminate --help").contains("The lead of a row is its highest column"));
    let page = folder.run("formats");
    for word in [
        "89 57 47 46 32",
        "np.packbits",
        "np.unpackbits",
        ".npz",
        "EIP-2537",
        "--wrap",
        "big-endian",
        "x1*x2",
    ] {
        assert!(page.contains(word), "{word}");
    }
    assert!(folder.run("--device cpu help formats").contains("np.packbits"));
}

#[test]
fn counts_are_powers_and_suffixes_too() {
    let folder = Folder::new();
    let lines = |arguments: &str| folder.run(arguments).lines().count();
    for (count, number) in [("2^6", 64), ("1k", 1024), ("1K", 1024), ("10^2", 100), ("7", 7)] {
        assert_eq!(lines(&format!("gen poly --prime 17 --terms {count}")), number, "{count}");
        assert_eq!(lines(&format!("gen gf2 --columns 1 --rows {count}")), number, "{count}");
    }
    folder.write("a", "1 2 3");
    assert_eq!(
        folder.run("polymul a a --prime 17 --cyclic 2^2"),
        folder.run("polymul a a --prime 17 --cyclic 4")
    );
    for count in ["", "k", "2^", "^2", "2^64", "99999999999999t", "-1", "+1", "1.5k", "0x10", "4kk"] {
        let arguments = ["gen", "poly", "--prime", "17", &format!("--terms={count}")];
        folder.command("").args(arguments).assert().code(2);
    }
    folder.fail("gen poly --prime 17 --terms 0", 2);
    folder.fail("gen gf2 --rows 2^32", 2);
}

#[test]
fn primes_by_their_usual_names() {
    let folder = Folder::new();
    folder.write("a", "5");
    for (names, value) in [
        ("babybear baby-bear BabyBear", "2013265921"),
        ("koalabear koala-bear", "2130706433"),
        ("mersenne31 m31", "2147483647"),
        ("kyber ml-kem", "3329"),
        ("dilithium ml-dsa", "8380417"),
        ("falcon", "12289"),
    ] {
        let expected = folder.run(&format!("polymul a a --prime {value}"));
        for name in names.split(' ') {
            assert_eq!(folder.run(&format!("polymul a a --prime {name}")), expected, "{name}");
        }
    }
    for name in [
        "goldilocks",
        "18446744069414584321",
        "2305843009213693951",
        "bn254",
        "21888242871839275222246405745257",
    ] {
        let refused = folder.fail(&format!("polymul a a --prime {name}"), 3);
        assert!(refused.contains("too large") && refused.contains("No prime of 64 bits"), "{refused}");
        assert!(refused.contains("babybear"), "{refused}");
    }
    assert!(folder.fail("polymul a a --prime 18446744069414584321", 3).contains("Goldilocks"));
    let refused = folder.fail("polymul a a --prime babyber", 3);
    assert!(refused.contains("babybear, koalabear") && refused.contains("falcon"), "{refused}");
}

#[test]
fn manual_pages_of_every_verb() {
    let folder = Folder::new();
    folder.run("man -o pages");
    let names: Vec<_> =
        std::fs::read_dir(folder.path("pages")).unwrap().map(|e| e.unwrap().file_name()).collect();
    for name in [
        "wgalois.1",
        "wgalois-gf2.1",
        "wgalois-gf2-rank.1",
        "wgalois-bench-ntt.1",
        "wgalois-check-gf2-rank.1",
    ] {
        assert!(names.iter().any(|found| found == name), "{name} in {names:?}");
    }
    let page = folder.text("pages/wgalois-gf2-solve.1");
    assert!(page.starts_with(".ie") && page.contains("Guarantee") && page.contains("Examples"), "{page}");
    assert!(page.contains(&format!("\"wgalois {}\"", env!("CARGO_PKG_VERSION"))), "{page}");
    assert!(folder.run("man").contains("wgalois"));
}

#[test]
fn plots_are_svg_or_png_or_refused() {
    let folder = Folder::new();
    for verb in ["ntt", "gf2", "msm"] {
        let refused = folder.fail(&format!("bench {verb} --plot x.pdf"), 2);
        assert!(refused.contains("--plot x.pdf: there is no format for files `.pdf`"), "{refused}");
    }
}
