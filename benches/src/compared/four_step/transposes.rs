//! The transpositions of a four-step transform alone, in the forms that the literature compares.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::kernels::{
    LOG_TILE, TILES, TRANSPOSE, TWISTED_TILES, TileShape, TilesBuffers, TilesParams, TransposeBuffers,
    TransposeParams, TwistedParams, TwistedTilesBuffers, tiles, transpose, twisted_tiles,
};
use crate::compared::{OnGpu, OnOneGpu, check_lengths, in_place};
use wgalois::field::Prime;
use wgalois::gpu::{DeviceVec, Gpu, Pipeline, Recorder};
use wgalois::ntt::arithmetic::{Modulus, Powers};
use wgalois::ntt::{Passes, Reduction};
use wgalois::task::{Done, Planned, Prepared, Problem, Profile, Ready, Ways};
use wgalois::{Error, Result};

/// log2 of the words of a row, or of a matrix of a batch.
const LOG_WIDTH: u32 = 12;
/// log2 of the most words.
const MOST: u32 = 27;

/// A kernel that transposes, by the words of a tile and what it does beside. All have 256 invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransposeKernel {
    /// A batch of matrices of 64 x 64 words; tiles of 32 x 32.
    Batch,
    /// One matrix with rows of 4096 words; tiles of 8 rows of 128 words.
    Wide,
    /// One matrix with rows of 4096 words, times the twiddles between steps; tiles of 32 x 32.
    Twiddles,
    /// One matrix with rows of 4096 words; tiles of 32 x 32, four words a thread.
    Square,
    /// The same with tiles of 16 x 16, one word a thread.
    FewerWords,
    /// The same with tiles of 16 x 32, two words a thread.
    TwoWords,
}

impl TransposeKernel {
    /// Every kernel.
    pub const ALL: [TransposeKernel; 6] = [
        TransposeKernel::Batch,
        TransposeKernel::Wide,
        TransposeKernel::Twiddles,
        TransposeKernel::Square,
        TransposeKernel::FewerWords,
        TransposeKernel::TwoWords,
    ];

    /// Its matrix and tiles in words, as tables print them.
    pub fn name(self) -> &'static str {
        match self {
            TransposeKernel::Batch => "batch of 64 x 64",
            TransposeKernel::Wide => "4096 wide, tiles of 8 x 128",
            TransposeKernel::Twiddles => "4096 wide, times twiddles",
            TransposeKernel::Square => "4096 wide, tiles of 32 x 32",
            TransposeKernel::FewerWords => "4096 wide, tiles of 16 x 16",
            TransposeKernel::TwoWords => "4096 wide, tiles of 16 x 32",
        }
    }

    fn tile(self) -> TileShape {
        let (log_rows, log_columns) = match self {
            TransposeKernel::Batch | TransposeKernel::Twiddles | TransposeKernel::Square => {
                (LOG_TILE, LOG_TILE)
            }
            TransposeKernel::Wide => (3, 7),
            TransposeKernel::FewerWords => (4, 4),
            TransposeKernel::TwoWords => (4, 5),
        };
        TileShape { log_rows, log_columns }
    }
}

/// One form of a transposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct TransposeForm {
    /// The kernel.
    pub kernel: TransposeKernel,
    /// True if workgroup memory has gaps against bank conflicts.
    pub padded: bool,
}

/// Every kernel, without gaps and with them.
pub fn transpose_forms() -> impl Iterator<Item = TransposeForm> {
    TransposeKernel::ALL
        .into_iter()
        .flat_map(|kernel| [false, true].map(|padded| TransposeForm { kernel, padded }))
}

/// A transposition of 2^`log_n` words, residues modulo a prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transpose {
    prime: Prime,
    log_n: u32,
    form: TransposeForm,
}

/// The plan of one [`Transpose`].
pub type TransposePlan = Planned<Transpose>;

/// A transposition ready to run.
pub type PreparedTranspose = Prepared<'static, Transpose>;

/// The kernel and the table of a transposition.
#[derive(Debug)]
pub struct TransposeKernels {
    gpu: Gpu,
    problem: Transpose,
    pipeline: Arc<Pipeline>,
    /// The powers of the root of unity, for twiddles.
    powers: Option<Powers>,
}

impl Transpose {
    /// A transposition of 2^`log_n` words, residues modulo `prime`.
    pub fn new(prime: Prime, log_n: u32, form: TransposeForm) -> Self {
        Transpose { prime, log_n, form }
    }

    /// The form.
    pub fn form(&self) -> TransposeForm {
        self.form
    }

    /// Words of all matrices.
    pub fn words(&self) -> usize {
        1 << self.log_n
    }

    /// Workgroups of the dispatch.
    pub fn groups(&self) -> u32 {
        let ([log_rows, log_columns], tile) = (self.shape(), self.form.kernel.tile());
        let log_matrices = self.log_n - log_rows - log_columns;
        1 << (log_matrices
            + log_rows.saturating_sub(tile.log_rows)
            + log_columns.saturating_sub(tile.log_columns))
    }

    /// The transposition by its definition.
    ///
    /// # Errors
    /// [`Error::Input`] if `data` have another length.
    pub fn by_definition(&self, data: &[u32]) -> Result<Vec<u32>> {
        self.check_len(data.len())?;
        let [rows, columns] = self.shape().map(|log| 1usize << log);
        let root = match self.form.kernel {
            TransposeKernel::Twiddles => self.prime.root_of_unity(self.log_n)?,
            _ => 1,
        };
        let mut result = vec![0; data.len()];
        for (from, to) in data.chunks(rows * columns).zip(result.chunks_mut(rows * columns)) {
            for (r, row) in from.chunks(columns).enumerate() {
                let (step, mut twiddle) = (self.prime.pow(root, r as u64), 1);
                for (c, &x) in row.iter().enumerate() {
                    to[c * rows + r] = if root == 1 { x } else { self.prime.mul(x, twiddle) };
                    twiddle = self.prime.mul(twiddle, step);
                }
            }
        }
        Ok(result)
    }

    fn check_len(&self, words: usize) -> Result<()> {
        match words == self.words() {
            true => Ok(()),
            false => Err(Error::Input(format!("{words} words where {} are transposed", self.words()))),
        }
    }

    /// log2 of the rows and of the columns of a matrix.
    fn shape(&self) -> [u32; 2] {
        match self.form.kernel {
            TransposeKernel::Batch => [LOG_WIDTH / 2; 2],
            _ => [self.log_n - LOG_WIDTH, LOG_WIDTH],
        }
    }

    /// The way on a GPU.
    ///
    /// # Errors
    /// [`Error::Input`] for fewer than 2^12 or more than 2^27 words, and for twiddles of an order that the prime has
    /// no root of unity of; [`Error::Usage`] for the CPU engine, and for a GPU with smaller workgroups;
    /// [`Error::OutOfMemory`] for more data than one binding, or the memory, holds.
    fn on_gpu(&self, profile: &Profile) -> Result<OnGpu> {
        let Transpose { prime, log_n, form } = *self;
        let Some(gpu) = profile.gpu() else {
            return Err(Error::Usage("transpositions alone run on GPUs only".into()));
        };
        if !(LOG_WIDTH..=MOST).contains(&log_n) {
            return Err(Error::Input(format!("2^{log_n} words: there must be 2^{LOG_WIDTH} to 2^{MOST}")));
        }
        if form.kernel == TransposeKernel::Twiddles {
            prime.root_of_unity(log_n)?;
        }
        let most = gpu.workgroup_invocations;
        if super::kernels::TILE_WORKGROUP > most {
            let threads = super::kernels::TILE_WORKGROUP;
            return Err(Error::Usage(format!("{threads} threads a workgroup: the device has {most}")));
        }
        let table_bytes = if form.kernel == TransposeKernel::Twiddles { Powers::bytes(log_n) } else { 0 };
        let passes = Passes { words: 1 << log_n, dispatches: 1, levels: 1, vectors: 2, table_bytes };
        OnGpu::new(&passes, profile)
    }
}

impl Problem for Transpose {
    const NAME: &'static str = "this transposition";

    type Resident<'a> = ();
    /// The words.
    type Input<'a> = &'a mut [u32];
    type Answer = ();
    type Kernels = TransposeKernels;

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        Ok(Ways::default().with(OnGpu::NAME, self.on_gpu(profile)))
    }

    fn check_input(&self, words: &&mut [u32]) -> Result<()> {
        self.check_len(words.len())
    }

    fn reborrow<'s>(words: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        words
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = self.shape().map(|log| 1u64 << log);
        let (matrices, groups) = (self.words() as u64 / rows / columns, self.groups());
        let gaps = if self.form.padded { "with" } else { "without" };
        writeln!(f, "{matrices} matrices of {rows} x {columns} words, {gaps} gaps, {groups} workgroups")
    }
}

impl OnOneGpu for Transpose {
    fn ready(&self, gpu: &Gpu) -> Result<TransposeKernels> {
        let (shape, padded) = (self.form.kernel.tile(), self.form.padded);
        let (pipeline, powers) = match self.form.kernel {
            TransposeKernel::Batch => (gpu.pipeline(&TRANSPOSE, &transpose(padded))?, None),
            TransposeKernel::Twiddles => {
                let modulus = Modulus::new(self.prime, Reduction::Auto, gpu.arithmetic());
                let log_n = self.log_n;
                let powers = Powers::new(gpu, modulus, self.prime.root_of_unity(log_n)?, 1, log_n)?;
                (gpu.pipeline(&TWISTED_TILES, &twisted_tiles(shape, padded, modulus))?, Some(powers))
            }
            _ => (gpu.pipeline(&TILES, &tiles(shape, padded))?, None),
        };
        Ok(TransposeKernels { gpu: gpu.clone(), problem: *self, pipeline, powers })
    }
}

impl Ready<Transpose> for TransposeKernels {
    async fn run<'i: 'i>(&self, _: &Transpose, words: &'i mut [u32], _: &Done) -> Result<()> {
        in_place(&self.gpu, words, |recorder, source, target| self.record(recorder, source, target))
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}

impl TransposeKernels {
    /// Records the transposition of `source` into `target`, both as long as the plan's words.
    ///
    /// # Errors
    /// [`Error::Input`] for vectors of another length; [`Error::OutOfMemory`] for more data than one binding
    /// holds; the device's faults.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        source: &DeviceVec<u32>,
        target: &mut DeviceVec<u32>,
    ) -> Result<()> {
        check_lengths(self.problem.words(), &[source, target])?;
        let (form, [log_rows, log_columns]) = (self.problem.form, self.problem.shape());
        let (pipeline, groups) = (&self.pipeline, self.problem.groups());
        let (source, target_words) = (source.whole()?, target.written()?);
        match (form.kernel, &self.powers) {
            (TransposeKernel::Batch, _) => {
                let buffers = TransposeBuffers { source, target_words };
                let params = TransposeParams { log_rows, log_columns };
                recorder.dispatch(pipeline, "transposition", &buffers, &params, groups)
            }
            (_, None) => {
                let buffers = TilesBuffers { source, target_words };
                let params = TilesParams { log_rows, log_columns };
                recorder.dispatch(pipeline, "transposition", &buffers, &params, groups)
            }
            (_, Some(powers)) => {
                let params = TwistedParams { log_rows, log_columns, log_low_powers: powers.log_low };
                let buffers = TwistedTilesBuffers { source, target_words, powers: powers.words.whole()? };
                recorder.dispatch(pipeline, "transposition", &buffers, &params, groups)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_keep_rows_and_columns_in_different_banks() {
        for kernel in TransposeKernel::ALL.into_iter().filter(|&kernel| kernel != TransposeKernel::Batch) {
            let shape = kernel.tile();
            for (gap, free) in [(0, false), (shape.gap(), true)] {
                let bank = |i: u32| (i + gap * (i >> 5)) % 32;
                let most = |place: &dyn Fn(u32) -> u32, first: u32| {
                    let mut banks = [0; 32];
                    (first..first + 32).for_each(|i| banks[bank(place(i)) as usize] += 1);
                    banks.into_iter().max().unwrap_or(0)
                };
                let column =
                    |i: u32| (i & ((1 << shape.log_rows) - 1)) << shape.log_columns | i >> shape.log_rows;
                let words = 1 << (shape.log_rows + shape.log_columns);
                let worst = (0..words).step_by(32).map(|first| most(&column, first)).max();
                assert_eq!(worst == Some(1), free, "{kernel:?} with gaps of {gap}");
                assert!((0..words).step_by(32).all(|first| most(&|i| i, first) == 1));
            }
        }
    }
}
