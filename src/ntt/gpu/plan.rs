//! Plans: everything that a transform needs, computed once and kept on the device.

use std::sync::Arc;

use super::build::{Builder, Edges};
use super::halving::Halving;
use super::kernels::{self, BitReverseParams};
use super::outline::Outline;
use super::pass::{Pass, Sources};
use super::reduction::Modulus;
use super::scratch::Scratch;
use super::specs::{FLAT, bit_reverse};
use super::split::ONE_PASS;
use super::tile::Decimation;
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder};
use crate::ntt::{Direction, Order, Transform};
use crate::{Error, Result};

/// A transform ready to run: its kernels compiled, its tables on the device.
///
/// Runs on vectors that stay on the device:
///
/// ```no_run
/// # use wgalois::{field::BABY_BEAR, gpu::Gpu, ntt};
/// let gpu = Gpu::new()?;
/// let plan = ntt::Plan::new(&gpu, &ntt::Transform::new(BABY_BEAR, 1 << 17)?)?;
/// let mut values = gpu.upload(&vec![1; 1 << 17])?;
/// plan.run(&mut values)?;
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Debug)]
pub struct Plan {
    gpu: Gpu,
    spec: Transform,
    passes: Vec<Pass>,
    /// Stages between chunks, before the passes (frequency) or after them (time).
    halving: Option<Halving>,
    reversal: Option<Reversal>,
    /// A vector of the batch's length, for passes that cannot be done in place.
    scratch: Scratch,
}

/// When a pass of its own brings the entries into the other order.
#[derive(Debug)]
struct Reversal {
    pipeline: Arc<Pipeline>,
    before: bool,
}

impl Plan {
    /// Compiles the kernels and uploads the tables of `spec`.
    ///
    /// # Errors
    /// [`Error::Input`] where the transform does not exist, and the device's faults.
    pub fn new(gpu: &Gpu, spec: &Transform) -> Result<Self> {
        Self::with_factor(gpu, spec, 1)
    }

    /// The same, all results multiplied by `factor`.
    pub(super) fn with_factor(gpu: &Gpu, spec: &Transform, factor: u32) -> Result<Self> {
        let modulus = Modulus::new(spec.prime, spec.reduction, gpu.arithmetic());
        let shift = spec.shift()?;
        let root = match spec.direction {
            Direction::Forward => spec.root()?,
            Direction::Inverse => spec.prime.inverse(spec.root()?),
        };
        let log_inner = spec.log_n.min(gpu.chunk_len::<u32>()?.ilog2());
        let chunked = log_inner < spec.log_n;
        let outline = Outline::new(spec, log_inner, chunked);
        let edges = Edges::new(spec, factor, shift);
        let builder = Builder { gpu, modulus, log_n: spec.log_n, words: spec.len(), edges: &edges };

        let inner_root = spec.prime.pow(root, 1 << (spec.log_n - log_inner));
        let reversal = needs_reversal(spec, chunked)
            .map(|before| {
                Ok::<_, Error>(Reversal {
                    pipeline: gpu.pipeline(&kernels::BIT_REVERSE, &bit_reverse())?,
                    before,
                })
            })
            .transpose()?;
        let halving = chunked
            .then(|| Halving::new(&builder, spec.log_n - log_inner, outline.decimation, root))
            .transpose()?;
        let passes = builder.passes(&outline, inner_root, chunked)?;
        Ok(Plan { gpu: gpu.clone(), spec: *spec, passes, halving, reversal, scratch: Scratch::default() })
    }

    /// What it computes.
    pub fn transform(&self) -> &Transform {
        &self.spec
    }

    /// Passes over the data: each reads and writes every word once.
    pub fn passes(&self) -> usize {
        let halving = self.halving.as_ref().map_or(0, |halving| halving.levels());
        self.passes.len() + halving + usize::from(self.reversal.is_some())
    }

    /// Words of device memory that a run takes beside the data and the tables.
    pub(super) fn scratch_len(&self) -> usize {
        let moves = self.reversal.is_some() || self.passes.iter().any(|pass| pass.out_of_place);
        if moves { self.spec.len() } else { 0 }
    }

    /// Transforms every vector of the batch in `data`, which stays on the device. The entries
    /// must be below p.
    ///
    /// Returns when the work is on its way; the next download waits for it.
    ///
    /// # Errors
    /// [`Error::Input`] for another length than the plan's, and the device's faults.
    pub fn run(&self, data: &mut DeviceVec<u32>) -> Result<()> {
        let mut recorder = self.gpu.record();
        self.record(&mut recorder, data)?;
        recorder.submit()
    }

    /// Records what [`Plan::run`] does.
    pub fn record(&self, recorder: &mut Recorder, data: &mut DeviceVec<u32>) -> Result<()> {
        if data.len() != self.spec.len() {
            let (have, want) = (data.len(), self.spec.len());
            return Err(Error::Input(format!("{have} words on the device where the plan takes {want}")));
        }
        if let Some(reversal) = self.reversal.as_ref().filter(|reversal| reversal.before) {
            self.reverse(recorder, reversal, data)?;
        }
        if let Some(halving) = self.halving.as_ref().filter(|h| h.decimation() == Decimation::Frequency) {
            halving.record(recorder, self.spec.log_n, data)?;
        }
        for pass in &self.passes {
            if pass.out_of_place {
                self.with_scratch(data, |source, target| {
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
        if let Some(reversal) = self.reversal.as_ref().filter(|reversal| !reversal.before) {
            self.reverse(recorder, reversal, data)?;
        }
        Ok(())
    }

    fn reverse(&self, recorder: &mut Recorder, reversal: &Reversal, data: &mut DeviceVec<u32>) -> Result<()> {
        let chunk = data.chunk_len();
        let per_vector = (self.spec.n() / chunk).max(1);
        self.with_scratch(data, |source, target| {
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
                    recorder.dispatch(&reversal.pipeline, "bit reversal", &[from, to], &params, groups)?;
                }
            }
            Ok(())
        })
    }

    /// Lets `work` go from `data` to a second vector, which then takes its place.
    fn with_scratch(
        &self,
        data: &mut DeviceVec<u32>,
        work: impl FnOnce(&DeviceVec<u32>, &DeviceVec<u32>) -> Result<()>,
    ) -> Result<()> {
        self.scratch.with(&self.gpu, self.spec.len(), |other| {
            work(data, other)?;
            std::mem::swap(data, other);
            Ok(())
        })
    }
}

/// Whether, and if so before or after the passes, entries need a pass to be reordered.
fn needs_reversal(spec: &Transform, chunked: bool) -> Option<bool> {
    if spec.log_n <= ONE_PASS && !chunked {
        return None;
    }
    match (spec.input, spec.output) {
        (Order::BitReversed, Order::BitReversed) => Some(true),
        (Order::Natural, Order::Natural) if chunked => Some(false),
        _ => None,
    }
}
