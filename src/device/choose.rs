//! Choosing and opening the device for a problem.

use std::time::Duration;

use super::{Cpu, Device, Group, Select};
use crate::Result;
use crate::gpu::{self, Adapter, AdapterDescription, Adapters, Found, Gpu};
use crate::task::{Engine, Member, Plan, Problem, Profile, approximate, planned};

/// An open device, with the reason for choosing it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The device.
    pub device: Device,
    /// The reason why [`Select::Auto`] chose it; `None` if the caller named the device.
    pub reason: Option<String>,
}

/// Time to find the GPUs, to open the first, and to close it. On an H200 with a warm driver, 0.11, 0.08 and 0.03 s
/// were measured.
pub const STARTUP: Duration = Duration::from_millis(220);
/// Time to open each further GPU of a group: the driver opens one at a time (0.1 s on an H200).
const FURTHER: Duration = Duration::from_millis(100);

impl Device {
    /// Returns the device whose plan for `problem` expects the shortest time: the CPU engine; the first adapter,
    /// unless it is a software driver; or a group of all adapters of its model. The time to open the GPUs is
    /// included.
    ///
    /// ```
    /// use wgalois::{Device, field::BABY_BEAR, ntt::Transform};
    ///
    /// // A short transform is done before any GPU is open.
    /// let device = Device::auto(&Transform::new(BABY_BEAR, 1 << 10)?)?;
    /// assert!(matches!(device, Device::Cpu(_)));
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of the problem's plan on the CPU engine, if no GPU can run it either; the errors of opening
    /// the chosen GPU.
    pub fn auto(problem: &impl Problem) -> Result<Self> {
        Ok(Self::select(&Select::Auto, problem, Cpu::default(), gpu::Options::default())?.device)
    }

    /// Returns the device that `select` names, or chooses one for `problem`. A GPU is opened with `options`;
    /// otherwise the device is the CPU engine `cpu`.
    ///
    /// # Errors
    /// [`Error::NoDevice`](crate::Error::NoDevice) if a GPU was named and is missing: only [`Select::Auto`] falls
    /// back to the CPU engine. Otherwise those of [`Device::auto`].
    pub fn select(
        select: &Select,
        problem: &impl Problem,
        cpu: Cpu,
        options: gpu::Options,
    ) -> Result<Choice> {
        let named = |adapter: &Adapter, options| {
            Ok(Choice { device: Device::Gpu(Gpu::open(adapter, options)?), reason: None })
        };
        match select {
            Select::Cpu => Ok(Choice { device: Device::Cpu(cpu), reason: None }),
            Select::Gpu(adapter) => named(adapter, options),
            Select::Group(adapters) => Self::together(adapters, problem, options),
            // An adapter named by the environment counts as named by the caller.
            Select::Auto if gpu::adapter_is_named() => named(&Adapter::First, options),
            Select::Auto => Self::faster(problem, cpu, options),
        }
    }

    /// Opens adapters that were found: a group, or one GPU if there is one.
    fn open_all(found: &Found, indices: &[usize], options: gpu::Options) -> Result<Self> {
        let group = Group::of_found(found, indices, &options)?;
        Ok(match group.members() {
            [one] => {
                Device::Gpu(one.with_options(gpu::Options {
                    timeline: group.timeline().clone(),
                    ..one.options().clone()
                }))
            }
            _ => Device::Group(group),
        })
    }

    /// Opens the adapters that the caller named; of equal ones only the first, if the plan expects it to finish
    /// sooner alone, since opening a GPU takes longer than a small problem. Software drivers are all opened: they
    /// serve tests.
    fn together(adapters: &Adapters, problem: &impl Problem, options: gpu::Options) -> Result<Choice> {
        let found = Found::search()?;
        let (named, all) = (found.choose_all(adapters)?, found.described());
        let first = &all[named[0]];
        if named.len() > 1 && !first.is_software() && named.iter().all(|&index| all[index].is_like(first)) {
            let time_of = |profile: &Profile| problem.plan_for(profile).map(|plan| plan.cost().time);
            let alone = time_of(&first.profile(&options, STARTUP));
            let together = time_of(&profile_of(all, &named, &options));
            if let (Ok(alone), Ok(together)) = (alone, together)
                && alone <= together
            {
                let reason = format!(
                    "alone it takes {}, and {} GPUs together {}",
                    approximate(alone),
                    named.len(),
                    approximate(together)
                );
                let device = Device::Gpu(Gpu::open_found(&found, named[0], options)?);
                return Ok(Choice { device, reason: Some(reason) });
            }
        }
        Ok(Choice { device: Self::open_all(&found, &named, options)?, reason: None })
    }

    fn faster(problem: &impl Problem, cpu: Cpu, options: gpu::Options) -> Result<Choice> {
        let device = Device::Cpu(cpu);
        let on_cpu = problem.plan(&device).map(|plan| plan.cost().time);
        // Searching for adapters takes longer than a small problem.
        if let Ok(time) = on_cpu
            && time < STARTUP
        {
            let reason = Some(format!("the CPU engine takes {}, less than opening a GPU", approximate(time)));
            return Ok(Choice { device, reason });
        }
        let kept = |reason: &str| Choice { device: device.clone(), reason: Some(reason.to_owned()) };
        let found = Found::search()?;
        let adapters = found.described();
        let Some(adapter) = adapters.first() else {
            return on_cpu.map(|_| kept("no GPU was found"));
        };
        if adapter.is_software() {
            return on_cpu.map(|_| kept("the only graphics driver is a software one"));
        }
        let time_of = |profile: &Profile| problem.plan_for(profile).map(|plan| plan.cost().time);
        let on_gpu = time_of(&adapter.profile(&options, STARTUP));
        let alike: Vec<usize> = (0..adapters.len()).filter(|&i| adapters[i].is_like(adapter)).collect();
        if alike.len() > 1
            && let Ok(together) = time_of(&profile_of(adapters, &alike, &options))
            && [&on_cpu, &on_gpu].into_iter().all(|one| one.as_ref().map_or(true, |one| together < *one))
        {
            let reason = Some(format!(
                "together they take {}, one of them {}, and the CPU engine {}",
                approximate(together),
                on_gpu.map_or_else(|error| error.to_string(), approximate),
                on_cpu.map_or_else(|error| error.to_string(), approximate),
            ));
            return Ok(Choice { device: Self::open_all(&found, &alike, options)?, reason });
        }
        match (on_cpu, on_gpu) {
            (Ok(cpu_time), Ok(gpu_time)) if cpu_time <= gpu_time => {
                let reason = format!(
                    "it takes {}, and {} {}",
                    approximate(cpu_time),
                    adapter.name,
                    approximate(gpu_time)
                );
                Ok(Choice { device, reason: Some(reason) })
            }
            (Ok(_), Err(error)) => Ok(kept(&format!("{} cannot: {error}", adapter.name))),
            (Err(error), Err(_)) => Err(error),
            (cpu_time, Ok(gpu_time)) => {
                let gpu = Gpu::open_found(&found, 0, options)?;
                let other =
                    cpu_time.map_or("cannot".to_owned(), |time| format!("takes {}", approximate(time)));
                let reason = format!("it takes {}, and the CPU engine {other}", approximate(gpu_time));
                Ok(Choice { device: Device::Gpu(gpu), reason: Some(reason) })
            }
        }
    }
}

/// The profile of a group of equal adapters that are not open yet.
fn profile_of(adapters: &[AdapterDescription], indices: &[usize], options: &gpu::Options) -> Profile {
    let member = |(number, &index): (usize, &usize)| Member {
        name: adapters[index].name.clone(),
        gpu: adapters[index].gpu_profile(options, if number == 0 { STARTUP } else { FURTHER }),
        used_memory: 0,
        speed: 1.0,
    };
    Profile {
        engine: Engine::Group(indices.iter().enumerate().map(member).collect()),
        host_memory: options.host_memory,
        device_memory: planned(options.memory),
    }
}
