//! The equations of `solve` and of `check solve`: their file, its format, and variables that are fixed.

use crate::prelude::*;
use wgalois_boolean::formats::{self, Format};
use wgalois_boolean::{Equations, TimeLimit, Watch};

/// The equations.
#[derive(clap::Args)]
pub struct System {
    /// The equations; `-` is stdin
    pub input: PathBuf,
    /// Format of the equations: anf, sage, challenge or dimacs [default: by the ending .cnf, or the beginning of the file]
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    format: Option<Format>,
    /// Fix a variable, as in --fix x3=1; may be given several times
    #[arg(long, value_name = "VARIABLE=VALUE")]
    fix: Vec<String>,
}

impl System {
    /// Reads the equations, with those of `--fix`.
    pub fn read(&self, context: &Context, limit: Option<TimeLimit>) -> Result<Equations> {
        let end = limit.and_then(|limit| limit.deadline());
        let read = |source: Source| formats::read(&source.with_end(end), self.format, context.memory());
        let mut equations = context.read_source(&self.input, read)?;
        for fixed in &self.fix {
            let usage = |what: &str| Error::Usage(format!("--fix {fixed}: {what}"));
            let none = || Error::unexpected(fixed, "VARIABLE=VALUE").of("--fix");
            let (name, value) = fixed.split_once('=').ok_or_else(none)?;
            let value = match value.trim() {
                "0" => false,
                "1" => true,
                value => return Err(Error::unexpected(value, "0 or 1").of(format!("--fix {fixed}"))),
            };
            let name: String = name.split_ascii_whitespace().collect();
            let variable = equations.variable_named(&name).ok_or_else(|| {
                let is_same = |other: &&String| formats::canonical(other) == formats::canonical(&name);
                match equations.names().iter().find(is_same) {
                    Some(other) => {
                        usage(&format!("the equations have no variable of this name, but {other}"))
                    }
                    None => usage("this variable does not occur in the equations"),
                }
            })?;
            equations = equations.with_fixed(variable, value)?;
        }
        Ok(equations)
    }
}

pub fn parse_format(text: &str) -> Result<Format, String> {
    match text {
        "anf" => Ok(Format::Anf),
        "sage" => Ok(Format::Sage),
        "challenge" => Ok(Format::Challenge),
        "dimacs" | "cnf" => Ok(Format::Dimacs),
        _ => Err("expected anf, sage, challenge or dimacs".to_owned()),
    }
}
