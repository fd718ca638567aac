//! The input of the steps of one accumulation.

use crate::gpu::DeviceVec;
use crate::msm::{Cut, Scheme};

/// The share of a multiplication that is accumulated at once: some bucket sets of one chunk of bases.
pub(super) struct Part<'a> {
    pub(super) cut: &'a Cut,
    /// The chunk's table: level a of base i at a * `stride` + i.
    pub(super) table: &'a DeviceVec<u32>,
    /// Bases of the chunk.
    pub(super) stride: usize,
    /// Vectors of scalars, each of which has its own sets.
    pub(super) vectors: u32,
    /// Scalars of a vector, at most `stride`.
    pub(super) len: usize,
    /// The first bucket set, and the one after the last.
    pub(super) sets: [u32; 2],
    /// True if the bucket sums begin with this part.
    pub(super) fresh: bool,
}

impl<'a> Part<'a> {
    pub(super) fn scheme(&self) -> &Scheme {
        &self.cut.scheme
    }

    /// The number of sets of all vectors.
    pub(super) fn set_count(&self) -> u32 {
        self.vectors * (self.sets[1] - self.sets[0])
    }

    /// Entries of one set.
    pub(super) fn segment(&self) -> usize {
        self.len * self.scheme().entries_per_set() as usize
    }

    fn entries(&self) -> usize {
        self.segment() * self.set_count() as usize
    }

    pub(super) fn all_buckets(&self) -> u32 {
        self.set_count() * self.scheme().buckets()
    }

    /// Threads that accumulate `entries`.
    pub(super) fn threads(&self, entries: &Entries) -> u32 {
        self.cut.threads(entries.len as usize) as u32
    }

    /// All entries of the part, sorted, with room for the `offsets` of their buckets.
    pub(super) fn sorted<'w>(
        &self,
        keys: &'w DeviceVec<u32>,
        values: &'w DeviceVec<u32>,
        offsets: &'w DeviceVec<u32>,
    ) -> Entries<'w>
    where
        'a: 'w,
    {
        Entries {
            points: self.table,
            keys,
            values,
            offsets,
            len: self.entries() as u32,
            segment: self.segment() as u32,
            buckets: self.scheme().buckets(),
        }
    }
}

/// Sorted entries, and the affine points that their values are indices of.
#[derive(Clone, Copy)]
pub(super) struct Entries<'w> {
    pub(super) points: &'w DeviceVec<u32>,
    pub(super) keys: &'w DeviceVec<u32>,
    pub(super) values: &'w DeviceVec<u32>,
    /// The first entry of each bucket, then the end.
    pub(super) offsets: &'w DeviceVec<u32>,
    pub(super) len: u32,
    /// The bucket of entry i among all sets is its key plus i / `segment` times `buckets`.
    pub(super) segment: u32,
    pub(super) buckets: u32,
}
