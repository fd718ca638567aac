//! The crossbred method on a GPU; of a group, on the fastest.

use web_time::Instant;

use super::gpu::{GpuSearch, MOST_LINEAR_ON_GPU};
use super::layout::Layout;
use super::{Crossbred, Prepared, Search};
use crate::collect::{Found, Rounds};
use crate::cost::{preparation_seconds, seconds};
use crate::way::Job;
use crate::{Solve, Speeds};
use wgalois::Result;
use wgalois::gpu::Gpu;
use wgalois::task::{Cost, GpuProfile, Profile};

/// Short calls of the method beside its matrix and its walk: n = 36, m = 72 took 0.061 s on an H200 with compiled pipelines on
/// disk, where the walk's 2^20 linear systems take less than a millisecond. The calls are the method's.
const CALLS: f64 = 450.0;

impl Crossbred {
    /// The way on a GPU.
    pub fn on_gpu(problem: &Solve, profile: &Profile, gpu: &GpuProfile, speeds: &Speeds) -> Result<Self> {
        let limits = (gpu.binding_bytes, profile.device_memory);
        let preparation = seconds(preparation_seconds(gpu, 3.0) + CALLS * gpu.record.call);
        Self::fastest(problem, profile, speeds, MOST_LINEAR_ON_GPU, |cost, (degree, linear)| {
            let walked = problem.variables.checked_sub(linear).filter(|&walked| walked > 0);
            let bytes = walked.map_or(0, |walked| {
                Layout::new((walked, degree, linear), limits, gpu.is_software).bytes(degree, linear)
            });
            let time = cost.time.saturating_add(preparation);
            Cost { time, device_bytes: cost.device_bytes.max(bytes), ..cost }
        })
    }
}

impl Prepared {
    /// Walks through all values, of which there are several.
    pub(super) async fn search_on_gpu(&self, gpu: &Gpu, search: &Search, job: Job<'_>) -> Result<Found> {
        let Job { equations, query, watch, checks, .. } = job;
        let (begin, deadline) = (Instant::now(), watch.deadline());
        let mut gpu_search = GpuSearch::new(gpu, self, equations)?;
        let rounds = Rounds {
            fingerprint: self.fingerprint(equations, query).wrapping_add(1 + gpu_search.bits() as u64),
            of: 1u64 << (self.variables - self.linear - gpu_search.bits()),
            first: 1,
            most: u64::MAX,
        };
        let work = async |first: u64, count: u64| {
            for prefix in first..first + count {
                gpu_search.search(self, search, prefix).await?;
                if search.collector.must_end() {
                    break;
                }
            }
            Ok(())
        };
        let accepts = |solution| search.accepts(solution);
        let found = search.collector.run(rounds, accepts, work, watch).await?;
        checks.plant(&found, begin, deadline, async || gpu_search.plant(self, search).await).await?;
        Ok(found)
    }
}
