//! Files of Boolean equations.
//!
//! | format | contents |
//! |---|---|
//! | [`Format::Anf`] | a polynomial a line, `x1*x2 + x3 + 1`; lines that begin with `c ` or `#` are comments |
//! | [`Format::Sage`] | polynomials as Sage and Magma print them: a list `[x0*x1 + x2, x0 + 1]`, or lines |
//! | [`Format::Challenge`] | the Fukuoka MQ challenge's coefficients, over GF(2) |

mod anf;
mod answer;
mod challenge;
mod expression;
mod sage;

use std::io::{self, Write};

use super::Source;
use super::identify::expect_text;
use crate::Result;
use crate::boolean::Equations;

/// A format of Boolean equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A polynomial a line.
    Anf,
    /// A printed list of polynomials.
    Sage,
    /// The Fukuoka MQ challenge's coefficients.
    Challenge,
}

impl Format {
    /// Returns the format of a text, by its beginning.
    pub fn of(text: &[u8]) -> Format {
        let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let first = lines.find(|line| !line.is_empty() && !anf::is_comment(line)).unwrap_or_default();
        match first {
            _ if first.starts_with(b"Galois Field") => Format::Challenge,
            _ if first.starts_with(b"[") || first.starts_with(b"Ideal") => Format::Sage,
            _ => Format::Anf,
        }
    }
}

/// Reads equations; without a format, in that of [`Format::of`]. The variables are those that occur, in the order
/// of their names: x2 before x10.
///
/// # Errors
/// [`Error::Format`](crate::Error::Format) with line and column; [`Error::TooLarge`](crate::Error::TooLarge) if the
/// equations take more than `memory` bytes.
pub fn read(source: &Source, format: Option<Format>, memory: u64) -> Result<Equations> {
    expect_text(source)?;
    match format.unwrap_or_else(|| Format::of(source.bytes())) {
        Format::Anf => anf::read(source, memory),
        Format::Sage => sage::read(source, memory),
        Format::Challenge => challenge::read(source, memory),
    }
}

/// Writes equations. The format of the challenge has all coefficients to degree 2, and no names.
///
/// # Errors
/// Those of `out`; [`io::ErrorKind::InvalidInput`] for equations of a higher degree in the format of the challenge.
pub fn write(out: &mut dyn Write, format: Format, equations: &Equations) -> io::Result<()> {
    match format {
        Format::Anf => {
            for polynomial in equations.polynomials() {
                let line = expression::written(polynomial, equations.names());
                // A line that begins with the variable c would be a comment.
                let factor = if anf::is_comment(line.as_bytes()) { "1*" } else { "" };
                writeln!(out, "{factor}{line}")?;
            }
            Ok(())
        }
        Format::Sage => {
            write!(out, "[")?;
            for (number, polynomial) in equations.polynomials().iter().enumerate() {
                let comma = if number == 0 { "" } else { ", " };
                write!(out, "{comma}{}", expression::written(polynomial, equations.names()))?;
            }
            writeln!(out, "]")
        }
        Format::Challenge => challenge::write(out, equations),
    }
}

pub use answer::{Answer, assignment, read_answer, write_certificate};
pub use expression::{canonical, written};
