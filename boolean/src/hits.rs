//! The hits that a kernel leaves: their number, and two words for each.

use super::checks::{MOST_SEEN, nonsense};
use wgalois::gpu::DeviceVec;
use wgalois::parallel::*;
use wgalois::{Error, Result};

/// Reads the words of all hits; `None` if there are more than `capacity`, of which some were not kept. More hits than
/// `most`, which there cannot be, are the error `too_many`.
pub async fn read(
    hits: &DeviceVec<u32>,
    most: usize,
    capacity: usize,
    too_many: impl Fn() -> Error,
) -> Result<Option<Vec<u32>>> {
    match hits.read_async(0..1).await?.first().copied().unwrap_or(0) as usize {
        found if found > most => Err(too_many()),
        found if found > capacity => Ok(None),
        0 => Ok(Some(Vec::new())),
        found => Ok(Some(hits.read_async(1..1 + 2 * found).await?)),
    }
}

/// Returns the hits in order; `hit` makes each of its two words. Refuses a hit that comes twice.
pub fn sorted<H: Ord + Send>(words: &[u32], hit: impl Fn(&[u32]) -> Result<H> + Sync) -> Result<Vec<H>> {
    let mut hits: Vec<H> = words.par_chunks_exact(2).map(hit).try_collect()?;
    rayon::slice::ParallelSliceMut::par_sort_unstable(&mut hits[..]);
    match hits.windows(2).any(|pair| pair[0] == pair[1]) {
        true => Err(nonsense("a hit that comes twice")),
        false => Ok(hits),
    }
}

/// Some of the hits, which are spread over all.
pub fn some<H: Sync>(hits: &[H]) -> impl Parallel<Item = &H> {
    let step = hits.len().div_ceil(MOST_SEEN).max(1);
    (0..hits.len().div_ceil(step)).into_par_iter().map(move |i| &hits[i * step])
}
