//! Transpositions alone, as multiples of a copy.

use super::csv::{self, Column};
use super::forms::Case;
use super::{Lab, Table, layout};
use crate::compared::four_step::{TransposeKernel, transpose_forms};
use crate::{Fields, Row};
use wgalois::Result;
use wgalois::field::BABY_BEAR;
use wgalois::ntt::Transform;

/// The table.
pub static TABLE: Table = Table {
    layout: layout!("transpositions.json"),
    file: csv::file!("ntt_transpositions.csv"),
    figures: |record| record.figures(&TIMES),
    run,
};

/// log2 of the words, and of those of a quick run.
const SIZES: [u32; 2] = [17, 24];
const QUICK_SIZES: [u32; 2] = [12, 14];

/// The times before and after bank conflicts were removed.
const TIMES: [Column; 2] = [("before_us", "", "us"), ("after_us", "", "us")];

/// The published name of a kernel.
fn published_as(kernel: TransposeKernel) -> &'static str {
    match kernel {
        TransposeKernel::Batch => "transpose batch",
        TransposeKernel::Wide => "small transpose 4096 W",
        TransposeKernel::Twiddles => "small transpose times twiddles 4096",
        TransposeKernel::Square => "small transpose 4096",
        TransposeKernel::FewerWords => "small transpose 4096 v2 (fewer words of shared memory a thread)",
        TransposeKernel::TwoWords => "small transpose 4096 v3 (two words a thread)",
    }
}

fn run(lab: &mut Lab) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (published, log_n) in SIZES.into_iter().zip(lab.size(SIZES, QUICK_SIZES)) {
        let case = Case::new(lab, &Transform::new(BABY_BEAR, 1 << log_n)?, log_n.into())?;
        for form in transpose_forms() {
            let name = published_as(form.kernel);
            let fields =
                Fields::default().with("log_n", log_n).with("published_as", name).with("padded", form.padded);
            let row = case.row(lab, fields, form.kernel.name(), (form, false))?;
            let record = TABLE.file.find(&[("kernel", name), ("log_n", &published.to_string())])?;
            let times = &TIMES[usize::from(form.padded)..][..1];
            let figures = record.map_or(Ok(Vec::new()), |record| record.figures(times))?;
            rows.push(lab.show(row.with_published(figures)));
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_line_has_a_kernel_and_every_kernel_a_line() {
        let records = TABLE.file.records().unwrap();
        assert_eq!(records.len(), 9);
        for record in &records {
            let name = record.text("kernel").unwrap();
            assert!(TransposeKernel::ALL.into_iter().any(|kernel| published_as(kernel) == name), "{name}");
            assert!(SIZES.contains(&record.value("log_n").unwrap().unwrap()));
        }
        for kernel in TransposeKernel::ALL {
            let cells = [("kernel", published_as(kernel)), ("log_n", "24")];
            assert!(TABLE.file.find(&cells).unwrap().is_some(), "{kernel:?}");
        }
    }
}
