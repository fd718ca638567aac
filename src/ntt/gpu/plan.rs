//! Plans: everything that a transform needs, computed once and kept on the device.

use std::sync::{Arc, Mutex, PoisonError};

use super::kernels::{self, Edge, FLAT, PassSpec};
use super::reduction::Modulus;
use super::split::{
    ONE_PASS, Room, columns_shape, in_place_bits, rows_shape, transposed_bits, vectors_shape,
};
use super::tables::{Powers, outer_pairs};
use super::tile::{Decimation, Ends, Outer, Shape};
use crate::gpu::{DeviceVec, Gpu, Kernel, Pipeline, Recorder};
use crate::ntt::{Coset, Direction, Order, Transform};
use crate::{Error, Result};

/// Blocks of up to 2^16 words take the twiddles between passes from a full table of pairs
/// (512 KiB, which stays in a cache); longer ones multiply them together.
const LOG_PAIRS: u32 = 16;

/// A transform ready to run: its kernels compiled, its tables on the device.
///
/// Runs on vectors that stay on the device:
///
/// ```no_run
/// # use wgalois::{field::BABY_BEAR, gpu::{Gpu, Select}, ntt};
/// let gpu = Gpu::new(Select::Auto)?;
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
    scratch: Mutex<Option<DeviceVec<u32>>>,
}

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
    /// Whether it sees the data as vectors of four words.
    pub vectors: bool,
}

/// Where a pass takes its vectors from.
#[derive(Clone, Copy)]
pub(super) enum Sources<'a> {
    /// From where it leaves them.
    InPlace,
    /// From another buffer of the same length.
    One(&'a wgpu::Buffer),
    /// A first and a second vector from two buffers of these lengths, as if zeros followed.
    Two([&'a wgpu::Buffer; 2], [usize; 2]),
}

/// What a pass reads besides the data. A table that it does not use holds one entry.
#[derive(Debug)]
pub(super) struct Tables {
    pub twiddles: DeviceVec<[u32; 2]>,
    pub pairs: Option<DeviceVec<[u32; 2]>>,
    pub powers: Option<Powers>,
    pub weights: Powers,
}

#[derive(Debug)]
struct Halving {
    pipelines: Vec<Arc<Pipeline>>,
    powers: Powers,
    weights: Powers,
    scale: [u32; 2],
    decimation: Decimation,
}

/// When a pass of its own brings the entries into the other order.
#[derive(Debug)]
struct Reversal {
    pipeline: Arc<Pipeline>,
    before: bool,
}

/// The vector seen as a product of passes, from the longest stride down.
struct Outline {
    bits: Vec<u32>,
    decimation: Decimation,
    transposed: bool,
    /// Whether the one pass of a short transform reorders its entries at either end.
    reversed_in: bool,
    reversed_out: bool,
    /// log2 of the length that the passes do; the rest is halving.
    log_inner: u32,
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
                    pipeline: gpu.pipeline(&kernels::BIT_REVERSE, &kernels::bit_reverse())?,
                    before,
                })
            })
            .transpose()?;
        let halving = chunked
            .then(|| Halving::new(&builder, spec.log_n - log_inner, outline.decimation, root))
            .transpose()?;
        let passes = builder.passes(&outline, inner_root, chunked)?;
        Ok(Plan { gpu: gpu.clone(), spec: *spec, passes, halving, reversal, scratch: Mutex::default() })
    }

    /// What it computes.
    pub fn transform(&self) -> &Transform {
        &self.spec
    }

    /// Passes over the data: each reads and writes every word once.
    pub fn passes(&self) -> usize {
        let halving = self.halving.as_ref().map_or(0, |halving| halving.pipelines.len());
        self.passes.len() + halving + usize::from(self.reversal.is_some())
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
        if let Some(halving) = self.halving.as_ref().filter(|h| h.decimation == Decimation::Frequency) {
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
        if let Some(halving) = self.halving.as_ref().filter(|h| h.decimation == Decimation::Time) {
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
                    let params =
                        [self.spec.log_n, len, (places[0] * chunk) as u32, (places[1] * chunk) as u32];
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
        let mut kept = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let mut other = match kept.take() {
            Some(other) => other,
            None => self.gpu.zeros(self.spec.len())?,
        };
        work(data, &other)?;
        std::mem::swap(data, &mut other);
        *kept = Some(other);
        Ok(())
    }
}

impl Outline {
    fn new(spec: &Transform, log_inner: u32, chunked: bool) -> Self {
        // A short transform is reordered within its one pass. A longer one goes from natural
        // to bit-reversed order by decimation in frequency, back by decimation in time, and
        // from natural to natural order by a transposing last pass.
        let decimation = match (spec.input, spec.output) {
            (Order::BitReversed, Order::Natural) => Decimation::Time,
            _ => Decimation::Frequency,
        };
        let transposed =
            !chunked && log_inner > ONE_PASS && (spec.input, spec.output) == (Order::Natural, Order::Natural);
        let bits = if transposed { transposed_bits(log_inner) } else { in_place_bits(log_inner) };
        let alone = bits.len() == 1 && !chunked && decimation == Decimation::Frequency;
        Outline {
            bits,
            decimation,
            transposed,
            reversed_in: alone && spec.input == Order::BitReversed,
            reversed_out: transposed || alone && spec.output == Order::Natural,
            log_inner,
        }
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

/// What happens to the entries on the way in and out of a whole transform.
pub(super) struct Edges {
    /// The weights g^i of the entries as they come in.
    pub weight_in: Option<u32>,
    /// The weights g^-j of the results.
    pub weight_out: Option<u32>,
    /// What all results are multiplied by.
    pub scale: u32,
}

impl Edges {
    fn new(spec: &Transform, factor: u32, shift: u32) -> Self {
        let shifted = spec.coset != Coset::Subgroup;
        let prime = spec.prime;
        match spec.direction {
            Direction::Forward => {
                Edges { weight_in: shifted.then_some(shift), weight_out: None, scale: factor }
            }
            Direction::Inverse => Edges {
                weight_in: None,
                weight_out: shifted.then(|| prime.inverse(shift)),
                scale: prime.mul(factor, prime.inverse(prime.pow(2, u64::from(spec.log_n)))),
            },
        }
    }

    fn edge(&self, first: bool, last: bool) -> Edge {
        Edge {
            weighted_in: first && self.weight_in.is_some(),
            weighted_out: last && self.weight_out.is_some(),
            scaled: last && self.weight_out.is_none() && self.scale != 1,
            bounded: false,
        }
    }
}

/// What all passes of a plan have in common.
pub(super) struct Builder<'a> {
    pub gpu: &'a Gpu,
    pub modulus: Modulus,
    pub log_n: u32,
    /// Words of the whole batch.
    pub words: usize,
    pub edges: &'a Edges,
}

impl Builder<'_> {
    fn passes(&self, outline: &Outline, root: u32, chunked: bool) -> Result<Vec<Pass>> {
        let frequency = outline.decimation == Decimation::Frequency;
        let mut order: Vec<usize> = (0..outline.bits.len()).collect();
        if !frequency {
            order.reverse();
        }
        let mut bound_in = 1;
        let mut passes = Vec::new();
        for (turn, &i) in order.iter().enumerate() {
            let log_stride = outline.bits[i + 1..].iter().sum();
            let log_block = log_stride + outline.bits[i];
            let (first, last) = (turn == 0, turn + 1 == order.len());
            // Halving stands before decimation in frequency and after decimation in time.
            let edge = self.edges.edge(first && !(chunked && frequency), last && (frequency || !chunked));
            let bound_out = if last { 1 } else { self.modulus.constant_product_bound() };
            let outer = outer(log_stride, log_block);
            let ends = Ends { bound_in, outer, bound_out };
            let transposing = outline.transposed && last;
            let middle = edge == Edge::INNER && outline.bits.len() > 1;
            let shape = self.shape(outline, i, log_stride, transposing, middle);
            let edge = Edge { bounded: !self.words.is_multiple_of(shape.words() as usize), ..edge };
            let spec = PassSpec {
                shape,
                modulus: self.modulus,
                decimation: outline.decimation,
                root: self.modulus.prime.pow(root, 1 << (outline.log_inner - outline.bits[i])),
                ends,
                edge,
                out_of_place: transposing,
                reversed_in: outline.reversed_in,
                reversed_out: outline.reversed_out && last,
                paired: false,
            };
            let block_root = self.modulus.prime.pow(root, 1 << (outline.log_inner - log_block));
            passes.push(self.pass(&spec, log_stride, block_root)?);
            bound_in = bound_out;
        }
        Ok(passes)
    }

    fn shape(&self, outline: &Outline, i: usize, log_stride: u32, transposing: bool, middle: bool) -> Shape {
        if log_stride > 0 || transposing {
            columns_shape(outline.bits[i], outline.log_inner, room(self.gpu))
        } else if middle {
            vectors_shape(outline.bits[i])
        } else {
            rows_shape(outline.bits[i])
        }
    }

    /// Compiles one pass; `block_root` is the primitive root of its blocks' order.
    pub fn pass(&self, spec: &PassSpec, log_stride: u32, block_root: u32) -> Result<Pass> {
        let (kernel, stage) = kernel_of(spec, log_stride);
        let modulus = self.modulus;
        let shape = &spec.shape;
        let powers = (spec.ends.outer == Outer::Words)
            .then(|| Powers::new(self.gpu, modulus, block_root, 1, log_stride + shape.rows))
            .transpose()?;
        let pairs = (spec.ends.outer == Outer::Pairs)
            .then(|| self.gpu.upload_table(&outer_pairs(modulus, block_root, shape.rows, log_stride)))
            .transpose()?;
        let mut twiddles = shape.twiddles(modulus, spec.root);
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
            vectors: spec.shape.vectors,
        })
    }

    fn weights(&self, edge: Edge) -> Result<Powers> {
        let (base, factor) = match (edge.weighted_in, edge.weighted_out) {
            (true, _) => (self.edges.weight_in.unwrap_or(1), 1),
            (_, true) => (self.edges.weight_out.unwrap_or(1), self.edges.scale),
            _ => return Powers::new(self.gpu, self.modulus, 1, 1, 0),
        };
        Powers::new(self.gpu, self.modulus, base, factor, self.log_n)
    }
}

pub(super) fn outer(log_stride: u32, log_block: u32) -> Outer {
    match log_stride {
        0 => Outer::None,
        _ if log_block <= LOG_PAIRS => Outer::Pairs,
        _ => Outer::Words,
    }
}

fn kernel_of(spec: &PassSpec, log_stride: u32) -> (&'static Kernel, &'static str) {
    match (log_stride > 0, spec.out_of_place) {
        (true, true) if spec.paired => (&kernels::COLUMNS_PAIR, "columns of both"),
        (true, false) => (&kernels::COLUMNS, "columns"),
        (true, true) => (&kernels::COLUMNS_TO, "columns"),
        (false, false) if spec.shape.vectors => (&kernels::ROWS_VECTORS, "rows"),
        (false, false) => (&kernels::ROWS, "rows"),
        (false, true) => (&kernels::ROWS_TRANSPOSED, "rows transposed"),
    }
}

/// Room for tiles: past 32 KiB of workgroup memory and 512 invocations nothing is gained.
pub(super) fn room(gpu: &Gpu) -> Room {
    let limits = gpu.limits();
    Room {
        invocations: limits.max_compute_invocations_per_workgroup.min(512),
        words: (limits.max_compute_workgroup_storage_size / 4).min(8192),
    }
}

impl Pass {
    /// Records the pass over one chunk, which begins at `place` in the data.
    fn record(
        &self,
        recorder: &mut Recorder,
        log_n: u32,
        place: usize,
        sources: Sources,
        target: &wgpu::Buffer,
    ) -> Result<()> {
        self.record_words(recorder, log_n, place, sources, target, (target.size() / 4) as u32)
    }

    /// The same over the first `words` words.
    pub fn record_words(
        &self,
        recorder: &mut Recorder,
        log_n: u32,
        place: usize,
        sources: Sources,
        target: &wgpu::Buffer,
        words: u32,
    ) -> Result<()> {
        let tables = &self.tables;
        let (mut buffers, lens) = match sources {
            Sources::InPlace => (Vec::new(), [words as usize, 0]),
            Sources::One(buffer) => (vec![buffer], [words as usize, 0]),
            Sources::Two(buffers, lens) => (buffers.to_vec(), lens),
        };
        if self.vectors {
            let buffers = [target, tables.twiddles.whole()?];
            return recorder.dispatch(&self.pipeline, &self.stage, &buffers, &[], words >> self.log_words);
        }
        let params = [
            log_n,
            (place as u64 % (1 << log_n)) as u32,
            self.log_stride,
            lens[0] as u32,
            lens[1] as u32,
            words,
            tables.powers.as_ref().map_or(0, |powers| powers.log_low),
            tables.weights.log_low,
            self.scale[0],
            self.scale[1],
        ];
        let twiddles = tables.twiddles.whole()?;
        let weights = tables.weights.words.whole()?;
        buffers.extend([target, twiddles]);
        if self.log_stride > 0 {
            let pairs = tables.pairs.as_ref().map_or(Ok(twiddles), DeviceVec::whole)?;
            let powers = tables.powers.as_ref().map_or(Ok(weights), |powers| powers.words.whole())?;
            buffers.extend([pairs, powers]);
        }
        buffers.push(weights);
        recorder.dispatch(&self.pipeline, &self.stage, &buffers, &params, words.div_ceil(1 << self.log_words))
    }
}

impl Halving {
    fn new(builder: &Builder, levels: u32, decimation: Decimation, root: u32) -> Result<Self> {
        let (gpu, modulus) = (builder.gpu, builder.modulus);
        // Only the outermost level meets the entries as they come or go.
        let edges: Vec<Edge> = (0..levels)
            .map(|level| match decimation {
                Decimation::Frequency => builder.edges.edge(level == 0, false),
                Decimation::Time => builder.edges.edge(false, level == 0),
            })
            .collect();
        let pipelines = edges
            .iter()
            .map(|&edge| gpu.pipeline(&kernels::HALVES, &kernels::halves(modulus, decimation, edge)))
            .collect::<Result<_>>()?;
        Ok(Halving {
            pipelines,
            powers: Powers::new(gpu, modulus, root, 1, builder.log_n)?,
            weights: builder.weights(edges.first().copied().unwrap_or(Edge::INNER))?,
            scale: modulus.constant(builder.edges.scale),
            decimation,
        })
    }

    fn record(&self, recorder: &mut Recorder, log_n: u32, data: &DeviceVec<u32>) -> Result<()> {
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
                let params = [
                    chunk as u32,
                    (left % half * chunk) as u32,
                    level as u32,
                    place(left),
                    place(left + half),
                    self.powers.log_low,
                    self.weights.log_low,
                    self.scale[0],
                    self.scale[1],
                ];
                let buffers = [l, r, self.powers.words.whole()?, self.weights.words.whole()?];
                recorder.dispatch(pipeline, "halves", &buffers, &params, (chunk as u32).div_ceil(FLAT))?;
            }
        }
        Ok(())
    }
}
