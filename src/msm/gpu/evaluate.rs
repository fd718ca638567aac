//! A formula over a list of tuples of field elements.

use std::sync::Arc;

use serde::Serialize;

use crate::Result;
use crate::curve::{Curve, coordinates::XYZZ};
use crate::field::{BigField, Formula};
use crate::gpu::{Binding, DeviceVec, Gpu, Kernel, Pipeline, Recorder, Variant};

/// Applies a formula to every tuple of a list.
pub static EVALUATE: Kernel = Kernel {
    name: "evaluate",
    source: "evaluate.wgsl",
    bindings: &[
        Binding::read("formula", "array<vec2<u32>>"),
        Binding::read("input", "array<u32>"),
        Binding::read_write("output", "array<u32>"),
    ],
    params: &["tuples", "steps", "repeats"],
    variants: || vec![],
};

/// How an element lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Below p, in the field's `words`.
    Canonical,
    /// Below 8 p, in the field's `lazy_words`.
    Lazy,
}

/// A formula over tuples, ready to run on one device.
pub struct Evaluation {
    pipeline: Arc<Pipeline>,
    formula: DeviceVec<u32>,
    steps: u32,
}

#[derive(Serialize)]
struct Context<'a> {
    field: &'a BigField,
    registers: u32,
    inputs: usize,
    outputs: usize,
    constants: &'a [Vec<u32>],
    from: Form,
    to: Form,
}

impl Evaluation {
    /// Prepares `formula`, whose inputs are `inputs` elements a tuple in the form `from`, then
    /// the `constants` (in limbs), and whose `outputs` are written in the form `to`.
    pub fn new(
        gpu: &Gpu,
        field: &BigField,
        formula: &Formula,
        (inputs, from): (usize, Form),
        constants: &[Vec<u32>],
        (outputs, to): (usize, Form),
    ) -> Result<Self> {
        let context = Context { field, registers: formula.registers, inputs, outputs, constants, from, to };
        Ok(Evaluation {
            pipeline: gpu.pipeline(&EVALUATE, &Variant::new(64, context))?,
            formula: gpu.upload(&formula.table())?,
            steps: formula.steps.len() as u32,
        })
    }

    /// Runs the formula `repeats` times over each of `tuples` tuples.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        stage: &str,
        input: &wgpu::Buffer,
        output: &wgpu::Buffer,
        tuples: u32,
        repeats: u32,
    ) -> Result<()> {
        let buffers = [self.formula.whole()?, input, output];
        recorder.dispatch(
            &self.pipeline,
            stage,
            &buffers,
            &[tuples, self.steps, repeats],
            tuples.div_ceil(64),
        )
    }
}
