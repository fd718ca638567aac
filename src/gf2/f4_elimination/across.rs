//! The plan of a special elimination that GPUs share, each of which has some blocks of the columns: the way on a group, and what it costs
//! on several processes.

use std::fmt;
use std::time::Duration;

use super::together::{Deals, Members, eliminate_together};
use crate::gf2::block_cyclic::Deal;
use crate::gf2::gpu::Rows;
use crate::gf2::{Elimination, F4Matrix, F4Method, F4Shape, IndexLists, cost, gpu};
use crate::gpu::Gpu;
use crate::task::{
    Cost, Done, Engine, GpuProfile, Member, Profile, Ready, Traffic, Way, equal, write_shared,
};
use crate::{Device, Group, Result};

/// The way: the shares of an elimination by one method.
#[derive(Clone, Debug)]
pub(super) struct Across {
    pub method: F4Method,
    shape: F4Shape,
    /// By number in the deals: the number of the device in the group, and its speed.
    sharing: Vec<(usize, f64)>,
    /// Name and speed of every device of the group.
    members: Vec<(String, f64)>,
    deals: Deals,
    /// By block: the number of rows with leads in it or before it, as far as the plan knows.
    ends: Vec<u32>,
    /// The fastest device.
    one: GpuProfile,
    traffic: Traffic,
    pub cost: Cost,
}

/// The blocks of the leads that a plan assumes, ascending.
fn assumed_leads(f4: &F4Matrix, shape: &F4Shape) -> Vec<usize> {
    let columns = (0..f4.width()).rev().filter(|&column| f4.reducer_of(column).is_none());
    columns.take(shape.most_new_pivots()).map(|column| gpu::block_of(f4, column)).collect()
}

impl Across {
    /// Plans the shares of a method, without their traffic. None if there are fewer than two, if the method is not shared, or
    /// if the devices or the host have too little memory for all rows at a time.
    pub fn new(f4: &F4Matrix, profile: &Profile, members: &[Member], method: F4Method) -> Option<Self> {
        let shape = F4Shape::of(f4);
        if shape.rows == 0 || shape.columns == 0 || !matches!(method, F4Method::Blocked | F4Method::TwoStage)
        {
            return None;
        }
        let all: Vec<f64> = members.iter().map(|member| member.speed).collect();
        let owners = Deals::new(&shape, &all).wide;
        let sharing: Vec<(usize, f64)> =
            (0..members.len()).filter(|&k| owners.columns_of(k) > 0).map(|k| (k, all[k])).collect();
        let (true, Some(one)) = (sharing.len() > 1, profile.gpu()) else { return None };
        let speeds: Vec<f64> = sharing.iter().map(|&(_, speed)| speed).collect();
        let deals = Deals::new(&shape, &speeds);
        let wide_rows = if method == F4Method::TwoStage { shape.most_new_pivots() } else { shape.rows };
        let (mut device_bytes, mut on_host) = (0, 0u64);
        for (k, &(number, _)) in sharing.iter().enumerate() {
            let member = &members[number];
            let binding = member.gpu.binding_bytes;
            let narrow = if method == F4Method::TwoStage { deals.narrow.columns_of(k) } else { 0 };
            let choosing = gpu::choose_bytes(&shape, narrow, binding);
            let bytes =
                choosing.max(gpu::rows_across_bytes(&shape, wide_rows, deals.wide.columns_of(k), binding));
            let columns = shape.columns.next_multiple_of(gpu::BLOCK) as u64;
            if bytes > profile.of_member(member, 1).device_memory
                || shape.rows as u64 > gpu::most_rows(binding)
                || columns > gpu::most_columns(binding)
            {
                return None;
            }
            device_bytes = bytes.max(device_bytes);
            on_host = on_host.saturating_add(if member.budget.is_shared() { bytes } else { 0 });
        }
        // As of random rows: the first become pivots, and the first columns without a reducer get leads.
        let ends = gpu::ends_of(&assumed_leads(f4, &shape));
        let names = members.iter().map(|member| (member.name.clone(), member.speed)).collect();
        let lists = f4.reducers().len();
        let mut across = Across {
            method,
            shape,
            sharing,
            members: names,
            deals,
            ends,
            one: one.clone(),
            traffic: Traffic::default(),
            cost: Cost::default(),
        };
        let host_bytes = cost::gpu::f4_across_bytes(
            &shape,
            lists,
            (method, across.sharing.len()),
            gpu::file_message_bytes(shape.rows),
        );
        if host_bytes > profile.host_memory || host_bytes.saturating_add(on_host) > profile.budget.shared {
            return None;
        }
        across.cost =
            Cost { time: across.time(&across.deals, &speeds), host_bytes, device_bytes, ..Cost::default() };
        Some(across)
    }

    /// The cost of an elimination by a method on `processes` processes with a GPU each like that of this profile. None
    /// if fewer than two of them would work, or have too little memory. The host memory is that of all of them.
    pub fn among(f4: &F4Matrix, profile: &Profile, processes: usize, method: F4Method) -> Option<Cost> {
        let all = equal(profile, processes)?;
        let Engine::Group(members) = &all.engine else { return None };
        Across::new(f4, &all, members, method).map(|across| across.cost)
    }

    /// The time without that of opening the devices, for members with these speeds, like the fastest if that is 1.
    fn time(&self, deals: &Deals, speeds: &[f64]) -> Duration {
        let shape = &self.shape;
        let (wide, narrow) = (deals.wide.blocks(), deals.narrow.blocks());
        let messages = match self.method {
            F4Method::TwoStage => gpu::file_messages(shape.rows, narrow, None)
                .saturating_add(gpu::file_messages(shape.most_new_pivots(), wide, Some(&self.ends))),
            _ => gpu::file_messages(shape.rows, wide, None),
        };
        let largest = deals.largest(speeds);
        cost::gpu::f4_across_time(&self.one, shape, self.method, (largest, speeds.len()), messages)
    }

    /// Counts the traffic, for which all ones are read.
    pub fn counted(self, f4: &F4Matrix, members: &[Member]) -> Result<Self> {
        let sharing = self.sharing.iter();
        let bindings: Vec<u64> = sharing.map(|&(number, _)| members[number].gpu.binding_bytes).collect();
        let leads = assumed_leads(f4, &self.shape);
        Ok(Across { traffic: self.traffic_of(f4, &leads, &bindings)?, ..self })
    }

    /// The data and the dispatches, if no panel fails: exact for an F4 matrix of which the first rows become pivots, as
    /// many as can be, with the first columns without a reducer as leads.
    fn traffic_of(&self, f4: &F4Matrix, leads: &[usize], bindings: &[u64]) -> Result<Traffic> {
        if self.method == F4Method::Blocked {
            return gpu::rows_traffic(&Rows::all(f4), leads, &self.deals.wide, bindings);
        }
        if leads.is_empty() {
            return Ok(match self.deals.narrow.blocks() {
                0 => Traffic::sum([]),
                _ => {
                    let missing = gpu::missing_columns(f4);
                    gpu::choose_traffic(f4, &missing, &self.deals.narrow, bindings)?
                }
            });
        }
        let missing = gpu::missing_columns(f4);
        let mut eligible = vec![false; f4.width()];
        missing[..leads.len()].iter().for_each(|&column| eligible[column] = true);
        let rows = first_rows(f4.rows(), leads.len());
        let work = Rows { f4, rows: &rows, eligible, blocks: Some(leads.to_vec()) };
        Ok(Traffic::sum([
            gpu::choose_traffic(f4, &missing, &self.deals.narrow, bindings)?,
            gpu::rows_traffic(&work, leads, &self.deals.wide, bindings)?,
        ]))
    }

    fn numbers(&self) -> Vec<usize> {
        self.sharing.iter().map(|&(number, _)| number).collect()
    }
}

impl Way<F4Matrix> for Across {
    type Device = Group;
    type Ready<'p> = ReadyAcross;

    fn cost(&self) -> Cost {
        self.cost
    }

    /// Counted for rows like random ones: the first rows become pivots, as many as can be, and the first columns without a
    /// reducer are their leads.
    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn write(&self, _: &F4Matrix, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |number: usize| {
            let place = self.sharing.iter().position(|&(sharing, _)| sharing == number);
            let own = |deal: &Deal| place.map_or(0, |k| deal.own(k).count());
            let Deals { wide, narrow } = &self.deals;
            let also = match self.method {
                F4Method::TwoStage => format!(", {} of {} without eliminators", own(narrow), narrow.blocks()),
                _ => String::new(),
            };
            format!("{} of {} blocks of 256 columns{also}", own(wide), wide.blocks())
        };
        let time = |devices: usize| {
            let speeds = vec![1.0; devices];
            Some(match devices {
                1 => cost::gpu::f4_time(&self.one, &self.shape, self.method),
                _ => self.time(&Deals::new(&self.shape, &speeds), &speeds),
            })
        };
        write_shared(f, "columns", &self.members, &share, self.traffic, &time)?;
        writeln!(f, "method         {}", self.method)
    }

    fn prepare<'p>(&self, _: &F4Matrix, group: &Group, (): ()) -> Result<Self::Ready<'p>> {
        let is_twice = self.method == F4Method::TwoStage;
        let wide_rows = if is_twice { self.shape.most_new_pivots() } else { self.shape.rows };
        let shares = self.sharing.iter().enumerate().map(|(k, &(number, _))| {
            let narrow = if is_twice { self.deals.narrow.columns_of(k) } else { 0 };
            (number, (narrow, self.deals.wide.columns_of(k)))
        });
        let prepare = |device: &Device, (narrow, columns): &mut (usize, usize)| match device {
            Device::Gpu(gpu) => {
                gpu::prepare_f4_across(gpu, (self.shape.rows, *narrow), (wide_rows, *columns))
            }
            _ => Ok(()),
        };
        group.each(shares.collect(), prepare, |_, _| Ok(()))?;
        Ok(ReadyAcross { group: group.clone(), across: self.clone() })
    }
}

/// The shares, whose devices are prepared.
#[derive(Debug)]
pub struct ReadyAcross {
    group: Group,
    across: Across,
}

impl Ready<F4Matrix> for ReadyAcross {
    /// Eliminates an F4 matrix. If a device is lost and the group keeps going, the others begin again.
    async fn run<'i: 'i>(&self, problem: &F4Matrix, f4: &'i F4Matrix, _: &Done) -> Result<Elimination> {
        let ReadyAcross { group, across } = self;
        let again = async move |device: Device| {
            crate::gf2::eliminate_async(&device, &f4.clone().with_options_of(problem)).await
        };

        if !group.members().iter().all(Gpu::takes_threads) {
            // OpenGL takes one call at a time, and a device would wait for another's call forever.
            return again(Device::Gpu(group.one().1.clone())).await;
        }
        let members = Members { group, numbers: across.numbers() };
        match eliminate_together(&members, (f4, across.method), &across.deals)? {
            Some(result) => Ok(result),
            None => again(Device::Group(group.clone())).await,
        }
    }
}

/// The first `count` rows.
fn first_rows(rows: &IndexLists, count: usize) -> IndexLists {
    let offsets = rows.offsets()[..=count].to_vec();
    let ones = offsets.last().copied().unwrap_or(0);
    IndexLists::from_checked(offsets, rows.indices()[..ones].to_vec())
}
