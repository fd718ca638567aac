//! Exhaustive search on a GPU; of a group, on the fastest.

use web_time::Instant;

use super::Search;
use super::gpu::GpuSearch;
use crate::collect::Found;
use crate::way::Job;
use wgalois::Result;
use wgalois::gpu::Gpu;

/// Windows of the first round.
const FIRST: u64 = 2;

/// Searches all values.
pub(super) async fn search(gpu: &Gpu, job: Job<'_>) -> Result<Found> {
    let Job { equations, query, watch, checks, .. } = job;
    let search = Search::new(equations, query)?;
    let (begin, deadline) = (Instant::now(), watch.deadline());
    let mut gpu_search = GpuSearch::new(gpu, &search)?;
    // A slow GPU's driver ends a dispatch that takes seconds, so the first rounds are small.
    let (layout, most) = (gpu_search.layout(), gpu_search.most());
    let work = async |first, count| gpu_search.search(&search, first, count).await;
    let found = search.run(layout, (most.min(FIRST), most), work, watch).await?;
    checks.plant(&found, begin, deadline, async || gpu_search.plant(&search).await).await?;
    Ok(found)
}
