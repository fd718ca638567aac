//! Strassen's recursion for products: seven products of blocks instead of eight, at every level.
//!
//! ```text
//! a and b are cut into 2 x 2 blocks, numbered 0 1        one level:
//!                                             2 3
//! for each of the 7 products p:
//!     left  = sum of the blocks of a in LEFT[p]
//!     right = sum of the blocks of b in RIGHT[p]
//!     add left * right to the blocks of the product in PRODUCT[p]
//! ```
//!
//! Over GF(2) signs do not matter. Several levels are flattened: their lists are Kronecker products of the lists of one
//! level, with 4^L blocks and 7^L products. All products are made together, so that even small ones fill the device:
//! the left sums stand below each other in one tall matrix, the *stack*, and the products in another, and one dispatch
//! adds a block of 256 rows of every second factor. The right sums need no matrix: they are made where an update
//! expects its pivots, 256 rows at a time.
//!
//! ```text
//! for each slab of rows of a:
//!     left stack = sums of the slab's blocks                   strassen_left
//!     product stack = 0
//!     for each 256 rows of the second factors:
//!         acting = sums of these rows of the blocks of b       strassen_right
//!         product stack += left stack * acting                 update_stack
//!     slab of the product = sums of the product stack          strassen_product
//! the rows after the last slab are multiplied without recursion
//! ```
//!
//! Slabs bound the memory of the stacks. Rows after the last slab spare the padding of blocks. Strassen's own
//! form has 12^L terms in each of its lists; Winograd's form has fewer additions only if it is not flattened. A thread
//! holds a word of all blocks, so that it reads and writes memory once, whatever the number of terms.
//!
//! V. Strassen, "Gaussian elimination is not optimal", Numer. Math. 13 (1969), 354-356. Over GF(2):
//! M. Albrecht, G. Bard, W. Hart, "Algorithm 898: efficient multiplication of dense matrices over GF(2)", ACM
//! Transactions on Mathematical Software 37 (2010).

use super::matrix::{VECTOR, chunk_len, matrix_bytes, stride_of, tiles_of};
use super::shape::{BLOCK, Shape, TILE};

/// For each of the seven products of one level, the numbers of some blocks.
pub type Sums = [&'static [usize]; 7];

/// The blocks of the first factor that a product's first factor is the sum of.
pub const LEFT: Sums = [&[0, 3], &[2, 3], &[0], &[3], &[0, 1], &[0, 2], &[1, 3]];
/// The blocks of the second factor that a product's second factor is the sum of.
pub const RIGHT: Sums = [&[0, 3], &[0], &[1, 3], &[0, 2], &[3], &[0, 1], &[2, 3]];
/// The blocks of the product that a product belongs to.
pub const PRODUCT: Sums = [&[0, 3], &[2, 3], &[1, 3], &[0, 2], &[0, 1], &[3], &[0]];

/// With more levels a thread has too few registers for a word of every block.
pub const MOST_LEVELS: u32 = 3;

/// The number of rows of blocks, and of columns of blocks.
pub fn side(levels: u32) -> usize {
    1 << levels
}

/// The number of products of blocks.
pub fn products(levels: u32) -> usize {
    7usize.pow(levels)
}

/// For each product of several levels the numbers of its blocks: `side * row + column`. The outermost level has
/// the highest digits of a product's number, and the highest bits of a block's row and column.
pub fn sums_of(of_one: &Sums, levels: u32) -> Vec<Vec<usize>> {
    let mut sums = vec![vec![0]];
    for level in 0..levels {
        let outer_side = side(level);
        let within = |outer: usize, inner: usize| {
            let (row, column) = (2 * (outer / outer_side) + inner / 2, 2 * (outer % outer_side) + inner % 2);
            2 * outer_side * row + column
        };
        let pairs = sums.iter().flat_map(|outer| of_one.iter().map(move |inner| (outer, inner)));
        let joined = |(outer, inner): (&Vec<usize>, &&[usize])| {
            outer.iter().flat_map(|&outer| inner.iter().map(move |&inner| within(outer, inner))).collect()
        };
        sums = pairs.map(joined).collect();
    }
    sums
}

/// The shape of a product: rows, inner columns, columns.
pub type ProductShape = (usize, usize, usize);

/// How the recursion is used in a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recursion {
    /// The number of levels; 0 if the recursion is not used.
    pub levels: u32,
    /// The first rows, which are multiplied by recursion; at the end of the matrix they may include padding.
    pub rows: usize,
    /// Rows of a block, a multiple of a workgroup's rows in an update. A slab has [`side`] times as many; the last may
    /// have fewer.
    pub block_rows: usize,
}

/// Rows of a block are a multiple of this, the most rows of a workgroup.
const GRAIN: usize = Shape::MOST_ROWS as usize;
/// The seconds in which an update adds 256 rows to a vector, on an H200. The choice depends only on the ratios of this and the next
/// three: they are instructions, look-ups and moves of the same kernels on every device; a device with a slower memory
/// for its arithmetic gains less from a level than this says. This and [`DISPATCH_TIME`] are from products of
/// 16384 and of 32768 rows and columns without recursion.
const UPDATE_TIME: f64 = 23.1e-12;
/// The seconds to read or write a vector, from the memory's rate.
const MOVE_TIME: f64 = 5e-12;
/// The seconds from dispatch to dispatch, and until all workgroups of a dispatch are at work.
const DISPATCH_TIME: f64 = 10e-6;
/// The seconds that a block of 256 rows takes for each product, whatever the size of the matrix: 0.17 us in the dispatch of
/// right sums, which a thread stores one after the other, and 0.1 us in the update.
const PRODUCT_TIME: f64 = 0.27e-6;
/// The seconds that recursion must save, since its kernels take time to create.
const LEAST_GAIN: f64 = 0.2e-3;
/// Both stacks take at most so many times the bytes of the matrices.
const MOST_STACKS: u64 = 4;

impl Recursion {
    /// No recursion.
    pub const NONE: Recursion = Recursion { levels: 0, rows: 0, block_rows: 0 };

    /// The fastest recursion, by a model, for a product that has `memory` bytes for matrices and all else, on a
    /// device with this binding limit. A plan with fewer bytes, but enough for this recursion, chooses it again.
    pub fn choose(shape: ProductShape, binding_bytes: u64, memory: u64) -> Self {
        let matrices = Recursion::matrices_bytes(shape);
        let memory = memory.min(matrices.saturating_mul(1 + MOST_STACKS));
        let recursions =
            (1..=MOST_LEVELS).flat_map(|levels| Self::of_levels(levels, shape, binding_bytes, memory));
        let timed = recursions.map(|recursion| (recursion.time(shape), recursion));
        let none = (Recursion::NONE.time(shape) - LEAST_GAIN, Recursion::NONE);
        timed.fold(none, |best, other| if other.0 < best.0 { other } else { best }).1
    }

    /// The fastest recursion of so many levels in any memory, if the device's bindings allow one.
    pub fn forced(levels: u32, shape: ProductShape, binding_bytes: u64) -> Option<Self> {
        if levels == 0 {
            return Some(Recursion::NONE);
        }
        let recursions = Self::of_levels(levels, shape, binding_bytes, u64::MAX);
        recursions.min_by(|a, b| a.time(shape).total_cmp(&b.time(shape)))
    }

    /// The recursions of so many levels: over as many whole blocks as the rows have, or over all rows. The slabs are as
    /// few and as equal as the memory allows.
    fn of_levels(
        levels: u32,
        shape: ProductShape,
        binding_bytes: u64,
        memory: u64,
    ) -> impl Iterator<Item = Self> {
        let unit = side(levels) * GRAIN;
        // With fewer columns than blocks, whole blocks would be padding.
        let has_blocks = [shape.1, shape.2].into_iter().all(|columns| tiles_of(columns) / 2 >= side(levels));
        let [whole, all] = [shape.0 / unit, shape.0.div_ceil(unit)];
        let counts = [whole, all].into_iter().take(if whole == all { 1 } else { 2 });
        counts.filter(move |&count| count > 0 && has_blocks).filter_map(move |count| {
            let of_grains =
                |grains: usize| Recursion { levels, rows: count * unit, block_rows: grains * GRAIN };
            let fits = |grains: &usize| {
                let recursion = of_grains(*grains);
                recursion.is_bound(shape, binding_bytes) && recursion.bytes(shape) <= memory
            };
            // Fewer rows take fewer bytes.
            let most = partition_point(count, fits);
            (most > 0).then(|| of_grains(count.div_ceil(count.div_ceil(most))))
        })
    }

    /// True if the device can bind two tiles of a stack, and the second factors' rows.
    fn is_bound(&self, shape: ProductShape, binding_bytes: u64) -> bool {
        let binding = chunk_len(binding_bytes, VECTOR);
        2 * stride_of(self.stack_rows()) as u64 <= binding && self.acting_vectors(shape.2) as u64 <= binding
    }

    /// Rows of a slab, of which the last may have fewer.
    pub fn slab_rows(&self) -> usize {
        side(self.levels) * self.block_rows
    }

    /// The first rows of the slabs, each with the rows of its blocks.
    pub fn slabs(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.rows)
            .step_by(self.slab_rows().max(1))
            .map(move |first| (first, (self.rows - first).min(self.slab_rows()) / side(self.levels)))
    }

    /// Rows of a stack.
    pub fn stack_rows(&self) -> usize {
        products(self.levels) * self.block_rows
    }

    /// Tiles of a block of a matrix with so many columns. The rows of a second factor, as many as the columns of the
    /// first, are cut at the same places: an update adds as many rows as two tiles have columns.
    pub fn block_tiles(&self, columns: usize) -> usize {
        (tiles_of(columns) / 2).div_ceil(side(self.levels)) * 2
    }

    /// Columns of a stack of blocks of a matrix with so many columns.
    pub fn stack_columns(&self, columns: usize) -> usize {
        TILE * self.block_tiles(columns)
    }

    /// The first row that is multiplied without recursion, if there is one.
    pub fn first_plain(&self, rows: usize) -> Option<usize> {
        (self.levels == 0 || self.rows < rows).then_some(self.rows)
    }

    /// The vectors of the second factors' rows that an update adds, for a product with so many columns.
    pub fn acting_vectors(&self, columns: usize) -> usize {
        let stacked = match self.levels {
            0 => 0,
            levels => products(levels) * self.block_tiles(columns),
        };
        BLOCK * stacked.max(tiles_of(columns)).max(1)
    }

    /// Bytes of the two factors and the product.
    pub fn matrices_bytes((rows, inner, columns): ProductShape) -> u64 {
        let matrices = [(rows, inner), (inner, columns), (rows, columns)];
        matrices.into_iter().fold(0, |sum, (rows, columns)| sum.saturating_add(matrix_bytes(rows, columns)))
    }

    /// Bytes of device memory of a product: the matrices, the stacks, and what updates read.
    pub fn bytes(&self, shape: ProductShape) -> u64 {
        let stacks = match self.levels {
            0 => 0,
            _ => [shape.1, shape.2].into_iter().fold(0u64, |sum, columns| {
                sum.saturating_add(matrix_bytes(self.stack_rows(), self.stack_columns(columns)))
            }),
        };
        let acting = VECTOR * self.acting_vectors(shape.2) as u64;
        let outcome = 4 * super::product::OUTCOME as u64;
        [stacks, acting, outcome].into_iter().fold(Self::matrices_bytes(shape), u64::saturating_add)
    }

    /// The expected time of a product, in seconds.
    pub fn time(&self, shape: ProductShape) -> f64 {
        let (rows, inner, columns) = shape;
        let of_blocks = |blocks: usize, rows: usize, tiles: usize| {
            blocks as f64 * (2.0 * DISPATCH_TIME + (rows * tiles) as f64 * UPDATE_TIME)
        };
        let plain = self.first_plain(rows).map_or(0.0, |first| {
            let padded = (rows - first).next_multiple_of(GRAIN);
            of_blocks(tiles_of(inner) / 2, padded, tiles_of(columns))
        });
        let of_slab = |(_, block_rows): (usize, usize)| {
            let (inner, wide) = (self.block_tiles(inner), self.block_tiles(columns));
            let moved = block_rows * inner + TILE * inner * wide + block_rows * wide;
            let places = side(self.levels).pow(2) + products(self.levels);
            let sums = (moved * places) as f64 * MOVE_TIME + 2.0 * DISPATCH_TIME;
            let by_product = (inner / 2 * products(self.levels)) as f64 * PRODUCT_TIME;
            sums + by_product + of_blocks(inner / 2, products(self.levels) * block_rows, wide)
        };
        plain + self.slabs().map(of_slab).sum::<f64>()
    }
}

/// The largest number up to `most` that is good, if all smaller ones but 0 are; otherwise 0.
fn partition_point(most: usize, is_good: impl Fn(&usize) -> bool) -> usize {
    let (mut good, mut bad) = (0, most + 1);
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        if is_good(&middle) { good = middle } else { bad = middle }
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator of random words.
    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    #[test]
    fn the_lists_give_the_product() {
        let mut state = 1;
        for levels in 0..=MOST_LEVELS {
            let side = side(levels);
            let [left, right, product] = [LEFT, RIGHT, PRODUCT].map(|of_one| sums_of(&of_one, levels));
            assert_eq!(left.len(), products(levels));
            for lists in [&left, &right, &product] {
                assert_eq!(lists.iter().map(Vec::len).sum::<usize>(), 12usize.pow(levels));
            }
            for _ in 0..100 {
                let [a, b] =
                    [0; 2].map(|_| (0..side * side).map(|_| random(&mut state) & 1).collect::<Vec<_>>());
                let mut sum = vec![0; side * side];
                for p in 0..products(levels) {
                    let [a, b] = [(&a, &left), (&b, &right)]
                        .map(|(blocks, lists)| lists[p].iter().fold(0, |sum, &block| sum ^ blocks[block]));
                    product[p].iter().for_each(|&block| sum[block] ^= a & b);
                }
                for (i, j) in (0..side).flat_map(|i| (0..side).map(move |j| (i, j))) {
                    let expected = (0..side).fold(0, |sum, k| sum ^ (a[side * i + k] & b[side * k + j]));
                    assert_eq!(sum[side * i + j], expected, "{levels} levels, block {i}, {j}");
                }
            }
        }
    }

    const BINDING: u64 = 2 << 30;
    const SHAPES: [ProductShape; 12] = [
        (0, 0, 0),
        (1, 1, 1),
        (1, 100_000, 100_000),
        (100_000, 1, 100_000),
        (100_000, 100_000, 1),
        (8192, 8192, 8192),
        (4 * 2048 + 1, 16_384, 16_384),
        (16_384, 16_384, 16_384),
        (20_000, 30_000, 40_000),
        (32_768, 32_768, 32_768),
        (65_537, 1000, 65_537),
        (262_144, 262_144, 262_144),
    ];

    #[test]
    fn a_recursion_is_chosen_again_from_its_own_bytes() {
        for shape in SHAPES {
            for binding in [BINDING, 128 << 20] {
                for shift in 0..20 {
                    let memory = u64::MAX >> 20 >> shift;
                    let chosen = Recursion::choose(shape, binding, memory);
                    assert_eq!(Recursion::choose(shape, binding, chosen.bytes(shape)), chosen, "{shape:?}");
                    assert!(chosen.levels == 0 || chosen.bytes(shape) <= memory, "{shape:?} {chosen:?}");
                    assert_eq!(Recursion::choose(shape, binding, 0), Recursion::NONE);
                    assert!(chosen.time(shape) <= Recursion::NONE.time(shape));
                }
            }
        }
    }

    #[test]
    fn small_and_thin_products_use_no_recursion() {
        let levels = |shape| Recursion::choose(shape, BINDING, u64::MAX).levels;
        let thin = SHAPES.map(levels)[..5].to_vec();
        assert_eq!(thin, [0; 5]);
        assert_eq!([1000, 2048, 4096].map(|n| levels((n, n, n))), [0; 3]);
        assert!(levels((32_768, 32_768, 32_768)) >= 2);
        assert!(levels((16_384, 16_384, 16_384)) >= 1);
    }

    #[test]
    fn slabs_and_plain_rows_are_all_rows() {
        for shape in SHAPES {
            for levels in 1..=MOST_LEVELS {
                for memory in [u64::MAX, 4 << 30, 1 << 30] {
                    for recursion in Recursion::of_levels(levels, shape, BINDING, memory) {
                        let slabs: Vec<_> = recursion.slabs().collect();
                        let mut next = 0;
                        for &(first, block_rows) in &slabs {
                            assert_eq!(first, next);
                            assert!(block_rows > 0 && block_rows.is_multiple_of(GRAIN));
                            next += side(levels) * block_rows;
                        }
                        assert_eq!(next, recursion.rows);
                        let plain = recursion.first_plain(shape.0);
                        assert!(plain.is_some() == (next < shape.0), "{shape:?} {recursion:?}");
                    }
                }
            }
        }
    }
}
