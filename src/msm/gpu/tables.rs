//! Tables of bases on the device: the bases are converted to the form of the kernels and multiplied by
//! powers of two, level by level, or mapped by an endomorphism.

use super::evaluate::{Evaluation, Span, conversion, doubling, image};
use super::normalize::{Normalizer, NormalizerMemory};
use crate::Result;
use crate::curve::coordinates::XYZZ;
use crate::curve::{Affine, Curve};
use crate::field::{BigField, CoordinateField};
use crate::gpu::{DeviceVec, Gpu, Written};
use crate::msm::Scheme;
use crate::parallel::*;

/// The kernels that build the tables of one curve.
pub(super) struct TableKernels {
    field: BigField,
    scheme: Scheme,
    convert: Evaluation,
    /// Only for tables of several levels.
    levels: Option<Levels>,
}

/// The kernels of the levels of a table after the first.
enum Levels {
    /// Multiples by doublings.
    Multiples(LevelKernels),
    /// The images under the endomorphism that divides scalars into halves.
    Images(Evaluation),
}

/// The kernels that make a level from the one before.
struct LevelKernels {
    double: Evaluation,
    normalizer: Normalizer,
}

impl TableKernels {
    pub(super) fn new<C: Curve>(gpu: &Gpu, scheme: &Scheme) -> Result<Self> {
        let field = BigField::of::<C::BaseField>();
        let (levels, convert) = gpu.beside(
            || Levels::new::<C>(gpu, &field, scheme),
            || Evaluation::new(gpu, &field.prime(), &conversion(&field)?),
        )?;
        Ok(TableKernels { convert, levels, scheme: *scheme, field })
    }

    /// Builds the table of a chunk of bases: level a of base i is at a * n + i, an affine point with
    /// canonical coordinates, or (0, 0) for infinity.
    pub(super) fn build<C: Curve>(&self, gpu: &Gpu, points: &[Affine<C>]) -> Result<DeviceVec<u32>> {
        let n = points.len();
        let table = gpu.zeros_whole::<u32>(n * self.scheme.levels as usize * self.field.affine_words())?;
        let uploaded = gpu.upload_table(&host_words::<C>(points))?;
        let span = Span { tuples: n as u32, first_input: 0, first_output: 0 };
        let mut recorder = gpu.record();
        let buffers = (uploaded.whole()?, table.written()?);
        self.convert.record(&mut recorder, "convert", buffers, span, 1)?;
        if let Some(Levels::Images(image)) = &self.levels {
            image.record(&mut recorder, "convert", buffers, Span { first_output: n as u32, ..span }, 1)?;
        }
        recorder.submit()?;
        if let Some(Levels::Multiples(kernels)) = &self.levels {
            kernels.fill(gpu, &self.field, &table, n, &self.scheme)?;
        }
        Ok(table)
    }
}

impl Levels {
    fn new<C: Curve>(gpu: &Gpu, field: &BigField, scheme: &Scheme) -> Result<Option<Self>> {
        let halving = C::halving().filter(|_| scheme.halves);
        match (halving, scheme.levels) {
            (_, 1) => Ok(None),
            (None, _) => LevelKernels::new(gpu, field).map(Levels::Multiples).map(Some),
            (Some(halving), _) => {
                let task = image::<C>(field, &halving)?;
                Evaluation::new(gpu, &field.prime(), &task).map(Levels::Images).map(Some)
            }
        }
    }
}

impl LevelKernels {
    fn new(gpu: &Gpu, field: &BigField) -> Result<Self> {
        let additions = XYZZ.compile(field)?;
        let (double, normalizer) = gpu.beside(
            || Evaluation::new(gpu, field, &doubling(field, additions)),
            || Normalizer::new(gpu, field),
        )?;
        Ok(LevelKernels { double, normalizer })
    }

    /// Computes each level from the previous one: doublings, then back to affine coordinates.
    fn fill(
        &self,
        gpu: &Gpu,
        field: &BigField,
        table: &DeviceVec<u32>,
        n: usize,
        scheme: &Scheme,
    ) -> Result<()> {
        let table = table.whole()?;
        let points = gpu.zeros_whole::<u32>(4 * n * field.degree * field.lazy_words)?;
        let points = points.whole()?;
        let memory = NormalizerMemory::new(gpu, field, n)?;
        let n = n as u32;
        let mut recorder = gpu.record();
        for level in 1..scheme.levels {
            let span = Span { tuples: n, first_input: (level - 1) * n, first_output: 0 };
            let doublings = scheme.level_doublings();
            self.double.record(&mut recorder, "double", (table, Written(points)), span, doublings)?;
            self.normalizer.record(&mut recorder, &memory, points, (Written(table), level * n), n)?;
        }
        recorder.submit()
    }
}

/// The words of x and y in arkworks' form, which also has x = y = 0 for infinity.
pub(super) fn host_words<C: Curve>(points: &[Affine<C>]) -> Vec<u32> {
    let words = 4 * size_of::<C::BaseField>() / 8;
    let mut all = vec![0; points.len() * words];
    all.par_chunks_mut(words).zip(points).for_each(|(target, point)| {
        let halves = point.x.all_words().chain(point.y.all_words());
        for (pair, word) in target.chunks_exact_mut(2).zip(halves) {
            pair.copy_from_slice(&[word as u32, (word >> 32) as u32]);
        }
    });
    all
}
