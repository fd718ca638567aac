//! Batches that a GPU transforms in parts, because memory does not hold them at once: of words and of scalars.

use super::transform::TransformOf;
use crate::task::{Cost, Profile, Traffic, within_memory};
use crate::{Device, Error, Result};

/// A GPU's plan for one part of a batch: all of it, if memory holds it.
#[derive(Clone, Debug)]
pub(super) struct Part<P> {
    /// Vectors of a part.
    pub vectors: usize,
    pub plan: P,
}

impl<P> Part<P> {
    /// Plans the whole batch at once, or half of it, and so on until it fits the profile's memory.
    ///
    /// # Errors
    /// Those of `plan`; [`Error::OutOfMemory`] if not even one vector fits.
    pub fn within(
        profile: &Profile,
        batch: usize,
        plan: impl Fn(usize) -> Result<(P, Cost)>,
    ) -> Result<(Self, Cost)> {
        let mut vectors = batch;
        loop {
            let (plan, cost) = plan(vectors)?;
            match cost.check(profile, "this transform") {
                Ok(()) => return Ok((Part { vectors, plan }, cost)),
                Err(_) if vectors > 1 => vectors = vectors.div_ceil(2),
                Err(error) => return Err(error),
            }
        }
    }

    /// The number of parts of the batch.
    pub fn count(&self, batch: usize) -> usize {
        batch.div_ceil(self.vectors.max(1)).max(1)
    }

    /// The traffic of a batch of so many bytes, whose parts take `dispatches` each.
    pub fn traffic(&self, batch: usize, bytes: u64, dispatches: usize) -> Traffic {
        let dispatches = (self.count(batch) * dispatches) as u64;
        Traffic { upload: bytes, download: bytes, dispatches: Some(dispatches) }
    }
}

/// The error of a plan of several parts that is given a device vector.
pub(super) fn takes_parts(parts: usize) -> Error {
    Error::Usage(format!("the plan takes the batch from the host in {parts} parts"))
}

/// Transforms `data` on one device, with half the memory after each failed allocation. `run` plans, prepares and runs a
/// transform of some vectors, and adds the entries of every finished part to its last argument: if memory runs
/// out after them, planning continues with the rest.
///
/// # Errors
/// Those of `run`, as [`within_memory`] returns them.
pub(super) async fn transform_rest<E: Copy, S: Copy>(
    device: &Device,
    transform: &TransformOf<E, S>,
    data: &mut [E],
    mut run: impl AsyncFnMut(&Profile, TransformOf<E, S>, &mut [E], &mut usize) -> Result<()>,
) -> Result<()> {
    let mut done = 0;
    within_memory(device.profile(), async |profile| {
        let rest = transform.with_batch(transform.batch - done / transform.n());
        // Data that are too short were refused before anything was done.
        let data = data.get_mut(done..).unwrap_or_default();
        run(profile, rest, data, &mut done).await
    })
    .await
}
