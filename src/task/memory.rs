//! Planning again when the device has less memory than the plan assumed.

use super::Profile;
use crate::{Error, Result};

/// Bytes of device memory below which no further plan is tried: on a device that could do the
/// work, allocations this small do not fail.
const LEAST: u64 = 16 << 20;

/// Bytes of device memory that plans assume if there is no limit. wgpu does not report the actual size.
pub(crate) const ASSUMED: u64 = 32 << 30;

/// Plans and runs `work` within the profile's memory, with half the memory after each failed allocation.
///
/// ```text
/// memory = the profile's, or 32 GiB if that has no bound
/// loop:
///     outcome = work(profile with memory)            plan, prepare, run
///     if the device ran out of memory, and memory is more than 16 MiB: memory /= 2
///     else: return outcome
/// ```
///
/// # Errors
/// Those of `work`; the first [`Error::OutOfMemory`] if no smaller plan succeeded either.
pub async fn within_memory<T>(
    profile: Profile,
    mut work: impl AsyncFnMut(&Profile) -> Result<T>,
) -> Result<T> {
    let mut profile = profile.with_device_memory(ASSUMED);
    let mut first = None;
    loop {
        match (work(&profile).await, first.take()) {
            (Err(error @ Error::OutOfMemory(_)), earlier) if profile.device_memory > LEAST => {
                first = earlier.or(Some(error));
                profile.device_memory /= 2;
            }
            (Err(Error::OutOfMemory(_)), Some(earlier)) => return Err(earlier),
            (outcome, _) => return outcome,
        }
    }
}
