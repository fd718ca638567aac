//! Algebraic normal form as Bosphorus reads it: a polynomial a line.

use super::expression::Parser;
use crate::Result;
use crate::boolean::Equations;
use crate::io::Source;

/// True if a line, without white space around it, is a comment.
pub fn is_comment(line: &[u8]) -> bool {
    line == b"c" || line.starts_with(b"c ") || line.starts_with(b"c\t") || line.starts_with(b"#")
}

pub fn read(source: &Source, memory: u64) -> Result<Equations> {
    let mut parser = Parser::new(source, memory, false);
    let mut polynomials = Vec::new();
    let mut begin = 0;
    for line in source.bytes().split(|&byte| byte == b'\n') {
        let end = begin + line.len();
        parser.set(begin, end);
        begin = end + 1;
        if is_comment(line.trim_ascii()) || parser.peek().is_none() {
            continue;
        }
        if is_declaration(&mut parser)? {
            continue;
        }
        polynomials.push(parser.equation()?);
        if parser.peek().is_some() {
            return Err(parser.error("`+`, `*` or the end of the line"));
        }
    }
    parser.names.equations(polynomials)
}

/// Reads a line that lists variables, `x1, x2`. Returns false at the beginning of the line if it is another.
fn is_declaration(parser: &mut Parser<'_>) -> Result<bool> {
    let begin = parser.at;
    let is_name = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if is_name(parser.peek()) && parser.name().is_ok() && parser.take(b',') {
        loop {
            if !is_name(parser.peek()) {
                return Err(parser.error("the name of a variable"));
            }
            parser.name()?;
            match parser.peek() {
                None => return Ok(true),
                Some(b',') => parser.at += 1,
                Some(_) => return Err(parser.error("`,` or the end of the line")),
            }
        }
    }
    parser.at = begin;
    Ok(false)
}
