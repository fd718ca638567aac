//! An elimination on a group of GPUs: each has some blocks of the columns.

use std::fmt;

use super::RowReduction;
use crate::gf2::block_cyclic::Deal;
use crate::gf2::gpu::Part;
use crate::gf2::{BitMatrix, Echelon, cost, gpu, members};
use crate::gpu::Gpu;
use crate::processes::Transport;
use crate::task::{Cost, Done, Engine, Member, Problem, Profile, Ready, Traffic, Way, equal, write_shared};
use crate::timeline::Phase;
use crate::{Device, Group, Result};

/// The way: the shares of an elimination.
#[derive(Clone, Debug)]
pub(in crate::gf2) struct Across {
    /// By number in the deal: the number of the device in the group, and its speed.
    sharing: Vec<(usize, f64)>,
    /// Name and speed of every device of the group.
    members: Vec<(String, f64)>,
    deal: Deal,
    /// The profile of the fastest device.
    one: Profile,
    traffic: Traffic,
    cost: Cost,
}

impl Across {
    /// Plans the shares of an elimination. None if there are fewer than two, or the devices have too little memory for all
    /// rows at a time.
    pub fn new(reduction: &RowReduction, profile: &Profile, members: &[Member]) -> Option<Self> {
        let (rows, columns) = reduction.shape();
        if rows == 0 || columns == 0 {
            return None;
        }
        let speeds: Vec<f64> = members.iter().map(|member| member.speed).collect();
        let all = Deal::new(columns, &speeds);
        let sharing: Vec<(usize, f64)> =
            (0..members.len()).filter(|&k| all.columns_of(k) > 0).map(|k| (k, speeds[k])).collect();
        if sharing.len() < 2 {
            return None;
        }
        let deal = Deal::new(columns, &sharing.iter().map(|&(_, speed)| speed).collect::<Vec<_>>());
        let (mut device_bytes, mut on_host, mut largest) = (0, 0u64, 0.0f64);
        for (k, &(number, speed)) in sharing.iter().enumerate() {
            let (gpu, memory) = (&members[number].gpu, profile.of_member(&members[number], 1).device_memory);
            let bytes = gpu::across_bytes(&deal, k, reduction, gpu.binding_bytes);
            let most_columns = gpu::most_columns(gpu.binding_bytes);
            if bytes > memory
                || rows as u64 > gpu::most_rows(gpu.binding_bytes)
                || reduction.limit.max(deal.columns_of(k)) as u64 > most_columns
            {
                return None;
            }
            device_bytes = bytes.max(device_bytes);
            on_host = on_host.saturating_add(if members[number].budget.is_shared() { bytes } else { 0 });
            largest = largest.max(deal.own(k).count() as f64 / deal.blocks() as f64 / speed);
        }
        let bindings: Vec<u64> =
            sharing.iter().map(|&(number, _)| members[number].gpu.binding_bytes).collect();
        let traffic = gpu::across_traffic(&deal, reduction, &bindings);
        let own: Vec<usize> = (0..sharing.len()).map(|k| deal.columns_of(k)).collect();
        let one = profile.of_one().into_owned();
        let time = cost::gpu::across_time(one.gpu()?, reduction, largest, gpu::across_messages(reduction));
        let message = gpu::across_message_bytes(reduction);
        let host_bytes = cost::gpu::across_bytes(rows, columns, &own, message);
        if host_bytes.saturating_add(on_host) > profile.budget.shared {
            return None;
        }
        let cost = Cost { time: time.max(traffic.time()), host_bytes, device_bytes, ..Cost::default() };
        let members = members.iter().map(|member| (member.name.clone(), member.speed)).collect();
        Some(Across { sharing, members, deal, one, traffic, cost })
    }

    /// The way of `devices` devices like this one.
    pub fn equal(reduction: &RowReduction, one: &Profile, devices: usize) -> Option<Self> {
        let all = equal(one, devices)?;
        let Engine::Group(members) = &all.engine else { return None };
        Across::new(reduction, &all, members)
    }
}

impl Way<RowReduction> for Across {
    type Device = Group;
    type Ready<'p> = ReadyAcross;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn write(&self, reduction: &RowReduction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |number: usize| {
            let place = self.sharing.iter().position(|&(sharing, _)| sharing == number);
            let own = place.map_or(0, |k| self.deal.own(k).count());
            format!("{own} of {} blocks of 256 columns", self.deal.blocks())
        };
        let time = |devices: usize| match devices {
            1 => reduction.plan_for(&self.one).ok().map(|plan| plan.cost().time),
            _ => Across::equal(reduction, &self.one, devices).map(|across| across.cost.time),
        };
        write_shared(f, "columns", &self.members, &share, self.traffic, &time)?;
        writeln!(f, "method         blocked, 256 columns at a time")
    }

    fn prepare<'p>(
        &self,
        &RowReduction { rows, .. }: &RowReduction,
        group: &Group,
        (): (),
    ) -> Result<Self::Ready<'p>> {
        let shares = self.sharing.iter().enumerate();
        let shares = shares.map(|(k, &(number, _))| (number, self.deal.columns_of(k))).collect();
        let prepare = |device: &Device, columns: &mut usize| match device {
            Device::Gpu(gpu) => gpu::prepare_echelon(gpu, rows, *columns, rows),
            _ => Ok(()),
        };
        group.each(shares, prepare, |_, _| Ok(()))?;
        Ok(ReadyAcross { group: group.clone(), sharing: self.sharing.clone() })
    }
}

/// The devices, which are prepared, with their speeds.
#[derive(Debug)]
pub struct ReadyAcross {
    group: Group,
    sharing: Vec<(usize, f64)>,
}

impl Ready<RowReduction> for ReadyAcross {
    /// Computes an echelon form. If a device is lost and the group keeps going, the others begin again.
    async fn run<'i: 'i>(
        &self,
        reduction: &RowReduction,
        matrix: &'i BitMatrix,
        _: &Done,
    ) -> Result<Echelon> {
        let group = &self.group;
        let again =
            async move |device: Device| Ok(reduction.plan(&device)?.compute_async(&device, matrix).await?.0);

        if !group.members().iter().all(Gpu::takes_threads) {
            // OpenGL takes one call at a time, and a device would wait for another's call forever.
            return again(Device::Gpu(group.one().1.clone())).await;
        }
        match self.eliminate(&reduction.of(matrix), matrix)? {
            Some(form) => reduction.excerpt(form),
            None => again(Device::Group(group.clone())).await,
        }
    }
}

impl ReadyAcross {
    /// The form; None if a device was lost.
    fn eliminate(&self, reduction: &RowReduction, matrix: &BitMatrix) -> Result<Option<Echelon>> {
        let speeds: Vec<f64> = self.sharing.iter().map(|&(_, speed)| speed).collect();
        let numbers: Vec<usize> = self.sharing.iter().map(|&(number, _)| number).collect();
        let deal = Deal::new(matrix.columns(), &speeds);
        let eliminate = |processes: &dyn Transport, gpu: &Gpu| {
            gpu::eliminate_across(processes, gpu, deal.part(matrix, processes.rank())?, &deal, reduction)
        };
        let Some(parts) = members::run(&self.group, &numbers, eliminate)? else { return Ok(None) };
        let combine = || combine(&parts, &deal, reduction);
        self.group.timeline().time(Phase::Host, "combine", combine).map(Some)
    }
}

/// Puts the parts of a form together.
pub(super) fn combine(parts: &[Part], deal: &Deal, reduction: &RowReduction) -> Result<Echelon> {
    let mut pivots: Vec<u32> = parts.iter().flat_map(|part| part.pivots.iter().copied()).collect();
    pivots.sort_unstable();
    if reduction.has_no_form() {
        return Ok(Echelon { matrix: BitMatrix::zeros(0, 0)?, pivots });
    }
    let mut matrix = BitMatrix::zeros(reduction.rows, reduction.columns)?;
    for (member, part) in parts.iter().enumerate() {
        deal.put(&part.matrix, member, &mut matrix);
    }
    Ok(Echelon { matrix, pivots })
}
