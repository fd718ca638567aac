//! Exhaustive search on a GPU; of a group, on the fastest.

use web_time::Instant;

use super::gpu::Engine;
use super::{Exhaustive, Search};
use crate::collect::Found;
use crate::way::Job;
use crate::{Solve, Speeds};
use wgalois::Result;
use wgalois::gpu::Gpu;
use wgalois::task::Cost;

impl Exhaustive {
    /// The way on a GPU.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn on_gpu(problem: &Solve, speeds: &Speeds) -> Result<Self> {
        let way = Exhaustive::new(problem, speeds)?;
        Ok(Exhaustive { cost: Cost { device_bytes: 64 << 20, ..way.cost }, ..way })
    }
}

/// Windows of the first round.
const FIRST: u64 = 2;

/// Searches all values.
pub(super) async fn search(gpu: &Gpu, job: Job<'_>) -> Result<Found> {
    let Job { equations, want, watch, checks, .. } = job;
    let search = Search::new(equations, want)?;
    let (begin, deadline) = (Instant::now(), watch.deadline());
    let mut engine = Engine::new(gpu, &search)?;
    // A slow GPU's driver ends a dispatch that takes seconds, so the first rounds are small.
    let (layout, most) = (engine.layout(), engine.most());
    let work = async |first, count| engine.search(&search, first, count).await;
    let found = search.run(layout, (most.min(FIRST), most), work, watch).await?;
    if found.is_complete {
        let plant = async || engine.plant(&search).await;
        checks.plant(begin.elapsed(), deadline, plant).await?;
    }
    Ok(found)
}
