//! The passes of a four-step transform in numbers.

use std::fmt;

use super::kernels::{BaseSpec, LOG_TILE};
use super::{Form, PreparedFourStep, Transposition};
use crate::compared::{gpu_of, traffic};
use wgalois::ntt::arithmetic::{Modulus, Powers};
use wgalois::ntt::{Coset, Direction, Order, Passes, Transform};
use wgalois::task::{Cost, Plan, Problem, Profile, Traffic};
use wgalois::{Device, Error, Result};

/// One vector's transform in one form, natural order on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FourStep {
    transform: Transform,
    form: Form,
}

/// The plan of a [`FourStep`] transform.
#[derive(Clone, Debug)]
pub struct FourStepPlan {
    pub(super) transform: Transform,
    pub(super) form: Form,
    pub(super) passes: Vec<Pass>,
    cost: Cost,
}

/// One dispatch, from one vector to another. Lengths are log2 of words.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pass {
    /// Transforms in workgroup memory.
    Base(Base),
    /// Transpositions of matrices.
    Transpose { log_rows: u32, log_columns: u32 },
    /// Every word times 1/n, in place.
    Scale,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    /// The length of the transforms.
    pub log_base: u32,
    /// The words between the words of a transform, if it reads along a stride.
    pub log_stride: u32,
    /// The frequencies that earlier steps have computed.
    pub log_done: u32,
    /// The words that a workgroup transforms.
    pub log_words: u32,
}

impl FourStep {
    /// A transform in one form.
    pub fn new(transform: &Transform, form: Form) -> Self {
        FourStep { transform: *transform, form }
    }
}

impl Problem for FourStep {
    type Plan = FourStepPlan;

    /// Plans the transform for a GPU.
    ///
    /// # Errors
    /// [`Error::Usage`] for a form that the device cannot run, see [`Form::check`], and for anything but one
    /// vector in natural order without a coset; [`Error::OutOfMemory`] for more data than one binding, or the
    /// memory, holds.
    fn plan_for(&self, profile: &Profile) -> Result<FourStepPlan> {
        let FourStep { transform, form } = *self;
        form.check(profile)?;
        let natural = transform.input() == Order::Natural && transform.output() == Order::Natural;
        if !natural || transform.coset() != Coset::Subgroup || transform.batch() != 1 {
            return Err(Error::Usage(
                "four-step transforms are those of one vector, in natural order, without a coset".into(),
            ));
        }
        let passes = passes(&transform, form);
        let moves = passes.iter().filter(|pass| !matches!(pass, Pass::Base(_))).count();
        let table_bytes =
            passes.iter().map(Pass::table_bytes).sum::<u64>() + Powers::bytes(transform.log_n());
        let (words, dispatches) = (transform.n(), passes.len());
        let levels = transform.log_n() as usize + moves;
        let cost = Passes { words, dispatches, levels, vectors: 2, table_bytes }.cost(profile)?;
        Ok(FourStepPlan { transform, form, passes, cost })
    }
}

impl FourStepPlan {
    /// The transform.
    pub fn transform(&self) -> &Transform {
        &self.transform
    }

    /// The form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Dispatches of a transform.
    pub fn dispatches(&self) -> usize {
        self.passes.len()
    }

    /// The work of each dispatch, in order: transforms, transposition or scale.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.passes.iter().map(Pass::name)
    }

    /// Compiles the kernels and makes the tables.
    ///
    /// # Errors
    /// [`Error::Usage`] on the CPU engine.
    pub fn prepare(&self, device: &Device) -> Result<PreparedFourStep> {
        PreparedFourStep::new(gpu_of(device)?, self)
    }
}

impl Plan for FourStepPlan {
    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        traffic(self.transform.n(), self.dispatches())
    }
}

impl fmt::Display for FourStepPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a transform of 2^{} words in {} passes:", self.transform.log_n(), self.dispatches())?;
        for pass in &self.passes {
            match pass {
                Pass::Base(base) => write!(f, "\n  transforms of 2^{} words", base.log_base)?,
                Pass::Transpose { log_rows, log_columns } => {
                    write!(f, "\n  transpositions of 2^{log_rows} x 2^{log_columns} words")?;
                }
                Pass::Scale => write!(f, "\n  every word divided by the length")?,
            }
        }
        write!(f, "\n{}", self.cost)
    }
}

impl Pass {
    /// The name of the dispatch in timelines.
    pub fn name(&self) -> &'static str {
        match self {
            Pass::Base(_) => "transforms",
            Pass::Transpose { .. } => "transposition",
            Pass::Scale => "scale",
        }
    }

    /// Bytes of the table of a step: a pair of words for each power of its root.
    fn table_bytes(&self) -> u64 {
        match self {
            Pass::Base(base) => 8 << (base.log_base - 1),
            Pass::Transpose { .. } | Pass::Scale => 0,
        }
    }

    /// Workgroups of the dispatch, of 2^`log_n` words.
    pub fn groups(&self, log_n: u32, scale_workgroup: u32) -> u32 {
        let tiles = |log: u32| log.saturating_sub(LOG_TILE);
        match *self {
            Pass::Base(base) => 1 << (log_n - base.log_words),
            Pass::Transpose { log_rows, log_columns } => {
                1 << (log_n - log_rows - log_columns + tiles(log_rows) + tiles(log_columns))
            }
            Pass::Scale => u32::div_ceil(1 << log_n, scale_workgroup),
        }
    }
}

impl Base {
    /// The text of the step's kernel, in a transform of 2^`log_n` words.
    pub fn spec(self, form: Form, modulus: Modulus, log_n: u32) -> BaseSpec {
        BaseSpec {
            form,
            modulus,
            log_base: self.log_base,
            log_transforms: self.log_words - self.log_base,
            first: self.log_done == 0,
            last: self.log_done + self.log_base == log_n,
        }
    }
}

fn passes(transform: &Transform, form: Form) -> Vec<Pass> {
    let log_n = transform.log_n();
    let apart = form.transposition == Transposition::Apart;
    // A shorter step has correspondingly more transforms per workgroup, as far as there are enough.
    let log_words = (form.log_base + form.transforms.ilog2()).min(log_n);
    let mut passes = Vec::new();
    let mut log_done = 0;
    while log_done < log_n {
        let log_base = form.log_base.min(log_n - log_done);
        let log_stride = log_n - log_base;
        // Without strides, the words of a transform have to become neighbours first, and its frequencies
        // are placed before those of earlier steps.
        if apart && log_stride > 0 {
            passes.push(Pass::Transpose { log_rows: log_base, log_columns: log_stride });
        }
        passes.push(Pass::Base(Base { log_base, log_stride, log_done, log_words }));
        if apart && log_done > 0 {
            passes.push(Pass::Transpose { log_rows: log_done, log_columns: log_base });
        }
        log_done += log_base;
    }
    if transform.direction() == Direction::Inverse {
        passes.push(Pass::Scale);
    }
    passes
}
