//! The one answer to a device that has less memory than it was planned for.

use super::Profile;
use crate::{Error, Result};

/// Device memory below which planning again is given up: smaller allocations do not fail for lack
/// of memory on any device that could do the work.
const LEAST: u64 = 16 << 20;

/// Device memory that plans count on where nothing bounds it. wgpu does not tell how much there is.
pub(crate) const ASSUMED: u64 = 32 << 30;

/// Plans and runs `work` within the profile's memory.
///
/// ```text
/// memory = the profile's, or 32 GiB where that is not bounded
/// loop:
///     outcome = work(profile with memory)            plan, prepare, run
///     if the device ran out of memory although the plan kept its bound: memory /= 2
///     else: return outcome
/// ```
///
/// # Errors
/// Those of `work`; the first [`Error::OutOfMemory`] where no smaller plan ran either.
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
