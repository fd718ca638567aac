//! The memory that an archive takes to read, by the headers of its arrays.

use super::{Archive, Vector, find, market, text_of, unpacked};
use crate::Source;
use crate::npy_header::read_header;
use std::io::Read;
use wgalois::Result;
use wgalois::gf2::{BitMatrix, MAX_SIDE};

/// The bytes of an array that are enough for its header, and for the whole array of a shape.
const HEADER: u64 = 1 << 12;

impl Archive<'_> {
    /// Refuses an archive that takes more than the limit, with the bytes that suffice for all of it. An archive that is
    /// not as it should be passes; reading it finds the fault.
    pub fn expect(&self, becomes_matrix: bool) -> Result<()> {
        match self.needs(becomes_matrix) {
            Some(bytes) => self.budget.expect(bytes),
            None => Ok(()),
        }
    }

    fn needs(&self, becomes_matrix: bool) -> Option<u64> {
        let Some((format, _)) = self.begin(Some(b"format.npy")) else { return self.dense(becomes_matrix) };
        let arrays = match &text_of(&format).ok()?[..] {
            b"csr" | b"csc" => ["indptr", "indices", "data"],
            b"coo" => ["row", "col", "data"],
            _ => return None,
        };
        let (shape, _) = self.begin(Some(b"shape.npy"))?;
        let &[rows, columns] = &Vector::of(shape).ok()?.indices().ok()?[..] else { return None };
        if rows.max(columns) > MAX_SIDE as u64 {
            return None;
        }
        let mut bytes = 0u64;
        let mut entries = 0;
        for name in ["format", "shape"].iter().chain(&arrays) {
            let (array, size) = self.begin(Some(format!("{name}.npy").as_bytes()))?;
            bytes = bytes.checked_add(size)?.checked_add(1)?;
            entries = read_header(&array).ok()?.0.shape.first().copied().unwrap_or(0);
        }
        // The last array has an item for each entry.
        let lists = entries.checked_mul(4)?.checked_add(rows.checked_add(1)?.checked_mul(8)?)?;
        let entries = entries.checked_mul(size_of::<market::Entry>() as u64)?;
        let matrix = if becomes_matrix { BitMatrix::bytes_of(rows, columns.max(1)) } else { 0 };
        bytes.checked_add(entries)?.checked_add(lists)?.checked_add(matrix)
    }

    /// The bytes of an archive of one dense array.
    fn dense(&self, becomes_matrix: bool) -> Option<u64> {
        let (array, size) = self.begin(None)?;
        let (rows, columns) = match read_header(&array).ok()?.0.shape[..] {
            [rows, columns] => (rows, columns),
            [rows] => (rows, 1),
            _ => return None,
        };
        if rows.max(columns) > MAX_SIDE as u64 {
            return None;
        }
        let matrix = BitMatrix::bytes_of(rows, columns.max(1));
        let lists =
            rows.checked_mul(columns)?.checked_mul(4)?.checked_add(rows.checked_add(1)?.checked_mul(8)?)?;
        let lists = if becomes_matrix { 0 } else { lists };
        matrix.checked_add(lists.max(size.checked_add(1)?))
    }

    /// Returns the beginning of an array, by default of the first one, and the bytes that the whole is said to have.
    fn begin(&self, name: Option<&[u8]>) -> Option<(Source, u64)> {
        let (method, size, entry) = find(&self.zip, self.source, name).ok()??;
        let mut bytes = Vec::new();
        unpacked(method, &entry)?.take(HEADER).read_to_end(&mut bytes).ok()?;
        Some((Source::from_bytes(self.source.path(), bytes), size))
    }
}
