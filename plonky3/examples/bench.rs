//! A low-degree extension on the device beside Plonky3's, in one run, checked first.
//!
//!     RUSTFLAGS="-C target-cpu=native" cargo run --release -p wgalois-plonky3 --example bench -- \
//!         [log2 of the rows] [columns] [added bits] [samples]
//!
//! The flags are for Plonky3, which chooses its vector instructions when it is compiled. Times are medians by the
//! host's clock; copying the input before a call, and freeing the result after it, are not counted. A program that keeps
//! results on the device need not wait for each of them: a row times eight calls with one wait.

use std::time::{Duration, Instant};

use p3_baby_bear::BabyBear;
use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::{Field, PrimeCharacteristicRing};
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use wgalois::Device;
use wgalois::gpu::Gpu;
use wgalois_plonky3::{Crossover, WgaloisDft};

const SHIFT: BabyBear = BabyBear::GENERATOR;
/// The time of calls before those that count.
const WARM_UP: Duration = Duration::from_secs(1);

fn main() -> wgalois::Result<()> {
    let number = |text: String| text.parse().expect("a number");
    let arguments: Vec<usize> = std::env::args().skip(1).map(number).collect();
    let argument = |i: usize, default| arguments.get(i).copied().unwrap_or(default);
    let (log_rows, width, added_bits, samples) =
        (argument(0, 20), argument(1, 64), argument(2, 1), argument(3, 9));

    let gpu = Gpu::new()?;
    println!("{} ({}), {} cores", gpu.adapter().name, gpu.adapter().driver, cores());
    if !cfg!(target_feature = "avx2") {
        println!("Plonky3 was compiled without vector instructions: set RUSTFLAGS=\"-C target-cpu=native\"");
    }
    println!("BabyBear, 2^{log_rows} rows of {width} words, {added_bits} added bits; medians of {samples}");
    let dft = WgaloisDft::on(Device::Gpu(gpu.clone())).with_crossover(Crossover::Words(0));
    let plonky3 = Radix2DitParallel::default();
    let values = (0..(width as u64) << log_rows)
        .map(|i| BabyBear::from_u64(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33))
        .collect();
    let matrix = RowMajorMatrix::new(values, width);
    let resident = dft.upload(&matrix)?;

    // The first runs compile kernels and make tables; their results are compared.
    let expected = plonky3.coset_lde_batch(matrix.clone(), added_bits, SHIFT).bit_reverse_rows();
    let values = dft.coset_lde_batch(matrix.clone(), added_bits, SHIFT).bit_reverse_rows();
    if let Some(error) = dft.last_error() {
        panic!("the device failed: {error}");
    }
    assert!(values == expected, "host to host: another result than Plonky3's");
    drop(values);
    let values = dft.coset_lde_resident(&resident, added_bits, SHIFT)?;
    assert!(values.download()? == expected, "resident: another result than Plonky3's");
    drop((values, expected));

    // The device's clock falls while it idles and takes a while to rise, so that the calls of a row follow each other,
    // after some that do not count.
    let mut rows: Vec<(&str, Vec<Duration>)> = Vec::new();
    let mut row = |name, call: &mut dyn FnMut() -> wgalois::Result<Duration>| {
        let begin = Instant::now();
        while begin.elapsed() < WARM_UP {
            call()?;
        }
        let times: wgalois::Result<Vec<_>> = (0..samples).map(|_| call()).collect();
        rows.push((name, times?));
        wgalois::Result::Ok(())
    };
    row("Plonky3, Radix2DitParallel", &mut || {
        let input = matrix.clone();
        timed(|| Ok(plonky3.coset_lde_batch(input, added_bits, SHIFT)))
    })?;
    let resident_calls = |calls: u32| {
        let time = timed(|| {
            for _ in 0..calls {
                dft.coset_lde_resident(&resident, added_bits, SHIFT)?;
            }
            gpu.wait()
        });
        Ok(time? / calls)
    };
    row("wgalois, resident", &mut || resident_calls(1))?;
    row("wgalois, resident, one wait for 8", &mut || resident_calls(8))?;
    if gpu.has_timestamps() {
        row("wgalois, kernels by the device's clock", &mut || {
            Ok(gpu.device_time(|| dft.coset_lde_resident(&resident, added_bits, SHIFT))?.1)
        })?;
    }
    row("wgalois, host matrices in and out", &mut || {
        let input = matrix.clone();
        timed(|| Ok(dft.coset_lde_batch(input, added_bits, SHIFT)))
    })?;
    // The transfers that a call with host matrices cannot do without.
    row("the upload alone", &mut || {
        timed(|| {
            let uploaded = dft.upload(&matrix)?;
            gpu.wait()?;
            Ok(uploaded)
        })
    })?;
    let values = dft.coset_lde_resident(&resident, added_bits, SHIFT)?;
    row("the download alone", &mut || timed(|| values.download()))?;

    let base = median(&mut rows[0].1);
    println!("{:40} {:>13} {:>8}", "", "median", "ratio");
    for (name, times) in &mut rows {
        let time = median(times);
        let ratio = base.as_secs_f64() / time.as_secs_f64();
        println!("{name:40} {:10.3} ms {ratio:8.2}", 1e3 * time.as_secs_f64());
    }
    Ok(())
}

/// The time of `work`, without that of freeing its result.
fn timed<T>(work: impl FnOnce() -> wgalois::Result<T>) -> wgalois::Result<Duration> {
    let begin = Instant::now();
    let result = work()?;
    let time = begin.elapsed();
    drop(result);
    Ok(time)
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get())
}
