//! Readers and writers of equations: comments, spellings, rings, round trips, and what memory suffices.

use super::*;
use wgalois::Error;

mod dimacs;

fn read_as(text: &str, format: Option<Format>) -> Result<Equations> {
    read(&Source::from_bytes("f", text), format, u64::MAX)
}

/// The number of solutions, by putting in every assignment.
fn count(system: &Equations) -> usize {
    let n = system.variables();
    let values = |x: usize| (0..n).map(|bit| x >> bit & 1 == 1).collect::<Vec<bool>>();
    (0..1 << n).filter(|&x| system.violated(&values(x)).is_none()).count()
}

/// Text of ANF, the names of its variables, and the number of its solutions.
const ANF: &[(&str, &str, usize)] = &[
    // The variable c, at the beginning of a line.
    ("a*b + c\nc + 1\n", "a b c", 1),
    ("a*b + c\nc\n", "a b c", 3),
    ("c + 1\na*b + 1", "a b c", 1),
    ("c + d\nc\n", "c d", 1),
    ("c\t* d = 1\n", "c d", 1),
    ("c , d\nd + 1\n", "c d", 2),
    ("c, d\nc d\n# nothing\n", "", 0),
    ("c^2 + 1\n  c\r\n", "c", 0),
    ("c a comment\na + c\nc + 1\n", "a c", 1),
    ("c a comment\n1*c + 1\n", "c", 1),
    // Comments: no polynomial begins so, or c is no variable.
    ("c comment\nx1\n", "x1", 1),
    ("c a comment\nc\nc\tand more\nx1\n", "x1", 1),
    ("c x1 + x2\nx1 + x2\n", "x1 x2", 2),
    ("c planted: x1=0\nx1\n", "x1", 1),
    ("c *** a title ***\nc =====\nx1\n", "x1", 1),
    ("c - a list\nc - of things\nx1\n", "x1", 1),
    ("# c + 1\nx1 + c1\n", "c1 x1", 2),
    ("c\u{fc} x\n", "", 0),
    // A comment about the system's variable c.
    ("c the carry c is a*b\na*b + c\n", "a b c", 4),
    ("c carry\na*b + c\n", "a b c", 4),
    ("c a*b + b*d\na*b + c\n", "a b c", 4),
];

#[test]
fn the_letter_c_is_a_comment_only_where_it_can_be_nothing_else() {
    for &(text, names, solutions) in ANF {
        match read_as(text, Some(Format::Anf)) {
            Ok(system) => {
                assert_eq!(system.names().join(" "), names, "{text}");
                assert_eq!(count(&system), solutions, "{text}");
            }
            Err(error) => assert_eq!((names, solutions, error.exit_code()), ("", 0, 3), "{text}: {error}"),
        }
    }
    // In doubt the line is refused.
    for (text, place) in [
        ("x1\nc\n", "f:2:1"),
        ("c\nc\nx1\n", "f:1:1"),
        ("c a comment\nx1\n  c + 1\n", "f:3:3"),
        ("c a comment\nx1\nc = x1\n", "f:3:1"),
        ("a + c\nc a comment\nc\n", "f:3:1"),
        ("a + c\nb\nc b\n", "f:3:1"),
        ("c - a\na + c\n", "f:1:1"),
        ("c (a + b)*a\na + c\n a + b\n", "f:1:1"),
        ("c 1\na + c\n", "f:1:1"),
        // A wrong polynomial is no comment.
        ("x1\nc + 2*x1\n", "f:2:5"),
        ("x1\nc +\n", "f:2:4"),
    ] {
        let error = read_as(text, Some(Format::Anf)).unwrap_err();
        assert_eq!(error.exit_code(), 3, "{text}");
        assert!(error.to_string().starts_with(&format!("{place}: ")), "{text}: {error}");
    }
    // Linear equations in all letters.
    let letters: String = ('a'..='z').map(|letter| format!("{letter} + 1\n")).collect();
    let system = read_as(&letters, None).unwrap();
    assert_eq!(system.variables(), 26);
    assert_eq!(system.violated(&[true; 26]), None);
    assert_eq!(system.polynomials().len(), 26);
}

#[test]
fn names_keep_their_spelling() {
    for (text, names, solutions) in [
        ("[X1 + x1 + 1]", "X1 x1", 2),
        ("[x01 + x1 + 1, x1]", "x01 x1", 1),
        ("[x00 + x(0) + x[0] + X(00)]", "X(00) x(0) x00 x[0]", 8),
        ("x00 + X1 + S[1, 02] + x(2)\n", "S[1,02] X1 x(2) x00", 8),
        ("x(1) + x(10) + x(2)\n", "x(1) x(2) x(10)", 4),
    ] {
        let system = read_as(text, None).unwrap();
        assert_eq!(system.names().join(" "), names, "{text}");
        assert_eq!(count(&system), solutions, "{text}");
    }
    let system = read_as("[x01 + x1 + 1, x1]", None).unwrap();
    assert_eq!(system.violated(&[true, false]), None);
    assert_eq!(assignment(system.names(), &[true, false]), "x01=1 x1=0");
    let answer = |text: &str| read_answer(&Source::from_bytes("r", text), &system, u64::MAX);
    assert_eq!(answer("x1=0 x01=1\n").unwrap(), Answer::Solutions(vec![vec![true, false]]));
    assert!(answer("x01=1 X1=0\n").unwrap_err().to_string().starts_with("r:1:7: "));
    // Two spellings of one variable of ANF, also in a list of variables.
    for (text, place) in [
        ("X1 + x1 + 1\n", "f:1:6"),
        ("x1\nx2 + x01\n", "f:2:6"),
        ("x1, x2\nx(1)\n", "f:2:1"),
        ("x1, X1\n", "f:1:5"),
        ("x(1) + x(01)\n", "f:1:8"),
    ] {
        let error = read_as(text, Some(Format::Anf)).unwrap_err();
        assert_eq!(error.exit_code(), 3, "{text}");
        assert!(error.to_string().starts_with(&format!("{place}: ")), "{text}: {error}");
    }
}

#[test]
fn ideals_of_rings_over_two_elements() {
    let ideal = "Ideal (x0*x1 + x2, x0 + 1) of ";
    let boolean = "Boolean PolynomialRing in x0, x1, x2";
    let of = |field: &str| format!("Multivariate Polynomial Ring in x0, x1, x2 over {field}");
    let two = "Finite Field of size 2";
    for ring in [boolean.to_owned(), of(two), of("Finite Field of size 2 (using GF2X)\n"), of("GF(2)")] {
        assert_eq!(count(&read_as(&format!("{ideal}{ring}"), None).unwrap()), 2, "{ring}");
    }
    let text =
        format!("Principal ideal (x^2 + x + 1) of Univariate Polynomial Ring in x over {two} (using NTL)\n");
    assert_eq!(count(&read_as(&text, None).unwrap()), 0);
    // Variables of the ring that do not occur are free.
    let text = format!("{ideal}{boolean}, x3,\n x4");
    assert_eq!(count(&read_as(&text, None).unwrap()), 8);
    assert_eq!(count(&read_as("Ideal (x0, x1 + 1)", None).unwrap()), 1);
    for field in [
        "Finite Field of size 3",
        "Finite Field of size 29",
        "Finite Field in a of size 2^8",
        "Finite Field of size 2^2",
        "Finite Field",
        "Rational Field",
        "Integer Ring",
        "Ring of integers modulo 4",
        "Real Field with 53 bits of precision",
        "Finite Field of size 2 by the ideal (x0)",
        "GF(3)",
        "Univariate Polynomial Ring in t over Finite Field of size 2 (using GF2X)",
        "",
    ] {
        let text = format!("{ideal}{}", of(field));
        let error = read_as(&text, None).unwrap_err();
        assert_eq!(error.exit_code(), 3, "{field}");
        let column = text.find("over ").unwrap() + 6;
        assert!(
            error.to_string().starts_with(&format!("f:1:{column}: the ring is over ")),
            "{field}: {error}"
        );
    }
    for (tail, column) in [
        ("Boolean PolynomialRing in x0, x1", 57),
        ("Boolean PolynomialRing in x0, x1, x2 over Finite Field of size 3", 68),
        ("Boolean PolynomialRing in x0, ..., x2", 61),
        ("Quotient of Multivariate Polynomial Ring in x0, x1, x2 over Finite Field of size 2", 31),
        ("Multivariate Polynomial Ring in x0, x1, x2", 73),
    ] {
        let error = read_as(&format!("{ideal}{tail}"), None).unwrap_err();
        assert!(error.to_string().starts_with(&format!("f:1:{column}: ")), "{tail}: {error}");
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let system = |names: &[&str]| {
        Equations::new(names.iter().map(|name| (*name).to_owned()).collect(), vec![Polynomial::variable(0)])
    };
    let all = [Format::Anf, Format::Sage, Format::Challenge];
    // The names, and the formats that hold them.
    let cases: &[(&[&str], &[Format])] = &[
        (&["x1", "x2"], &all),
        (&["x2", "x1"], &all[..2]),
        (&["c", "d"], &all[..2]),
        (&["c"], &all[..2]),
        (&["X1", "x1"], &[Format::Sage]),
        (&["x1", "x(1)", "x01"], &[Format::Sage]),
        (&["x1", "x1"], &[]),
        (&["x1 + x2"], &[]),
        (&["1"], &[]),
        (&[""], &[]),
        (&["\u{fc}"], &[]),
    ];
    for (names, formats) in cases {
        let system = system(names).unwrap();
        for format in all {
            let mut text = Vec::new();
            let written = write(&mut text, format, &system);
            assert_eq!(written.is_ok(), formats.contains(&format), "{names:?} {format:?}");
            if written.is_err() {
                assert!(text.is_empty());
                continue;
            }
            let again = read(&Source::from_bytes("f", text), None, u64::MAX).unwrap();
            let (mut found, mut expected) = (again.names().to_vec(), names.to_vec());
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected);
            // The variable that is 0 has the same name.
            let variable = again.variable_named(names[0]).unwrap();
            assert_eq!(again.polynomials(), [Polynomial::variable(variable)]);
        }
    }
}

/// The memory that an error states suffices, and less is refused.
fn suffices<T: PartialEq + std::fmt::Debug>(what: &str, read: impl Fn(u64) -> Result<T>) {
    let all = read(u64::MAX).unwrap();
    for memory in [0, 100, 1000, 5000] {
        match read(memory) {
            Ok(value) => assert_eq!(value, all, "{what}"),
            Err(Error::TooLarge(shortage)) => {
                let stated = shortage.needed.unwrap();
                assert!(stated > memory, "{what}");
                assert_eq!(read(stated).unwrap_or_else(|error| panic!("{what}: {stated}: {error}")), all);
            }
            Err(error) => panic!("{what}: {error}"),
        }
    }
}

#[test]
fn the_memory_that_is_stated_suffices() {
    let random = crate::generate::random(20, 15, 2, 1, false).unwrap().equations;
    for format in [Format::Anf, Format::Sage, Format::Challenge] {
        let mut text = Vec::new();
        write(&mut text, format, &random).unwrap();
        let source = Source::from_bytes("f", text).with_held(70);
        suffices(&format!("{format:?}"), |memory| read(&source, None, memory));
    }
    // Products of brackets, terms that cancel, many names, and many short lines.
    let brackets = "(a + b + 1)*(a + b + c*d)*(b + c)*d + (a + a + 1)^2*(b + b)\n".repeat(20);
    let names: String = (0..500).map(|number| format!("y_{number} + ")).collect();
    let lines = "x\n".repeat(1000);
    for text in [brackets, format!("{names}1\n"), lines] {
        let source = Source::from_bytes("f", text);
        suffices("text", |memory| read(&source, Some(Format::Anf), memory));
    }
    let answers = format!("{}\n", assignment(random.names(), &[false; 20])).repeat(50);
    let source = Source::from_bytes("f", answers);
    suffices("assignments", |memory| read_answer(&source, &random, memory));
    let products = (0..100).map(|number| (Monomial::new([number % 20, number % 7]), number as usize % 15));
    let mut text = Vec::new();
    write_certificate(&mut text, &random, &crate::Certificate::new(products.collect())).unwrap();
    let source = Source::from_bytes("f", text);
    suffices("certificate", |memory| read_answer(&source, &random, memory));
    // A fault further on is told at once.
    let faulty = Source::from_bytes("f", "x1*x2 + x3\nx1 +\n");
    let error = read(&faulty, None, 100).unwrap_err();
    assert!(error.to_string().starts_with("f:2:5: "), "{error}");
}
