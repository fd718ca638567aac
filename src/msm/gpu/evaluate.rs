//! The evaluation of a formula for a list of tuples of field elements.

use std::sync::Arc;

use ark_ff::Field;
use serde::Serialize;

use super::formulas::WORKGROUP;
use crate::curve::coordinates::{Additions, XYZZ};
use crate::curve::{Curve, CurveName, Halving};
use crate::field::{BigField, CANONICAL, Formula, Turn};
use crate::gpu::{Arithmetic, Gpu, Kernel, Pipeline, Recorder, Variant, Written, buffers, params};
use crate::{Error, Result, with_curve};

/// Applies a formula to every tuple of a list.
pub static EVALUATE: Kernel = Kernel {
    name: "msm/evaluate",
    source: "evaluate.wgsl",
    bindings: EvaluateBuffers::BINDINGS,
    params: EvaluateParams::NAMES,
    variants: evaluate_variants,
};

buffers! {
    /// The buffers of [`EVALUATE`].
    pub(super) struct EvaluateBuffers {
        input: read array<u32>,
        output: read_write array<u32>,
    }
}

params! {
    /// The parameters of [`EVALUATE`].
    pub(super) struct EvaluateParams {
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

/// The form of a field element in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
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
pub struct Task<'a> {
    /// The formula. Its inputs are the elements of a tuple, then the constants.
    pub formula: &'a Formula,
    /// The number of elements of a tuple, and their form.
    pub inputs: (usize, Form),
    /// The constants, which are the same for every tuple, in limbs.
    pub constants: Vec<Vec<u32>>,
    /// The number of outputs per tuple, and their form.
    pub outputs: (usize, Form),
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

#[derive(Serialize)]
struct Context<'a> {
    field: &'a BigField,
    registers: u32,
    turns: Vec<Turn>,
    inputs: usize,
    outputs: usize,
    constants: &'a [Vec<u32>],
    source: Form,
    target: Form,
}

impl Task<'_> {
    pub(super) fn variant(&self, field: &BigField) -> Variant {
        let ((inputs, source), (outputs, target)) = (self.inputs, self.outputs);
        let context = Context {
            field,
            registers: self.formula.registers,
            turns: Turn::of(self.formula, field),
            inputs,
            outputs,
            constants: &self.constants,
            source,
            target,
        };
        Variant::new(WORKGROUP, context)
    }
}

impl Evaluation {
    /// Prepares a task.
    ///
    /// # Errors
    /// [`Error::Shader`] for outputs that outgrow their form, and the device's faults.
    pub fn new(gpu: &Gpu, field: &BigField, task: &Task) -> Result<Self> {
        let room = match task.outputs.1 {
            // One subtraction makes them canonical.
            Form::Canonical => 2,
            Form::Lazy => field.multiples_in_memory(),
        };
        if task.formula.outputs.iter().any(|bound| *bound > room * CANONICAL) {
            return Err(Error::Shader(format!("evaluate: an output is not below {room} p")));
        }
        Ok(Evaluation {
            pipeline: gpu.pipeline(&EVALUATE, &task.variant(field))?,
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
        recorder.dispatch(&self.pipeline, stage, &buffers, &params, tuples.div_ceil(WORKGROUP))
    }
}

fn evaluate_variants(_: Arithmetic) -> Vec<Variant> {
    fn of<C: Curve>() -> Option<Vec<Variant>> {
        let field = BigField::of::<C::BaseField>();
        let additions = XYZZ.compile(&field).ok()?;
        let convert = conversion(&field).ok()?;
        let image = image_of_halving(&field).ok()?;
        let image = C::halving().map(|map| halving_task::<C>(&field, &map, &image).variant(&field.prime()));
        let convert = convert_task(&field, &convert).variant(&field.prime());
        Some([convert, double_task(&field, &additions).variant(&field)].into_iter().chain(image).collect())
    }
    // Without any curve, the type does not follow from the arms.
    let of_named = |name: CurveName| -> Option<Vec<Variant>> { with_curve!(name, C => of::<C>()) };
    CurveName::all().filter_map(of_named).flatten().collect()
}

/// The formula that converts the elements of an affine point, one after the other, as elements of the prime field.
pub(super) fn conversion(field: &BigField) -> Result<Formula> {
    let names = &["x", "y", "z", "w"][..2 * field.degree];
    let text: String = names.iter().map(|name| format!("{name} = {name}*factor\n")).collect();
    let inputs: Vec<_> = names.iter().chain(&["factor"]).map(|name| (*name, CANONICAL)).collect();
    Formula::compile(&text, &inputs, names, &field.prime())
}

/// The task that converts affine points from the host's form to the device's form.
pub(super) fn convert_task<'f>(field: &BigField, formula: &'f Formula) -> Task<'f> {
    let constants = vec![field.from_host.clone()];
    let elements = (2 * field.degree, Form::Canonical);
    Task { formula, inputs: elements, constants, outputs: elements }
}

/// The formula that maps an affine point by the endomorphism that divides scalars, with its elements as those of the prime field.
pub(super) fn image_of_halving(field: &BigField) -> Result<Formula> {
    let (x, y) = (["x", "X"], ["y", "Y"]);
    let (x, y) = (&x[..field.degree], &y[..field.degree]);
    let products = |names: &[&str], factor: &str| -> String {
        names.iter().map(|name| format!("{name} = {name}*{factor}\n")).collect()
    };
    let text = products(x, "f") + &products(y, "g");
    let names = [x, y].concat();
    let inputs: Vec<_> = names.iter().chain(&["f", "g"]).map(|name| (*name, CANONICAL)).collect();
    Formula::compile(&text, &inputs, &names, &field.prime())
}

/// The task that maps affine points in the host's form and converts them to the device's form.
pub(super) fn halving_task<'f, C: Curve>(
    field: &BigField,
    halving: &Halving<C::BaseField>,
    formula: &'f Formula,
) -> Task<'f> {
    let prime = field.prime();
    let factor = |factor: C::BaseField| factor.to_base_prime_field_elements().next().unwrap_or_default();
    let constants = [halving.x, halving.y].map(|value| prime.from_host_times(&factor(value))).to_vec();
    let elements = (2 * field.degree, Form::Canonical);
    Task { formula, inputs: elements, constants, outputs: elements }
}

/// The task that doubles affine points.
pub(super) fn double_task<'f>(field: &BigField, additions: &'f Additions) -> Task<'f> {
    // ZZ = ZZZ = 1.
    let one = (0..field.degree).map(|part| if part == 0 { field.one.clone() } else { vec![0; field.limbs] });
    let one: Vec<_> = one.collect();
    let constants = [one.clone(), one].concat();
    let (inputs, outputs) = ((2 * field.degree, Form::Canonical), (4 * field.degree, Form::Lazy));
    Task { formula: &additions.double, inputs, constants, outputs }
}
