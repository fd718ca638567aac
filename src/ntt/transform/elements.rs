//! What transforms need of the elements of one kind: words, or scalars.

use std::fmt;
use std::hash::Hash;

use super::TransformOf;
use crate::gpu::{Gpu, Recorder};
use crate::ntt::rates::Rates;
use crate::task::{CpuProfile, GpuProfile};
use crate::{Cpu, Result};

/// A kind of elements, with the settings that transforms of it have.
pub trait Elements: Copy + fmt::Debug + Eq + Hash + Send + Sync + 'static {
    /// An element.
    type Element: Copy + fmt::Debug + Eq + Hash + Send + Sync + 'static;
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
    /// What a GPU takes for them.
    const RATES: Rates;

    /// What the elements are: 'words modulo p'.
    fn name(&self) -> String;

    /// Checks the settings.
    fn check(transform: &TransformOf<Self>) -> Result<()>;

    /// Checks a batch.
    fn check_batch(transform: &TransformOf<Self>, batch: &[Self::Element]) -> Result<()>;

    /// The seconds of a run on the CPU engine.
    fn cpu_seconds(transform: &TransformOf<Self>, cpu: CpuProfile) -> f64;

    /// The bytes of host memory of the CPU engine.
    fn cpu_bytes(transform: &TransformOf<Self>, threads: usize) -> u64;

    /// Makes the tables of the CPU engine.
    fn tables(transform: &TransformOf<Self>, cpu: &Cpu) -> Result<Self::Tables>;

    /// Transforms a batch on the CPU engine.
    fn run_on_cpu(tables: &Self::Tables, batch: &mut [Self::Element]) -> Result<()>;

    /// The plan of a GPU for this batch.
    fn gpu_plan(transform: &TransformOf<Self>, gpu: &GpuProfile) -> Result<Self::GpuPlan>;

    /// What counts of a plan.
    fn counts(plan: &Self::GpuPlan) -> Counts;

    /// The seconds of the passes across buffers, over `elements` elements.
    fn seconds_across(_plan: &Self::GpuPlan, _elements: f64, _gpu: &GpuProfile) -> f64 {
        0.0
    }

    /// Writes the lines of the plan that are those of these elements alone.
    fn write_plan(_plan: &Self::GpuPlan, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    /// The seconds in which the host makes the tables of a GPU's plan, as far as they count.
    fn table_seconds(_counts: &Counts, _host: CpuProfile) -> f64 {
        0.0
    }

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

/// What counts of the plan of a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// Passes over all data, each of which reads and writes every element once.
    pub passes: usize,
    /// Those of them whose time is [`Elements::seconds_across`]; the others take that of the rates.
    pub across: usize,
    /// Dispatches.
    pub dispatches: usize,
    /// Bytes of the tables.
    pub table_bytes: u64,
    /// True if a run takes a second vector.
    pub has_scratch: bool,
}
