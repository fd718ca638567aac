//! Examples in the help of verbs.

use clap::Command;

/// For each verb a line with its name, then its examples; an empty line ends them.
const EXAMPLES: &str = include_str!("examples.txt");

/// Adds the examples to the help of verbs, before what they already have at the end.
pub fn shown(command: Command) -> Command {
    let verbs = EXAMPLES.trim_end().split("\n\n").filter_map(|verb| verb.split_once('\n'));
    verbs.fold(command, |command, (path, examples)| {
        add(command, &path.split(' ').collect::<Vec<_>>(), examples)
    })
}

fn add(command: Command, path: &[&str], examples: &str) -> Command {
    match path {
        [] => {
            let examples = format!("Examples:\n{examples}");
            let long = match command.get_after_long_help() {
                Some(text) => format!("{examples}\n\n{text}"),
                None => examples.clone(),
            };
            command.after_help(examples).after_long_help(long)
        }
        [name, rest @ ..] => command.mut_subcommand(name, |verb| add(verb, rest, examples)),
    }
}
