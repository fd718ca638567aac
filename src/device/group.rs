//! Several GPUs that share the work of one computation.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::several::{Several, several};
use super::{Device, Member, Profile};
use crate::gpu::{self, Family, Gpu};
#[cfg(not(target_arch = "wasm32"))]
use crate::gpu::{Adapters, Found};
use crate::lock::lock;
use crate::parallel::at_once;
use crate::timeline::Timeline;
use crate::{Error, Result};

/// Several GPUs that share the work of one computation, in proportion to their speeds. Clones share them.
///
/// ```no_run
/// use wgalois::gpu::{Adapters, Options};
/// use wgalois::{Device, Group};
///
/// let device = Device::Group(Group::open(&Adapters::All, Options::default())?);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Group {
    members: Arc<[Gpu]>,
    speeds: Arc<[f64]>,
    /// By member: true once it was lost.
    lost: Arc<[AtomicBool]>,
    keeps_going: bool,
    timeline: Timeline,
    _several: Several,
}

impl Group {
    /// Makes a group of open GPUs. Unlike ones are measured: each does the same known arithmetic.
    ///
    /// Every member records its work under its number in the timeline of the first; see
    /// [`with_timeline`](Self::with_timeline). A group has at least one member.
    pub fn new(members: Vec<Gpu>) -> Result<Self> {
        let Some(first) = members.first() else {
            return Err(Error::needs("a group", "at least one GPU"));
        };
        let (adapter, timeline) = (first.adapter(), first.timeline().clone());
        let alike = members.iter().all(|gpu| gpu.adapter().is_like(adapter));
        let speeds = match alike {
            true => vec![1.0; members.len()],
            // One after the other: software drivers share the processor.
            false => members.iter().map(gpu::speed).collect::<Result<_>>()?,
        };
        let lost = members.iter().map(|_| AtomicBool::new(false)).collect();
        Group {
            members: members.into(),
            speeds: [].into(),
            lost,
            keeps_going: false,
            timeline: timeline.clone(),
            _several: several()?,
        }
        .with_timeline(&timeline)
        .with_speeds(&speeds)
    }

    /// Opens the adapters that `adapters` selects, each with `options`: its memory is the limit of each.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open(adapters: &Adapters, options: gpu::Options) -> Result<Self> {
        let found = Found::search()?;
        Self::of_found(&found, &found.choose_all(adapters)?, &options)
    }

    /// [`open`](Self::open) of adapters that were found.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn of_found(found: &Found, indices: &[usize], options: &gpu::Options) -> Result<Self> {
        Self::new(Gpu::open_all(found, indices, options)?)
    }

    /// Returns the group with measured records, one measurement for all members of a model; `None` if nothing is missing.
    pub(super) fn tuned(&self, families: &[Family], again: bool) -> Result<Option<Self>> {
        let mut tuned: Vec<Gpu> = Vec::with_capacity(self.members.len());
        let mut is_any = false;
        for gpu in self.members.iter() {
            let alike = tuned.iter().find(|other| other.adapter().is_like(gpu.adapter()));
            let own = match alike {
                Some(alike) => Some(gpu.with_record(alike.device_record().clone())),
                None => gpu.tuned(families, again)?,
            };
            is_any |= alike.is_none() && own.is_some();
            tuned.push(own.unwrap_or_else(|| gpu.clone()));
        }
        Ok(is_any.then(|| Group { members: tuned.into(), ..self.clone() }))
    }

    /// Sets the speeds, by member, in any unit. There must be one for each member, and all must be positive.
    pub fn with_speeds(self, speeds: &[f64]) -> Result<Self> {
        let fastest = speeds.iter().copied().fold(0.0, f64::max);
        let are_valid = speeds.iter().all(|speed| *speed > 0.0 && speed.is_finite());
        if speeds.len() != self.members.len() || !are_valid {
            return Err(Error::needs("a group", "one positive speed for each GPU"));
        }
        Ok(Group { speeds: speeds.iter().map(|speed| speed / fastest).collect(), ..self })
    }

    /// If `keeps_going`, the work of a GPU that is lost goes to the fastest one that is left. Otherwise the
    /// computation ends with [`Error::DeviceLost`]. Either way, no result contains anything that a lost GPU computed.
    #[must_use]
    pub fn with_keep_going(self, keeps_going: bool) -> Self {
        Group { keeps_going, ..self }
    }

    /// The same group with its work recorded in `timeline`, each GPU's under its number.
    #[must_use]
    pub fn with_timeline(&self, timeline: &Timeline) -> Self {
        let own = |(number, gpu): (usize, &Gpu)| {
            gpu.with_options(gpu::Options { timeline: timeline.of_device(number), ..gpu.options().clone() })
        };
        let members = self.members.iter().enumerate().map(own).collect();
        Group { members, timeline: timeline.clone(), ..self.clone() }
    }

    /// True if the work of a GPU that is lost goes to another; see [`with_keep_going`](Self::with_keep_going).
    pub fn keeps_going(&self) -> bool {
        self.keeps_going
    }

    /// The GPUs.
    pub fn members(&self) -> &[Gpu] {
        &self.members
    }

    /// The speed of each GPU as a fraction of that of the fastest. In a group that keeps going, 0 for one that was
    /// lost; otherwise all later work ends with its error.
    pub fn speeds(&self) -> Vec<f64> {
        let is_left_out = |number| self.keeps_going && self.is_lost(number);
        let speed = |(number, &speed): (usize, &f64)| if is_left_out(number) { 0.0 } else { speed };
        self.speeds.iter().enumerate().map(speed).collect()
    }

    /// The record of the work of all GPUs.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    pub(super) fn profile(&self) -> Profile {
        let member = |(gpu, speed): (&Gpu, f64)| {
            let mut member = Profile::of_gpu(gpu).as_member(gpu.adapter().name.clone())?;
            // An adapter that was opened twice has its memory once.
            let twins =
                self.members.iter().filter(|twin| gpu.index().is_some() && twin.index() == gpu.index());
            if !member.budget.is_shared() && member.budget.device < u64::MAX {
                member.budget.device /= twins.count().max(1) as u64;
            }
            let device_memory = member.device_memory.min(member.budget.device);
            Some(Member { speed, device_memory, ..member })
        };
        let members = self.members.iter().zip(self.speeds()).filter_map(member).collect();
        let host_memory = self.members.iter().map(|gpu| gpu.options().host_memory).min();
        Profile::of_group(members, host_memory.unwrap_or(u64::MAX))
    }

    /// True if a GPU was lost.
    pub(crate) fn is_lost(&self, member: usize) -> bool {
        self.lost[member].load(Ordering::SeqCst)
    }

    /// The number of the fastest GPU that is not lost, the first of equal ones.
    fn fastest(&self) -> Option<usize> {
        let left = self.speeds().into_iter().enumerate().filter(|&(_, speed)| speed > 0.0);
        left.rev().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(number, _)| number)
    }

    /// The device that does work which is not shared: the fastest. Of a group that is lost, the first, which
    /// reports it.
    pub(crate) fn one(&self) -> (usize, &Gpu) {
        let number = self.fastest().unwrap_or(0);
        (number, &self.members[number])
    }

    /// Notes a device that was lost: names the device in the error. Returns the error if the work ends.
    pub(crate) fn note_loss(&self, member: usize, error: Error) -> Result<(), Error> {
        let name = format!("device {member}, {}", self.members[member].adapter().name);
        match error {
            Error::DeviceLost(message) => {
                self.lost[member].store(true, Ordering::SeqCst);
                let error = Error::DeviceLost(format!("{name}: {message}"));
                if !self.keeps_going || self.fastest().is_none() {
                    return Err(error);
                }
                log::warn!("{error}; the others go on");
                Ok(())
            }
            Error::Device(message) => Err(Error::Device(format!("{name}: {message}"))),
            other => Err(other),
        }
    }

    /// Divides `count` things among some members in proportion to their speeds.
    pub fn divide(&self, members: impl Iterator<Item = usize>, count: usize) -> Vec<Range<usize>> {
        let speeds = self.speeds();
        divide(count, &members.map(|member| speeds[member]).collect::<Vec<_>>())
    }

    /// Runs `work` on the share of each member, all at the same time. The share of a GPU that is lost goes to
    /// another if the group keeps going, by `again`. The error is that of the first share that failed, after all have
    /// ended.
    pub(crate) fn each<S: Send, T: Send>(
        &self,
        shares: Vec<(usize, S)>,
        work: impl Fn(&Device, &mut S) -> Result<T> + Sync,
        again: impl Fn(&Device, &mut S) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut members = Vec::with_capacity(shares.len());
        let mut places = Vec::with_capacity(shares.len());
        for (member, share) in shares {
            members.push(member);
            places.push(Mutex::new((share, None)));
        }
        let work = |i: usize, device: &Device| {
            let (share, result) = &mut *lock(&places[i]);
            *result = Some(work(device, share)?);
            Ok(())
        };
        let again = |i: usize, device: &Device| {
            let (share, result) = &mut *lock(&places[i]);
            *result = Some(again(device, share)?);
            Ok(())
        };
        self.each_of(&members, &work, &again)?;
        let mut results = Vec::with_capacity(places.len());
        for place in &places {
            results.extend(lock(place).1.take());
        }
        Ok(results)
    }

    /// [`each`](Self::each) of the shares of these members, by number.
    fn each_of(
        &self,
        members: &[usize],
        work: &(dyn Fn(usize, &Device) -> Result<()> + Sync),
        again: &dyn Fn(usize, &Device) -> Result<()>,
    ) -> Result<()> {
        let mut shares: Vec<_> = members.iter().copied().enumerate().collect();
        let run = |&mut (share, member): &mut (usize, usize)| match self.is_lost(member) {
            true => Err(Error::DeviceLost("the device was lost earlier".into())),
            false => work(share, &Device::Gpu(self.members[member].clone())),
        };
        let take_threads = self.members.iter().all(Gpu::takes_threads);
        let refused = |error| Error::OutOfMemory(format!("a thread cannot be started: {error}").into());
        let outcomes: Vec<Result<()>> = match take_threads {
            true => at_once(&mut shares, run)
                .into_iter()
                .map(|outcome| outcome.map_err(refused).flatten())
                .collect(),
            false => shares.iter_mut().map(run).collect(),
        };
        for ((share, mut member), mut outcome) in shares.into_iter().zip(outcomes) {
            while let Err(error) = outcome {
                self.note_loss(member, error)?;
                let (next, gpu) = self.one();
                member = next;
                outcome = again(share, &Device::Gpu(gpu.clone()));
            }
        }
        Ok(())
    }
}

/// Divides `count` things among devices in proportion to their speeds: contiguous shares, in order.
///
/// Every share is rounded down; the things that are left go one each to the largest remainders, the first
/// of equal ones. Equal speeds give shares that differ by at most one. If no device has a speed, all are lost, and
/// each gets a share, so that the work ends with their error.
pub(crate) fn divide(count: usize, speeds: &[f64]) -> Vec<Range<usize>> {
    let are_lost = speeds.iter().all(|&speed| speed == 0.0);
    let speeds = &speeds.iter().map(|&speed| if are_lost { 1.0 } else { speed }).collect::<Vec<_>>();
    let total: f64 = speeds.iter().sum();
    let exact: Vec<f64> = speeds.iter().map(|speed| count as f64 * speed / total).collect();
    let mut lengths: Vec<usize> = exact.iter().map(|&exact| exact as usize).collect();
    let mut order: Vec<usize> = (0..speeds.len()).filter(|&i| speeds[i] > 0.0).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()).then(a.cmp(&b)));
    let left = count - lengths.iter().sum::<usize>().min(count);
    order.iter().cycle().take(left).for_each(|&i| lengths[i] += 1);
    let mut begin = 0;
    let next = |length| {
        let share = begin..begin + length;
        begin = share.end;
        share
    };
    lengths.into_iter().map(next).collect()
}
