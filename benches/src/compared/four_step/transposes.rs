//! The transpositions of a four-step transform alone, in the forms that the literature compares.

use std::sync::Arc;

use serde::Serialize;

use super::kernels::{
    TILE_WORKGROUP, TILES, TRANSPOSE, TWISTED_TILES, TileShape, TwistedParams, TwistedTilesBuffers, tiles,
    transpose, twisted_tiles,
};
use crate::compared::{Compared, GpuForm, Kernels, MatrixParams, MoveBuffers, Words, check_lengths};
use wgalois::gpu::{Gpu, Pipeline, Recorder};
use wgalois::ntt::arithmetic::{Modulus, Powers};
use wgalois::ntt::{MAX_LOG_N, Passes, Reduction, Transform};
use wgalois::task::GpuProfile;
use wgalois::{Error, Result, Wrong};

/// log2 of the words of a row, or of a matrix of a batch.
const LOG_WIDTH: u32 = 12;

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
        match self {
            TransposeKernel::Batch | TransposeKernel::Twiddles | TransposeKernel::Square => TileShape::ALL[0],
            TransposeKernel::Wide => TileShape::ALL[1],
            TransposeKernel::FewerWords => TileShape::ALL[2],
            TransposeKernel::TwoWords => TileShape::ALL[3],
        }
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

/// The transposition of the words of one transform.
pub type Transpose = Compared<TransposeForm>;

impl Transpose {
    /// The transposition by its definition.
    pub fn by_definition(&self, data: &[u32]) -> Result<Vec<u32>> {
        self.transform.check_words(data)?;
        let (prime, [rows, columns]) = (self.transform.prime(), self.form.shape(&self.transform));
        let [rows, columns] = [1usize << rows, 1 << columns];
        let root = match self.form.kernel {
            TransposeKernel::Twiddles => self.transform.root()?,
            _ => 1,
        };
        let mut result = vec![0; data.len()];
        for (from, to) in data.chunks(rows * columns).zip(result.chunks_mut(rows * columns)) {
            for (r, row) in from.chunks(columns).enumerate() {
                let (step, mut twiddle) = (prime.pow(root, r as u64), 1);
                for (c, &x) in row.iter().enumerate() {
                    to[c * rows + r] = if root == 1 { x } else { prime.mul(x, twiddle) };
                    twiddle = prime.mul(twiddle, step);
                }
            }
        }
        Ok(result)
    }
}

impl TransposeForm {
    /// log2 of the rows and of the columns of a matrix.
    fn shape(&self, transform: &Transform) -> [u32; 2] {
        match self.kernel {
            TransposeKernel::Batch => [LOG_WIDTH / 2; 2],
            _ => [transform.log_n() - LOG_WIDTH, LOG_WIDTH],
        }
    }

    /// Workgroups of the dispatch.
    fn groups(&self, transform: &Transform) -> u32 {
        let ([log_rows, log_columns], tile) = (self.shape(transform), self.kernel.tile());
        let log_matrices = transform.log_n() - log_rows - log_columns;
        1 << (log_matrices
            + log_rows.saturating_sub(tile.log_rows)
            + log_columns.saturating_sub(tile.log_columns))
    }
}

impl GpuForm for TransposeForm {
    type Kernels = TransposeKernels;
    const VECTORS: u64 = 2;

    fn workgroup(&self) -> u32 {
        TILE_WORKGROUP
    }

    fn passes(&self, transform: &Transform, _: &GpuProfile) -> Result<Passes> {
        let log_n = transform.log_n();
        if log_n < LOG_WIDTH {
            let (least, most) = (LOG_WIDTH.into(), MAX_LOG_N.into());
            return Err(Error::OutOfRange {
                what: "log2 of the words".into(),
                value: log_n.into(),
                least,
                most,
            });
        }
        let table_bytes = if self.kernel == TransposeKernel::Twiddles { Powers::bytes(log_n) } else { 0 };
        let (words, vectors) = (transform.n(), Self::VECTORS);
        Ok(Passes { words, dispatches: 1, vectors, table_bytes })
    }

    fn kernels(&self, transform: &Transform, gpu: &Gpu) -> Result<TransposeKernels> {
        let (shape, padded) = (self.kernel.tile(), self.padded);
        let (pipeline, powers) = match self.kernel {
            TransposeKernel::Batch => (gpu.pipeline(&TRANSPOSE, &transpose(padded))?, None),
            TransposeKernel::Twiddles => {
                let modulus = Modulus::new(transform.prime(), Reduction::Auto, gpu.arithmetic());
                let powers = Powers::new(gpu, modulus, transform.root()?, 1, transform.log_n())?;
                (gpu.pipeline(&TWISTED_TILES, &twisted_tiles(shape, padded, modulus))?, Some(powers))
            }
            _ => (gpu.pipeline(&TILES, &tiles(shape, padded))?, None),
        };
        Ok(TransposeKernels { transform: *transform, form: *self, pipeline, powers })
    }

    fn check(&self, transform: &Transform, before: &[u32], after: &[u32]) -> Result<()> {
        let is_right = after == Transpose::new(transform, *self).by_definition(before)?;
        Wrong::unless(is_right, "a word is not where it belongs, or has another twiddle")
    }
}

/// The kernel and the table of a transposition.
#[derive(Debug)]
pub struct TransposeKernels {
    transform: Transform,
    form: TransposeForm,
    pipeline: Arc<Pipeline>,
    /// The powers of the root of unity, for twiddles.
    powers: Option<Powers>,
}

impl Kernels for TransposeKernels {
    fn record<'v>(&self, recorder: &mut Recorder, [source, target]: [&'v mut Words; 2]) -> Result<&'v Words> {
        check_lengths(self.transform.n(), &[source, target])?;
        let [log_rows, log_columns] = self.form.shape(&self.transform);
        let (name, groups) = ("transposition", self.form.groups(&self.transform));
        let (source, target_words) = (source.whole()?, target.written()?);
        match &self.powers {
            None => {
                let buffers = MoveBuffers { source, target_words };
                let params = MatrixParams { log_rows, log_columns };
                recorder.dispatch(&self.pipeline, name, &buffers, &params, groups)?;
            }
            Some(powers) => {
                let params = TwistedParams { log_rows, log_columns, log_low_powers: powers.log_low };
                let buffers = TwistedTilesBuffers { source, target_words, powers: powers.words.whole()? };
                recorder.dispatch(&self.pipeline, name, &buffers, &params, groups)?;
            }
        }
        Ok(target)
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
