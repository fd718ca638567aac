//! Times of transfers between the host's memory and a device's.

use super::{Fields, Row, Timing, time_host};
use wgalois::gpu::{DeviceVec, Gpu};
use wgalois::{Result, Wrong};

/// Times the upload of `bytes` bytes (rounded to whole words) to a device vector that exists, and their download
/// into a new vector of the host; `samples` runs each. Both are checked.
pub fn measure(gpu: &Gpu, samples: usize, bytes: usize) -> Result<[Row; 2]> {
    // An odd factor: words that change places are seen.
    let data: Vec<u32> = (0..bytes as u32 / 4).map(|i| i.wrapping_mul(0x9e37_79b1)).collect();
    let mut vector: DeviceVec<u32> = gpu.zeros(data.len())?;
    let up = time_host(samples, || {
        vector.write(0, &data)?;
        gpu.wait()
    })?;
    // The results are freed after the measurement.
    let mut back = Vec::with_capacity(samples + 1);
    let down = time_host(samples, || {
        back.push(vector.download()?);
        Ok(())
    })?;
    Wrong::unless(back.iter().all(|words| *words == data), format!("{bytes} bytes came back changed"))?;
    let row = |system, seconds: f64| {
        let rate = (size_of_val(&data[..]) as f64 / seconds / 1e7).round() / 100.0;
        let fields = Fields::default().with("bytes", size_of_val(&data[..])).with("GB/s", rate);
        Row::new(fields, system, Ok(Timing::of_calls(seconds)))
    };
    Ok([row("upload", up)?, row("download", down)?])
}
