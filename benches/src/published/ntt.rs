//! Products of polynomials modulo a prime: a plain program on the CPU, GPU kernels of one radix-2 stage each with
//! several reductions, workgroup sizes and kinds of twiddles, and this crate's two engines.

use std::cell::OnceCell;

use super::{Lab, Scale, Table, csv, layout};
use crate::compared::textbook::{Options, Textbook, Twiddles};
use crate::compared::{naive, on_gpu};
use crate::{Fields, Row, Timing, random, time_host};
use wgalois::field::{NAMED, Prime};
use wgalois::ntt::{Product, Reduction, Ring, Transform, cpu};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Result, Wrong};

/// The table.
pub static TABLE: Table = Table {
    layout: layout!("ntt.json"),
    file: csv::file!("ntt_products.csv"),
    figures: |record| record.figures(&[("us", "", "us"), ("speedup", "speed-up", "times")]),
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

/// The textbook's kernels with a table of twiddles.
const fn table(reduction: Reduction, workgroup: u32) -> System {
    System::Textbook(Options { reduction, workgroup, twiddles: Twiddles::Table })
}

/// The same with twiddles on the fly.
const fn fly(reduction: Reduction) -> System {
    System::Textbook(Options { reduction, workgroup: 256, twiddles: Twiddles::Fly })
}

const WAITING: Options =
    Options { reduction: Reduction::Montgomery, workgroup: 256, twiddles: Twiddles::Table };

/// A system, and its name and block size in the published table.
type Entry = (System, Option<(&'static str, &'static str)>);

/// Every system of a case: the baseline; the textbook's reductions, its workgroup sizes with Montgomery's
/// reduction, and its twiddles on the fly; and this crate's engines.
const ENTRIES: [Entry; 16] = [
    (System::Naive, Some(("cpu", ""))),
    (table(Reduction::Montgomery, 256), Some(("montgomery", ""))),
    (table(Reduction::Barrett, 256), Some(("barrett", ""))),
    (table(Reduction::Plain, 256), Some(("plain", ""))),
    (table(Reduction::Montgomery, 1024), Some(("montgomery -O3", "1024"))),
    (table(Reduction::Montgomery, 512), Some(("montgomery -O3", "512"))),
    (table(Reduction::Montgomery, 256), Some(("montgomery -O3", "256"))),
    (table(Reduction::Montgomery, 128), Some(("montgomery -O3", "128"))),
    (table(Reduction::Montgomery, 64), Some(("montgomery -O3", "64"))),
    (table(Reduction::Shoup, 256), None),
    (fly(Reduction::Plain), None),
    (fly(Reduction::Barrett), None),
    (fly(Reduction::Montgomery), None),
    (System::Waiting(WAITING), None),
    (System::Fast, None),
    (System::CpuEngine, None),
];

/// Returns the number of rows of a case.
pub fn systems() -> usize {
    ENTRIES.len()
}

fn run(lab: &mut Lab) -> Result<Vec<Row>> {
    let records = TABLE.file.records()?;
    let mut cases: Vec<(Option<usize>, Option<u32>)> =
        records.iter().map(|record| Ok((record.value("n")?, record.value("p")?))).collect::<Result<_>>()?;
    cases.sort_unstable();
    cases.dedup();
    let mut rows = Vec::new();
    for (terms, prime) in cases {
        rows.extend(measure(lab, Prime::new(prime.unwrap_or(0))?, terms.unwrap_or(0))?);
    }
    Ok(rows)
}

/// The terms of the longer published case in a quick run.
const QUICK: usize = 100;

/// Measures every system on factors of `terms` random coefficients modulo `prime`.
pub fn measure(lab: &mut Lab, prime: Prime, terms: usize) -> Result<Vec<Row>> {
    let run = if lab.scale == Scale::Quick { terms.min(QUICK) } else { terms };
    let case = Case::new(prime, run, lab.samples)?;
    let row = |lab: &mut Lab, (system, published): Entry| {
        let fields = case.fields((system, published));
        lab.row(fields, system.name(), |lab| case.run(lab, system))
    };
    let fastest = if lab.has_gpu() { System::Fast } else { System::CpuEngine };
    let fast = row(lab, (fastest, None))?;
    let (n, p) = (terms.to_string(), prime.value().to_string());
    let mut rows: Vec<Row> = Vec::new();
    for entry in ENTRIES {
        let row = if entry.0 == fastest { fast.clone() } else { row(lab, entry)? };
        let published = match entry.1 {
            Some((name, block)) => {
                TABLE.published(&[("system", name), ("block", block), ("n", &n), ("p", &p)])?
            }
            None => Vec::new(),
        };
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
        Error::expect_at_least("terms", 1, terms as u64)?;
        let length = Ring::Linear.length(terms, terms)?;
        let spec = Transform::new(prime, length.next_power_of_two().max(2))?;
        let mut a = random(prime, 2 * terms, terms as u64);
        let b = a.split_off(terms);
        Ok(Case { prime, spec, samples, a, b, right: OnceCell::new() })
    }

    fn fields(&self, (system, published): Entry) -> Fields {
        let options = match system {
            System::Textbook(options) | System::Waiting(options) => Some(options),
            _ => None,
        };
        Fields::default()
            .with("terms", self.a.len())
            .with("prime", self.prime.value())
            .with("published_as", published.map(|(name, _)| name))
            .with("workgroup", options.map(|options| options.workgroup))
            .with("twiddles", options.map(|options| options.twiddles))
    }

    fn run(&self, lab: &mut Lab, system: System) -> Result<Timing> {
        match system {
            System::Naive => self.time(|| naive::multiply(self.prime, &self.a, &self.b)),
            System::CpuEngine => {
                let engine = cpu::Convolution::new(self.prime, self.spec.log_n(), false, 0)?;
                self.time(|| engine.multiply(&self.a, &self.b))
            }
            System::Textbook(options) => self.run_textbook(lab, options),
            System::Waiting(options) => self.run_waiting(lab, options),
            System::Fast => self.run_fast(lab),
        }
    }

    /// Multiplies as [`multiply`](crate::compared::textbook::TextbookKernels::multiply) does, but waits after each dispatch.
    fn run_waiting(&self, lab: &Lab, options: Options) -> Result<Timing> {
        let gpu = lab.gpu()?;
        let prepared = Textbook::new(&self.spec, options).prepared(&gpu)?;
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

    fn run_textbook(&self, lab: &mut Lab, options: Options) -> Result<Timing> {
        let gpu = lab.gpu()?;
        let prepared = Textbook::new(&self.spec, options).prepared(&gpu)?;
        let kernels = on_gpu(&prepared)?;
        let timing = self.time(|| Ok(kernels.multiply(&self.a, &self.b)?.0))?;
        let (mut left, mut right) = (gpu.zeros(self.spec.n())?, gpu.zeros(self.spec.n())?);
        left.write(0, &self.a)?;
        right.write(0, &self.b)?;
        lab.device_time(timing, |recorder| kernels.record_product(recorder, &mut left, &mut right))
    }

    fn run_fast(&self, lab: &mut Lab) -> Result<Timing> {
        let gpu = lab.gpu()?;
        let device = Device::Gpu(gpu.clone());
        let prepared = self.product().plan(&device)?.prepare(&device)?;
        let timing =
            self.time(|| prepared.run_on_device(&gpu.upload(&self.a)?, &gpu.upload(&self.b)?)?.download())?;
        let (left, right) = (gpu.upload(&self.a)?, gpu.upload(&self.b)?);
        let mut product = gpu.zeros(self.spec.n())?;
        lab.device_time(timing, |recorder| prepared.record(recorder, &left, &right, &mut product))
    }

    fn product(&self) -> Product {
        Product::new(self.prime, self.a.len(), self.b.len())
    }

    /// Compares the product that `multiply` computes, with or without zeros after it, with the fast method's, then
    /// times it. The fast method is measured first, and its product is verified.
    fn time(&self, multiply: impl Fn() -> Result<Vec<u32>>) -> Result<Timing> {
        let mut product = multiply()?;
        let padding = product.split_off(product.len().min(self.a.len() + self.b.len() - 1));
        let is_padded = padding.iter().all(|&word| word == 0);
        Wrong::unless(is_padded, "the product has more terms than its factors make")?;
        match self.right.get() {
            Some(right) => Wrong::unless(product == *right, "the product is not that of the fast method")?,
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
            System::Textbook(options) => match options.reduction {
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
        for record in TABLE.file.records().unwrap() {
            let is_it = |(name, block): &(&str, &str)| record.has(&[("system", name), ("block", block)]);
            let published = ENTRIES.iter().filter_map(|(_, published)| *published);
            assert_eq!(published.filter(is_it).count(), 1, "{record:?}");
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
