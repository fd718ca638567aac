//! Compares the bytes that plans assume with those that devices reserve.

use super::dense::{self, dense_bytes};
use super::f4::{self, blocked_bytes};
use super::matrix::{DeviceMatrix, most_columns, most_rows};
use super::product::{self, product_bytes};
use super::two_stage::{self, two_stage_bytes};
use crate::gf2::generate::Groebner;
use crate::gf2::{self, BitMatrix, Elimination, F4Matrix, F4Method, F4Shape, RowReduction, Wanted};
use crate::gpu::test_devices::open;
use crate::gpu::{Gpu, Options, block_on};
use crate::{Cpu, Device, Error, Result};

/// Returns the device limited to `memory` bytes, none of them in use.
fn limited(gpu: &Gpu, memory: u64) -> Gpu {
    gpu.with_options(Options { memory, ..gpu.options().clone() })
}

fn binding_bytes(gpu: &Gpu) -> u64 {
    gpu.profile().binding_bytes
}

fn devices() -> [Gpu; 2] {
    let small = Options { max_chunk_bytes: 1 << 18, ..Options::default() };
    [Options::default(), small].map(|options| Gpu::idle(options).unwrap())
}

/// Asserts that `bytes` is the least memory with which `work` succeeds.
fn check_least(gpu: &Gpu, bytes: u64, what: &str, work: impl Fn(&Gpu) -> Result<BitMatrix>) {
    work(&limited(gpu, bytes)).unwrap_or_else(|e| panic!("{what} in {bytes} bytes: {e}"));
    if bytes > 0 {
        let error = work(&limited(gpu, bytes - 1)).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory(_)), "{what}: {error}");
    }
}

#[test]
fn dense_eliminations_take_the_bytes_that_they_say() {
    for gpu in devices() {
        for (rows, columns) in
            [(0, 0), (0, 5), (5, 0), (1, 1), (700, 900), (1500, 600), (300, 8000), (4000, 500)]
        {
            let matrix = BitMatrix::zeros(rows, columns).unwrap();
            for limit in [columns, columns / 2, 0] {
                let bytes = dense_bytes(rows, columns, limit, binding_bytes(&gpu));
                check_least(&gpu, bytes, &format!("{rows} x {columns}, {limit}"), |gpu| {
                    let reduction =
                        RowReduction::new(rows, columns, Wanted::Reduced)?.with_pivots_within(limit);
                    Ok(block_on(dense::echelon(gpu, &matrix, &reduction))?.matrix)
                });
            }
        }
    }
}

#[test]
fn products_take_the_bytes_that_they_say() {
    for gpu in devices() {
        for (rows, inner, columns) in
            [(0, 0, 0), (1, 1, 1), (5, 0, 3), (700, 600, 900), (4000, 1, 1), (1, 4000, 1), (1, 1, 8000)]
        {
            let a = BitMatrix::zeros(rows, inner).unwrap();
            let b = BitMatrix::zeros(inner, columns).unwrap();
            let bytes = product_bytes((rows, inner, columns), binding_bytes(&gpu), u64::MAX);
            check_least(&gpu, bytes, &format!("{rows} x {inner} x {columns}"), |gpu| {
                block_on(product::multiply(gpu, &a, &b, bytes))
            });
        }
    }
}

#[test]
fn rows_and_columns_that_a_binding_holds() {
    let [_, gpu] = devices();
    let (rows, columns) =
        (most_rows(binding_bytes(&gpu)) as usize, most_columns(binding_bytes(&gpu)) as usize);
    assert!(rows >= 4096 && columns >= 8192);
    let echelon = |rows, columns| {
        let matrix = BitMatrix::zeros(rows, columns)?;
        block_on(dense::echelon(&gpu, &matrix, &RowReduction::new(rows, columns, Wanted::Reduced)?))
    };
    echelon(rows, columns).unwrap();
    assert!(matches!(DeviceMatrix::zeros(&gpu, rows + 1, 1), Err(Error::OutOfMemory(_))));
    assert!(matches!(echelon(1, columns + 1), Err(Error::OutOfMemory(_))));
}

fn f4(columns: usize, reducers: usize, rows: usize, ones: usize) -> F4Matrix {
    let generator = Groebner {
        columns,
        reducers,
        rows,
        new_pivots: columns,
        reducer_ones: ones,
        row_ones: 2 * ones,
        seed: 1,
    };
    let (reducers, rows) = generator.generate().unwrap();
    F4Matrix::new(reducers, rows, Some(columns)).unwrap()
}

fn by_method(gpu: &Gpu, f4: &F4Matrix, method: F4Method) -> Result<Elimination> {
    match method {
        F4Method::Blocked => block_on(f4::eliminate_in_file_order(gpu, f4)),
        _ => block_on(two_stage::eliminate_in_two_stages(gpu, f4)),
    }
}

fn bytes_of(gpu: &Gpu, f4: &F4Matrix, method: F4Method) -> u64 {
    let shape = F4Shape::of(f4);
    match method {
        F4Method::Blocked => blocked_bytes(&shape, binding_bytes(gpu)),
        _ => two_stage_bytes(&shape, binding_bytes(gpu)),
    }
}

#[test]
fn f4_matrices_take_no_more_bytes_than_they_say() {
    let f4_matrices =
        [(1, 0, 0, 1), (10, 5, 5, 1), (1000, 700, 300, 20), (300, 300, 50, 8), (2000, 0, 900, 10)];
    for (columns, reducers, rows, ones) in f4_matrices.into_iter().chain([(3000, 2900, 3000, 60)]) {
        let f4 = f4(columns, reducers, rows, ones);
        let idle = devices().map(|gpu| (gpu, false));
        let real = [(open(Options::default()), true)];
        for (gpu, computes) in idle.into_iter().chain(real) {
            for method in [F4Method::Blocked, F4Method::TwoStage] {
                let bytes = bytes_of(&gpu, &f4, method);
                let result = by_method(&limited(&gpu, bytes), &f4, method).unwrap();
                if computes {
                    let cpu = Device::Cpu(Cpu::default());
                    let expected = gf2::eliminate(&cpu, &f4.clone().with_method(F4Method::Blocked)).unwrap();
                    assert!(result.to_lists() == expected.to_lists(), "{method}");
                }
                // New pivots and their ones are counted by upper bounds; the sum is still meaningful.
                if f4.row_count() > 0 && computes {
                    let result = by_method(&limited(&gpu, bytes / 2), &f4, method);
                    let error = result.err().map(|error| matches!(error, Error::OutOfMemory(_)));
                    assert_eq!(error, Some(true), "{method}, {rows} x {columns}");
                }
            }
        }
    }
}
