//! Matrices on the device whose columns are the vectors of a transform.

use std::ops::Range;

use crate::gpu::{DeviceVec, Kernel, Variant, Written, buffers, params};
use crate::{Error, Result};

params! {
    /// The parameters of [`TRANSPOSE`].
    struct TransposeParams {
        /// Rows of the matrix.
        rows,
        /// Columns of the matrix.
        columns,
        /// Rows of the rectangle.
        height,
        /// Columns of the rectangle.
        width,
        /// The index of the rectangle's first word in the chunk of the matrix, modulo 2^32.
        source_offset,
        /// Words of that chunk.
        source_len,
        /// The index of the same word in the chunk of the transpose, modulo 2^32.
        target_offset,
        /// Words of that chunk.
        target_len,
    }
}

/// The transposition of a rectangle, from a chunk of a matrix to a chunk of its transpose.
pub(crate) static TRANSPOSE: Kernel =
    Kernel::of::<TransposeBuffers, TransposeParams>("ntt/transpose", "ntt/transpose.wgsl", |_| {
        vec![Variant::plain(WORKGROUP)]
    });

buffers! {
    /// The buffers of [`TRANSPOSE`].
    struct TransposeBuffers {
        source: read array<u32>,
        target_words: read_write array<u32>,
    }
}

/// Invocations of a workgroup, which transposes a tile.
const WORKGROUP: u32 = 256;
/// Rows and columns of a tile.
const TILE: usize = 32;
/// The maximum number of rows, and columns: so that no index that a kernel computes wraps into a chunk.
const MOST: usize = 1 << 30;

/// Returns the transpose of a matrix with `rows` rows of `columns` words, one row after the other: its columns stand
/// one after the other, as a [`Transform`](crate::ntt::Transform) of a batch takes them. The data stay on the device.
///
/// A transform takes the columns if the number of rows is a power of two; [`DeviceVec::assign_padded`] appends rows of
/// zeros, with the words of the whole matrix as width and the longer one as stride. The sides of
/// the matrix are at most 2^30, and the device must have room for the transpose beside it.
///
/// ```no_run
/// use wgalois::Device;
/// use wgalois::field::BABY_BEAR;
/// use wgalois::gpu::Gpu;
/// use wgalois::ntt::{Transform, transposed};
/// use wgalois::task::Problem;
///
/// // A table of 2^10 rows, with a vector in each of its 81 columns.
/// let gpu = Gpu::new()?;
/// let table = gpu.upload(&vec![1u32; 81 << 10])?;
/// let mut columns = transposed(&table, 1 << 10, 81)?;
/// let device = Device::Gpu(gpu);
/// let transform = Transform::new(BABY_BEAR, 1 << 10)?.with_batch(81);
/// transform.plan(&device)?.prepare(&device)?.run_on_device(&mut columns)?;
/// let table = transposed(&columns, 81, 1 << 10)?;
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn transposed(matrix: &DeviceVec<u32>, rows: usize, columns: usize) -> Result<DeviceVec<u32>> {
    if rows.checked_mul(columns) != Some(matrix.len()) || rows.max(columns) > MOST {
        return Err(Error::Usage(format!(
            "{} words as {rows} rows of {columns}: their product must be the number of words, and no side above 2^30",
            matrix.len()
        )));
    }
    let gpu = matrix.gpu();
    let target = gpu.unset(matrix.len())?;
    if matrix.is_empty() {
        return Ok(target);
    }
    let pipeline = gpu.pipeline(&TRANSPOSE, &Variant::plain(WORKGROUP))?;
    let mut recorder = gpu.record();
    let words_of = |vector: &DeviceVec<u32>, chunk: usize| {
        let first = chunk * vector.chunk_len();
        first..vector.len().min(first + vector.chunk_len())
    };
    for (t, to) in target.chunks().iter().enumerate() {
        for (s, from) in matrix.chunks().iter().enumerate() {
            let (source, target) = (words_of(matrix, s), words_of(&target, t));
            let Some(rectangle) = Rectangle::of([&source, &target], [rows, columns]) else { continue };
            let Rectangle { height, width, offsets: [source_offset, target_offset] } = rectangle;
            let params = TransposeParams {
                rows: rows as u32,
                columns: columns as u32,
                height: height as u32,
                width: width as u32,
                source_offset,
                source_len: source.len() as u32,
                target_offset,
                target_len: target.len() as u32,
            };
            let groups = height.div_ceil(TILE) * width.div_ceil(TILE);
            let buffers = TransposeBuffers { source: from, target_words: Written(to) };
            recorder.dispatch(&pipeline, "transposition", &buffers, &params, groups as u32)?;
        }
    }
    recorder.submit_later()?;
    Ok(target)
}

/// The least rectangle of whole rows and columns with all words that two chunks share.
#[derive(Debug, PartialEq, Eq)]
struct Rectangle {
    height: usize,
    width: usize,
    /// The index of the first word in the chunk of the matrix and in that of its transpose, modulo 2^32.
    offsets: [u32; 2],
}

impl Rectangle {
    /// The rectangle of a matrix in which both the words `source` of the matrix and the words `target` of its transpose
    /// lie; `None` if they share none for sure.
    fn of([source, target]: [&Range<usize>; 2], [rows, columns]: [usize; 2]) -> Option<Self> {
        let (source_rows, source_columns) = lines(source, columns);
        let (target_columns, target_rows) = lines(target, rows);
        let (down, across) = (overlap(&source_rows, &target_rows), overlap(&source_columns, &target_columns));
        // An offset may be negative; its low 32 bits are those of the difference.
        let offset = |place: usize, first: usize| place.wrapping_sub(first) as u32;
        (!down.is_empty() && !across.is_empty()).then(|| Rectangle {
            height: down.len(),
            width: across.len(),
            offsets: [
                offset(down.start * columns + across.start, source.start),
                offset(across.start * rows + down.start, target.start),
            ],
        })
    }
}

/// The lines of `length` words in which these words lie, and the places in them.
fn lines(words: &Range<usize>, length: usize) -> (Range<usize>, Range<usize>) {
    let (first, last) = (words.start / length, (words.end - 1) / length);
    let places = if first == last { words.start % length..(words.end - 1) % length + 1 } else { 0..length };
    (first..last + 1, places)
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.max(b.start)..a.end.min(b.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every word is written once, by the kernel's rule.
    fn check(rows: usize, columns: usize, chunk: usize) {
        let len = rows * columns;
        let chunks = || (0..len).step_by(chunk).map(|first| first..len.min(first + chunk));
        let mut written = vec![None; len];
        for (source, target) in
            chunks().flat_map(|source| chunks().map(move |target| (source.clone(), target)))
        {
            let Some(Rectangle { height, width, offsets }) =
                Rectangle::of([&source, &target], [rows, columns])
            else {
                continue;
            };
            assert!(height <= rows && width <= columns);
            for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
                let from = offsets[0].wrapping_add((y * columns + x) as u32) as usize;
                let to = offsets[1].wrapping_add((x * rows + y) as u32) as usize;
                if from < source.len() && to < target.len() {
                    let place = &mut written[target.start + to];
                    assert_eq!(place.replace(source.start + from), None);
                }
            }
        }
        for (place, word) in written.into_iter().enumerate() {
            assert_eq!(word, Some(place % rows * columns + place / rows), "{rows} x {columns} by {chunk}");
        }
    }

    #[test]
    fn rectangles_of_pairs_of_chunks_cover_every_word_once() {
        for (rows, columns) in
            [(1, 1), (1, 40), (40, 1), (3, 5), (16, 81), (7, 300), (300, 7), (64, 64), (2, 129)]
        {
            for chunk in [1, 4, 16, 32, 64, 256, 4096] {
                check(rows, columns, chunk);
            }
        }
    }

    #[test]
    fn no_index_wraps_into_a_chunk_of_the_longest_matrices() {
        // The largest chunk that a binding holds, one row or column of the largest length beside it.
        let chunk = 1usize << 30;
        for [rows, columns] in [[MOST, 3], [3, MOST], [MOST, MOST], [MOST - 1, MOST - 1], [1 << 29, 7]] {
            let len = rows * columns;
            let chunks =
                [0, 1, 2, len / chunk - 1, len / chunk / 2].map(|k| chunk * k..len.min(chunk * (k + 1)));
            for (source, target) in chunks.iter().flat_map(|source| chunks.iter().map(move |t| (source, t))) {
                let Some(Rectangle { height, width, offsets }) =
                    Rectangle::of([source, target], [rows, columns])
                else {
                    continue;
                };
                // The indices of the corners lie between -2^30 and 2^32 - 2^30.
                let corners = [(offsets[0], columns, 1), (offsets[1], 1, rows)];
                for (offset, down, across) in corners {
                    let first = i64::from(offset.cast_signed());
                    let last = first + ((height - 1) * down + (width - 1) * across) as i64;
                    let most = (1i64 << 32) - (1 << 30);
                    assert!(first >= -(1 << 30) && last < most, "{rows} x {columns}: {first} to {last}");
                }
            }
        }
    }
}
