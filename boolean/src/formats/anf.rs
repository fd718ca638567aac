//! Algebraic normal form as Bosphorus reads it: a polynomial a line.

use super::expression::{self, Parser};
use super::names::{Names, Spelling, is_part};
use super::value::{Size, Value};
use crate::{Equations, Polynomial};
use std::io::{self, Write};
use wgalois::{Error, Result};
use wgalois_io::Source;

/// What a line is, by its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Empty,
    /// A comment that begins with `#`.
    Comment,
    /// The letter c alone: an empty comment, or the polynomial c.
    Letter,
    /// The letter c and an operator: a polynomial or a list of names, as far as the file has no comments that begin so.
    Operator,
    /// The letter c and other text, which no polynomial continues with.
    Words,
    /// A polynomial, or a list of names.
    Polynomial,
}

impl Line {
    fn of(line: &[u8]) -> Line {
        match line.trim_ascii() {
            [] => Line::Empty,
            [b'#', ..] => Line::Comment,
            [b'c'] => Line::Letter,
            [b'c', b' ' | b'\t', rest @ ..] => match rest.trim_ascii_start() {
                // A ruler, which is no beginning of a polynomial.
                [a @ (b'+' | b'*' | b'='), b, c, ..] if a == b && b == c => Line::Words,
                [b'+' | b'*' | b'=' | b'^' | b',', ..] => Line::Operator,
                _ => Line::Words,
            },
            _ => Line::Polynomial,
        }
    }
}

/// True if a line, without white space around it, begins as comments do.
pub fn may_be_comment(line: &[u8]) -> bool {
    !matches!(Line::of(line), Line::Empty | Line::Polynomial)
}

/// What the lines of a file show about the letter c.
struct Letter {
    /// It is a variable in lines that are no comments.
    is_variable: bool,
    /// It begins comments: lines that can be nothing else, unless c is a variable.
    is_mark: bool,
}

impl Letter {
    fn of(text: &[u8]) -> Letter {
        let mut letter = Letter { is_variable: false, is_mark: false };
        let mut is_operand = false;
        for line in text.split(|&byte| byte == b'\n') {
            match Line::of(line) {
                Line::Polynomial => letter.is_variable |= has_letter(line),
                Line::Operator => is_operand = true,
                Line::Words => letter.is_mark = true,
                _ => (),
            }
        }
        letter.is_variable |= is_operand && !letter.is_mark;
        letter
    }

    /// True if a line is a polynomial or a list of names, false if it is none. Refuses a polynomial that may be a
    /// comment as well.
    fn is_polynomial(&self, line: Line) -> Result<bool, String> {
        match (line, self.is_variable, self.is_mark) {
            (Line::Empty | Line::Comment | Line::Words, ..) => Ok(false),
            (Line::Polynomial, ..) | (Line::Operator, true, _) | (Line::Letter, true, false) => Ok(true),
            (Line::Letter, false, true) => Ok(false),
            (Line::Operator | Line::Letter, ..) => Err(doubt()),
        }
    }
}

fn doubt() -> String {
    "a comment, or the variable c: write `#` before a comment, and `1*c` for the variable at the beginning of a line"
        .to_owned()
}

/// True if the variable c is in a line.
fn has_letter(line: &[u8]) -> bool {
    (0..line.len()).any(|at| {
        let (before, after) = (at.checked_sub(1).map(|at| &line[at]), line.get(at + 1));
        line[at] == b'c'
            && !before.is_some_and(is_part)
            && !after.is_some_and(|byte| is_part(byte) || matches!(byte, b'(' | b'['))
    })
}

pub fn read(source: &Source, memory: u64) -> Result<Equations> {
    let mut polynomials = Vec::new();
    let mut parser = Parser::<Polynomial>::new(source, memory, Spelling::Folded);
    match walk(&mut parser, memory, |polynomial| polynomials.push(polynomial)) {
        Err(Error::TooLarge(_)) => {
            // The walk through the whole file may take the memory again.
            drop((parser, polynomials));
            let walk = |parser: &mut Parser<'_, Size>| walk(parser, memory, |_| ());
            Err(expression::too_large(source, memory, Spelling::Folded, walk))
        }
        walked => walked.and_then(|()| parser.names.equations(polynomials, source)),
    }
}

fn walk<V: Value>(parser: &mut Parser<'_, V>, memory: u64, mut found: impl FnMut(V)) -> Result<()> {
    let source = parser.source();
    let letter = Letter::of(source.bytes());
    for (begin, line) in super::lines(source.bytes()) {
        let end = begin + line.len();
        parser.set(begin, end);
        let is_polynomial = letter.is_polynomial(Line::of(line));
        let at = end - line.trim_ascii_start().len();
        if !is_polynomial.map_err(|message| source.text_error(at, message))? || is_declaration(parser)? {
            continue;
        }
        found(parser.equation()?);
        if parser.peek().is_some() {
            return Err(parser.error("`+`, `*` or the end of the line"));
        }
    }
    if letter.is_variable && letter.is_mark && !V::MEASURES {
        check_comments(source, memory, &parser.names)?;
    }
    Ok(())
}

/// Refuses a comment that may be a product of the variable c, which stands without `*`: a polynomial in names that
/// occur follows the c.
fn check_comments(source: &Source, memory: u64, names: &Names) -> Result<()> {
    for (begin, line) in super::lines(source.bytes()) {
        let end = begin + line.len();
        let at = end - line.trim_ascii_start().len();
        if Line::of(line) != Line::Words {
            continue;
        }
        let mut parser = Parser::<Size>::new(source, memory, Spelling::Folded);
        parser.set(at + 1, end);
        parser.take(b'-');
        let is_polynomial = parser.equation().is_ok() && parser.peek().is_none();
        if is_polynomial && parser.names.spelled().iter().all(|name| names.known(name).is_some()) {
            return Err(source.text_error(at, doubt()));
        }
    }
    Ok(())
}

/// Reads a line that lists variables, `x1, x2`. Returns false at the beginning of the line if it is another.
fn is_declaration<V: Value>(parser: &mut Parser<'_, V>) -> Result<bool> {
    let begin = parser.at;
    let is_list = parser.begins_name() && parser.name().is_ok() && parser.peek() == Some(b',');
    parser.at = begin;
    if !is_list {
        return Ok(false);
    }
    loop {
        if !parser.begins_name() {
            return Err(parser.error("the name of a variable"));
        }
        parser.variable()?;
        match parser.peek() {
            None => return Ok(true),
            Some(b',') => parser.at += 1,
            Some(_) => return Err(parser.error("`,` or the end of the line")),
        }
    }
}

pub fn write(out: &mut dyn Write, equations: &Equations) -> io::Result<()> {
    super::check_names(equations, Spelling::Folded)?;
    if !super::all_occur(equations) {
        let names = equations.names().join(", ");
        // A list has a comma.
        let again = if equations.variables() == 1 { format!(", {names}") } else { String::new() };
        writeln!(out, "{names}{again}")?;
    }
    for polynomial in equations.polynomials() {
        let line = expression::written(polynomial, equations.names());
        // A line that begins with the variable c may be a comment.
        let factor = if may_be_comment(line.as_bytes()) { "1*" } else { "" };
        writeln!(out, "{factor}{line}")?;
    }
    Ok(())
}
