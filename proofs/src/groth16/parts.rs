//! The problems of which proofs consist, each with its plan.

use std::fmt;
use std::time::Duration;

use super::from_host::ReadyFromHost;
use super::on_gpu::ReadyOnGpu;
use super::quotient::{Job, Quotient, transforms};
use super::resident::ResidentKey;
use super::{Proving, ProvingKey};
use wgalois::curve::{Affine, PairingCurve};
use wgalois::msm::{Multiplication, MultiplicationPlan};
use wgalois::ntt::scalar::TransformPlan;
use wgalois::parallel::Threads;
use wgalois::task::{AnyForm, Cost, Engine, Planned, Problem, Profile, Traffic, Way};
use wgalois::{Device, Error, One, Result, Shortage, Side};

/// The way: the problems of which proofs consist, each with its plan.
pub struct Parts<E: PairingCurve> {
    /// The multiplications by A, B, L and H in G1.
    pub(super) first: [MultiplicationPlan<E::G1>; 4],
    /// The multiplication by B in G2.
    pub(super) second: MultiplicationPlan<E::G2>,
    /// To coefficients, to the coset, and from there to coefficients, which only keys of arkworks take.
    pub(super) transforms: [TransformPlan<E::Scalar>; 3],
    /// True if all multiplications run at the same time, on the CPU engine.
    together: bool,
    cost: Cost,
}

/// From so many points a thread on a multiplication keeps all threads busy: it has four pieces for each in each of its windows.
const LONG: usize = 1 << 14;

impl<E: PairingCurve> Parts<E> {
    /// Plans multiplications of `vectors` vectors at a time, and `repeated` of these.
    pub(super) fn new(
        problem: &Proving<E>,
        profile: &Profile,
        (vectors, repeated): (usize, usize),
    ) -> Result<Self> {
        // A point of G2 takes as much as two of G1.
        let [a, b, secret, quotient] = problem.sizes();
        let of_second = b.saturating_mul(2);
        let all = problem.sizes().into_iter().fold(of_second, usize::saturating_add);
        // Six transforms; a seventh where the quotient's coefficients are needed is not counted.
        // A transform is the same in any memory; what all parts need together is checked.
        let one = profile.of_one().unbounded();
        let [inverse, forward, back] = transforms::<E::Scalar>(problem.log2)?;
        let transforms = [inverse.plan_for(&one)?, forward.plan_for(&one)?, back.plan_for(&one)?];
        let [inverse, forward] = [transforms[0].cost(), transforms[1].cost()];
        // The vectors of the transforms and the witness, and the points of the key, which stay with the CPU engine.
        let held = (size_of::<Affine<E::G1>>() as u64).saturating_mul(all as u64);
        let transformed = (problem.quotient as u64).saturating_add(1).saturating_mul(3);
        let count = transformed.saturating_add(problem.scalars() as u64);
        let scalars = (size_of::<E::Scalar>() as u64).saturating_mul(count);
        // Of a GPU's transforms, the compilation counts with that of the multiplications.
        let on_gpu = profile.gpu().is_some();
        let tables = if on_gpu { 0 } else { inverse.host_bytes.saturating_add(forward.host_bytes) };
        let beside = [scalars, held, tables, problem.beside()].into_iter().fold(0, u64::saturating_add);
        // Each set of bases gets its share of what the transforms leave of the device, and all of them what is left of the host's
        // memory.
        let on_device = if on_gpu { scalars.saturating_add(inverse.device_bytes) } else { 0 };
        let share = |size: usize| {
            let memory = u128::from(profile.device_memory.saturating_sub(on_device));
            let share = memory * size as u128 / all.max(1) as u128;
            Profile { device_memory: share as u64, ..profile.beside(beside) }
        };
        // A quotient is uniform, whatever the witness is.
        let plan = |points: usize, bits: f64| {
            let problem = Multiplication::<E::G1>::new(points).with_settings(problem.settings());
            let plan = problem.with_vectors(vectors).with_bits(bits).plan_for(&share(points));
            plan.map_err(|error| of_all(error, profile, (points, all), [beside, on_device]))
        };
        let bits = problem.bits();
        let first = [plan(a, bits)?, plan(b, bits)?, plan(secret, bits)?, plan(quotient, 0.0)?];
        let second = Multiplication::<E::G2>::new(b).with_settings(problem.settings());
        let second = second.with_vectors(vectors).with_bits(bits).plan_for(&share(of_second));
        let second = second.map_err(|error| of_all(error, profile, (of_second, all), [beside, on_device]))?;
        let repeated = u32::try_from(repeated).unwrap_or(u32::MAX);
        let bases = || first.iter().map(Planned::cost).chain([second.cost()]);
        // Multiplications in one group have the same kernels.
        let of_first = Cost::in_turn(&[0, 1, 2, 3].map(|part| (first[part].cost().repeated(repeated), 1)));
        let of_second = second.cost().repeated(repeated);
        let proofs = u32::try_from(problem.proofs).unwrap_or(u32::MAX);
        let times = proofs.saturating_mul(3);
        // The vectors that a GPU transforms stay there.
        let transforms_of = [0, 1].map(|i: usize| transforms[i].cost_on_device().repeated(times));
        let works = [of_first, of_second, transforms_of[0], transforms_of[1]];
        let sum_of =
            |of: fn(&Cost) -> Duration| works.iter().map(of).fold(Duration::ZERO, Duration::saturating_add);
        let all_bytes = bases().map(|cost| cost.host_bytes).fold(beside, u64::saturating_add);
        let long = match &profile.engine {
            Engine::Cpu(cpu) => LONG.saturating_mul(cpu.threads),
            _ => 0,
        };
        let are_short = [a, b, secret, quotient].into_iter().all(|points| points < long);
        let together = are_short && all_bytes <= profile.host_memory;
        let host_bytes = match together {
            true => all_bytes,
            false => of_first.host_bytes.max(of_second.host_bytes).saturating_add(beside),
        };
        let device_bytes = bases().map(|cost| cost.device_bytes).fold(on_device, u64::saturating_add);
        let (time, compiling) = (sum_of(|cost| cost.time), sum_of(|cost| cost.compiling));
        let cost = Cost { time, compiling, host_bytes, device_bytes, ..Cost::default() };
        Ok(Parts { first, second, transforms, together, cost })
    }

    /// True if the device has room for all bases.
    pub(super) fn are_whole(&self, profile: &Profile) -> bool {
        let parts = self.first.iter().map(|plan| plan.parts()).chain([self.second.parts()]);
        parts.into_iter().all(|parts| parts == 1) && self.cost.check(profile, "these proofs").is_ok()
    }

    /// Compiles the kernels of [`prepare`](Way::prepare), but for those of the last transform, and with `check` those that
    /// check points.
    pub fn compile_all(&self, device: &Device, check: bool) -> Result<()> {
        let device = own(device);
        let One::Gpu(gpu) = device.one() else { return Ok(()) };
        let one = Device::Gpu(gpu.clone());
        let Parts { first, second, transforms, .. } = self;
        // The kernels of G2 take longest, and begin first.
        let mut jobs: Vec<Job<'_>> = Vec::new();
        match check {
            true => jobs.push(Box::new(|| second.compile_with_check(device))),
            false => jobs.push(Box::new(|| second.compile(device))),
        }
        for plan in first {
            match check {
                true => jobs.push(Box::new(|| plan.compile_with_check(device))),
                false => jobs.push(Box::new(|| plan.compile(device))),
            }
        }
        jobs.extend(Quotient::compiling(&one, transforms));
        gpu.each(&jobs, |job| job()).map(drop)
    }
}

impl<E: PairingCurve> Way<Proving<E>> for Parts<E> {
    type Device = Device;
    type Ready<'p> = AnyForm<'p, Proving<E>>;

    fn cost(&self) -> Cost {
        self.cost
    }

    /// The traffic of the multiplications.
    fn traffic(&self) -> Traffic {
        Traffic::sum(self.first.iter().map(Planned::traffic).chain([self.second.traffic()]))
    }

    /// Writes the sizes of all parts, and the plan of each.
    fn write(&self, _: &Proving<E>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { first, second, transforms: [inverse, forward, _], .. } = self;
        let parts = |parts: usize| if parts > 1 { format!(" in {parts} parts") } else { String::new() };
        for (name, plan) in ["A", "B", "L", "H"].iter().zip(first) {
            writeln!(f, "bases {name}        {} points of G1{}", plan.points(), parts(plan.parts()))?;
        }
        writeln!(f, "bases B        {} points of G2{}", second.points(), parts(second.parts()))?;
        writeln!(f, "transforms     6 of 2^{} values", inverse.transform().log_n())?;
        // The multiplications by A and B have equal plans.
        let [a, _, secret, quotient] = first;
        writeln!(
            f,
            "A and B in G1, each:\n{a}\nL in G1:\n{secret}\nH in G1:\n{quotient}\nB in G2:\n{second}"
        )?;
        writeln!(f, "each of 3 transforms to coefficients:\n{inverse}")?;
        writeln!(f, "each of 3 transforms to the coset:\n{forward}\nall parts:")
    }

    fn compile(&self, _: &Proving<E>, device: &Device) -> Result<()> {
        self.compile_all(device, false)
    }

    fn prepare<'p>(
        &self,
        problem: &Proving<E>,
        device: &Device,
        key: ProvingKey<E>,
    ) -> Result<Self::Ready<'p>> {
        let device = own(device);
        let key = ResidentKey::new(device, self, key)?;
        let together = match device {
            Device::Cpu(cpu) if self.together => Some(Threads::new(cpu.threads)?),
            _ => None,
        };
        let is_for_one_run = problem.is_for_one_run;
        Ok(match device {
            Device::Gpu(gpu) => AnyForm::new(ReadyOnGpu { gpu: gpu.clone(), key }),
            _ => AnyForm::new(ReadyFromHost { key, together, is_for_one_run }),
        })
    }
}

/// The device of the process that proves.
pub(super) fn own(device: &Device) -> &Device {
    match device {
        Device::Processes(processes) => processes.own(),
        other => other,
    }
}

// A derived implementation would require it of the groups.
impl<E: PairingCurve> fmt::Debug for Parts<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { first, second, transforms, cost, .. } = self;
        f.debug_tuple("Parts").field(first).field(second).field(transforms).field(cost).finish()
    }
}

/// The error of all multiplications for that of one whose bases have a share of the device, and what is left beside other bytes of the
/// host's memory and of the device's.
fn of_all(
    error: Error,
    profile: &Profile,
    (size, all): (usize, usize),
    [on_host, on_device]: [u64; 2],
) -> Error {
    let Error::OutOfMemory(mut shortage) = error else { return error };
    let Some(needed) = shortage.needed else { return Error::OutOfMemory(shortage) };
    let (needed, allowed) = match shortage.side {
        Some(side @ (Side::Device | Side::Shared)) => {
            let whole = u128::from(needed).saturating_mul(all as u128).div_ceil(size.max(1) as u128);
            let whole = u64::try_from(whole).unwrap_or(u64::MAX).saturating_add(on_device);
            match side {
                Side::Shared => (whole.saturating_add(on_host), profile.budget.shared),
                _ => (whole, profile.device_memory),
            }
        }
        _ => (needed.saturating_add(on_host), profile.host_memory),
    };
    shortage = Shortage::new("proving", shortage.side.unwrap_or(Side::Host), needed, allowed);
    Error::OutOfMemory(shortage)
}
