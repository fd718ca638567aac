//! Prefix sums, by reducing and then scanning.
//!
//! The chained form needs fewer passes over memory, but its workgroups wait for others, and not every
//! device guarantees that those run.

use std::sync::Arc;

use super::TILE;
use crate::Result;
use crate::gpu::{DeviceVec, Gpu, Kernel, Pipeline, Recorder, Variant, Written, buffers, params};

/// The kernel that computes the totals of tiles of 2048 numbers.
pub static SCAN_TOTALS: Kernel =
    Kernel::of::<ScanTotalsBuffers, ScanParams>("scan_totals", "scan_totals.wgsl", |_| {
        vec![Variant::plain(256)]
    });

buffers! {
    /// The buffers of [`SCAN_TOTALS`].
    struct ScanTotalsBuffers {
        numbers: read array<u32>,
        totals: read_write array<u32>,
    }
}

/// The kernel that computes the prefix sums of tiles of 2048 numbers, given the sum of all tiles before each.
pub static SCAN_TILES: Kernel =
    Kernel::of::<ScanTilesBuffers, ScanParams>("scan_tiles", "scan_tiles.wgsl", |_| {
        vec![Variant::plain(256)]
    });

buffers! {
    /// The buffers of [`SCAN_TILES`].
    struct ScanTilesBuffers {
        numbers: read_write array<u32>,
        before: read array<u32>,
    }
}

params! {
    /// The parameters of [`SCAN_TOTALS`] and [`SCAN_TILES`].
    struct ScanParams {
        /// The number of numbers.
        len,
    }
}

/// Exclusive prefix sums, modulo 2^32, of vectors up to a given capacity.
#[derive(Debug)]
pub struct Scan {
    totals: Arc<Pipeline>,
    tiles: Arc<Pipeline>,
    /// The totals of the tiles, then the totals of the tiles of these totals, and so on.
    levels: Vec<DeviceVec<u32>>,
    zero: DeviceVec<u32>,
}

impl Scan {
    /// Prepares prefix sums of up to `capacity` numbers.
    pub fn new(gpu: &Gpu, capacity: usize) -> Result<Self> {
        let mut levels = Vec::new();
        let mut len = capacity;
        while len > TILE {
            len = len.div_ceil(TILE);
            levels.push(gpu.zeros_whole(len)?);
        }
        let plain = Variant::plain(256);
        let [totals, tiles] = gpu.pipelines([(&SCAN_TOTALS, &plain), (&SCAN_TILES, &plain)])?;
        Ok(Scan { totals, tiles, levels, zero: gpu.zeros_whole(1)? })
    }

    /// Returns the bytes of device memory that prefix sums of up to `capacity` numbers use in addition to
    /// the numbers.
    pub fn bytes(capacity: u64) -> u64 {
        let (mut words, mut len) = (1, capacity);
        while len > TILE as u64 {
            len = len.div_ceil(TILE as u64);
            words += len;
        }
        4 * words
    }

    /// Returns the dispatches of [`record`](Self::record).
    pub fn dispatches(len: usize) -> u64 {
        if len > TILE { 2 + Self::dispatches(len.div_ceil(TILE)) } else { 1 }
    }

    /// Records dispatches that replace each of the first `len` numbers by the sum of the numbers before it.
    pub fn record(&self, recorder: &mut Recorder, numbers: &wgpu::Buffer, len: usize) -> Result<()> {
        self.record_level(recorder, numbers, len, 0)
    }

    fn record_level(
        &self,
        recorder: &mut Recorder,
        numbers: &wgpu::Buffer,
        len: usize,
        level: usize,
    ) -> Result<()> {
        let groups = len.div_ceil(TILE) as u32;
        let params = ScanParams { len: len as u32 };
        let before = match self.levels.get(level) {
            Some(totals) if len > TILE => {
                let totals = totals.whole()?;
                let buffers = ScanTotalsBuffers { numbers, totals: Written(totals) };
                recorder.dispatch(&self.totals, "scan", &buffers, &params, groups)?;
                self.record_level(recorder, totals, len.div_ceil(TILE), level + 1)?;
                totals
            }
            _ => self.zero.whole()?,
        };
        let buffers = ScanTilesBuffers { numbers: Written(numbers), before };
        recorder.dispatch(&self.tiles, "scan", &buffers, &params, groups)
    }
}
