//! The quantities that the reports read off their profilers, measured here by this crate's own summary of a
//! timeline and by the processor's counters.

use web_time::Instant;

use super::csv::{self, Record};
use super::{Lab, Table, layout};
use crate::compared::on_gpu;
use crate::compared::textbook::{Options as TextbookOptions, Textbook};
use crate::counters::{Counts, counted};
use crate::{Fields, Row, Timing, random, sorted, time_host};
use wgalois::field::NAMED;
use wgalois::gf2::{self, Elimination, F4Matrix, F4Method, verify};
use wgalois::gpu::{Gpu, Options};
use wgalois::ntt::{Product, Transform};
use wgalois::timeline::{Summary, Timeline, Worker};
use wgalois::{Cpu, Device, Error, Result, Simd, Wrong};

/// The table.
pub static TABLE: Table = Table {
    layout: layout!("profiles.json"),
    file: csv::file!("profiles.csv"),
    figures: |record| record.figures(&[("value", "", record.text("unit")?)]),
    run,
};

/// The case of the profiled serial programs.
const SERIAL: u32 = 8;

fn run(lab: &mut Lab) -> Result<Vec<Row>> {
    let (mut measured, mut rows) = (Measured::default(), Vec::new());
    for record in TABLE.file.records()? {
        let (work, quantity) = (record.text("work")?, record.text("quantity")?);
        let case = case_of(work);
        if case.is_some_and(|case| !lab.cases.is_empty() && !lab.cases.contains(&case)) {
            continue;
        }
        let fields = Fields::default().with("work", work).with("quantity", quantity);
        let row = match measured.quantity(lab, &record, case.unwrap_or(SERIAL)) {
            Ok(row) => Row { fields: fields.and(row.fields), ..row },
            Err(error) => Row::new(fields, "", Err(error))?,
        };
        rows.push(lab.show(row.with_published((TABLE.figures)(&record)?)));
    }
    Ok(rows)
}

/// The case of the course that is eliminated for a profile.
fn case_of(work: &str) -> Option<u32> {
    match work.rsplit_once(" case ") {
        Some((_, case)) => case.parse().ok(),
        None => work.starts_with("special elimination").then_some(SERIAL),
    }
}

/// A quantity with its unit, that is no time.
fn text(system: &str, text: String) -> Row {
    Row { fields: Fields::default().with("here", text), system: system.to_owned(), ..Row::default() }
}

fn time(system: &str, seconds: f64) -> Row {
    let fields = Fields::default().with("here", None::<String>);
    Row { fields, system: system.to_owned(), timing: Some(Timing::of_calls(seconds)), ..Row::default() }
}

/// Measurements that several quantities share, each taken once.
#[derive(Default)]
struct Measured {
    product: Option<Summary>,
    /// The serial eliminations.
    serial: Vec<Serial>,
}

/// A serial elimination.
struct Serial {
    method: F4Method,
    /// The matrices and the instructions.
    system: String,
    seconds: f64,
    counts: std::result::Result<Counts, String>,
}

impl Measured {
    /// Measures the quantity of a line.
    fn quantity(&mut self, lab: &Lab, record: &Record, case: u32) -> Result<Row> {
        let is_first = record.text("work")?.contains("algorithm 1");
        let method = if is_first { F4Method::Bands } else { F4Method::Rounds };
        let mut counted = |text_of: fn(&Counts) -> String| {
            let serial = self.serial(lab, method)?;
            match &serial.counts {
                Ok(counts) => Ok(text(&serial.system, text_of(counts))),
                Err(reason) => Err(Error::Usage(format!("not counted: {reason}"))),
            }
        };
        Ok(match record.text("quantity")? {
            "bytes of a synchronous copy" => text("a vector to the host", format!("{COPY_BYTES} bytes")),
            "time of a synchronous copy" => {
                time("a vector to the host", copy_time(&lab.gpu()?, lab.size(101, 3))?)
            }
            "time of a device synchronisation" => {
                time("a wait for a copy on the device", wait_time(&lab.gpu()?, lab.size(101, 3))?)
            }
            "longest stretch of low utilisation" => {
                let idle = self.product(lab)?.idle.first().map_or(0.0, |idle| idle.length.as_secs_f64());
                time("a product by textbook kernels", idle)
            }
            "utilisation in that stretch" => {
                let share = self.product(lab)?.busy.share.unwrap_or_default();
                text("a product by textbook kernels", format!("{:.1}%", 100.0 * share))
            }
            "theoretical occupancy" => {
                return Err(Error::Unsupported { device: "WebGPU", what: "tell the occupancy".into() });
            }
            "elapsed time" => {
                let serial = self.serial(lab, method)?;
                time(&serial.system, serial.seconds)
            }
            "clock ticks" => counted(|counts| format!("{} ticks", counts.ticks))?,
            "instructions retired" => counted(|counts| format!("{} instructions", counts.instructions))?,
            "CPI" => counted(|counts| {
                format!("{:.3} ticks an instruction", counts.ticks_an_instruction().unwrap_or_default())
            })?,
            "speed-up" => cuda_speedup(lab, case)?,
            _ => return Err(record.fault("an unknown quantity")),
        })
    }

    fn product(&mut self, lab: &Lab) -> Result<&Summary> {
        let product = match self.product.take() {
            Some(product) => product,
            None => product_profile(&lab.gpu()?, lab.size(131_072, 100))?,
        };
        Ok(self.product.insert(product))
    }

    fn serial(&mut self, lab: &Lab, method: F4Method) -> Result<&Serial> {
        let place = match self.serial.iter().position(|own| own.method == method) {
            Some(place) => place,
            None => {
                let (f4, matrices) = course_matrix(lab, SERIAL)?;
                let ((result, seconds), counts) = counted(|| eliminated(&serial(), &f4, method));
                let cpu = Device::Cpu(Cpu::default());
                verify::elimination(&cpu, &f4, &result?, method, verify::Depth::Bounded)?;
                let system = format!("{matrices}, 1 thread, no vector instructions");
                self.serial.push(Serial { method, system, seconds, counts });
                self.serial.len() - 1
            }
        };
        Ok(&self.serial[place])
    }
}

/// The bytes of the copy that is timed: 1.049 MB, as published.
pub const COPY_BYTES: usize = 1 << 20;

/// Returns the median time of a copy of [`COPY_BYTES`] to the host, in seconds, of `samples` after one.
pub fn copy_time(gpu: &Gpu, samples: usize) -> Result<f64> {
    let data: Vec<u32> = (0..COPY_BYTES as u32 / 4).collect();
    let vector = gpu.upload(&data)?;
    Wrong::unless(vector.download()? == data, "a copy differs")?;
    time_host(samples, || vector.download().map(drop))
}

/// Returns the median time that the host waits for a copy of four bytes on the device, in seconds, of
/// `samples` after one.
pub fn wait_time(gpu: &Gpu, samples: usize) -> Result<f64> {
    let (from, mut to) = (gpu.upload(&[1u32])?, gpu.zeros::<u32>(1)?);
    let mut times = Vec::with_capacity(samples);
    for _ in 0..samples.max(1) + 1 {
        to.assign(&from)?;
        let begin = Instant::now();
        gpu.wait()?;
        times.push(begin.elapsed().as_secs_f64());
    }
    let times = sorted(times.split_off(1));
    Ok(times[times.len() / 2])
}

/// Returns the summary of a product of two polynomials of `terms` coefficients by textbook kernels, from host
/// memory to host memory with the tables of its transforms, after one that compiles the kernels. The device needs
/// timestamps.
pub fn product_profile(gpu: &Gpu, terms: usize) -> Result<Summary> {
    if !gpu.has_timestamps() {
        return Err(Error::needs("a profile", "a device with timestamps"));
    }
    let prime = NAMED[0].1;
    let mut a = random(prime, 2 * terms, terms as u64);
    let b = a.split_off(terms);
    let spec = Transform::new(prime, (2 * terms).next_power_of_two())?;
    // Each run has a timeline of its own; the first compiles the kernels for both.
    let run = || {
        let options = Options { profile: true, timeline: Timeline::detailed(), ..gpu.options().clone() };
        let profiled = gpu.with_options(options);
        let prepared = Textbook::new(&spec, TextbookOptions::default()).prepared(&profiled)?;
        let (mut product, _) = on_gpu(&prepared)?.multiply(&a, &b)?;
        profiled.wait()?;
        let summary = profiled.timeline().summary(Worker::Device);
        product.truncate(2 * terms - 1);
        Ok::<_, Error>((product, summary))
    };
    let (product, _) = run()?;
    Product::new(prime, terms, terms).check(&Device::Cpu(Cpu::default()), &a, &b, &product)?;
    Ok(run()?.1)
}

/// The CPU engine as a serial program: one thread, no vector instructions.
fn serial() -> Device {
    Device::Cpu(Cpu { threads: 1, simd: Simd::Scalar, ..Cpu::default() })
}

/// Returns the F4 matrix of a case, with the words that say what it is.
fn course_matrix(lab: &Lab, number: u32) -> Result<(F4Matrix, String)> {
    let (loaded, matrices) = lab.course(number)?;
    Ok((loaded.f4, format!("case {number}, {matrices}")))
}

/// Eliminates an F4 matrix; returns the result and its time in seconds.
fn eliminated(device: &Device, f4: &F4Matrix, method: F4Method) -> (Result<Elimination>, f64) {
    let f4 = f4.clone().with_method(method);
    let begin = Instant::now();
    let result = gf2::eliminate(device, &f4);
    (result, begin.elapsed().as_secs_f64())
}

/// The speed-up of the CUDA form over serial algorithm 2 in a case; both results must be the same.
fn cuda_speedup(lab: &Lab, case: u32) -> Result<Row> {
    let device = Device::Gpu(lab.gpu()?);
    let (f4, matrices) = course_matrix(lab, case)?;
    let (first, _) = eliminated(&device, &f4, F4Method::Rounds);
    let (_, fast) = eliminated(&device, &f4, F4Method::Rounds);
    let (expected, slow) = eliminated(&serial(), &f4, F4Method::Rounds);
    Wrong::unless(first?.to_lists() == expected?.to_lists(), "the promoted rows differ")?;
    let system = format!("{matrices}, a thread a row, promotion on the host");
    Ok(Row { speedup: Some(slow / fast), ..time(&system, fast) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_line_is_a_quantity() {
        let records = TABLE.file.records().unwrap();
        let quantities: Vec<_> = records.iter().map(|record| record.text("quantity").unwrap()).collect();
        let works: Vec<_> = records.iter().map(|record| record.text("work").unwrap()).collect();
        let figures = TABLE.figures().unwrap();
        assert_eq!((quantities.len(), figures.len()), (19, 19));
        assert_eq!((quantities[1], case_of(works[1])), ("time of a synchronous copy", None));
        assert_eq!(figures[1].seconds(), Some(56.5e-6));
        assert_eq!((quantities[8], case_of(works[8])), ("elapsed time", Some(SERIAL)));
        assert!(works[8].contains("algorithm 1"));
        assert_eq!(figures[12].seconds(), Some(0.43));
        assert_eq!((quantities[18], case_of(works[18])), ("speed-up", Some(9)));
        assert_eq!(quantities.iter().filter(|name| **name == "theoretical occupancy").count(), 3);
    }
}
