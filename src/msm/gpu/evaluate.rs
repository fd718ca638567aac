//! A formula over a list of tuples of field elements.

use std::sync::Arc;

use serde::Serialize;

use super::kernels::WORKGROUP;
use crate::field::{BigField, CANONICAL, Formula, Turn};
use crate::gpu::{Binding, Gpu, Kernel, Pipeline, Recorder, Variant};
use crate::{Error, Result};

/// Applies a formula to every tuple of a list.
pub static EVALUATE: Kernel = Kernel {
    name: "evaluate",
    source: "evaluate.wgsl",
    bindings: &[Binding::read("input", "array<u32>"), Binding::read_write("output", "array<u32>")],
    params: &["tuples", "first_input", "first_output", "turns", "repeats"],
    variants: super::tables::evaluate_variants,
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
#[derive(Debug)]
pub struct Evaluation {
    pipeline: Arc<Pipeline>,
    turns: u32,
}

/// What an evaluation computes, and on what.
#[derive(Debug)]
pub struct Task<'a> {
    /// The formula. Its inputs are those of a tuple, then the constants.
    pub formula: &'a Formula,
    /// How many elements a tuple has, and how they lie.
    pub inputs: (usize, Form),
    /// The same elements for every tuple, in limbs.
    pub constants: Vec<Vec<u32>>,
    /// How many outputs a tuple gives, and how they are written.
    pub outputs: (usize, Form),
}

/// Where an evaluation begins and ends.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// How many tuples there are.
    pub tuples: u32,
    /// The first of them in the input.
    pub first_input: u32,
    /// The place of its outputs, in tuples.
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
        (input, output): (&wgpu::Buffer, &wgpu::Buffer),
        span: Span,
        repeats: u32,
    ) -> Result<()> {
        let params = [span.tuples, span.first_input, span.first_output, self.turns, repeats];
        let buffers = [input, output];
        recorder.dispatch(&self.pipeline, stage, &buffers, &params, span.tuples.div_ceil(WORKGROUP))
    }
}
