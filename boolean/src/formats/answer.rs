//! Answers to equations: assignments, and certificates that there is none.

use std::io::{self, Write};

use super::expression::{self, Parser};
use super::names::{Names, Spelling};
use super::value::{Size, Value};
use crate::{Certificate, Equations, Polynomial};
use wgalois::{Error, Result};
use wgalois_io::Source;

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
pub fn read_answer(source: &Source, equations: &Equations, memory: u64) -> Result<Answer> {
    let (mut solutions, mut products) = (Vec::new(), Vec::new());
    let mut parser = Parser::<Polynomial>::new(source, memory, Spelling::Exact);
    let found = |line| match line {
        Line::Values(values) => solutions.push(values),
        Line::Product(factor, number) => products.push((factor, number)),
    };
    let is_certificate = match walk(&mut parser, equations, found) {
        Err(Error::TooLarge(_)) => {
            // The walk through the whole file may take the memory again.
            drop((parser, solutions, products));
            let walk = |parser: &mut Parser<'_, Size>| walk(parser, equations, |_| ()).map(drop);
            return Err(expression::too_large(source, memory, Spelling::Exact, walk));
        }
        walked => walked?,
    };
    // Each factor is a single term.
    let products =
        products.into_iter().filter_map(|(factor, number)| Some((factor.terms().first()?.clone(), number)));
    Ok(match is_certificate {
        true => Answer::Certificate(Certificate::new(products.collect())),
        false => Answer::Solutions(solutions),
    })
}

/// A line of an answer.
enum Line<V> {
    Values(Vec<bool>),
    Product(V, usize),
}

/// Reads all lines. Returns true for a certificate.
fn walk<V: Value>(
    parser: &mut Parser<'_, V>,
    equations: &Equations,
    mut found: impl FnMut(Line<V>),
) -> Result<bool> {
    let source = parser.source();
    for name in equations.names() {
        parser.hold(Names::bytes_of(name))?;
        let added = parser.names.number(name);
        added.map_err(|message| Error::value("the names of the equations", message.into()))?;
    }
    let (mut is_certificate, mut is_first) = (false, true);
    for (begin, line) in super::lines(source.bytes()) {
        parser.set(begin, begin + line.len());
        if parser.peek().is_none() {
            continue;
        }
        if std::mem::take(&mut is_first) && line.trim_ascii() == CERTIFICATE.as_bytes() {
            is_certificate = true;
            continue;
        }
        found(match is_certificate {
            true => product(parser, equations)?,
            false => Line::Values(values(parser, equations)?),
        });
    }
    Ok(is_certificate)
}

fn product<V: Value>(parser: &mut Parser<'_, V>, equations: &Equations) -> Result<Line<V>> {
    let begin = parser.at;
    let factor = parser.equation()?;
    if factor.size().terms != 1 && !V::MEASURES {
        return Err(parser.error_at(begin, "a monomial was expected"));
    }
    if parser.names.spelled().len() > equations.variables() {
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
        Some(number) if parser.peek().is_none() => Ok(Line::Product(factor, number as usize)),
        Some(_) => Err(parser.error("the end of the line")),
        None => Err(parser.error_at(begin, &format!("the number of an equation is from 1 to {count}"))),
    }
}

fn values<V: Value>(parser: &mut Parser<'_, V>, equations: &Equations) -> Result<Vec<bool>> {
    // Twice: as they are found, and complete.
    parser.hold(64 + 2 * equations.variables() as u64)?;
    let mut values = vec![None; equations.variables()];
    while parser.peek().is_some() {
        let begin = parser.at;
        let name = parser.name()?;
        let Some(variable) = parser.names.known(&name) else {
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
