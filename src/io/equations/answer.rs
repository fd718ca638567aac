//! Answers to equations: assignments, and certificates that there is none.

use std::io::{self, Write};

use super::expression::{self, Parser};
use crate::Result;
use crate::boolean::{Certificate, Equations, Polynomial};
use crate::io::Source;

/// The first line of a certificate.
const CERTIFICATE: &str = "certificate: these products of monomials and equations sum to 1";

/// An answer in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Assignments: the values of all variables.
    Solutions(Vec<Vec<bool>>),
    /// Products that sum to 1.
    Certificate(Certificate),
}

/// Returns an assignment as text: `x1=0 x2=1`.
pub fn assignment(names: &[String], values: &[bool]) -> String {
    let pairs = names.iter().zip(values).map(|(name, &value)| format!("{name}={}", u8::from(value)));
    pairs.collect::<Vec<_>>().join(" ")
}

/// Writes a certificate: a monomial and the number of its equation, from 1, a line.
///
/// # Errors
/// Those of `out`.
pub fn write_certificate(
    out: &mut dyn Write,
    equations: &Equations,
    certificate: &Certificate,
) -> io::Result<()> {
    writeln!(out, "{CERTIFICATE}")?;
    for (factor, number) in certificate.products() {
        let factor = expression::written(&Polynomial::new([factor.clone()]), equations.names());
        writeln!(out, "{factor} : {}", number + 1)?;
    }
    Ok(())
}

/// Reads an answer to `equations`: assignments, one a line, or a certificate.
///
/// # Errors
/// [`Error::Format`](crate::Error::Format) with line and column; [`Error::TooLarge`](crate::Error::TooLarge).
pub fn read_answer(source: &Source, equations: &Equations, memory: u64) -> Result<Answer> {
    let mut parser = Parser::new(source, memory, false);
    for name in equations.names() {
        parser.names.number(name.clone());
    }
    let known = equations.variables() as u32;
    let mut solutions = Vec::new();
    let mut products = None;
    let mut begin = 0;
    for line in source.bytes().split(|&byte| byte == b'\n') {
        let end = begin + line.len();
        parser.set(begin, end);
        begin = end + 1;
        if line.trim_ascii() == CERTIFICATE.as_bytes() && products.is_none() && solutions.is_empty() {
            products = Some(Vec::new());
            continue;
        }
        if parser.peek().is_none() {
            continue;
        }
        match &mut products {
            Some(products) => products.push(product(&mut parser, equations, known)?),
            None => solutions.push(values(&mut parser, equations)?),
        }
    }
    Ok(match products {
        Some(products) => Answer::Certificate(Certificate::new(products)),
        None => Answer::Solutions(solutions),
    })
}

fn product(
    parser: &mut Parser<'_>,
    equations: &Equations,
    known: u32,
) -> Result<(crate::boolean::Monomial, usize)> {
    let begin = parser.at;
    let factor = parser.equation()?;
    let [factor] = factor.terms() else { return Err(parser.error_at(begin, "a monomial was expected")) };
    if factor.variables().iter().any(|&variable| variable >= known) {
        return Err(parser.error_at(begin, "a variable that the equations do not have"));
    }
    if !parser.take(b':') {
        return Err(parser.error("`:`"));
    }
    parser.peek();
    let begin = parser.at;
    let number = parser.number()?;
    let count = equations.polynomials().len();
    match number.checked_sub(1).filter(|&number| number < count as u64) {
        Some(number) if parser.peek().is_none() => Ok((factor.clone(), number as usize)),
        Some(_) => Err(parser.error("the end of the line")),
        None => Err(parser.error_at(begin, &format!("the number of an equation is from 1 to {count}"))),
    }
}

fn values(parser: &mut Parser<'_>, equations: &Equations) -> Result<Vec<bool>> {
    let mut values = vec![None; equations.variables()];
    while parser.peek().is_some() {
        let begin = parser.at;
        let name = parser.name()?;
        let Some(variable) = parser.names.known(&name).filter(|&number| (number as usize) < values.len())
        else {
            return Err(parser.error_at(begin, "the name of a variable of the equations was expected"));
        };
        if !parser.take(b'=') {
            return Err(parser.error("`=`"));
        }
        let value = if parser.take(b'0') {
            false
        } else if parser.take(b'1') {
            true
        } else {
            return Err(parser.error("0 or 1"));
        };
        if values[variable as usize].replace(value).is_some() {
            return Err(parser.error_at(begin, "a second value of this variable"));
        }
    }
    let complete: Option<Vec<bool>> = values.iter().copied().collect();
    let missing = values.iter().position(Option::is_none).map(|variable| &equations.names()[variable]);
    complete.ok_or_else(|| {
        let name = missing.map_or("?", |name| name);
        let at = parser.at;
        parser.error_at(at, &format!("the line has no value of {name}"))
    })
}
