//! The ways that transforms and products have in common: on the CPU engine, or on one GPU.

use std::fmt;

use crate::gpu::Gpu;
use crate::task::{
    Cost, CpuProfile, Divided, Divisible, Done, Engine, GpuProfile, OneOf, Prepared, Problem, Profile, Ready,
    Traffic, Way, Ways, no_device_vectors,
};
use crate::timeline::{Phase, Timeline};
use crate::{Cpu, Error, Result};

/// A problem that the CPU engine does, and one GPU: what it needs there, what it costs, and how it runs.
pub trait OnEngines: for<'a> Problem<Resident<'a> = (), Kernels = ReadyOnGpu<Self>> {
    /// The tables of the CPU engine.
    type Tables: fmt::Debug + Send + Sync + 'static;
    /// The plan of a GPU.
    type GpuPlan: fmt::Debug + Send + Sync + 'static;
    /// The kernels and tables of a GPU.
    type GpuKernels: fmt::Debug + Send + Sync + 'static;

    /// True if a plan names the engine.
    const NAMES_ENGINE: bool = true;

    /// The cost on the CPU engine.
    fn cost_on_cpu(&self, cpu: CpuProfile) -> Result<Cost>;

    /// Makes the tables of the CPU engine.
    fn tables(&self, cpu: &Cpu) -> Result<Self::Tables>;

    /// Runs on the CPU engine.
    fn run_on_cpu(
        &self,
        tables: &Self::Tables,
        timeline: &Timeline,
        input: Self::Input<'_>,
        done: &Done,
    ) -> impl Future<Output = Result<Self::Answer>>;

    /// The plan of a GPU.
    fn plan_on_gpu(&self, profile: &Profile, gpu: &GpuProfile) -> Result<(Self::GpuPlan, Cost, Traffic)>;

    /// Writes the lines of a plan that state that of the GPU.
    fn write_gpu_plan(_plan: &Self::GpuPlan, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }

    /// Compiles the kernels.
    fn compile(_gpu: &Gpu, _plan: &Self::GpuPlan) -> Result<()> {
        Ok(())
    }

    /// Compiles the kernels and makes the tables.
    fn kernels(&self, gpu: &Gpu, plan: &Self::GpuPlan) -> Result<Self::GpuKernels>;

    /// Runs on the GPU.
    fn run_on_gpu(
        &self,
        gpu: &Gpu,
        kernels: &Self::GpuKernels,
        input: Self::Input<'_>,
        done: &Done,
    ) -> impl Future<Output = Result<Self::Answer>>;
}

/// The ways on a device, of which those of a group are `of_group`.
pub fn ways<P: OnEngines>(
    problem: &P,
    profile: &Profile,
    of_group: impl FnOnce() -> Result<Ways<P>>,
) -> Result<Ways<P>> {
    let ways = Ways::default();
    Ok(match &profile.engine {
        Engine::Cpu(cpu) => ways.with("on the CPU engine", OnCpu::new(problem, *cpu)),
        Engine::Gpu(gpu) => ways.with("on one GPU", OnGpu::new(problem, profile, gpu)),
        Engine::Group(_) => of_group()?,
        Engine::Processes { .. } => ways.with(OneOf::<P>::NAME, OneOf::new(problem, profile)),
    })
}

/// The ways of a group that shares the work.
pub fn divided<P: OnEngines + Divisible>(problem: &P, profile: &Profile) -> Result<Ways<P>> {
    Ok(Ways::default().with(Divided::<P>::NAME, Divided::new(problem, profile)))
}

/// The way of the CPU engine.
#[derive(Debug)]
struct OnCpu {
    threads: usize,
    cost: Cost,
}

impl OnCpu {
    fn new(problem: &impl OnEngines, cpu: CpuProfile) -> Result<Self> {
        Ok(OnCpu { threads: cpu.threads, cost: problem.cost_on_cpu(cpu)? })
    }
}

impl<P: OnEngines> Way<P> for OnCpu {
    type Device = Cpu;
    type Ready<'p> = ReadyOnCpu<P>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &P, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match P::NAMES_ENGINE {
            true => writeln!(f, "engine         CPU, {} threads", self.threads),
            false => Ok(()),
        }
    }

    fn prepare<'p>(&self, problem: &P, cpu: &Cpu, (): ()) -> Result<Self::Ready<'p>> {
        let tables = cpu.timeline.time(Phase::Preparing, "tables", || problem.tables(cpu))?;
        Ok(ReadyOnCpu { tables, timeline: cpu.timeline.clone() })
    }
}

#[derive(Debug)]
struct ReadyOnCpu<P: OnEngines> {
    tables: P::Tables,
    timeline: Timeline,
}

impl<P: OnEngines> Ready<P> for ReadyOnCpu<P> {
    async fn run<'i: 'i>(&self, problem: &P, input: P::Input<'i>, done: &Done) -> Result<P::Answer> {
        problem.run_on_cpu(&self.tables, &self.timeline, input, done).await
    }
}

/// The way of one GPU.
#[derive(Debug)]
pub struct OnGpu<P: OnEngines> {
    /// Its plan there.
    pub plan: P::GpuPlan,
    cost: Cost,
    traffic: Traffic,
}

impl<P: OnEngines> OnGpu<P> {
    fn new(problem: &P, profile: &Profile, gpu: &GpuProfile) -> Result<Self> {
        let (plan, cost, traffic) = problem.plan_on_gpu(profile, gpu)?;
        Ok(OnGpu { plan, cost, traffic })
    }
}

impl<P: OnEngines> Way<P> for OnGpu<P> {
    type Device = Gpu;
    type Ready<'p> = ReadyOnGpu<P>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn write(&self, _: &P, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if P::NAMES_ENGINE {
            writeln!(f, "engine         GPU")?;
        }
        P::write_gpu_plan(&self.plan, f)
    }

    fn compile(&self, _: &P, gpu: &Gpu) -> Result<()> {
        P::compile(gpu, &self.plan)
    }

    fn prepare<'p>(&self, problem: &P, gpu: &Gpu, (): ()) -> Result<Self::Ready<'p>> {
        Ok(ReadyOnGpu { gpu: gpu.clone(), kernels: problem.kernels(gpu, &self.plan)? })
    }
}

/// What a GPU has of a problem that is ready to run.
#[derive(Debug)]
pub struct ReadyOnGpu<P: OnEngines> {
    /// The device.
    pub gpu: Gpu,
    /// Kernels and tables.
    pub kernels: P::GpuKernels,
}

impl<P: OnEngines> Ready<P> for ReadyOnGpu<P> {
    async fn run<'i: 'i>(&self, problem: &P, input: P::Input<'i>, done: &Done) -> Result<P::Answer> {
        problem.run_on_gpu(&self.gpu, &self.kernels, input, done).await
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}

/// What one GPU has of a prepared form, for work on vectors of the device. The error of a group says that it cannot `what`.
pub fn on_gpu<'a, P: OnEngines + Divisible>(
    prepared: &'a Prepared<'_, P>,
    what: &'static str,
) -> Result<&'a ReadyOnGpu<P>> {
    prepared.kernels().ok_or_else(|| match prepared.plan().way::<Divided<P>>() {
        Some(_) => Error::Unsupported { device: "a group", what: what.into() },
        None => no_device_vectors(),
    })
}
