//! Applies a low-pass filter to a sampled signal without rounding. The signal and the filter are
//! integers (12 and 16 bits with sign), so their convolution is too, and an exact product of
//! polynomials computes it. The result is compared with a direct sum in single precision, whose
//! error must not exceed its bound.
//!
//!     cargo run --release --example convolution [SIGNAL FILTER]
//!
//! The files hold integers separated by white space; the default files are in `examples/data`.

use approx::abs_diff_eq;
use std::path::Path;
use wgalois::gpu::Gpu;
use wgalois::ntt::exact::{self, ExactProduct};
use wgalois::{Cpu, Device, Error, Place, Result, Wrong};

fn main() -> Result<()> {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (signal, filter) = match arguments.as_slice() {
        [] => (format!("{data}/signal.txt"), format!("{data}/filter.txt")),
        [signal, filter] => (signal.clone(), filter.clone()),
        _ => return Err(Error::Usage("two files are expected: a signal and a filter".into())),
    };
    let (signal, filter) = (read(&signal)?, read(&filter)?);

    let mut devices = vec![("CPU engine".to_owned(), Device::Cpu(Cpu::default()))];
    match Gpu::new() {
        Ok(gpu) => devices.push((gpu.adapter().name.clone(), Device::Gpu(gpu))),
        Err(Error::NoDevice(why)) => println!("no GPU: {why}"),
        Err(error) => return Err(error),
    }
    let floating = convolve(&signal, &filter);
    let tolerance = error_bound(&signal, &filter);
    let product = ExactProduct::new(signal.len(), filter.len());
    for (name, device) in devices {
        let exact = exact::multiply(&device, &product, &signal, &filter)?;
        let off = compare(&exact, &floating, tolerance)?;
        println!("{name}: {} samples; single precision is off by up to {off} of {tolerance:.0}", exact.len());
    }
    Ok(())
}

fn read(path: &str) -> Result<Vec<i64>> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::file(Path::new(path), e))?;
    let number = |(i, token): (usize, &str)| {
        token.parse().map_err(|e| Error::Format {
            place: Place::whole(path),
            fault: Box::new(format!("number {}, {token:?}: {e}", i + 1).into()),
            note: String::new(),
        })
    };
    text.split_whitespace().enumerate().map(number).collect()
}

/// Computes the convolution by its definition, in single precision.
fn convolve(signal: &[i64], filter: &[i64]) -> Vec<f32> {
    let mut result = vec![0.0; (signal.len() + filter.len()).saturating_sub(1)];
    for (i, &x) in signal.iter().enumerate() {
        for (sum, &tap) in result[i..].iter_mut().zip(filter) {
            *sum += x as f32 * tap as f32;
        }
    }
    result
}

/// Returns a bound for the error of a sample: an inner product of n terms errs by at most
/// n u / (1 - n u) times the sum of its terms' magnitudes, u = 2^-24 (Higham, "Accuracy and
/// Stability of Numerical Algorithms", section 3.1).
fn error_bound(signal: &[i64], filter: &[i64]) -> f64 {
    let terms = filter.len() as f64 * f64::from(f32::EPSILON) / 2.0;
    let loudest = signal.iter().map(|x| x.unsigned_abs()).max().unwrap_or(0) as f64;
    let taps: f64 = filter.iter().map(|x| x.unsigned_abs() as f64).sum();
    terms / (1.0 - terms) * loudest * taps
}

/// Returns the largest difference between a floating-point sample and the exact one. If it exceeds `tolerance`,
/// returns [`Error::Check`].
fn compare(exact: &[i128], floating: &[f32], tolerance: f64) -> Result<f64> {
    Wrong::expect_length("exact samples", floating.len(), exact.len())?;
    let mut worst = 0.0;
    for (i, (&exact, &floating)) in exact.iter().zip(floating).enumerate() {
        let (exact, floating) = (exact as f64, f64::from(floating));
        if !abs_diff_eq!(exact, floating, epsilon = tolerance) {
            return Err(Error::Check(Wrong::at("sample", i, format!("is {exact}, not {floating}"))));
        }
        worst = f64::max(worst, (exact - floating).abs());
    }
    Ok(worst)
}
