//! Multiples of one base by many scalars on the device.
//!
//! ```text
//! scalars -> digits, a table level for each window          the first step of multiplications
//!         -> a sum of points of the table for each scalar   a thread a scalar
//!         -> affine points, with an inversion for many      as levels of tables are made
//!         -> the host's form
//! ```

use std::marker::PhantomData;
use std::sync::Arc;

use ark_ff::Field;

use super::digits::{DIGITS, DigitsBuffers, DigitsParams, digits_variant};
use super::evaluate::{Evaluation, Span, conversion_back};
use super::formulas::{Ends, Formulas, PointContext, WORKGROUP, point_kernel, point_variant, variants_of};
use super::normalize::{Normalizer, NormalizerMemory};
use super::tables::{TableKernels, point_bytes};
use crate::curve::coordinates::XYZZ;
use crate::curve::{Affine, BaseField, Curve, CurveName};
use crate::field::{BigField, PrimeOf, Words};
use crate::gpu::{DeviceVec, Gpu, Pipeline};
use crate::msm::tiling::TABLE_SHARE;
use crate::msm::{Accumulators, Precompute, ScalarBits, Scheme};
use crate::parallel::*;
use crate::scalars::{DeviceScalars, SCALAR_BYTES};
use crate::{Error, Result};

point_kernel! {
    /// Multiplies one base by many scalars.
    static MULTIPLES = "msm/multiples", |arithmetic| {
        variants_of(CurveName::all(), arithmetic, |additions| &additions.mixed, |point| point_variant(placed(point)))
    };
    MultiplesBuffers {
        points: read array<vec4<u32>>, keys: read array<u32>, values: read array<u32>,
        sums: read_write array<vec4<u32>>,
    }
    MultiplesParams {
        /// Scalars.
        len,
        /// Windows of a scalar.
        windows,
        /// Points of a window in the table.
        multiples,
    }
}

/// The context with the accumulator in workgroup memory over an extension, where a thread's registers do not hold it.
fn placed(point: PointContext<'_>) -> PointContext<'_> {
    match point.field.degree {
        1 => point,
        _ => point.placed(Accumulators::Workgroup),
    }
}

/// The windows of scalars of `C` if they have so many bits.
pub(in crate::msm) fn windows<C: Curve>(width: u32) -> u32 {
    ScalarBits::of::<C>().whole.div_ceil(width)
}

/// Bytes of device memory, and those of the longest binding, for each scalar that is multiplied at a time.
pub(in crate::msm) fn bytes_a_scalar<C: Curve>(width: u32) -> [u64; 2] {
    let field = BigField::of::<C::BaseField>();
    let entries = 4 * u64::from(windows::<C>(width));
    let sum = 4 * XYZZ.words(&field) as u64;
    let element = 4 * field.element_words() as u64;
    let affine = 4 * field.affine_words() as u64;
    let normalizing = element + element.div_ceil(TABLE_SHARE as u64);
    [SCALAR_BYTES + 2 * entries + sum + normalizing + 2 * affine, sum.max(entries)]
}

/// The table of a base's multiples on a device, with the kernels that take it.
pub(in crate::msm) struct DeviceMultiples<C: Curve> {
    gpu: Gpu,
    field: BigField,
    scheme: Scheme,
    table: DeviceVec<u32>,
    kernels: Kernels,
    curve: PhantomData<fn() -> C>,
}

struct Kernels {
    digits: Arc<Pipeline>,
    multiples: Arc<Pipeline>,
    ends: Ends,
    normalizer: Normalizer,
    back: Evaluation,
}

impl Kernels {
    fn new<C: Curve>(gpu: &Gpu, field: &BigField) -> Result<Self> {
        let additions = XYZZ.compile(field)?;
        let formulas = Formulas::new(field, &additions.mixed, &additions.double);
        let variant = point_variant(placed(PointContext::new(field, &XYZZ, &formulas, gpu.arithmetic())));
        let digits = digits_variant::<C>(false);
        let ([digits, multiples], (normalizer, back)) = gpu.beside(
            || gpu.pipelines([(&DIGITS, &digits), (&MULTIPLES, &variant)]),
            || {
                let back = || Evaluation::new(gpu, &field.prime(), &conversion_back::<C::BaseField>(field)?);
                gpu.beside(|| Normalizer::new(gpu, field), back)
            },
        )?;
        Ok(Kernels { digits, multiples, ends: formulas.ends, normalizer, back })
    }
}

/// The scheme of digits with a table level for each window of so many bits.
fn scheme<C: Curve>(width: u32) -> Result<Scheme> {
    Scheme::new(ScalarBits::of::<C>(), width, Precompute::Windows, u32::MAX)
}

/// Compiles the kernels.
pub(in crate::msm) fn compile<C: Curve>(gpu: &Gpu) -> Result<()> {
    Kernels::new::<C>(gpu, &BigField::of::<C::BaseField>()).map(drop)
}

impl<C: Curve> DeviceMultiples<C> {
    /// Uploads a table: of window w, d 2^(`width` w) times the base for d from 1 to 2^(`width` - 1), one window after the
    /// other.
    pub(in crate::msm) fn new(gpu: &Gpu, width: u32, table: &[Affine<C>]) -> Result<Self> {
        let field = BigField::of::<C::BaseField>();
        let plain = Scheme::new(ScalarBits::of::<C>(), width, Precompute::Plain, 1)?;
        let (kernels, tables) =
            gpu.beside(|| Kernels::new::<C>(gpu, &field), || TableKernels::new::<C>(gpu, &plain))?;
        let table = tables.build(gpu, table)?;
        Ok(DeviceMultiples {
            gpu: gpu.clone(),
            field,
            scheme: scheme::<C>(width)?,
            table,
            kernels,
            curve: PhantomData,
        })
    }

    /// The base times each of some scalars, as many as the plan counts at a time.
    pub(in crate::msm) async fn multiply(&self, scalars: &[C::ScalarField]) -> Result<Vec<Affine<C>>> {
        let DeviceMultiples { gpu, field, scheme, table, kernels, .. } = self;
        let (n, windows) = (scalars.len(), scheme.levels as usize);
        if n == 0 {
            return Ok(Vec::new());
        }
        let scalars = DeviceScalars::upload(gpu, scalars)?;
        let [keys, values] = [gpu.zeros_whole::<u32>(n * windows)?, gpu.zeros_whole(n * windows)?];
        let sums = gpu.zeros_whole::<u32>(n * XYZZ.words(field))?;
        let memory = NormalizerMemory::new(gpu, field, n)?;
        let [affine, result] = [(); 2].map(|()| gpu.zeros_whole::<u32>(n * field.affine_words()));
        let (affine, result) = (affine?, result?);
        let len = n as u32;
        let mut recorder = gpu.record();
        let (scalars, first) = scalars.at(0);
        let params = DigitsParams {
            first,
            vectors: 1,
            len,
            stride: len,
            segment: len * scheme.levels,
            width: scheme.width,
            windows: scheme.levels,
            sets: 1,
            first_set: 0,
            last_set: 1,
            odd: 0,
            last_level: scheme.levels - 1,
            top_bits: scheme.top_bits,
            last_bucket: scheme.buckets() - 1,
        };
        let buffers = DigitsBuffers { scalars, keys: keys.written()?, values: values.written()? };
        recorder.dispatch(&kernels.digits, "digits", &buffers, &params, len.div_ceil(WORKGROUP))?;
        let Ends { adding, doubling } = kernels.ends;
        let params = MultiplesParams {
            last_adding: adding,
            last_doubling: doubling,
            len,
            windows: scheme.levels,
            multiples: scheme.buckets(),
        };
        let buffers = MultiplesBuffers {
            points: table.whole()?,
            keys: keys.whole()?,
            values: values.whole()?,
            sums: sums.written()?,
        };
        let groups = kernels.multiples.groups(len);
        recorder.dispatch(&kernels.multiples, "multiples", &buffers, &params, groups)?;
        let points = sums.whole()?;
        kernels.normalizer.record(&mut recorder, &memory, points, (affine.written()?, 0), len)?;
        let span = Span { tuples: len, first_input: 0, first_output: 0 };
        kernels.back.record(&mut recorder, "convert", (affine.whole()?, result.written()?), span, 1)?;
        recorder.submit()?;
        points_of_words(&result.download_async().await?)
    }
}

/// The points with these words, in the form of [`Coordinates`](super::tables::Coordinates).
fn points_of_words<C: Curve>(words: &[u32]) -> Result<Vec<Affine<C>>> {
    let size = point_bytes::<C>() / 4;
    let mut points = vec![Affine::<C>::identity(); words.len() / size];
    let pairs = points.par_iter_mut().zip(words.par_chunks_exact(size)).enumerate();
    let read: std::result::Result<(), usize> = pairs.try_for_each(|(i, (point, words))| {
        if words.iter().any(|&word| word != 0) {
            *point = point_of_words(words).ok_or(i)?;
        }
        Ok(())
    });
    match read {
        Ok(()) => Ok(points),
        Err(i) => Err(Error::nonsense_at(
            "point",
            i as u32,
            "came back with a coordinate that is not below the modulus",
        )),
    }
}

fn point_of_words<C: Curve>(words: &[u32]) -> Option<Affine<C>> {
    let wide: Vec<u64> =
        words.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect();
    let coordinate = |words: &[u64]| {
        let parts = words.chunks_exact(<PrimeOf<BaseField<C>> as Words>::WORDS);
        let parts = parts.map(PrimeOf::<BaseField<C>>::from_words).collect::<Option<Vec<_>>>()?;
        BaseField::<C>::from_base_prime_field_elems(parts)
    };
    let (x, y) = wide.split_at(wide.len() / 2);
    Some(Affine::new_unchecked(coordinate(x)?, coordinate(y)?))
}
