//! Compiles planned passes and uploads their tables.

use super::build::{Edges, Planned, kernel_of};
use super::pass::{Pass, Tables};
use super::reduction::Modulus;
use super::specs::Edge;
use super::tables::{Powers, outer_pairs};
use crate::Result;
use crate::gpu::Gpu;

/// The properties that all passes of a transform share.
pub(super) struct Compiler<'a> {
    pub gpu: &'a Gpu,
    pub modulus: Modulus,
    pub log_n: u32,
    pub edges: &'a Edges,
}

impl Compiler<'_> {
    /// Compiles passes in parallel and uploads their tables.
    pub fn passes(&self, planned: &[Planned]) -> Result<Vec<Pass>> {
        let kernels: Vec<_> = planned.iter().map(Planned::kernel).collect();
        self.gpu.pipelines_of(&kernels)?;
        planned.iter().map(|planned| self.pass(planned)).collect()
    }

    fn pass(&self, planned: &Planned) -> Result<Pass> {
        let &Planned { ref spec, log_stride, block_root } = planned;
        let (kernel, stage) = kernel_of(spec, log_stride);
        let modulus = self.modulus;
        let shape = &spec.shape;
        let powers = planned
            .log_powers()
            .map(|log_len| Powers::new(self.gpu, modulus, block_root, 1, log_len))
            .transpose()?;
        let pairs = planned
            .pairs()
            .map(|(rows, stride)| self.gpu.upload_table(&outer_pairs(modulus, [block_root, 1], rows, stride)))
            .transpose()?;
        let mut twiddles = shape.twiddles(modulus, spec.tile_root());
        twiddles.resize(twiddles.len().max(1), [0, 0]);
        Ok(Pass {
            pipeline: self.gpu.pipeline(kernel, &spec.variant())?,
            stage: format!("{stage} 2^{}", shape.rows),
            log_words: shape.rows + shape.columns,
            log_stride,
            tables: Tables {
                twiddles: self.gpu.upload_table(&twiddles)?,
                pairs,
                powers,
                weights: self.weights(spec.edge)?,
            },
            scale: modulus.constant(self.edges.scale),
            out_of_place: spec.out_of_place,
            bare: spec.shape.vectors || spec.log_parts > 0,
        })
    }

    /// The weights of the entries at one end, or a table of one entry if there are none.
    pub fn weights(&self, edge: Edge) -> Result<Powers> {
        let (base, factor) = match (edge.weighted_in, edge.weighted_out) {
            (true, _) => (self.edges.weight_in.unwrap_or(1), 1),
            (_, true) => (self.edges.weight_out.unwrap_or(1), self.edges.scale),
            _ => return Powers::new(self.gpu, self.modulus, 1, 1, 0),
        };
        Powers::new(self.gpu, self.modulus, base, factor, self.log_n)
    }
}
