//! A four-step transform: its passes in numbers.

use std::fmt;

use super::kernels::{BaseSpec, LOG_TILE};
use super::{Form, FourStepKernels, Transposition};
use crate::compared::OnGpu;
use wgalois::Result;
use wgalois::ntt::arithmetic::Modulus;
use wgalois::ntt::{Direction, Transform};
use wgalois::task::{Planned, Prepared, Problem, Profile, Ways};

/// One vector's transform in one form, natural order on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FourStep {
    pub(super) transform: Transform,
    pub(super) form: Form,
}

/// The plan of a [`FourStep`] transform.
pub type FourStepPlan = Planned<FourStep>;

/// One vector's transform, natural order on both sides, ready to run.
pub type PreparedFourStep = Prepared<'static, FourStep>;

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
        self.passes().len()
    }

    /// The work of each dispatch, in order: transforms, transposition or scale.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.passes().into_iter().map(|pass| pass.name())
    }

    /// Its dispatches, in order.
    pub(super) fn passes(&self) -> Vec<Pass> {
        let FourStep { transform, form } = self;
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
}

impl Problem for FourStep {
    const NAME: &'static str = "this transform";

    type Resident<'a> = ();
    /// The vector.
    type Input<'a> = &'a mut [u32];
    type Answer = ();
    type Kernels = FourStepKernels;

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        Ok(Ways::default().with(OnGpu::NAME, self.on_gpu(profile)))
    }

    fn check_input(&self, vector: &&mut [u32]) -> Result<()> {
        self.transform.check_words(vector)
    }

    fn reborrow<'s>(vector: &'s mut Self::Input<'_>) -> Self::Input<'s> {
        vector
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "a transform of 2^{} words in {} passes:", self.transform.log_n(), self.dispatches())?;
        self.passes().iter().try_for_each(|pass| match pass {
            Pass::Base(base) => writeln!(f, "  transforms of 2^{} words", base.log_base),
            Pass::Transpose { log_rows, log_columns } => {
                writeln!(f, "  transpositions of 2^{log_rows} x 2^{log_columns} words")
            }
            Pass::Scale => writeln!(f, "  every word divided by the length"),
        })
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
    pub fn table_bytes(&self) -> u64 {
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
