//! The working memory of a multiplication on the device.

use super::pairs::PairMemory;
use crate::Result;
use crate::field::BigField;
use crate::gpu::{DeviceVec, Gpu};
use crate::msm::Cut;
use crate::primitives::Sort;

/// Buffers for one group of bucket sets and one chunk of bases, kept between calls.
pub(super) struct Workspace {
    /// Each entry's bucket within its set.
    pub(super) keys: DeviceVec<u32>,
    /// Each entry's point and sign.
    pub(super) values: DeviceVec<u32>,
    pub(super) sort: Sort,
    /// The first entry of each bucket, then the end.
    pub(super) offsets: DeviceVec<u32>,
    /// Only if entries are first added up in pairs.
    pub(super) pairs: Option<PairMemory>,
    /// Bucket sums, followed by partial sums; later the results of layers of the reduction.
    pub(super) sums: DeviceVec<u32>,
    /// The second buffer for the layers of the reduction.
    pub(super) spare_sums: DeviceVec<u32>,
}

impl Workspace {
    /// Allocates the buffers for `cut`, with sums of `sum_words` words.
    pub(super) fn new(gpu: &Gpu, cut: &Cut, field: &BigField, sum_words: usize) -> Result<Self> {
        let entries = cut.entries();
        let segment = entries / cut.sets();
        Ok(Workspace {
            keys: gpu.zeros_whole(entries)?,
            values: gpu.zeros_whole(entries)?,
            sort: Sort::new(gpu, cut.sets(), segment)?,
            offsets: gpu.zeros_whole(cut.all_buckets() + 1)?,
            pairs: PairMemory::new(gpu, cut, field)?,
            sums: gpu.zeros_whole((cut.all_buckets() + cut.slots()) * sum_words)?,
            spare_sums: gpu.zeros_whole(cut.sums() * sum_words)?,
        })
    }

    /// The buffers for entries of bucket 0 that are given, instead of digits that are sorted: the keys of all of them are 0.
    pub(super) fn of_entries(gpu: &Gpu, cut: &Cut, sum_words: usize) -> Result<Self> {
        Ok(Workspace {
            keys: gpu.zeros_whole(cut.entries())?,
            values: gpu.zeros_whole(1)?,
            sort: Sort::new(gpu, 1, 1)?,
            offsets: gpu.zeros_whole(cut.all_buckets() + 1)?,
            pairs: None,
            sums: gpu.zeros_whole((cut.all_buckets() + cut.slots()) * sum_words)?,
            spare_sums: gpu.zeros_whole(cut.sums() * sum_words)?,
        })
    }

    /// All buffers.
    pub(super) fn vectors(&self) -> Vec<&DeviceVec<u32>> {
        let Workspace { keys, values, sort, offsets, pairs, sums, spare_sums } = self;
        let mut vectors = vec![keys, values, offsets, sums, spare_sums];
        vectors.extend(sort.vectors());
        vectors.extend(pairs.iter().flat_map(PairMemory::vectors));
        vectors
    }
}
