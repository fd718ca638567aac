//! All keys of the server, within the memory of one device.

use super::Serve;
use super::key::{self, Key, Proves};
use crate::prelude::*;
use wgalois::task::{Cost, Engine, Profile};
use wgalois::{Shortage, Side};

/// Reads the sizes of all keys. Two of the same name are refused.
pub fn read(args: &Serve, context: &Context) -> Result<Vec<Box<dyn Key>>> {
    for (i, path) in args.keys.iter().enumerate() {
        if let Some(other) = args.keys[..i].iter().find(|other| other.file_stem() == path.file_stem()) {
            let [first, second] = [other, path].map(|path| format!("the name of {}", text::name(path)));
            return Err(Error::SameFile { first, second });
        }
    }
    args.keys.iter().map(|path| key::read(args, context, path)).collect()
}

/// A device, and what each key may take of it and of the host's memory.
pub type Shares = (Device, Vec<Profile>);

/// Opens the device, and plans all keys on it; `None` if `--plan` printed the plans.
pub fn plan(context: &Context, keys: &[Box<dyn Key>]) -> Result<Option<Shares>> {
    let first = keys.first().ok_or_else(|| Error::needs("the server", "a key"))?;
    let device = first.open(context)?;
    let profiles = context.within(&device.profile(), 0, |profile| shares(keys, profile))?;
    let shown = keys.iter().zip(&profiles).map(|(key, profile)| key.show(context, profile));
    let shown = shown.collect::<Result<Vec<_>>>()?;
    Ok(shown.into_iter().collect::<Option<()>>().map(|()| (device, profiles)))
}

/// Reads all keys and prepares them on the device.
pub fn prepare(
    context: &Context,
    keys: &[Box<dyn Key>],
    (device, profiles): &Shares,
) -> Result<Vec<Box<dyn Proves>>> {
    keys.iter().zip(profiles).map(|(key, profile)| key.prepare(context, device, profile)).collect()
}

/// What each key finds of the device and of the host's memory: what those before it leave.
fn shares(keys: &[Box<dyn Key>], profile: &Profile) -> Result<Vec<Profile>> {
    let mut left = profile.clone();
    let mut taken = Cost::default();
    let mut shares = Vec::with_capacity(keys.len());
    for (i, key) in keys.iter().enumerate() {
        let cost = key.cost(&left).map_err(|error| with_those_before(error, i + 1, &taken))?;
        shares.push(left.clone());
        left = without(&left, &cost);
        taken.host_bytes = taken.host_bytes.saturating_add(cost.host_bytes);
        taken.device_bytes = taken.device_bytes.saturating_add(cost.device_bytes);
    }
    Ok(shares)
}

/// What a key leaves.
fn without(profile: &Profile, cost: &Cost) -> Profile {
    let mut left = profile.clone();
    let take = |from: &mut u64, bytes: u64| {
        // The largest number stands for no bound.
        if *from < u64::MAX {
            *from = from.saturating_sub(bytes);
        }
    };
    take(&mut left.host_memory, cost.host_bytes);
    take(&mut left.device_memory, cost.device_bytes);
    take(&mut left.budget.device, cost.device_bytes);
    take(&mut left.budget.shared, cost.bytes());
    if let Engine::Group(members) = &mut left.engine {
        for member in members {
            take(&mut member.device_memory, cost.device_bytes);
            take(&mut member.budget.device, cost.device_bytes);
            take(&mut member.budget.shared, cost.bytes());
        }
    }
    left
}

/// The shortage of the first `keys` keys, for that of the last of them beside what the others take.
fn with_those_before(error: Error, keys: usize, taken: &Cost) -> Error {
    let Error::OutOfMemory(shortage) = error else { return error };
    let (Some(side), Some(needed), Some(allowed)) = (shortage.side, shortage.needed, shortage.allowed) else {
        return Error::OutOfMemory(shortage);
    };
    let before = match side {
        Side::Host => taken.host_bytes,
        Side::Device => taken.device_bytes,
        _ => taken.bytes(),
    };
    let what = match keys {
        1 => "proving by the first key".to_owned(),
        _ => format!("proving by the first {keys} keys"),
    };
    let [needed, allowed] = [needed, allowed].map(|bytes| bytes.saturating_add(before));
    Error::OutOfMemory(Shortage::new(&what, side, needed, allowed))
}
