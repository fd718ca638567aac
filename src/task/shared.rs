//! Plans for a device that has the host's memory, of which both may take no more than the budget together.

use super::{Budget, Profile, needed_memory};
use crate::device::Engine;
use crate::{Error, Result, Shortage, Side};

/// Bytes of device memory below which no smaller plan is tried.
const LEAST: u64 = 1 << 20;
/// Plans that are tried at most, and budgets for a refusal.
const ROUNDS: usize = 64;

/// A refusal: the error, and what the host's part of the work leaves to the device, if both together take too much.
pub(super) struct Refusal {
    pub error: Error,
    pub left: Option<u64>,
}

/// Plans by `plan`, with less device memory than there is if the host's part of the work needs it. A refusal has the bytes that
/// suffice.
///
/// ```text
/// device = the profile's
/// loop:
///     plan with `device` bytes of device memory
///     if host and device take more than they share: device = what the host leaves, but not less than half
///     else: return the plan, or its error
/// ```
pub(super) fn cheapest<T>(profile: &Profile, plan: impl Fn(&Profile) -> Result<T, Refusal>) -> Result<T> {
    let mut planned = None;
    let mut plan = |profile: &Profile| plan(profile).map(|fitting| planned = Some(fitting));
    search(profile, &mut plan).map_err(|error| with_enough(profile, error, &mut plan))?;
    planned.ok_or_else(no_plan)
}

/// Plans for a profile, and keeps the plan if there is one.
type Plan<'a> = dyn FnMut(&Profile) -> Result<(), Refusal> + 'a;

fn no_plan() -> Error {
    Error::OutOfMemory("no plan fits the memory".into())
}

fn search(profile: &Profile, plan: &mut Plan) -> Result<()> {
    let mut within = profile.clone();
    let mut least: Option<Error> = None;
    for _ in 0..ROUNDS {
        let Refusal { error, left } = match plan(&within) {
            Ok(()) => return Ok(()),
            Err(refusal) => refusal,
        };
        // With less device memory than there is, only what both need together says what suffices.
        least = match least {
            Some(least) if !is_shared(&error) || needed(&least) <= needed(&error) => Some(least),
            _ => Some(error),
        };
        let memory = within.device_memory;
        let Some(left) = left.filter(|_| memory > LEAST) else { break };
        within.device_memory = left.clamp(memory / 2, memory - 1);
    }
    Err(least.unwrap_or_else(no_plan))
}

/// True if the memory that host and device share is too small.
pub(super) fn is_shared(error: &Error) -> bool {
    matches!(error, Error::OutOfMemory(shortage) if shortage.side == Some(Side::Shared))
}

fn needed(error: &Error) -> u64 {
    needed_memory(error).unwrap_or(u64::MAX)
}

/// The refusal with the bytes that suffice, if it is the memory of the device that is too small, or what it shares with the host.
fn with_enough(profile: &Profile, error: Error, plan: &mut Plan) -> Error {
    let is_shared = profile.budget.is_shared();
    let (side, allowed) = match is_shared {
        true => (Side::Shared, profile.budget.shared),
        false => (Side::Device, profile.device_memory),
    };
    let sides = [Some(Side::Shared), Some(Side::Device)];
    // The memory of one member of several is not that of the group.
    if matches!(profile.engine, Engine::Group(_)) && !is_shared {
        return error;
    }
    let mut enough = match &error {
        Error::OutOfMemory(Shortage { side, needed: Some(needed), .. }) if sides.contains(side) => *needed,
        _ => return error,
    };
    for _ in 0..ROUNDS {
        let next = match search(&of_budget(profile, enough), plan) {
            // It is the user's limit that is too small.
            Ok(()) if enough <= allowed => return error,
            Ok(()) => {
                let what = "the smallest plan of this work";
                return Error::OutOfMemory(Shortage::new(what, side, enough, allowed));
            }
            Err(error) => needed(&error),
        };
        // A plan for more memory may take more of it.
        match (next, enough.checked_add(enough / 16 + 1)) {
            (u64::MAX, _) | (_, None) => break,
            (next, Some(more)) => enough = next.max(more),
        }
    }
    error
}

/// The profile with so many bytes of device memory, or that host and device share.
fn of_budget(profile: &Profile, bytes: u64) -> Profile {
    match &profile.engine {
        Engine::Group(members) => {
            let of_member = |member: &super::Member| match member.budget.is_shared() {
                true => super::Member {
                    device_memory: bytes,
                    budget: Budget { device: bytes, shared: bytes },
                    ..member.clone()
                },
                false => member.clone(),
            };
            Profile::of_group(members.iter().map(of_member).collect(), profile.host_memory)
        }
        _ => {
            let shared = if profile.budget.is_shared() { bytes } else { u64::MAX };
            let budget = Budget { device: bytes, shared };
            Profile { device_memory: bytes, budget, ..profile.clone() }
        }
    }
}
