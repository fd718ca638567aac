//! The check that points lie in the subgroup of order r.

use std::sync::Arc;

use serde::Serialize;

use super::evaluate::{Evaluation, Form, Span, Task};
use super::formulas::{Ends, Formulas, WORKGROUP, point_params};
use super::tables::host_words;
use crate::Result;
use crate::curve::coordinates::XYZZ;
use crate::curve::{Affine, Curve, CurveName, Endomorphism};
use crate::field::{BigField, CANONICAL, Formula, Turn};
use crate::gpu::{Binding, DeviceVec, Gpu, Kernel, Pipeline, Variant};
use crate::with_curve;

/// Finds the number of the first point that lies outside.
pub static SUBGROUP: Kernel = Kernel {
    name: "msm/subgroup",
    source: "msm/subgroup.wgsl",
    bindings: &[
        Binding::read("points", "array<vec4<u32>>"),
        Binding::read_write("first_outside", "array<atomic<u32>>"),
    ],
    params: SubgroupParams::NAMES,
    variants: |_| {
        let of = |name| with_curve!(name, C => C::ENDOMORPHISM.and_then(|map| variant::<C>(&map).ok()));
        CurveName::all().filter_map(of).collect()
    },
};

point_params! {
    /// The parameters of [`SUBGROUP`].
    pub(super) struct SubgroupParams {
        /// Points.
        count,
    }
}

#[derive(Serialize)]
struct Context<'a> {
    field: &'a BigField,
    size: usize,
    registers: u32,
    turns: Vec<Turn>,
    /// Low and high word.
    u: [u32; 2],
    /// The topmost bit of u.
    top: u32,
    power: u32,
}

fn variant<C: Curve>(map: &Endomorphism<C::BaseField>) -> Result<Variant> {
    let field = BigField::of::<C::BaseField>();
    let Formulas { registers, turns, .. } = formulas(&field)?;
    let (u, top, power) = ([map.u as u32, (map.u >> 32) as u32], map.u.ilog2(), map.power);
    let size = XYZZ.size();
    Ok(Variant::new(WORKGROUP, Context { field: &field, size, registers, turns, u, top, power }))
}

fn formulas(field: &BigField) -> Result<Formulas> {
    let additions = XYZZ.compile(field)?;
    Ok(Formulas::new(field, &additions.full, &additions.double))
}

/// The formula that multiplies x by one factor and y by another.
fn scaling(field: &BigField) -> Result<Formula> {
    let inputs = [("x", CANONICAL), ("y", CANONICAL), ("f", CANONICAL), ("g", CANONICAL)];
    Formula::compile("x = x*f\n y = y*g", &inputs, &["x", "y"], field)
}

/// The kernels that find the points outside the subgroup of one curve.
struct SubgroupKernels {
    /// The conversions to the device's form of the points and of their images.
    points: Evaluation,
    images: Evaluation,
    inside: Arc<Pipeline>,
    /// The ends of the formulas.
    ends: Ends,
}

impl SubgroupKernels {
    fn new<C: Curve>(
        gpu: &Gpu,
        field: &BigField,
        map: &Endomorphism<C::BaseField>,
    ) -> Result<SubgroupKernels> {
        let formula = scaling(field)?;
        let scale = |x: Vec<u32>| {
            let constants = vec![x, field.from_host.clone()];
            let task = Task {
                formula: &formula,
                inputs: (2, Form::Canonical),
                constants,
                outputs: (2, Form::Canonical),
            };
            Evaluation::new(gpu, field, &task)
        };
        let image = field.from_host_times(&map.beta);
        let (inside, (points, images)) = gpu.beside(
            || gpu.pipeline(&SUBGROUP, &variant::<C>(map)?),
            || gpu.beside(|| scale(field.from_host.clone()), || scale(image)),
        )?;
        Ok(SubgroupKernels { points, images, inside, ends: formulas(field)?.ends })
    }
}

/// Compiles the kernels of [`first_outside_async`].
pub(in crate::msm) fn compile_check<C: Curve>(gpu: &Gpu) -> Result<()> {
    let Some(map) = C::ENDOMORPHISM else { return Ok(()) };
    SubgroupKernels::new::<C>(gpu, &BigField::of::<C::BaseField>(), &map).map(drop)
}

/// The first of `points`, all of them on the curve, that lies outside the subgroup of order r.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory) and the device's other faults.
pub(in crate::msm) async fn first_outside_async<C: Curve>(
    gpu: &Gpu,
    points: &[Affine<C>],
) -> Result<Option<usize>> {
    let Some(map) = C::ENDOMORPHISM else { return Ok(None) };
    let field = BigField::of::<C::BaseField>();
    let kernels = SubgroupKernels::new::<C>(gpu, &field, &map)?;
    // Half of the memory holds the points as uploaded, and twice in the kernel's form.
    let fitting = gpu.options().memory / 2 / (3 * 4 * 2 * field.words as u64);
    let fitting = usize::try_from(fitting).unwrap_or(usize::MAX);
    let chunk = (gpu.chunk_len::<u32>()? / (4 * field.words)).min(fitting).clamp(1, CHUNK);
    for (i, points) in points.chunks(chunk).enumerate() {
        let found = first_of_chunk::<C>(gpu, &field, &kernels, points).await?;
        if let Some(outside) = found {
            return Ok(Some(i * chunk + outside));
        }
    }
    Ok(None)
}

/// The maximum number of points that are checked at a time.
const CHUNK: usize = 1 << 20;

async fn first_of_chunk<C: Curve>(
    gpu: &Gpu,
    field: &BigField,
    kernels: &SubgroupKernels,
    points: &[Affine<C>],
) -> Result<Option<usize>> {
    let count = points.len() as u32;
    let uploaded = gpu.upload_table(&host_words::<C>(points))?;
    let both: DeviceVec<u32> = gpu.zeros_whole(2 * points.len() * 2 * field.words)?;
    let first = gpu.upload_table(&[u32::MAX])?;
    let mut recorder = gpu.record();
    let buffers = (uploaded.whole()?, both.whole()?);
    let span = Span { tuples: count, first_input: 0, first_output: 0 };
    kernels.points.record(&mut recorder, "convert", buffers, span, 1)?;
    let span = Span { first_output: count, ..span };
    kernels.images.record(&mut recorder, "convert", buffers, span, 1)?;
    let Ends { adding, doubling } = kernels.ends;
    let params = SubgroupParams { last_adding: adding, last_doubling: doubling, count };
    let buffers = [both.whole()?, first.whole()?];
    let groups = count.div_ceil(WORKGROUP);
    recorder.dispatch(&kernels.inside, "subgroup", &buffers, &params, groups)?;
    recorder.submit()?;
    let first = first.download_async().await?.first().copied().unwrap_or(u32::MAX);
    Ok((first != u32::MAX).then_some(first as usize))
}
