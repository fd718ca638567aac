//! What the engines do for the elements of one kind: words, or scalars.

use std::fmt;

use crate::gpu::{Gpu, Recorder};
use crate::task::{Cost, GpuProfile};
use crate::{Cpu, Result};

/// What a vector consists of.
pub trait Entry: Copy + fmt::Debug + Send + Sync + 'static {}

impl<E: Copy + fmt::Debug + Send + Sync + 'static> Entry for E {}

/// The engines of transforms of one kind of elements.
pub trait Engines: Clone + fmt::Debug + Send + Sync + 'static {
    /// An element.
    type Element: Entry;
    /// The tables of the CPU engine.
    type Tables: fmt::Debug + Send + Sync + 'static;
    /// The plan of a GPU for vectors that it transforms at once.
    type GpuPlan: Clone + fmt::Debug + Send + Sync + 'static;
    /// The kernels and tables of a GPU.
    type Kernels: fmt::Debug + Send + Sync + 'static;
    /// Elements on a device.
    type Vector;

    /// Bytes of an element.
    const BYTES: u64;

    /// What the elements are: 'words modulo p'.
    fn elements(&self) -> String;

    /// Checks a batch.
    fn check_batch(&self, batch: &[Self::Element]) -> Result<()>;

    /// Checks the settings.
    fn check_settings(&self) -> Result<()>;

    /// The cost on the CPU engine.
    fn cost_on_cpu(&self, threads: usize) -> Cost;

    /// Makes the tables of the CPU engine.
    fn tables(&self, cpu: &Cpu) -> Result<Self::Tables>;

    /// Transforms a batch on the CPU engine.
    fn run_on_cpu(tables: &Self::Tables, batch: &mut [Self::Element]) -> Result<()>;

    /// The plan of a GPU that transforms `vectors` at once.
    fn gpu_plan(&self, vectors: usize, gpu: &GpuProfile) -> Result<Self::GpuPlan>;

    /// The cost of such a plan for the whole batch.
    fn cost_on_gpu(&self, vectors: usize, plan: &Self::GpuPlan, gpu: &GpuProfile) -> Cost;

    /// Passes over all data, and dispatches, of a plan.
    fn passes(plan: &Self::GpuPlan) -> (usize, usize);

    /// Compiles the kernels.
    fn compile(gpu: &Gpu, plan: &Self::GpuPlan) -> Result<()>;

    /// Compiles the kernels and makes the tables.
    fn kernels(gpu: &Gpu, plan: &Self::GpuPlan) -> Result<Self::Kernels>;

    /// A vector on the device, whose content is not set.
    fn vector(gpu: &Gpu, len: usize) -> Result<Self::Vector>;

    /// Copies elements to the beginning of a vector.
    fn write(vector: &mut Self::Vector, elements: &[Self::Element]) -> impl Future<Output = Result<()>>;

    /// Copies the beginning of a vector to `elements`: all arrive, or none.
    fn read(vector: &Self::Vector, elements: &mut [Self::Element]) -> impl Future<Output = Result<()>>;

    /// Transforms a vector on the device.
    fn run(kernels: &Self::Kernels, vector: &mut Self::Vector) -> Result<()>;

    /// Records [`run`](Self::run).
    fn record(kernels: &Self::Kernels, recorder: &mut Recorder, vector: &mut Self::Vector) -> Result<()>;
}
