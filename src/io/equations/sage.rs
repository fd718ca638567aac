//! Polynomials as Sage and Magma print them: a list in brackets, which may go over several lines, or an ideal.

use super::expression::Parser;
use crate::Result;
use crate::boolean::Equations;
use crate::io::Source;

pub fn read(source: &Source, memory: u64) -> Result<Equations> {
    let mut parser = Parser::new(source, memory, true);
    let mut polynomials = Vec::new();
    let ideal = b"Ideal";
    parser.peek();
    let is_ideal = source.bytes()[parser.at..].starts_with(ideal);
    if is_ideal {
        parser.at += ideal.len();
    }
    let (open, close) = if is_ideal { (b'(', b')') } else { (b'[', b']') };
    let in_brackets = parser.take(open);
    if is_ideal && !in_brackets {
        return Err(parser.error("`(`"));
    }
    let ends =
        |parser: &mut Parser<'_>| if in_brackets { parser.take(close) } else { parser.peek().is_none() };
    while !ends(&mut parser) {
        polynomials.push(parser.equation()?);
        if parser.take(b',') {
            continue;
        }
        if !ends(&mut parser) {
            let end = if in_brackets { (close as char).to_string() } else { "the end".to_owned() };
            return Err(parser.error(&format!("`+`, `*`, `,` or {end}")));
        }
        break;
    }
    // After an ideal comes `of Boolean PolynomialRing in ...`.
    if !is_ideal && parser.peek().is_some() {
        return Err(parser.error("the end of the file"));
    }
    parser.names.equations(polynomials)
}
