//! The charts of `bench published --plot`: the published figures and the times here.

use crate::bench::prelude::*;
use wgalois_benches::Figure;

/// The files that are drawn.
pub const FILES: &[&str] = &[
    "ntt-time.svg",
    "ntt-speedup.svg",
    "gf2-simd.svg",
    "gf2-threads.svg",
    "gf2-processes.svg",
    "gf2-gpu.svg",
    "msm-time.svg",
    "msm-balance.svg",
];

/// A chart: the name of its file, its title, its content.
struct Chart {
    file: &'static str,
    title: String,
    plot: Plot,
}

/// Draws the charts of a table into a folder.
pub fn draw(
    context: &Context,
    folder: &Path,
    (table, scale): (&str, Scale),
    rows: &[Row],
    device: &str,
) -> Result<()> {
    // The titles name a software driver; the names of lines are short.
    let title_device = context.device_name();
    let charts = match table {
        "ntt" => products(rows, device),
        "gf2" => eliminations(rows),
        "msm" => vec![multiplications(rows, device), balance(rows)],
        _ => Vec::new(),
    };
    for chart in charts.iter().filter(|chart| !chart.plot.is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
        let smaller = if scale == Scale::Quick { " (smaller cases here)" } else { "" };
        chart.plot.draw(
            context,
            &folder.join(chart.file),
            &format!("{}, on {title_device}{smaller}", chart.title),
        )?;
    }
    Ok(())
}

/// Products: times and speed-ups over the workgroup's size, a line for each prime.
fn products(rows: &[Row], device: &str) -> Vec<Chart> {
    const X: Axis = Axis::PowersOfTwo("threads of a workgroup");
    let mut time = Plot::new(X, "seconds of a whole product");
    let mut speedup = Plot::new(X, "times the speed of the plain program on the CPU");
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
        Chart { file: "ntt-time.svg", title: title("time"), plot: time },
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
        let mut plot = Plot::new(Axis::Numbers("number of the case of the course"), "seconds");
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
    let mut plot = Plot::new(Axis::PowersOfTwo("points"), "seconds");
    for row in rows.iter().filter(|row| text(row, "curve") == Some("bls12-381")) {
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

/// Load-balanced against imbalanced threads over 2^k points, on BLS24-315 in homogeneous coordinates: the
/// device's times, or those of whole calls where it has no timestamps.
fn balance(rows: &[Row]) -> Chart {
    let mut plot = Plot::new(Axis::PowersOfTwo("points"), "seconds");
    for row in rows.iter().filter(|row| text(row, "curve") == Some("bls24-315")) {
        let (Some(log_n), true) = (log_of_points(row), row.system.starts_with("homogeneous")) else {
            continue;
        };
        let time = row.timing.as_ref().and_then(|timing| timing.device.or(timing.call));
        plot.extend_once(&row.system, log_n, time);
    }
    let title = "load balance on BLS24-315, homogeneous coordinates".to_owned();
    Chart { file: "msm-balance.svg", title, plot }
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
