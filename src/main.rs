//! The command line of wgalois.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
