//! Clauses and XORs: their solutions are counted by the definition, and what is refused.

use super::*;

fn read_cnf(text: &str) -> Result<Equations> {
    read_as(text, None)
}

/// The assignments of x1 to xn that satisfy all clauses, by the definition.
fn satisfied(variables: usize, clauses: &[(bool, Vec<i32>)]) -> Vec<Vec<bool>> {
    let holds =
        |values: &[bool], literal: &i32| values[literal.unsigned_abs() as usize - 1] == (*literal > 0);
    let all =
        (0..1usize << variables).map(|x| (0..variables).map(|bit| x >> bit & 1 == 1).collect::<Vec<bool>>());
    all.filter(|values| {
        clauses.iter().all(|(is_xor, literals)| match is_xor {
            false => literals.iter().any(|literal| holds(values, literal)),
            true => literals.iter().filter(|literal| holds(values, literal)).count() % 2 == 1,
        })
    })
    .collect()
}

#[test]
fn clauses_and_xors_have_the_solutions_of_their_definition() {
    let mut random = 1u64;
    let mut next = |most: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) % most
    };
    for round in 0..200 {
        let variables = 1 + round % 7;
        let clauses: Vec<(bool, Vec<i32>)> = (0..next(8))
            .map(|_| {
                let literal = |next: &mut dyn FnMut(u64) -> u64| {
                    let variable = 1 + next(variables as u64) as i32;
                    if next(2) == 0 { variable } else { -variable }
                };
                let is_xor = next(3) == 0;
                (is_xor, (0..next(6)).map(|_| literal(&mut next)).collect())
            })
            .collect();
        let mut text = format!("c random\np cnf {variables} {}\n", clauses.len());
        for (is_xor, literals) in &clauses {
            text += if *is_xor { ["x", "x "][round % 2] } else { "" };
            literals
                .iter()
                .for_each(|literal| text += &format!("{literal}{}", ["\n", " "][usize::from(*is_xor)]));
            text += "0\n";
        }
        let system = read_cnf(&text).unwrap_or_else(|error| panic!("{text}{error}"));
        let names: Vec<String> = (1..=variables).map(|number| format!("x{number}")).collect();
        assert_eq!((system.names(), system.polynomials().len()), (&names[..], clauses.len()));
        let expected = satisfied(variables, &clauses);
        let all = (0..1usize << variables)
            .map(|x| (0..variables).map(|bit| x >> bit & 1 == 1).collect::<Vec<bool>>());
        let found: Vec<Vec<bool>> = all.filter(|values| system.violated(values).is_none()).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn files_as_programs_write_them() {
    // SATLIB's end, comments between and within clauses, CRLF, blank lines.
    for text in [
        "p cnf 3 2\n1 -2 0\n2 3 0\n%\n0\n\n",
        "c a title\r\nc\r\n\r\np  cnf\t3 2\r\n1\r\n-2 0 2\r\nc between\r\n3 0\r\n",
        "p cnf 3 2\n1 -2 0 2 3 0",
        "  p cnf 3 2\n 1 -2 -2 0\n2 3 3 0\n",
    ] {
        let system = read_cnf(text).unwrap_or_else(|error| panic!("{text}{error}"));
        assert_eq!(count(&system), 4, "{text}");
        assert_eq!(Format::of(text.as_bytes()), Format::Dimacs);
    }
    // x1 x2 + x2 for the clause x1 or not x2.
    let system = read_cnf("p cnf 2 2\n1 -2 0\nx1 2 0\n").unwrap();
    let expected = read_as("x1*x2 + x2\nx1 + x2 + 1\n", Some(Format::Anf)).unwrap();
    assert_eq!(system, expected);
    // No variable is lost, and an empty clause is a contradiction.
    assert_eq!(count(&read_cnf("p cnf 5 0\n").unwrap()), 32);
    for text in ["p cnf 1 1\n0\n", "p cnf 1 1\nx0\n", "p cnf 1 1\nx 0\n", "p cnf 1 1\nx1 1 0\n"] {
        assert!(read_cnf(text).unwrap().polynomials()[0].is_one(), "{text}");
    }
    assert!(read_cnf("p cnf 2 1\n1 -1 2 0\n").unwrap().polynomials()[0].is_zero());
    let named = Source::from_bytes("f.cnf", "cfirst\np cnf 1 1\n1 0\n");
    assert_eq!(count(&read(&named, None, u64::MAX).unwrap()), 1);
    // Lines of other formats that begin alike.
    assert_eq!(Format::of(b"p + cnf\n"), Format::Anf);
    assert_eq!(Format::of(b"p cnf2\n"), Format::Anf);
    let mut out = Vec::new();
    assert!(write(&mut out, Format::Dimacs, &system).is_err() && out.is_empty());
}

#[test]
fn what_is_refused_and_where() {
    for (text, says) in [
        ("p cnf 3 2\n1 -2 0\n", "f:1:9: the file has 1 clauses, where the header states 2"),
        ("p cnf 3 1\n1 0\n2 0\n", "f:1:9: the file has 2 clauses, where the header states 1"),
        ("p cnf 3 1\n1 4 0\n", "f:2:3: \"4\": a literal was expected, from -3 to 3"),
        ("p cnf 3 1\n1 -0\n", "f:2:3: \"-0\": a literal"),
        ("p cnf 3 1\n1 +2 0\n", "f:2:3: \"+2\": a literal"),
        ("p cnf 3 1\n1 y 0\n", "f:2:3: \"y\": a literal"),
        ("p cnf 3 1\n1 x2 0\n", "f:2:3: \"x2\": a literal"),
        ("p cnf 3 1\nxx2 0\n", "f:2:2: \"x2\": a literal"),
        ("p cnf 3 1\nc\n1 -2\n", "f:3:1: the file ends within this clause"),
        ("p cnf 3 1\nx\n", "f:2:1: the file ends within this clause"),
        ("p cnf 3\n", "f:1:1: the header has `p cnf` and two numbers"),
        ("p cnf 3 1 0\n", "f:1:1: the header has"),
        ("p cnf -3 1\n", "f:1:7: \"-3\": a number up to 16777216"),
        ("p cnf 16777217 0\n", "f:1:7: \"16777217\": a number up to"),
        ("p cnf 3 99\n1 0\n", "f:1:9: \"99\": a number up to"),
        ("p cnf 3 1\n1 0\np cnf 3 1\n", "f:3:1: a second header"),
        ("p cnf 3 1\n1 0\n%\n0\n0\n", "f:5:1: the end was expected"),
        ("p cnf 3 1\n1 0\n%\n1\n", "f:4:1: the end was expected"),
    ] {
        let error = read_as(text, Some(Format::Dimacs)).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().starts_with(says), "{text}: {error}");
    }
    let refused = |text: &str| read_as(text, Some(Format::Dimacs)).unwrap_err().to_string();
    assert!(refused("1 0\n").starts_with("f:1:1: the header, as in `p cnf 3 2`, was expected"));
    assert!(refused("p dnf 3 1\n1 0\n").starts_with("f:1:3: \"dnf\": `p cnf` was expected"));
    assert!(refused("c\n").contains("the header"));
    assert!(refused("").contains("the header"));
    // A clause whose equation would have 2^23 terms; with signs it has one.
    let literals = |sign: &str| (1..24).map(|number| format!("{sign}{number} ")).collect::<String>();
    let long = refused(&format!("p cnf 23 2\n1 0\n{}0\n", literals("")));
    assert!(
        long.starts_with("f:3:1: a clause of 23 literals without a sign: its equation has 2^23 terms"),
        "{long}"
    );
    let system = read_cnf(&format!("p cnf 23 1\n{}0\n", literals("-"))).unwrap();
    assert_eq!((system.degree(), system.terms()), (23, 1));
    // No truncation is another system.
    let text = "p cnf 3 2\n1 -2 0\nx2 3 0\n";
    let whole = read_cnf(text).unwrap();
    for end in 0..text.len() {
        if let Ok(read) = read_as(&text[..end], Some(Format::Dimacs)) {
            assert!(read == whole && end + 1 == text.len(), "{end}");
        }
    }
}

#[test]
fn the_memory_that_is_stated_for_clauses_suffices() {
    let clauses: String =
        (1..60).map(|number| format!("{number} -{} {} 0\n", number + 1, number + 2)).collect();
    let source = Source::from_bytes("f", format!("p cnf 70 59\n{clauses}")).with_held(70);
    suffices("clauses", |memory| read(&source, None, memory));
    // Variables that do not occur are not allocated before they are counted.
    let source = Source::from_bytes("f", "p cnf 16777216 0\n");
    assert!(matches!(read(&source, None, 1 << 20), Err(Error::TooLarge(_))));
}
