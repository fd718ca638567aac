//! Boolean systems: every method against an evaluation of every assignment, and against each other.

use wgalois::{Cpu, Device, Error};
use wgalois_boolean as boolean;
use wgalois_boolean::formats::{self, Format};
use wgalois_boolean::{
    Certificate, Equations, Method, Monomial, Polynomial, Query, Simplified, Solutions, generate,
};
use wgalois_io::Source;

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

/// All solutions in ascending order: every assignment is put into every term.
fn brute_force(system: &Equations) -> Vec<Vec<bool>> {
    let n = system.variables();
    let assignment = |number: u64| (0..n).map(|variable| number >> (n - 1 - variable) & 1 == 1).collect();
    let solves = |values: &Vec<bool>| {
        system.polynomials().iter().all(|polynomial| {
            let mut sum = 0;
            for term in polynomial.terms() {
                sum += u32::from(term.variables().iter().all(|&variable| values[variable as usize]));
            }
            sum % 2 == 0
        })
    };
    (0..1u64 << n).map(assignment).filter(solves).collect()
}

fn check_all_queries(system: &Equations, method: Method, what: &str) {
    let expected = brute_force(system);
    let run = |query| boolean::solve_by(&cpu(), system, query, method).unwrap();
    let all = run(Query::All);
    assert_eq!(all.list, expected, "{what}");
    assert!(all.is_complete);
    assert_eq!(run(Query::Count).count.to_u64(), Some(expected.len() as u64), "{what}");
    let one = run(Query::One);
    assert_eq!(one.list.len(), expected.len().min(1), "{what}");
    assert!(one.list.iter().all(|values| expected.contains(values)), "{what}");
    // Without solutions, the search must have been complete.
    assert!(one.is_complete || !one.list.is_empty());
}

fn read(text: &str) -> Equations {
    formats::read(&Source::from_bytes("f", text), None, u64::MAX).unwrap()
}

#[test]
fn every_method_finds_what_brute_force_finds() {
    let mut seed = 0;
    for degree in 1..=4 {
        for n in [1usize, 2, 3, 5, 8, 10] {
            for m in [1, n.div_ceil(2), n, 2 * n, 3 * n] {
                seed += 1;
                let system = generate::random(n, m, degree, seed, seed % 2 == 0).unwrap();
                for method in [Method::Auto, Method::Exhaustive, Method::Xl] {
                    check_all_queries(&system.equations, method, &format!("{method} n {n} m {m} d {degree}"));
                }
            }
        }
    }
}

#[test]
fn larger_systems_by_every_method() {
    for (n, m, degree, planted) in
        [(12, 24, 2, true), (14, 28, 2, false), (15, 45, 2, true), (11, 33, 3, true)]
    {
        let system = generate::random(n, m, degree, n as u64, planted).unwrap();
        for method in Method::ALL {
            check_all_queries(&system.equations, method, &format!("{method} n {n} m {m} d {degree}"));
        }
        if let Some(planted) = system.planted {
            let all = boolean::solve(&cpu(), &system.equations, Query::All).unwrap();
            assert!(all.list.contains(&planted));
        }
    }
}

#[test]
fn systems_of_no_equation_and_of_constants() {
    let none = Equations::new(vec!["a".into(), "b".into()], Vec::new()).unwrap();
    assert_eq!(boolean::solve(&cpu(), &none, Query::All).unwrap().list.len(), 4);
    assert_eq!(boolean::solve(&cpu(), &none, Query::One).unwrap().list, [[false, false]]);
    let empty = Equations::new(Vec::new(), vec![Polynomial::zero()]).unwrap();
    assert_eq!(boolean::solve(&cpu(), &empty, Query::Count).unwrap().count.to_u64(), Some(1));
    let one = Equations::new(Vec::new(), vec![Polynomial::one()]).unwrap();
    assert_eq!(boolean::solve(&cpu(), &one, Query::All).unwrap(), Solutions::none());
    // 2^3000 solutions are counted and not listed.
    let names = (0..3000).map(|number| format!("v{number}")).collect();
    let free = Equations::new(names, vec![Polynomial::zero()]).unwrap();
    let count = boolean::solve(&cpu(), &free, Query::Count).unwrap().count.to_string();
    assert_eq!((count.len(), &count[..6]), (904, "123023"));
    assert!(matches!(boolean::solve(&cpu(), &free, Query::All), Err(Error::TooMany { .. })));
    assert_eq!(boolean::solve(&cpu(), &free, Query::One).unwrap().list.len(), 1);
}

#[test]
fn variables_that_others_determine_are_substituted() {
    // A chain of 2000 variables: each is the one before, or its complement, or the sum of the two before.
    let mut text = String::from("v0*v1 + v0 + 1\nv1 + v0 + 1\n");
    for i in 2..2000 {
        let constant = if i % 3 == 0 { " + 1" } else { "" };
        match i % 2 {
            0 => text += &format!("v{i} + v{}{constant}\n", i - 1),
            _ => text += &format!("v{i} + v{} + v{}{constant}\n", i - 1, i - 2),
        }
    }
    let system = read(&text);
    assert_eq!(system.variables(), 2000);
    let simplified = Simplified::new(&cpu(), &system).unwrap();
    assert_eq!((simplified.core().variables(), simplified.free().len()), (0, 0));
    let all = boolean::solve(&cpu(), &system, Query::All).unwrap();
    assert_eq!((all.list.len(), all.count.to_u64()), (1, Some(1)));
    // v0 = 1 and v1 = 0, and the definitions in the test's own words.
    let values = &all.list[0];
    assert!(values[0] && !values[1]);
    for i in 2..2000 {
        let sum = if i % 2 == 0 { values[i - 1] } else { values[i - 1] ^ values[i - 2] };
        assert_eq!(values[i], sum ^ (i % 3 == 0), "{i}");
    }
}

/// Small files in the form of Bosphorus' tests, with the number of their solutions.
const FILES: &[(&str, u64)] = &[
    ("x1 + x2\n", 2),
    ("c a comment\nx1 + x2 + x3\nx1*x2 + x2*x3 + 1\n", 2),
    ("x1\n", 1),
    ("x1*x2 + x1 + x2\nx1*x2 + x1 + x3\n", 1),
    ("x(0)*x(7) + x(7)\nx(1) + x(5) + x(7)\n\nx(2) + x(0)\nx(3) + x(0) + 1\n", 6),
    ("x1*x2 + x1 + 1\nx2*x3 + x3\n", 1),
    ("x(1) + x(2) + 1\n(x3) + x(1)\nx(1)*x(2) + x(4)\n", 2),
    ("x1*x2*x3 + x1\nx2 + x3 + 1\n", 2),
    ("x1 + x2 + x3 + x4\nx2 + x3 + x5\nx1 + x4 + x5 + 1\n", 0),
    ("x(1) + x2 + X3\nx(1)*x2 + x2*X3 + 1\n", 2),
    ("K[1],  K[2],  S_after[1,2],  n_3\nK[1]*K[2] + S_after[1,2]\nK[2] + n_3 + 1\nx2 + x5\n", 8),
    ("x1, x2, x3, x4, x5\nx1, x2\nx1*x2 + x3\nx4 + x5 + 1\n", 8),
    ("(x1*x4 + x0*x5)*x8 + (x3*x4 + x0*x7)*x9\n", 184),
    ("x1*x2 = x3 + 1\nx1^2 + x1\n", 4),
    ("[x0*x1 + x2,\n x0 + 1]\n", 2),
    ("Ideal (x0*x1 + x2, x0 + 1) of Boolean PolynomialRing in x0, x1, x2\n", 2),
    ("1\n", 0),
    ("", 1),
];

#[test]
fn small_files() {
    for (text, count) in FILES {
        let system = read(text);
        let expected = brute_force(&system);
        assert_eq!(expected.len() as u64, *count, "{text}");
        for method in [Method::Auto, Method::Exhaustive, Method::Xl] {
            check_all_queries(&system, method, text);
        }
    }
}

/// The example of the MQ challenge's page on its format, which has two polynomials written out.
const CHALLENGE: &str = "Galois Field : GF(2)\nNumber of variables (n) : 4\nNumber of equations (m) : 2\nSeed : 0\n\
                         Order : graded reverse lex order\n\n*********************\n\
                         1 1 0 0 1 1 0 0 0 0 1 0 0 1 0 ;\n0 0 0 0 1 1 0 1 0 1 0 1 0 1 1 ;\n";

#[test]
fn the_format_of_the_challenge() {
    let system = read(CHALLENGE);
    // x1^2 + x1 x2 + x2 x3 + x3^2 + x1 + x4, and x2 x3 + x3^2 + x2 x4 + x4^2 + x2 + x4 + 1
    let same = read("x1 + x1*x2 + x2*x3 + x3 + x1 + x4\nx2*x3 + x3 + x2*x4 + x4 + x2 + x4 + 1\n");
    assert_eq!(system, same);
    let mut text = Vec::new();
    formats::write(&mut text, Format::Challenge, &system).unwrap();
    assert_eq!(read(std::str::from_utf8(&text).unwrap()), system);
}

#[test]
fn what_is_written_is_read_again() {
    for (seed, degree) in [(1, 2), (2, 3), (3, 2)] {
        let system = generate::random(12, 9, degree, seed, false).unwrap().equations;
        for format in [Format::Anf, Format::Sage, Format::Challenge] {
            let mut text = Vec::new();
            let written = formats::write(&mut text, format, &system);
            if degree > 2 && format == Format::Challenge {
                assert!(written.is_err());
                continue;
            }
            written.unwrap();
            let source = Source::from_bytes("f", text);
            assert_eq!(Format::of(source.bytes()), format);
            assert_eq!(formats::read(&source, None, u64::MAX).unwrap(), system);
        }
    }
}

#[test]
fn faults_are_named_with_line_and_column() {
    let broken = CHALLENGE.replacen("1 0 ;", "1 ;", 1);
    let other_field = CHALLENGE.replace("GF(2)", "GF(31)");
    let too_few = CHALLENGE.replace("(m) : 2", "(m) : 3");
    let cases: &[(&str, &str)] = &[
        ("x1 + x2 + \u{fc}1\n", "f:1:11"),
        ("(x1))\n", "f:1:5"),
        ("((x1)\n", "f:1:6"),
        (")x1\n", "f:1:1"),
        ("x1 +\nx2\n", "f:1:5"),
        ("x1*\n", "f:1:4"),
        ("x1 x2\n", "f:1:4"),
        ("x1\nx2 + 2*x3\n", "f:2:6"),
        ("x(1 + x2\n", "f:1:5"),
        ("x1, x2,\n", "f:1:8"),
        ("x1^\n", "f:1:4"),
        ("[x1 + x2, x3\n", "f:2:1"),
        ("[x1 + x2] x3\n", "f:1:11"),
        (&broken, "f:8:29"),
        (&other_field, "f:1:16"),
        (&too_few, "f:10:1"),
        ("Galois Field : GF(2)\nNumber of variables (n) : 4\n", "f:3:1"),
        ("Galois Field : GF(2)\nNumber of variables (n) : -4\n", "f:2:27"),
    ];
    for (text, place) in cases {
        let error = formats::read(&Source::from_bytes("f", *text), None, u64::MAX).unwrap_err();
        assert_eq!(error.exit_code(), 3, "{text}");
        assert!(error.to_string().starts_with(&format!("{place}: ")), "{text}: {error}");
    }
    let deep = "(".repeat(100_000);
    assert!(formats::read(&Source::from_bytes("f", deep), None, u64::MAX).is_err());
    let little = formats::read(&Source::from_bytes("f", "x1*x2 + x3"), None, 100).unwrap_err();
    assert!(matches!(little, Error::TooLarge(_)));
}

#[test]
fn certificates_are_found_and_wrong_ones_are_not_accepted() {
    let mut found = 0;
    for seed in 0..12 {
        let system = generate::random(6, 14, 2, seed, seed % 3 == 0).unwrap().equations;
        let certificate = Certificate::find(&cpu(), &system, 1 << 24).unwrap();
        // At the degree of all variables the search for a certificate is complete.
        assert_eq!(certificate.is_none(), !brute_force(&system).is_empty(), "{seed}");
        let Some(certificate) = certificate else { continue };
        found += 1;
        certificate.check(&system).unwrap();
        let products = certificate.products();
        for left_out in 0..products.len() {
            let mut fewer = products.to_vec();
            fewer.remove(left_out);
            // A product may be 0, and is then of no use.
            let factor = &products[left_out];
            if !system.polynomials()[factor.1].times_monomial(&factor.0).is_zero() {
                assert!(matches!(Certificate::new(fewer).check(&system), Err(Error::Check(_))));
            }
        }
        assert!(Certificate::new(vec![(Monomial::one(), 14)]).check(&system).is_err());
        let mut text = Vec::new();
        formats::write_certificate(&mut text, &system, &certificate).unwrap();
        let read = formats::read_answer(&Source::from_bytes("f", text), &system, u64::MAX).unwrap();
        assert_eq!(read, formats::Answer::Certificate(certificate));
    }
    assert!(found > 0);
}

#[test]
fn a_wrong_assignment_fails_its_check() {
    let system = generate::random(10, 20, 2, 5, true).unwrap();
    let mut solutions = boolean::solve(&cpu(), &system.equations, Query::All).unwrap();
    solutions.check(&system.equations).unwrap();
    solutions.list[0][3] ^= true;
    let is_solution = brute_force(&system.equations).contains(&solutions.list[0]);
    assert_eq!(solutions.check(&system.equations).is_ok(), is_solution);
}

/// A toy cipher: four rounds of additions of the key, S-boxes of four bits and a permutation of 16 bits.
mod spn {
    pub const SBOX: [u16; 16] = [12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2];
    pub const ROUNDS: usize = 3;

    /// Bit i goes to place 4 i modulo 15, as in PRESENT.
    pub fn place(bit: usize) -> usize {
        if bit == 15 { 15 } else { 4 * bit % 15 }
    }

    pub fn encrypt(mut state: u16, key: u16) -> u16 {
        for round in 0..ROUNDS {
            state ^= key.rotate_left(5 * round as u32);
            let boxed = (0..4)
                .fold(0, |sum, nibble| sum | SBOX[usize::from(state >> (4 * nibble) & 15)] << (4 * nibble));
            state = (0..16).fold(0, |sum, bit| sum | (boxed >> bit & 1) << place(bit));
        }
        state ^ key
    }

    /// The algebraic normal form of each output bit of the S-box: masks of input bits.
    pub fn forms() -> [Vec<usize>; 4] {
        std::array::from_fn(|output| {
            let coefficient = |mask: usize| {
                (0..16).filter(|at| at & !mask == 0).fold(0, |sum, at| sum ^ SBOX[at] >> output & 1)
            };
            (0..16).filter(|&mask| coefficient(mask) == 1).collect()
        })
    }
}

#[test]
fn the_key_of_a_toy_cipher() {
    let key = 0xb1c5u16;
    let plaintexts = [0x0123u16, 0xfedc];
    // Variables: k0 to k15, and for each text, round and bit the output of an S-box.
    let mut text = String::new();
    for (number, &plain) in plaintexts.iter().enumerate() {
        // The state as linear expressions.
        let mut state: Vec<String> = (0..16).map(|bit| (plain >> bit & 1).to_string()).collect();
        for round in 0..spn::ROUNDS {
            // Bit i of the rotated key is bit i - 5 round.
            let mixed: Vec<String> = (0..16)
                .map(|bit: usize| format!("({} + k{})", state[bit], (bit + 160 - 5 * round) % 16))
                .collect();
            for bit in 0..16 {
                let inputs = &mixed[bit / 4 * 4..][..4];
                let term = |mask: &usize| match mask {
                    0 => "1".to_owned(),
                    mask => (0..4)
                        .filter(|i| mask >> i & 1 == 1)
                        .map(|i| &inputs[i][..])
                        .collect::<Vec<_>>()
                        .join("*"),
                };
                let sum: Vec<String> = spn::forms()[bit % 4].iter().map(term).collect();
                text += &format!("s{number}_{round}_{bit} + {}\n", sum.join(" + "));
            }
            for bit in 0..16 {
                state[spn::place(bit)] = format!("s{number}_{round}_{bit}");
            }
        }
        let cipher = spn::encrypt(plain, key);
        for (bit, value) in state.iter().enumerate() {
            text += &format!("{value} + k{bit} + {}\n", cipher >> bit & 1);
        }
    }
    let system = read(&text);
    let solutions = boolean::solve(&cpu(), &system, Query::All).unwrap();
    let keys: Vec<u16> = solutions
        .list
        .iter()
        .map(|values| {
            (0..16).fold(0, |key, bit| {
                let variable = system.variable_named(&format!("k{bit}")).unwrap();
                key | u16::from(values[variable as usize]) << bit
            })
        })
        .collect();
    // By brute force over all keys.
    let matches =
        |&guess: &u16| plaintexts.iter().all(|&plain| spn::encrypt(plain, guess) == spn::encrypt(plain, key));
    let mut expected: Vec<u16> = (0..=u16::MAX).filter(matches).collect();
    let mut found = keys.clone();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert!(found.contains(&key));
}
