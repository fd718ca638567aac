//! The format of the Fukuoka MQ challenge over GF(2): a header, a line of asterisks, and a line of coefficients for
//! each polynomial, which ends with a semicolon.
//!
//! ```text
//! x1^2  x1 x2  x2^2  x1 x3  x2 x3  x3^2  ...  x1  x2  x3  ...  1
//! ```

use std::io::{self, Write};

use crate::{Equations, Monomial, Polynomial};
use wgalois::Result;
use wgalois_io::{Source, budget::Budget, text};

/// Bytes of a coefficient that is 1: a term, with the room that vectors keep.
const ONE: u64 = 64;
/// Bytes of a variable: its name.
const NAME: u64 = 64;
/// Bytes of a polynomial beside its terms, with the room that vectors keep.
const POLYNOMIAL: u64 = 64;

pub fn read(source: &Source, memory: u64) -> Result<Equations> {
    let header = Header::read(source)?;
    let n = header.variables;
    let coefficients = n * (n + 1) / 2 + n + 1;
    let ones = source.bytes()[header.end..].iter().filter(|&&byte| byte == b'1').count() as u64;
    let bytes =
        ones.saturating_mul(ONE).saturating_add(NAME * n as u64 + POLYNOMIAL * header.equations as u64);
    Budget::new(source, memory).expect(bytes)?;
    let mut tokens = text::tokens(&source.bytes()[header.end..], header.end).flat_map(semicolons);
    let mut polynomials = Vec::new();
    for number in 0..header.equations {
        let mut terms = Vec::new();
        for place in 0..=coefficients {
            let Some((offset, token)) = tokens.next() else {
                let message = format!("polynomial {} of {} ends early", number + 1, header.equations);
                return Err(source.text_error(source.bytes().len(), message));
            };
            let message = match token {
                b";" if place == coefficients => break,
                b";" => format!("{place} coefficients, where {n} variables have {coefficients}"),
                _ if place == coefficients => format!("`;` was expected after {coefficients} coefficients"),
                b"0" => continue,
                b"1" => {
                    terms.push(monomial(n, place));
                    continue;
                }
                _ => format!("{} is no coefficient over GF(2): 0 or 1", text::quote(token)),
            };
            return Err(source.text_error(offset, message));
        }
        polynomials.push(Polynomial::new_within(terms, || source.check_end())?);
    }
    if let Some((offset, _)) = tokens.next() {
        let message = format!("more than the {} polynomials of the header", header.equations);
        return Err(source.text_error(offset, message));
    }
    Equations::new((1..=n).map(|number| format!("x{number}")).collect(), polynomials)
}

/// Splits semicolons from what precedes and follows them.
fn semicolons(token: text::Token<'_>) -> impl Iterator<Item = (usize, &[u8])> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, _) in token.text.iter().enumerate().filter(|(_, byte)| **byte == b';') {
        parts.push((begin, &token.text[begin..at]));
        parts.push((at, &token.text[at..=at]));
        begin = at + 1;
    }
    parts.push((begin, &token.text[begin..]));
    let offset = token.offset;
    parts.into_iter().filter(|(_, part)| !part.is_empty()).map(move |(at, part)| (offset + at, part))
}

struct Header {
    variables: usize,
    equations: usize,
    /// The offset after the line of asterisks.
    end: usize,
}

impl Header {
    fn read(source: &Source) -> Result<Header> {
        let (mut variables, mut equations) = (None, None);
        for (at, line) in super::lines(source.bytes()) {
            if line.trim_ascii().starts_with(b"*") {
                let missing = |what: &str| source.text_error(at, format!("the header lacks `{what} : `"));
                return Ok(Header {
                    variables: variables.ok_or_else(|| missing("Number of variables (n)"))?,
                    equations: equations.ok_or_else(|| missing("Number of equations (m)"))?,
                    end: (at + line.len() + 1).min(source.bytes().len()),
                });
            }
            let Some(colon) = line.iter().position(|&byte| byte == b':') else { continue };
            let (key, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
            let value_at =
                at + colon + 1 + line[colon + 1..].len() - line[colon + 1..].trim_ascii_start().len();
            let number = || match text::decimal(value) {
                // n^2 coefficients must be present, so larger numbers are wrong.
                Ok(number) if number < 1 << 20 => Ok(number as usize),
                _ => Err(source.text_error(value_at, format!("{} is no such number", text::quote(value)))),
            };
            if key.starts_with(b"Galois Field") && value != b"GF(2)" {
                let message = format!("the field is {}: only GF(2) is read", text::quote(value));
                return Err(source.text_error(value_at, message));
            }
            if key.starts_with(b"Order") && value != b"graded reverse lex order" {
                let message =
                    format!("the order is {}: only graded reverse lex order is read", text::quote(value));
                return Err(source.text_error(value_at, message));
            }
            if key.starts_with(b"Number of variables") {
                variables = Some(number()?);
            }
            if key.starts_with(b"Number of equations") || key.starts_with(b"Number of polynomials") {
                equations = Some(number()?);
            }
        }
        Err(source.text_error(source.bytes().len(), "the line of asterisks after the header is missing"))
    }
}

/// The monomial of a coefficient. The square of a variable is the variable.
fn monomial(n: usize, place: usize) -> Monomial {
    let pairs = n * (n + 1) / 2;
    if let Some(single) = place.checked_sub(pairs) {
        return if single < n { Monomial::new([single as u32]) } else { Monomial::one() };
    }
    // The pairs with x1 to xj, those before j (j + 1) / 2, come before those with the next.
    let next = ((8 * place + 1).isqrt() - 1) / 2;
    Monomial::new([(place - next * (next + 1) / 2) as u32, next as u32])
}

pub fn write(out: &mut dyn Write, equations: &Equations) -> io::Result<()> {
    let invalid = |message: String| io::Error::new(io::ErrorKind::InvalidInput, message);
    if equations.degree() > 2 {
        return Err(invalid("the format of the MQ challenge is for degree 2".to_owned()));
    }
    // The format has no names, so the reader takes x1, x2 and so on.
    let other = equations.names().iter().zip(1..).find(|&(name, number)| *name != format!("x{number}"));
    if let Some((name, number)) = other {
        let message = format!(
            "the format of the MQ challenge has no names: variable {number} is {name}, not x{number}"
        );
        return Err(invalid(message));
    }
    let (n, m) = (equations.variables(), equations.polynomials().len());
    writeln!(out, "Galois Field : GF(2)\nNumber of variables (n) : {n}\nNumber of equations (m) : {m}")?;
    writeln!(out, "Seed : 0\nOrder : graded reverse lex order\n\n*********************")?;
    for polynomial in equations.polynomials() {
        let has = |variables: &[u32]| {
            let monomial = Monomial::new(variables.iter().copied());
            let found = polynomial.terms().binary_search_by(|term| monomial.cmp(term)).is_ok();
            if found { b"1 " } else { b"0 " }
        };
        let mut line = Vec::new();
        for j in 0..n as u32 {
            (0..j).for_each(|i| line.extend_from_slice(has(&[i, j])));
            // A variable's coefficient is written among the linear ones.
            line.extend_from_slice(b"0 ");
        }
        (0..n as u32).for_each(|i| line.extend_from_slice(has(&[i])));
        line.extend_from_slice(has(&[]));
        line.extend_from_slice(b";\n");
        out.write_all(&line)?;
    }
    Ok(())
}
