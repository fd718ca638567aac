//! Four-step transforms in several forms, with the time of each of their kernels.

use std::collections::BTreeMap;

use super::csv::{self, Record};
use super::forms::Case;
use super::{Lab, Table, layout};
use crate::compared::four_step::{FourStep, FourStepForm, Transposition, forms};
use crate::compared::{Kernels, on_gpu};
use crate::{Fields, Figure, Row, Timing};
use wgalois::Result;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::ntt::Transform;

/// The table.
pub static TABLE: Table = Table {
    layout: layout!("four-step.json"),
    file: csv::file!("ntt_256_point.csv"),
    figures: |record| Ok([record.figures(&[("total_us", "", "us")])?, kernels(record)?].concat()),
    run: |lab| measure(lab, BABY_BEAR, lab.size(LOG_N, QUICK_LOG_N), |form| form.log_base == LOG_BASE),
};

/// log2 of the length: 256 times 256.
const LOG_N: u32 = 16;
const QUICK_LOG_N: u32 = 12;
/// log2 of the published base.
const LOG_BASE: u32 = 8;

/// The published forms: name, transforms per workgroup, transpositions.
const PUBLISHED: [(&str, u32, Transposition); 5] = [
    ("one a block (original)", 1, Transposition::Merged),
    ("two a block; transposition apart", 2, Transposition::Apart),
    ("two a block; transposition merged", 2, Transposition::Merged),
    ("four a block; transposition apart", 4, Transposition::Apart),
    ("four a block; transposition merged", 4, Transposition::Merged),
];

/// The published name of a form.
fn published_as(form: &FourStepForm) -> Option<&'static str> {
    let is_it = |&(_, transforms, transposition): &(&str, u32, Transposition)| {
        (LOG_BASE, transforms, transposition, false)
            == (form.log_base, form.transforms, form.transposition, form.padded)
    };
    PUBLISHED.into_iter().find(is_it).map(|(name, ..)| name)
}

/// Returns the times of a line's kernels, by the names that [`step_names`] gives to the same work.
fn kernels(record: &Record) -> Result<Vec<Figure>> {
    let times: Vec<_> = record.text("kernels_us")?.split('+').collect();
    let names = match times.len() {
        3 => &["transposition before 1", "transforms 1", "transforms 2"][..],
        4 => &["transposition before 1", "transforms 1", "transposition before 2", "transforms 2"],
        _ => return Err(record.fault("another number of kernels")),
    };
    let figures =
        names.iter().zip(times).filter_map(|(name, time)| Figure::read(name, time, "us").transpose());
    figures.map(|figure| figure.map(Figure::of_step)).collect()
}

/// Verifies and times the forms that are `wanted`, on one random vector of 2^`log_n` words modulo `prime`: the
/// whole transform, then each of its dispatches. The published figures stand beside their forms at the published length, and in
/// a quick run.
pub fn measure(
    lab: &mut Lab,
    prime: Prime,
    log_n: u32,
    wanted: impl Fn(&FourStepForm) -> bool,
) -> Result<Vec<Row>> {
    let is_published = (prime, log_n) == (BABY_BEAR, lab.size(LOG_N, QUICK_LOG_N));
    let transform = Transform::new(prime, 1usize.checked_shl(log_n).unwrap_or(0))?;
    let case = Case::new(lab, &transform, log_n.into())?.with_fast(lab)?;
    let mut rows = Vec::new();
    for form in forms().filter(wanted) {
        let name = published_as(&form).filter(|_| is_published);
        let fields = Fields::default()
            .with("prime", prime.value())
            .with("log_n", log_n)
            .with("log_base", form.log_base)
            .with("threads", form.threads)
            .with("transforms", form.transforms)
            .with("padded", form.padded)
            .with("transposition", form.transposition)
            .with("published_as", name);
        let row = lab.row(fields, "GPU, four steps", |lab| time(lab, &case, form))?;
        let figures = name.map_or(Ok(Vec::new()), |name| TABLE.published(&[("form", name)]))?;
        rows.push(lab.show(row.with_published(figures).with_fast(case.fast.seconds)));
    }
    Ok(rows)
}

fn time(lab: &mut Lab, case: &Case, form: FourStepForm) -> Result<Timing> {
    let prepared = case.checked(lab, form, true)?;
    let kernels = on_gpu(&prepared)?;
    let whole = case.timed(lab, |recorder, vectors| kernels.record(recorder, vectors).map(drop))?;
    let mut steps = BTreeMap::new();
    for (dispatch, name) in step_names(prepared.plan().problem()).into_iter().enumerate() {
        let one = case.timed(lab, |recorder, vectors| kernels.record_one(recorder, dispatch, vectors))?;
        steps.extend(one.device.map(|seconds| (name, seconds)));
    }
    Ok(Timing { steps, ..whole })
}

/// Returns a name for each dispatch: the transforms are counted from 1, and a transposition is before or after
/// those that it serves.
fn step_names(problem: &FourStep) -> Vec<String> {
    let (mut step, mut begun) = (0, false);
    let name = |name: &'static str| match name {
        "transforms" => {
            (step, begun) = (step + 1, false);
            format!("{name} {step}")
        }
        // A step has at most one transposition before it, and one after it, which comes first.
        "transposition" if step > 1 && !std::mem::replace(&mut begun, true) => format!("{name} after {step}"),
        "transposition" => format!("{name} before {}", step + 1),
        name => name.to_owned(),
    };
    problem.names().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_line_has_a_form_and_its_kernels_add_up() {
        let records = TABLE.file.records().unwrap();
        assert_eq!(records.len(), 5);
        for record in records {
            let name = record.text("form").unwrap();
            assert_eq!(forms().filter(|form| published_as(form) == Some(name)).count(), 1, "{name}");
            let figures = (TABLE.figures)(&record).unwrap();
            let (total, kernels) = figures.split_first().unwrap();
            assert!(!total.step && kernels.iter().all(|kernel| kernel.step));
            let sum: f64 = kernels.iter().map(Figure::number).sum();
            assert!((sum - total.number()).abs() < 0.006, "{name}: {sum} and {total}");
        }
    }

    #[test]
    fn every_dispatch_has_a_name_of_its_own() {
        for form in forms() {
            for log_n in [5, 8, 16, 17, 24] {
                let spec = Transform::new(BABY_BEAR, 1 << log_n).unwrap();
                let names = step_names(&FourStep::new(&spec, form));
                let mut different = names.clone();
                different.sort();
                different.dedup();
                assert_eq!(different.len(), names.len(), "{names:?}");
            }
        }
        let spec = Transform::new(BABY_BEAR, 1 << LOG_N).unwrap();
        let names = |transposition| {
            let form = forms().find(|f| f.log_base == LOG_BASE && f.transposition == transposition).unwrap();
            step_names(&FourStep::new(&spec, form))
        };
        let apart = names(Transposition::Apart);
        assert_eq!(apart[..2], ["transposition before 1", "transforms 1"]);
        assert_eq!(apart[2..], ["transposition before 2", "transforms 2", "transposition after 2"]);
        assert_eq!(names(Transposition::Merged), ["transforms 1", "transforms 2"]);
    }
}
