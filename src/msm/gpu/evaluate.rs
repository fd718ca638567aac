//! The evaluation of a formula for a list of tuples of field elements.

use std::sync::Arc;

use ark_ff::Field;
use serde::Serialize;
use serde_json::json;

use super::formulas::{Kept, WORKGROUP, fitting};
use crate::curve::coordinates::{Additions, XYZZ};
use crate::curve::{Curve, CurveName, Halving};
use crate::field::{BigField, CANONICAL, CoordinateField, Formula, PrimeOf, Turn};
use crate::gpu::{Arithmetic, Gpu, Pipeline, Recorder, Variant, Written, kernel};
use crate::{Error, Result, with_curve};

kernel! {
    /// Applies a formula to every tuple of a list.
    static EVALUATE = "msm/evaluate" in "evaluate.wgsl", evaluate_variants;
    EvaluateBuffers { input: read array<u32>, output: read_write array<u32> }
    EvaluateParams {
        /// Tuples.
        tuples,
        /// The first of them in the input.
        first_input,
        /// The place of its outputs, in tuples.
        first_output,
        /// Turns of the formula.
        turns,
        /// The number of times that the formula is applied.
        repeats,
    }
}

/// The representation of a field element in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Representation {
    /// Below p, in the field's `words`.
    Canonical,
    /// Below 8 p, in the field's `lazy_words`.
    Lazy,
}

/// A formula over tuples, ready to run on one device.
#[derive(Debug)]
pub struct Evaluation {
    pipeline: Arc<Pipeline>,
    turns: u32,
}

/// A formula with the shapes of its inputs and outputs.
#[derive(Debug)]
pub struct Task {
    /// The formula. Its inputs are the elements of a tuple, then the constants.
    pub formula: Formula,
    /// The number of elements of a tuple, and their representation.
    pub inputs: (usize, Representation),
    /// The constants, which are the same for every tuple, in limbs.
    pub constants: Vec<Vec<u32>>,
    /// The number of outputs per tuple, and their representation.
    pub outputs: (usize, Representation),
}

/// The range of the tuples of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The number of tuples.
    pub tuples: u32,
    /// The first tuple in the input.
    pub first_input: u32,
    /// The place of the first output, in tuples.
    pub first_output: u32,
}

impl Task {
    pub(super) fn variant(&self, field: &BigField, arithmetic: Arithmetic) -> Variant {
        let ((inputs, source), (outputs, target)) = (self.inputs, self.outputs);
        let mut context = json!({
            "field": field,
            "registers": self.formula.registers,
            "turns": Turn::of(&self.formula, field),
            "inputs": inputs,
            "outputs": outputs,
            "constants": self.constants,
            "source": source,
            "target": target,
        });
        let mut workgroup = WORKGROUP;
        if let Some(kept) = Kept::of(arithmetic) {
            context["kept"] = json!(kept);
            workgroup = fitting(WORKGROUP, field, kept.slots(field, self.formula.registers));
        }
        Variant::new(workgroup, context)
    }
}

impl Evaluation {
    /// Prepares a task. Outputs must not outgrow their form.
    pub fn new(gpu: &Gpu, field: &BigField, task: &Task) -> Result<Self> {
        let room = match task.outputs.1 {
            // One subtraction makes them canonical.
            Representation::Canonical => 2,
            Representation::Lazy => field.multiples_in_memory(),
        };
        if task.formula.outputs.iter().any(|bound| *bound > room * CANONICAL) {
            return Err(Error::Shader(format!("evaluate: an output is not below {room} p")));
        }
        Ok(Evaluation {
            pipeline: gpu.pipeline(&EVALUATE, &task.variant(field, gpu.arithmetic()))?,
            turns: task.formula.multiplications() as u32,
        })
    }

    /// Runs the formula `repeats` times over each tuple.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        stage: &str,
        (input, output): (&wgpu::Buffer, Written<'_>),
        span: Span,
        repeats: u32,
    ) -> Result<()> {
        let Span { tuples, first_input, first_output } = span;
        let params = EvaluateParams { tuples, first_input, first_output, turns: self.turns, repeats };
        let buffers = EvaluateBuffers { input, output };
        recorder.dispatch(&self.pipeline, stage, &buffers, &params, self.pipeline.groups(tuples))
    }
}

fn evaluate_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    fn of<C: Curve>(arithmetic: Arithmetic) -> Option<Vec<Variant>> {
        let field = BigField::of::<C::BaseField>();
        let additions = XYZZ.compile(&field).ok()?;
        let convert = conversion(&field).ok()?.variant(&field.prime(), arithmetic);
        let back = conversion_back::<C::BaseField>(&field).ok()?.variant(&field.prime(), arithmetic);
        let image = C::halving().map(|map| image::<C>(&field, &map)).transpose().ok()?;
        let image = image.map(|task| task.variant(&field.prime(), arithmetic));
        Some(
            [convert, back, doubling(&field, additions).variant(&field, arithmetic)]
                .into_iter()
                .chain(image)
                .collect(),
        )
    }
    // Without any curve, the type does not follow from the arms.
    let of_named = |name: CurveName| -> Option<Vec<Variant>> { with_curve!(name, C => of::<C>(arithmetic)) };
    CurveName::all().filter_map(of_named).flatten().collect()
}

/// The task that converts affine points from the host's form to the device's form, with their elements one after the other, as
/// elements of the prime field.
pub(super) fn conversion(field: &BigField) -> Result<Task> {
    let names = &["x", "y", "z", "w"][..2 * field.degree];
    let products: Vec<_> = names.iter().map(|name| (*name, "factor")).collect();
    scaling(field, &products, &["factor"], vec![field.from_host.clone()])
}

/// The task that converts affine points from the device's form to the host's: the inverse of [`conversion`].
pub(super) fn conversion_back<F: CoordinateField>(field: &BigField) -> Result<Task> {
    let names = &["x", "y", "z", "w"][..2 * field.degree];
    let products: Vec<_> = names.iter().map(|name| (*name, "factor")).collect();
    scaling(field, &products, &["factor"], vec![field.to_host::<PrimeOf<F>>()])
}

/// The task that maps affine points in the host's form by the endomorphism that divides scalars, and converts them to the
/// device's form.
pub(super) fn image<C: Curve>(field: &BigField, halving: &Halving<C::BaseField>) -> Result<Task> {
    let prime = field.prime();
    let factor = |factor: C::BaseField| factor.to_base_prime_field_elements().next().unwrap_or_default();
    let constants = [halving.x, halving.y].map(|value| prime.from_host_times(&factor(value))).to_vec();
    let parts = |names: [&'static str; 2], factor| {
        names.into_iter().take(field.degree).map(move |name| (name, factor))
    };
    let products: Vec<_> = parts(["x", "X"], "f").chain(parts(["y", "Y"], "g")).collect();
    scaling(field, &products, &["f", "g"], constants)
}

/// The task that multiplies each element of an affine point by one of the constants.
fn scaling(
    field: &BigField,
    products: &[(&str, &str)],
    factors: &[&str],
    constants: Vec<Vec<u32>>,
) -> Result<Task> {
    let text: String = products.iter().map(|(name, factor)| format!("{name} = {name}*{factor}\n")).collect();
    let names: Vec<_> = products.iter().map(|(name, _)| *name).collect();
    let inputs: Vec<_> = names.iter().chain(factors).map(|name| (*name, CANONICAL)).collect();
    let formula = Formula::compile(&text, &inputs, &names, &field.prime())?;
    let elements = (2 * field.degree, Representation::Canonical);
    Ok(Task { formula, inputs: elements, constants, outputs: elements })
}

/// The task that doubles affine points.
pub(super) fn doubling(field: &BigField, additions: Additions) -> Task {
    // ZZ = ZZZ = 1.
    let one = (0..field.degree).map(|part| if part == 0 { field.one.clone() } else { vec![0; field.limbs] });
    let one: Vec<_> = one.collect();
    let constants = [one.clone(), one].concat();
    let (inputs, outputs) =
        ((2 * field.degree, Representation::Canonical), (4 * field.degree, Representation::Lazy));
    Task { formula: additions.double, inputs, constants, outputs }
}
