//! Polynomials as Sage and Magma print them: a list in brackets, which may go over several lines, or an ideal of a
//! ring over GF(2).
//!
//! ```text
//! [x0*x1 + x2, x0 + 1]
//! Ideal (x0*x1 + x2, x0 + 1) of Boolean PolynomialRing in x0, x1, x2
//! Ideal (x^2 + y, x*y) of Multivariate Polynomial Ring in x, y over Finite Field of size 2
//! Principal ideal (x + 1) of Univariate Polynomial Ring in x over Finite Field of size 2 (using GF2X)
//! ```

use super::expression::{self, Parser};
use super::names::Spelling;
use super::value::{Size, Value};
use crate::{Equations, Polynomial};
use std::io::{self, Write};
use wgalois::{Error, Result};
use wgalois_io::{Source, text};

/// The beginnings of an ideal.
const IDEALS: [&str; 2] = ["Ideal", "Principal ideal"];
/// The rings over a field that is named.
const RINGS: [&str; 2] = ["Multivariate Polynomial Ring in", "Univariate Polynomial Ring in"];
/// The field with two elements, as Sage and Magma print it; Sage adds the library in brackets.
const FIELDS: [&str; 3] = ["Finite Field of size 2", "Ring of integers modulo 2", "GF(2)"];

/// True if a text begins with an ideal: no other format has such a line.
pub fn is_ideal(text: &[u8]) -> bool {
    IDEALS.iter().any(|ideal| {
        let rest = text.strip_prefix(ideal.as_bytes());
        rest.is_some_and(|rest| rest.starts_with(b" ") && rest.trim_ascii_start().starts_with(b"("))
    })
}

pub fn read(source: &Source, memory: u64) -> Result<Equations> {
    let mut polynomials = Vec::new();
    let mut parser = Parser::<Polynomial>::new(source, memory, Spelling::Exact);
    match walk(&mut parser, |polynomial| polynomials.push(polynomial)) {
        Err(Error::TooLarge(_)) => {
            // The walk through the whole file may take the memory again.
            drop((parser, polynomials));
            let walk = |parser: &mut Parser<'_, Size>| walk(parser, |_| ());
            Err(expression::too_large(source, memory, Spelling::Exact, walk))
        }
        walked => walked.and_then(|()| parser.names.equations(polynomials, source)),
    }
}

fn walk<V: Value>(parser: &mut Parser<'_, V>, mut found: impl FnMut(V)) -> Result<()> {
    parser.over_lines = true;
    let is_ideal = IDEALS.iter().any(|ideal| parser.phrase(ideal));
    let (open, close) = if is_ideal { (b'(', b')') } else { (b'[', b']') };
    let in_brackets = parser.take(open);
    if is_ideal && !in_brackets {
        return Err(parser.error("`(`"));
    }
    let ends =
        |parser: &mut Parser<'_, V>| if in_brackets { parser.take(close) } else { parser.peek().is_none() };
    while !ends(parser) {
        found(parser.equation()?);
        if parser.take(b',') {
            continue;
        }
        if !ends(parser) {
            let end = if in_brackets { (close as char).to_string() } else { "the end".to_owned() };
            return Err(parser.error(&format!("`+`, `*`, `,` or {end}")));
        }
        break;
    }
    if parser.peek().is_none() {
        return Ok(());
    }
    if is_ideal { ring(parser) } else { Err(parser.error("the end of the file")) }
}

/// Reads the ring of an ideal, whose variables are those of the system.
fn ring<V: Value>(parser: &mut Parser<'_, V>) -> Result<()> {
    if !parser.phrase("of") {
        return Err(parser.error("`of` and a ring, or the end of the file"));
    }
    let is_boolean = parser.phrase("Boolean PolynomialRing in");
    if !is_boolean && !RINGS.iter().any(|ring| parser.phrase(ring)) {
        return Err(parser.error("`Boolean PolynomialRing in` or `Multivariate Polynomial Ring in`"));
    }
    parser.peek();
    let begin = parser.at;
    let mut occurs = vec![false; parser.names.spelled().len()];
    loop {
        if !parser.begins_name() {
            return Err(parser.error("the name of a variable"));
        }
        let number = parser.variable()?;
        if let Some(occurs) = occurs.get_mut(number as usize) {
            *occurs = true;
        }
        if !parser.take(b',') {
            break;
        }
    }
    if let Some(missing) = occurs.iter().position(|occurs| !occurs).filter(|_| !V::MEASURES) {
        let name = &parser.names.spelled()[missing];
        return Err(parser.error_at(begin, &format!("the ring lacks the variable {name} of the ideal")));
    }
    if is_boolean {
        return match parser.peek() {
            None => Ok(()),
            Some(_) => Err(parser.error("`,` or the end of the file")),
        };
    }
    if !parser.phrase("over") {
        return Err(parser.error("`,` or `over` and a field"));
    }
    parser.peek();
    let field = parser.source().bytes()[parser.at..].trim_ascii();
    match FIELDS.iter().any(|known| is_field(field, known)) {
        true => Ok(()),
        false => {
            let message =
                format!("the ring is over {}: only Finite Field of size 2 is read", text::quote(field));
            Err(parser.error_at(parser.at, &message))
        }
    }
}

/// True if a text is the name of a field, perhaps with the library that computes in it: `(using GF2X)`.
fn is_field(text: &[u8], field: &str) -> bool {
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    field.split(' ').all(|word| words.next() == Some(word.as_bytes()))
        && match (words.next(), words.next(), words.next()) {
            (None, ..) => true,
            (Some(b"(using"), Some(library), None) => {
                matches!(library, [name @ .., b')'] if name.iter().all(u8::is_ascii_alphanumeric))
            }
            _ => false,
        }
}

/// Writes a list; or an ideal, whose ring has all variables, if some are in no polynomial.
pub fn write(out: &mut dyn Write, equations: &Equations) -> io::Result<()> {
    super::check_names(equations, Spelling::Exact)?;
    let is_list = super::all_occur(equations);
    write!(out, "{}", if is_list { "[" } else { "Ideal (" })?;
    for (number, polynomial) in equations.polynomials().iter().enumerate() {
        let comma = if number == 0 { "" } else { ", " };
        write!(out, "{comma}{}", expression::written(polynomial, equations.names()))?;
    }
    match is_list {
        true => writeln!(out, "]"),
        false => writeln!(out, ") of Boolean PolynomialRing in {}", equations.names().join(", ")),
    }
}
