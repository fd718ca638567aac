//! Transpositions alone, as multiples of a copy.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::csv::{self, Record};
use super::{Lab, Table};
use crate::compared::four_step::{Transpose, TransposeForm, TransposeKernel, transpose_forms};
use crate::compared::on_gpu;
use crate::{Fields, Figure, Row, Timing, Unit};
use wgalois::field::BABY_BEAR;
use wgalois::task::Problem;
use wgalois::{Device, Error, Result};

/// The table.
pub static TABLE: Table = Table {
    name: "small-ntt",
    title: "Transpositions alone",
    notes: &[
        "matrices and tiles are not given beyond the kernels' names: the column system says which they are here",
        "the fast method has no transposition of its own: its passes read along strides; the least is one copy",
    ],
    groups: &[("log_n", "length ")],
    columns: &[
        ("published_as", "published as", 34),
        ("system", "system", 30),
        ("padded", "padded", 6),
        ("seconds", "device", 8),
        ("copies", "copies", 6),
        ("published", "published", 9),
        ("over", "gain", 7),
        ("outcome", "result", 9),
    ],
    figures: || {
        let all: Vec<_> =
            lines()?.into_iter().flat_map(|line| line.before.into_iter().chain(line.after)).collect();
        Ok(all)
    },
    run,
};

/// log2 of the words, and of those of a quick run.
const SIZES: [u32; 2] = [17, 24];
const QUICK_SIZES: [u32; 2] = [12, 14];

/// A line of the published table.
struct Line {
    name: &'static str,
    kernel: TransposeKernel,
    log_n: u32,
    before: Option<Figure>,
    after: Option<Figure>,
}

fn lines() -> Result<Vec<Line>> {
    csv::TRANSPOSITIONS.records()?.into_iter().map(line).collect()
}

fn line(record: Record) -> Result<Line> {
    let name = record.text("kernel")?;
    let kernel = match name {
        "transpose batch" => TransposeKernel::Batch,
        "small transpose 4096 W" => TransposeKernel::Wide,
        "small transpose times twiddles 4096" => TransposeKernel::Twiddles,
        "small transpose 4096" => TransposeKernel::Square,
        "small transpose 4096 v2 (fewer words of shared memory a thread)" => TransposeKernel::FewerWords,
        "small transpose 4096 v3 (two words a thread)" => TransposeKernel::TwoWords,
        _ => return Err(record.fault("no such kernel")),
    };
    Ok(Line {
        name,
        kernel,
        log_n: record.value("log_n")?.ok_or_else(|| record.fault("no length"))?,
        before: record.figure("before_us", "", Unit::Microseconds)?,
        after: record.figure("after_us", "", Unit::Microseconds)?,
    })
}

fn run(lab: &mut Lab) -> Result<Vec<Row>> {
    let lines = lines()?;
    let mut rows = Vec::new();
    for (published, log_n) in SIZES.into_iter().zip(lab.size(SIZES, QUICK_SIZES)) {
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(log_n));
        let data: Vec<u32> = (0..1 << log_n).map(|_| rng.random_range(0..BABY_BEAR.value())).collect();
        let copy = lab.copy_seconds(data.len())?;
        for form in transpose_forms() {
            let name = lines.iter().find(|line| line.kernel == form.kernel).map(|line| line.name);
            let fields =
                Fields::default().with("log_n", log_n).with("published_as", name).with("padded", form.padded);
            let row = lab.row(fields, form.kernel.name(), |lab| {
                Ok(Timing { copy, ..time(lab, log_n, form, &data)? })
            })?;
            let line = lines.iter().find(|line| (line.kernel, line.log_n) == (form.kernel, published));
            let figure =
                line.and_then(|line| if form.padded { line.after.clone() } else { line.before.clone() });
            rows.push(lab.show(row.with_published(figure.into_iter().collect())));
        }
    }
    Ok(rows)
}

fn time(lab: &mut Lab, log_n: u32, form: TransposeForm, data: &[u32]) -> Result<Timing> {
    let gpu = lab.gpu()?;
    let plan = Transpose::new(BABY_BEAR, log_n, form).plan_for(&Device::Gpu(gpu.clone()).profile())?;
    let prepared = plan.prepare(&Device::Gpu(gpu.clone()))?;
    let mut result = data.to_vec();
    prepared.run(&mut result)?;
    if result != plan.problem().by_definition(data)? {
        return Err(Error::Check("a word is not where it belongs, or has another twiddle".into()));
    }
    let (source, mut target) = (gpu.upload(data)?, gpu.zeros(data.len())?);
    let kernels = on_gpu(&prepared)?;
    let times = lab.device_time(|recorder| kernels.record(recorder, &source, &mut target))?;
    Ok(times.iter().fold(Timing::default(), Timing::with_device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_line_has_a_kernel_and_every_kernel_a_line() {
        let lines = lines().unwrap();
        assert_eq!(lines.len(), 9);
        assert!(lines.iter().all(|line| SIZES.contains(&line.log_n)));
        for kernel in TransposeKernel::ALL {
            assert!(lines.iter().any(|line| line.kernel == kernel && line.log_n == 24), "{kernel:?}");
        }
    }
}
