//! The option `--plot`: times over sizes.

use crate::cli::Context;
use plotters::prelude::*;
use std::path::{Path, PathBuf};
use wgalois::{Error, Result};

/// The name of the line of the copy, a lower bound for any pass over the data.
pub const COPY: &str = "one copy on the GPU";
/// The name of the CPU engine's line.
pub const CPU: &str = "CPU engine";

/// Returns the file of `--plot` as an output.
pub fn plot_output(plot: &Option<PathBuf>) -> Vec<(&'static str, PathBuf)> {
    plot.iter().map(|path| ("--plot", path.clone())).collect()
}

/// A line: its name and its points, (log2 of the size, time).
#[derive(Debug)]
struct Line {
    name: String,
    points: Vec<(u32, f64)>,
}

/// The content of a plot.
#[derive(Debug)]
pub struct Plot {
    /// The labels: the quantity whose exponents are shown, and the unit of time.
    axes: [&'static str; 2],
    lines: Vec<Line>,
}

impl Plot {
    pub fn new(axes: [&'static str; 2]) -> Self {
        Plot { axes, lines: Vec::new() }
    }

    /// Adds a point to the line with this name.
    pub fn add(&mut self, name: &str, log_n: u32, time: f64) {
        match self.lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push((log_n, time)),
            None => self.lines.push(Line { name: name.to_owned(), points: vec![(log_n, time)] }),
        }
    }

    /// Adds a point if there is a time.
    pub fn extend(&mut self, name: &str, log_n: u32, time: Option<f64>) {
        if let Some(time) = time {
            self.add(name, log_n, time);
        }
    }

    /// Adds a point if there is a time and the line has no point at `log_n` yet.
    pub fn extend_once(&mut self, name: &str, log_n: u32, time: Option<f64>) {
        let line = self.lines.iter().find(|line| line.name == name);
        if line.is_none_or(|line| line.points.iter().all(|point| point.0 != log_n)) {
            self.extend(name, log_n, time);
        }
    }

    /// True if there are no points.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Draws the plot to the file `path` as SVG; the axis of times is logarithmic.
    pub fn draw(&self, context: &Context, path: &Path, title: &str) -> Result<()> {
        let mut svg = String::new();
        render(&mut svg, title, self).map_err(|e| Error::Usage(format!("cannot draw: {e}")))?;
        context.write_to(path, |out| out.write_all(svg.as_bytes()))
    }
}

/// The width of the lines' area and that of their names beside it, in pixels.
const WIDTH: u32 = 800;
const LEGEND: u32 = 480;

/// The colours of lines, all of them dark enough on white.
const COLOURS: [(u8, u8, u8); 14] = [
    (0, 114, 178),
    (200, 80, 0),
    (0, 130, 95),
    (170, 51, 119),
    (0, 0, 0),
    (51, 34, 136),
    (153, 110, 0),
    (204, 51, 17),
    (17, 119, 51),
    (102, 102, 102),
    (136, 34, 85),
    (0, 125, 160),
    (120, 94, 240),
    (110, 80, 40),
];

/// Returns a number on the axis of times with two digits, without zeros at its end.
fn label(number: &f64) -> String {
    let whole = number.abs().max(1e-12).log10().floor() as i32;
    let decimals = (1 - whole).max(0) as usize;
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

fn render(svg: &mut String, title: &str, plot: &Plot) -> Result<(), Box<dyn std::error::Error>> {
    let lines = &plot.lines;
    let points = || lines.iter().flat_map(|line| &line.points);
    let exponents = points().map(|point| point.0);
    let (first, last) = (exponents.clone().min().unwrap_or(0), exponents.max().unwrap_or(0));
    let least = points().map(|point| point.1).fold(f64::MAX, f64::min);
    let most = points().map(|point| point.1).fold(f64::MIN, f64::max);
    let whole = SVGBackend::with_string(svg, (WIDTH + LEGEND, 600)).into_drawing_area();
    whole.fill(&WHITE)?;
    let (area, legend) = whole.titled(title, ("sans-serif", 20))?.split_horizontally(WIDTH);
    let mut chart = ChartBuilder::on(&area)
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(70)
        .build_cartesian_2d(first..last.max(first + 1), (least / 1.5..most * 1.5).log_scale())?;
    let [x, y] = plot.axes;
    let mut mesh = chart.configure_mesh();
    mesh.disable_x_mesh().y_max_light_lines(5).y_label_formatter(&label).x_desc(x).y_desc(y).draw()?;
    for (index, line) in lines.iter().enumerate() {
        let mut points = line.points.clone();
        points.sort_by_key(|point| point.0);
        let (red, green, blue) = COLOURS[index % COLOURS.len()];
        let colour = RGBColor(red, green, blue).to_rgba();
        chart.draw_series(LineSeries::new(points, colour.stroke_width(2)).point_size(3))?;
        let y = 40 + 18 * index as i32;
        legend.draw(&PathElement::new([(0, y), (20, y)], colour.stroke_width(2)))?;
        legend.draw(&Text::new(line.name.clone(), (28, y - 5), ("sans-serif", 12)))?;
    }
    whole.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_short() {
        let labels = [9.000000000000001e-3, 1e-4, 0.1, 1.0, 20.0, 1000.0, 1.5].map(|number| label(&number));
        assert_eq!(labels, ["0.009", "0.0001", "0.1", "1", "20", "1000", "1.5"]);
    }
}
