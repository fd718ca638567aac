//! The check that points lie in the subgroup of order r.

use std::sync::Arc;

use ark_ff::Field;
use serde_json::json;

use super::evaluate::{Evaluation, Representation, Span, Task, conversion};
use super::formulas::{Adder, Ends, Formulas, Kept, SPLIT_WORKGROUP, WORKGROUP, fitting, point_kernel};
use super::tables::Coordinates;
use crate::curve::coordinates::XYZZ;
use crate::curve::{Affine, Curve, CurveName, Endomorphism};
use crate::field::{BigField, CANONICAL, CoordinateField, Formula, PrimeOf};
use crate::gpu::{Arithmetic, DeviceVec, Gpu, Kernel, Pipeline, Source, Variant, kernel};
use crate::with_curve;
use crate::{Error, Result};

point_kernel! {
    /// Finds the number of the first point that lies outside.
    static SUBGROUP = "msm/subgroup", |arithmetic| variants(false, arithmetic);
    SubgroupBuffers { points: read array<vec4<u32>>, first_outside: read_write array<atomic<u32>> }
    SubgroupParams {
        /// Points.
        count,
    }
}

kernel! {
    /// The same over a quadratic extension, with two threads a point.
    static SUBGROUP_SPLIT = "msm/subgroup_split", |arithmetic| variants(true, arithmetic);
    SubgroupBuffers
    SubgroupParams
}

/// The variants of one of both kernels.
fn variants(is_split: bool, arithmetic: Arithmetic) -> Vec<Variant> {
    // Without any curve, the type does not follow from the arms.
    let of = |name| -> Option<SubgroupTest> {
        with_curve!(name, C => C::ENDOMORPHISM.and_then(|map| SubgroupTest::new(&map, arithmetic).ok()))
    };
    CurveName::all()
        .filter_map(of)
        .filter(|test| test.is_split == is_split)
        .map(|test| test.variant)
        .collect()
}

/// How points of a curve are tested.
struct SubgroupTest {
    /// True if two threads have a point.
    is_split: bool,
    variant: Variant,
    adder: Adder,
}

impl SubgroupTest {
    fn new<F: CoordinateField>(map: &Endomorphism<F>, arithmetic: Arithmetic) -> Result<Self> {
        let &Endomorphism { factor, power, is_negative, .. } = map;
        Self::of_power(BigField::of::<F>(), (factor, power, is_negative), arithmetic)
    }

    /// The test of points over this field for an endomorphism that multiplies by this power, or by its opposite.
    fn of_power(
        field: BigField,
        (factor, power, is_negative): (u128, u32, bool),
        arithmetic: Arithmetic,
    ) -> Result<Self> {
        // The base stays the point itself, which is affine, where the factor's power is the first.
        let is_split = field.degree == 2 && power == 1;
        let field = if is_split { field.split() } else { field };
        let additions = XYZZ.compile(&field)?;
        let add = if is_split { &additions.mixed } else { &additions.full };
        let Formulas { registers, turns, ends } = Formulas::new(&field, add, &additions.double);
        let u = [0, 32, 64, 96].map(|shift| (factor >> shift) as u32);
        let size = XYZZ.elements(&field);
        let mut context = json!({
            "field": field,
            "size": size,
            "registers": registers,
            "turns": turns,
            // The factor's words and its topmost bit.
            "u": u,
            "top": factor.ilog2(),
            "power": power,
            "negative": is_negative,
        });
        let mut workgroup = if is_split { SPLIT_WORKGROUP } else { WORKGROUP };
        if let Some(kept) = Kept::of(arithmetic) {
            context["kept"] = json!(kept);
            // The base as well, where it is not the point.
            let elements = kept.slots(&field, registers) + if is_split { 0 } else { size };
            workgroup = fitting(workgroup, &field, elements);
        }
        let sums = if is_split { workgroup / 2 } else { workgroup };
        Ok(SubgroupTest { is_split, variant: Variant::new(workgroup, context), adder: Adder { ends, sums } })
    }

    fn kernel(&self) -> &'static Kernel {
        if self.is_split { &SUBGROUP_SPLIT } else { &SUBGROUP }
    }
}

/// The image of (x, y) with the factors f and g.
const IMAGE: &str = "
    x = x*f
    y = y*g
";

/// The image of (x + X u, y + Y u) with the factors f + F u and g + G u, in elements of the prime field: the products by
/// the conjugates. kF and kG are -u^2 times F and G. The products by 1 reduce.
const IMAGE_IN_EXTENSION: &str = "
    s = X*f
    t = X*kF
    X = x*F - s
    x = x*f + t
    X = X*one
    x = x*one
    s = Y*g
    t = Y*kG
    Y = y*G - s
    y = y*g + t
    Y = Y*one
    y = y*one
";

/// The kernel that converts points to the device's form and maps them by `map`.
fn image<C: Curve>(gpu: &Gpu, field: &BigField, map: &Endomorphism<C::BaseField>) -> Result<Evaluation> {
    let prime = field.prime();
    let factors = |factor: C::BaseField| -> Vec<Vec<u32>> {
        let parts: Vec<_> = factor.to_base_prime_field_elements().collect();
        let times = PrimeOf::<C::BaseField>::from(field.minus_square);
        let scaled = parts.get(1).map(|part| *part * times);
        parts.iter().chain(&scaled).map(|part| prime.from_host_times(part)).collect()
    };
    let mut constants = [factors(map.x), factors(map.y)].concat();
    let (text, names, outputs): (_, &[_], &[_]) = match field.degree {
        1 => (IMAGE, &["x", "y", "f", "g"], &["x", "y"]),
        _ => {
            constants.push(field.one.clone());
            let names = &["x", "X", "y", "Y", "f", "F", "kF", "g", "G", "kG", "one"];
            (IMAGE_IN_EXTENSION, names, &["x", "X", "y", "Y"])
        }
    };
    let inputs: Vec<_> = names.iter().map(|name| (*name, CANONICAL)).collect();
    let formula = Formula::compile(text, &inputs, outputs, &prime)?;
    let elements = (2 * field.degree, Representation::Canonical);
    Evaluation::new(gpu, &prime, &Task { formula, inputs: elements, constants, outputs: elements })
}

/// The kernels that find the points outside the subgroup of one curve.
struct SubgroupKernels {
    /// The conversions to the device's form of the points and of their images.
    points: Evaluation,
    images: Evaluation,
    inside: Arc<Pipeline>,
    adder: Adder,
}

impl SubgroupKernels {
    fn new<C: Curve>(
        gpu: &Gpu,
        field: &BigField,
        map: &Endomorphism<C::BaseField>,
    ) -> Result<SubgroupKernels> {
        let test = SubgroupTest::new(map, gpu.arithmetic())?;
        let (inside, (points, images)) = gpu.beside(
            || gpu.pipeline(test.kernel(), &test.variant),
            || {
                let convert = || Evaluation::new(gpu, &field.prime(), &conversion(field)?);
                gpu.beside(convert, || image::<C>(gpu, field, map))
            },
        )?;
        Ok(SubgroupKernels { points, images, inside, adder: test.adder })
    }
}

/// Compiles the kernels of [`first_outside_async`].
pub(in crate::msm) fn compile_check<C: Curve>(gpu: &Gpu) -> Result<()> {
    let Some(map) = C::ENDOMORPHISM else { return Ok(()) };
    SubgroupKernels::new::<C>(gpu, &BigField::of::<C::BaseField>(), &map).map(drop)
}

/// The first of `points`, all of them on the curve, that lies outside the subgroup of order r.
pub(in crate::msm) async fn first_outside_async<C: Curve>(
    gpu: &Gpu,
    points: &[Affine<C>],
) -> Result<Option<usize>> {
    let Some(map) = C::ENDOMORPHISM else { return Ok(None) };
    let field = BigField::of::<C::BaseField>();
    let kernels = SubgroupKernels::new::<C>(gpu, &field, &map)?;
    // Half of the free memory holds the points as uploaded, and twice in the kernel's form.
    let fitting = gpu.memory_left() / 2 / (3 * 4 * field.affine_words() as u64);
    let fitting = usize::try_from(fitting).unwrap_or(usize::MAX);
    let chunk = (gpu.chunk_len::<u32>()? / (2 * field.affine_words())).min(fitting).clamp(1, CHUNK);
    for (i, points) in points.chunks(chunk).enumerate() {
        let found = first_of_chunk(gpu, &field, &kernels, points.len(), &Coordinates(points)).await?;
        if let Some(outside) = found {
            return Ok(Some(i * chunk + outside));
        }
    }
    Ok(None)
}

/// The maximum number of points that are checked at a time.
const CHUNK: usize = 1 << 20;

/// The first outside of `n` points with these bytes.
async fn first_of_chunk(
    gpu: &Gpu,
    field: &BigField,
    kernels: &SubgroupKernels,
    n: usize,
    points: &dyn Source,
) -> Result<Option<usize>> {
    let count = n as u32;
    let uploaded = gpu.upload_table_of(points)?;
    let both: DeviceVec<u32> = gpu.zeros_whole(2 * n * field.affine_words())?;
    let first = gpu.upload_table(&[u32::MAX])?;
    let mut recorder = gpu.record();
    let buffers = (uploaded.whole()?, both.written()?);
    let span = Span { tuples: count, first_input: 0, first_output: 0 };
    kernels.points.record(&mut recorder, "convert", buffers, span, 1)?;
    let span = Span { first_output: count, ..span };
    kernels.images.record(&mut recorder, "convert", buffers, span, 1)?;
    let Ends { adding, doubling } = kernels.adder.ends;
    let params = SubgroupParams { last_adding: adding, last_doubling: doubling, count };
    let buffers = SubgroupBuffers { points: both.whole()?, first_outside: first.written()? };
    let groups = kernels.adder.groups(count);
    recorder.dispatch(&kernels.inside, "subgroup", &buffers, &params, groups)?;
    recorder.submit()?;
    let first = first.download_async().await?.first().copied().unwrap_or(u32::MAX);
    match first {
        u32::MAX => Ok(None),
        first if first >= count => Err(Error::nonsense_at("point", first, format!("of {count} is outside"))),
        first => Ok(Some(first as usize)),
    }
}
