//! The properties of the readers of Boolean equations and of their answers.

use wgalois_boolean::formats as equation_files;
use wgalois_io::Source;

use super::common::{round_trip, source};
use super::watched::read_within;

pub fn equations(data: &[u8]) {
    use equation_files::Format;
    use wgalois_boolean::{Equations, Polynomial};
    let size = |equations: &Equations| {
        let terms = equations.polynomials().iter().flat_map(Polynomial::terms);
        let terms: usize = terms.map(|term| 16 + 4 * term.degree()).sum();
        terms + equations.names().iter().map(String::len).sum::<usize>()
    };
    let formats = [Format::Anf, Format::Sage, Format::Challenge, Format::Dimacs].map(Some);
    for format in [None].into_iter().chain(formats) {
        let read = |source: &Source, memory| equation_files::read(source, format, memory);
        let Some(equations) = read_within(data, read, size) else { continue };
        for other in [Format::Anf, Format::Sage, Format::Challenge] {
            let mut bytes = Vec::new();
            if let Err(error) = equation_files::write(&mut bytes, other, &equations) {
                // ANF has one spelling of a variable, the challenge only x1, x2 and so on, and degree 2.
                assert!(error.kind() == std::io::ErrorKind::InvalidInput && bytes.is_empty());
                assert!(other != Format::Sage, "{error}");
                continue;
            }
            for told in [Some(other), None] {
                let again = equation_files::read(&source(&bytes), told, 1 << 26).expect("what was written");
                assert!(again == equations);
            }
        }
    }
}

/// Answers to equations whose names differ little.
pub fn answers(data: &[u8]) {
    use equation_files::{Answer, Format};
    let system = source(b"[x1*x01 + c, x2 + c, x2*x01 + 1]");
    let equations = equation_files::read(&system, Some(Format::Sage), 1 << 20).expect("a system");
    let size = |answer: &Answer| match answer {
        Answer::Solutions(list) => list.iter().map(Vec::len).sum(),
        Answer::Certificate(certificate) => {
            certificate.products().iter().map(|product| 4 * product.0.degree()).sum()
        }
    };
    let read = |source: &Source, memory| equation_files::read_answer(source, &equations, memory);
    round_trip(data, read, size, |out, answer| match answer {
        Answer::Solutions(list) => list.iter().try_for_each(|values| {
            writeln!(out, "{}", equation_files::assignment(equations.names(), values))
        }),
        Answer::Certificate(certificate) => equation_files::write_certificate(out, &equations, certificate),
    });
}
