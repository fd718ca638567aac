//! The option `--plot`: times over sizes, as SVG or PNG.

use super::pixels::Pixels;
use super::units::time;
use crate::Context;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use wgalois::{Error, Result};

/// The name of the GPU's line.
pub const GPU: &str = "GPU";
/// The name of the CPU engine's line.
pub const CPU: &str = "CPU engine";
/// The name of the line of the copy, a lower bound for any pass over the data.
pub const COPY: &str = "one copy on the GPU";
/// The name of the line of the copy on the host.
pub const HOST_COPY: &str = "one copy by one thread";

/// Returns the file of `--plot` as an output.
pub fn plot_output(plot: &Option<PathBuf>) -> Vec<(&'static str, PathBuf)> {
    plot.iter().map(|path| ("--plot", path.clone())).collect()
}

/// The horizontal axis: the quantity and its unit.
#[derive(Clone, Copy, Debug)]
pub enum Axis {
    /// Powers of two, by their exponents.
    PowersOfTwo(&'static str),
    /// The numbers themselves.
    Numbers(&'static str),
}

impl Axis {
    fn name(self) -> &'static str {
        let (Axis::PowersOfTwo(name) | Axis::Numbers(name)) = self;
        name
    }

    fn label(self, place: i32) -> String {
        match self {
            Axis::PowersOfTwo(_) => format!("2^{place}"),
            Axis::Numbers(_) => place.to_string(),
        }
    }
}

/// A line: its name and its points, (place on the axis, time).
#[derive(Debug)]
struct Line {
    name: String,
    points: Vec<(u32, f64)>,
}

/// The content of a plot.
#[derive(Debug)]
pub struct Plot {
    across: Axis,
    /// The vertical quantity: `seconds` after which a remark may follow, or a quantity without a unit.
    up: &'static str,
    lines: Vec<Line>,
}

impl Plot {
    pub fn new(across: Axis, up: &'static str) -> Self {
        Plot { across, up, lines: Vec::new() }
    }

    /// Adds a point to the line with this name.
    pub fn add(&mut self, name: &str, place: u32, value: f64) {
        match self.lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push((place, value)),
            None => self.lines.push(Line { name: name.to_owned(), points: vec![(place, value)] }),
        }
    }

    /// Adds a point if there is a value; the axis has no place for values that are not positive.
    pub fn extend(&mut self, name: &str, place: u32, value: Option<f64>) {
        if let Some(value) = value.filter(|value| *value > 0.0) {
            self.add(name, place, value);
        }
    }

    /// Adds a point if there is a value and the line has no point at `place` yet.
    pub fn extend_once(&mut self, name: &str, place: u32, value: Option<f64>) {
        let line = self.lines.iter().find(|line| line.name == name);
        if line.is_none_or(|line| line.points.iter().all(|point| point.0 != place)) {
            self.extend(name, place, value);
        }
    }

    /// True if there are no points.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Draws the plot to the file `path`, as PNG if that is its ending, otherwise as SVG. It is an error if nothing
    /// was measured.
    pub fn draw(&self, context: &Context, path: &Path, title: &str) -> Result<()> {
        if self.is_empty() {
            return Err(Error::needs("--plot", "measurements, and nothing was measured"));
        }
        let is_png = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
        let bytes = self.bytes(title, is_png).map_err(|e| Error::Usage(format!("cannot draw: {e}")))?;
        context.write_to(path, |out| out.write_all(&bytes))
    }

    /// Returns the contents of the file.
    fn bytes(&self, title: &str, is_png: bool) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
        let size = self.size(title);
        if is_png {
            let pixels = Rc::new(RefCell::new(Pixels::new(size.0, size.1)));
            self.render(&DrawingArea::from(&pixels), title)?;
            return Ok(pixels.borrow().to_png()?);
        }
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            self.render(&root, title)?;
        }
        Ok(svg.into_bytes())
    }

    /// Returns the width of the legend, in which the names of all lines fit.
    fn legend(&self) -> u32 {
        let widest = self.lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0) as u32;
        LEGEND_MARK + LETTER * widest + MARGIN
    }

    /// Returns the width and the height in pixels: the title fits, and the legend beside the lines' area.
    fn size(&self, title: &str) -> (u32, u32) {
        let title = TITLE_LETTER * title.chars().count() as u32 + 2 * MARGIN;
        let height = (2 * MARGIN + LEGEND_ROW * self.lines.len() as u32 + 60).max(HEIGHT);
        ((WIDTH + self.legend()).max(title), height)
    }

    fn render<B: DrawingBackend>(
        &self,
        whole: &DrawingArea<B, Shift>,
        title: &str,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        B::ErrorType: 'static,
    {
        whole.fill(&WHITE)?;
        // Under a long title the lines' area is wider.
        let right = whole.dim_in_pixel().0.saturating_sub(self.legend());
        let (area, _) = whole.titled(title, ("sans-serif", 20))?.split_horizontally(right);
        let top = 40;
        let mut chart = ChartBuilder::on(&area)
            .margin(MARGIN)
            .x_label_area_size(50)
            .y_label_area_size(90)
            .build_cartesian_2d(self.places(), self.values().log_scale())?;
        let (across, is_time) = (self.across, self.up.starts_with("seconds"));
        let label = |value: &f64| if is_time { time_label(*value) } else { number(*value) };
        let up = if is_time { self.up.replacen("seconds", "time", 1) } else { self.up.to_owned() };
        let places = self.places();
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(((places.end - places.start + 1) as usize).min(16))
            // Fewer than ten, or plotters labels the end of a single decade twice.
            .y_labels(8)
            .y_max_light_lines(5)
            .x_label_formatter(&|place: &i32| across.label(*place))
            .y_label_formatter(&label)
            .label_style(("sans-serif", 14))
            .axis_desc_style(("sans-serif", 15))
            .x_desc(self.across.name())
            .y_desc(up)
            .draw()?;
        for (index, line) in self.lines.iter().enumerate() {
            let mut points = line.points.clone();
            points.sort_by_key(|point| point.0);
            let on_screen = points.iter().map(|&(place, value)| chart.backend_coord(&(place as i32, value)));
            let on_screen: Vec<_> = on_screen.collect();
            draw_line(index, whole, &on_screen)?;
            // Beside the lines' area, so that no line is covered.
            let (x, y) = (right as i32 + 10, top + (LEGEND_ROW * index as u32) as i32);
            draw_line(index, whole, &[(x, y), (x + 36, y)])?;
            let left = TextStyle::from(("sans-serif", 14)).pos(Pos::new(HPos::Left, VPos::Center));
            whole.draw(&Text::new(line.name.clone(), ((right + LEGEND_MARK) as i32, y), left))?;
        }
        whole.present()?;
        Ok(())
    }

    /// The range of the horizontal axis: a single place is in its middle.
    fn places(&self) -> std::ops::Range<i32> {
        let places = || self.lines.iter().flat_map(|line| &line.points).map(|point| point.0 as i32);
        let (first, last) = (places().min().unwrap_or(0), places().max().unwrap_or(0));
        if first == last { first - 1..last + 1 } else { first..last }
    }

    /// The range of the vertical axis, in whole powers of ten, at which its labels stand.
    fn values(&self) -> std::ops::Range<f64> {
        let values = || self.lines.iter().flat_map(|line| &line.points).map(|point| point.1);
        let least = values().fold(f64::MAX, f64::min);
        let most = values().fold(f64::MIN_POSITIVE, f64::max);
        let decade = |value: f64, round: fn(f64) -> f64| 10f64.powf(round(value.log10()));
        // A little more, so that the labels at both ends are within it.
        0.98 * decade(least / 1.05, f64::floor)..1.02 * decade(most * 1.05, f64::ceil)
    }
}

/// The least width of the lines' area, in pixels.
const WIDTH: u32 = 800;
const HEIGHT: u32 = 600;
const MARGIN: u32 = 15;
/// The widths of a letter in the legend and in the title, upper bounds.
const LETTER: u32 = 9;
const TITLE_LETTER: u32 = 12;
/// The width of the sample of a line before its name.
const LEGEND_MARK: u32 = 56;
const LEGEND_ROW: u32 = 22;

/// The colours of lines. All have a contrast of at least 4.5 on white, and neighbours differ for eyes that lack the
/// receptors of red or of green; the marks differ as well.
const COLOURS: [(u8, u8, u8); 6] =
    [(0, 100, 180), (196, 72, 0), (0, 0, 0), (0, 128, 100), (170, 30, 130), (110, 110, 110)];

/// Draws line `index` through points of the screen; the looks of the first 30 differ.
fn draw_line<B: DrawingBackend>(
    index: usize,
    whole: &DrawingArea<B, Shift>,
    points: &[(i32, i32)],
) -> Result<(), Box<dyn std::error::Error>>
where
    B::ErrorType: 'static,
{
    let (red, green, blue) = COLOURS[index % COLOURS.len()];
    let (line, filled) = (RGBColor(red, green, blue).stroke_width(2), RGBColor(red, green, blue).filled());
    if points.len() > 1 {
        whole.draw(&PathElement::new(points.to_vec(), line))?;
    }
    for &(x, y) in points {
        let around = |offsets: &[(i32, i32)]| -> Vec<(i32, i32)> {
            offsets.iter().map(|(right, down)| (x + right, y + down)).collect()
        };
        // The marks: a circle, a square, a triangle, a cross, a diamond.
        match index % 5 {
            0 => whole.draw(&Circle::new((x, y), 4, filled))?,
            1 => whole.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], filled))?,
            2 => whole.draw(&Polygon::new(around(&[(0, -6), (6, 5), (-6, 5)]), filled))?,
            3 => {
                whole.draw(&PathElement::new(around(&[(-5, -5), (5, 5)]), line))?;
                whole.draw(&PathElement::new(around(&[(-5, 5), (5, -5)]), line))?;
            }
            _ => whole.draw(&Polygon::new(around(&[(0, -6), (6, 0), (0, 6), (-6, 0)]), filled))?,
        }
    }
    Ok(())
}

/// Returns a time on an axis with its unit, without zeros at its end.
fn time_label(seconds: f64) -> String {
    let text = time(seconds * 1.000_000_1);
    let (number, unit) = text.split_once(' ').unwrap_or((&text, "s"));
    format!("{} {unit}", without_zeros(number))
}

/// Returns a number on an axis with two digits, without zeros at its end.
fn number(number: f64) -> String {
    let whole = number.abs().max(1e-12).log10().floor() as i32;
    let decimals = (1 - whole).max(0) as usize;
    without_zeros(&format!("{number:.decimals$}")).to_owned()
}

fn without_zeros(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_title_widens_the_lines_area() {
        let mut plot = Plot::new(Axis::PowersOfTwo("words"), "seconds");
        plot.add("line", 1, 2e-6);
        for title in ["short".to_owned(), "long ".repeat(30)] {
            let (width, _) = plot.size(&title);
            let svg = String::from_utf8(plot.bytes(&title, false).unwrap()).unwrap();
            let name = svg.split("<text").find(|text| text.contains("\nline\n")).unwrap();
            let x: u32 = name.split(" x=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
            assert_eq!(x, width - plot.legend() + LEGEND_MARK, "{width}");
        }
    }

    #[test]
    fn every_label_of_an_axis_is_there_once() {
        for most in [7e-6, 7e-5, 7e-3, 7e2] {
            let mut plot = Plot::new(Axis::PowersOfTwo("words"), "seconds");
            plot.add("line", 1, 2e-6);
            plot.add("line", 3, most);
            let svg = String::from_utf8(plot.bytes("title", false).unwrap()).unwrap();
            let texts = svg.split("<text").skip(1).filter_map(|text| text.split(['<', '>']).nth(1));
            let mut labels: Vec<&str> = texts.map(str::trim).collect();
            let ends = ["1 us", "2^1", "2^2", "2^3", "title", "words", "line", "time"];
            assert!(ends.iter().all(|end| labels.contains(end)), "{labels:?}");
            let count = labels.len();
            labels.sort_unstable();
            labels.dedup();
            assert_eq!(labels.len(), count, "{labels:?}");
        }
    }
}
