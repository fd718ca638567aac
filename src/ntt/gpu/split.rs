//! Cuts a transform into passes over the data. There are as few as tiles of workgroup memory allow
//! with rows of 64 bytes, since every pass costs as much as a copy of the vector.

use super::tile::{Layout, Shape};

/// The limits that determine the shapes together with the length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Invocations per workgroup.
    pub invocations: u32,
    /// Words of workgroup memory.
    pub words: u32,
}

impl Room {
    /// Within WebGPU's default limits.
    pub const DEFAULT: Room = Room { invocations: 256, words: 4096 };
    /// Larger limits gain nothing.
    pub const LARGE: Room = Room { invocations: 512, words: 8192 };
}

/// log2 of the columns of a tile: rows of 16 words are 64 bytes.
const COLUMNS: u32 = 4;
/// The longest transform that one workgroup does, log2: 16 KiB of workgroup memory.
pub(super) const ONE_PASS: u32 = 12;

/// The bits of each pass, from the longest stride down, for the last pass in place.
pub(super) fn in_place_bits(log_n: u32) -> Vec<u32> {
    match log_n {
        0..=ONE_PASS => vec![log_n],
        13..=15 => vec![log_n - log_n.div_ceil(2) - 1, log_n.div_ceil(2) + 1],
        // Up to this length latency decides; these measured fastest on an H200.
        16 => vec![6, 10],
        17 => vec![6, 11],
        18 => vec![7, 11],
        19 | 20 => vec![8, log_n - 8],
        21..=23 => vec![7, log_n - 15, 8],
        _ => vec![8, 8, log_n - 16],
    }
}

/// The bits of each pass of a product, whose middle does three transforms of the last bits.
pub(super) fn product_bits(log_n: u32) -> Vec<u32> {
    match log_n {
        17 => vec![8, 9],
        _ => in_place_bits(log_n),
    }
}

/// The bits of each pass for a last pass that transposes into natural order, whose tiles hold no more than
/// 8 bits of rows of 64 bytes.
pub(super) fn transposed_bits(log_n: u32) -> Vec<u32> {
    match log_n {
        0..=ONE_PASS => vec![log_n],
        13..=16 => vec![log_n - 8, 8],
        17 => vec![9, 8],
        18 => vec![9, 9],
        19 | 20 => vec![6, log_n - 14, 8],
        21..=24 => vec![8, log_n - 16, 8],
        25 => vec![9, 8, 8],
        26 => vec![9, 9, 8],
        _ => vec![9, 9, log_n - 18],
    }
}

/// The tile of a pass along a stride, or of the transposing pass.
pub(super) fn columns_shape(bits: u32, log_n: u32, room: Room) -> Shape {
    // Short vectors give few threads: eight rows each instead of sixteen.
    let registers = if log_n <= 18 && bits < 8 { 3 } else { 4 };
    let fits = |columns: u32, registers: u32| {
        1 << (bits + columns) <= room.words && 1 << (bits + columns - registers.min(bits)) <= room.invocations
    };
    let candidates = [(COLUMNS, registers), (COLUMNS, 4), (3, 4), (2, 4)];
    let (columns, registers) = candidates.into_iter().find(|&(c, r)| fits(c, r)).unwrap_or((2, 4));
    Shape::new(bits, columns, registers, Layout::Interleaved)
}

/// The tile of the pass over contiguous vectors.
pub(super) fn rows_shape(bits: u32) -> Shape {
    contiguous(bits, if bits == 9 { 3 } else { bits.min(4) })
}

fn contiguous(bits: u32, registers: u32) -> Shape {
    // At least 64 threads.
    let columns = (6 + registers).saturating_sub(bits);
    Shape::new(bits, columns, registers, Layout::Stacked)
}

/// The tile of the pass over contiguous vectors that reads and writes four words at a time: at least 8 bits.
pub(super) fn vectors_shape(bits: u32) -> Shape {
    Shape::of_vectors(bits, 10u32.saturating_sub(bits))
}

/// The tile of the middle of a product. Without 64-bit integers, three transforms of 16 registers per thread
/// outgrow an instruction cache: a product of 2^21 modulo 2013265921 on an H200 took 103 microseconds, with
/// eight registers 82. Longer rows, of products up to 2^20, gain nothing.
pub(super) fn middle_shape(bits: u32, int64: bool) -> Shape {
    match !int64 && bits == 8 {
        true => contiguous(bits, 3),
        false => rows_shape(bits),
    }
}

/// log2 of the parts in which several workgroups do a short transform. On an H200 four parts of four
/// registers per thread took 3.3 microseconds for 2^12, where one workgroup takes 4.0; two parts took 3.5,
/// eight 3.4, eight registers 3.4, sixteen 3.6.
pub(super) const LOG_PARTS: u32 = 2;

/// The tile of one such part.
pub(super) fn parts_shape(bits: u32) -> Shape {
    Shape::new(bits - LOG_PARTS, 0, 2, Layout::Stacked)
}

/// True if `vectors` whole transforms are done in parts, because one workgroup for each takes long and
/// leaves units idle. (16 of 2^12: 3.7 microseconds against 4.3.)
pub(super) fn in_parts(bits: u32, vectors: usize) -> bool {
    (11..=ONE_PASS).contains(&bits) && vectors <= 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_few_and_fit_webgpus_default_limits() {
        for log_n in 1..=27 {
            for (bits, passes) in [
                (
                    in_place_bits(log_n),
                    if log_n <= 12 {
                        1
                    } else if log_n <= 20 {
                        2
                    } else {
                        3
                    },
                ),
                (
                    transposed_bits(log_n),
                    if log_n <= 12 {
                        1
                    } else if log_n <= 18 {
                        2
                    } else {
                        3
                    },
                ),
            ] {
                assert_eq!(bits.iter().sum::<u32>(), log_n);
                assert_eq!(bits.len(), passes);
                let mut stride = log_n;
                for (i, &b) in bits.iter().enumerate() {
                    stride -= b;
                    if i + 1 == bits.len() {
                        let shape = rows_shape(b);
                        assert!(shape.threads() <= 256 && shape.words() <= 4096);
                    } else {
                        assert!(columns_shape(b, log_n, Room::DEFAULT).columns <= stride, "2^{log_n}");
                    }
                    if passes > 1 && b <= 9 {
                        let shape = columns_shape(b, log_n, Room::DEFAULT);
                        assert!(shape.threads() <= 256 && shape.words() <= 4096, "2^{log_n}: {shape:?}");
                        assert!(shape.columns >= 3);
                    }
                }
            }
        }
    }

    /// Threads of a subgroup of 32 never access the same bank of workgroup memory, in any pass of lengths
    /// that take long enough to matter.
    #[test]
    fn passes_meet_in_no_bank() {
        let large = Room::LARGE;
        for log_n in 8..=27 {
            for bits in [in_place_bits(log_n), transposed_bits(log_n), product_bits(log_n)] {
                let last = bits[bits.len() - 1];
                let columns = bits[..bits.len() - 1].iter().map(|&b| columns_shape(b, log_n, large));
                let rows = [rows_shape(last), middle_shape(last, false), vectors_shape(last.max(8))];
                for shape in columns.chain(rows) {
                    assert_eq!(shape.conflicts(32), 1, "2^{log_n}: {shape:?}");
                }
            }
        }
    }
}
