//! The shares of one computation for the devices of a group.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use super::cost::approximate;
use super::{Cost, Member, Planned, Problem, Profile, needed_memory};
use crate::device::divide;
use crate::{Error, Result, Side};

/// Bytes a second between the host's memory and all devices together, in both directions: one thread
/// copied 8.9 GB/s into fresh memory on the host of an H200.
const HOST_RATE: f64 = 8.9e9;

/// The numbers of equal devices for which a plan prints the expected time.
const EQUAL: [usize; 4] = [1, 2, 4, 8];

/// The data that one run of a plan sends through the host, and its dispatches. Preparation is not
/// counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes to the device, or all devices.
    pub upload: u64,
    /// Bytes back.
    pub download: u64,
    /// Dispatches; `None` if they are not counted. A software driver gets long ones in several.
    pub dispatches: Option<u64>,
}

impl Traffic {
    /// The time of the transfers on the GPU of a profile; none on the CPU engine.
    pub(crate) fn time_on(&self, profile: &Profile) -> Duration {
        profile.gpu().map_or(Duration::ZERO, |gpu| {
            let [upload, download] = [self.upload, self.download].map(|bytes| bytes as f64);
            Duration::from_secs_f64(gpu.upload_seconds(upload) + gpu.download_seconds(download))
        })
    }

    /// The sum of the traffic of several runs.
    pub fn sum(all: impl IntoIterator<Item = Traffic>) -> Traffic {
        let none = Traffic { dispatches: Some(0), ..Traffic::default() };
        all.into_iter().fold(none, |sum, one| Traffic {
            upload: sum.upload.saturating_add(one.upload),
            download: sum.download.saturating_add(one.download),
            dispatches: sum.dispatches.zip(one.dispatches).map(|(a, b)| a.saturating_add(b)),
        })
    }

    /// The traffic of `times` runs.
    pub(crate) fn times(self, times: u64) -> Traffic {
        Traffic {
            upload: self.upload.saturating_mul(times),
            download: self.download.saturating_mul(times),
            dispatches: self.dispatches.map(|dispatches| dispatches.saturating_mul(times)),
        }
    }

    /// The least time in which the host copies the data.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(self.upload.saturating_add(self.download) as f64 / HOST_RATE)
    }
}

/// Writes the lines of a plan for devices that share its `things`: name, speed and share of each, the data and the
/// dispatches of all, and the times expected of equal devices.
pub(crate) fn write_shared(
    f: &mut fmt::Formatter<'_>,
    things: &str,
    members: &[(String, f64)],
    share: &dyn Fn(usize) -> String,
    Traffic { upload, download, dispatches }: Traffic,
    time: &dyn Fn(usize) -> Option<Duration>,
) -> fmt::Result {
    writeln!(f, "devices        {}, which share the {things}", members.len())?;
    for (number, (name, speed)) in members.iter().enumerate() {
        write!(f, "{:15}{}: {name}", format!("device {number}"), share(number))?;
        if members.iter().any(|(_, other)| other != speed) {
            write!(f, ", speed {speed:.3}")?;
        }
        writeln!(f)?;
    }
    writeln!(f, "through host   {upload} bytes to the devices, {download} back")?;
    if let Some(dispatches) = dispatches {
        writeln!(f, "dispatches     {dispatches} on all devices")?;
    }
    let expected = |devices: usize| Some(format!("{devices}: {}", approximate(time(devices)?)));
    let expected: Vec<String> = EQUAL.into_iter().filter_map(expected).collect();
    writeln!(f, "equal devices  {}", expected.join(", "))
}

/// Writes the line of a plan for `devices` devices of which only one works.
pub(crate) fn write_unshared(f: &mut fmt::Formatter<'_>, devices: usize) -> fmt::Result {
    match devices {
        0 | 1 => Ok(()),
        _ => writeln!(f, "devices        1 of {devices}, the fastest: this work is not shared"),
    }
}

/// The profile of `devices` GPUs like this one; `None` for the CPU engine.
pub(crate) fn equal(one: &Profile, devices: usize) -> Option<Profile> {
    Some(Profile::of_group(vec![one.as_member(String::new())?; devices], one.host_memory))
}

/// The share of one device of a group, with its plan.
#[derive(Clone, Debug)]
pub(crate) struct Share<P> {
    /// The number of the device in the group.
    pub member: usize,
    /// The things that the device works on.
    pub range: Range<usize>,
    /// Its plan.
    pub plan: P,
}

/// The shares of one computation. Only devices with a share are listed, at least one.
#[derive(Clone, Debug)]
pub(crate) struct Shares<P> {
    /// The shares, in order.
    pub list: Vec<Share<P>>,
    whole: Whole,
}

/// The cost and traffic that a plan expects.
type Expected = (Cost, Traffic);

/// Plans the share of a member on its profile.
type PlanShare<'a> = dyn FnMut(usize, Range<usize>, &Profile) -> Result<Expected> + 'a;

/// What is said of all shares, whatever their plans are.
#[derive(Clone, Debug)]
struct Whole {
    /// Name and speed of every device of the group.
    members: Vec<(String, f64)>,
    /// The number of things of each device.
    counts: Vec<usize>,
    /// The profile of the fastest device.
    one: Profile,
    cost: Cost,
    traffic: Traffic,
}

impl<P: Problem> Shares<Planned<P>> {
    /// Divides `count` things among the members of a group and plans each share by `plan`.
    pub fn plan(
        profile: &Profile,
        members: &[Member],
        count: usize,
        plan: impl Fn(usize, &Profile) -> Result<Planned<P>>,
    ) -> Result<Self> {
        let mut list = Vec::new();
        let whole = Whole::plan(profile, members, count, &mut |member, range, profile| {
            let plan = plan(range.len(), profile)?;
            let own = (plan.cost(), plan.traffic());
            list.push(Share { member, range, plan });
            Ok(own)
        })?;
        Ok(Shares { list, whole })
    }

    /// The cost of all shares: the time of the slowest, the host memory of all, the device memory of the device that
    /// takes most.
    pub fn cost(&self) -> Cost {
        self.whole.cost
    }

    /// The traffic of all shares.
    pub fn traffic(&self) -> Traffic {
        self.whole.traffic
    }

    /// The plan of the largest share.
    pub fn largest(&self) -> Option<&Planned<P>> {
        let largest = self.list.iter().rev().max_by_key(|share| share.range.len());
        largest.map(|share| &share.plan)
    }

    /// Writes the shares of things that are called `things`, the plan of the largest, and the times expected of equal
    /// devices, for which `plan` plans shares. The cost of all follows.
    pub fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        things: &str,
        plan: impl Fn(usize, &Profile) -> Result<Planned<P>>,
    ) -> fmt::Result {
        self.whole.write(f, things, &|count, profile| {
            let own = plan(count, profile).ok()?;
            Some((own.cost(), own.traffic()))
        })?;
        if let Some(largest) = self.largest() {
            writeln!(f, "the largest share:\n{largest}\nall devices:")?;
        }
        Ok(())
    }
}

impl Whole {
    /// Divides `count` things among the members of a group.
    fn plan(profile: &Profile, members: &[Member], count: usize, plan: &mut PlanShare<'_>) -> Result<Self> {
        let speeds: Vec<f64> = members.iter().map(|member| member.speed).collect();
        let mut ranges: Vec<_> = divide(count, &speeds).into_iter().enumerate().collect();
        match count {
            // Something has to make the empty answer.
            0 => ranges.truncate(1),
            _ => ranges.retain(|(_, range)| !range.is_empty()),
        }
        let sharing = ranges.len();
        let mut counts = vec![0; members.len()];
        let (mut own, mut errors) = (Vec::new(), Vec::new());
        for (member, range) in ranges {
            counts[member] = range.len();
            match plan(member, range, &profile.of_member(&members[member], sharing)) {
                Ok((cost, traffic)) => own.push((&members[member], cost, traffic)),
                Err(error) => errors.push(of_all(error, profile, sharing)),
            }
        }
        // The error of the share that needs the most memory: only that much suffices for all.
        let needed = |error: &Error| needed_memory(error).unwrap_or(0);
        if let Some(error) = errors.into_iter().rev().max_by_key(needed) {
            return Err(error);
        }
        let traffic = Traffic::sum(own.iter().map(|(.., traffic)| *traffic));
        let fastest = speeds.into_iter().fold(0.0, f64::max);
        let cost = cost_of(own.into_iter().map(|(member, cost, _)| (member, cost)), fastest, traffic);
        cost.check(profile, "this work on several devices")?;
        Ok(Whole {
            members: members.iter().map(|member| (member.name.clone(), member.speed)).collect(),
            counts,
            one: profile.of_one().into_owned(),
            cost,
            traffic,
        })
    }

    /// Writes the shares and the times of equal devices, by what `plan` expects of a share.
    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        things: &str,
        plan: &dyn Fn(usize, &Profile) -> Option<Expected>,
    ) -> fmt::Result {
        let share = |number: usize| format!("{} {things}", self.counts[number]);
        let count: usize = self.counts.iter().sum();
        let time = |devices: usize| {
            let (cost, traffic) = plan(count.div_ceil(devices), &self.one)?;
            Some(cost.time.max(traffic.times(devices as u64).time()))
        };
        write_shared(f, things, &self.members, &share, self.traffic, &time)
    }
}

/// The cost of shares. The devices work at the same time: the slowest decides, and the host's copies. Devices are opened one after
/// the other.
fn cost_of<'m>(shares: impl Iterator<Item = (&'m Member, Cost)>, fastest: f64, traffic: Traffic) -> Cost {
    let mut cost = Cost::default();
    for (member, own) in shares {
        let slower = if member.speed > 0.0 { fastest / member.speed } else { 1.0 };
        cost.time = cost.time.max(own.time.mul_f64(slower));
        cost.host_bytes = cost.host_bytes.saturating_add(own.host_bytes);
        cost.device_bytes = cost.device_bytes.max(own.device_bytes);
    }
    Cost { time: cost.time.max(traffic.time()), ..cost }
}

/// The error of a share, which has one of `sharing` parts of the host's memory, in terms of the whole.
fn of_all(error: Error, profile: &Profile, sharing: usize) -> Error {
    match error {
        Error::OutOfMemory(mut shortage) if matches!(shortage.side, Some(Side::Host | Side::Shared)) => {
            shortage.message = format!("{} on each of {sharing} devices", shortage.message);
            shortage.needed = shortage.needed.map(|needed| needed.saturating_mul(sharing as u64));
            // The host's memory is bounded by what it shares with some of the devices.
            if profile.budget.shared <= profile.host_memory && profile.budget.is_shared() {
                shortage.side = Some(Side::Shared);
            }
            Error::OutOfMemory(shortage)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_everything_once_in_proportion_to_the_speeds() {
        let speeds: [&[f64]; 5] = [&[1.0], &[1.0, 1.0], &[1.0, 0.25, 0.5], &[0.0, 1.0], &[3.0, 0.0, 1e-9]];
        for speeds in speeds {
            let total: f64 = speeds.iter().sum();
            for count in [0, 1, 2, 3, 7, 1000, 1 << 27] {
                let shares = divide(count, speeds);
                assert_eq!(shares.len(), speeds.len());
                let mut begin = 0;
                for (share, speed) in shares.iter().zip(speeds) {
                    assert_eq!(share.start, begin);
                    begin = share.end;
                    let exact = count as f64 * speed / total;
                    assert!((share.len() as f64 - exact).abs() <= 1.0, "{count} {speeds:?} {shares:?}");
                    assert!(*speed > 0.0 || share.is_empty());
                }
                assert_eq!(begin, count);
            }
        }
    }

    #[test]
    fn equal_devices_get_equal_shares_and_the_first_the_larger_ones() {
        let lengths = |count, devices| -> Vec<usize> {
            divide(count, &vec![0.7; devices]).iter().map(ExactSizeIterator::len).collect()
        };
        assert_eq!(lengths(6, 4), [2, 2, 1, 1]);
        assert_eq!(lengths(7, 3), [3, 2, 2]);
        assert_eq!(lengths(1, 2), [1, 0]);
        assert_eq!(divide(3, &[0.0, 0.0]), [0..2, 2..3]);
        // As processes share.
        for (count, size) in [(0, 1), (5, 2), (100, 7), (3, 5)] {
            let shares: Vec<_> = (0..size).map(|rank| crate::processes::share(count, rank, size)).collect();
            assert_eq!(divide(count, &vec![1.0; size]), shares);
        }
    }
}
