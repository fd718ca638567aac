//! The options that every verb takes.

use super::bytes::parse_bytes;
use std::path::PathBuf;
use wgalois::Select;

#[derive(clap::Args)]
pub struct Options {
    /// What computes: auto, cpu, gpu, an index of `wgalois devices`, or part of a name, vendor or backend
    #[arg(long, global = true, value_name = "WHICH", default_value = "auto")]
    pub device: Select,
    /// Use at most this much memory; K, M, G and T are powers of 1024 [default: what is free]
    #[arg(long, global = true, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory: Option<u64>,
    /// Verify the result before writing it
    #[arg(long, global = true)]
    pub verify: bool,
    /// Print how the work would be done and what it takes, and do nothing
    #[arg(long, global = true)]
    pub plan: bool,
    /// Write one JSON object about the run to stdout; data go to -o
    #[arg(long, global = true)]
    pub json: bool,
    /// Write a timeline that Perfetto opens; `-` is stdout, where -o FILE leaves it free
    #[arg(long, global = true, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Write the result here, whole or not at all; `-` is stdout
    #[arg(short, long, global = true, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Say nothing but errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more; twice for the graphics library's own messages
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

impl Options {
    /// Sends the library's log messages to stderr, as loud as asked; RUST_LOG overrides.
    pub fn start_logging(&self) {
        let filter = match (self.quiet, self.verbose) {
            (true, _) => "off",
            (false, 0) => "off,wgalois=warn",
            (false, 1) => "warn,wgalois=info",
            (false, _) => "info,wgalois=debug",
        };
        let environment = env_logger::Env::default().default_filter_or(filter);
        // A logger that is already there is as good.
        let _ = env_logger::Builder::from_env(environment).format_timestamp(None).try_init();
    }
}
