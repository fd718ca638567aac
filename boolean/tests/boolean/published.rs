//! Published systems: Bosphorus' test files and the MQ challenge's toy examples. Every assignment is put into the text of
//! the equations, which this file reads by itself.

use crate::gpu_common::open;
use wgalois::gpu::Options;
use wgalois::{Cpu, Device, Error};
use wgalois_boolean as boolean;
use wgalois_boolean::formats;
use wgalois_boolean::{Equations, Method, Query};
use wgalois_io::Source;

/// Bosphorus' test files (github.com/meelgroup/bosphorus, tests/anf-files; MIT licence), with the number of their
/// solutions in the variables that occur. Of the last, which Bosphorus does not read, the number is that of the
/// evaluation below.
const BOSPHORUS: &[(&str, &str, usize)] = &[
    ("anf_prop", "c RUN: %solver\nx1 + x2\nc CHECK: Equivalences\nc CHECK-L: x(2) + x(1)\n", 2),
    (
        "el",
        "c RUN: %solver\nx1 + x2 + x3\nx1*x2 + x2*x3 + 1\nc CHECK-L: Fixed values\nc CHECK-L: x(2) + 1\n",
        2,
    ),
    ("fixed", "c RUN: %solver\nx1\nc CHECK-L: Fixed values\n", 1),
    ("gj", "c RUN: %solver\nx1*x2 + x1 + x2\nx1*x2 + x1 + x3\nc CHECK-L: x(3) + x(2)\n", 1),
    ("not_eaten", "c RUN: %solver\nx1\nc CHECK-L: x(1)\n", 1),
    ("not_eaten2", "c RUN: %solver\nx1 + x2\nc CHECK-L: x(2) + x(1)\n", 2),
    (
        "substitute_carefully",
        "c RUN: %solver\nc\nc A bug\nc\n\nx(0)*x(7) + x(7)\nx(1) + x(5) + x(7)\nx(2) + x(0)\nx(3) + x(0) + 1\n\
         c CHECK-NOT: ^x\\(1\\)$\n",
        6,
    ),
    ("xl", "c RUN: %solver\nx1*x2 + x1 + 1\nx2*x3 + x3\nc CHECK-L: x(1) + 1\n", 1),
    (
        "ternary_factorized",
        "c RUN: %solver\n\
         (x1*x4 + x0*x5)*x8 + (x3*x4 + x0*x7)*x9 + (x3*x6 + x2*x7)*x10 + (x2*x5 + x1*x6)*x11\nc XFAIL: *\n",
        2512,
    ),
];

/// Those that Bosphorus must refuse, with the place of the fault.
const REFUSED: &[(&str, &str)] = &[("(x1))\n", "2:5"), ("((x1)\n", "2:6"), (")x1\n", "2:1")];

/// The MQ challenge's toy examples (mqchallenge.org) of the types I and IV, which are over GF(2), with the published
/// answers.
macro_rules! toys {
    ($($name:literal $answer:literal)*) => { [$((include_str!(concat!("../mq_challenge/", $name)), $answer)),*] };
}
const TOYS: [(&str, &str); 10] = toys! {
    "type1-n10-seed0" "1010010011"
    "type1-n10-seed1" "0111001110"
    "type1-n10-seed2" "1011111001"
    "type1-n10-seed3" "1001000000"
    "type1-n10-seed4" "1011110101"
    "type4-n5-seed0" "10001"
    "type4-n5-seed1" "00101"
    "type4-n5-seed2" "10110"
    "type4-n5-seed3" "01111"
    "type4-n5-seed4" "10001"
};

fn read(text: &str) -> Result<Equations, Error> {
    formats::read(&Source::from_bytes("f", text), None, u64::MAX)
}

/// A polynomial in the text's own form, evaluated where it is read.
struct Text<'t> {
    rest: &'t [u8],
    value: &'t dyn Fn(usize) -> bool,
}

impl Text<'_> {
    fn takes(&mut self, byte: u8) -> bool {
        let takes = self.rest.first() == Some(&byte);
        self.rest = &self.rest[usize::from(takes)..];
        takes
    }

    fn sum(&mut self) -> bool {
        let mut sum = self.product();
        while self.takes(b'+') {
            sum ^= self.product();
        }
        sum
    }

    fn product(&mut self) -> bool {
        let mut product = self.factor();
        while self.takes(b'*') {
            product &= self.factor();
        }
        product
    }

    fn factor(&mut self) -> bool {
        if self.takes(b'(') {
            let sum = self.sum();
            assert!(self.takes(b')'));
            return sum;
        }
        let is_variable = self.takes(b'x');
        let brackets = is_variable && self.takes(b'(');
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number: usize = std::str::from_utf8(&self.rest[..digits]).unwrap().parse().unwrap();
        self.rest = &self.rest[digits..];
        assert!(!brackets || self.takes(b')'));
        if is_variable { (self.value)(number) } else { number == 1 }
    }
}

/// All solutions of a text: of the variables with these numbers, in ascending order of the lists of values.
fn by_text(text: &str, variables: &[usize]) -> Vec<Vec<bool>> {
    let lines: Vec<Vec<u8>> = text
        .lines()
        .filter(|line| !line.is_empty() && *line != "c" && !line.starts_with("c "))
        .map(|line| line.bytes().filter(|byte| *byte != b' ').collect())
        .collect();
    let count = variables.len();
    let values = |x: usize| (0..count).map(|place| x >> (count - 1 - place) & 1 == 1).collect::<Vec<bool>>();
    let solves = |values: &Vec<bool>| {
        let value = |number: usize| values[variables.iter().position(|v| *v == number).unwrap()];
        lines.iter().all(|line| {
            let mut text = Text { rest: line, value: &value };
            let sum = text.sum();
            assert!(text.rest.is_empty());
            !sum
        })
    };
    (0..1 << count).map(values).filter(solves).collect()
}

/// All solutions of a system in the challenge's format: the coefficients of x1 x1, x1 x2, x2 x2, x1 x3 and so on, of x1,
/// x2 and so on, and of 1.
fn by_coefficients(text: &str) -> Vec<Vec<bool>> {
    let n: usize = text.lines().nth(1).unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    let polynomials: Vec<Vec<bool>> = text
        .lines()
        .skip_while(|line| !line.starts_with('*'))
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.split_whitespace().filter(|token| *token != ";").map(|token| token == "1").collect())
        .collect();
    let values = |x: usize| (0..n).map(|place| x >> (n - 1 - place) & 1 == 1).collect::<Vec<bool>>();
    let solves = |x: &Vec<bool>| {
        let pairs = (0..n).flat_map(|j| (0..=j).map(move |i| (i, j))).map(|(i, j)| x[i] & x[j]);
        let monomials: Vec<bool> = pairs.chain(x.iter().copied()).chain([true]).collect();
        polynomials.iter().all(|polynomial| {
            assert_eq!(polynomial.len(), monomials.len());
            polynomial.iter().zip(&monomials).filter(|(a, b)| **a && **b).count() % 2 == 0
        })
    };
    (0..1 << n).map(values).filter(solves).collect()
}

fn check(device: &Device, text: &str, expected: &[Vec<bool>], what: &str) {
    let system = read(text).unwrap();
    for method in [Method::Auto, Method::Exhaustive, Method::Xl, Method::Crossbred] {
        let all = match boolean::solve_by(device, &system, Query::All, method) {
            // Crossbred takes no system of so few equations.
            Err(Error::Unsuited { .. }) if method == Method::Crossbred => continue,
            all => all.unwrap(),
        };
        assert!(all.is_complete);
        assert_eq!(all.list, expected, "{what} by {method}");
    }
}

fn devices() -> [Device; 2] {
    [Device::Cpu(Cpu::default()), Device::Gpu(open(Options::portable()))]
}

#[test]
fn the_test_files_of_bosphorus() {
    let devices = devices();
    for (name, text, count) in BOSPHORUS {
        let system = read(text).unwrap();
        let numbers: Vec<usize> =
            system.names().iter().map(|name| name[1..].trim_matches(['(', ')']).parse().unwrap()).collect();
        let expected = by_text(text, &numbers);
        assert_eq!(expected.len(), *count, "{name}");
        devices.iter().for_each(|device| check(device, text, &expected, name));
    }
    for (line, place) in REFUSED {
        let error = read(&format!("c RUN: %solver\n{line}c XFAIL: *\n")).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().starts_with(&format!("f:{place}: ")), "{error}");
    }
}

#[test]
fn the_toy_examples_of_the_challenge() {
    let devices = devices();
    for (text, answer) in TOYS {
        let expected = by_coefficients(text);
        let answer: Vec<bool> = answer.bytes().map(|byte| byte == b'1').collect();
        assert!(expected.contains(&answer));
        let what = text.lines().nth(1).unwrap();
        devices.iter().for_each(|device| check(device, text, &expected, what));
    }
}
