//! SciPy's archives of sparse matrices (`scipy.sparse.save_npz`): compressed rows, compressed columns and coordinates.
//! An archive with one dense array (`numpy.savez`) is read, too.
//!
//! ```text
//! csr, csc    indptr[i]..indptr[i + 1] are the places in `indices` and `data` of row (column) i
//! coo         row, col, data: an entry each
//! ```

mod needs;

use super::limits::Limits;
use super::{market, npy};
use crate::Source;
use crate::budget::Budget;
use crate::npy_header::{header, read_header};
use crate::text::excerpt;
use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use npy::Item;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveWriter, ZipSliceArchive, ZipSliceEntry};
use std::io::{self, Read, Write};
use wgalois::gf2::{BitMatrix, IndexLists, MAX_SIDE};
use wgalois::{Fault, Result};

pub const MAGIC: &[u8] = b"PK\x03\x04";

/// The maximum number of bytes that deflate makes of one.
const EXPANSION: u64 = 1100;

/// The content of an archive.
pub enum Content {
    /// The rows and the number of columns.
    Sparse(IndexLists, usize),
    Dense(BitMatrix),
}

pub fn read(source: &Source, limits: &Limits, becomes_matrix: bool) -> Result<Content> {
    let mut archive = Archive::open(source, limits.memory)?;
    if let Some(name) = source.member() {
        return archive.read_array(name, limits);
    }
    archive.expect(becomes_matrix)?;
    let Some(format) = archive.member(b"format.npy")? else { return archive.read_dense(limits) };
    let format = text_of(&format)?;
    let shape = archive.vector("shape")?;
    let (rows, columns) = match shape.indices()?[..] {
        [rows, columns] if rows.max(columns) <= MAX_SIDE as u64 => (rows as usize, columns as usize),
        _ => return Err(source.error(format!("a shape that is not two numbers up to {MAX_SIDE}"))),
    };
    limits.expect_columns(columns as u64).map_err(|message| source.error(message))?;
    let entries = match &format[..] {
        b"csr" => archive.compressed(limits, rows, columns, |line, index| (line, index))?,
        b"csc" => archive.compressed(limits, columns, rows, |line, index| (index, line))?,
        b"coo" => archive.coordinates(limits, rows, columns)?,
        other => {
            let found = excerpt(&String::from_utf8_lossy(other));
            let message =
                format!("a sparse matrix of the format {found}, where csr, csc or coo was expected");
            return Err(source.error(message));
        }
    };
    let mut budget = archive.budget;
    let lists = super::lists::bytes_of(entries.len(), rows);
    let matrix = if becomes_matrix { BitMatrix::bytes_of(rows as u64, columns.max(1) as u64) } else { 0 };
    budget.expect(lists.saturating_add(matrix))?;
    let lists = market::lists(rows, entries, &mut budget, limits.wrap, |at| {
        source.error(format!("entry {at} is in a place that has one (--wrap adds them modulo 2)"))
    })?;
    Ok(Content::Sparse(lists, columns))
}

/// The archive of a file.
struct Archive<'s> {
    source: &'s Source,
    zip: ZipSliceArchive<&'s [u8]>,
    budget: Budget<'s>,
}

impl<'s> Archive<'s> {
    fn open(source: &'s Source, memory: u64) -> Result<Self> {
        let zip = ZipArchive::from_slice(source.bytes()).map_err(|error| damaged(source, &error))?;
        Ok(Archive { source, zip, budget: Budget::new(source, memory) })
    }

    /// Returns an array of the archive; `None` if it has none of this name.
    fn member(&mut self, name: &[u8]) -> Result<Option<Source>> {
        let Some((method, size, entry)) = find(&self.zip, self.source, Some(name))? else { return Ok(None) };
        let name = excerpt(&String::from_utf8_lossy(name));
        // One byte more shows that the data are longer than they are said to be.
        self.budget.take_bytes(size + 1)?;
        let mut bytes = self.budget.room(size as usize + 1)?;
        let other = || self.source.error(format!("{name} is compressed by another method than deflate"));
        let unpacked = unpacked(method, &entry).ok_or_else(other)?;
        let read = entry.verifying_reader(unpacked).take(size + 1).read_to_end(&mut bytes);
        read.map_err(|error| damaged(self.source, &error))?;
        if bytes.len() as u64 != size {
            let message = format!("{name} has not the {size} bytes that it is said to have");
            return Err(self.source.error(message));
        }
        let path = format!("{}/{name}", self.source.path().display());
        Ok(Some(Source::from_bytes(path, bytes)))
    }

    /// Returns a vector that the matrix needs.
    fn vector(&mut self, name: &str) -> Result<Vector> {
        match self.member(format!("{name}.npy").as_bytes())? {
            Some(array) => Vector::of(array),
            None => Err(self.source.error(format!("no sparse matrix of SciPy: the array {name} is missing"))),
        }
    }

    /// Reads an archive of one dense array.
    fn read_dense(self, limits: &Limits) -> Result<Content> {
        match &self.names()?[..] {
            [] => Err(self.source.error("an archive without an array")),
            [name] => self.read_array(name, limits),
            names => {
                let (count, listed, first) = (names.len(), names.join(", "), &names[0]);
                let file = crate::text::name(self.source.path());
                Err(self.source.error(format!(
                    "{count} arrays, {listed}, and no sparse matrix of SciPy: {file}:{first} chooses one"
                )))
            }
        }
    }

    /// The names of the arrays, without `.npy`, of which messages show at most 20.
    fn names(&self) -> Result<Vec<String>> {
        const SHOWN: usize = 20;
        let mut entries = self.zip.entries();
        let mut names = Vec::new();
        while let Some(entry) = entries.next_entry().map_err(|error| damaged(self.source, &error))? {
            if names.len() == SHOWN {
                names.push("...".to_owned());
                break;
            }
            let name = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
            names.push(excerpt(name.strip_suffix(".npy").unwrap_or(&name)));
        }
        Ok(names)
    }

    /// Reads the dense array of this name.
    fn read_array(mut self, name: &str, limits: &Limits) -> Result<Content> {
        let file = if name.ends_with(".npy") { name.to_owned() } else { format!("{name}.npy") };
        let array = match self.member(file.as_bytes())? {
            Some(array) => array,
            None => self.member(name.as_bytes())?.ok_or_else(|| match self.names() {
                Ok(names) => {
                    self.source.error(format!("there is no array {name}; there are {}", names.join(", ")))
                }
                Err(error) => error,
            })?,
        };
        let held = self.source.held() + array.owned_bytes();
        Ok(Content::Dense(npy::read(&array.with_held(held), limits)?))
    }

    /// Reads the entries of compressed lines, rows or columns; `place` makes a row and a column of a line and an index.
    fn compressed(
        &mut self,
        limits: &Limits,
        lines: usize,
        width: usize,
        place: impl Fn(u32, u32) -> (u32, u32),
    ) -> Result<Vec<market::Entry>> {
        let (starts, indices, data) = (self.vector("indptr")?, self.vector("indices")?, self.vector("data")?);
        if starts.len() != lines + 1 || indices.len() != data.len() {
            let (found, entries, values) = (starts.len(), indices.len(), data.len());
            let message = format!(
                "{found} starts, {entries} indices and {values} values do not make {lines} rows or columns"
            );
            return Err(self.source.error(message));
        }
        let mut entries = self.entries(data.len())?;
        let mut before = 0;
        for line in 0..lines {
            let [start, end] = [line, line + 1].map(|at| starts.index(at, indices.len() + 1));
            let (start, end) = (start?, end?);
            if start != before || end < start {
                return Err(starts
                    .source
                    .error(format!("item {line} does not begin where the line before it ends")));
            }
            before = end;
            for at in start..end {
                let index = indices.index(at, width)?;
                if data.bit(at, limits.wrap)? {
                    let (row, column) = place(line as u32, index as u32);
                    entries.push((row, column, at));
                }
            }
        }
        match before == indices.len() {
            true => Ok(entries),
            false => {
                let fault =
                    Fault::WrongCount { what: "entries".into(), expected: before, found: indices.len() };
                Err(starts.source.error(fault))
            }
        }
    }

    fn coordinates(&mut self, limits: &Limits, rows: usize, columns: usize) -> Result<Vec<market::Entry>> {
        let (row, column, data) = (self.vector("row")?, self.vector("col")?, self.vector("data")?);
        if row.len() != data.len() || column.len() != data.len() {
            let (rows, columns, values) = (row.len(), column.len(), data.len());
            return Err(self
                .source
                .error(format!("{rows} rows, {columns} columns and {values} values of entries")));
        }
        let mut entries = self.entries(data.len())?;
        for at in 0..data.len() {
            let place = (row.index(at, rows)?, column.index(at, columns)?);
            if data.bit(at, limits.wrap)? {
                entries.push((place.0 as u32, place.1 as u32, at));
            }
        }
        Ok(entries)
    }

    fn entries(&mut self, count: usize) -> Result<Vec<market::Entry>> {
        self.budget.take::<market::Entry>(count as u64)?;
        self.budget.room(count)
    }
}

/// A one-dimensional array.
struct Vector {
    source: Source,
    start: usize,
    item: Item,
}

impl Vector {
    fn of(source: Source) -> Result<Self> {
        let (header, start) = read_header(&source)?;
        let item = Item::of(&source, &header)?;
        let &[count] = &header.shape[..] else {
            let dimensions = header.shape.len();
            return Err(
                source.error(format!("an array of {dimensions} dimensions, where a vector was expected"))
            );
        };
        item.data(&source, start, Some(count), &count.to_string())?;
        Ok(Vector { source, start, item })
    }

    fn len(&self) -> usize {
        (self.source.bytes().len() - self.start) / self.item.size
    }

    fn bytes(&self, at: usize) -> &[u8] {
        &self.source.bytes()[self.start + at * self.item.size..][..self.item.size]
    }

    /// Returns an item that is an index below `end`.
    fn index(&self, at: usize, end: usize) -> Result<usize> {
        let index = self.item.index(self.bytes(at)).filter(|&index| index < end as u64);
        index.map(|index| index as usize).ok_or_else(|| {
            let found = self.item.text(self.bytes(at));
            self.source.error(format!("item {at} is {found}: a number from 0 on, below {end}, was expected"))
        })
    }

    fn indices(&self) -> Result<Vec<u64>> {
        // A shape has few numbers; a longer vector is none.
        (0..self.len().min(3)).map(|at| Ok(self.index(at, usize::MAX)? as u64)).collect()
    }

    fn bit(&self, at: usize, wrap: bool) -> Result<bool> {
        self.item.parity(self.bytes(at), wrap).ok_or_else(|| {
            let found = self.item.text(self.bytes(at));
            self.source.error(format!("item {at} is {found}: {}", super::limits::expected_bit(wrap)))
        })
    }
}

/// Returns the member of this name, or the first of all, with its method and the number of its bytes.
fn find<'z>(
    zip: &'z ZipSliceArchive<&[u8]>,
    source: &Source,
    name: Option<&[u8]>,
) -> Result<Option<(CompressionMethod, u64, ZipSliceEntry<'z>)>> {
    let mut entries = zip.entries();
    let entry = loop {
        match entries.next_entry().map_err(|error| damaged(source, &error))? {
            None => return Ok(None),
            Some(entry) if name.is_none_or(|name| entry.file_path().as_ref() == name) => break entry,
            Some(_) => (),
        }
    };
    let (method, size) = (entry.compression_method(), entry.uncompressed_size_hint());
    let name = excerpt(&String::from_utf8_lossy(entry.file_path().as_ref()));
    let entry = zip.get_entry(entry.wayfinder()).map_err(|error| damaged(source, &error))?;
    let stored = entry.data().len() as u64;
    if size > stored.saturating_mul(EXPANSION) {
        let message = format!("{name} is said to have {size} bytes, which no {stored} bytes hold");
        return Err(source.error(message));
    }
    Ok(Some((method, size, entry)))
}

/// The bytes of a member; `None` for a method that is not read.
fn unpacked<'e>(method: CompressionMethod, entry: &ZipSliceEntry<'e>) -> Option<Box<dyn Read + 'e>> {
    match method {
        CompressionMethod::STORE => Some(Box::new(entry.data())),
        CompressionMethod::DEFLATE => Some(Box::new(DeflateDecoder::new(entry.data()))),
        _ => None,
    }
}

/// The text in an array: it is stored as bytes, or as words of 32 bits.
fn text_of(array: &Source) -> Result<Vec<u8>> {
    let text = &array.bytes()[read_header(array)?.1..];
    Ok(text.iter().copied().filter(|&byte| byte != 0).collect())
}

fn damaged(source: &Source, error: &dyn std::error::Error) -> wgalois::Error {
    source.error(format!("no .npz archive: {}", excerpt(&error.to_string())))
}

/// Writes a matrix as SciPy's compressed rows, with ones of the type uint8: sums of them keep their parity.
pub fn write(out: &mut dyn Write, matrix: &BitMatrix) -> io::Result<()> {
    let (rows, columns, ones) = (matrix.rows(), matrix.columns(), matrix.count_ones());
    let is_wide = ones.max(rows.max(columns) as u64) > i32::MAX as u64;
    let mut zip = ZipArchiveWriter::new(out);
    let mut array =
        |name: &str, descr: &str, shape: &str, write: &dyn Fn(&mut dyn Write) -> io::Result<()>| {
            let file = zip.new_file(format!("{name}.npy")).compression_method(CompressionMethod::DEFLATE);
            let (mut entry, config) = file.start().map_err(io::Error::other)?;
            let encoder = DeflateEncoder::new(&mut entry, Compression::fast());
            let mut buffered = io::BufWriter::with_capacity(1 << 16, config.wrap(encoder));
            buffered.write_all(&header(descr, shape))?;
            write(&mut buffered)?;
            let inner = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
            let (encoder, descriptor) = inner.finish().map_err(io::Error::other)?;
            encoder.finish()?;
            entry.finish(descriptor).map_err(io::Error::other).map(drop)
        };
    // SciPy's indices have 32 bits where they suffice.
    let index = |out: &mut dyn Write, value: u64| match is_wide {
        true => out.write_all(&value.to_le_bytes()),
        false => out.write_all(&(value as u32).to_le_bytes()),
    };
    let of_index = if is_wide { "<i8" } else { "<i4" };
    array("indices", of_index, &format!("({ones},)"), &|out| {
        (0..rows).try_for_each(|row| matrix.ones(row).try_for_each(|column| index(out, column as u64)))
    })?;
    array("indptr", of_index, &format!("({},)", rows + 1), &|out| {
        let mut end = 0;
        index(out, 0)?;
        (0..rows).try_for_each(|row| {
            end += matrix.ones(row).count() as u64;
            index(out, end)
        })
    })?;
    array("format", "|S3", "()", &|out| out.write_all(b"csr"))?;
    array("shape", "<i8", "(2,)", &|out| {
        [rows, columns].iter().try_for_each(|&side| out.write_all(&(side as u64).to_le_bytes()))
    })?;
    array("data", "|u1", &format!("({ones},)"), &|out| {
        const ONES: [u8; 1 << 12] = [1; 1 << 12];
        let whole = (0..ones / ONES.len() as u64).try_for_each(|_| out.write_all(&ONES));
        whole.and_then(|()| out.write_all(&ONES[..(ones % ONES.len() as u64) as usize]))
    })?;
    zip.finish().map_err(io::Error::other).map(drop)
}
