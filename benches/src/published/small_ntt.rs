//! Transforms of 64 points in several forms, and what each part of their work costs.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::csv::{self, Record};
use super::four_step::Fast;
use super::{Lab, Table};
use crate::compared::on_gpu;
use crate::compared::small::{Ablation, Form, Method, POINTS, Small, TRANSFORMS, forms};
use crate::{Fields, Figure, Row, Timing, Unit};
use wgalois::field::BABY_BEAR;
use wgalois::ntt::Transform;
use wgalois::task::Problem;
use wgalois::{Device, Result};

/// The table.
pub static TABLE: Table = Table {
    name: "small-ntt",
    title: "Transforms of 64 points",
    notes: &[
        "batch: workgroups x transforms of each; modulus and card are not given: modulo 2013265921 here",
        "the published batch of the transforms in registers is not given: they stand beside 512x4",
        "occupancy: the share of the card's warps in use, by its profiler; not available in WGSL",
        "forms that leave out work compute no transform; that the rest is done was checked before they were timed",
    ],
    groups: &[("batch", "batch "), ("system", "")],
    columns: &[
        ("bank_conflicts", "bank conflicts", 14),
        ("left_out", "left out", 33),
        ("seconds", "device", 8),
        ("copies", "copies", 6),
        ("published", "published", 16),
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

/// The batches, in workgroups, and those of a quick run.
const BATCHES: [usize; 3] = [1, 512, 65_536];
const QUICK_BATCHES: [usize; 3] = [1, 5, 20];
/// The batch that stands for one that is not given.
const NOT_GIVEN: usize = 512;

/// A line of the published table.
struct Line {
    form: Form,
    batch: usize,
    figures: Vec<Figure>,
}

fn lines() -> Result<Vec<Line>> {
    csv::POINTS_64.records()?.into_iter().map(line).collect()
}

fn line(record: Record) -> Result<Line> {
    let method = match record.text("form")? {
        "32 threads a transform in shared memory" => Method::Workgroup,
        "8 threads a transform in registers" => Method::Registers,
        _ => return Err(record.fault("no such form")),
    };
    let batch = match record.text("batch")? {
        "1x4" => 1,
        "512x4" => 512,
        "65536x4" => 65_536,
        "not given" => NOT_GIVEN,
        _ => return Err(record.fault("no such batch")),
    };
    let ablation = match record.text("ablation")? {
        "" => None,
        "no global memory" => Some(Ablation::GlobalMemory),
        "no twiddles read" => Some(Ablation::Twiddles),
        "no butterflies" => Some(Ablation::Butterflies),
        "no butterflies and no shared memory" => Some(Ablation::ButterfliesAndWorkgroupMemory),
        _ => return Err(record.fault("no such ablation")),
    };
    let form = Form { method, skewed: record.text("bank_conflicts")? == "no", ablation };
    let time = record.figure("us", "", Unit::Microseconds)?;
    let occupancy = record.figure("occupancy_percent", "occupancy", Unit::Percent)?;
    Ok(Line { form, batch, figures: time.into_iter().chain(occupancy).collect() })
}

/// The forms in the published order: those in workgroup memory, whole and stripped, then those in registers.
fn ordered() -> Vec<Form> {
    let mut forms = forms();
    forms.sort_by_key(|form| form.method == Method::Registers);
    forms
}

fn run(lab: &mut Lab) -> Result<Vec<Row>> {
    let lines = lines()?;
    let mut rows = Vec::new();
    for (published, batch) in BATCHES.into_iter().zip(lab.size(BATCHES, QUICK_BATCHES)) {
        let case = Case::new(lab, batch)?;
        for form in ordered() {
            let row = case.row(lab, form)?;
            let line = lines.iter().find(|line| (line.form, line.batch) == (form, published));
            let figures = line.map(|line| line.figures.clone()).unwrap_or_default();
            rows.push(lab.show(row.with_published(figures)));
        }
    }
    Ok(rows)
}

/// One batch.
struct Case {
    spec: Transform,
    batch: usize,
    data: Vec<u32>,
    /// The time of a copy.
    copy: Option<f64>,
    fast: Fast,
}

impl Case {
    fn new(lab: &mut Lab, batch: usize) -> Result<Self> {
        let spec = Transform::new(BABY_BEAR, POINTS)?.with_batch(batch * TRANSFORMS as usize);
        let mut rng = ChaCha8Rng::seed_from_u64(batch as u64);
        let data: Vec<u32> = (0..spec.len()).map(|_| rng.random_range(0..BABY_BEAR.value())).collect();
        let (copy, fast) = (lab.copy_seconds(spec.len())?, Fast::measure(lab, &spec, &data)?);
        Ok(Case { spec, batch, data, copy, fast })
    }

    fn row(&self, lab: &mut Lab, form: Form) -> Result<Row> {
        let fields = Fields::default()
            .with("batch", format!("{}x{TRANSFORMS}", self.batch))
            .with("bank_conflicts", !form.skewed)
            .with("left_out", form.ablation.map(Ablation::name))
            .with("occupancy", "not available in WGSL");
        let system = match form.method {
            Method::Workgroup => "32 threads a transform, workgroup memory",
            Method::Registers => "8 threads a transform, registers",
        };
        let row = lab.row(fields, system, |lab| self.time(lab, form))?;
        let row = row.with_fast(self.fast.seconds);
        Ok(match form.ablation {
            Some(ablation) => row.unchecked(format!("no transform, without {}", ablation.name())),
            None => row,
        })
    }

    fn time(&self, lab: &mut Lab, form: Form) -> Result<Timing> {
        let gpu = lab.gpu()?;
        let prepared = Small::new(&self.spec, form)
            .plan_for(&Device::Gpu(gpu.clone()).profile())?
            .prepare(&Device::Gpu(gpu.clone()))?;
        let mut result = self.data.clone();
        prepared.run(&mut result)?;
        prepared.plan().problem().check(&self.data, &result, &mut rand::rng())?;
        // Without a part of its work it is another map.
        if form.ablation.is_none() {
            self.fast.compare(&result)?;
        }
        let (source, mut target) = (gpu.upload(&self.data)?, gpu.zeros(self.data.len())?);
        let kernels = on_gpu(&prepared)?;
        let times = lab.device_time(|recorder| kernels.record(recorder, &source, &mut target))?;
        Ok(Timing { copy: self.copy, ..times.iter().fold(Timing::default(), Timing::with_device) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_line_has_a_form_of_its_own() {
        let lines = lines().unwrap();
        assert_eq!(lines.len(), 18);
        for (i, line) in lines.iter().enumerate() {
            assert!(ordered().contains(&line.form) && BATCHES.contains(&line.batch), "line {i}");
            let same = lines.iter().filter(|other| (other.form, other.batch) == (line.form, line.batch));
            assert_eq!(same.count(), 1, "line {i}");
        }
    }
}
