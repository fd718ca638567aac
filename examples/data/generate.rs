//! Writes the data of this folder: a quantised signal and a filter, as integers and modulo a prime.
//! Run `cargo run --example generate_data` in the root of the repository.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::f64::consts::{PI, TAU};
use std::path::Path;

const SAMPLES: usize = 4096;
const SAMPLE_RATE: f64 = 8000.0;
/// Amplitude, frequency in Hz.
const TONES: [(f64, f64); 3] = [(0.25, 440.0), (0.15, 1000.0), (0.20, 3000.0)];
/// Amplitude, first and last frequency in Hz.
const CHIRP: (f64, f64, f64) = (0.25, 50.0, 3500.0);
const NOISE: f64 = 0.05;
const SIGNAL_BITS: u32 = 12;

const TAPS: usize = 129;
const CUTOFF: f64 = 1200.0;
/// The filter's gain at frequency 0 in units of its last bit.
const FILTER_SCALE: f64 = 32768.0;

const PRIME: i64 = 469_762_049;

/// Returns tones, a linear chirp and uniform noise, quantised to 12 bits with sign.
fn signal() -> Vec<i64> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let full = f64::from(1 << (SIGNAL_BITS - 1));
    let duration = SAMPLES as f64 / SAMPLE_RATE;
    let sample = |i: usize| {
        let t = i as f64 / SAMPLE_RATE;
        let tones: f64 = TONES.iter().map(|(amplitude, hertz)| amplitude * (TAU * hertz * t).sin()).sum();
        let (amplitude, first, last) = CHIRP;
        let chirp = amplitude * (TAU * (first * t + (last - first) * t * t / (2.0 * duration))).sin();
        let noise = NOISE * (f64::from(random.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0);
        ((tones + chirp + noise) * full).round().clamp(-full, full - 1.0) as i64
    };
    (0..SAMPLES).map(sample).collect()
}

/// Returns a low-pass filter: the impulse response of the ideal filter under a Hamming window.
fn filter() -> Vec<i64> {
    let middle = (TAPS / 2) as f64;
    let tap = |i: usize| {
        let x = i as f64 - middle;
        let ideal = if x == 0.0 {
            2.0 * CUTOFF / SAMPLE_RATE
        } else {
            (TAU * CUTOFF / SAMPLE_RATE * x).sin() / (PI * x)
        };
        let window = 0.54 + 0.46 * (PI * x / middle).cos();
        (ideal * window * FILTER_SCALE).round() as i64
    };
    (0..TAPS).map(tap).collect()
}

fn write(name: &str, values: &[i64]) -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data");
    let reduced: Vec<i64> = values.iter().map(|value| value.rem_euclid(PRIME)).collect();
    let text = |values: &[i64]| values.iter().map(|value| format!("{value}\n")).collect::<String>();
    std::fs::write(folder.join(format!("{name}.txt")), text(values))?;
    std::fs::write(folder.join(format!("{name}-mod-{PRIME}.txt")), text(&reduced))
}

fn main() -> std::io::Result<()> {
    write("signal", &signal())?;
    write("filter", &filter())
}
