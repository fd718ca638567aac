//! The special elimination of Boolean Groebner bases: the programs of a course's reports on the course's cases.

mod programs;

pub use programs::{Problem, measure, programs};

use super::csv::{self, Record};
use super::{Lab, Scale, Table};
use crate::bench::course;
use crate::bench::{Fields, Figure, Row, Unit};
use crate::gf2::generate::course::Case;
use crate::{Error, Result};

/// The table.
pub static TABLE: Table = Table {
    name: "gf2",
    title: "Special elimination of Boolean Groebner bases (published: Kunpeng, Intel, a laptop; whole eliminations)",
    notes: &[
        "algorithm 1 promotes as it goes; algorithm 2 eliminates without promotion, then promotes in file order, and repeats",
        "matrices: real where the folder WGALOIS_DATA holds them, else a generated stand-in of the same dimensions",
        "case 8 was printed with 23045 columns; the matrices have 23075",
        "case 9 was printed with 14921 rows; the matrices have 14291",
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
    run: |lab| course_cases(lab, &PUBLISHED),
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
/// their order, then the programs without a published time.
///
/// # Errors
/// [`Error::Usage`] for a number that no case has; [`Error::DeviceLost`]; those of reading the matrices.
pub fn course_cases(lab: &mut Lab, numbers: &[u32]) -> Result<Vec<Row>> {
    let mut measured = Vec::new();
    for &number in numbers {
        let problem = problem(lab, number)?;
        measured.push((number, measure(lab, &problem)?));
    }
    let programs = programs();
    let mut is_published = vec![vec![false; programs.len()]; numbers.len()];
    let mut rows = Vec::new();
    for record in csv::ELIMINATION.records()? {
        let program = programs::published(record.text("system")?);
        let program = program.ok_or_else(|| record.fault("an unknown system"))?;
        let place = programs.iter().position(|own| *own == program).unwrap_or_default();
        for (number, figure) in published(&record)? {
            let Some(case) = measured.iter().position(|(own, _)| *own == number) else { continue };
            is_published[case][place] = true;
            let row = measured[case].1[place].clone();
            let fields = Fields::default()
                .with("table", record.text("table")?)
                .with("published_as", record.text("system")?)
                .with("machine", record.text("machine")?)
                .with("published_threads", record.value::<u32>("threads_or_processes")?);
            rows.push(Row { fields: fields.and(row.fields), published: vec![figure], ..row });
        }
    }
    for ((_, measured), is_published) in measured.into_iter().zip(is_published) {
        let others = measured.into_iter().zip(is_published).filter(|(_, is_published)| !is_published);
        rows.extend(others.map(|(row, _)| row));
    }
    Ok(rows)
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
