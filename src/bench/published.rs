//! The published comparison of polynomial products, measured on a device.
//!
//! The cases are products of two polynomials of 4 and of 131072 terms modulo three primes; the
//! systems are a plain program on the CPU, GPU kernels of one radix-2 stage each with several
//! reductions, workgroup sizes and kinds of twiddles, and this crate's own two engines. Every
//! product is verified before it is timed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::microseconds;
use crate::field::{NAMED, Prime};
use crate::gpu::{Clock, Gpu};
use crate::ntt::textbook::{Options, Textbook, Twiddles};
use crate::ntt::{Form, Product, Reduction, Transform, cpu};
use crate::task::Problem;
use crate::{Device, Error, Result};

/// The lengths of the published cases.
pub const TERMS: [usize; 2] = [4, 131_072];

/// The primes of the published cases.
pub const PRIMES: [Prime; 3] = [NAMED[0].1, NAMED[1].1, NAMED[2].1];

/// A program that multiplies polynomials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// [`cpu::naive`]: the baseline of every speed-up.
    Naive,
    /// [`crate::ntt::textbook`].
    Textbook(Options),
    /// [`Product`].
    Fast,
    /// [`cpu::Convolution`] on all cores.
    CpuEngine,
}

/// The outcome of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "outcome", content = "why")]
pub enum Outcome {
    /// The result was verified.
    Right,
    /// The result was verified and is wrong.
    Wrong(String),
    /// The system returned an error.
    Failed(String),
    /// The device cannot run the system.
    LeftOut(String),
}

/// The times of a product.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timing {
    /// The median of whole calls, from host memory to host memory, in microseconds, without the preparation
    /// of the plan.
    pub call: f64,
    /// The median of the device's own time, in microseconds, if it has timestamps.
    pub device: Option<f64>,
}

/// The measurement of one system in one case.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The modulus.
    pub prime: u32,
    /// Terms of each factor.
    pub terms: usize,
    /// The system.
    pub system: String,
    /// Invocations per workgroup, if the system has this choice.
    pub workgroup: Option<u32>,
    /// The source of the twiddles, if the system has this choice.
    pub twiddles: Option<Twiddles>,
    /// The times, if the system ran.
    pub timing: Option<Timing>,
    /// The baseline's time for the whole call divided by this one's.
    pub speedup: Option<f64>,
    /// The lowest and the highest published time of a whole call on an RTX 3090 or its host, in
    /// microseconds, if there is one.
    pub published: Option<[f64; 2]>,
    /// The outcome of its verification.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Every system of a case: the baseline; the textbook's reductions, its workgroup sizes with Montgomery's
/// reduction, and its twiddles on the fly; and this crate's engines.
pub fn systems() -> Vec<System> {
    let textbook = |reduction, workgroup, twiddles| {
        let options = Options::default().with_reduction(reduction).with_workgroup(workgroup);
        System::Textbook(options.with_twiddles(twiddles))
    };
    let table = |reduction, workgroup| textbook(reduction, workgroup, Twiddles::Table);
    let fly = |reduction| textbook(reduction, 256, Twiddles::Fly);
    let mut systems = vec![System::Naive];
    systems.extend([Reduction::Plain, Reduction::Barrett].map(|reduction| table(reduction, 256)));
    systems.extend([1024, 512, 256, 128, 64].map(|workgroup| table(Reduction::Montgomery, workgroup)));
    systems.push(table(Reduction::Shoup, 256));
    systems.extend([Reduction::Plain, Reduction::Barrett, Reduction::Montgomery].map(fly));
    systems.extend([System::Fast, System::CpuEngine]);
    systems
}

/// Measures every system on factors of `terms` random coefficients modulo `prime`. The clock
/// may be missing where the device has no timestamps.
///
/// # Errors
/// [`Error::Input`] if `terms` is 0 or there is no transform of the product's length, and
/// [`Error::DeviceLost`]; other faults are the outcome of their row.
pub fn measure(
    gpu: &Gpu,
    mut clock: Option<&mut Clock>,
    samples: usize,
    (prime, terms): (Prime, usize),
    mut done: impl FnMut(&Row),
) -> Result<Vec<Row>> {
    let case = Case::new(prime, terms, samples)?;
    let mut rows: Vec<Row> = Vec::new();
    for system in systems() {
        let outcome = case.run(gpu, clock.as_deref_mut(), system);
        let mut row = case.row(system, outcome)?;
        let baseline = rows.first().unwrap_or(&row).timing;
        row.speedup = baseline.zip(row.timing).map(|(baseline, timing)| baseline.call / timing.call);
        done(&row);
        rows.push(row);
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
}

impl Case {
    fn new(prime: Prime, terms: usize, samples: usize) -> Result<Self> {
        if terms == 0 {
            return Err(Error::Input("a product of polynomials without terms".into()));
        }
        let length = Form::Linear.length(terms, terms)?;
        let spec = Transform::new(prime, length.next_power_of_two().max(2))?;
        let mut rng = ChaCha8Rng::seed_from_u64(terms as u64);
        let mut random = || -> Vec<u32> { (0..terms).map(|_| rng.random_range(0..prime.value())).collect() };
        Ok(Case { prime, spec, samples, a: random(), b: random() })
    }

    fn run(&self, gpu: &Gpu, clock: Option<&mut Clock>, system: System) -> Result<Timing> {
        match system {
            System::Naive => self.time(|| cpu::naive::multiply(self.prime, &self.a, &self.b)),
            System::CpuEngine => {
                let engine = cpu::Convolution::new(self.prime, self.spec.log_n(), false, 0)?;
                self.time(|| engine.multiply(&self.a, &self.b))
            }
            System::Textbook(options) => self.run_textbook(gpu, clock, &options),
            System::Fast => self.run_fast(gpu, clock),
        }
    }

    fn run_textbook(&self, gpu: &Gpu, clock: Option<&mut Clock>, options: &Options) -> Result<Timing> {
        let plan = Textbook::new(gpu, &self.spec, options)?;
        let timing = self.time(|| Ok(plan.multiply(&self.a, &self.b)?.0))?;
        let Some(clock) = clock else { return Ok(timing) };
        let (mut left, mut right) = (gpu.zeros(self.spec.n())?, gpu.zeros(self.spec.n())?);
        left.write(0, &self.a)?;
        right.write(0, &self.b)?;
        let times = super::time(gpu, clock, self.samples, |recorder| {
            plan.record_product(recorder, &mut left, &mut right)
        })?;
        Ok(Timing { device: Some(microseconds(times.median())), ..timing })
    }

    fn run_fast(&self, gpu: &Gpu, clock: Option<&mut Clock>) -> Result<Timing> {
        let device = Device::Gpu(gpu.clone());
        let prepared = self.product().plan(&device)?.prepare(&device)?;
        let timing =
            self.time(|| prepared.run_on_device(&gpu.upload(&self.a)?, &gpu.upload(&self.b)?)?.download())?;
        let Some(clock) = clock else { return Ok(timing) };
        let (left, right) = (gpu.upload(&self.a)?, gpu.upload(&self.b)?);
        let mut product = gpu.zeros(self.spec.n())?;
        let times = super::time(gpu, clock, self.samples, |recorder| {
            prepared.record(recorder, &left, &right, &mut product)
        })?;
        Ok(Timing { device: Some(microseconds(times.median())), ..timing })
    }

    fn product(&self) -> Product {
        Product::new(self.prime, self.a.len(), self.b.len())
    }

    /// Verifies the product that `multiply` computes, with or without zeros after it, then times it.
    fn time(&self, multiply: impl Fn() -> Result<Vec<u32>>) -> Result<Timing> {
        let mut product = multiply()?;
        let padding = product.split_off(product.len().min(self.a.len() + self.b.len() - 1));
        if padding.iter().any(|&word| word != 0) {
            return Err(Error::Check("the product has more terms than its factors make".into()));
        }
        self.product().check(&self.a, &self.b, &product, &mut rand::rng())?;
        let call = super::time_host(self.samples, || multiply().map(drop))?;
        Ok(Timing { call, device: None })
    }

    fn row(&self, system: System, outcome: Result<Timing>) -> Result<Row> {
        let (timing, outcome) = match outcome {
            Ok(timing) => (Some(timing), Outcome::Right),
            Err(Error::DeviceLost(message)) => return Err(Error::DeviceLost(message)),
            Err(Error::Check(message)) => (None, Outcome::Wrong(message)),
            Err(Error::Usage(message)) => (None, Outcome::LeftOut(message)),
            Err(error) => (None, Outcome::Failed(error.to_string())),
        };
        let options = match system {
            System::Textbook(options) => Some(options),
            _ => None,
        };
        Ok(Row {
            prime: self.prime.value(),
            terms: self.a.len(),
            system: system.name().into(),
            workgroup: options.map(|options| options.workgroup()),
            twiddles: options.map(|options| options.twiddles()),
            timing,
            speedup: None,
            published: system.published(self.a.len()),
            outcome,
        })
    }
}

impl System {
    fn name(self) -> &'static str {
        match self {
            System::Naive => "CPU, radix 2, %",
            System::Fast => "GPU, fast plan",
            System::CpuEngine => "CPU engine",
            System::Textbook(options) => match options.reduction() {
                Reduction::Auto => "GPU",
                Reduction::Montgomery => "GPU, Montgomery",
                Reduction::Barrett => "GPU, Barrett",
                Reduction::Shoup => "GPU, Shoup",
                Reduction::Plain => "GPU, %",
            },
        }
    }

    /// The lowest and the highest published time over the primes.
    fn published(self, terms: usize) -> Option<[f64; 2]> {
        let options = match self {
            System::Textbook(options) if options.twiddles() == Twiddles::Table => options,
            _ => return (self == System::Naive && terms == TERMS[1]).then_some([165_228.0, 185_690.0]),
        };
        match (terms, options.reduction(), options.workgroup()) {
            (4, Reduction::Plain | Reduction::Barrett | Reduction::Montgomery, 256) => Some([500.0, 500.0]),
            (131_072, Reduction::Plain, 256) => Some([3280.0, 3280.0]),
            (131_072, Reduction::Barrett, 256) => Some([3024.0, 3358.0]),
            (131_072, Reduction::Montgomery, 256) => Some([2559.0, 3157.0]),
            (131_072, Reduction::Montgomery, 128) => Some([2373.0, 2373.0]),
            _ => None,
        }
    }
}
