//! Products of polynomials modulo a prime: a plain program on the CPU, GPU kernels of one radix-2 stage each with
//! several reductions, workgroup sizes and kinds of twiddles, and this crate's two engines.

use std::cell::OnceCell;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::csv::{self, Record};
use super::{Lab, Scale, Table};
use crate::compared::textbook::{Options, PreparedTextbook, Textbook, Twiddles};
use crate::compared::{naive, on_gpu};
use crate::{Fields, Figure, Row, Timing, Unit, time_host};
use wgalois::field::{NAMED, Prime};
use wgalois::gpu::Gpu;
use wgalois::ntt::{Product, Reduction, Ring, Transform, cpu};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Result};

/// The table.
pub static TABLE: Table = Table {
    name: "ntt",
    title: "Products of two polynomials of n terms (published: RTX 3090 and its host, whole calls)",
    notes: &[
        "-O3 is an option of the published compiler; a driver always optimizes, so the kernels are the same here",
        "published kernels without a block size are run with 256 threads",
        "waits: a wait for the device after each copy and each dispatch, which the report advises against; compare it \
         with the same kernels of 256 threads and a table, which wait once",
    ],
    groups: &[("terms", "terms "), ("prime", "modulo ")],
    columns: &[
        ("published_as", "published as", 14),
        ("system", "system", 22),
        ("workgroup", "threads", 7),
        ("twiddles", "twiddles", 8),
        ("seconds", "call", 8),
        ("device", "device", 8),
        ("speedup", "speed-up", 8),
        ("published", "published", 10),
        ("over", "gain", 7),
        ("fast_over", "fast gain", 9),
        ("outcome", "result", 9),
    ],
    figures: || lines()?.iter().map(Line::figures).collect::<Result<Vec<_>>>().map(|all| all.concat()),
    run,
};

/// The lengths of the published cases.
pub const TERMS: [usize; 2] = [4, 131_072];

/// The primes of the published cases.
pub const PRIMES: [Prime; 3] = [NAMED[0].1, NAMED[1].1, NAMED[2].1];

/// A program that multiplies polynomials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    /// [`naive`]: the baseline of every speed-up.
    Naive,
    /// [`textbook`](crate::compared::textbook).
    Textbook(Options),
    /// The same with a wait for the device after each dispatch.
    Waiting(Options),
    /// [`Product`].
    Fast,
    /// [`cpu::Convolution`] on all cores.
    CpuEngine,
}

/// A system of the table, and its name and block size in the published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    system: System,
    published: Option<(&'static str, Option<u32>)>,
}

/// A line of the published table.
struct Line {
    record: Record,
    system: &'static str,
    block: Option<u32>,
    terms: usize,
    prime: u32,
}

fn lines() -> Result<Vec<Line>> {
    let line = |record: Record| {
        let missing = || record.fault("no length or prime");
        Ok(Line {
            system: record.text("system")?,
            block: record.value("block")?,
            terms: record.value("n")?.ok_or_else(missing)?,
            prime: record.value("p")?.ok_or_else(missing)?,
            record,
        })
    };
    csv::PRODUCTS.records()?.into_iter().map(line).collect()
}

impl Line {
    fn figures(&self) -> Result<Vec<Figure>> {
        let time = self.record.figure("us", "", Unit::Microseconds)?;
        let speedup = self.record.figure("speedup", "speed-up", Unit::Factor)?;
        Ok(time.into_iter().chain(speedup).collect())
    }
}

/// Every system of a case: the baseline; the textbook's reductions, its workgroup sizes with Montgomery's
/// reduction, and its twiddles on the fly; and this crate's engines.
fn entries() -> Vec<Entry> {
    let textbook = |reduction, workgroup, twiddles| {
        let options = Options::default().with_reduction(reduction).with_workgroup(workgroup);
        System::Textbook(options.with_twiddles(twiddles))
    };
    let table = |reduction, workgroup| textbook(reduction, workgroup, Twiddles::Table);
    let published = |name, block, system| Entry { system, published: Some((name, block)) };
    let own = |system| Entry { system, published: None };
    let mut entries = vec![
        published("cpu", None, System::Naive),
        published("montgomery", None, table(Reduction::Montgomery, 256)),
        published("barrett", None, table(Reduction::Barrett, 256)),
        published("plain", None, table(Reduction::Plain, 256)),
    ];
    let blocks = [1024, 512, 256, 128, 64];
    let optimized = |block| published("montgomery -O3", Some(block), table(Reduction::Montgomery, block));
    entries.extend(blocks.map(optimized));
    entries.push(own(table(Reduction::Shoup, 256)));
    let reductions = [Reduction::Plain, Reduction::Barrett, Reduction::Montgomery];
    entries.extend(reductions.map(|reduction| own(textbook(reduction, 256, Twiddles::Fly))));
    entries.push(own(System::Waiting(Options::default().with_reduction(Reduction::Montgomery))));
    entries.extend([System::Fast, System::CpuEngine].map(own));
    entries
}

/// Returns the number of rows of a case.
pub fn systems() -> usize {
    entries().len()
}

fn run(lab: &mut Lab) -> Result<Vec<Row>> {
    let mut cases: Vec<(u32, usize)> = lines()?.iter().map(|line| (line.prime, line.terms)).collect();
    cases.sort_by_key(|(prime, terms)| (*terms, *prime));
    cases.dedup();
    let mut rows = Vec::new();
    for (prime, terms) in cases {
        rows.extend(measure(lab, Prime::new(prime)?, terms)?);
    }
    Ok(rows)
}

/// The terms of the longer published case in a quick run.
const QUICK: usize = 100;

/// Measures every system on factors of `terms` random coefficients modulo `prime`.
///
/// # Errors
/// [`Error::Input`] if `terms` is 0 or there is no transform of the product's length, and
/// [`Error::DeviceLost`]; other faults are the outcome of their row.
pub fn measure(lab: &mut Lab, prime: Prime, terms: usize) -> Result<Vec<Row>> {
    let run = if lab.scale == Scale::Quick { terms.min(QUICK) } else { terms };
    let case = Case::new(prime, run, lab.samples)?;
    let lines = lines()?;
    let row = |lab: &mut Lab, entry: Entry| {
        lab.row(case.fields(entry), entry.system.name(), |lab| case.run(lab, entry.system))
    };
    let fastest = if lab.has_gpu() { System::Fast } else { System::CpuEngine };
    let fast = row(lab, Entry { system: fastest, published: None })?;
    let mut rows: Vec<Row> = Vec::new();
    for entry in entries() {
        let row = if entry.system == fastest { fast.clone() } else { row(lab, entry)? };
        let same = |line: &&Line| {
            (line.terms, line.prime) == (terms, prime.value())
                && entry.published == Some((line.system, line.block))
        };
        let published = lines.iter().find(same).map_or(Ok(Vec::new()), Line::figures)?;
        let baseline = rows.first().unwrap_or(&row).seconds();
        let row = row.with_published(published).with_fast(fast.seconds()).over(baseline);
        rows.push(lab.show(row));
    }
    Ok(rows)
}

/// The two factors of a case.
struct Case {
    prime: Prime,
    spec: Transform,
    samples: usize,
    a: Vec<u32>,
    b: Vec<u32>,
    /// The first product, which was verified: that of the fast method, unless it cannot run.
    right: OnceCell<Vec<u32>>,
}

impl Case {
    fn new(prime: Prime, terms: usize, samples: usize) -> Result<Self> {
        if terms == 0 {
            return Err(Error::Input("a product of polynomials without terms".into()));
        }
        let length = Ring::Linear.length(terms, terms)?;
        let spec = Transform::new(prime, length.next_power_of_two().max(2))?;
        let mut rng = ChaCha8Rng::seed_from_u64(terms as u64);
        let mut random = || -> Vec<u32> { (0..terms).map(|_| rng.random_range(0..prime.value())).collect() };
        Ok(Case { prime, spec, samples, a: random(), b: random(), right: OnceCell::new() })
    }

    fn fields(&self, entry: Entry) -> Fields {
        let options = match entry.system {
            System::Textbook(options) | System::Waiting(options) => Some(options),
            _ => None,
        };
        Fields::default()
            .with("terms", self.a.len())
            .with("prime", self.prime.value())
            .with("published_as", entry.published.map(|(name, _)| name))
            .with("workgroup", options.map(|options| options.workgroup()))
            .with("twiddles", options.map(|options| options.twiddles()))
    }

    fn run(&self, lab: &mut Lab, system: System) -> Result<Timing> {
        match system {
            System::Naive => self.time(|| naive::multiply(self.prime, &self.a, &self.b)),
            System::CpuEngine => {
                let engine = cpu::Convolution::new(self.prime, self.spec.log_n(), false, 0)?;
                self.time(|| engine.multiply(&self.a, &self.b))
            }
            System::Textbook(options) => self.run_textbook(lab, &options),
            System::Waiting(options) => self.run_waiting(lab, &options),
            System::Fast => self.run_fast(lab),
        }
    }

    /// Multiplies as [`multiply`](crate::compared::textbook::TextbookKernels::multiply) does, but waits after each dispatch.
    fn run_waiting(&self, lab: &Lab, options: &Options) -> Result<Timing> {
        let gpu = lab.gpu()?;
        let prepared = self.prepared(&gpu, options)?;
        let kernels = on_gpu(&prepared)?;
        let upload = |factor: &[u32]| {
            let mut vector = gpu.zeros(self.spec.n())?;
            vector.write(0, factor)?;
            gpu.wait().map(|()| vector)
        };
        self.time(|| {
            let (mut left, mut right) = (upload(&self.a)?, upload(&self.b)?);
            let mut recorder = gpu.record().waiting();
            kernels.record_product(&mut recorder, &mut left, &mut right)?;
            recorder.submit()?;
            left.download()
        })
    }

    fn prepared(&self, gpu: &Gpu, options: &Options) -> Result<PreparedTextbook> {
        let device = Device::Gpu(gpu.clone());
        Textbook::new(&self.spec, options).plan(&device)?.prepare(&device)
    }

    fn run_textbook(&self, lab: &mut Lab, options: &Options) -> Result<Timing> {
        let gpu = lab.gpu()?;
        let prepared = self.prepared(&gpu, options)?;
        let kernels = on_gpu(&prepared)?;
        let timing = self.time(|| Ok(kernels.multiply(&self.a, &self.b)?.0))?;
        let (mut left, mut right) = (gpu.zeros(self.spec.n())?, gpu.zeros(self.spec.n())?);
        left.write(0, &self.a)?;
        right.write(0, &self.b)?;
        let times = lab.device_time(|recorder| kernels.record_product(recorder, &mut left, &mut right))?;
        Ok(times.iter().fold(timing, Timing::with_device))
    }

    fn run_fast(&self, lab: &mut Lab) -> Result<Timing> {
        let gpu = lab.gpu()?;
        let device = Device::Gpu(gpu.clone());
        let prepared = self.product().plan(&device)?.prepare(&device)?;
        let timing =
            self.time(|| prepared.run_on_device(&gpu.upload(&self.a)?, &gpu.upload(&self.b)?)?.download())?;
        let (left, right) = (gpu.upload(&self.a)?, gpu.upload(&self.b)?);
        let mut product = gpu.zeros(self.spec.n())?;
        let times = lab.device_time(|recorder| prepared.record(recorder, &left, &right, &mut product))?;
        Ok(times.iter().fold(timing, Timing::with_device))
    }

    fn product(&self) -> Product {
        Product::new(self.prime, self.a.len(), self.b.len())
    }

    /// Compares the product that `multiply` computes, with or without zeros after it, with the fast method's, then
    /// times it. The fast method is measured first, and its product is verified.
    fn time(&self, multiply: impl Fn() -> Result<Vec<u32>>) -> Result<Timing> {
        let mut product = multiply()?;
        let padding = product.split_off(product.len().min(self.a.len() + self.b.len() - 1));
        if padding.iter().any(|&word| word != 0) {
            return Err(Error::Check("the product has more terms than its factors make".into()));
        }
        match self.right.get() {
            Some(right) if product == *right => {}
            Some(_) => return Err(Error::Check("the product is not that of the fast method".into())),
            None => {
                self.product().check(&Device::Cpu(Cpu::default()), &self.a, &self.b, &product)?;
                self.right.get_or_init(|| product);
            }
        }
        time_host(self.samples, || multiply().map(drop)).map(Timing::of_calls)
    }
}

impl System {
    fn name(self) -> &'static str {
        match self {
            System::Naive => "CPU, radix 2, %",
            System::Fast => "GPU, fast plan",
            System::CpuEngine => "CPU engine",
            System::Waiting(_) => "GPU, Montgomery, waits",
            System::Textbook(options) => match options.reduction() {
                Reduction::Auto => "GPU",
                Reduction::Montgomery => "GPU, Montgomery",
                Reduction::Barrett => "GPU, Barrett",
                Reduction::Shoup => "GPU, Shoup",
                Reduction::Plain => "GPU, %",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_line_has_a_system() {
        let entries = entries();
        for line in lines().unwrap() {
            let key = Some((line.system, line.block));
            assert_eq!(entries.iter().filter(|entry| entry.published == key).count(), 1, "{key:?}");
        }
    }

    #[test]
    fn another_product_than_the_first_is_wrong() {
        let case = || Case::new(PRIMES[0], 5, 1).unwrap();
        let first = case();
        let right = naive::multiply(first.prime, &first.a, &first.b).unwrap();
        let mut wrong = right.clone();
        wrong[3] = (wrong[3] + 1) % first.prime.value();
        // The first product is verified, the others are compared with it, with zeros after them or without.
        assert!(matches!(first.time(|| Ok(wrong.clone())), Err(Error::Check(_))));
        first.time(|| Ok(right.clone())).unwrap();
        first.time(|| Ok([&right[..], &[0, 0]].concat())).unwrap();
        for other in [wrong, right[..8].to_vec(), [&right[..], &[1]].concat()] {
            assert!(matches!(first.time(|| Ok(other.clone())), Err(Error::Check(_))), "{other:?}");
        }
    }
}
