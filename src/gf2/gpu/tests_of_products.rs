//! Products by recursion, compared with those of the CPU engine and with the definition.

use super::matrix::DeviceMatrix;
use super::product::{self, dispatches, product_bytes};
use super::strassen::{MOST_LEVELS, ProductShape, Recursion, side};
use crate::gf2::{self, BitMatrix, Product, generate};
use crate::gpu::test_devices::open;
use crate::gpu::{Gpu, Options, block_on};
use crate::task::Problem;
use crate::{Cpu, Device, Error, Result};

/// Rows of a block in these tests: as few as a workgroup of every shape can have.
const BLOCK_ROWS: usize = 512;

/// The recursions over all whole slabs of the rows, and over all rows, in slabs of `blocks` times the least rows.
fn recursions(levels: u32, rows: usize, blocks: usize) -> Vec<Recursion> {
    let unit = side(levels) * BLOCK_ROWS;
    let over = |count: usize| Recursion { levels, rows: count * unit, block_rows: blocks * BLOCK_ROWS };
    let mut all: Vec<_> =
        [rows / unit, rows.div_ceil(unit)].into_iter().filter(|&n| n > 0).map(over).collect();
    all.dedup();
    all
}

/// The product by the definition: the sum of the rows of b that a row of a selects.
fn by_definition(a: &BitMatrix, b: &BitMatrix) -> BitMatrix {
    let mut product = BitMatrix::zeros(a.rows(), b.columns()).unwrap();
    for row in 0..a.rows() {
        for k in (0..a.columns()).filter(|&k| a.get(row, k)) {
            let words = product.row64_mut(row).iter_mut();
            words.zip(b.row64(k)).for_each(|(to, word)| *to ^= word);
        }
    }
    product
}

/// Checks the product of two matrices by every recursion of so many levels, in slabs of these multiples of the least rows.
fn check(gpu: &Gpu, a: &BitMatrix, b: &BitMatrix, (levels, blocks): (u32, &[usize]), what: &str) {
    let expected = gf2::multiply(&Device::Cpu(Cpu::default()), a, b).unwrap();
    if a.rows() * a.columns() * b.columns() < 1 << 28 {
        assert!(expected == by_definition(a, b));
    }
    let [left, right] = [a, b].map(|matrix| DeviceMatrix::upload(gpu, matrix).unwrap());
    for recursion in blocks.iter().flat_map(|&blocks| recursions(levels, a.rows(), blocks)) {
        let product = left.multiply_by(&right, recursion).unwrap().download().unwrap();
        assert!(
            product == expected,
            "{what}: {} x {} x {}, {recursion:?}",
            a.rows(),
            a.columns(),
            b.columns()
        );
    }
}

fn check_random(gpu: &Gpu, shapes: &[ProductShape], recursion: (u32, &[usize]), what: &str) {
    for (seed, &(rows, inner, columns)) in shapes.iter().enumerate() {
        let a = generate::matrix(rows, inner, 0.5, 2 * seed as u64).unwrap();
        let b = generate::matrix(inner, columns, 0.5, 2 * seed as u64 + 1).unwrap();
        check(gpu, &a, &b, recursion, what);
    }
}

fn devices() -> [(&'static str, Gpu); 3] {
    [
        ("all features", open(Options::default())),
        ("portable", open(Options::portable())),
        ("checked", open(Options { checked: true, ..Options::default() })),
    ]
}

#[test]
fn products_by_one_level() {
    let shapes = [
        (1, 1, 1),
        (1, 700, 900),
        (700, 1, 900),
        (700, 900, 1),
        (1023, 511, 513),
        (1024, 512, 512),
        (1025, 513, 511),
        (2048, 256, 128),
        (2049, 257, 129),
        (3100, 1300, 600),
    ];
    for (what, gpu) in devices() {
        check_random(&gpu, &shapes, (1, &[1, 2]), what);
    }
}

#[test]
fn products_by_two_and_three_levels() {
    // Slabs of several sizes once: the devices differ in the texts of the same steps.
    for ((what, gpu), blocks) in devices().into_iter().zip([&[1, 2][..], &[1], &[1]]) {
        check_random(&gpu, &[(1, 1, 1), (2049, 1025, 1100), (4200, 700, 2100)], (2, blocks), what);
        check_random(&gpu, &[(4097, 2050, 1900), (100, 3000, 300)], (3, blocks), what);
    }
}

#[test]
fn structured_products() {
    let gpu = open(Options::default());
    let random = generate::matrix(1100, 1100, 0.5, 7).unwrap();
    let (zero, identity) = (BitMatrix::zeros(1100, 1100).unwrap(), BitMatrix::identity(1100).unwrap());
    let mut shifted = BitMatrix::zeros(1100, 1100).unwrap();
    (0..1100).for_each(|row| shifted.set(row, (row + 437) % 1100, true));
    for levels in 1..=MOST_LEVELS {
        for (what, other) in [("zero", &zero), ("identity", &identity), ("permutation", &shifted)] {
            check(&gpu, other, &random, (levels, &[1, 2]), what);
            check(&gpu, &random, other, (levels, &[1, 2]), what);
        }
    }
}

/// A part of a matrix or of a stack has two tiles, or a few.
#[test]
fn products_of_matrices_in_parts() {
    for (levels, max_chunk_bytes, shape) in [
        (1, 1 << 18, (1500, 1300, 1700)),
        (1, 1 << 19, (1024, 3000, 1100)),
        (2, 2 << 20, (2100, 5000, 2500)),
        (3, 8 << 20, (4100, 2500, 4000)),
    ] {
        let gpu = open(Options { max_chunk_bytes, ..Options::default() });
        let (rows, inner, columns) = shape;
        let recursion = Recursion { levels, rows, block_rows: BLOCK_ROWS };
        let stack =
            DeviceMatrix::zeros(&gpu, recursion.stack_rows(), recursion.stack_columns(columns)).unwrap();
        let matrix = DeviceMatrix::zeros(&gpu, rows, inner).unwrap();
        assert!(stack.parts().len() > 1 && (levels == 3 || matrix.parts().len() > 1));
        let a = generate::matrix(rows, inner, 0.5, 1).unwrap();
        let b = generate::matrix(inner, columns, 0.5, 2).unwrap();
        let expected = gf2::multiply(&Device::Cpu(Cpu::default()), &a, &b).unwrap();
        let [left, right] = [&a, &b].map(|matrix| DeviceMatrix::upload(&gpu, matrix).unwrap());
        for recursion in recursions(levels, rows, 1) {
            let product = left.multiply_by(&right, recursion).unwrap().download().unwrap();
            assert!(product == expected, "{shape:?} {recursion:?}");
        }
    }
}

#[test]
fn recursions_take_the_bytes_and_the_dispatches_that_they_say() {
    for max_chunk_bytes in [u64::MAX, 8 << 20] {
        let gpu = Gpu::idle(Options { max_chunk_bytes, ..Options::default() }).unwrap();
        for shape in [(2500, 2500, 2500), (5000, 300, 3000), (1, 1, 1)] {
            let (rows, inner, columns) = shape;
            let [a, b] =
                [(rows, inner), (inner, columns)].map(|(rows, columns)| BitMatrix::zeros(rows, columns));
            let (a, b) = (a.unwrap(), b.unwrap());
            let levels = if max_chunk_bytes == u64::MAX { MOST_LEVELS } else { 2 };
            for recursion in (0..=levels).flat_map(|levels| match levels {
                0 => vec![Recursion::NONE],
                _ => recursions(levels, rows, 1),
            }) {
                let work = |memory: u64| -> Result<u64> {
                    let gpu = gpu.with_options(Options { memory, ..gpu.options().clone() });
                    let [a, b] = [DeviceMatrix::upload(&gpu, &a)?, DeviceMatrix::upload(&gpu, &b)?];
                    let count = || gpu.timeline().dispatches().values().sum::<u64>();
                    let before = count();
                    a.multiply_by(&b, recursion)?;
                    Ok(count() - before)
                };
                let bytes = recursion.bytes(shape);
                let count = work(bytes).unwrap_or_else(|e| panic!("{shape:?} {recursion:?}: {e}"));
                assert_eq!(
                    count,
                    dispatches(recursion, shape, gpu.binding_bytes()),
                    "{shape:?} {recursion:?}"
                );
                let error = work(bytes - 1).unwrap_err();
                assert!(matches!(error, Error::OutOfMemory(_)), "{shape:?} {recursion:?}: {error}");
            }
        }
    }
}

#[test]
fn a_plan_uses_recursion_within_its_memory() {
    let n = 16_384;
    let shape = (n, n, n);
    let problem = Product::new(n, n, n).unwrap();
    let gpu = Gpu::idle(Options::default()).unwrap();
    let plain = product_bytes(shape, gpu.binding_bytes(), 0);
    assert_eq!(plain, Recursion::NONE.bytes(shape));
    let zero = BitMatrix::zeros(n, n).unwrap();
    let mut before = None;
    let mut times = Vec::new();
    for memory in [plain, plain + (200 << 20), u64::MAX] {
        let gpu = gpu.with_options(Options { memory, ..gpu.options().clone() });
        let device = Device::Gpu(gpu.clone());
        let plan = problem.plan(&device).unwrap();
        let bytes = plan.cost().device_bytes;
        assert!(bytes <= memory && before.is_none_or(|before| before <= bytes));
        let recursion = Recursion::choose(shape, gpu.binding_bytes(), memory);
        // In between, slabs may be too small to be worth it.
        assert!(memory != plain || recursion.levels == 0);
        assert!(memory != u64::MAX || recursion.levels > 1);
        let count = || gpu.timeline().dispatches().values().sum::<u64>();
        let done = count();
        // The plan's bytes, not the device's, decide.
        block_on(product::multiply(&gpu, &zero, &zero, bytes)).unwrap();
        assert_eq!(plan.traffic().dispatches, Some(count() - done), "{recursion:?}");
        before = Some(bytes);
        times.push(plan.cost().time);
    }
    assert!(times[2] < times[0], "recursion is not in the expected time: {times:?}");
}

#[test]
fn a_large_product_uses_recursion() {
    let (rows, inner, columns) = (8300, 8192, 8100);
    let gpu = open(Options::default());
    assert!(Recursion::choose((rows, inner, columns), gpu.binding_bytes(), u64::MAX).levels > 0);
    let a = generate::matrix(rows, inner, 0.5, 1).unwrap();
    let b = generate::matrix(inner, columns, 0.5, 2).unwrap();
    let expected = gf2::multiply(&Device::Cpu(Cpu::default()), &a, &b).unwrap();
    assert!(gf2::multiply(&Device::Gpu(gpu), &a, &b).unwrap() == expected);
}
