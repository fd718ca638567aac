//! The files of published figures, embedded.

use crate::Figure;
use wgalois::{Error, Result};

/// A file of published figures: lines of cells with commas between them, of which the first has the names of
/// the columns. Lines that begin with `#` are notes.
#[derive(Debug)]
pub struct File {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// The cells of one line of a file.
#[derive(Clone, Debug)]
pub struct Record {
    file: &'static str,
    cells: Vec<(&'static str, &'static str)>,
}

/// A file of the folder of published figures.
macro_rules! file {
    ($name:literal) => {
        &$crate::published::csv::File {
            name: $name,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/published/", $name)),
        }
    };
}
pub(super) use file;

impl File {
    /// Reads all lines.
    pub fn records(&'static self) -> Result<Vec<Record>> {
        let mut lines = self.text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let header: Vec<_> = lines.next().unwrap_or_default().split(',').collect();
        let record = |line: &'static str| {
            let cells: Vec<_> = line.split(',').collect();
            let lengths = Error::expect_length("cells", header.len(), cells.len());
            lengths.map_err(|error| error.of(format!("{}: {line:?}", self.name)))?;
            Ok(Record { file: self.name, cells: header.iter().copied().zip(cells).collect() })
        };
        lines.map(record).collect()
    }

    /// Returns the first line whose cells under these columns have these texts.
    pub fn find(&'static self, cells: &[(&str, &str)]) -> Result<Option<Record>> {
        Ok(self.records()?.into_iter().find(|record| record.has(cells)))
    }
}

/// A column of figures: its name, the label of the figures, and their unit.
pub type Column = (&'static str, &'static str, &'static str);

impl Record {
    /// True if the cells under these columns have these texts.
    pub fn has(&self, cells: &[(&str, &str)]) -> bool {
        cells.iter().all(|cell| self.cells.contains(cell))
    }

    /// Returns the text under a column; empty if it was not given.
    pub fn text(&self, column: &str) -> Result<&'static str> {
        let cell = self.cells.iter().find(|(name, _)| *name == column);
        cell.map(|(_, text)| *text).ok_or_else(|| self.fault(&format!("no column {column:?}")))
    }

    /// Returns the value under a column, `None` if it was not given.
    pub fn value<T: std::str::FromStr>(&self, column: &str) -> Result<Option<T>> {
        match self.text(column)? {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| self.fault(&format!("{column} {text:?}"))),
        }
    }

    /// Returns the figures under some columns, without those that were not given.
    pub fn figures(&self, columns: &[Column]) -> Result<Vec<Figure>> {
        let mut figures = Vec::new();
        for &(column, label, unit) in columns {
            figures.extend(Figure::read(label, self.text(column)?, unit)?);
        }
        Ok(figures)
    }

    /// An error about this line.
    pub fn fault(&self, message: &str) -> Error {
        Error::Input(format!("{}: {message} in {:?}", self.file, self.cells))
    }
}

#[cfg(test)]
mod tests {
    use crate::published::{TABLES, ntt};

    #[test]
    fn every_file_has_its_rows() {
        let counts = TABLES.iter().map(|table| table.file.records().unwrap().len());
        assert_eq!(counts.collect::<Vec<_>>(), [36, 5, 18, 9, 21, 6, 19]);
    }

    #[test]
    fn files_are_those_of_the_data() {
        let Some(data) = std::env::var_os("WGALOIS_DATA") else {
            assert!(std::env::var_os("CI").is_none(), "WGALOIS_DATA must name the data in CI");
            eprintln!("NOT RUN: WGALOIS_DATA does not name the folder of the data");
            return;
        };
        let folder = std::path::Path::new(&data).join("published");
        for file in TABLES.iter().map(|table| table.file) {
            assert!(std::fs::read(folder.join(file.name)).unwrap() == file.text.as_bytes(), "{}", file.name);
        }
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), TABLES.len());
    }

    #[test]
    fn cells_are_read_by_column() {
        let records = ntt::TABLE.file.records().unwrap();
        let last = records.last().unwrap();
        assert_eq!(last.text("system").unwrap(), "montgomery -O3");
        assert_eq!(last.value::<u32>("block").unwrap(), Some(64));
        let [time] = &last.figures(&[("us", "", "us")]).unwrap()[..] else { panic!("one figure") };
        assert_eq!((time.printed.as_str(), time.seconds()), ("2523.01", Some(2523.01 * 1e-6)));
        assert_eq!(records[0].value::<u32>("block").unwrap(), None);
        assert!(last.text("no such column").is_err() && last.value::<u32>("system").is_err());
    }
}
