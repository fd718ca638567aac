//! The special elimination of Boolean Groebner bases: the programs of a course's reports on the course's cases.

mod estimate;
mod programs;

use programs::Measured;
pub use programs::{Problem, measure, programs};

use super::csv::{self, Record};
use super::{Lab, Scale, Table};
use crate::course;
use crate::{Fields, Figure, Row, Unit};
use wgalois::gf2::generate::course::Case;
use wgalois::{Error, Result};

/// The table.
pub static TABLE: Table = Table {
    name: "gf2",
    title: "Special elimination of Boolean Groebner bases (published: Kunpeng, Intel, a laptop; whole eliminations)",
    notes: &[
        "algorithm 1 promotes as it goes; algorithm 2 eliminates without promotion, then promotes in file order, and repeats",
        "matrices: real where the folder WGALOIS_DATA holds them, else a generated stand-in of the same dimensions, whose \
         additions and words added are within a factor 1.5 of those of the known real cases (1, 3, 4)",
        "case 8 was printed with 23045 columns; the matrices have 23075",
        "case 9 was printed with 14921 rows; the matrices have 14291",
        "a program is left out if it would take longer than --limit, by a measured estimate; the CPU's programs run on \
         samples of the rows for that, the GPU's for some rounds; speed-ups are over the estimate of serial algorithm 1 \
         if that is left out",
        "calls longer than 1 s are timed once, the others as often as 2 s allow, at most --samples times",
        "processes: by MPI under mpirun, else as threads of one process that exchange the same messages",
    ],
    groups: &[
        ("table", "table "),
        ("machine", ""),
        ("published_as", ""),
        ("published_threads", "threads "),
        ("system", "here: "),
        ("engine", ""),
    ],
    columns: &[
        ("case", "case", 8),
        ("matrices", "matrices", 14),
        ("columns", "columns", 7),
        ("eliminators", "eliminators", 11),
        ("rows", "rows", 6),
        ("seconds", "call", 8),
        ("speedup", "speed-up", 8),
        ("published", "published", 10),
        ("over", "gain", 7),
        ("fast", "fast", 8),
        ("fast_over", "fast gain", 9),
        ("outcome", "result", 12),
    ],
    figures: || {
        let figures =
            |record: &Record| published(record).map(|all| all.into_iter().map(|(_, figure)| figure));
        Ok(csv::ELIMINATION
            .records()?
            .iter()
            .map(figures)
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    },
    run: |lab| {
        let cases = if lab.cases.is_empty() { PUBLISHED.to_vec() } else { lab.cases.clone() };
        course_cases(lab, &cases)
    },
};

/// The cases with published times.
const PUBLISHED: [u32; 4] = [7, 8, 9, 10];

/// The threads of the published programs.
const THREADS: usize = 7;

/// The divisor of the cases' dimensions in a quick run.
const QUICK: usize = 100;

/// Returns the published time of each case on one line.
fn published(record: &Record) -> Result<Vec<(u32, Figure)>> {
    let mut figures = Vec::new();
    for (number, column) in PUBLISHED.into_iter().zip(["case7", "case8", "case9", "case10"]) {
        let figure = record.figure(column, "", Unit::Milliseconds)?;
        figures.extend(figure.map(|figure| (number, figure)));
    }
    Ok(figures)
}

/// Runs all programs on the course's cases of these numbers. First come the rows of the published tables, in
/// their order, then the programs without a published time. A program runs on a case when its first row there
/// comes.
///
/// # Errors
/// [`Error::Usage`] for a number that no case has; [`Error::DeviceLost`]; those of reading the matrices.
fn course_cases(lab: &mut Lab, numbers: &[u32]) -> Result<Vec<Row>> {
    let mut cases = Cases::default();
    let (mut rows, mut published) = (Vec::new(), Vec::new());
    for record in csv::ELIMINATION.records()? {
        let program = programs::published(record.text("system")?);
        let program = program.ok_or_else(|| record.fault("an unknown system"))?;
        for (number, figure) in self::published(&record)? {
            if !numbers.contains(&number) {
                continue;
            }
            published.push((program, number));
            let row = cases.measured(lab, number)?.row(lab, program)?;
            let fields = Fields::default()
                .with("table", record.text("table")?)
                .with("published_as", record.text("system")?)
                .with("machine", record.text("machine")?)
                .with("published_threads", record.value::<u32>("threads_or_processes")?);
            rows.push(lab.show(Row { fields: fields.and(row.fields), published: vec![figure], ..row }));
        }
    }
    for program in programs() {
        for &number in numbers.iter().filter(|&&number| !published.contains(&(program, number))) {
            let row = cases.measured(lab, number)?.row(lab, program)?;
            rows.push(lab.show(row));
        }
    }
    Ok(rows)
}

/// The cases that were begun, by number.
#[derive(Default)]
struct Cases(Vec<(u32, Measured)>);

impl Cases {
    /// Returns case `number`, which is loaded or generated when it is first asked for.
    fn measured(&mut self, lab: &mut Lab, number: u32) -> Result<&mut Measured> {
        let place = match self.0.iter().position(|(own, _)| *own == number) {
            Some(place) => place,
            None => {
                let problem = problem(lab, number)?;
                self.0.push((number, Measured::new(lab, problem)?));
                self.0.len() - 1
            }
        };
        Ok(&mut self.0[place].1)
    }
}

/// Loads or generates the system of a case.
fn problem(lab: &Lab, number: u32) -> Result<Problem> {
    let case = Case::numbered(number)
        .ok_or_else(|| Error::Usage(format!("case {number}: the course has the cases 1 to 11")))?;
    let (system, expected, matrices) = match lab.scale {
        Scale::Quick => (case.stand_in(QUICK)?, None, "small stand-in"),
        Scale::Whole => {
            let loaded = course::load(&case, lab.data.as_deref(), lab.memory)?;
            (loaded.system, loaded.expected, if loaded.is_real { "real" } else { "stand-in" })
        }
    };
    let fields = Fields::default().with("case", number).with("matrices", matrices);
    Ok(Problem::new(fields, system, expected, lab.threads.unwrap_or(THREADS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_line_has_a_program() {
        let records = csv::ELIMINATION.records().unwrap();
        for record in &records {
            let system = record.text("system").unwrap();
            assert!(programs::published(system).is_some(), "{system}");
            assert!(!published(record).unwrap().is_empty(), "{system}");
        }
        let figures: usize = records.iter().map(|record| published(record).unwrap().len()).sum();
        assert_eq!((TABLE.figures().unwrap().len(), figures), (63, 63));
    }
}
