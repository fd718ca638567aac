//! Packed matrices over GF(2).

use crate::prelude::*;
use std::path::PathBuf;

use wgalois::gf2::{self, IndexLists};
use wgalois::parallel::*;
use wgalois_io::bits::{Format, Limits, read_matrix};

/// A packed matrix, which never changes.
#[pyclass(frozen, module = "wgalois._native")]
pub struct BitMatrix(pub Arc<gf2::BitMatrix>);

impl From<gf2::BitMatrix> for BitMatrix {
    fn from(matrix: gf2::BitMatrix) -> Self {
        BitMatrix(Arc::new(matrix))
    }
}

/// Entries that are packed, unpacked or copied within a millisecond, by a margin.
pub const SHORT: usize = 1 << 18;

/// True if every entry of a matrix is handled within a millisecond.
pub fn is_short(rows: usize, columns: usize) -> bool {
    rows.saturating_mul(columns) <= SHORT
}

/// Rows that one task packs or unpacks: enough for the time to start it.
fn rows_a_task(columns: usize) -> usize {
    ((1 << 16) / columns.max(1)).max(1)
}

/// Packs bytes that are 0 or 1, row after row. Another byte is an error.
pub fn pack(bytes: &[u8], rows: usize, columns: usize) -> Result<gf2::BitMatrix> {
    let mut matrix = gf2::BitMatrix::zeros(rows, columns)?;
    if columns == 0 || rows == 0 {
        return Ok(matrix);
    }
    let stride = matrix.stride();
    let packed = matrix.words_mut().par_chunks_mut(stride).with_min_len(rows_a_task(columns));
    packed.zip(bytes.par_chunks(columns)).enumerate().try_for_each(|(r, (words, row))| {
        for (word, bits) in words.iter_mut().zip(row.chunks(32)) {
            *word = bits.iter().rev().fold(0, |word, &bit| word << 1 | u32::from(bit & 1));
        }
        match row.iter().position(|&bit| bit > 1) {
            Some(c) => Err(Error::Input(format!("entry ({r}, {c}) is {}: 0 or 1 was expected", row[c]))),
            None => Ok(()),
        }
    })?;
    Ok(matrix)
}

/// Unpacks a matrix to bytes, row after row.
pub fn unpack(matrix: &gf2::BitMatrix, bytes: &mut [u8]) {
    let columns = matrix.columns();
    if columns == 0 {
        return;
    }
    let rows = bytes.par_chunks_mut(columns).zip((0..matrix.rows()).into_par_iter());
    rows.with_min_len(rows_a_task(columns)).for_each(|(bytes, r)| {
        for (word, bits) in matrix.row(r).iter().zip(bytes.chunks_mut(32)) {
            bits.iter_mut().enumerate().for_each(|(k, bit)| *bit = (word >> k & 1) as u8);
        }
    });
}

/// The rows of a matrix in compressed rows.
pub fn lists(offsets: &[i64], indices: &[i64], columns: usize) -> Result<IndexLists> {
    let mut lists = IndexLists::default();
    let mut row = Vec::new();
    for (r, ends) in offsets.windows(2).enumerate() {
        let range = usize::try_from(ends[0]).ok().zip(usize::try_from(ends[1]).ok());
        let Some(list) = range.and_then(|(begin, end)| indices.get(begin..end)) else {
            let order = "ascend from 0 to the number of indices";
            return Err(Error::Unordered { what: "offsets of rows", order });
        };
        row.clear();
        for &index in list {
            match u32::try_from(index) {
                Ok(index) if (index as usize) < columns => row.push(index),
                _ => {
                    let message = format!("row {r}: index {index} in a matrix of {columns} columns");
                    return Err(Error::Input(message));
                }
            }
        }
        row.sort_unstable_by(|a, b| b.cmp(a));
        if let Some(twice) = row.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::Input(format!("row {r}: index {} stands in it twice", twice[0])));
        }
        lists.push(&row)?;
    }
    Ok(lists)
}

/// Rows as 64-bit offsets and 32-bit indices, ascending.
pub struct Compressed {
    offsets: Vec<u64>,
    indices: Vec<u32>,
}

impl Default for Compressed {
    fn default() -> Self {
        Compressed { offsets: vec![0], indices: Vec::new() }
    }
}

impl Compressed {
    /// Appends the rows of a matrix.
    pub fn append(&mut self, matrix: &gf2::BitMatrix) {
        for r in 0..matrix.rows() {
            self.indices.extend(matrix.ones(r).map(|c| c as u32));
            self.offsets.push(self.indices.len() as u64);
        }
    }

    /// The bytes of the offsets and of the indices.
    pub fn bytes<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
        (bytes(bytemuck::cast_slice(&self.offsets)), bytes(bytemuck::cast_slice(&self.indices)))
    }
}

/// The columns of a matrix from `first` on, up to `end`, by whole words.
fn columns(matrix: &gf2::BitMatrix, first: usize, end: usize) -> Result<gf2::BitMatrix> {
    let end = end.min(matrix.columns());
    let width = end.saturating_sub(first);
    let mut taken = gf2::BitMatrix::zeros(matrix.rows(), width)?;
    let (place, shift) = (first / 32, first % 32);
    for r in 0..matrix.rows() {
        let row = matrix.row(r);
        let word = |k: usize| u64::from(row.get(place + k).copied().unwrap_or(0));
        for (k, to) in taken.row_mut(r)[..width.div_ceil(32)].iter_mut().enumerate() {
            *to = ((word(k) | word(k + 1) << 32) >> shift) as u32;
            let left = width - 32 * k;
            if left < 32 {
                *to &= (1 << left) - 1;
            }
        }
    }
    Ok(taken)
}

/// A matrix with the identity to its right.
pub fn beside_identity(matrix: &gf2::BitMatrix) -> Result<gf2::BitMatrix> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let mut both = gf2::BitMatrix::zeros(rows, columns + rows)?;
    for r in 0..rows {
        let width = columns.div_ceil(32);
        both.row_mut(r)[..width].copy_from_slice(&matrix.row(r)[..width]);
        both.set(r, columns + r, true);
    }
    Ok(both)
}

#[pymethods]
impl BitMatrix {
    /// Packs an array of bytes that are 0 or 1.
    #[staticmethod]
    fn of_bytes(py: Python<'_>, bytes: &Bound<'_, PyAny>, rows: usize, columns: usize) -> PyResult<Self> {
        let bytes = Input::<u8>::new(bytes)?;
        let is_short = bytes.get().len() <= SHORT;
        work::run_short(py, is_short, bytes, move |bytes| pack(bytes.get(), rows, columns)).map(Self::from)
    }

    /// Takes packed bytes: those of a row begin at a whole byte.
    #[staticmethod]
    fn of_packed(
        py: Python<'_>,
        bytes: &Bound<'_, PyAny>,
        rows: usize,
        columns: usize,
        big: bool,
    ) -> PyResult<Self> {
        let read = move |bytes: &mut Input<u8>| {
            let width = columns.div_ceil(8);
            let mut matrix = gf2::BitMatrix::zeros(rows, columns)?;
            let last = if columns.is_multiple_of(8) { 0xff } else { (1 << (columns % 8)) - 1 };
            for (r, row) in bytes.get().chunks(width.max(1)).take(rows).enumerate() {
                let words: &mut [u8] = bytemuck::cast_slice_mut(matrix.row_mut(r));
                for (to, &byte) in words.iter_mut().zip(row) {
                    *to = if big { byte.reverse_bits() } else { byte };
                }
                if let Some(byte) = words[..width].last_mut() {
                    *byte &= last;
                }
            }
            Ok(matrix)
        };
        let is_short = is_short(rows, columns);
        work::run_short(py, is_short, Input::<u8>::new(bytes)?, read).map(Self::from)
    }

    /// Makes a matrix from compressed rows.
    #[staticmethod]
    fn of_lists(
        py: Python<'_>,
        offsets: &Bound<'_, PyAny>,
        indices: &Bound<'_, PyAny>,
        columns: usize,
    ) -> PyResult<Self> {
        let arrays = (Input::<i64>::new(offsets)?, Input::<i64>::new(indices)?);
        let read = move |(offsets, indices): &mut (Input<i64>, Input<i64>)| {
            let lists = lists(offsets.get(), indices.get(), columns)?;
            let mut matrix = gf2::BitMatrix::zeros(lists.len(), columns)?;
            for (r, row) in lists.iter().enumerate() {
                row.iter().for_each(|&c| matrix.set(r, c as usize, true));
            }
            Ok(matrix)
        };
        let is_short = is_short(arrays.0.get().len() + arrays.1.get().len(), columns.max(1));
        work::run_short(py, is_short, arrays, read).map(Self::from)
    }

    /// Reads a file in any format of the program, by its ending or its first bytes.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = move |_: &mut ()| {
            let source = Source::open(&path, u64::MAX)?;
            read_matrix(&source, Format::of_source(&source, Format::Text), &Limits::default())
        };
        work::run(py, (), read).map(Self::from)
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.rows(), self.0.columns())
    }

    #[getter]
    fn ones(&self, py: Python<'_>) -> PyResult<u64> {
        let matrix = Arc::clone(&self.0);
        work::run_short(py, self.is_short(), (), move |()| Ok(matrix.count_ones()))
    }

    /// Unpacks into an array of bytes.
    fn unpack(&self, py: Python<'_>, bytes: &Bound<'_, PyAny>) -> PyResult<()> {
        let matrix = Arc::clone(&self.0);
        work::run_short(py, self.is_short(), Output::<u8>::new(bytes)?, move |bytes| {
            unpack(&matrix, bytes.get());
            Ok(())
        })
    }

    /// Copies the packed rows into an array of bytes.
    fn pack(&self, py: Python<'_>, bytes: &Bound<'_, PyAny>, big: bool) -> PyResult<()> {
        let matrix = Arc::clone(&self.0);
        work::run_short(py, self.is_short(), Output::<u8>::new(bytes)?, move |bytes| {
            let width = matrix.columns().div_ceil(8);
            for (r, to) in bytes.get().chunks_mut(width.max(1)).take(matrix.rows()).enumerate() {
                let words: &[u8] = bytemuck::cast_slice(matrix.row(r));
                for (to, &byte) in to.iter_mut().zip(words) {
                    *to = if big { byte.reverse_bits() } else { byte };
                }
            }
            Ok(())
        })
    }

    /// The rows as compressed rows: bytes of 64-bit offsets, and of 32-bit indices, ascending.
    fn lists<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let matrix = Arc::clone(&self.0);
        let rows = work::run_short(py, self.is_short(), (), move |()| {
            let mut rows = Compressed::default();
            rows.append(&matrix);
            Ok(rows)
        })?;
        Ok(rows.bytes(py))
    }

    /// The first `count` rows.
    fn head(&self, py: Python<'_>, count: usize) -> PyResult<Self> {
        self.derived(py, move |matrix| {
            let mut head = gf2::BitMatrix::zeros(count.min(matrix.rows()), matrix.columns())?;
            let length = head.words().len();
            head.words_mut().copy_from_slice(&matrix.words()[..length]);
            Ok(head)
        })
    }

    /// The rows from `first` on.
    fn tail(&self, py: Python<'_>, first: usize) -> PyResult<Self> {
        self.derived(py, move |matrix| {
            let mut tail = gf2::BitMatrix::zeros(matrix.rows().saturating_sub(first), matrix.columns())?;
            let begin = matrix.words().len() - tail.words().len();
            tail.words_mut().copy_from_slice(&matrix.words()[begin..]);
            Ok(tail)
        })
    }

    /// A matrix of `count` rows in which row k of this one stands at place `rows[k]`, and zeros elsewhere.
    fn placed(&self, py: Python<'_>, rows: Vec<u32>, count: usize) -> PyResult<Self> {
        if rows.len() != self.0.rows() || rows.iter().any(|&row| row as usize >= count) {
            let message = format!("{} places below {count} for {} rows", rows.len(), self.0.rows());
            return raised(py, Err(Error::Input(message)));
        }
        self.derived(py, move |matrix| {
            let mut placed = gf2::BitMatrix::zeros(count, matrix.columns())?;
            for (r, &row) in rows.iter().enumerate() {
                placed.row_mut(row as usize).copy_from_slice(matrix.row(r));
            }
            Ok(placed)
        })
    }

    /// The columns that have a one in the rows from `first` on, ascending.
    fn occupied(&self, py: Python<'_>, first: usize) -> PyResult<Vec<u32>> {
        let matrix = Arc::clone(&self.0);
        work::run_short(py, self.is_short(), (), move |()| {
            let mut any = gf2::BitMatrix::zeros(1, matrix.columns())?;
            for r in first..matrix.rows() {
                any.row_mut(0).iter_mut().zip(matrix.row(r)).for_each(|(any, word)| *any |= word);
            }
            Ok(any.ones(0).map(|c| c as u32).collect())
        })
    }

    /// The columns from `first` on, up to `end`.
    fn columns(&self, py: Python<'_>, first: usize, end: usize) -> PyResult<Self> {
        self.derived(py, move |matrix| columns(matrix, first, end))
    }

    /// This matrix with the identity to its right.
    fn beside_identity(&self, py: Python<'_>) -> PyResult<Self> {
        self.derived(py, beside_identity)
    }

    /// The transpose.
    fn transposed(&self, py: Python<'_>) -> PyResult<Self> {
        self.derived(py, |matrix| matrix.transposed())
    }

    fn equals(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        let (a, b) = (Arc::clone(&self.0), Arc::clone(&other.0));
        work::run_short(py, self.is_short(), (), move |()| Ok(*a == *b))
    }
}

impl BitMatrix {
    fn is_short(&self) -> bool {
        is_short(self.0.rows(), self.0.columns())
    }

    /// A matrix made from this one, without the interpreter's lock.
    fn derived(
        &self,
        py: Python<'_>,
        make: impl FnOnce(&gf2::BitMatrix) -> Result<gf2::BitMatrix> + Send + 'static,
    ) -> PyResult<Self> {
        let matrix = Arc::clone(&self.0);
        work::run_short(py, self.is_short(), (), move |()| make(&matrix)).map(Self::from)
    }
}
