//! Kernels and methods to compare with the library's: those of textbooks, and those of published works.
//!
//! The transforms on GPUs are problems with plans and prepared forms like the library's, and their costs follow from the
//! same rates. Each has one way: on one GPU.

pub mod four_step;
pub mod msm;
pub mod naive;
pub mod small;
pub mod textbook;

use std::fmt;
use std::time::Duration;

use serde::Serialize;
use web_time::Instant;

use wgalois::field::NAMED;
use wgalois::gpu::{Arithmetic, DeviceVec, Gpu, Kernel, Recorder, buffers, params};
use wgalois::ntt::arithmetic::{Modulus, ModulusContext};
use wgalois::ntt::{Passes, Reduction, Transform};
use wgalois::task::{
    Cost, Done, GpuProfile, Prepared, Problem, Profile, Ready, Traffic, Way, Ways, other_device,
};
use wgalois::{Cpu, Device, Error, Result};

/// A vector of words on a device.
pub type Words = DeviceVec<u32>;

/// Returns the kernels of all modules.
pub(crate) fn kernels() -> impl Iterator<Item = &'static Kernel> {
    [textbook::KERNELS, four_step::KERNELS, small::KERNELS].into_iter().flatten().copied()
}

buffers! {
    /// The buffers of kernels that change words where they are.
    struct InPlaceBuffers {
        data: read_write array<u32>,
    }
}

buffers! {
    /// The buffers of kernels that move words.
    struct MoveBuffers {
        source: read array<u32>,
        target_words: read_write array<u32>,
    }
}

params! {
    /// The parameters of kernels that transpose matrices.
    struct MatrixParams {
        /// log2 of the rows of a matrix.
        log_rows,
        /// log2 of its columns.
        log_columns,
    }
}

/// The arithmetic of a kernel, as its text takes it.
#[derive(Serialize)]
struct Context {
    #[serde(flatten)]
    modulus: ModulusContext,
    /// The multiples of p that bring a product with a constant below p.
    reductions: Vec<u32>,
}

impl Context {
    fn new(modulus: Modulus) -> Self {
        Context { modulus: modulus.context(), reductions: modulus.scale_reductions() }
    }
}

/// The variables of a template: the arithmetic, and those of the kernel's own.
#[derive(Serialize)]
struct Variables<A> {
    #[serde(flatten)]
    arithmetic: A,
    #[serde(flatten)]
    own: serde_json::Value,
}

/// The modulus with which the variants of kernels are listed.
fn sample_modulus(reduction: Reduction, arithmetic: Arithmetic) -> Modulus {
    Modulus::new(NAMED[2].1, reduction, arithmetic)
}

/// A transform, or a part of one, in one form, on one GPU.
///
/// # Errors
/// - [`Error::Usage`]: there is no such transform in this form, or the GPU cannot run it.
/// - [`Error::WrongLength`]: the vectors have another length than the transform.
/// - [`Error::OutOfMemory`]: one binding does not hold the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared<F> {
    /// The transform.
    pub transform: Transform,
    /// The form.
    pub form: F,
}

/// A form of transforms: what it needs, how it is prepared, and what it computes.
pub trait GpuForm: Copy + fmt::Debug + Send + Sync + 'static {
    /// Its kernels and tables.
    type Kernels: Kernels;
    /// Vectors of all words on the device: one if the kernels work in place.
    const VECTORS: u64;

    /// Invocations per workgroup.
    fn workgroup(&self) -> u32;

    /// Its passes over the words.
    fn passes(&self, transform: &Transform, gpu: &GpuProfile) -> Result<Passes>;

    /// Compiles the kernels and makes the tables.
    fn kernels(&self, transform: &Transform, gpu: &Gpu) -> Result<Self::Kernels>;

    /// Checks that it takes `before` to `after`.
    fn check(&self, transform: &Transform, before: &[u32], after: &[u32]) -> Result<()> {
        transform.check(&Device::Cpu(Cpu::default()), before, after).map(drop)
    }
}

/// The kernels and tables of a form.
pub trait Kernels: fmt::Debug + Send + Sync + 'static {
    /// Records the work on the first of two vectors, and returns the one with the result. The second has the same length where
    /// the work is not in place. The two may have changed places in memory.
    fn record<'v>(&self, recorder: &mut Recorder, vectors: [&'v mut Words; 2]) -> Result<&'v Words>;

    /// The same, where work that is timed stores no result.
    fn record_stored<'v>(&self, recorder: &mut Recorder, vectors: [&'v mut Words; 2]) -> Result<&'v Words> {
        self.record(recorder, vectors)
    }
}

/// The times of the parts of a call, by the host's clock.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Times {
    /// Host memory to device memory.
    pub upload: Duration,
    /// Kernels, from the first submission until the device is idle.
    pub device: Duration,
    /// Device memory to host memory.
    pub download: Duration,
}

impl Times {
    /// All parts together.
    pub fn total(&self) -> Duration {
        self.upload + self.device + self.download
    }
}

impl<F: GpuForm> Compared<F> {
    /// A transform in one form.
    pub fn new(transform: &Transform, form: F) -> Self {
        Compared { transform: *transform, form }
    }

    /// Plans and prepares it for a GPU.
    pub fn prepared(&self, gpu: &Gpu) -> Result<Prepared<'static, Self>> {
        let device = Device::Gpu(gpu.clone());
        self.plan(&device)?.prepare(&device)
    }

    /// Checks a result; where a form leaves out a part of the work, the words that the rest of it makes.
    pub fn check(&self, before: &[u32], after: &[u32]) -> Result<()> {
        self.transform.check_words(before)?;
        self.form.check(&self.transform, before, after)
    }
}

impl<F: GpuForm> Problem for Compared<F> {
    const NAME: &'static str = "this transform";

    type Resident<'a> = ();
    /// The batch.
    type Input<'a> = &'a mut [u32];
    type Answer = Times;
    type Kernels = F::Kernels;

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        Ok(Ways::default().with("on one GPU", OnGpu::new(self, profile)))
    }

    fn check_input(&self, batch: &&mut [u32]) -> Result<()> {
        self.transform.check_words(batch)
    }

    fn reborrow<'s>(batch: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        batch
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?} in the form {:?}", self.transform, self.form)
    }
}

/// The way of all forms.
#[derive(Debug)]
struct OnGpu {
    cost: Cost,
    traffic: Traffic,
}

impl OnGpu {
    fn new<F: GpuForm>(problem: &Compared<F>, profile: &Profile) -> Result<Self> {
        let Some(gpu) = profile.gpu() else {
            let what = "run kernels that are there to be compared with".into();
            return Err(Error::Unsupported { device: "the CPU engine", what });
        };
        let passes = problem.form.passes(&problem.transform, gpu)?;
        let (threads, most) = (problem.form.workgroup(), gpu.workgroup_invocations);
        if !(1..=most).contains(&threads) {
            let (what, value, most) = ("threads of a workgroup", threads.into(), most.into());
            return Err(Error::Setting { what, value, least: 1, most });
        }
        let bytes = 4 * passes.words as u64;
        let dispatches = if bytes == 0 { 0 } else { passes.dispatches };
        let traffic = Traffic { upload: bytes, download: bytes, dispatches: Some(dispatches as u64) };
        Ok(OnGpu { cost: passes.cost(profile)?, traffic })
    }
}

impl<F: GpuForm> Way<Compared<F>> for OnGpu {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu<F>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// The lines of the problem say it all.
    fn write(&self, _: &Compared<F>, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    fn prepare<'p>(&self, problem: &Compared<F>, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        let kernels = problem.form.kernels(&problem.transform, gpu)?;
        Ok(ReadyOnGpu { gpu: gpu.clone(), kernels })
    }
}

#[derive(Debug)]
struct ReadyOnGpu<F: GpuForm> {
    gpu: Gpu,
    kernels: F::Kernels,
}

impl<F: GpuForm> Ready<Compared<F>> for ReadyOnGpu<F> {
    async fn run<'i: 'i>(&self, _: &Compared<F>, batch: &'i mut [u32], _: &Done) -> Result<Times> {
        if batch.is_empty() {
            return Ok(Times::default());
        }
        let other = if F::VECTORS > 1 { batch.len() } else { 0 };
        let ((mut vector, mut other), upload) =
            timed(|| Ok((upload(&self.gpu, batch, batch.len())?, self.gpu.zeros(other)?)))?;
        let (result, device) = timed(|| {
            submit(&self.gpu, |recorder| self.kernels.record_stored(recorder, [&mut vector, &mut other]))
        })?;
        let (words, download) = timed(|| result.download())?;
        batch.copy_from_slice(&words);
        Ok(Times { upload, device, download })
    }

    fn kernels(&self) -> Option<&F::Kernels> {
        Some(&self.kernels)
    }
}

/// The kernels of a prepared form, to be recorded. Refuses what was not prepared for a GPU.
pub fn on_gpu<'p, P: Problem>(prepared: &'p Prepared<'_, P>) -> Result<&'p P::Kernels> {
    prepared.kernels().ok_or_else(other_device)
}

/// Checks that device vectors have as many words as a plan works on: a kernel does not check where it reads
/// and writes.
fn check_lengths(words: usize, vectors: &[&Words]) -> Result<()> {
    match vectors.iter().map(|vector| vector.len()).find(|&len| len != words) {
        None => Ok(()),
        Some(found) => Err(Error::WrongLength { what: "words of a vector".into(), expected: words, found }),
    }
}

/// The first `count` powers of `root`, as constants.
fn powers(modulus: Modulus, root: u32, count: usize) -> Vec<[u32; 2]> {
    let powers = std::iter::successors(Some(1), |&power| Some(modulus.prime().mul(power, root)));
    powers.take(count).map(|power| modulus.constant(power)).collect()
}

/// Uploads words, with zeros after them up to `len`.
fn upload(gpu: &Gpu, words: &[u32], len: usize) -> Result<Words> {
    let mut vector = gpu.zeros(len)?;
    vector.write(0, words)?;
    gpu.wait().map(|()| vector)
}

/// Records work, and waits until it is done.
fn submit<T>(gpu: &Gpu, record: impl FnOnce(&mut Recorder) -> Result<T>) -> Result<T> {
    let mut recorder = gpu.record();
    let result = record(&mut recorder)?;
    recorder.submit()?;
    gpu.wait().map(|()| result)
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed()))
}
