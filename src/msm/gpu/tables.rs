//! Tables of bases on the device: the bases are converted to the form of the kernels and multiplied by
//! powers of two, level by level, or mapped by an endomorphism.

use std::sync::Arc;

use super::evaluate::{Evaluation, Span, conversion, doubling, image};
use super::formulas::WORKGROUP;
use super::inverses::{
    INVERSES, InversesBuffers, InversesParams, SHARED_INVERSIONS, field_variant, inverses_variant,
};
use crate::Result;
use crate::curve::coordinates::{Additions, XYZZ};
use crate::curve::{Affine, Curve, CurveName};
use crate::field::{BigField, CANONICAL, CoordinateField, Formula};
use crate::gpu::{Arithmetic, DeviceVec, Gpu, Pipeline, Variant, Written, kernel};
use crate::msm::Scheme;
use crate::msm::tiling::TABLE_SHARE as SHARE;
use crate::parallel::*;

kernel! {
    /// Computes running products of the points' ZZZ.
    static PRODUCTS = "msm/products", field_variants;
    ProductsBuffers {
        points: read array<u32>,
        products: read_write array<vec4<u32>>, totals: read_write array<vec4<u32>>,
    }
    ProductsParams {
        /// Threads, each with a share of the points.
        threads,
        /// Points.
        points,
    }
}

kernel! {
    /// Converts points to affine points, by inverses of running products.
    static NORMALIZE = "msm/normalize", field_variants;
    NormalizeBuffers {
        points: read array<u32>, products: read array<vec4<u32>>, inverses: read array<vec4<u32>>,
        affine: read_write array<vec4<u32>>,
    }
    NormalizeParams {
        /// Threads, each with a share of the points.
        threads,
        /// Points.
        points,
        /// The place of the first affine point.
        first,
        /// Turns of the formula.
        turns,
    }
}

/// Computes the affine point and the inverse for the previous point, from the inverse I of the product
/// up to the point's ZZZ and the product B before it.
const TO_AFFINE: &str = "
    J = I*B
    I = I*ZZZ
    T = J*ZZ
    T = T*T
    X = X*T
    Y = Y*J
";

fn field_variants(_: Arithmetic) -> Vec<Variant> {
    let of = |name: CurveName| {
        let field = name.base_field();
        let formula = to_affine(&field, &XYZZ.compile(&field).ok()?).ok()?;
        Some(field_variant(&field, Some(&formula)))
    };
    CurveName::all().filter_map(of).collect()
}

fn to_affine(field: &BigField, additions: &Additions) -> Result<Formula> {
    let b = &additions.bounds;
    let product = 2 * CANONICAL;
    let inputs = [("I", product), ("X", b[0]), ("Y", b[1]), ("ZZ", b[2]), ("ZZZ", b[3]), ("B", product)];
    Formula::compile(TO_AFFINE, &inputs, &["I", "X", "Y"], field)
}

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
    products: Arc<Pipeline>,
    inverses: Arc<Pipeline>,
    normalize: Arc<Pipeline>,
    /// Turns of the formula.
    turns: u32,
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
        let to_affine = to_affine(field, &additions)?;
        let (variant, plain) =
            (field_variant(field, Some(&to_affine)), inverses_variant(field, gpu.arithmetic()));
        let (double, [products, inverses, normalize]) = gpu.beside(
            || Evaluation::new(gpu, field, &doubling(field, additions)),
            || gpu.pipelines([(&PRODUCTS, &variant), (&INVERSES, &plain), (&NORMALIZE, &variant)]),
        )?;
        let turns = to_affine.multiplications() as u32;
        Ok(LevelKernels { double, products, inverses, normalize, turns })
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
        let (table, lazy) = (table.whole()?, field.lazy_words);
        let threads = n.div_ceil(SHARE);
        let points = gpu.zeros_whole::<u32>(4 * n * field.degree * lazy)?;
        let products = gpu.zeros_whole::<u32>(n * field.element_words())?;
        let totals = gpu.zeros_whole::<u32>(threads * field.element_words())?;
        let (points, products, totals) = (points.whole()?, products.whole()?, totals.whole()?);
        let (n, threads) = (n as u32, threads as u32);
        let groups = threads.div_ceil(WORKGROUP);
        let mut recorder = gpu.record();
        for level in 1..scheme.levels {
            let span = Span { tuples: n, first_input: (level - 1) * n, first_output: 0 };
            let doublings = scheme.level_doublings();
            self.double.record(&mut recorder, "double", (table, Written(points)), span, doublings)?;
            let buffers = ProductsBuffers { points, products: Written(products), totals: Written(totals) };
            let params = ProductsParams { threads, points: n };
            recorder.dispatch(&self.products, "normalize", &buffers, &params, groups)?;
            let inverting = threads.div_ceil(SHARED_INVERSIONS);
            let params = InversesParams { threads: inverting, len: threads };
            let buffers = InversesBuffers { elements: Written(totals) };
            let inverting_groups = self.inverses.groups(inverting);
            recorder.dispatch(&self.inverses, "normalize", &buffers, &params, inverting_groups)?;
            let buffers = NormalizeBuffers { points, products, inverses: totals, affine: Written(table) };
            let params = NormalizeParams { threads, points: n, first: level * n, turns: self.turns };
            recorder.dispatch(&self.normalize, "normalize", &buffers, &params, groups)?;
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
