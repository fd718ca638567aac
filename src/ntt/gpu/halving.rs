//! The stages between chunks of vectors that no single binding holds.

use std::sync::Arc;

use super::build::Builder;
use super::kernels::{self, HalvesParams};
use super::specs::{Edge, FLAT, halves};
use super::tables::Powers;
use super::tile::Decimation;
use crate::Result;
use crate::gpu::{DeviceVec, Pipeline, Recorder};

/// One radix-2 stage a level, the outermost first.
#[derive(Debug)]
pub(super) struct Halving {
    pipelines: Vec<Arc<Pipeline>>,
    powers: Powers,
    weights: Powers,
    scale: [u32; 2],
    decimation: Decimation,
}

impl Halving {
    /// How many stages there are.
    pub fn levels(&self) -> usize {
        self.pipelines.len()
    }

    /// Whether they stand before the passes (frequency) or after them (time).
    pub fn decimation(&self) -> Decimation {
        self.decimation
    }

    pub fn new(builder: &Builder, levels: u32, decimation: Decimation, root: u32) -> Result<Self> {
        let (gpu, modulus) = (builder.gpu, builder.modulus);
        // Only the outermost level meets the entries as they come or go.
        let edges: Vec<Edge> = (0..levels)
            .map(|level| match decimation {
                Decimation::Frequency => builder.edges.edge(level == 0, false),
                Decimation::Time => builder.edges.edge(false, level == 0),
            })
            .collect();
        let wanted: Vec<_> =
            edges.iter().map(|&edge| (&kernels::HALVES, halves(modulus, decimation, edge))).collect();
        let pipelines = gpu.pipelines_of(&wanted)?;
        Ok(Halving {
            pipelines,
            powers: Powers::new(gpu, modulus, root, 1, builder.log_n)?,
            weights: builder.weights(edges.first().copied().unwrap_or(Edge::INNER))?,
            scale: modulus.constant(builder.edges.scale),
            decimation,
        })
    }

    /// Records all levels over `data`, in the order of the decimation.
    pub fn record(&self, recorder: &mut Recorder, log_n: u32, data: &DeviceVec<u32>) -> Result<()> {
        let chunk = data.chunk_len();
        let per_vector = (1usize << log_n) / chunk;
        let levels = self.pipelines.iter().enumerate();
        let levels: Vec<_> = match self.decimation {
            Decimation::Frequency => levels.collect(),
            Decimation::Time => levels.rev().collect(),
        };
        for (level, pipeline) in levels {
            let half = per_vector >> (level + 1);
            for left in (0..data.chunks().len()).filter(|i| i & half == 0) {
                let (l, r) = (&data.chunks()[left], &data.chunks()[left + half]);
                let place = |i: usize| (i % per_vector * chunk) as u32;
                let params = HalvesParams {
                    len: chunk as u32,
                    m: (left % half * chunk) as u32,
                    level: level as u32,
                    left_place: place(left),
                    right_place: place(left + half),
                    log_low_powers: self.powers.log_low,
                    log_low_weights: self.weights.log_low,
                    scale: self.scale[0],
                    scale_quotient: self.scale[1],
                };
                let buffers = [l, r, self.powers.words.whole()?, self.weights.words.whole()?];
                recorder.dispatch(pipeline, "halves", &buffers, &params, (chunk as u32).div_ceil(FLAT))?;
            }
        }
        Ok(())
    }
}
