//! Tables whose rows are printed one by one, as they are measured: the widths of their columns are fixed.
//!
//! A cell that is too long for its column ends with the number of a note below the table, which has the whole text.
//! Each figure of a row after the first, and each timed step, has a line of its own.

use super::table::{outcome, steps, text};
use super::units::{factor, time};
use crate::Context;
use serde_json::Value;
use wgalois::Result;
use wgalois_benches::published::{Column, Scale, Table};
use wgalois_benches::{Figure, Outcome, Row};

/// The text of a table, made row by row.
pub struct Stream {
    groups: &'static [(&'static str, &'static str)],
    columns: Vec<Column>,
    /// The fields above the rows so far.
    group: Vec<String>,
    notes: Vec<String>,
}

/// Prints all rows as a table, unless the report goes to stdout.
pub fn print(context: &Context, table: &Table, rows: &[Row]) -> Result<()> {
    if !context.has_output() {
        return Ok(());
    }
    let mut stream = Stream::new(table, Scale::Whole);
    let mut text = stream.head();
    rows.iter().for_each(|row| text += &stream.row(row));
    text += &stream.foot();
    if !stream.has_steps() {
        text += &steps(rows);
    }
    if let Some(name) = context.software_driver() {
        text += &format!("computed by {name}\n");
    }
    context.write(|out| out.write_all(text.as_bytes()))
}

/// A line of a row: its first, or that of a further figure or of a step.
#[derive(Clone, Copy)]
struct Line<'a> {
    is_first: bool,
    step: Option<&'a str>,
    figure: Option<&'a Figure>,
}

impl Stream {
    /// The rows of smaller cases are not compared with the published times.
    pub fn new(table: &Table, scale: Scale) -> Self {
        let is_shown = |column: &&Column| scale == Scale::Whole || !["over", "fast_over"].contains(&column.0);
        Stream {
            groups: table.groups,
            columns: table.columns.iter().filter(is_shown).copied().collect(),
            group: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Returns the heads of the columns.
    pub fn head(&self) -> String {
        let heads = self.line(self.columns.iter().map(|(_, head, _)| (*head).to_owned()).collect());
        let rule = "-".repeat(self.columns.iter().map(|(.., width)| width + 1).sum::<usize>() - 1);
        format!("{heads}{rule}\n")
    }

    /// Returns the lines of a row.
    pub fn row(&mut self, row: &Row) -> String {
        let mut text = self.heading(row);
        let has_steps = self.has_steps();
        for line in lines(row).into_iter().filter(|line| has_steps || line.step.is_none()) {
            let cells = self.columns.clone().into_iter().map(|column| {
                let cell = cell(row, line, column.0);
                self.fit(cell, column.2)
            });
            let cells = cells.collect();
            text += &self.line(cells);
        }
        text
    }

    /// Returns the notes.
    pub fn foot(&self) -> String {
        let notes = self.notes.iter().enumerate();
        notes.map(|(number, note)| wrapped(&format!("({}) {note}", number + 1))).collect()
    }

    /// True if the steps of a row have lines.
    fn has_steps(&self) -> bool {
        self.columns.iter().any(|column| column.0 == "step")
    }

    /// Returns the fields above a row if they are not those of the row before.
    fn heading(&mut self, row: &Row) -> String {
        let value = |name: &str| match name {
            "system" => row.system.clone(),
            name => row.fields.get(name).map_or_else(String::new, |value| self::text(name, value)),
        };
        let values: Vec<_> = self.groups.iter().map(|(name, _)| value(name)).collect();
        if self.group == values {
            return String::new();
        }
        let parts = values.iter().zip(self.groups).filter(|(value, _)| !value.is_empty());
        let mut parts: Vec<_> = parts.map(|(value, (_, before))| format!("{before}{value}")).collect();
        // The fast method's time is the same for all rows of a case.
        let is_apart = self.columns.iter().all(|(name, ..)| *name != "fast");
        parts.extend(row.fast.filter(|_| is_apart).map(|fast| format!("fast method {}", time(fast))));
        let gap = if self.group.is_empty() { "" } else { "\n" };
        self.group = values;
        format!("{gap}{}", wrapped(&parts.join(", ")))
    }

    /// Returns a text that fits a column, shortened with the number of a note if it has to be.
    fn fit(&mut self, text: String, width: usize) -> String {
        let (short, note) = match text.split_once('\0') {
            Some((short, note)) => (short.to_owned(), note.to_owned()),
            None if text.chars().count() <= width => return text,
            None => (String::new(), text),
        };
        let number = match self.notes.iter().position(|own| *own == note) {
            Some(place) => place + 1,
            None => {
                self.notes.push(note.clone());
                self.notes.len()
            }
        };
        if !short.is_empty() {
            return format!("{short} ({number})");
        }
        let end = format!("..({number})");
        let kept: String = note.chars().take(width.saturating_sub(end.len())).collect();
        format!("{}{end}", kept.trim_end())
    }

    /// Returns cells as a line. Numbers end where their column ends.
    fn line(&self, cells: Vec<String>) -> String {
        let mut line = String::new();
        for (cell, (name, _, width)) in cells.iter().zip(&self.columns) {
            match NUMBERS.split(' ').any(|own| own == *name) {
                true => line += &format!("{cell:>width$} "),
                false => line += &format!("{cell:<width$} "),
            }
        }
        format!("{}\n", line.trim_end())
    }
}

/// The maximum number of characters of a line of words.
const WIDEST: usize = 120;

/// Returns a text as lines; all but the first are indented.
pub fn wrapped(text: &str) -> String {
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDEST {
            lines += &format!("{line}\n");
            line = "   ".to_owned();
        }
        line += if line.is_empty() { "" } else { " " };
        line += word;
    }
    format!("{lines}{line}\n")
}

/// Columns of numbers.
const NUMBERS: &str = "case columns eliminators rows workgroup seconds device copies speedup published over fast \
                       fast_over threads";

/// Returns the lines of a row: a published figure on each, then the steps.
fn lines(row: &Row) -> Vec<Line<'_>> {
    let (steps, whole): (Vec<_>, Vec<_>) = row.published.iter().partition(|figure| figure.step);
    let first = Line { is_first: true, step: None, figure: whole.first().copied() };
    let others =
        whole.iter().skip(1).map(|figure| Line { is_first: false, step: None, figure: Some(figure) });
    let mut lines: Vec<_> = std::iter::once(first).chain(others).collect();
    let own = row.timing.iter().flat_map(|timing| timing.steps.keys()).map(String::as_str);
    let mut names: Vec<&str> = steps.iter().map(|figure| figure.label).collect();
    names.extend(own.filter(|own| steps.iter().all(|figure| figure.label != *own)));
    lines.extend(names.into_iter().map(|name| Line {
        is_first: false,
        step: Some(name),
        figure: steps.iter().find(|figure| figure.label == name).copied(),
    }));
    lines
}

/// Returns the cell of a column. After a zero character comes a text for a note.
fn cell(row: &Row, line: Line<'_>, name: &str) -> String {
    let timing = row.timing.as_ref();
    let seconds = |seconds: Option<f64>| seconds.map_or_else(String::new, time);
    let times = |place: usize| {
        let over = line.figure.and_then(|figure| row.over_figure(figure)?[place]);
        over.map_or_else(String::new, factor)
    };
    match (name, line.step) {
        ("step", Some(step)) => step.to_owned(),
        // The first line of a row has no step, so the row's published name stands there.
        ("step", None) if line.is_first => {
            row.fields.get("published_as").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        ("published", _) => line.figure.map_or_else(String::new, published),
        ("over", _) => times(0),
        ("fast_over", _) => times(1),
        ("seconds", Some(step)) => seconds(timing.and_then(|timing| timing.steps.get(step).copied())),
        _ if !line.is_first => String::new(),
        ("system", _) => row.system.clone(),
        ("seconds", _) => seconds(row.seconds()),
        ("device", _) => seconds(timing.and_then(|timing| timing.device)),
        ("copies", _) => timing.and_then(|timing| timing.copies()).map_or_else(String::new, factor),
        ("speedup", _) => row.speedup.map_or_else(String::new, factor),
        ("fast", _) => seconds(row.fast),
        ("here", _) => match row.fields.get("here") {
            Some(Value::String(here)) => here.clone(),
            _ => {
                let speedup = row.speedup.map(|speedup| format!("{}x", factor(speedup)));
                let parts = row.seconds().map(time).into_iter().chain(speedup);
                parts.collect::<Vec<_>>().join(", ")
            }
        },
        ("outcome", _) => match &row.outcome {
            Outcome::Right => outcome(&row.outcome),
            why => format!("{}\0{}", short(why), outcome(why)),
        },
        (name, _) => row.fields.get(name).map_or_else(String::new, |value| text(name, value)),
    }
}

/// Returns a published figure. The label of a step stands in a column of its own, and the only factor beside a time
/// needs none.
fn published(figure: &Figure) -> String {
    let is_plain = figure.step || (figure.unit == "times" && figure.label == "speed-up");
    let figure = Figure { label: if is_plain { "" } else { figure.label }, ..figure.clone() };
    figure.to_string()
}

/// Returns an outcome in a word, before the number of its note.
fn short(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Right => "right",
        Outcome::Wrong(_) => "WRONG",
        Outcome::Failed(_) => "FAILED",
        Outcome::CannotRun(_) => "no",
        Outcome::Unchecked(_) => "timed",
        Outcome::NotRun(_) => "not run",
    }
}

/// Returns the explanation of the columns that this table has.
pub fn legend(table: &Table, scale: Scale) -> Vec<&'static str> {
    let has = |name: &str| table.columns.iter().any(|column| column.0 == name);
    let mut legend = Vec::new();
    if has("speedup") {
        legend.push("speed-up: over the first program on the CPU in the same case");
    }
    if has("copies") {
        legend.push("copies: the device's time over that of one copy of the data");
    }
    if scale == Scale::Whole {
        legend.push("gain: the published time over the time here; fast gain: over that of the fast method");
    }
    legend
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgalois_benches::published::TABLES;
    use wgalois_benches::{Fields, Timing};

    #[test]
    fn tables_are_narrow() {
        for table in TABLES {
            let head = Stream::new(table, Scale::Whole).head();
            let widest = head.lines().map(|line| line.chars().count()).max().unwrap();
            assert!((60..=WIDEST + 2).contains(&widest), "{}: {widest}", table.title);
            for (name, head, width) in table.columns {
                assert!(head.len() <= *width, "{name}: {head}");
            }
        }
    }

    #[test]
    fn long_cells_and_reasons_become_notes() {
        let table = TABLES.iter().find(|table| table.name == "msm").unwrap();
        let mut stream = Stream::new(table, Scale::Whole);
        let figure = |label, printed| Figure::read(label, printed, "ms").unwrap().unwrap();
        let fields = Fields::default().with("curve", "bls12-381").with("log_n", 19).with("n", 1 << 19);
        let name = "a name that is longer than the column of names, by far";
        let why = Row::cannot_run(fields.clone(), name, "no room");
        let text = stream.row(&why.clone().with_published(vec![figure("A", "1.50"), figure("B", "2.5")]));
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "bls12-381, published length 2^19, points here 2^19");
        assert!(lines[1].contains("..(1)") && lines[1].contains("A 1.50 ms") && lines[1].ends_with("no (2)"));
        assert_eq!((lines[2].trim(), lines.len()), ("B 2.5 ms", 3));
        // Equal texts share a number, and equal fields are not printed again.
        let again = stream.row(&why);
        assert_eq!(again.lines().count(), 1);
        assert_eq!(stream.foot(), format!("(1) {name}\n(2) cannot run here: no room\n"));
        let right = Row::new(fields, "x", Ok(Timing::of_calls(0.003))).unwrap();
        let text = stream.row(&right.with_published(vec![figure("A", "1.50")]).with_fast(Some(0.0005)));
        assert!(text.contains("3.000 ms") && text.contains("0.500") && text.contains("3.00"), "{text}");
        assert!(text.ends_with("right\n"), "{text}");
    }

    #[test]
    fn long_notes_have_several_lines() {
        assert_eq!(wrapped("a b"), "a b\n");
        let words = vec!["word"; 60].join(" ");
        let text = wrapped(&words);
        assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), words);
        assert!(text.lines().count() == 3 && text.lines().all(|line| line.chars().count() <= WIDEST));
        assert!(text.lines().skip(1).all(|line| line.starts_with("    word")));
    }
}
