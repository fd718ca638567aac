//! Stable radix sort of keys with values, least significant digit first. It sorts many segments of
//! the same length at once.

use std::sync::Arc;

use super::{SCAN_TILES, SCAN_TOTALS, Scan, TILE};
use crate::Result;
use crate::gpu::{DeviceVec, Gpu, Kernel, Pipeline, Recorder, Variant, Written, buffers, params};

/// The kernel that counts the digits in every tile of 2048 keys.
pub static SORT_COUNT: Kernel =
    Kernel::of::<SortCountBuffers, SortParams>("sort_count", "sort_count.wgsl", |_| {
        vec![Variant::plain(256)]
    });

buffers! {
    /// The buffers of [`SORT_COUNT`].
    struct SortCountBuffers {
        keys: read array<u32>,
        counts: read_write array<u32>,
    }
}

/// The kernel that moves keys and values to their places in the order of one digit.
pub static SORT_SCATTER: Kernel =
    Kernel::of::<SortScatterBuffers, SortParams>("sort_scatter", "sort_scatter.wgsl", |_| {
        vec![Variant::plain(256)]
    });

buffers! {
    /// The buffers of [`SORT_SCATTER`].
    struct SortScatterBuffers {
        keys: read array<u32>,
        values: read array<u32>,
        places: read array<u32>,
        sorted_keys: read_write array<u32>,
        sorted_values: read_write array<u32>,
    }
}

params! {
    /// The parameters of [`SORT_COUNT`] and [`SORT_SCATTER`].
    struct SortParams {
        /// Keys per segment.
        segment_len,
        /// Tiles per segment.
        tiles,
        /// The digit's lowest bit.
        shift,
        /// The mask of the digit's bits after the shift.
        mask,
    }
}

/// Maximum number of bits of a digit.
const DIGIT_BITS: u32 = 8;

/// A sort of up to a given number of segments of up to a given number of keys each.
#[derive(Debug)]
pub struct Sort {
    count: Arc<Pipeline>,
    scatter: Arc<Pipeline>,
    scan: Scan,
    counts: DeviceVec<u32>,
    spare_keys: DeviceVec<u32>,
    spare_values: DeviceVec<u32>,
}

/// Keys and their values.
type Pair<'b> = (&'b DeviceVec<u32>, &'b DeviceVec<u32>);

/// One digit of the keys.
struct Digit {
    shift: u32,
    mask: u32,
}

impl Sort {
    /// The buffers that hold keys, values or their counts between calls.
    pub(crate) fn vectors(&self) -> [&DeviceVec<u32>; 3] {
        [&self.counts, &self.spare_keys, &self.spare_values]
    }

    /// Prepares sorting of `segments` segments of up to `segment_len` keys.
    pub fn new(gpu: &Gpu, segments: usize, segment_len: usize) -> Result<Self> {
        let counts = (segments * segment_len.div_ceil(TILE)) << DIGIT_BITS;
        let [count, scatter, ..] = Self::pipelines(gpu)?;
        Ok(Sort {
            count,
            scatter,
            scan: Scan::new(gpu, counts)?,
            counts: gpu.zeros_whole(counts)?,
            spare_keys: gpu.zeros_whole(segments * segment_len)?,
            spare_values: gpu.zeros_whole(segments * segment_len)?,
        })
    }

    /// Compiles the kernels for sorting.
    pub fn prepare(gpu: &Gpu) -> Result<()> {
        Self::pipelines(gpu).map(drop)
    }

    fn pipelines(gpu: &Gpu) -> Result<[Arc<Pipeline>; 4]> {
        let plain = Variant::plain(256);
        gpu.pipelines([&SORT_COUNT, &SORT_SCATTER, &SCAN_TOTALS, &SCAN_TILES].map(|kernel| (kernel, &plain)))
    }

    /// Returns the bytes of device memory that sorting uses in addition to the keys and values.
    pub fn bytes(segments: u64, segment_len: u64) -> u64 {
        let counts = (segments * segment_len.div_ceil(TILE as u64)) << DIGIT_BITS;
        8 * segments * segment_len + 4 * counts + Scan::bytes(counts)
    }

    /// Returns the dispatches of [`record`](Self::record).
    pub fn dispatches(segments: usize, segment_len: usize, bits: u32) -> u64 {
        let tiles = segments * segment_len.div_ceil(TILE);
        let of_digit = |digit: Digit| 2 + Scan::dispatches(tiles * (digit.mask as usize + 1));
        digits(bits).into_iter().map(of_digit).sum()
    }

    /// Records dispatches that sort the first `segments * segment_len` keys, each segment separately, by
    /// their low `bits` bits, and move the values with the keys. Both vectors are overwritten. Returns the
    /// vectors that will hold the sorted keys and values: the given ones or two of this struct.
    pub fn record<'b>(
        &'b self,
        recorder: &mut Recorder,
        (keys, values): Pair<'b>,
        (segments, segment_len): (usize, usize),
        bits: u32,
    ) -> Result<Pair<'b>> {
        let mut from = (keys, values);
        let mut to = (&self.spare_keys, &self.spare_values);
        for digit in digits(bits) {
            self.record_digit(recorder, from, to, (segments, segment_len), &digit)?;
            (from, to) = (to, from);
        }
        Ok(from)
    }

    fn record_digit(
        &self,
        recorder: &mut Recorder,
        from: Pair,
        to: Pair,
        (segments, segment_len): (usize, usize),
        digit: &Digit,
    ) -> Result<()> {
        let tiles = segment_len.div_ceil(TILE);
        let groups = (segments * tiles) as u32;
        let params = SortParams {
            segment_len: segment_len as u32,
            tiles: tiles as u32,
            shift: digit.shift,
            mask: digit.mask,
        };
        let (keys, counts) = (from.0.whole()?, self.counts.whole()?);
        let buffers = SortCountBuffers { keys, counts: Written(counts) };
        recorder.dispatch(&self.count, "sort", &buffers, &params, groups)?;
        self.scan.record(recorder, counts, segments * tiles * (digit.mask as usize + 1))?;
        let buffers = SortScatterBuffers {
            keys,
            values: from.1.whole()?,
            places: counts,
            sorted_keys: to.0.written()?,
            sorted_values: to.1.written()?,
        };
        recorder.dispatch(&self.scatter, "sort", &buffers, &params, groups)
    }
}

/// Splits `bits` bits into digits of nearly equal width, least significant first.
fn digits(bits: u32) -> Vec<Digit> {
    let count = bits.div_ceil(DIGIT_BITS).max(1);
    let (width, wider) = (bits / count, bits % count);
    let mut shift = 0;
    (0..count)
        .map(|i| {
            let width = width + u32::from(i < wider);
            let digit = Digit { shift, mask: (1 << width) - 1 };
            shift += width;
            digit
        })
        .collect()
}
