//! The command line: parse, call, print. One file a verb, and no mathematics.
//!
//! A verb is a struct of arguments that implements [`Run`]; it gets a [`Context`], through
//! which everything goes that verbs have in common: the device, input and output files,
//! progress, times, the report of `--json`. A new verb is a file and two lines here.

mod bench;
mod bits;
mod check;
mod completions;
mod context;
mod devices;
mod eliminate;
mod engine;
mod formats;
mod generate;
mod gf2;
mod intmul;
mod kernels;
mod msm;
mod ntt;
mod options;
mod polymul;
mod prime;
mod progress;
mod report;
mod shaders;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use context::Context;
use options::Options;
use std::path::Path;
use std::process::ExitCode;
use wgalois::Result;

/// What every verb does.
trait Run {
    /// Does the work: reads through `context`, writes through `context`.
    fn run(&self, context: &Context) -> Result<()>;

    /// Whether `-o` names a folder to write files into.
    fn writes_folder(&self) -> bool {
        false
    }
}

/// What a verb does whose result can be verified without redoing it.
trait Check {
    /// Verifies the file `result`.
    ///
    /// # Errors
    /// [`wgalois::Error::Check`] where it is wrong.
    fn check(&self, context: &Context, result: &Path) -> Result<()>;
}

/// Galois-field algebra on any vendor's GPU, or on the CPU.
#[derive(Parser)]
#[command(name = "wgalois", version, propagate_version = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten, next_help_heading = "Options of every verb")]
    options: Options,
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 a check failed; 2 usage; 3 bad input; 4 no such device; \
                          5 device lost or out of memory; 6 a file cannot be read or written";

/// Declares the verbs: each is an argument struct that implements [`Run`], and its doc
/// comment is the verb's help.
macro_rules! verbs {
    ($($(#[$attribute:meta])* $verb:ident($arguments:ty),)*) => {
        #[derive(Subcommand)]
        enum Verb {
            $($(#[$attribute])* $verb($arguments),)*
        }

        impl Run for Verb {
            fn run(&self, context: &Context) -> Result<()> {
                match self {
                    $(Verb::$verb(arguments) => arguments.run(context),)*
                }
            }

            fn writes_folder(&self) -> bool {
                match self {
                    $(Verb::$verb(arguments) => arguments.writes_folder(),)*
                }
            }
        }
    };
}

verbs! {
    Polymul(polymul::Polymul),
    Intmul(intmul::Intmul),
    Ntt(ntt::Ntt),
    Msm(msm::Msm),
    Eliminate(eliminate::Eliminate),
    Gf2(gf2::Gf2),
    #[command(name = "gen")]
    Generate(generate::Generate),
    Check(check::CheckVerb),
    Bench(bench::Bench),
    Devices(devices::Devices),
    Shaders(shaders::Shaders),
    Completions(completions::Completions),
}

impl Cli {
    /// The command line, and the verb's name as the user typed it, for the report.
    fn read() -> Result<(Self, String), clap::Error> {
        let matches = Self::command().try_get_matches()?;
        let cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut Self::command()))?;
        Ok((cli, matches.subcommand_name().unwrap_or_default().to_owned()))
    }
}

/// Runs what the command line says and returns the process's exit code.
pub fn main() -> ExitCode {
    let (cli, verb) = match Cli::read() {
        Ok(read) => read,
        Err(error) => {
            // Help and version go to stdout; a reader that has left is no error.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    cli.options.start_logging();
    let context = Context::new(cli.options, verb);
    let checked = if cli.verb.writes_folder() { Ok(()) } else { context.check_output() };
    let outcome = checked.and_then(|()| cli.verb.run(&context));
    context.finish(outcome)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_declaration_of_the_command_line_is_consistent() {
        <super::Cli as clap::CommandFactory>::command().debug_assert();
    }
}
