//! Tables of bases on the device: the bases are converted to the form of the kernels and multiplied by
//! powers of two, level by level, or mapped by an endomorphism.

use std::borrow::Cow;
use std::ops::Range;

use super::evaluate::{Evaluation, Span, Task, conversion, doubling, image};
use super::normalize::{Normalizer, NormalizerMemory};
use crate::Result;
use crate::curve::coordinates::XYZZ;
use crate::curve::{Affine, Curve};
use crate::field::{BigField, CoordinateField};
use crate::gpu::{DeviceVec, Gpu, Source, Written};
use crate::msm::Scheme;

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
        let halving = C::halving().filter(|_| scheme.halves && scheme.levels > 1);
        let image = halving.map(|halving| image::<C>(&field, &halving)).transpose()?;
        Self::compile(gpu, field, scheme, image)
    }

    /// The kernels over this field, with the image under the endomorphism if levels are that.
    fn compile(gpu: &Gpu, field: BigField, scheme: &Scheme, image: Option<Task>) -> Result<Self> {
        let (levels, convert) = gpu.beside(
            || Levels::new(gpu, &field, scheme, image),
            || Evaluation::new(gpu, &field.prime(), &conversion(&field)?),
        )?;
        Ok(TableKernels { convert, levels, scheme: *scheme, field })
    }

    /// Builds the table of a chunk of bases: level a of base i is at a * n + i, an affine point with
    /// canonical coordinates, or (0, 0) for infinity.
    pub(super) fn build<C: Curve>(&self, gpu: &Gpu, points: &[Affine<C>]) -> Result<DeviceVec<u32>> {
        self.build_of(gpu, points.len(), &Coordinates(points))
    }

    /// [`build`](Self::build) of `n` points with these bytes.
    fn build_of(&self, gpu: &Gpu, n: usize, points: &dyn Source) -> Result<DeviceVec<u32>> {
        let table = gpu.zeros_whole::<u32>(n * self.scheme.levels as usize * self.field.affine_words())?;
        let uploaded = gpu.upload_table_of(points)?;
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
    fn new(gpu: &Gpu, field: &BigField, scheme: &Scheme, image: Option<Task>) -> Result<Option<Self>> {
        match (image, scheme.levels) {
            (_, 1) => Ok(None),
            (None, _) => LevelKernels::new(gpu, field).map(Levels::Multiples).map(Some),
            (Some(image), _) => Evaluation::new(gpu, &field.prime(), &image).map(Levels::Images).map(Some),
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

/// The bytes of points as they are copied to the device: x and y in arkworks' form, with x = y = 0 for infinity instead of
/// arkworks' flag.
pub(super) struct Coordinates<'p, C: Curve>(pub &'p [Affine<C>]);

/// The number of [`Coordinates`] bytes of a point.
pub(super) const fn point_bytes<C: Curve>() -> usize {
    2 * size_of::<C::BaseField>()
}

impl<C: Curve> Source for Coordinates<'_, C> {
    fn len(&self) -> usize {
        self.0.len() * point_bytes::<C>()
    }

    fn bytes(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let size = point_bytes::<C>();
        let numbers = range.start / size..range.end.div_ceil(size);
        let mut bytes = Vec::with_capacity(numbers.len() * size);
        for point in &self.0[numbers.clone()] {
            let words = point.x.all_words().chain(point.y.all_words());
            words.for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        }
        // Where a piece ends within a point, only a part of it is wanted.
        bytes.truncate(range.end - numbers.start * size);
        bytes.drain(..range.start - numbers.start * size);
        Cow::Owned(bytes)
    }
}

#[cfg(test)]
mod tests {
    use ark_ec::AffineRepr;

    use super::*;
    use crate::curve::{Bls12_381, Bls12_381G2, Bn254};

    fn agrees<C: Curve>() {
        let g = Affine::<C>::generator();
        let points = [g, Affine::<C>::identity(), -g, g];
        let words = |point: &Affine<C>| {
            point.x.all_words().chain(point.y.all_words()).flat_map(u64::to_le_bytes).collect::<Vec<u8>>()
        };
        let all: Vec<u8> = points.iter().flat_map(words).collect();
        let source = Coordinates(&points[..]);
        assert_eq!(source.len(), all.len());
        assert!(all[point_bytes::<C>()..2 * point_bytes::<C>()].iter().all(|&byte| byte == 0));
        for start in 0..all.len() {
            for end in [start, start + 1, start + 40, all.len() - 3, all.len()] {
                if (start..=all.len()).contains(&end) {
                    assert_eq!(*source.bytes(start..end), all[start..end], "{start}..{end}");
                }
            }
        }
    }

    #[test]
    fn any_part_of_the_coordinates_is_made() {
        agrees::<Bn254>();
        agrees::<Bls12_381>();
        agrees::<Bls12_381G2>();
    }
}
