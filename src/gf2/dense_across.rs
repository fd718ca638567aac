//! Echelon forms on a group of GPUs: each has some blocks of the columns.

use std::fmt;

use super::deal::{Deal, Form};
use super::gpu::Part;
use super::{BitMatrix, Dense, DensePlan, Echelon, Operation, cost, dense_calls, gpu, members};
use crate::gpu::Gpu;
use crate::processes::Transport;
use crate::task::{Cost, Engine, GpuProfile, Member, Plan, Problem, Profile, Traffic, write_shared};
use crate::timeline::Phase;
use crate::{Device, Group, Result};

/// The shares of an elimination.
#[derive(Clone, Debug)]
pub(super) struct Across {
    /// By number in the deal: the number of the device in the group, and its speed.
    sharing: Vec<(usize, f64)>,
    /// Name and speed of every device of the group.
    members: Vec<(String, f64)>,
    deal: Deal,
    /// The profile of the fastest device.
    one: Profile,
    pub traffic: Traffic,
    pub cost: Cost,
}

/// The form that an elimination for this problem computes.
pub(super) fn form_of(problem: &Dense) -> Form {
    let pivots_only = problem.operation() == Operation::Rank && !problem.carries;
    Form {
        rows: problem.shape().0,
        columns: problem.eliminated_columns(),
        limit: problem.limit(),
        full: problem.is_reduced(),
        pivots_only,
    }
}

/// Plans the shares of an elimination. None if there are fewer than two, or the devices or the host have too little
/// memory for all rows at a time.
pub(super) fn plan(problem: &Dense, profile: &Profile, members: &[Member]) -> Option<Across> {
    let form = form_of(problem);
    if form.rows == 0 || form.columns == 0 {
        return None;
    }
    let speeds: Vec<f64> = members.iter().map(|member| member.speed).collect();
    let all = Deal::new(form.columns, &speeds);
    let sharing: Vec<(usize, f64)> =
        (0..members.len()).filter(|&k| all.columns_of(k) > 0).map(|k| (k, speeds[k])).collect();
    if sharing.len() < 2 {
        return None;
    }
    let deal = Deal::new(form.columns, &sharing.iter().map(|&(_, speed)| speed).collect::<Vec<_>>());
    let (mut device_bytes, mut largest, mut startup) = (0, 0.0f64, std::time::Duration::ZERO);
    for (k, &(number, speed)) in sharing.iter().enumerate() {
        let (gpu, memory) = (&members[number].gpu, profile.of_member(&members[number], 1).device_memory);
        let bytes = gpu::across_bytes(&deal, k, &form, gpu.binding_bytes);
        let most_columns = gpu::most_columns(gpu.binding_bytes);
        if bytes > memory
            || form.rows as u64 > gpu::most_rows(gpu.binding_bytes)
            || form.limit.max(deal.columns_of(k)) as u64 > most_columns
        {
            return None;
        }
        device_bytes = bytes.max(device_bytes);
        largest = largest.max(deal.own(k).count() as f64 / deal.blocks() as f64 / speed);
        startup += gpu.startup;
    }
    let bindings: Vec<u64> = sharing.iter().map(|&(number, _)| members[number].gpu.binding_bytes).collect();
    let traffic = gpu::across_traffic(&deal, &form, &bindings);
    let own: Vec<usize> = (0..sharing.len()).map(|k| deal.columns_of(k)).collect();
    let one = profile.of_one().into_owned();
    let time = cost::gpu::across_time(one.gpu()?, &form, largest, gpu::across_messages(&form));
    let bytes = cost::gpu::across_bytes(form.rows, form.columns, &own, gpu::across_message_bytes(&form));
    let cost = Cost {
        time: startup + time.max(traffic.time()),
        host_bytes: problem.host_bytes(bytes),
        device_bytes,
    };
    let members = members.iter().map(|member| (member.name.clone(), member.speed)).collect();
    (cost.host_bytes <= profile.host_memory).then_some(Across { sharing, members, deal, one, traffic, cost })
}

/// The profile of `devices` devices like this one.
pub(super) fn equal(one: &Profile, gpu: &GpuProfile, devices: usize) -> Profile {
    let member = Member { name: String::new(), gpu: gpu.clone(), used_memory: 0, speed: 1.0 };
    Profile { engine: Engine::Group(vec![member; devices]), ..one.clone() }
}

/// The cost of an elimination on `processes` processes with a GPU each like the one of this profile. The host memory
/// is that of all of them.
pub(super) fn cost(problem: &Dense, profile: &Profile, processes: usize) -> Result<Cost> {
    let shared = profile.gpu().and_then(|gpu| {
        let all = equal(profile, gpu, processes);
        let Engine::Group(members) = &all.engine else { return None };
        plan(problem, &all, members)
    });
    match shared {
        Some(across) => Ok(across.cost),
        // One process computes it; or there is too little memory, and the error says how much one would need.
        None => problem.plan_for(profile).and_then(|plan| match plan.parts() {
            1 => Ok(plan.cost()),
            _ => {
                let more = Profile { device_memory: u64::MAX, ..profile.clone() };
                let cost = problem.plan_for(&more)?.cost();
                cost.check(profile, "this matrix on GPUs of several processes")?;
                Ok(cost)
            }
        }),
    }
}

impl Across {
    /// Writes the plan of a problem.
    pub fn write(&self, f: &mut fmt::Formatter<'_>, problem: &Dense) -> fmt::Result {
        let share = |number: usize| {
            let place = self.sharing.iter().position(|&(sharing, _)| sharing == number);
            let own = place.map_or(0, |k| self.deal.own(k).count());
            format!("{own} of {} blocks of 256 columns", self.deal.blocks())
        };
        let time = |devices: usize| {
            if devices == 1 {
                return problem.plan_for(&self.one).ok().map(|plan| plan.cost().time);
            }
            let all = equal(&self.one, self.one.gpu()?, devices);
            let Engine::Group(members) = &all.engine else { return None };
            plan(problem, &all, members).map(|across| across.cost.time)
        };
        write_shared(f, "columns", &self.members, share, self.traffic, time)
    }

    /// Prepares the devices.
    pub fn prepare(&self, group: &Group, problem: &Dense) -> Result<()> {
        let rows = problem.shape().0;
        let shares = self.sharing.iter().enumerate();
        let shares = shares.map(|(k, &(number, _))| (number, self.deal.columns_of(k))).collect();
        let prepare = |device: &Device, columns: &mut usize| match device {
            Device::Gpu(gpu) => gpu::prepare_echelon(gpu, rows, *columns, rows),
            _ => Ok(()),
        };
        group.each(shares, prepare, |_, _| Ok(())).map(drop)
    }

    /// Computes an echelon form. If a device is lost and the group keeps going, the others begin again.
    pub fn eliminate(&self, group: &Group, a: &BitMatrix, form: &Form) -> Result<Echelon> {
        let again = |device: &Device| match form.pivots_only {
            true => {
                let pivots = dense_calls::pivots(device, a)?;
                Ok(Echelon { matrix: BitMatrix::zeros(0, 0)?, pivots })
            }
            false => dense_calls::echelon_within(device, a, form.limit, form.full),
        };
        if !group.members().iter().all(Gpu::takes_threads) {
            // OpenGL takes one call at a time, and a device would wait for another's call forever.
            return again(&Device::Gpu(group.one().1.clone()));
        }
        let speeds: Vec<f64> = self.sharing.iter().map(|&(_, speed)| speed).collect();
        let numbers: Vec<usize> = self.sharing.iter().map(|&(number, _)| number).collect();
        let deal = Deal::new(a.columns(), &speeds);
        let eliminate = |processes: &dyn Transport, gpu: &Gpu| {
            gpu::eliminate_across(processes, gpu, deal.part(a, processes.rank())?, &deal, form)
        };
        match members::run(group, &numbers, eliminate)? {
            Some(parts) => group.timeline().time(Phase::Host, "combine", || combine(&parts, &deal, form)),
            None => again(&Device::Group(group.clone())),
        }
    }
}

/// Puts the parts of a form together.
pub(super) fn combine(parts: &[Part], deal: &Deal, form: &Form) -> Result<Echelon> {
    let mut pivots: Vec<u32> = parts.iter().flat_map(|part| part.pivots.iter().copied()).collect();
    pivots.sort_unstable();
    if form.pivots_only {
        return Ok(Echelon { matrix: BitMatrix::zeros(0, 0)?, pivots });
    }
    let mut matrix = BitMatrix::zeros(form.rows, form.columns)?;
    for (member, part) in parts.iter().enumerate() {
        deal.put(&part.matrix, member, &mut matrix);
    }
    Ok(Echelon { matrix, pivots })
}

impl DensePlan {
    /// Computes an echelon form on the devices of a group, if the plan shares it among them.
    pub(super) fn eliminate_across(
        &self,
        device: &Device,
        a: &BitMatrix,
        (limit, full, pivots_only): (usize, bool, bool),
    ) -> Result<Option<Echelon>> {
        let (Some(across), Device::Group(group)) = (self.across(), device) else { return Ok(None) };
        let form = Form { rows: a.rows(), columns: a.columns(), limit, full, pivots_only };
        across.eliminate(group, a, &form).map(Some)
    }
}
