//! Timestamps of the dispatches of a profiled device. They are read when the host next waits for the
//! device, so that a profile adds no waits of its own.

use std::time::Duration;

use super::block_on::block_on;
use super::device::Gpu;
use super::mapping;
use super::staging::Way;
use super::timestamps::{Batch, Queries};
use crate::Result;

/// Maximum number of submissions whose timestamps are unread. Each has a query set and two buffers.
const MAX_UNREAD: usize = 64;

impl Gpu {
    /// The next wait reads the timestamps of a submission.
    pub(super) fn read_timestamps_later(&self, batch: Batch) -> Result<()> {
        let unread = {
            let mut profiled = self.profiled();
            profiled.unread.push(batch);
            profiled.unread.len()
        };
        if cfg!(target_arch = "wasm32") {
            return self.read_timestamps();
        }
        if unread >= MAX_UNREAD { self.wait() } else { Ok(()) }
    }

    /// Reads the timestamps of all submissions so far, which are done, and records their dispatches.
    pub(super) fn read_timestamps(&self) -> Result<()> {
        // Taken first: reading may wait, which leads here again.
        let unread = std::mem::take(&mut self.profiled().unread);
        for Batch { submitted, dispatches, queries } in unread {
            let times = self.times(&queries)?;
            let Some((first, _)) = times.first() else { continue };
            let bound = self.timeline().since_zero(submitted).as_nanos() as i128 - first.as_nanos() as i128;
            let offset = {
                let mut profiled = self.profiled();
                let offset = profiled.offset.map_or(bound, |offset| offset.max(bound));
                profiled.offset = Some(offset);
                offset
            };
            for ((kernel, launch, stage), (start, end)) in dispatches.iter().zip(&times) {
                let begin = u64::try_from(start.as_nanos() as i128 + offset).unwrap_or_default();
                let length = end.saturating_sub(*start);
                let begin = Duration::from_nanos(begin);
                self.timeline().push_dispatch(kernel, stage, *launch, begin, Some(length));
            }
        }
        Ok(())
    }

    /// Waits, and returns the begin and end of every pass of `queries`.
    pub(super) fn times(&self, queries: &Queries) -> Result<Vec<(Duration, Duration)>> {
        let size = queries.readable.size();
        block_on(mapping::map_unrecorded(self, &queries.readable, size, Way::Download))?;
        queries.times(f64::from(self.opened.queue.get_timestamp_period()))
    }
}
