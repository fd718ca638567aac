//! The options that a verb does not have, though clap declares them for it: those of every verb that it has no use for,
//! and those that it shares with other verbs through a struct of arguments.
//!
//! They are hidden from that verb's help, and refused where they are given. Every other option that a verb's help shows
//! changes the run or the report: `tests/cli_options` walks the help, and says of each how that is seen.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// A verb and its operation, or `*` for any, and the options that it does not have.
type Row = (&'static [&'static str], &'static [&'static str]);

const TABLE: &[Row] = &[
    (&["gf2", "rank"], &["output_format"]),
    (&["gf2", "transpose"], &["pivots", "scratch", "threads", "simd"]),
    (&["groth16", "prove"], &["verify", "output"]),
    // It runs until a signal ends it: a report or a timeline would never come, or be endless.
    (&["groth16", "serve"], &["verify", "output", "json", "trace", "profile"]),
    (&["groth16", "verify"], &["device", "plan", "verify", "keep_going", "retune", "output"]),
    (&["groth16", "info"], &["device", "plan", "verify", "keep_going", "retune", "memory"]),
    (&["kzg", "verify"], &["device", "plan", "verify", "keep_going", "retune", "output"]),
    (&["gen"], &["plan", "verify", "keep_going", "retune"]),
    (&["gen", "poly"], &["device"]),
    (&["gen", "msm"], &["device"]),
    (&["gen", "gf2"], &["device"]),
    (&["gen", "eliminate"], &["device"]),
    (&["gen", "boolean"], &["device"]),
    // A check verifies, and its answer is its exit code.
    (&["check"], &["verify", "output"]),
    (&["check", "polymul"], &["output_format"]),
    (&["check", "polymul"], KERNELS),
    (&["check", "polymul"], OF_DEVICES),
    (&["check", "intmul"], OF_DEVICES),
    (&["check", "ntt"], &["output_format", "output_scalars_format"]),
    (&["check", "ntt"], KERNELS),
    (&["check", "ntt"], OF_DEVICES),
    (&["check", "msm"], &["compressed"]),
    (&["check", "eliminate"], &["output_format", "schedule", "grid", "scratch"]),
    (&["check", "gf2", "*"], &["output_format", "pivots", "scratch"]),
    (&["check", "gf2", "transpose"], &["threads", "simd"]),
    (&["check", "gf2", "transpose"], OF_DEVICES),
    (&["check", "gf2", "mul"], &["threads", "simd"]),
    (&["check", "gf2", "mul"], OF_DEVICES),
    (&["check", "solve"], OF_DEVICES),
    (&["bench"], &["plan", "verify", "keep_going", "retune"]),
    (&["devices"], &["device", "plan", "verify", "keep_going", "retune"]),
    (&["report"], &["plan", "verify", "keep_going", "retune"]),
    (&["report"], OF_WORK),
    (&["tune"], &["plan", "verify", "keep_going", "retune"]),
    (&["tune"], OF_WORK),
    (&["devices"], OF_WORK),
    (&["shaders"], &["device", "plan", "verify", "keep_going", "retune", "output"]),
    (&["shaders"], OF_WORK),
    (&["completions"], OF_DATA),
    (&["completions"], OF_WORK),
    (&["formats"], OF_DATA),
    (&["formats"], OF_WORK),
    (&["man"], OF_DATA),
    (&["man"], OF_WORK),
];

/// Options of the kernels of transforms.
const KERNELS: &[&str] = &["textbook", "workgroup", "twiddles", "reduction"];

/// Options of work on a device, which checks on the host lack.
const OF_DEVICES: &[&str] = &["device", "plan", "keep_going", "retune"];

/// Options of work with data.
const OF_WORK: &[&str] = &["memory", "trace", "profile"];

/// Options of verbs that compute a result, and report on it.
const OF_DATA: &[&str] = &["device", "plan", "verify", "keep_going", "retune", "json"];

/// Returns the command without the inapplicable options in its help.
pub fn hidden(command: Command) -> Command {
    let global: Vec<Arg> = command.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    TABLE.iter().fold(command, |command, (path, options)| hide(command, path, options, &global))
}

/// Hides options of the operation at `path`. Options of every verb get a hidden declaration there, which takes the place
/// of the one that clap would copy.
fn hide(command: Command, path: &[&str], options: &[&str], global: &[Arg]) -> Command {
    match path {
        [] => options.iter().fold(command, |command, option| {
            let declares = command.get_arguments().any(|arg| arg.get_id() == option);
            match (declares, global.iter().find(|arg| arg.get_id() == option)) {
                (true, _) => command.mut_arg(option, |arg| arg.hide(true)),
                (false, Some(arg)) => command.arg(arg.clone().hide(true)),
                (false, None) => command,
            }
        }),
        ["*", rest @ ..] => {
            let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
            names.iter().fold(command, |command, name| {
                command.mut_subcommand(name, |one| hide(one, rest, options, global))
            })
        }
        [name, rest @ ..] => command.mut_subcommand(name, |one| hide(one, rest, options, global)),
    }
}

/// Returns the message for an inapplicable option that was given, if there is one.
pub fn given(matches: &ArgMatches) -> Option<String> {
    TABLE.iter().find_map(|(path, options)| {
        let mut at = matches;
        let mut verb = Vec::new();
        for name in *path {
            let (found, inner) = at.subcommand()?;
            if *name != "*" && *name != found {
                return None;
            }
            verb.push(found);
            at = inner;
        }
        let is_given = |option: &&&str| {
            at.ids().any(|id| id == *option) && at.value_source(option) == Some(ValueSource::CommandLine)
        };
        let option = options.iter().find(is_given)?;
        Some(format!("`wgalois {}` has no option --{}", verb.join(" "), option.replace('_', "-")))
    })
}
