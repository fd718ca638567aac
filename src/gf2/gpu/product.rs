//! Products of dense matrices.
//!
//! A product a b adds rows of b, block by block, to the rows of a zero matrix, as an elimination adds
//! pivots: the bits of a select them. Large products do this for a stack of products of blocks; see
//! [`strassen`](super::strassen).

use super::compiled::Build;
use super::kernels::strassen::{self as sums, STRASSEN_LEFT, STRASSEN_PRODUCT, STRASSEN_RIGHT};
use super::kernels::update::{
    FACTORS, FactorsBuffers, FactorsParams, UPDATE, UPDATE_STACK, UpdateBuffers, UpdateParams,
};
use super::matrix::{
    DeviceMatrix, Part, download_bytes, download_traffic, matrix_bytes, parts_of, tiles_of, upload_bytes,
    upload_traffic,
};
use super::shape::Shape;
use super::stacks::Stacks;
use super::strassen::{LEFT, PRODUCT, ProductShape, RIGHT, Recursion};
use crate::gf2::BitMatrix;
use crate::gf2::bit_matrix::mismatch;
use crate::gpu::{DeviceVec, Gpu, Variant};
use crate::task::Traffic;
use crate::{Error, Result};

/// The number of words of the outcome that a product's updates read: the outcome of a panel that did
/// not fail.
pub const OUTCOME: usize = 4;

/// The product a * b in `memory` bytes, if that is enough without recursion; a has as many columns as b has
/// rows.
pub async fn multiply(gpu: &Gpu, a: &BitMatrix, b: &BitMatrix, memory: u64) -> Result<BitMatrix> {
    // The factors are dropped before the product is downloaded.
    let product = DeviceMatrix::upload(gpu, a)?.multiply_within(&DeviceMatrix::upload(gpu, b)?, memory)?;
    product.download_async().await
}

/// Bytes of device memory that [`multiply`] takes for a factor of `rows` rows and `inner` columns
/// and one of `columns` columns, on a device with this binding limit and at most `memory` bytes, but at least
/// those that it takes without recursion. The bound is tight.
pub fn product_bytes(shape: ProductShape, binding_bytes: u64, memory: u64) -> u64 {
    let (rows, inner, columns) = shape;
    let a = matrix_bytes(rows, inner);
    let b = matrix_bytes(inner, columns);
    let product = matrix_bytes(rows, columns);
    let times = [
        a + upload_bytes(rows, inner, binding_bytes),
        a + b + upload_bytes(inner, columns, binding_bytes),
        Recursion::choose(shape, binding_bytes, memory).bytes(shape),
        product + download_bytes(rows, columns, binding_bytes),
    ];
    times.into_iter().max().unwrap_or(0)
}

/// The data and the dispatches of [`multiply`].
pub fn product_traffic(shape: ProductShape, binding_bytes: u64, memory: u64) -> Traffic {
    let (rows, inner, columns) = shape;
    let recursion = Recursion::choose(shape, binding_bytes, memory);
    let own = Traffic { dispatches: Some(dispatches(recursion, shape, binding_bytes)), ..Traffic::default() };
    Traffic::sum([
        upload_traffic(rows, inner, binding_bytes),
        upload_traffic(inner, columns, binding_bytes),
        own,
        download_traffic(rows, columns, binding_bytes),
    ])
}

/// The dispatches of [`DeviceMatrix::multiply_by`].
pub fn dispatches(recursion: Recursion, shape: ProductShape, binding_bytes: u64) -> u64 {
    let (rows, inner, columns) = shape;
    let parts = |rows: usize, columns: usize| match rows {
        0 => 0,
        _ => parts_of(rows, columns, binding_bytes),
    };
    let plain = match recursion.first_plain(rows) {
        Some(_) => tiles_of(inner) / 2 * (parts(inner, columns) + parts(rows, columns)),
        None => 0,
    };
    let of_stack = |columns: usize| parts(recursion.stack_rows(), recursion.stack_columns(columns));
    let slabs = recursion.slabs().count();
    let of_slab = match slabs {
        0 => 0,
        _ => {
            let blocks = recursion.block_tiles(inner) / 2;
            parts(rows, inner) * of_stack(inner)
                + blocks * (parts(inner, columns) + of_stack(columns))
                + of_stack(columns) * parts(rows, columns)
        }
    };
    (plain + slabs * of_slab) as u64
}

/// The kernels of [`DeviceMatrix::multiply_by`].
pub fn builds(gpu: &Gpu, recursion: Recursion, rows: usize, columns: usize) -> Vec<Build> {
    let shape = Shape::of(gpu);
    let mut all: Vec<Build> = Vec::new();
    if let Some(first) = recursion.first_plain(rows) {
        let rows_a_thread = shape.rows_a_thread(rows - first, tiles_of(columns));
        all.extend([(&FACTORS, Variant::plain(256)), (&UPDATE, shape.variant(rows_a_thread, true))]);
    }
    if recursion.levels > 0 {
        all.extend(stack_builds(shape, recursion, columns));
    }
    all
}

/// The kernels of a product by recursion.
fn stack_builds(shape: Shape, recursion: Recursion, columns: usize) -> [Build; 4] {
    let levels = recursion.levels;
    [
        (&STRASSEN_LEFT, sums::variant("left", &LEFT, levels)),
        (&STRASSEN_RIGHT, sums::variant("right", &RIGHT, levels)),
        (&UPDATE_STACK, shape.stack_variant(stack_rows_a_thread(shape, recursion, columns))),
        (&STRASSEN_PRODUCT, sums::variant("product", &PRODUCT, levels)),
    ]
}

/// The rows per thread of an update of a stack: a workgroup has rows of one product only.
fn stack_rows_a_thread(shape: Shape, recursion: Recursion, columns: usize) -> u32 {
    let mut rows = shape.rows_a_thread(recursion.stack_rows(), recursion.block_tiles(columns));
    let fits = |rows: u32| {
        let rows_a_group = (shape.workgroup * rows) as usize;
        recursion.slabs().all(|(_, block_rows)| block_rows.is_multiple_of(rows_a_group))
    };
    while rows > 1 && !fits(rows) {
        rows /= 2;
    }
    rows
}

impl DeviceMatrix {
    /// The product of this matrix and `other`, which has as many rows as this has columns. It takes as much of
    /// the free device memory as it can use.
    pub fn multiply(&self, other: &DeviceMatrix) -> Result<DeviceMatrix> {
        let gpu = self.gpu();
        let room = gpu.memory_left();
        let factors = [self, other].map(|factor| matrix_bytes(factor.rows(), factor.columns()));
        self.multiply_within(other, factors.into_iter().fold(room, u64::saturating_add))
    }

    /// [`multiply`](Self::multiply) in `memory` bytes, those of the factors included, if that is enough without
    /// recursion.
    pub(in crate::gf2) fn multiply_within(&self, other: &DeviceMatrix, memory: u64) -> Result<DeviceMatrix> {
        let recursion = Recursion::choose(self.shape_of_product(other), self.gpu().binding_bytes(), memory);
        match self.multiply_by(other, recursion) {
            // The device may have less memory than its limit says.
            Err(Error::OutOfMemory(_)) if recursion != Recursion::NONE => {
                self.multiply_by(other, Recursion::NONE)
            }
            product => product,
        }
    }

    /// [`multiply`](Self::multiply) by so many levels of recursion, for measurements. Refuses a product that is too
    /// small or too large for them.
    pub fn multiply_by_levels(&self, other: &DeviceMatrix, levels: u32) -> Result<DeviceMatrix> {
        let recursion = Recursion::forced(levels, self.shape_of_product(other), self.gpu().binding_bytes());
        let what = || format!("recurse by {levels} levels").into();
        let unfit = || Error::Unsupported { device: "a product of this shape", what: what() };
        self.multiply_by(other, recursion.ok_or_else(unfit)?)
    }

    fn shape_of_product(&self, other: &DeviceMatrix) -> ProductShape {
        (self.rows(), self.columns(), other.columns())
    }

    /// [`multiply`](Self::multiply) by this recursion.
    pub(super) fn multiply_by(&self, other: &DeviceMatrix, recursion: Recursion) -> Result<DeviceMatrix> {
        if self.columns() != other.rows() {
            return Err(mismatch(self.columns(), other.rows()));
        }
        let gpu = self.gpu();
        gpu.expect_same_device([other.gpu()])?;
        let builds = builds(gpu, recursion, self.rows(), other.columns());
        gpu.pipelines_of(&builds)?;
        let product = DeviceMatrix::zeros(gpu, self.rows(), other.columns())?;
        let multiplication = Multiplication {
            a: self,
            b: other,
            product: &product,
            acting: gpu.zeros(recursion.acting_vectors(other.columns()))?,
            outcome: gpu.zeros(OUTCOME)?,
        };
        multiplication.by_recursion(recursion)?;
        if let Some(first) = recursion.first_plain(self.rows()) {
            multiplication.of_rows_from(first)?;
        }
        Ok(product)
    }
}

/// A product that is being computed.
pub struct Multiplication<'a> {
    pub a: &'a DeviceMatrix,
    pub b: &'a DeviceMatrix,
    pub product: &'a DeviceMatrix,
    /// The rows of b, or sums of them, that an update adds.
    pub acting: DeviceVec<[u32; 4]>,
    /// The outcome of a panel that did not fail, which updates read.
    pub outcome: DeviceVec<u32>,
}

impl Multiplication<'_> {
    /// Multiplies the rows from `first` on, without recursion.
    fn of_rows_from(&self, first: usize) -> Result<()> {
        let Multiplication { a, b, product, acting, outcome } = self;
        let (gpu, rows) = (a.gpu(), a.rows() - first);
        let shape = Shape::of(gpu);
        let rows_a_thread = shape.rows_a_thread(rows, b.tiles() as usize);
        let [factors, update] = gpu
            .pipelines([(&FACTORS, &Variant::plain(256)), (&UPDATE, &shape.variant(rows_a_thread, true))])?;
        let mut recorder = gpu.record();
        for block in 0..a.tiles() / 2 {
            for part in b.parts() {
                let params = FactorsParams { block, stride: b.stride(), part_tile: part.first_tile };
                let buffers = FactorsBuffers { matrix: part.buffer()?, acting: acting.written()? };
                recorder.dispatch(&factors, "factors", &buffers, &params, part.tiles)?;
            }
            let selecting = a.part_of(2 * block)?;
            for part in product.parts() {
                let rows_a_group = shape.workgroup * rows_a_thread;
                let (span, groups) = Shape::span_and_groups(part.tiles, rows as u32, rows_a_group);
                let params = UpdateParams {
                    rows: a.rows() as u32,
                    stride: product.stride(),
                    part_tile: part.first_tile,
                    first_tile: part.first_tile,
                    tiles: part.tiles,
                    span,
                    all_rows: 1,
                    selection: (2 * block - selecting.first_tile) * a.stride(),
                    selection_stride: a.stride(),
                    first_row: first as u32,
                };
                let buffers = UpdateBuffers {
                    outcome: outcome.whole()?,
                    matrix: part.written()?,
                    acting: acting.whole()?,
                    selections: selecting.buffer()?,
                };
                recorder.dispatch(&update, "update", &buffers, &params, groups)?;
            }
        }
        recorder.submit()
    }

    /// Multiplies the rows of the slabs.
    fn by_recursion(&self, recursion: Recursion) -> Result<()> {
        if recursion.levels == 0 {
            return Ok(());
        }
        let (gpu, shape) = (self.a.gpu(), Shape::of(self.a.gpu()));
        let builds = stack_builds(shape, recursion, self.b.columns());
        let [left, right, update, add] = gpu.pipelines(builds.each_ref().map(|(k, v)| (*k, v)))?;
        let stack_of = |matrix: &DeviceMatrix| {
            DeviceMatrix::zeros(gpu, recursion.stack_rows(), recursion.stack_columns(matrix.columns()))
        };
        let stacks = Stacks {
            of: self,
            recursion,
            left: stack_of(self.a)?,
            products: stack_of(self.product)?,
            rows_a_group: shape.workgroup * stack_rows_a_thread(shape, recursion, self.b.columns()),
        };
        for (first, block_rows) in recursion.slabs() {
            if first > 0 {
                gpu.clear_all(stacks.products.parts().iter().map(Part::data))?;
            }
            let mut recorder = gpu.record();
            stacks.make_left(&mut recorder, &left, (first, block_rows))?;
            for block in 0..stacks.left.tiles() / 2 {
                stacks.make_right(&mut recorder, &right, block)?;
                stacks.update(&mut recorder, &update, block, block_rows)?;
            }
            stacks.add_products(&mut recorder, &add, (first, block_rows))?;
            recorder.submit()?;
        }
        Ok(())
    }
}
