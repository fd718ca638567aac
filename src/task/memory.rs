//! Planning again when the device has less memory than the plan assumed.

use super::Profile;
use crate::{Error, Result};

/// Bytes of device memory below which no further plan is tried: on a device that could do the
/// work, allocations this small do not fail.
const LEAST: u64 = 16 << 20;

/// The bytes that would suffice, if an error says so.
pub(super) fn needed_memory(error: &Error) -> Option<u64> {
    if let Error::OutOfMemory(shortage) = error { shortage.needed } else { None }
}

/// Plans and runs `work` within the profile's memory, with half the memory after each failed allocation, which a warning
/// says once. The first plan is that of the profile, which `--plan` prints. If no smaller plan succeeds either, the
/// error is the first [`Error::OutOfMemory`].
///
/// ```text
/// memory = the profile's
/// loop:
///     outcome = work(profile with memory)            plan, prepare, run
///     if the device ran out of memory, and memory is more than 16 MiB: memory /= 2
///     else: return outcome
/// ```
pub async fn within_memory<T>(
    profile: Profile,
    mut work: impl AsyncFnMut(&Profile) -> Result<T>,
) -> Result<T> {
    let mut tries = Tries { planned: profile.device_memory, profile, first: None };
    loop {
        match work(&tries.profile).await {
            Ok(answer) => {
                tries.say();
                return Ok(answer);
            }
            Err(error) => tries.go_on_after(error)?,
        }
    }
}

/// The plans of one computation that were tried.
struct Tries {
    /// The device memory of the first plan.
    planned: u64,
    /// The profile of the next plan.
    profile: Profile,
    /// The error of the first plan.
    first: Option<Error>,
}

impl Tries {
    /// Halves the memory after an error for lack of it. Returns the error if no smaller plan can help.
    fn go_on_after(&mut self, error: Error) -> Result<()> {
        match (error, self.first.take()) {
            (error @ Error::OutOfMemory(_), earlier) if self.profile.device_memory > LEAST => {
                self.first = earlier.or(Some(error));
                self.profile.device_memory /= 2;
                Ok(())
            }
            (Error::OutOfMemory(_), Some(earlier)) => Err(earlier),
            (error, _) => Err(error),
        }
    }

    /// Says that a smaller plan has succeeded, if it is not the first.
    fn say(&self) {
        if self.first.is_some() {
            let Tries { planned, profile: Profile { device_memory, .. }, .. } = self;
            log::warn!(
                "the device has less than {planned} bytes of free memory: planned again for {device_memory}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::block_on;
    use crate::task::{Budget, CpuProfile, Engine};

    /// The memory of each plan where those for `fits` bytes or less do not run out of memory.
    fn tried(device_memory: u64, fits: u64) -> (Vec<u64>, bool) {
        let (engine, budget) = (Engine::Cpu(CpuProfile::of_threads(1)), Budget::default());
        let profile = Profile { engine, host_memory: u64::MAX, device_memory, budget };
        let mut tried = Vec::new();
        let outcome = block_on(within_memory(profile, async |profile| {
            tried.push(profile.device_memory);
            match profile.device_memory <= fits {
                true => Ok(()),
                false => Err(Error::OutOfMemory("no memory".into())),
            }
        }));
        (tried, outcome.is_ok())
    }

    #[test]
    fn memory_is_used_as_given() {
        let gib = 1 << 30;
        assert_eq!(tried(100 * gib, u64::MAX), (vec![100 * gib], true));
        assert_eq!(tried(100 * gib, 30 * gib), (vec![100 * gib, 50 * gib, 25 * gib], true));
        assert_eq!(tried(LEAST, 0), (vec![LEAST], false));
    }
}
