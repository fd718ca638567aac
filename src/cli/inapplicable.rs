//! Options that verbs share through a struct of arguments, and that one of them would ignore.
//!
//! They are hidden from that verb's help, and refused where they are given.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};

/// A verb and its operation, or `*` for any, and the options that it does not have.
const TABLE: &[(&[&str], &[&str])] = &[
    (&["gf2", "rank"], &["output_format"]),
    (&["gf2", "mul"], &["method"]),
    (&["gf2", "transpose"], &["pivots", "method", "scratch", "threads", "simd"]),
    (&["check"], &["output"]),
    (
        &["check", "polymul"],
        &["output_format", "textbook", "workgroup", "twiddles", "reduction", "plan", "keep_going"],
    ),
    (&["check", "intmul"], &["plan", "keep_going"]),
    (
        &["check", "ntt"],
        &[
            "output_format",
            "output_scalars_format",
            "textbook",
            "workgroup",
            "twiddles",
            "reduction",
            "plan",
            "keep_going",
        ],
    ),
    (&["check", "msm"], &["compressed"]),
    (&["check", "eliminate"], &["output_format", "schedule", "grid", "scratch"]),
    (&["check", "gf2", "*"], &["output_format", "pivots", "method", "scratch"]),
    (&["check", "gf2", "transpose"], &["threads", "simd", "plan", "keep_going"]),
    (&["check", "gf2", "mul"], &["threads", "simd", "plan", "keep_going"]),
    (&["check", "solve"], &["plan", "keep_going"]),
    (&["groth16", "prove"], &["verify", "output"]),
    (&["groth16", "verify"], &["plan", "verify", "keep_going", "output"]),
    (&["groth16", "info"], &["plan", "verify", "keep_going"]),
    (&["kzg", "verify"], &["plan", "verify", "keep_going", "output"]),
    (&["gen"], &["plan", "verify", "keep_going"]),
    (&["bench"], &["plan", "verify", "keep_going"]),
    (&["devices"], &["plan", "verify", "keep_going"]),
    (&["shaders"], &["plan", "verify", "keep_going", "output"]),
    (&["completions"], &["plan", "verify", "keep_going"]),
    (&["formats"], &["plan", "verify", "keep_going"]),
    (&["man"], &["plan", "verify", "keep_going"]),
];

/// Options of every verb that change nothing in these, and are only hidden.
const WITHOUT_EFFECT: &[(&[&str], &[&str])] = &[
    (&["completions"], &["device", "memory", "json", "trace", "profile"]),
    (&["formats"], &["device", "memory", "json", "trace", "profile"]),
    (&["man"], &["device", "memory", "json", "trace", "profile"]),
    (&["gen"], &["device"]),
    (&["devices"], &["device", "memory", "trace", "profile"]),
    (&["shaders"], &["device", "memory", "trace", "profile"]),
    (&["groth16", "verify"], &["device"]),
    (&["groth16", "info"], &["device"]),
    (&["check"], &["verify"]),
    (&["check", "polymul"], &["device"]),
    (&["check", "intmul"], &["device"]),
    (&["check", "ntt"], &["device"]),
    (&["check", "gf2", "transpose"], &["device"]),
    (&["check", "gf2", "mul"], &["device"]),
    (&["check", "solve"], &["device"]),
];

/// Returns the command without the inapplicable options in its help.
pub fn hidden(command: Command) -> Command {
    let global: Vec<Arg> = command.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    let table = TABLE.iter().chain(WITHOUT_EFFECT);
    table.fold(command, |command, (path, options)| hide(command, path, options, &global))
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
