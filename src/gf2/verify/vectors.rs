//! Products of matrices with 64 random vectors at once: entry c of vector i is bit i of word c.

use rand::Rng;

use crate::gf2::bit_matrix::SetBits;
use crate::gf2::word_map::{WordMap, WordSums};
use crate::gf2::{BitMatrix, BitView};
use crate::parallel::*;
use crate::{Error, Result};

/// The number of 64-bit words in a band of columns: its tables fit a core's first-level cache.
const BAND: usize = 8;

/// The number of rows below which a band's tables cost more than they save.
const FEW: usize = 32;

/// 64 vectors of `length` random entries, padded with zeros to whole words of a matrix's row. They take 8 bytes an
/// entry.
pub fn random_vectors(length: usize) -> Result<Vec<u64>> {
    let mut vectors = zero_vectors(length)?;
    let mut rng = rand::rng();
    vectors[..length].iter_mut().for_each(|word| *word = rng.next_u64());
    Ok(vectors)
}

/// 64 zero vectors, padded as those of [`random_vectors`].
fn zero_vectors(length: usize) -> Result<Vec<u64>> {
    let padded = length.next_multiple_of(64);
    let mut vectors = Vec::new();
    vectors
        .try_reserve_exact(padded)
        .map_err(|_| Error::OutOfMemory(format!("{} bytes to verify with", 8 * padded as u128).into()))?;
    vectors.resize(padded, 0);
    Ok(vectors)
}

/// The matrix times 64 vectors: a word a row.
pub fn times(matrix: &BitMatrix, vectors: &[u64]) -> Vec<u64> {
    let mut sums = vec![0; matrix.rows()];
    (0..bands(matrix)).for_each(|band| add_band(matrix, band, vectors, &mut sums));
    sums
}

/// The matrix of a view times 64 vectors: a word a row. Bits past the last column are ignored. Some rows are read at a
/// time, from the first to the last, and nothing is copied.
pub fn times_view(view: &BitView<'_>, vectors: &[u64]) -> Vec<u64> {
    /// Bytes of the rows that a task reads in each of its bands.
    const BYTES: usize = 1 << 21;
    let mut sums = vec![0; view.rows()];
    let width = view.columns().div_ceil(64);
    let at_a_time = (BYTES / (8 * width).max(1)).clamp(1, 512);
    let last = |w: usize| if 64 * (w + 1) > view.columns() { word_mask(view.columns()) } else { u64::MAX };
    let word = |row: &[u32], w: usize| {
        let high = row.get(2 * w + 1).map_or(0, |&high| u64::from(high) << 32);
        (u64::from(row[2 * w]) | high) & last(w)
    };
    sums.par_chunks_mut(at_a_time).enumerate().for_each(|(task, sums)| {
        for words in (0..width).step_by(BAND).map(|first| first..width.min(first + BAND)) {
            let rows = (task * at_a_time..).map(|row| view.row(row));
            if sums.len() < FEW {
                for (sum, row) in sums.iter_mut().zip(rows) {
                    let products = words.clone().map(|w| dot(&[word(row, w)], &vectors[64 * w..]));
                    *sum = products.fold(*sum, |sum, product| sum ^ product);
                }
                continue;
            }
            let maps: Vec<WordMap> = words.clone().map(|w| WordMap::new(|k| vectors[64 * w + k])).collect();
            for (sum, row) in sums.iter_mut().zip(rows) {
                let products = maps.iter().zip(words.clone()).map(|(map, w)| map.apply(word(row, w)));
                *sum = products.fold(*sum, |sum, product| sum ^ product);
            }
        }
    });
    sums
}

/// The bits of the last word of a row of `columns` columns, of which there is at least one.
fn word_mask(columns: usize) -> u64 {
    u64::MAX >> (columns.next_multiple_of(64) - columns)
}

/// The transposed matrix times 64 vectors: a word a column, padded to whole words.
pub fn transposed_times(matrix: &BitMatrix, vectors: &[u64]) -> Result<Vec<u64>> {
    let mut products = zero_vectors(matrix.columns())?;
    products.par_chunks_mut(64).enumerate().for_each(|(w, products)| {
        if matrix.rows() < FEW {
            for (row, &vector) in vectors.iter().take(matrix.rows()).enumerate() {
                SetBits(matrix.row64(row)[w]).for_each(|k| products[k] ^= vector);
            }
            return;
        }
        let mut sums = WordSums::default();
        (0..matrix.rows()).zip(vectors).for_each(|(row, &vector)| sums.add(matrix.row64(row)[w], vector));
        products.copy_from_slice(&sums.finish());
    });
    Ok(products)
}

/// Pads vectors to whole words, as products take them.
pub fn padded(mut vectors: Vec<u64>) -> Vec<u64> {
    vectors.resize(vectors.len().next_multiple_of(64), 0);
    vectors
}

/// The scalar products of a row with 64 vectors.
pub fn dot(words: &[u64], vectors: &[u64]) -> u64 {
    let word = |(w, &word): (usize, &u64)| SetBits(word).fold(0, |sum, k| sum ^ vectors[64 * w + k]);
    words.iter().enumerate().fold(0, |sum, item| sum ^ word(item))
}

/// Sets the entries of 64 random vectors at the pivots of some rows of an echelon form, so that the rows vanish on them;
/// those of the rows after them are set. Row i of `form` has its first one in column `pivots[i]`; these ascend. It becomes
/// zero on the vectors if it has `sums[i]` on vectors of further columns. After all rows the vectors are uniform among those
/// on which the form vanishes.
///
/// ```text
/// for rows from the last one up:  v[pivot] = row . v without the pivot's column
/// ```
///
/// Columns are processed in bands; tables give a band's contribution to all the rows above.
pub fn extend_vanishing(form: &BitMatrix, pivots: &[u32], vectors: &mut [u64], mut sums: Vec<u64>) {
    for band in (0..bands(form)).rev() {
        let before = |column: usize| pivots.partition_point(|&pivot| (pivot as usize) < column);
        let rows = before(64 * BAND * band)..before(64 * BAND * (band + 1));
        for row in rows.clone().rev() {
            let pivot = pivots[row] as usize;
            vectors[pivot] = 0;
            vectors[pivot] = sums[row] ^ dot_band(form, row, band, vectors);
        }
        add_band(form, band, vectors, &mut sums[..rows.start]);
    }
}

fn bands(matrix: &BitMatrix) -> usize {
    matrix.columns().div_ceil(64 * BAND)
}

/// The range of the words of a band that exist in the matrix.
fn words(matrix: &BitMatrix, band: usize) -> std::ops::Range<usize> {
    BAND * band..matrix.columns().div_ceil(64).min(BAND * (band + 1))
}

fn dot_band(matrix: &BitMatrix, row: usize, band: usize, vectors: &[u64]) -> u64 {
    let words = words(matrix, band);
    dot(&matrix.row64(row)[words.clone()], &vectors[64 * words.start..])
}

/// Adds the products of the first rows, as many as `sums`, with the vectors in the band's columns.
fn add_band(matrix: &BitMatrix, band: usize, vectors: &[u64], sums: &mut [u64]) {
    if sums.len() < FEW {
        sums.iter_mut().enumerate().for_each(|(row, sum)| *sum ^= dot_band(matrix, row, band, vectors));
        return;
    }
    let words = words(matrix, band);
    let maps: Vec<WordMap> = words.clone().map(|w| WordMap::new(|k| vectors[64 * w + k])).collect();
    sums.par_iter_mut().with_min_len(256).enumerate().for_each(|(row, sum)| {
        let row = &matrix.row64(row)[words.clone()];
        *sum = maps.iter().zip(row).fold(*sum, |sum, (map, &word)| sum ^ map.apply(word));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gf2::generate;

    #[test]
    fn products_are_those_of_the_definition() {
        for (rows, columns) in [(0, 5), (1, 1), (3, 700), (31, 64), (32, 64), (40, 513), (700, 1100)] {
            let matrix = generate::matrix(rows, columns, 0.5, 7).unwrap();
            let (right, left) = (random_vectors(columns).unwrap(), random_vectors(rows).unwrap());
            let sum = |row: usize| matrix.ones(row).fold(0, |sum, c| sum ^ right[c]);
            let expected: Vec<u64> = (0..rows).map(sum).collect();
            assert_eq!(times(&matrix, &right), expected);
            assert_eq!(times_view(&matrix.view(), &right), expected);
            let mut sums = vec![0; columns.next_multiple_of(64)];
            (0..rows).for_each(|row| matrix.ones(row).for_each(|c| sums[c] ^= left[row]));
            assert_eq!(transposed_times(&matrix, &left).unwrap(), sums);
        }
    }
}
