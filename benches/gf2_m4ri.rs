//! Echelon forms by the CPU engine beside those by M4RI (Albrecht, Bard, Hart), which runs as a
//! program of its own: same matrices, same ranks, times of both.
//!
//! `cargo bench --bench gf2_m4ri`, with a C compiler and Debian's `libm4ri-dev`.

use std::path::Path;
use std::process::Command;
use std::time::Instant;
use wgalois::gf2::{BitMatrix, Engine, generate};
use wgalois::io::bits::{Format, write_matrix};
use wgalois::io::write_whole;
use wgalois::{Cpu, Device};

const RUNS: usize = 3;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("m4ri");
    if !compile(&program) {
        println!("NOT RUN: a C compiler and libm4ri-dev are needed");
        return;
    }
    println!("{:>22} {:>7} {:>9} {:>9} {:>7}   times in ms", "matrix", "rank", "wgalois", "M4RI", "ratio");
    for n in [4096, 8192, 16384] {
        compare(folder.path(), &program, &format!("random {n}"), &generate::matrix(n, n, 0.5, 1).unwrap());
    }
    let n = 8192;
    let deficient = generate::matrix_of_rank(n, n, n / 2, 2).unwrap();
    compare(folder.path(), &program, &format!("rank {} of {n}", n / 2), &deficient);
    let sparse = generate::matrix(n, n, 0.001, 3).unwrap();
    compare(folder.path(), &program, &format!("density 0.001, {n}"), &sparse);
}

fn compile(program: &Path) -> bool {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/m4ri.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O3", source, "-lm4ri", "-lm", "-o"]).arg(program);
    compiler.status().is_ok_and(|status| status.success())
}

fn compare(folder: &Path, program: &Path, name: &str, matrix: &BitMatrix) {
    let file = folder.join("matrix.gf2");
    write_whole(&file, |out| write_matrix(out, Format::Packed, matrix)).unwrap();
    for threads in [1, 2] {
        let (rank, ours) = ours(matrix, threads);
        let peers = peers(program, &file, threads);
        for peer in &peers {
            assert_eq!(peer.rank, rank, "{name}: {} finds another rank", peer.name);
        }
        let best = peers.iter().map(|peer| peer.milliseconds).fold(f64::INFINITY, f64::min);
        let threads = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
        println!("{name:>22} {rank:>7} {ours:>9.1} {best:>9.1} {:>7.2}   {threads}", ours / best);
    }
}

fn ours(matrix: &BitMatrix, threads: usize) -> (usize, f64) {
    let engine = Engine::new(&Device::Cpu(Cpu { threads, ..Cpu::default() }));
    let mut least = f64::INFINITY;
    let mut rank = 0;
    for _ in 0..RUNS {
        let begin = Instant::now();
        rank = engine.rank(matrix).unwrap();
        least = least.min(begin.elapsed().as_secs_f64() * 1e3);
    }
    (rank, least)
}

struct Peer {
    name: String,
    rank: usize,
    milliseconds: f64,
}

/// What the program prints: a line a method.
fn peers(program: &Path, file: &Path, threads: usize) -> Vec<Peer> {
    let mut command = Command::new(program);
    command.arg(file).arg(RUNS.to_string()).env("OMP_NUM_THREADS", threads.to_string());
    let output = command.output().unwrap();
    assert!(output.status.success(), "the M4RI program failed");
    let text = String::from_utf8(output.stdout).unwrap();
    let peer = |line: &str| {
        let mut words = line.split_whitespace();
        let mut next = || words.next().unwrap();
        Peer { name: next().to_owned(), rank: next().parse().unwrap(), milliseconds: next().parse().unwrap() }
    };
    text.lines().map(peer).collect()
}
