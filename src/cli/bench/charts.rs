//! The charts of `bench published --plot`: the published figures and the times here.

use super::plot::Plot;
use crate::cli::Context;
use std::path::Path;
use wgalois::curve::coordinates::HOMOGENEOUS;
use wgalois::curve::{Curve, CurveName};
use wgalois::internal::Clock;
use wgalois::internal::bench::msm::{Data, Distribution, measure};
use wgalois::internal::bench::published::Lab;
use wgalois::internal::bench::{Figure, Row};
use wgalois::msm::{Balance, Settings};
use wgalois::{Error, Result, with_curve};

/// A file that is drawn: the options of `--plot` are checked with its name.
pub const FIRST: &str = "ntt-time.svg";

/// A chart: the name of its file, its title, its content.
struct Chart {
    file: &'static str,
    title: String,
    plot: Plot,
}

/// Draws the charts of a table into a folder.
///
/// # Errors
/// [`Error::File`] if they cannot be written; those of measuring the curve of a chart.
pub fn draw(context: &Context, folder: &Path, table: &str, rows: &[Row], lab: &mut Lab) -> Result<()> {
    let device = lab.gpu.adapter().name.clone();
    let charts = match table {
        "ntt" => products(rows, &device),
        "gf2" => eliminations(rows),
        "msm" => vec![multiplications(rows, &device), balance(context, lab, &device)?],
        _ => Vec::new(),
    };
    for chart in charts.iter().filter(|chart| !chart.plot.is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
        chart.plot.draw(context, &folder.join(chart.file), &chart.title)?;
    }
    Ok(())
}

/// Products: times and speed-ups over the workgroup's size, a line for each prime.
fn products(rows: &[Row], device: &str) -> Vec<Chart> {
    const X: &str = "log2 of the threads of a workgroup";
    let mut time = Plot::new([X, "seconds of a whole product"]);
    let mut speedup = Plot::new([X, "speed-up over the plain program on the CPU"]);
    let longest = rows.iter().filter_map(|row| number(row, "terms")).max();
    let of_blocks = |row: &&Row| {
        number(row, "terms") == longest && text(row, "published_as").is_some_and(|name| name.ends_with("-O3"))
    };
    for row in rows.iter().filter(of_blocks) {
        let (Some(threads), Some(prime)) = (number(row, "workgroup"), number(row, "prime")) else { continue };
        let log = threads.max(1).ilog2();
        let [published, here] = [format!("published, p = {prime}"), format!("{device}, p = {prime}")];
        time.extend(&published, log, row.published.iter().find_map(Figure::seconds));
        time.extend(&here, log, row.seconds());
        let factor = row.published.iter().find(|figure| figure.seconds().is_none()).map(Figure::number);
        speedup.extend(&published, log, factor);
        speedup.extend(&here, log, row.speedup);
    }
    let terms = longest.unwrap_or(0);
    let title = |what: &str| format!("products of {terms} terms by Montgomery's reduction: {what}");
    vec![
        Chart { file: FIRST, title: title("time"), plot: time },
        Chart { file: "ntt-speedup.svg", title: title("speed-up"), plot: speedup },
    ]
}

/// Eliminations: times over the course's cases, a chart for each published table.
fn eliminations(rows: &[Row]) -> Vec<Chart> {
    let charts = [
        ("gf2-simd.svg", "SIMD", &["1 SIMD"][..]),
        ("gf2-threads.svg", "threads", &["2 threads"]),
        ("gf2-processes.svg", "processes", &["3 MPI"]),
        ("gf2-gpu.svg", "GPU", &["4 CUDA", "5 oneAPI"]),
    ];
    let chart = |(file, what, tables): (&'static str, &str, &[&str])| {
        let mut plot = Plot::new(["case of the course", "seconds"]);
        for row in rows.iter().filter(|row| text(row, "table").is_some_and(|table| tables.contains(&table))) {
            let Some(case) = number(row, "case") else { continue };
            let [machine, name] =
                ["machine", "published_as"].map(|field| text(row, field).unwrap_or_default());
            let case = case as u32;
            plot.extend(
                &format!("published: {name}, {machine}"),
                case,
                row.published.iter().find_map(Figure::seconds),
            );
            let engine = text(row, "engine").unwrap_or_default();
            plot.extend_once(&format!("here: {}, {engine}", row.system), case, row.seconds());
            plot.extend_once("here: fast method", case, row.fast);
        }
        Chart { file, title: format!("special elimination: {what}"), plot }
    };
    charts.map(chart).into()
}

/// Multiplications: published times over the number of points, and the fast method's.
fn multiplications(rows: &[Row], device: &str) -> Chart {
    let mut plot = Plot::new(["log2 of the points", "seconds"]);
    for row in rows {
        let Some(log_n) = log_of_points(row) else { continue };
        for figure in &row.published {
            plot.extend_once(
                &format!("published: {}, {}", row.system, figure.label),
                log_n,
                figure.seconds(),
            );
        }
        if !row.published.is_empty() {
            plot.extend_once(&format!("{device}: {}", row.system), log_n, row.seconds());
        }
        plot.extend_once(&format!("{device}: fast method"), log_n, row.fast);
    }
    Chart { file: "msm-time.svg", title: "multi-scalar multiplication on BLS12-381".to_owned(), plot }
}

/// Load-balanced against imbalanced accumulation over 2^k points, on BLS24-315 in homogeneous coordinates;
/// empty if that curve is not built in or the device has no timestamps.
fn balance(context: &Context, lab: &mut Lab, device: &str) -> Result<Chart> {
    let mut plot = Plot::new(["log2 of the points", "seconds"]);
    let sizes = lab.size(10..=20, 4..=6);
    if let (Ok(curve), Some(clock)) = ("bls24-315".parse::<CurveName>(), &mut lab.clock) {
        for log_n in sizes {
            let lines = context.watch(
                "balance",
                || with_curve!(curve, C => balanced_and_not::<C>(&lab.gpu, clock, lab.samples, 1 << log_n)),
            )?;
            for (name, seconds) in lines {
                plot.extend(name, log_n, seconds);
            }
        }
    }
    let title = format!("load balance on BLS24-315, homogeneous coordinates, {device}");
    Ok(Chart { file: "msm-balance.svg", title, plot })
}

/// Times both distributions of entries among threads.
fn balanced_and_not<C: Curve>(
    gpu: &wgalois::gpu::Gpu,
    clock: &mut Clock,
    samples: usize,
    n: usize,
) -> Result<Vec<(&'static str, Option<f64>)>> {
    let data = Data::<C>::new(n, Distribution::Uniform);
    let settings = |balance| {
        Settings::default().with_pair_rounds(0).with_coordinates(&HOMOGENEOUS).with_balance(balance)
    };
    let all = [("load-balanced", settings(Balance::Slices)), ("imbalanced", settings(Balance::Buckets))];
    let time =
        |(name, settings)| Ok((name, measure(gpu, Some(&mut *clock), samples, &settings, &data)?.1.device));
    all.into_iter().map(time).collect()
}

fn log_of_points(row: &Row) -> Option<u32> {
    let log = number(row, "log_n").map(|log| log as u32);
    log.or_else(|| number(row, "n").filter(|n| n.is_power_of_two()).map(u64::ilog2))
}

fn number(row: &Row, field: &str) -> Option<u64> {
    row.fields.get(field)?.as_u64()
}

fn text<'r>(row: &'r Row, field: &str) -> Option<&'r str> {
    row.fields.get(field)?.as_str()
}
