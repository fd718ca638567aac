//! Which kinds of kernels were compiled on this machine before: the driver, or the pipeline cache, still has them, and a plan
//! counts for them what the driver took to make them again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use web_time::Instant;

use super::kernel::{Kernel, Variant};

/// The least and the largest factor: a disturbed measurement must not keep a GPU from ever being chosen.
const FACTORS: [f64; 2] = [1.0 / 32.0, 32.0];

/// Kinds of kernels: a task, and the field where they have one, as `gf2`, `ntt`, `msm 381` or `msm 381 x 2`. Each has the factor by
/// which the driver took longer to make them again than its reference kernel says, and 1 if that was not seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompiledKernels(pub(super) BTreeMap<String, f64>);

impl CompiledKernels {
    /// The factor of kernels of this task, over this field if there is one; `None` if they were not compiled before.
    pub fn factor(&self, task: &str, field: Option<(usize, usize)>) -> Option<f64> {
        self.0.get(&label(task, field)).copied()
    }

    /// Notes that kernels of a kind were compiled.
    pub(super) fn note(&mut self, kind: String) {
        self.0.entry(kind).or_insert(1.0);
    }

    /// Notes that these kinds took `seconds`, of which a plan with the present factors said `planned`. One time may have been
    /// disturbed: it counts as much as all before it.
    fn correct(&mut self, kinds: &BTreeSet<String>, seconds: f64, planned: f64) {
        let (ratio, [least, most]) = (seconds / planned, FACTORS);
        for (_, factor) in self.0.iter_mut().filter(|(kind, _)| kinds.contains(*kind)) {
            let weight = if *factor == 1.0 { 1.0 } else { 0.5 };
            *factor = (*factor * ratio.powf(weight)).clamp(least, most);
        }
    }
}

/// The time in which kernels are made, those that are made at the same time counted once.
#[derive(Debug, Default)]
pub(super) struct Making {
    /// Kernels that are being made, and since when without a pause.
    active: usize,
    since: Option<Instant>,
    /// The time before.
    before: Duration,
    /// The kinds of the kernels that were made.
    kinds: BTreeSet<String>,
    /// True if a kernel was new: its time says nothing of known ones.
    has_new: bool,
    /// True as soon as a preparation was compared with its plan.
    is_compared: bool,
}

impl Making {
    pub fn begin(&mut self) {
        self.active += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    /// Ends the making of a kernel of this kind, or one that failed.
    pub fn end(&mut self, kind: Option<String>, is_new: bool) {
        self.active = self.active.saturating_sub(1);
        if self.active == 0
            && let Some(since) = self.since.take()
        {
            self.before += since.elapsed();
        }
        self.has_new |= is_new;
        self.kinds.extend(kind);
    }

    /// True for the first preparation of a device, if nothing is compiled before it.
    pub fn take_first(&mut self) -> bool {
        !std::mem::replace(&mut self.is_compared, true) && self.active == 0 && self.kinds.is_empty()
    }

    /// Corrects the factors of what was made by that preparation, of which its plan said `planned`.
    pub fn compare(&self, compiled: &mut CompiledKernels, planned: Duration) {
        if !self.has_new && !self.kinds.is_empty() && !planned.is_zero() {
            compiled.correct(&self.kinds, self.before.as_secs_f64().max(1e-6), planned.as_secs_f64());
        }
    }
}

/// The kind of a kernel: the folder of its name, and the bits and the degree of its field.
pub(super) fn kind(kernel: &Kernel, variant: &Variant) -> String {
    label(kernel.name.split('/').next().unwrap_or_default(), variant.field())
}

fn label(task: &str, field: Option<(usize, usize)>) -> String {
    match field {
        None => task.to_owned(),
        Some((bits, 1)) => format!("{task} {bits}"),
        Some((bits, degree)) => format!("{task} {bits} x {degree}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The factor after preparations that took so many times what the plan said.
    fn factor(ratios: &[f64]) -> f64 {
        let mut compiled = CompiledKernels::default();
        compiled.note("ntt".to_owned());
        for ratio in ratios {
            compiled.correct(&["ntt".to_owned()].into(), 0.01 * ratio, 0.01);
        }
        compiled.factor("ntt", None).unwrap()
    }

    #[test]
    fn the_first_time_is_taken_and_later_ones_count_half() {
        assert_eq!(CompiledKernels::default().factor("ntt", None), None);
        let cases: [(&[f64], f64); 5] =
            [(&[], 1.0), (&[4.0], 4.0), (&[4.0, 0.25], 2.0), (&[1e9], FACTORS[1]), (&[1e-9], FACTORS[0])];
        for (ratios, expected) in cases {
            assert!((factor(ratios) / expected - 1.0).abs() < 1e-9, "{ratios:?}: {}", factor(ratios));
        }
    }

    #[test]
    fn new_kernels_and_second_preparations_correct_nothing() {
        let ran = |is_new: bool| {
            let (mut compiled, mut making) = (CompiledKernels::default(), Making::default());
            compiled.note("ntt".to_owned());
            assert!(making.take_first());
            making.begin();
            making.end(Some("ntt".to_owned()), is_new);
            assert!(!making.take_first());
            making.compare(&mut compiled, Duration::from_secs(1000));
            compiled.factor("ntt", None).unwrap()
        };
        assert_eq!((ran(true), ran(false)), (1.0, FACTORS[0]));
        let mut before = Making::default();
        before.begin();
        assert!(!before.take_first());
    }
}
