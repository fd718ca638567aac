//! The outer radix-2 stages, between chunks of a vector that no single binding holds.

use std::sync::Arc;

use super::build::{Edges, weight_bytes};
use super::compile::Compiler;
use super::kernels::{self, OuterRadix2Buffers, OuterRadix2Params};
use super::specs::{Edge, FLAT, outer_radix2};
use super::tables::Powers;
use super::tile::Decimation;
use crate::Result;
use crate::gpu::{DeviceVec, Pipeline, Recorder, Written};

/// One outer radix-2 stage per level, the outermost first.
#[derive(Debug)]
pub(super) struct Halving {
    pipelines: Vec<Arc<Pipeline>>,
    powers: Powers,
    weights: Powers,
    scale: [u32; 2],
    decimation: Decimation,
}

impl Halving {
    /// The decimation: the stages come before the passes (frequency) or after them (time).
    pub fn decimation(&self) -> Decimation {
        self.decimation
    }

    /// Compiles the stages and uploads their tables.
    pub fn new(compiler: &Compiler, levels: u32, decimation: Decimation, root: u32) -> Result<Self> {
        let (gpu, modulus) = (compiler.gpu, compiler.modulus);
        let edges = edges_of(compiler.edges, levels, decimation);
        let wanted: Vec<_> = edges
            .iter()
            .map(|&edge| (&kernels::OUTER_RADIX2, outer_radix2(modulus, decimation, edge)))
            .collect();
        let pipelines = gpu.pipelines_of(&wanted)?;
        Ok(Halving {
            pipelines,
            powers: Powers::new(gpu, modulus, root, 1, compiler.log_n)?,
            weights: compiler.weights(edges.first().copied().unwrap_or(Edge::INNER))?,
            scale: modulus.constant(compiler.edges.scale),
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
                let params = OuterRadix2Params {
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
                let buffers = OuterRadix2Buffers {
                    left: Written(l),
                    right: Written(r),
                    powers: self.powers.words.whole()?,
                    weights: self.weights.words.whole()?,
                };
                recorder.dispatch(pipeline, "halves", &buffers, &params, (chunk as u32).div_ceil(FLAT))?;
            }
        }
        Ok(())
    }
}

/// The edges of every stage: only the outermost one handles the input or the output of the transform.
fn edges_of(edges: &Edges, levels: u32, decimation: Decimation) -> Vec<Edge> {
    let edge = |level| match decimation {
        Decimation::Frequency => edges.edge(level == 0, false),
        Decimation::Time => edges.edge(false, level == 0),
    };
    (0..levels).map(edge).collect()
}

/// Bytes of the tables of the stages of a transform of 2^`log_n` words.
pub(super) fn table_bytes(edges: &Edges, levels: u32, decimation: Decimation, log_n: u32) -> u64 {
    let outermost = edges_of(edges, levels, decimation).first().copied().unwrap_or(Edge::INNER);
    Powers::bytes(log_n) + weight_bytes(outermost, log_n)
}
