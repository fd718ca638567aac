//! Echelon forms by the CPU engine beside those by M4RI (Albrecht, Bard, Hart), on one thread and on
//! two, in one run: same matrices, same ranks, times of both.
//!
//!     cargo bench -p wgalois-peers --bench gf2_m4ri
//!
//! M4RI is a C library and runs as a program of its own, which takes its time itself; this needs a
//! C compiler and Debian's `libm4ri-dev`. Times are medians; the table at the end gives those of
//! M4RI's two methods as multiples of ours.

mod common;

use common::Peers;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use wgalois::files::write_whole;
use wgalois::gf2::{self, BitMatrix, generate};
use wgalois::{Cpu, Device};
use wgalois_io::bits::{Format, write_matrix};

/// As `m4ri.c` calls them.
const METHODS: [&str; 2] = ["m4ri", "pluq"];

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("m4ri");
    if !compile(&program) {
        println!("NOT RUN: a C compiler and libm4ri-dev are needed");
        return;
    }
    let mut peers = Peers::new(10, 500, 2000);
    let mut compare = |name: &str, matrix: &BitMatrix| {
        compare(&mut peers, (folder.path(), &program), name, matrix);
    };
    for n in [4096, 8192, 16384] {
        compare(&format!("random {n:>5}"), &generate::matrix(n, n, 0.5, 1).unwrap());
    }
    let n = 8192;
    compare(&format!("rank {} of {n}", n / 2), &generate::matrix_of_rank(n, n, n / 2, 2).unwrap());
    compare(&format!("density 0.001, {n}"), &generate::matrix(n, n, 0.001, 3).unwrap());
    peers.print();
}

fn compile(program: &Path) -> bool {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/m4ri.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O3", source, "-lm4ri", "-lm", "-o"]).arg(program);
    compiler.status().is_ok_and(|status| status.success())
}

fn compare(peers: &mut Peers, (folder, program): (&Path, &Path), name: &str, matrix: &BitMatrix) {
    let file = folder.join("matrix.gf2");
    write_whole(&file, |out| write_matrix(out, Format::Packed, matrix)).unwrap();
    for (threads, named) in [(1, "1 thread"), (2, "2 threads")] {
        let work = format!("{name}, {named}");
        let device = Device::Cpu(Cpu { threads, ..Cpu::default() });
        let rank = gf2::rank(&device, matrix).unwrap();
        for method in METHODS {
            let (theirs, _) = m4ri(program, method, &file, 1, threads);
            assert_eq!(theirs, rank, "{work}: M4RI's {method} finds another rank");
        }
        peers.time((&work, "ours"), &(), |()| gf2::rank(&device, matrix).unwrap());
        for method in METHODS {
            peers.time_runs((&work, &format!("M4RI, {method}")), |runs| {
                m4ri(program, method, &file, runs, threads).1
            });
        }
    }
}

/// The rank, and how long so many runs took.
fn m4ri(program: &Path, method: &str, file: &Path, runs: u64, threads: usize) -> (usize, Duration) {
    let mut command = Command::new(program);
    command.arg(method).arg(file).arg(runs.to_string()).env("OMP_NUM_THREADS", threads.to_string());
    let output = command.output().unwrap();
    assert!(output.status.success(), "the M4RI program failed");
    let text = String::from_utf8(output.stdout).unwrap();
    let (rank, seconds) = text.trim().split_once(' ').unwrap();
    (rank.parse().unwrap(), Duration::from_secs_f64(seconds.parse().unwrap()))
}
