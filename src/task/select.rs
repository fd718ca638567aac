//! Choosing and opening the device for a problem.

use std::sync::Arc;
use std::time::Duration;

use super::{Planned, Problem, approximate};
use crate::device::Profile;
use crate::gpu::{self, Adapter, AdapterDescription, Adapters, Found, Gpu};
use crate::processes::Transport;
use crate::{Cpu, Device, Group, Processes, Result, Select};

/// An open device with the plan that was made for it.
#[derive(Clone, Debug)]
pub struct Choice<P: Problem> {
    /// The device.
    pub device: Device,
    /// The plan.
    pub plan: Planned<P>,
    /// The reason why [`Select::Auto`] chose the device; `None` if the caller named it.
    pub reason: Option<String>,
}

/// What a device is opened with.
#[derive(Clone, Default)]
pub struct Setup {
    /// The CPU engine, if that is chosen.
    pub cpu: Cpu,
    /// The options of GPUs.
    pub gpu: gpu::Options,
    /// The processes that share the work. Each takes the device that is chosen.
    pub processes: Option<Arc<dyn Transport>>,
}

/// The part of the time to open a GPU that each further one of a group takes: the driver opens one at a time. On an H200 the
/// first took 0.22 s, the search included, and each further one 0.1 s.
const FURTHER: f64 = 0.45;

impl Device {
    /// Returns the device whose plan for `problem` expects the shortest time: the CPU engine; the first adapter,
    /// unless it is a software driver; or a group of all adapters of its model. The time to open the GPUs is
    /// included. If no GPU can run the problem either, the error is that of its plan on the CPU engine.
    ///
    /// ```
    /// use wgalois::{Device, field::BABY_BEAR, ntt::Transform};
    ///
    /// // A short transform is done before any GPU is open.
    /// let device = Device::auto(&Transform::new(BABY_BEAR, 1 << 10)?)?;
    /// assert!(matches!(device, Device::Cpu(_)));
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn auto(problem: &impl Problem) -> Result<Self> {
        Ok(Self::select(&Select::Auto, problem, Setup::default())?.device)
    }

    /// Returns the device that `select` names, or chooses one for `problem`, with the problem's plan for it. A GPU
    /// that was named and is missing is an error: only [`Select::Auto`] falls back to the CPU engine.
    pub fn select<P: Problem>(select: &Select, problem: &P, setup: Setup) -> Result<Choice<P>> {
        Self::select_by(select, |profile| problem.plan_for(profile), setup)
    }

    /// [`select`](Self::select) of a device for what `plan` plans.
    pub fn select_by<P: Problem>(
        select: &Select,
        plan: impl Fn(&Profile) -> Result<Planned<P>>,
        setup: Setup,
    ) -> Result<Choice<P>> {
        let mut plans = Vec::new();
        let mut candidate = |profile: &Profile| {
            let planned = plan(profile)?;
            let candidate = Candidate { plan: plans.len(), time: planned.cost().time };
            plans.push(planned);
            Ok(candidate)
        };
        let Chosen { device, plan, reason } = choose(select, &mut candidate, setup)?;
        Ok(Choice { device, plan: plans.swap_remove(plan), reason })
    }
}

/// A plan that was made, by its number, for a device that may not be open.
struct Candidate {
    plan: usize,
    /// The time until the answer: that of the plan, and that of opening the GPUs if they are not open.
    time: Duration,
}

/// Makes the next plan: one for this profile. What chooses a device needs its time alone, whatever the problem is.
type Planner<'a> = dyn FnMut(&Profile) -> Result<Candidate> + 'a;

/// An open device, the number of the plan for it, and the reason why it was taken unless the caller named it.
struct Chosen {
    device: Device,
    plan: usize,
    reason: Option<String>,
}

/// Opens the device that `select` names, or the one whose plan is the fastest.
fn choose(select: &Select, plan: &mut Planner, setup: Setup) -> Result<Chosen> {
    let Setup { cpu, gpu, processes } = setup;
    let plan: &mut Planner = &mut |profile| match &processes {
        Some(processes) => plan(&profile.clone().of_processes(processes.size())),
        None => plan(profile),
    };
    let chosen = match select {
        Select::Cpu => on(Device::Cpu(cpu), plan),
        Select::Gpu(adapter) => on(Device::Gpu(Gpu::open(adapter, gpu)?), plan),
        Select::Group(adapters) => together(adapters, plan, gpu),
        // An adapter named by the environment counts as named by the caller.
        Select::Auto if gpu::adapter_is_named() => on(Device::Gpu(Gpu::open(&Adapter::First, gpu)?), plan),
        Select::Auto => fastest(plan, cpu, gpu),
    }?;
    let device = match processes {
        Some(processes) => Device::Processes(Processes::new(processes, chosen.device)?),
        None => chosen.device,
    };
    Ok(Chosen { device, ..chosen })
}

/// The plan for a device that the caller named.
fn on(device: Device, plan: &mut Planner) -> Result<Chosen> {
    Ok(Chosen { plan: plan(&device.profile())?.plan, device, reason: None })
}

/// Opens adapters that were found: a group, or one GPU if there is one.
fn open_all(found: &Found, indices: &[usize], options: gpu::Options) -> Result<Device> {
    let group = Group::of_found(found, indices, &options)?;
    Ok(match group.members() {
        [one] => Device::Gpu(
            one.with_options(gpu::Options { timeline: group.timeline().clone(), ..one.options().clone() }),
        ),
        _ => Device::Group(group),
    })
}

/// Opens the adapters that the caller named; of equal ones only the first, if the plan expects it to finish
/// sooner alone, since opening a GPU takes longer than a small problem. Software drivers are all opened: they
/// serve tests.
fn together(adapters: &Adapters, plan: &mut Planner, options: gpu::Options) -> Result<Chosen> {
    let found = Found::search()?;
    let (named, all) = (found.choose_all(adapters)?, found.described());
    let first = &all[named[0]];
    if named.len() > 1 && !first.is_software() && named.iter().all(|&index| all[index].is_like(first)) {
        let candidates = [1, named.len()].map(|gpus| on_gpus(plan, first, gpus, &options));
        if let [Ok(alone), Ok(together)] = candidates
            && alone.time <= together.time
        {
            let reason = format!(
                "alone it takes {}, and {} GPUs together {}",
                approximate(alone.time),
                named.len(),
                approximate(together.time)
            );
            let device = Device::Gpu(Gpu::open_found(&found, named[0], options)?);
            return Ok(Chosen { device, plan: alone.plan, reason: Some(reason) });
        }
    }
    on(open_all(&found, &named, options)?, plan)
}

/// Opens the device whose plan expects the shortest time.
fn fastest(plan: &mut Planner, cpu: Cpu, options: gpu::Options) -> Result<Chosen> {
    let device = Device::Cpu(cpu);
    let on_cpu = plan(&device.profile());
    let of_cpu = |on_cpu: Result<Candidate>, reason: String| {
        Ok(Chosen { device: device.clone(), plan: on_cpu?.plan, reason: Some(reason) })
    };
    // Searching for adapters takes longer than a small problem.
    if let Ok(Candidate { time, .. }) = &on_cpu
        && *time < gpu::shortest_opening()
    {
        let reason = format!("the CPU engine takes {}, less than opening a GPU", approximate(*time));
        return of_cpu(on_cpu, reason);
    }
    let found = Found::search()?;
    let adapters = found.described();
    let Some(adapter) = adapters.first() else {
        return of_cpu(on_cpu, "no GPU was found".to_owned());
    };
    if adapter.is_software() {
        return of_cpu(on_cpu, "the only graphics driver is a software one".to_owned());
    }
    let on_gpu = on_gpus(plan, adapter, 1, &options);
    let alike: Vec<usize> = (0..adapters.len()).filter(|&i| adapters[i].is_like(adapter)).collect();
    if alike.len() > 1
        && let Ok(together) = on_gpus(plan, adapter, alike.len(), &options)
        && [&on_cpu, &on_gpu].into_iter().all(|one| one.as_ref().map_or(true, |one| together.time < one.time))
    {
        let reason = format!(
            "together they take {}, one of them {}, and the CPU engine {}",
            approximate(together.time),
            outcome(&on_gpu),
            outcome(&on_cpu),
        );
        let device = open_all(&found, &alike, options)?;
        return Ok(Chosen { device, plan: together.plan, reason: Some(reason) });
    }
    match (on_cpu, on_gpu) {
        (Ok(on_cpu), Ok(on_gpu)) if on_cpu.time <= on_gpu.time => {
            let times = [on_cpu.time, on_gpu.time].map(approximate);
            let reason = format!("it takes {}, and {} {}", times[0], adapter.name, times[1]);
            of_cpu(Ok(on_cpu), reason)
        }
        (on_cpu, Err(error)) => of_cpu(on_cpu, format!("{} cannot: {error}", adapter.name)),
        (on_cpu, Ok(on_gpu)) => {
            let takes = |on_cpu: Candidate| format!("takes {}", approximate(on_cpu.time));
            let other = on_cpu.map_or_else(|_| "cannot".to_owned(), takes);
            let reason = format!("it takes {}, and the CPU engine {other}", approximate(on_gpu.time));
            let device = Device::Gpu(Gpu::open_found(&found, 0, options)?);
            Ok(Chosen { device, plan: on_gpu.plan, reason: Some(reason) })
        }
    }
}

/// The plan for `gpus` adapters like this one, which are not open.
fn on_gpus(
    plan: &mut Planner,
    adapter: &AdapterDescription,
    gpus: usize,
    options: &gpu::Options,
) -> Result<Candidate> {
    let one = Profile::of_adapter(adapter, options);
    let opening = one.gpu().map_or(0.0, |gpu| gpu.record.opening);
    let profile = match (gpus, one.as_member(adapter.name.clone())) {
        (1, _) | (_, None) => one,
        (_, Some(member)) => Profile::of_group(vec![member; gpus], options.host_memory),
    };
    let opening = Duration::from_secs_f64(opening * (1.0 + FURTHER * (gpus as f64 - 1.0)));
    let candidate = plan(&profile)?;
    Ok(Candidate { time: candidate.time.saturating_add(opening), ..candidate })
}

/// The time of a candidate, or why there is none.
fn outcome(candidate: &Result<Candidate>) -> String {
    match candidate {
        Ok(candidate) => approximate(candidate.time),
        Err(error) => error.to_string(),
    }
}
