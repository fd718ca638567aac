//! Transforms of 64 points in several forms, and what each part of their work costs.

use super::csv;
use super::forms::Case;
use super::{Lab, Table, layout};
use crate::compared::small::{Ablation, POINTS, SmallForm, Storage, TRANSFORMS, forms};
use crate::{Fields, Row};
use wgalois::Result;
use wgalois::field::BABY_BEAR;
use wgalois::ntt::Transform;

/// The table.
pub static TABLE: Table = Table {
    layout: layout!("small-ntt.json"),
    file: csv::file!("ntt_64_point.csv"),
    figures: |record| record.figures(&[("us", "", "us"), ("occupancy_percent", "occupancy", "percent")]),
    run,
};

/// The batches, in workgroups, and those of a quick run.
const BATCHES: [usize; 3] = [1, 512, 65_536];
const QUICK_BATCHES: [usize; 3] = [1, 5, 20];

/// The cells of the published line of a form.
fn cells(form: SmallForm, batch: &str) -> [(&str, &str); 4] {
    // The batch of the transforms in registers is not given: they stand beside one of the others.
    let (name, batch) = match (form.storage, batch) {
        (Storage::Workgroup, batch) => ("32 threads a transform in shared memory", batch),
        (Storage::Registers, "512x4") => ("8 threads a transform in registers", "not given"),
        (Storage::Registers, _) => ("8 threads a transform in registers", ""),
    };
    let ablation = match form.ablation {
        None => "",
        Some(Ablation::GlobalMemory) => "no global memory",
        Some(Ablation::Twiddles) => "no twiddles read",
        Some(Ablation::Butterflies) => "no butterflies",
        Some(Ablation::ButterfliesAndWorkgroupMemory) => "no butterflies and no shared memory",
    };
    let conflicts = if form.skewed { "no" } else { "yes" };
    [("form", name), ("bank_conflicts", conflicts), ("batch", batch), ("ablation", ablation)]
}

/// The forms in the published order: those in workgroup memory, whole and stripped, then those in registers.
fn ordered() -> Vec<SmallForm> {
    let mut forms = forms();
    forms.sort_by_key(|form| form.storage == Storage::Registers);
    forms
}

fn run(lab: &mut Lab) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (published, batch) in BATCHES.into_iter().zip(lab.size(BATCHES, QUICK_BATCHES)) {
        let transforms = Transform::new(BABY_BEAR, POINTS)?.with_batch(batch * TRANSFORMS as usize);
        let case = Case::new(lab, &transforms, batch as u64)?.with_fast(lab)?;
        for form in ordered() {
            let fields = Fields::default()
                .with("batch", format!("{batch}x{TRANSFORMS}"))
                .with("bank_conflicts", !form.skewed)
                .with("left_out", form.ablation.map(Ablation::name))
                .with("occupancy", "not available in WGSL");
            let system = match form.storage {
                Storage::Workgroup => "32 threads a transform, workgroup memory",
                Storage::Registers => "8 threads a transform, registers",
            };
            // Without a part of its work it is another map.
            let row = case.row(lab, fields, system, (form, form.ablation.is_none()))?;
            let row = match form.ablation {
                Some(ablation) => row.unchecked(format!("no transform, without {}", ablation.name())),
                None => row,
            };
            let figures = TABLE.published(&cells(form, &format!("{published}x{TRANSFORMS}")))?;
            rows.push(lab.show(row.with_published(figures)));
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_line_has_a_form_of_its_own() {
        let records = TABLE.file.records().unwrap();
        assert_eq!(records.len(), 18);
        for (i, record) in records.iter().enumerate() {
            let batches = BATCHES.map(|batch| format!("{batch}x{TRANSFORMS}"));
            let all = ordered().into_iter().flat_map(|form| batches.iter().map(move |batch| (form, batch)));
            let own: Vec<_> = all.filter(|(form, batch)| record.has(&cells(*form, batch))).collect();
            assert_eq!(own.len(), 1, "line {i}");
            let same = |other: &&csv::Record| other.has(&cells(own[0].0, own[0].1));
            assert_eq!(records.iter().filter(same).count(), 1, "line {i}");
        }
    }
}
