//! The special elimination of Boolean Groebner bases: the programs of a course's reports on the course's cases.

mod estimate;
mod programs;

use std::collections::btree_map::{BTreeMap, Entry};

use programs::Measured;
pub use programs::{Problem, measure, programs};

use super::csv::{self, Column};
use super::{Lab, Table, layout};
use crate::{Fields, Row};
use wgalois::Result;

/// The table.
pub static TABLE: Table = Table {
    layout: layout!("gf2.json"),
    file: csv::file!("gf2_elimination.csv"),
    figures: |record| record.figures(&PUBLISHED.map(|(_, column)| column)),
    run: |lab| {
        let published = || PUBLISHED.map(|(number, _)| number).to_vec();
        let cases = if lab.cases.is_empty() { published() } else { lab.cases.clone() };
        course_cases(lab, &cases)
    },
};

/// The cases with published times, and the columns of these.
const PUBLISHED: [(u32, Column); 4] = [
    (7, ("case7", "", "ms")),
    (8, ("case8", "", "ms")),
    (9, ("case9", "", "ms")),
    (10, ("case10", "", "ms")),
];

/// The threads of the published programs.
const THREADS: usize = 7;

/// Runs all programs on the course's cases of these numbers. First come the rows of the published tables, in
/// their order, then the programs without a published time. A program runs on a case when its first row there
/// comes.
fn course_cases(lab: &mut Lab, numbers: &[u32]) -> Result<Vec<Row>> {
    let mut cases = BTreeMap::new();
    let mut row = |lab: &mut Lab, number, program| {
        let case: &mut Measured = match cases.entry(number) {
            Entry::Occupied(case) => case.into_mut(),
            Entry::Vacant(place) => {
                let problem = problem(lab, number)?;
                place.insert(Measured::new(lab, problem)?)
            }
        };
        case.row(lab, program)
    };
    let (mut rows, mut published) = (Vec::new(), Vec::new());
    for record in TABLE.file.records()? {
        let program = programs::published(record.text("system")?);
        let program = program.ok_or_else(|| record.fault("an unknown system"))?;
        for (number, column) in PUBLISHED.into_iter().filter(|(number, _)| numbers.contains(number)) {
            let figures = record.figures(&[column])?;
            if figures.is_empty() {
                continue;
            }
            published.push((program, number));
            let row = row(lab, number, program)?;
            let fields = Fields::default()
                .with("table", record.text("table")?)
                .with("published_as", record.text("system")?)
                .with("machine", record.text("machine")?)
                .with("published_threads", record.value::<u32>("threads_or_processes")?);
            rows.push(lab.show(Row { fields: fields.and(row.fields), published: figures, ..row }));
        }
    }
    for program in programs() {
        for &number in numbers.iter().filter(|&&number| !published.contains(&(program, number))) {
            let row = row(lab, number, program)?;
            rows.push(lab.show(row));
        }
    }
    Ok(rows)
}

/// Loads or generates the F4 matrix of a case.
fn problem(lab: &Lab, number: u32) -> Result<Problem> {
    let (loaded, matrices) = lab.course(number)?;
    let fields = Fields::default().with("case", number).with("matrices", matrices);
    Ok(Problem::new(fields, loaded.f4, loaded.expected, lab.threads.unwrap_or(THREADS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_line_has_a_program() {
        let records = TABLE.file.records().unwrap();
        for record in &records {
            let system = record.text("system").unwrap();
            assert!(programs::published(system).is_some(), "{system}");
            assert!(!(TABLE.figures)(record).unwrap().is_empty(), "{system}");
        }
        let figures: usize = records.iter().map(|record| (TABLE.figures)(record).unwrap().len()).sum();
        assert_eq!((TABLE.figures().unwrap().len(), figures), (63, 63));
    }
}
