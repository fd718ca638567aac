//! `wgalois gen boolean`: random Boolean equations.

use crate::prelude::*;
use crate::solve::parse_format;
use std::io;
use wgalois_boolean::formats::{self, Format, assignment};
use wgalois_boolean::generate;

/// Generate random polynomial equations over GF(2)
///
/// Each coefficient of each monomial is a random bit of ChaCha8 seeded with --seed.
#[derive(clap::Args)]
pub struct Boolean {
    /// Number of variables, x1, x2, ...
    #[arg(long, value_name = "N", value_parser = count::<u32>(..1 << 20))]
    variables: u32,
    /// Number of equations
    #[arg(long, value_name = "M", value_parser = count::<u32>(..1 << 24))]
    equations: u32,
    /// Their degree
    #[arg(long, value_name = "D", default_value_t = 2)]
    degree: u32,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Choose constant terms so that a random assignment is a solution; a comment, or a message, has it
    #[arg(long)]
    planted: bool,
    /// Format of the output: anf, sage or challenge (of degree 2 at most)
    #[arg(long, alias = "output-format", value_name = "FORMAT", default_value = "anf", value_parser = parse_written)]
    format: Format,
}

/// The formats that are written.
fn parse_written(text: &str) -> Result<Format, String> {
    match parse_format(text)? {
        Format::Dimacs => Err("dimacs is read, not written: expected anf, sage or challenge".to_owned()),
        format => Ok(format),
    }
}

impl Run for Boolean {
    fn run(&self, context: &Context) -> Result<()> {
        let (n, m, degree) = (self.variables as usize, self.equations as usize, self.degree as usize);
        if self.format == Format::Challenge && degree > 2 {
            return Err(Error::only_for("--format challenge", "degrees of at most 2"));
        }
        let terms = generate::monomials(n, degree).saturating_mul(m as u64);
        context.need(terms.saturating_mul(32), "these equations")?;
        let generate = || generate::random(n, m, degree, self.seed, self.planted);
        let system = context.step(Phase::Host, "generate", generate)?;
        context.report("seed", self.seed);
        let planted = system.planted.map(|values| assignment(system.equations.names(), &values));
        let in_file = self.format == Format::Anf;
        if let Some(planted) = &planted {
            context.report("planted", planted.clone());
            if !in_file {
                context.note(&format!("planted: {planted}"));
            }
        }
        context.write(|out| {
            if let Some(planted) = planted.filter(|_| in_file) {
                writeln!(out, "c planted: {planted}")?;
            }
            formats::write(out, self.format, &system.equations).map_err(io::Error::other)
        })
    }

    fn outputs(&self) -> Outputs {
        Outputs { endings: Some(ENDINGS), ..Outputs::default() }
    }
}

/// The endings of files of equations.
const ENDINGS: &[&str] = &["anf", "txt", "text", "out", "dat", "sage", "mq"];
