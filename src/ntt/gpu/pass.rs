//! One pass of a plan: a kernel, its tables, and how it is dispatched.

use std::sync::Arc;

use super::kernels::{
    ColumnsBuffers, ColumnsPairBuffers, ColumnsToBuffers, PassParams, RowsBuffers, RowsPartsBuffers,
    RowsTransposedBuffers, RowsVectorsBuffers,
};
use super::tables::Powers;
use crate::Result;
use crate::gpu::{Buffers, DeviceVec, Pipeline, Recorder, Written};

/// One dispatch over the data.
#[derive(Debug)]
pub(super) struct Pass {
    pub pipeline: Arc<Pipeline>,
    pub stage: String,
    pub log_words: u32,
    pub log_stride: u32,
    pub tables: Tables,
    pub scale: [u32; 2],
    pub out_of_place: bool,
    /// True if it takes no parameters, only words and twiddles.
    pub bare: bool,
}

/// The source of a pass's vectors.
#[derive(Clone, Copy)]
pub(super) enum Sources<'a> {
    /// The buffer that the pass writes.
    InPlace,
    /// Another buffer of the same length.
    One(&'a wgpu::Buffer),
    /// A first and a second vector from two buffers of these lengths, each followed by zeros.
    Two([&'a wgpu::Buffer; 2], [usize; 2]),
}

/// The tables that a pass reads. A table that it does not use holds one entry; in place of pairs or powers that there are not,
/// another one is bound, which is not read.
#[derive(Debug)]
pub(super) struct Tables {
    pub twiddles: DeviceVec<[u32; 2]>,
    pub pairs: Option<DeviceVec<[u32; 2]>>,
    pub powers: Option<Powers>,
    pub weights: Powers,
}

impl Tables {
    /// The buffers of twiddles, pairs, powers and weights.
    pub fn whole(&self) -> Result<[&wgpu::Buffer; 4]> {
        let (twiddles, weights) = (self.twiddles.whole()?, self.weights.words.whole()?);
        let pairs = self.pairs.as_ref().map_or(Ok(twiddles), DeviceVec::whole)?;
        let powers = self.powers.as_ref().map_or(Ok(weights), |powers| powers.words.whole())?;
        Ok([twiddles, pairs, powers, weights])
    }
}

impl Pass {
    /// Records the pass over one chunk, which begins at `place` in the data.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        log_n: u32,
        place: usize,
        sources: Sources,
        target: &wgpu::Buffer,
    ) -> Result<()> {
        self.record_words(recorder, log_n, place, sources, target, (target.size() / 4) as u32)
    }

    /// Records the pass over the first `words` words of one chunk.
    pub fn record_words(
        &self,
        recorder: &mut Recorder,
        log_n: u32,
        place: usize,
        sources: Sources,
        target: &wgpu::Buffer,
        words: u32,
    ) -> Result<()> {
        let (tables, data) = (&self.tables, Written(target));
        let [twiddles, pairs, powers, weights] = tables.whole()?;
        if self.bare {
            let buffers: &dyn Buffers = match sources {
                Sources::One(source) => &RowsPartsBuffers { source, data, twiddles, pairs },
                _ => &RowsVectorsBuffers { data, twiddles },
            };
            return recorder.dispatch(&self.pipeline, &self.stage, buffers, &(), words >> self.log_words);
        }
        let (buffers, lens): (&dyn Buffers, _) = match (sources, self.log_stride > 0) {
            (Sources::InPlace, true) => {
                (&ColumnsBuffers { data, twiddles, pairs, powers, weights }, [words as usize, 0])
            }
            (Sources::InPlace, false) => (&RowsBuffers { data, twiddles, weights }, [words as usize, 0]),
            (Sources::One(source), true) => {
                (&ColumnsToBuffers { source, data, twiddles, pairs, powers, weights }, [words as usize, 0])
            }
            (Sources::One(source), false) => {
                (&RowsTransposedBuffers { source, data, twiddles, weights }, [words as usize, 0])
            }
            (Sources::Two([source, second_source], lens), _) => {
                (&ColumnsPairBuffers { source, second_source, data, twiddles, pairs, powers, weights }, lens)
            }
        };
        let params = PassParams {
            log_n,
            place: (place as u64 % (1 << log_n)) as u32,
            log_stride: self.log_stride,
            source_len: lens[0] as u32,
            second_len: lens[1] as u32,
            target_len: words,
            log_low_powers: tables.powers.as_ref().map_or(0, |powers| powers.log_low),
            log_low_weights: tables.weights.log_low,
            scale: self.scale[0],
            scale_quotient: self.scale[1],
        };
        recorder.dispatch(&self.pipeline, &self.stage, buffers, &params, words.div_ceil(1 << self.log_words))
    }
}
