//! Files of Boolean equations.
//!
//! | format | contents |
//! |---|---|
//! | [`Format::Anf`] | a polynomial a line, `x1*x2 + x3 + 1`, or a list of variables, `x1, x2`; comments |
//! | [`Format::Sage`] | polynomials as Sage and Magma print them: a list `[x0*x1 + x2, x0 + 1]`, an ideal, or lines |
//! | [`Format::Challenge`] | the Fukuoka MQ challenge's coefficients, over GF(2) |
//! | [`Format::Dimacs`] | clauses and XORs, as SAT solvers read them; read only |
//!
//! Names keep their spelling, and each spelling is a variable. In ANF, x(1), x1, X1 and x01 are by convention one
//! variable ([`canonical`]), so a file with two of these spellings is refused.
//!
//! A line of ANF is a comment if it begins with `#`, or with the letter c and can be no polynomial. If c may be a
//! variable there as well, the line is refused.
//!
//! # Errors
//! Readers return [`Error::Format`](wgalois::Error::Format) with the line and column at which a file violates its
//! format, and [`Error::TooLarge`](wgalois::Error::TooLarge) if what is read takes more memory than the caller
//! allows. Writers return [`InvalidInput`](io::ErrorKind::InvalidInput) for what a format does not hold.

mod anf;
mod answer;
mod challenge;
mod dimacs;
mod expression;
mod names;
mod sage;
mod value;

use std::io::{self, Write};

use crate::{Equations, Monomial, Polynomial};
use names::{Names, Spelling};
use wgalois::Result;
use wgalois_io::identify::by_ending;
use wgalois_io::{Source, text};

/// A format of Boolean equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A polynomial a line.
    Anf,
    /// A printed list of polynomials.
    Sage,
    /// The Fukuoka MQ challenge's coefficients.
    Challenge,
    /// Clauses and XORs of DIMACS and CryptoMiniSat.
    Dimacs,
}

impl Format {
    /// Returns the format of a text, by its beginning.
    pub fn of(text: &[u8]) -> Format {
        let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let first = lines.find(|line| !line.is_empty() && !anf::may_be_comment(line)).unwrap_or_default();
        match first {
            _ if first.starts_with(b"Galois Field") => Format::Challenge,
            _ if dimacs::is_header(first) => Format::Dimacs,
            _ if first.starts_with(b"[") || sage::is_ideal(first) => Format::Sage,
            _ => Format::Anf,
        }
    }

    /// Returns the format of a file: by its ending, `.cnf` or `.dimacs`, or by its beginning.
    fn of_source(source: &Source) -> Format {
        let named = by_ending(source.path(), &[("cnf", Format::Dimacs), ("dimacs", Format::Dimacs)]);
        named.unwrap_or_else(|| Format::of(source.bytes()))
    }
}

/// Reads equations; without a format, in that of the ending or of [`Format::of`]. The variables are those that occur, and those
/// that the file lists: in lines of ANF, the ring of an ideal, or the header of the challenge and of DIMACS. They have the order of their
/// names: x2 before x10.
pub fn read(source: &Source, format: Option<Format>, memory: u64) -> Result<Equations> {
    source.expect_text()?;
    match format.unwrap_or_else(|| Format::of_source(source)) {
        Format::Anf => anf::read(source, memory),
        Format::Sage => sage::read(source, memory),
        Format::Challenge => challenge::read(source, memory),
        Format::Dimacs => dimacs::read(source, memory),
    }
}

/// Writes equations, with all their variables. The format of the challenge has all coefficients to degree 2, and no
/// names. Refuses what the format does not hold: in that of the challenge, a higher degree, or other names than x1,
/// x2 and so on; in the others, a name that they would read as something else. DIMACS is not written.
pub fn write(out: &mut dyn Write, format: Format, equations: &Equations) -> io::Result<()> {
    match format {
        Format::Anf => anf::write(out, equations),
        Format::Sage => sage::write(out, equations),
        Format::Challenge => challenge::write(out, equations),
        Format::Dimacs => Err(dimacs::unsupported()),
    }
}

/// Refuses names that a reader takes for something else, or two for one variable.
fn check_names(equations: &Equations, spelling: Spelling) -> io::Result<()> {
    let mut names = Names::new(spelling);
    for (name, number) in equations.names().iter().zip(0..) {
        let added = match names::is_name(name) {
            true => names.number(name),
            false => Err(format!("{} is no name of a variable in this format", text::quote(name.as_bytes()))),
        };
        let message = match added {
            Ok(added) if added == number => continue,
            Ok(_) => format!("two variables have the name {name}"),
            Err(message) => message,
        };
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(())
}

/// The lines of a text, each with the place where it begins.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut next = 0;
    text.split(|&byte| byte == b'\n').map(move |line| {
        let begin = next;
        next += line.len() + 1;
        (begin, line)
    })
}

/// True if each variable is in a polynomial.
fn all_occur(equations: &Equations) -> bool {
    let mut occurs = vec![false; equations.variables()];
    let terms = equations.polynomials().iter().flat_map(Polynomial::terms);
    terms.flat_map(Monomial::variables).for_each(|&variable| occurs[variable as usize] = true);
    occurs.into_iter().all(|occurs| occurs)
}

pub use answer::{Answer, assignment, read_answer, write_certificate};
pub use expression::written;
pub use names::canonical;

#[cfg(test)]
mod tests;
