//! The command line: parsing, calls of the library, output. Each verb has a file; none contains
//! mathematics.
//!
//! A verb is a struct of arguments that implements [`Run`]. It receives a [`Context`], which handles
//! everything that verbs share: the device, input and output files, progress, times, and the report
//! of `--json`. A new verb needs a file and two lines here.

mod bench;
mod beside;
mod bits;
mod bytes;
mod check;
mod completions;
mod context;
mod counts;
mod device_report;
mod devices;
mod eliminate;
mod ending;
mod environment;
mod examples;
mod format_page;
mod formats;
mod generate;
mod gf2;
mod groth16;
mod hidden_options;
mod inputs;
mod intmul;
mod kernels;
mod kzg;
mod man;
mod memory;
mod msm;
mod names;
mod ntt;
mod options;
mod outputs;
mod panics;
mod polymul;
mod prelude;
mod prime;
mod processes;
mod profile;
mod progress;
mod report;
mod shaders;
mod signals;
mod solve;
mod streams;
mod threads;
mod translate;
mod tune;

use clap::{CommandFactory, FromArgMatches, Parser};
use context::{Context, Demands};
use inputs::Inputs;
use options::Options;
use outputs::Outputs;
use processes::Member;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wgalois::{Error, Result};
use wgalois_io::text;

/// The interface of every verb.
trait Run {
    /// Does the work. All input and output goes through `context`.
    fn run(&self, context: &Context) -> Result<()>;

    /// Returns the outputs of the verb: by default data that go to `-o` or stdout, and nothing else.
    fn outputs(&self) -> Outputs {
        Outputs::default()
    }

    /// Returns the files that the verb reads: no output may be one of them. `-` is stdin.
    fn inputs(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// True if the verb stays until a signal ends it: then nothing grows with its work.
    fn stays(&self) -> bool {
        false
    }

    /// True if the verb's kernels run for less time than the fastest texts of them take to compile beyond others: then a GPU takes
    /// those that compile fast.
    fn is_brief(&self) -> bool {
        false
    }

    /// Returns how a process computes its share of the work, if several processes can share it.
    fn member(&self) -> Result<Option<Member>> {
        Ok(None)
    }
}

/// The interface of a verb whose result can be verified without redoing it.
trait Check: Run {
    /// Verifies the file `result`, which belongs to the verb's inputs.
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

const EXIT_CODES: &str = "Exit codes: 0 success; 1 a check failed, or a device computed nonsense; 2 wrong usage; \
                          3 bad input; 4 no such device; 5 device lost or out of memory; 6 a file cannot be read or \
                          written; 7 there is no answer, or not for every column: no inverse, no solution; \
                          8 ended before the answer was known; 70 an internal error of this program\n\n\
                          Built with the feature mpi, `mpirun -n K wgalois eliminate|gf2|msm ...` shares the work \
                          among K processes. Each takes its share of its host's cores, or a GPU of its host, in turn. \
                          On GPUs, `mpirun --bind-to none` leaves each process all cores for reading and copying. \
                          `--method bands` and xor-threads run in one process.";

/// A verb that is one of several.
trait Choice {
    fn chosen(&self) -> &dyn Run;
}

impl<T: Choice> Run for T {
    fn run(&self, context: &Context) -> Result<()> {
        self.chosen().run(context)
    }

    fn outputs(&self) -> Outputs {
        self.chosen().outputs()
    }

    fn inputs(&self) -> Vec<PathBuf> {
        self.chosen().inputs()
    }

    fn stays(&self) -> bool {
        self.chosen().stays()
    }

    fn is_brief(&self) -> bool {
        self.chosen().is_brief()
    }

    fn member(&self) -> Result<Option<Member>> {
        self.chosen().member()
    }
}

/// Declares verbs of which one is chosen: each is an argument struct that implements [`Run`], and its doc
/// comment is the verb's help.
macro_rules! verbs {
    ($name:ident { $($(#[$attribute:meta])* $verb:ident($arguments:ty),)* }) => {
        #[derive(clap::Subcommand)]
        enum $name {
            $($(#[$attribute])* $verb($arguments),)*
        }

        impl $crate::Choice for $name {
            fn chosen(&self) -> &dyn $crate::Run {
                match self {
                    $($name::$verb(arguments) => arguments,)*
                }
            }
        }
    };
}
use verbs;

verbs! {
    Verb {
        Polymul(polymul::Polymul),
        Intmul(intmul::Intmul),
        Ntt(ntt::Ntt),
        Msm(msm::Msm),
        Eliminate(eliminate::Eliminate),
        Gf2(gf2::Gf2),
        Solve(solve::SolveVerb),
        Groth16(groth16::Groth16),
        Kzg(kzg::Kzg),
        #[command(name = "gen")]
        Generate(generate::Generate),
        Check(check::CheckVerb),
        Bench(bench::Bench),
        Devices(devices::Devices),
        Tune(tune::Tune),
        Report(device_report::DeviceReport),
        Shaders(shaders::Shaders),
        Completions(completions::Completions),
        Formats(format_page::FormatPage),
        Man(man::Man),
    }
}

impl Cli {
    /// Returns the declaration of the command line as users see it: with examples, without options that a verb lacks.
    fn declared() -> clap::Command {
        hidden_options::hidden(examples::shown(Self::command()))
    }

    /// Parses the command line. Also returns the verb's name as the user typed it, for the report.
    fn read() -> Result<(Self, String), clap::Error> {
        let mut command = Self::declared();
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        if let Some(message) = hidden_options::given(&matches) {
            return Err(command.error(clap::error::ErrorKind::UnknownArgument, message));
        }
        let cli = Self::from_arg_matches(&matches).map_err(|error| error.format(&mut Self::command()))?;
        Ok((cli, matches.subcommand_name().unwrap_or_default().to_owned()))
    }
}

/// Runs the command line and returns the process's exit code.
fn main() -> ExitCode {
    panics::catch();
    signals::allow_errors_of_size();
    environment::prepare();
    let (cli, verb) = match Cli::read() {
        Ok(read) => read,
        Err(error) => return refuse(&error),
    };
    cli.options.start_logging();
    if cli.options.memory.is_some() {
        memory::give_back_freed();
    }
    let joined = processes::join();
    let (processes, joined) = joined.map_or_else(|error| (None, Err(error)), |processes| (processes, Ok(())));
    let inputs = Inputs::of(cli.verb.inputs());
    let context = Context::new(cli.options, (verb, inputs), &cli.verb, processes);
    let run = || {
        joined?;
        let member = processes::member(&context, &cli.verb)?;
        if context.is_served() {
            context.check_outputs(&cli.verb.outputs())?;
        }
        signals::catch_aborts();
        signals::watch();
        threads::start(context.cores())?;
        match member {
            Some(member) if !context.is_served() => processes::serve(&context, &member),
            _ => cli.verb.run(&context).map_err(|error| context.with_memory_named(error)),
        }
    };
    let outcome = run();
    processes::leave(context, outcome)
}

/// Prints clap's message for a command line that is not run: help, the version, or an error.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return show(error);
    }
    let plain = error.render().to_string();
    // Arguments appear unchanged in the message, and file names may contain any characters.
    if plain.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        let lines: Vec<_> = plain.lines().map(|line| text::one_line(line, 1000)).collect();
        let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
    } else {
        // As for messages, a stderr that cannot be written to is no error.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Prints help or the version to stdout, in colours on a terminal.
fn show(text: &clap::Error) -> ExitCode {
    let shown = match streams::stdout_is_closed() {
        true => Err(streams::closed()),
        // clap's printer may leave lines in the buffer of stdout.
        false => text.print().and_then(|()| io::stdout().flush()).map_err(|error| Error::file("-", error)),
    };
    match shown {
        Err(error) if !streams::is_broken_pipe(&error) => {
            streams::complain_of(&error);
            ExitCode::from(error.exit_code())
        }
        _ => ExitCode::SUCCESS,
    }
}
