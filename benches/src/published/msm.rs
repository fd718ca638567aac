//! Multi-scalar multiplication: cuZK and the load-balanced method on BLS12-381, every form of the latter, and
//! balanced against imbalanced threads on BLS24-315.

use std::ops::RangeInclusive;

use super::csv::{self, Column};
use super::{Lab, Table, layout};
use crate::msm::{Data, Distribution, HostMethod, measure, measure_host};
use crate::{Fields, Figure, Row, Timing};
use wgalois::curve::coordinates::{HOMOGENEOUS, JACOBIAN};
use wgalois::curve::{Curve, CurveName};
use wgalois::msm::{Accumulators, Addends, Balance, Precompute, Reduction, Settings};
use wgalois::{Result, with_curve};

/// The table.
pub static TABLE: Table = Table {
    layout: layout!("msm.json"),
    file: csv::file!("msm_bls12_381.csv"),
    figures: |record| {
        Ok([record.figures(&CUZK)?, record.figures(&BALANCED)?, record.figures(&RATIOS)?].concat())
    },
    run,
};

/// The published times of cuZK and of the load-balanced method, and the ratios of the two.
const CUZK: [Column; 3] =
    [("v100_cuzk", "V100", "ms"), ("rtx3090_cuzk", "RTX 3090", "ms"), ("rtx4090_cuzk", "RTX 4090", "ms")];
const BALANCED: [Column; 3] = [
    ("v100_balanced", "V100", "ms"),
    ("rtx3090_balanced", "RTX 3090", "ms"),
    ("rtx4090_balanced", "RTX 4090", "ms"),
];
const RATIOS: [Column; 3] = [
    ("v100_ratio", "V100", "times"),
    ("rtx3090_ratio", "RTX 3090", "times"),
    ("rtx4090_ratio", "RTX 4090", "times"),
];

/// Returns the published times of the load-balanced method with `n` points.
pub fn balanced_at(n: usize) -> Result<Vec<Figure>> {
    let log_n = if n.is_power_of_two() { n.ilog2().to_string() } else { String::new() };
    TABLE.file.find(&[("log_n", &log_n)])?.map_or(Ok(Vec::new()), |record| record.figures(&BALANCED))
}

/// A system of the table: its name and its settings.
pub type System = (&'static str, Settings);

/// The doublings that the published program stores of each point.
const DOUBLINGS: Precompute = Precompute::Doublings(6);

/// Returns the published method: odd digits by stored doublings, equal slices, sums in workgroup memory, and
/// sums of suffixes.
pub fn load_balanced() -> Settings {
    Settings::default()
        .with_precompute(DOUBLINGS)
        .with_pair_rounds(0)
        .with_accumulators(Accumulators::Workgroup)
        .with_reduction(Reduction::PrefixSums)
}

/// Returns every form of the method on a GPU with the name of its row. The first differs from the fast method
/// only by its number of rounds of pairs, and each other form in what its name says.
pub fn systems() -> Vec<System> {
    let plain = Settings::default().with_pair_rounds(0);
    let two = plain.with_addends(Addends::Two);
    let homogeneous = |settings: Settings| settings.with_coordinates(&HOMOGENEOUS);
    let cached = |settings: Settings| settings.with_accumulators(Accumulators::Workgroup);
    let stored = plain.with_precompute(DOUBLINGS);
    let windows = plain.with_precompute(Precompute::Windows);
    vec![
        ("GPU, one point at a time", plain),
        ("GPU, two points at a time", two),
        ("GPU, pairs first", plain.with_pair_rounds(1)),
        ("GPU, pairs first, twice", plain.with_pair_rounds(2)),
        ("GPU, Jacobian", plain.with_coordinates(&JACOBIAN)),
        ("GPU, homogeneous", homogeneous(plain)),
        ("GPU, homogeneous, two points at a time", homogeneous(two)),
        ("GPU, workgroup memory", cached(plain)),
        ("GPU, workgroup memory, two points at a time", cached(two)),
        ("GPU, workgroup memory, homogeneous", cached(homogeneous(plain))),
        ("GPU, workgroup memory, homogeneous, two points at a time", cached(homogeneous(two))),
        ("GPU, layers of scale 4", plain.with_reduction(Reduction::Layers(4))),
        ("GPU, layers of scale 8", plain.with_reduction(Reduction::Layers(8))),
        ("GPU, prefix sums", plain.with_reduction(Reduction::PrefixSums)),
        ("GPU, imbalanced", plain.with_balance(Balance::Buckets)),
        ("GPU, one thread a bucket", plain.with_balance(Balance::BucketEach)),
        ("GPU, 6 doublings stored", stored),
        ("GPU, 6 doublings stored, imbalanced", stored.with_balance(Balance::Buckets)),
        ("GPU, 6 doublings stored, one thread a bucket", stored.with_balance(Balance::BucketEach)),
        ("GPU, 15 doublings stored", plain.with_precompute(Precompute::Doublings(15))),
        ("GPU, windows stored", windows),
        ("GPU, windows stored, pairs first", windows.with_pair_rounds(1)),
    ]
}

/// Returns the name of the row of a method on the host.
pub fn host_name(method: HostMethod) -> &'static str {
    match method {
        HostMethod::Engine => "CPU engine",
        HostMethod::Pippenger => "CPU, plain Pippenger",
        HostMethod::DoubleAndAdd => "CPU, double-and-add",
        HostMethod::ArkworksBits => "arkworks, scalars of 0 and 1",
    }
}

/// The lengths, as powers of two, at which every form runs, and not only the published method.
const FORMS_AT: [u32; 2] = [20, 22];

/// The curve and the lengths, as powers of two, on which balanced and imbalanced threads are compared.
const COMPARED: (&str, RangeInclusive<u32>) = ("bls24-315", 15..=22);

/// log2 of the points of every case in a quick run. Cases of one length share their kernels, whose compilation takes
/// most of the time.
const QUICK: u32 = 5;

fn run(lab: &mut Lab) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let is_wanted = |lab: &Lab, log_n: &u32| lab.sizes.is_empty() || lab.sizes.contains(log_n);
    for record in TABLE.file.records()? {
        let log_n = record.value::<u32>("log_n")?.ok_or_else(|| record.fault("no length"))?;
        if !is_wanted(lab, &log_n) {
            continue;
        }
        let published = [record.figures(&BALANCED)?, record.figures(&RATIOS)?].concat();
        let mut wanted = vec![("load-balanced", load_balanced())];
        if FORMS_AT.contains(&log_n) {
            wanted.extend(systems());
        }
        let case = Case { curve: "bls12-381", log_n, points: 1 << lab.size(log_n, QUICK), published };
        let cuzk = Row::cannot_run(case.fields(), "cuZK", "a program for one vendor's GPUs: as published");
        rows.extend(case.run(lab, Some(cuzk.with_published(record.figures(&CUZK)?)), &wanted)?);
    }
    let (curve, lengths) = COMPARED;
    for log_n in lengths.filter(|log_n| is_wanted(lab, log_n)).collect::<Vec<_>>() {
        let homogeneous = Settings::default().with_pair_rounds(0).with_coordinates(&HOMOGENEOUS);
        let wanted = [
            ("homogeneous, load-balanced", homogeneous),
            ("homogeneous, imbalanced", homogeneous.with_balance(Balance::Buckets)),
            ("homogeneous, one thread a bucket", homogeneous.with_balance(Balance::BucketEach)),
        ];
        let case = Case { curve, log_n, points: 1 << lab.size(log_n, QUICK), published: Vec::new() };
        rows.extend(case.run(lab, None, &wanted)?);
    }
    Ok(rows)
}

/// The points of some rows.
struct Case {
    curve: &'static str,
    /// The published length, as a power of two.
    log_n: u32,
    /// The length here.
    points: usize,
    /// The published figures of the first system that runs.
    published: Vec<Figure>,
}

/// Bytes of host memory for each point while systems run.
const POINT: u64 = 512;

impl Case {
    fn fields(&self) -> Fields {
        Fields::default().with("curve", self.curve).with("log_n", self.log_n).with("n", self.points)
    }

    /// Runs the systems, the fast method and the CPU engine. The time of the fast method stands in every row, also
    /// in `first`.
    fn run(&self, lab: &mut Lab, first: Option<Row>, systems: &[System]) -> Result<Vec<Row>> {
        match CurveName::all().find(|name| name.as_str() == self.curve) {
            Some(name) => with_curve!(name, C => self.run_on::<C>(lab, first, systems)),
            None => self.rows(lab, first, systems, |_, name, _| {
                Ok(Row::cannot_run(self.fields(), name, "built without this curve"))
            }),
        }
    }

    fn run_on<C: Curve>(&self, lab: &mut Lab, first: Option<Row>, systems: &[System]) -> Result<Vec<Row>> {
        let (needed, memory) = (POINT * self.points as u64, lab.device().profile().host_memory);
        if needed > memory {
            let why = format!("it takes {needed} bytes of host memory, and {memory} may be used");
            return self
                .rows(lab, first, systems, |_, name, _| Ok(Row::cannot_run(self.fields(), name, &why[..])));
        }
        let data = Data::<C>::new(self.points, Distribution::Uniform);
        self.rows(lab, first, systems, |lab, name, settings| match settings {
            None => {
                let on_host = |_: &mut Lab| measure_host(HostMethod::Engine, &data).map(Timing::of_calls);
                lab.row(self.fields(), name, on_host)
            }
            Some(settings) => {
                let fields = self.fields().with("precompute", settings.precompute.to_string());
                lab.row(fields, name, |lab| {
                    let (gpu, clock) = (lab.gpu()?, lab.clock.as_mut());
                    Ok(measure(&gpu, clock, lab.samples, settings, &data)?.1)
                })
            }
        })
    }

    /// Returns the rows of all systems by `row`, which gets the settings on a GPU, or none for the CPU engine.
    fn rows(
        &self,
        lab: &mut Lab,
        first: Option<Row>,
        systems: &[System],
        row: impl Fn(&mut Lab, &'static str, Option<&Settings>) -> Result<Row>,
    ) -> Result<Vec<Row>> {
        let engine = row(lab, host_name(HostMethod::Engine), None)?;
        let fast = row(lab, FAST, Some(&Settings::default()))?;
        let (baseline, seconds) = (engine.seconds(), fast.seconds().or(engine.seconds()));
        let show = |lab: &Lab, row: Row| lab.show(row.with_fast(seconds).over(baseline));
        let mut rows: Vec<Row> = first.into_iter().map(|first| show(lab, first)).collect();
        for (place, (name, settings)) in systems.iter().enumerate() {
            let published = if place == 0 { self.published.clone() } else { Vec::new() };
            let own = row(lab, name, Some(settings))?.with_published(published);
            rows.push(show(lab, own));
        }
        rows.extend([fast, engine].map(|row| show(lab, row)));
        Ok(rows)
    }
}

/// The name of the fast method's row.
const FAST: &str = "fast method";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_devices::open;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;
    use wgalois::Device;
    use wgalois::curve::Bn254;
    use wgalois::gpu::Options;
    use wgalois::msm::{Known, Multiplication, random_scalars};
    use wgalois::task::Problem;

    /// The systems of the table on so few points that they run in seconds everywhere.
    #[test]
    fn a_few_points_by_every_system() {
        let device = Device::Gpu(open(Options::default()));
        let known = Known::<Bn254>::random(9, 1);
        let scalars = random_scalars::<Bn254>(9, &mut ChaCha8Rng::seed_from_u64(2));
        for (name, settings) in systems().into_iter().chain([("load-balanced", load_balanced())]) {
            let problem = Multiplication::<Bn254>::new(9).with_settings(settings.with_width(5));
            let bases = problem.plan(&device).unwrap().prepare(&device, &known.points[..]).unwrap();
            assert_eq!(bases.multiply(&scalars).unwrap(), known.sum(&scalars), "{name}");
        }
    }
}
