//! A transform ready to run on one GPU: kernels compiled, tables on the device.

use std::sync::Arc;

use super::compile::Compiler;
use super::halving::Halving;
use super::kernels::{self, BitReverseBuffers, BitReverseParams};
use super::pass::{Pass, Sources};
use super::plan::{Reversal, TransformPlan};
use super::scratch::Scratch;
use super::specs::{FLAT, bit_reverse};
use super::tile::Decimation;
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Written};
use crate::ntt::Transform;
use crate::{Error, Result};

/// A transform ready to run on vectors on the device.
#[derive(Debug)]
pub struct PreparedTransform {
    gpu: Gpu,
    spec: Transform,
    passes: Vec<Pass>,
    /// The outer radix-2 stages.
    halving: Option<Halving>,
    reversal: Option<(Reversal, Arc<Pipeline>)>,
    /// A vector of the batch's length, for passes that cannot be done in place.
    scratch: Scratch,
}

impl PreparedTransform {
    /// Compiles the kernels and uploads the tables.
    pub fn new(gpu: &Gpu, plan: &TransformPlan) -> Result<Self> {
        let compiler = Compiler { gpu, modulus: plan.modulus, log_n: plan.spec.log_n, edges: &plan.edges };
        let reversal = plan
            .reversal
            .map(|place| Ok::<_, Error>((place, gpu.pipeline(&kernels::BIT_REVERSE, &bit_reverse())?)))
            .transpose()?;
        let halving = (plan.levels > 0)
            .then(|| Halving::new(&compiler, plan.levels, plan.decimation, plan.root))
            .transpose()?;
        let passes = compiler.passes(&plan.passes)?;
        let (gpu, scratch) = (gpu.clone(), Scratch::default());
        Ok(PreparedTransform { gpu, spec: plan.spec, passes, halving, reversal, scratch })
    }

    /// Transforms every vector of the batch in `data`, which stays on the device. The entries
    /// must be below p.
    ///
    /// It returns before the work is done; the next download waits for it.
    pub fn run(&self, data: &mut DeviceVec<u32>) -> Result<()> {
        let _turn = self.scratch.turn();
        let mut recorder = self.gpu.record();
        self.record(&mut recorder, data)?;
        recorder.submit_later()
    }

    /// Records the work of [`run`](Self::run).
    pub fn record(&self, recorder: &mut Recorder, data: &mut DeviceVec<u32>) -> Result<()> {
        Error::expect_length("words on the device", self.spec.len(), data.len())?;
        self.gpu.expect_same_device([data.gpu(), recorder.gpu()])?;
        if let Some((Reversal::Before, pipeline)) = &self.reversal {
            self.reverse(recorder, pipeline, data)?;
        }
        if let Some(halving) = self.halving.as_ref().filter(|h| h.decimation() == Decimation::Frequency) {
            halving.record(recorder, self.spec.log_n, data)?;
        }
        for pass in &self.passes {
            if pass.out_of_place {
                self.scratch.exchange(data, |source, target| {
                    for (from, to) in source.chunks().iter().zip(target.chunks()) {
                        pass.record(recorder, self.spec.log_n, 0, Sources::One(from), to)?;
                    }
                    Ok(())
                })?;
            } else {
                for (i, chunk) in data.chunks().iter().enumerate() {
                    pass.record(recorder, self.spec.log_n, i * data.chunk_len(), Sources::InPlace, chunk)?;
                }
            }
        }
        if let Some(halving) = self.halving.as_ref().filter(|h| h.decimation() == Decimation::Time) {
            halving.record(recorder, self.spec.log_n, data)?;
        }
        if let Some((Reversal::After, pipeline)) = &self.reversal {
            self.reverse(recorder, pipeline, data)?;
        }
        Ok(())
    }

    fn reverse(&self, recorder: &mut Recorder, pipeline: &Pipeline, data: &mut DeviceVec<u32>) -> Result<()> {
        let chunk = data.chunk_len();
        let per_vector = (self.spec.n() / chunk).max(1);
        self.scratch.exchange(data, |source, target| {
            for (s, from) in source.chunks().iter().enumerate() {
                let first = s - s % per_vector;
                for (t, to) in target.chunks().iter().enumerate().skip(first).take(per_vector) {
                    let len = (to.size() / 4) as u32;
                    let places = if per_vector == 1 { [0, 0] } else { [s - first, t - first] };
                    let params = BitReverseParams {
                        log_n: self.spec.log_n,
                        len,
                        source_place: (places[0] * chunk) as u32,
                        target_place: (places[1] * chunk) as u32,
                    };
                    let groups = len.div_ceil(FLAT);
                    let buffers = BitReverseBuffers { source_words: from, target_words: Written(to) };
                    recorder.dispatch(pipeline, "bit reversal", &buffers, &params, groups)?;
                }
            }
            Ok(())
        })
    }
}
