//! `--plot`: times over lengths.

use plotters::prelude::*;
use std::path::Path;
use wgalois::io::write_whole;
use wgalois::{Error, Result};

/// A line: its name and its points, (log2 of the length, microseconds).
pub struct Line {
    pub name: String,
    pub points: Vec<(u32, f64)>,
}

/// Draws `lines` into the file `path` as SVG; the axis of times is logarithmic.
pub fn draw(path: &Path, title: &str, lines: &[Line]) -> Result<()> {
    let mut svg = String::new();
    render(&mut svg, title, lines).map_err(|e| Error::Usage(format!("cannot draw: {e}")))?;
    write_whole(path, |out| out.write_all(svg.as_bytes()))
}

fn render(svg: &mut String, title: &str, lines: &[Line]) -> Result<(), Box<dyn std::error::Error>> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let exponents = points().map(|point| point.0);
    let (first, last) = (exponents.clone().min().unwrap_or(0), exponents.max().unwrap_or(0));
    let least = points().map(|point| point.1).fold(f64::MAX, f64::min);
    let most = points().map(|point| point.1).fold(f64::MIN, f64::max);
    let area = SVGBackend::with_string(svg, (900, 600)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 20))
        .margin(15)
        .x_label_area_size(45)
        .y_label_area_size(70)
        .build_cartesian_2d(first..last.max(first + 1), (least / 1.5..most * 1.5).log_scale())?;
    chart.configure_mesh().disable_x_mesh().x_desc("log2 of the length").y_desc("microseconds").draw()?;
    for (index, line) in lines.iter().enumerate() {
        let colour = Palette99::pick(index).to_rgba();
        let points = line.points.iter().copied();
        let drawn = chart.draw_series(LineSeries::new(points, colour.stroke_width(2)).point_size(3))?;
        drawn.label(&line.name).legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour));
    }
    chart.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLACK).draw()?;
    area.present()?;
    Ok(())
}
