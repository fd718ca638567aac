//! Four-step transforms in several forms, with the time of each of their kernels.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::csv::{self, Record};
use super::{Lab, Table, reference_seconds};
use crate::compared::four_step::{Form, FourStep, Transposition, forms};
use crate::compared::on_gpu;
use crate::{Fields, Figure, Row, Timing, Unit};
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::gpu::Samples;
use wgalois::ntt::Transform;
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Result};

/// The table.
pub static TABLE: Table = Table {
    name: "four-step",
    title: "Four-step transforms on transforms of 256 points",
    notes: &[
        "length, modulus, card and padding are not given: 2^16 words modulo 2013265921 here, the published times \
         beside the forms without padding",
        "kernels are published in order, without names; read as: a transposition, transforms with twiddles, a \
         transposition where it is apart, transforms",
        "merged transpositions here leave two kernels; apart, a last transposition is a kernel of its own",
    ],
    groups: &[("prime", "modulo "), ("log_n", "length "), ("log_base", "base ")],
    columns: &[
        ("threads", "threads", 7),
        ("transforms", "a block", 7),
        ("padded", "padded", 6),
        ("transposition", "transp.", 7),
        ("step", "published form, its kernels", 34),
        ("seconds", "device", 8),
        ("copies", "copies", 6),
        ("published", "published", 9),
        ("over", "gain", 7),
        ("fast_over", "fast gain", 9),
        ("outcome", "result", 9),
    ],
    figures: || {
        let all: Vec<_> = lines()?.into_iter().flat_map(|line| line.figures).collect();
        Ok(all)
    },
    run,
};

/// log2 of the length: 256 times 256.
const LOG_N: u32 = 16;
const QUICK_LOG_N: u32 = 12;
/// log2 of the published base.
const LOG_BASE: u32 = 8;

/// A line of the published table.
struct Line {
    name: &'static str,
    form: Form,
    figures: Vec<Figure>,
}

fn lines() -> Result<Vec<Line>> {
    let line = |record: Record| {
        let name = record.text("form")?;
        let (transforms, transposition) = match name {
            "one a block (original)" => (1, Transposition::Merged),
            "two a block; transposition apart" => (2, Transposition::Apart),
            "two a block; transposition merged" => (2, Transposition::Merged),
            "four a block; transposition apart" => (4, Transposition::Apart),
            "four a block; transposition merged" => (4, Transposition::Merged),
            _ => return Err(record.fault("no such form")),
        };
        let form = forms().find(|form| {
            (form.log_base, form.transforms, form.transposition, form.padded)
                == (LOG_BASE, transforms, transposition, false)
        });
        let form = form.ok_or_else(|| record.fault("no such form"))?;
        let total = record.figure("total_us", "", Unit::Microseconds)?;
        Ok(Line { name, form, figures: total.into_iter().chain(kernels(&record, transposition)?).collect() })
    };
    csv::POINTS_256.records()?.into_iter().map(line).collect()
}

/// Returns the times of a line's kernels, by the names that [`step_names`] gives to the same work.
fn kernels(record: &Record, transposition: Transposition) -> Result<Vec<Figure>> {
    let names: &[&str] = match transposition {
        Transposition::Apart => {
            &["transposition before 1", "transforms 1", "transposition before 2", "transforms 2"]
        }
        Transposition::Merged => &["transposition before 1", "transforms 1", "transforms 2"],
    };
    let times: Vec<_> = record.text("kernels_us")?.split('+').collect();
    if times.len() != names.len() {
        return Err(record.fault("another number of kernels"));
    }
    let figure = |(name, time): (&&'static str, &&str)| Figure::read(name, time, Unit::Microseconds);
    let figures = names.iter().zip(&times).map(figure).collect::<Result<Vec<_>>>()?;
    Ok(figures.into_iter().flatten().map(Figure::of_step).collect())
}

fn run(lab: &mut Lab) -> Result<Vec<Row>> {
    let (log_n, lines) = (lab.size(LOG_N, QUICK_LOG_N), lines()?);
    let published = |form: &Form| lines.iter().find(|line| line.form == *form);
    rows(lab, BABY_BEAR, log_n, |form| form.log_base == LOG_BASE, published)
}

/// Verifies and times the forms that are `wanted`, on one random vector of 2^`log_n` words modulo `prime`: the
/// whole transform, then each of its dispatches.
///
/// # Errors
/// [`Error::Input`] if there is no such transform; [`Error::DeviceLost`]; other faults are the outcome of their row.
pub fn measure(lab: &mut Lab, prime: Prime, log_n: u32, wanted: impl Fn(&Form) -> bool) -> Result<Vec<Row>> {
    // The published figures are of one length.
    let lines = if (prime, log_n) == (BABY_BEAR, LOG_N) { lines()? } else { Vec::new() };
    rows(lab, prime, log_n, wanted, |form| lines.iter().find(|line| line.form == *form))
}

fn rows<'l>(
    lab: &mut Lab,
    prime: Prime,
    log_n: u32,
    wanted: impl Fn(&Form) -> bool,
    published: impl Fn(&Form) -> Option<&'l Line>,
) -> Result<Vec<Row>> {
    let spec = Transform::new(prime, 1usize.checked_shl(log_n).unwrap_or(0))?;
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(log_n));
    let data: Vec<u32> = (0..spec.n()).map(|_| rng.random_range(0..prime.value())).collect();
    let (copy, fast) = (lab.copy_seconds(spec.len())?, Fast::measure(lab, &spec, &data)?);
    let mut rows = Vec::new();
    for form in forms().filter(wanted) {
        let time = |lab: &mut Lab| Ok(Timing { copy, ..time(lab, &spec, form, &data, &fast)? });
        let line = published(&form);
        let fields = fields(prime, log_n, form).with("published_as", line.map(|line| line.name));
        let row = lab.row(fields, "GPU, four steps", time)?;
        let figures = line.map_or(Vec::new(), |line| line.figures.clone());
        rows.push(lab.show(row.with_published(figures).with_fast(fast.seconds)));
    }
    Ok(rows)
}

fn fields(prime: Prime, log_n: u32, form: Form) -> Fields {
    Fields::default()
        .with("prime", prime.value())
        .with("log_n", log_n)
        .with("log_base", form.log_base)
        .with("threads", form.threads)
        .with("transforms", form.transforms)
        .with("padded", form.padded)
        .with("transposition", form.transposition)
}

fn time(lab: &mut Lab, spec: &Transform, form: Form, data: &[u32], fast: &Fast) -> Result<Timing> {
    let gpu = lab.gpu()?;
    let prepared = FourStep::new(spec, form)
        .plan_for(&Device::Gpu(gpu.clone()).profile())?
        .prepare(&Device::Gpu(gpu.clone()))?;
    let mut result = data.to_vec();
    prepared.run(&mut result)?;
    spec.check(&Device::Cpu(Cpu::default()), data, &result)?;
    fast.compare(&result)?;
    let (mut vector, mut other) = (gpu.upload(data)?, gpu.upload(data)?);
    let kernels = on_gpu(&prepared)?;
    let whole = lab.device_time(|recorder| kernels.record(recorder, &mut vector, &mut other))?;
    let mut steps = BTreeMap::new();
    for (dispatch, name) in step_names(prepared.plan().problem()).into_iter().enumerate() {
        let one = lab
            .device_time(|recorder| kernels.record_one(recorder, dispatch, &mut vector, &mut other))?
            .map(|samples| samples.median().as_secs_f64());
        steps.extend(one.map(|seconds| (name, seconds)));
    }
    Ok(Timing { steps, ..whole.iter().fold(Timing::default(), Timing::with_device) })
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

/// The fast method on the data of a case: its time and its result, where it has them.
pub(super) struct Fast {
    pub seconds: Option<f64>,
    result: Option<Vec<u32>>,
}

impl Fast {
    /// Transforms `data`, then times the fast method; there is no time without timestamps, and neither time nor result
    /// where it has no room.
    pub fn measure(lab: &mut Lab, spec: &Transform, data: &[u32]) -> Result<Self> {
        match Fast::run(lab, spec, data) {
            Ok((times, result)) => Ok(Fast { seconds: reference_seconds(Ok(times))?, result: Some(result) }),
            Err(error) => Ok(Fast { seconds: reference_seconds(Err(error))?, result: None }),
        }
    }

    fn run(lab: &mut Lab, spec: &Transform, data: &[u32]) -> Result<(Option<Samples>, Vec<u32>)> {
        let gpu = lab.gpu()?;
        let device = Device::Gpu(gpu.clone());
        let prepared = spec.plan(&device)?.prepare(&device)?;
        let mut result = data.to_vec();
        prepared.run(&mut result)?;
        let mut vector = gpu.upload(data)?;
        let times = lab.device_time(|recorder| prepared.record(recorder, &mut vector))?;
        Ok((times, result))
    }

    /// Compares another method's result with the fast method's.
    ///
    /// # Errors
    /// [`Error::Check`] if they differ.
    pub fn compare(&self, result: &[u32]) -> Result<()> {
        match &self.result {
            Some(right) if right != result => {
                Err(Error::Check("the result is not that of the fast method".into()))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_line_has_a_form_and_its_kernels_add_up() {
        let lines = lines().unwrap();
        assert_eq!(lines.len(), 5);
        for Line { form, figures, .. } in lines {
            let (total, kernels) = figures.split_first().unwrap();
            assert!(!total.step && kernels.iter().all(|kernel| kernel.step));
            let sum: f64 = kernels.iter().map(Figure::number).sum();
            assert!((sum - total.number()).abs() < 0.006, "{form:?}: {sum} and {total}");
        }
    }

    #[test]
    fn another_result_than_the_fast_methods_is_wrong() {
        let fast = Fast { seconds: None, result: Some(vec![1, 2]) };
        fast.compare(&[1, 2]).unwrap();
        for other in [&[1, 3][..], &[1], &[1, 2, 0]] {
            assert!(matches!(fast.compare(other), Err(Error::Check(_))), "{other:?}");
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
