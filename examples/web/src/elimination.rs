//! Elimination of Groebner matrices over GF(2) in file order.

use wgalois::gf2::generate::Groebner;
use wgalois::gf2::{self, Elimination, F4Matrix, IndexLists, duplicate_lead, verify};
use wgalois::{Device, Error, Result};
use wgalois_io::Source;
use wgalois_io::bits::{self, Format, Limits, lists};

use crate::MEMORY;
use crate::job::Task;

pub struct Eliminate(F4Matrix);

/// The result: the text of all rows in file order.
#[derive(PartialEq)]
pub struct Rows(Vec<u8>);

/// Generates an F4 matrix: three quarters of the columns have a reducer, and the number of rows is
/// half the number of columns.
pub fn generate(columns: usize) -> Result<Eliminate> {
    let generator = Groebner {
        columns,
        reducers: columns / 4 * 3,
        rows: columns / 2,
        new_pivots: columns / 8,
        reducer_ones: 100,
        row_ones: 200,
        seed: 1,
    };
    let (reducers, rows) = generator.generate()?;
    Ok(Eliminate(F4Matrix::new(reducers, rows, Some(columns))?))
}

pub fn read(reducers: (String, Vec<u8>), rows: (String, Vec<u8>)) -> Result<Eliminate> {
    let (source, reducers, width) = read_lists(reducers)?;
    if let Some((first, second, lead)) = duplicate_lead(&reducers) {
        return Err(source.error(format!("rows {first} and {second} (from 0) both have the lead {lead}")));
    }
    let (_, rows, other_width) = read_lists(rows)?;
    Ok(Eliminate(F4Matrix::new(reducers, rows, width.max(other_width))?))
}

fn read_lists((name, bytes): (String, Vec<u8>)) -> Result<(Source, IndexLists, Option<usize>)> {
    let source = Source::from_bytes(name, bytes);
    let limits = Limits { columns: None, sort: false, wrap: false, memory: MEMORY };
    let format = Format::of_source(&source, Format::Lists);
    let (rows, columns) = bits::read_lists(&source, format, &limits)?;
    Ok((source, rows, columns))
}

impl Task for Eliminate {
    type Output = Rows;

    const FILES: &'static [&'static str] = &["rows.txt"];

    fn describe(&self) -> String {
        let f4 = &self.0;
        let (rows, reducers) = (f4.row_count(), f4.reducer_count());
        format!("{rows} rows, {reducers} eliminators, {} columns", f4.columns())
    }

    async fn run(&self, device: &Device) -> Result<Rows> {
        let result = gf2::eliminate_async(device, &self.0).await?;
        let mut file = Vec::new();
        lists::write_elimination(&mut file, &result).map_err(|e| Error::file("rows", e))?;
        Ok(Rows(file))
    }

    fn check(&self, rows: &Rows) -> Result<String> {
        let source = Source::from_bytes("result", rows.0.clone());
        let limits = Limits { columns: Some(self.0.columns()), sort: false, wrap: false, memory: MEMORY };
        let lists = lists::read(&source, &limits)?;
        let result = Elimination::from_lists(&self.0, &lists)?;
        let guarantee = verify::file_order(&self.0, &result, verify::Depth::Bounded, None)?;
        Ok(guarantee.to_string())
    }

    fn write(&self, rows: &Rows, _: usize) -> Result<Vec<u8>> {
        Ok(rows.0.clone())
    }
}
