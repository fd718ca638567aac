//! The quantities that the reports read off their profilers, measured here by this crate's own summary of a
//! timeline and by the processor's counters.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use web_time::Instant;

use super::csv::{self, Record};
use super::{Lab, Scale, Table};
use crate::compared::on_gpu;
use crate::compared::textbook::{self, Textbook};
use crate::counters::{Counts, counted};
use crate::{Fields, Figure, Row, Timing, Unit, course, time_host};
use wgalois::field::NAMED;
use wgalois::gf2::generate::course::Case;
use wgalois::gf2::{self, Elimination, Method, System, verify};
use wgalois::gpu::{Gpu, Options};
use wgalois::ntt::{Product, Transform};
use wgalois::task::Problem;
use wgalois::timeline::{Summary, Timeline, Worker};
use wgalois::{Cpu, Device, Error, Result, Simd};

/// The table.
pub static TABLE: Table = Table {
    name: "profiles",
    title: "What profilers said (published: Nsight on an RTX 3090, VTune on a laptop)",
    notes: &[
        "a copy is from the device to the host, since those to the device are asynchronous here",
        "the published profile of the elimination does not name its case; case 8 is run, whose printed times \
         come closest",
        "matrices: real where the folder WGALOIS_DATA holds them, else a stand-in of the same dimensions",
        "a stretch of low utilisation is one in which no kernel runs; its own utilisation is 0, and that of the \
         whole product stands beside the published one",
    ],
    groups: &[("work", "")],
    columns: &[
        ("quantity", "quantity", 34),
        ("system", "system", 20),
        ("here", "here", 24),
        ("published", "published", 26),
        ("over", "gain", 7),
        ("outcome", "result", 6),
    ],
    figures: || csv::PROFILES.records()?.iter().map(|record| Ok(Quantity::of(record)?.1)).collect(),
    run,
};

/// A quantity that a profile told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    /// Bytes of the copy that is timed.
    CopyBytes,
    /// The time of a copy that the host waits for.
    CopyTime,
    /// The time that the host waits for the device after a short job.
    WaitTime,
    /// The longest stretch of a product in which no kernel runs.
    IdleTime,
    /// The share of the time in which a kernel runs.
    Utilisation,
    /// Resident warps by the most that there can be.
    Occupancy,
    /// The time of an algorithm of the elimination, serial.
    Elapsed(Method),
    /// Its clock ticks.
    Ticks(Method),
    /// Its instructions.
    Instructions(Method),
    /// Its clock ticks an instruction.
    TicksAnInstruction(Method),
    /// The speed-up of the CUDA form over serial algorithm 2, by case.
    CudaSpeedup(u32),
}

impl Quantity {
    /// Returns the quantity of a line and its published figure.
    ///
    /// # Errors
    /// [`Error::Input`] if the line tells something else.
    fn of(record: &Record) -> Result<(Self, Figure)> {
        let (work, name) = (record.text("work")?, record.text("quantity")?);
        let method = if work.contains("algorithm 1") { Method::Bands } else { Method::Rounds };
        let quantity = match name {
            "bytes of a synchronous copy" => Quantity::CopyBytes,
            "time of a synchronous copy" => Quantity::CopyTime,
            "time of a device synchronisation" => Quantity::WaitTime,
            "longest stretch of low utilisation" => Quantity::IdleTime,
            "utilisation in that stretch" => Quantity::Utilisation,
            "theoretical occupancy" => Quantity::Occupancy,
            "elapsed time" => Quantity::Elapsed(method),
            "clock ticks" => Quantity::Ticks(method),
            "instructions retired" => Quantity::Instructions(method),
            "CPI" => Quantity::TicksAnInstruction(method),
            "speed-up" => {
                let case = work.rsplit(' ').next().and_then(|case| case.parse().ok());
                Quantity::CudaSpeedup(case.ok_or_else(|| record.fault("no case"))?)
            }
            _ => return Err(record.fault("an unknown quantity")),
        };
        let unit = match record.text("unit")? {
            "us" => Unit::Microseconds,
            "ms" => Unit::Milliseconds,
            "s" => Unit::Seconds,
            "times" => Unit::Factor,
            "percent" => Unit::Percent,
            other => Unit::Other(other),
        };
        let figure = record.figure("value", "", unit)?;
        Ok((quantity, figure.ok_or_else(|| record.fault("no value"))?))
    }

    /// Returns the case of the course that is eliminated for it.
    fn case(self) -> Option<u32> {
        match self {
            Quantity::CudaSpeedup(case) => Some(case),
            Quantity::Elapsed(_)
            | Quantity::Ticks(_)
            | Quantity::Instructions(_)
            | Quantity::TicksAnInstruction(_) => Some(SERIAL),
            _ => None,
        }
    }
}

/// The case of the profiled serial programs.
const SERIAL: u32 = 8;

/// The divisor of the cases' dimensions in a quick run.
const QUICK: usize = 100;

fn run(lab: &mut Lab) -> Result<Vec<Row>> {
    let mut measured = Measured::default();
    let mut row = |record: &Record| {
        let (quantity, figure) = Quantity::of(record)?;
        if quantity.case().is_some_and(|case| !lab.cases.is_empty() && !lab.cases.contains(&case)) {
            return Ok(None);
        }
        let fields = Fields::default().with("work", record.text("work")?);
        let fields = fields.with("quantity", record.text("quantity")?);
        let row = match measured.quantity(lab, quantity) {
            Ok(here) => Row {
                timing: here.seconds.map(Timing::of_calls),
                speedup: here.speedup,
                ..Row::new(fields.with("here", here.text), here.system, Ok(Timing::default()))?
            },
            Err(error) => Row::new(fields, "", Err(error))?,
        };
        Ok(Some(lab.show(row.with_published(vec![figure]))))
    };
    csv::PROFILES.records()?.iter().filter_map(|record| row(record).transpose()).collect()
}

/// A quantity as measured here.
#[derive(Default)]
struct Here {
    system: String,
    /// The figure with its unit, if it is no time.
    text: Option<String>,
    seconds: Option<f64>,
    speedup: Option<f64>,
}

impl Here {
    fn text(system: &str, text: String) -> Self {
        Here { system: system.to_owned(), text: Some(text), ..Here::default() }
    }

    fn time(system: &str, seconds: f64) -> Self {
        Here { system: system.to_owned(), seconds: Some(seconds), ..Here::default() }
    }
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
    method: Method,
    /// The matrices and the instructions.
    system: String,
    seconds: f64,
    counts: std::result::Result<Counts, String>,
}

impl Measured {
    fn quantity(&mut self, lab: &Lab, quantity: Quantity) -> Result<Here> {
        let counted = |serial: &Serial, text: fn(&Counts) -> String| match &serial.counts {
            Ok(counts) => Ok(Here::text(&serial.system, text(counts))),
            Err(reason) => Err(Error::Usage(format!("not counted: {reason}"))),
        };
        match quantity {
            Quantity::CopyBytes => Ok(Here::text("a vector to the host", format!("{COPY_BYTES} bytes"))),
            Quantity::CopyTime => {
                let time = copy_time(&lab.gpu()?, lab.size(101, 3))?;
                Ok(Here::time("a vector to the host", time))
            }
            Quantity::WaitTime => {
                let time = wait_time(&lab.gpu()?, lab.size(101, 3))?;
                Ok(Here::time("a wait for a copy on the device", time))
            }
            Quantity::IdleTime => {
                let summary = self.product(lab)?;
                let idle = summary.idle.first().map_or(0.0, |idle| idle.length.as_secs_f64());
                Ok(Here::time("a product by textbook kernels", idle))
            }
            Quantity::Utilisation => {
                let share = self.product(lab)?.busy.share.unwrap_or_default();
                Ok(Here::text("a product by textbook kernels", format!("{:.1}%", 100.0 * share)))
            }
            Quantity::Occupancy => Err(Error::Usage("WebGPU does not tell the occupancy".into())),
            Quantity::Elapsed(method) => {
                let serial = self.serial(lab, method)?;
                Ok(Here::time(&serial.system, serial.seconds))
            }
            Quantity::Ticks(method) => {
                counted(self.serial(lab, method)?, |counts| format!("{} ticks", counts.ticks))
            }
            Quantity::Instructions(method) => {
                counted(self.serial(lab, method)?, |counts| format!("{} instructions", counts.instructions))
            }
            Quantity::TicksAnInstruction(method) => counted(self.serial(lab, method)?, |counts| {
                format!("{:.3} ticks an instruction", counts.ticks_an_instruction().unwrap_or_default())
            }),
            Quantity::CudaSpeedup(case) => cuda_speedup(lab, case),
        }
    }

    fn product(&mut self, lab: &Lab) -> Result<&Summary> {
        if self.product.is_none() {
            self.product = Some(product_profile(&lab.gpu()?, lab.size(131_072, 100))?);
        }
        self.product.as_ref().ok_or_else(|| Error::Usage("no profile".into()))
    }

    fn serial(&mut self, lab: &Lab, method: Method) -> Result<&Serial> {
        if !self.serial.iter().any(|own| own.method == method) {
            let (system, matrices) = system(lab, SERIAL)?;
            let ((result, seconds), counts) = counted(|| eliminated(&serial(), &system, method));
            let result = result?;
            let cpu = Device::Cpu(Cpu::default());
            verify::elimination(&cpu, &system, &result, method, verify::Depth::Bounded)?;
            let system = format!("{matrices}, 1 thread, no vector instructions");
            self.serial.push(Serial { method, system, seconds, counts });
        }
        let found = self.serial.iter().find(|own| own.method == method);
        found.ok_or_else(|| Error::Usage("no measurement".into()))
    }
}

/// The bytes of the copy that is timed: 1.049 MB, as published.
pub const COPY_BYTES: usize = 1 << 20;

/// Returns the median time of a copy of [`COPY_BYTES`] to the host, in seconds, of `samples` after one.
///
/// # Errors
/// The device's faults; [`Error::Check`] if the copy differs.
pub fn copy_time(gpu: &Gpu, samples: usize) -> Result<f64> {
    let data: Vec<u32> = (0..COPY_BYTES as u32 / 4).collect();
    let vector = gpu.upload(&data)?;
    if vector.download()? != data {
        return Err(Error::Check("a copy differs".into()));
    }
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
    times.remove(0);
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Returns the summary of a product of two polynomials of `terms` coefficients by textbook kernels, from host
/// memory to host memory with the tables of its transforms, after one that compiles the kernels.
///
/// # Errors
/// [`Error::Usage`] if the device has no timestamps; [`Error::Check`] if the product is wrong.
pub fn product_profile(gpu: &Gpu, terms: usize) -> Result<Summary> {
    if !gpu.has_timestamps() {
        return Err(Error::Usage("this device has no timestamps".into()));
    }
    let prime = NAMED[0].1;
    let mut rng = ChaCha8Rng::seed_from_u64(terms as u64);
    let mut random = || -> Vec<u32> { (0..terms).map(|_| rng.random_range(0..prime.value())).collect() };
    let (a, b) = (random(), random());
    let spec = Transform::new(prime, (2 * terms).next_power_of_two())?;
    // Each run has a timeline of its own; the first compiles the kernels for both.
    let run = || {
        let options = Options { profile: true, timeline: Timeline::detailed(), ..gpu.options().clone() };
        let profiled = gpu.with_options(options);
        let device = Device::Gpu(profiled.clone());
        let textbook = Textbook::new(&spec, &textbook::Options::default());
        let prepared = textbook.plan(&device)?.prepare(&device)?;
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

/// Returns the system of a case and which matrices it has: the real ones where the lab's folder holds them, else those
/// of a stand-in of the same dimensions.
fn system(lab: &Lab, number: u32) -> Result<(System, String)> {
    let case = Case::numbered(number).ok_or_else(|| Error::Usage(format!("no case {number}")))?;
    let (system, matrices) = match lab.scale {
        Scale::Quick => (case.stand_in(QUICK)?, "small stand-in"),
        Scale::Whole => {
            let loaded = course::load(&case, lab.data.as_deref(), lab.memory)?;
            (loaded.system, if loaded.is_real { "real" } else { "stand-in" })
        }
    };
    Ok((system, format!("case {number}, {matrices}")))
}

/// Eliminates a system; returns the result and its time in seconds.
fn eliminated(device: &Device, system: &System, method: Method) -> (Result<Elimination>, f64) {
    let system = system.clone().with_method(method);
    let begin = Instant::now();
    let result = gf2::eliminate(device, &system);
    (result, begin.elapsed().as_secs_f64())
}

/// The speed-up of the CUDA form over serial algorithm 2 in a case; both results must be the same.
fn cuda_speedup(lab: &Lab, case: u32) -> Result<Here> {
    let device = Device::Gpu(lab.gpu()?);
    let (system, matrices) = system(lab, case)?;
    let (first, _) = eliminated(&device, &system, Method::Rounds);
    let (_, fast) = eliminated(&device, &system, Method::Rounds);
    let (expected, slow) = eliminated(&serial(), &system, Method::Rounds);
    if first?.to_lists() != expected?.to_lists() {
        return Err(Error::Check("the promoted rows differ".into()));
    }
    let system = format!("{matrices}, a thread a row, promotion on the host");
    Ok(Here { system, seconds: Some(fast), speedup: Some(slow / fast), text: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_line_is_a_quantity() {
        let quantities: Vec<_> =
            csv::PROFILES.records().unwrap().iter().map(|record| Quantity::of(record).unwrap()).collect();
        assert_eq!(quantities.len(), 19);
        assert_eq!(quantities[1].0, Quantity::CopyTime);
        assert_eq!(quantities[1].1.seconds(), Some(56.5e-6));
        assert_eq!(quantities[8].0, Quantity::Elapsed(Method::Bands));
        assert_eq!(quantities[12].1.seconds(), Some(0.43));
        assert_eq!(quantities[18].0, Quantity::CudaSpeedup(9));
        let occupancies = quantities.iter().filter(|(quantity, _)| *quantity == Quantity::Occupancy);
        assert_eq!(occupancies.count(), 3);
    }
}
