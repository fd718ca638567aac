//! The options that every verb takes.

use super::bytes::parse_bytes;
use std::path::PathBuf;
use wgalois::Select;

#[derive(clap::Args)]
pub struct Options {
    /// The device: auto, cpu, gpu, an index of `wgalois devices`, or part of a name, vendor or
    /// backend; several GPUs: all, all:NAME for all that match, or indices such as 0,1
    #[arg(long, global = true, value_name = "WHICH", default_value = "auto")]
    pub device: Select,
    /// Use at most this much memory, such as 500M or 2G; K, M, G and T are powers of 1024 [default: the free
    /// memory]. It applies to the host, and to each GPU
    #[arg(long, global = true, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory: Option<u64>,
    /// Measure the rates of the GPU again, by which plans estimate times and kernels choose their arithmetic [default: once
    /// for each GPU and driver]
    #[arg(long, global = true)]
    pub retune: bool,
    /// If one of several GPUs is lost, let the others do its work [default: end with an error that names it]
    #[arg(long, global = true)]
    pub keep_going: bool,
    /// Verify the result before writing it; exit code 1 if it is wrong
    #[arg(long, global = true)]
    pub verify: bool,
    /// Print the plan of the work, its time and its memory, without doing the work
    #[arg(long, global = true)]
    pub plan: bool,
    /// Write one JSON object about the run to stdout; the data go only to -o
    #[arg(long, global = true)]
    pub json: bool,
    /// Write a timeline of the run for Perfetto, with a track for each thread of the CPU engine, except in msm,
    /// whose threads are those of arkworks and blst. A dispatch that is submitted in parts, since it would keep the
    /// device too long, has an event for each part, with its workgroups. `-` is stdout if -o FILE takes the data
    #[arg(long, global = true, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Print a profile to stderr, and with --json into the object: every kind of call with its times and
    /// bytes, the share of the time in which the device was busy, its longest idle stretches, busy time by
    /// thread, the processor's counters. Each dispatch gets a pass of its own, which takes some microseconds
    #[arg(long, global = true)]
    pub profile: bool,
    /// Write the result to this file, which appears complete or not at all; `-` is stdout
    #[arg(short, long, global = true, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more messages; given twice, also those of the graphics library
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

impl Options {
    /// Sends the library's log messages to stderr at the level asked for; RUST_LOG overrides it.
    pub fn start_logging(&self) {
        let filter = match (self.quiet, self.verbose) {
            (true, _) => "off",
            (false, 0) => "off,wgalois=warn",
            (false, 1) => "warn,wgalois=info",
            (false, _) => "info,wgalois=debug",
        };
        let environment = env_logger::Env::default().default_filter_or(filter);
        // If a logger is already installed, it is used.
        let _ = env_logger::Builder::from_env(environment).format_timestamp(None).try_init();
    }
}
