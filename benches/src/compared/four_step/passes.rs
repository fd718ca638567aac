//! The passes of a four-step transform in numbers.

use super::kernels::LOG_TILE;
use super::{FourStepForm, Transposition};
use wgalois::ntt::{Direction, Transform};

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
    /// True if no step comes after.
    pub is_last: bool,
}

/// The dispatches of a transform in one form, in order.
pub(super) fn of(transform: &Transform, form: FourStepForm) -> Vec<Pass> {
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
        let is_last = log_done + log_base == log_n;
        passes.push(Pass::Base(Base { log_base, log_stride, log_done, log_words, is_last }));
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
