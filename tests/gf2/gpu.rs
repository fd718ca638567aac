//! Linear algebra over GF(2) on the GPU: the laws, and agreement with the CPU engine.
//! These tests need an adapter: lavapipe (Debian's mesa-vulkan-drivers) is one.

use crate::gpu_common::open;
use proptest::prelude::*;
use std::sync::OnceLock;
use wgalois::gf2::gpu::DeviceMatrix;
use wgalois::gf2::{self, Answer, BitMatrix, Dense, F4Matrix, F4Method, IndexLists, generate, verify};
use wgalois::gpu::{Gpu, Options};
use wgalois::{Cpu, Device};

/// The device as it is, and within WebGPU's default limits with the checks on.
fn engines() -> Vec<(&'static str, Device, Gpu)> {
    let devices = [
        ("full", Options::default()),
        ("portable", Options { checked: true, ..Options::portable() }),
        ("small chunks", Options { max_chunk_bytes: 1 << 18, ..Options::default() }),
    ];
    let engine = |(name, options)| {
        let gpu = open(options);
        (name, Device::Gpu(gpu.clone()), gpu)
    };
    devices.into_iter().map(engine).collect()
}

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

fn check_echelon(matrix: &BitMatrix, engines: &[(&'static str, Device, Gpu)]) {
    let expected = gf2::rref(&cpu(), matrix).unwrap();
    for (name, engine, _) in engines {
        let reduced = gf2::rref(engine, matrix).unwrap();
        assert_eq!(reduced.pivots, expected.pivots, "{name}");
        assert!(reduced == expected, "{name}");
        let echelon = gf2::echelon(engine, matrix).unwrap();
        assert_eq!(echelon.pivots, expected.pivots, "{name}");
        let proof = verify::Proof::determine(engine, matrix).unwrap();
        assert_eq!(proof.rank(), expected.rank(), "{name}");
        verify::echelon(matrix, &echelon, false, &proof).unwrap();
    }
}

#[test]
fn echelon_forms_of_random_matrices() {
    let engines = engines();
    for (rows, columns) in [(1, 1), (5, 300), (300, 5), (200, 200), (700, 900), (1500, 600), (300, 2000)] {
        check_echelon(&generate::matrix(rows, columns, 0.5, 1).unwrap(), &engines);
    }
    assert!(engines[0].2.timeline().dispatches()["panel"] > 0);
}

fn check_f4(reducers: IndexLists, rows: IndexLists, engines: &[(&'static str, Device, Gpu)]) {
    let f4 = F4Matrix::new(reducers, rows, None).unwrap();
    let by_cpu = |method| gf2::eliminate(&cpu(), &f4.clone().with_method(method)).unwrap().to_lists();
    let (expected, rounds) = (by_cpu(F4Method::Blocked), by_cpu(F4Method::Rounds));
    for (name, engine, _) in engines {
        for method in [F4Method::Auto, F4Method::Blocked, F4Method::TwoStage, F4Method::Rounds] {
            let result = gf2::eliminate(engine, &f4.clone().with_method(method)).unwrap();
            let expected = if method == F4Method::Rounds { &rounds } else { &expected };
            assert!(&result.to_lists() == expected, "{method}, {name}");
        }
    }
}

/// The device as it is and in small chunks, opened once.
fn shared() -> &'static [(&'static str, Device, Gpu)] {
    static ENGINES: OnceLock<Vec<(&'static str, Device, Gpu)>> = OnceLock::new();
    ENGINES.get_or_init(|| engines().into_iter().filter(|(name, ..)| *name != "portable").collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_matrix(rows in 0usize..900, columns in 0usize..900, rank in 0usize..900, seed: u64) {
        let rank = rank.min(rows).min(columns);
        check_echelon(&generate::matrix_of_rank(rows, columns, rank, seed).unwrap(), shared());
    }

    #[test]
    fn any_density(rows in 1usize..900, columns in 1usize..600, thinness in 1i32..12, seed: u64) {
        check_echelon(&generate::matrix(rows, columns, 0.5f64.powi(thinness), seed).unwrap(), shared());
    }

    #[test]
    fn any_f4_matrix(
        columns in 1usize..1200, share in 0usize..=100, rows in 0usize..600, ones in 1usize..40, seed: u64
    ) {
        let reducers = columns * share / 100;
        let (reducer_ones, row_ones) = (ones, 2 * ones);
        let generator = generate::Groebner {
            columns, reducers, rows, new_pivots: columns, reducer_ones, row_ones, seed,
        };
        let (reducers, rows) = generator.generate().unwrap();
        check_f4(reducers, rows, shared());
    }
}

#[test]
fn methods_of_the_cpu_are_refused() {
    let f4 = F4Matrix::new(IndexLists::default(), IndexLists::default(), None).unwrap();
    let engine = Device::Gpu(open(Options::default()));
    for method in [F4Method::Bands, F4Method::XorThreads] {
        assert_eq!(gf2::eliminate(&engine, &f4.clone().with_method(method)).unwrap_err().exit_code(), 2);
    }
}

#[test]
fn products_solutions_kernels_inverses() {
    for (name, engine, _) in engines() {
        let a = generate::matrix(700, 600, 0.5, 1).unwrap();
        let b = generate::matrix(600, 900, 0.5, 2).unwrap();
        assert!(gf2::multiply(&engine, &a, &b).unwrap() == gf2::multiply(&cpu(), &a, &b).unwrap(), "{name}");
        let a = generate::matrix_of_rank(500, 600, 400, 3).unwrap();
        let b = gf2::multiply(&cpu(), &a, &generate::matrix(600, 70, 0.5, 4).unwrap()).unwrap();
        assert_eq!(gf2::solve(&engine, &a, &b).unwrap(), gf2::solve(&cpu(), &a, &b).unwrap(), "{name}");
        let other = generate::matrix(500, 70, 0.5, 5).unwrap();
        let solution = gf2::solve(&engine, &a, &other).unwrap();
        assert_eq!(solution.inconsistent, gf2::solve(&cpu(), &a, &other).unwrap().inconsistent, "{name}");
        assert_eq!(gf2::kernel(&engine, &a).unwrap(), gf2::kernel(&cpu(), &a).unwrap(), "{name}");
        let a = generate::matrix(300, 300, 0.5, 7).unwrap();
        assert_eq!(gf2::inverse(&engine, &a).unwrap(), gf2::inverse(&cpu(), &a).unwrap(), "{name}");
    }
}

/// Enough workgroups that each updates the most rows and several tiles, the last one fewer.
#[test]
fn products_of_many_rows_and_tiles() {
    let a = generate::matrix(2100, 256, 0.5, 1).unwrap();
    let b = generate::matrix(256, 128 * 1026, 0.5, 2).unwrap();
    let expected = gf2::multiply(&cpu(), &a, &b).unwrap();
    // Small chunks cannot hold two tiles of this many rows.
    for (name, engine, _) in engines().into_iter().filter(|(name, ..)| *name != "small chunks") {
        assert!(gf2::multiply(&engine, &a, &b).unwrap() == expected, "{name}");
    }
}

#[test]
fn matrices_larger_than_the_memory() {
    const MEMORY: u64 = 2_800_000;
    let engines = vec![limited(MEMORY)];
    let gpu = &engines[0].2;
    let full = generate::matrix(50_000, 500, 0.5, 1).unwrap();
    assert_eq!(DeviceMatrix::upload(gpu, &full).unwrap_err().exit_code(), 5, "not even the matrix fits");
    check_echelon(&full, &engines);
    check_echelon(&generate::matrix_of_rank(30_000, 500, 200, 2).unwrap(), &engines);
    check_echelon(&generate::matrix(30_000, 480, 0.0001, 3).unwrap(), &engines);
    let factor = generate::matrix(500, 300, 0.5, 4).unwrap();
    let engine = &engines[0].1;
    assert!(gf2::multiply(engine, &full, &factor).unwrap() == gf2::multiply(&cpu(), &full, &factor).unwrap());
    let tall = full.transposed().unwrap();
    assert!(gf2::multiply(engine, &tall, &full).unwrap() == gf2::multiply(&cpu(), &tall, &full).unwrap());

    let generator = generate::Groebner {
        columns: 600,
        reducers: 300,
        rows: 20_000,
        new_pivots: 250,
        reducer_ones: 20,
        row_ones: 30,
        seed: 1,
    };
    let (reducers, rows) = generator.generate().unwrap();
    let f4 = F4Matrix::new(reducers, rows, None).unwrap();
    let expected = gf2::eliminate(&cpu(), &f4.clone().with_method(F4Method::Blocked)).unwrap().to_lists();
    for method in [F4Method::Blocked, F4Method::TwoStage] {
        assert!(
            gf2::eliminate(engine, &f4.clone().with_method(method)).unwrap().to_lists() == expected,
            "{method}"
        );
    }
}

/// A device limited to a number of bytes.
fn limited(memory: u64) -> (&'static str, Device, Gpu) {
    let gpu = open(Options { memory, ..Options::default() });
    ("little memory", Device::Gpu(gpu.clone()), gpu)
}

#[test]
fn edges() {
    let (_, engine, _) = engines().remove(0);
    for (rows, columns) in [(0, 0), (0, 5), (5, 0), (1, 1), (1, 2000), (2000, 1)] {
        let zero = BitMatrix::zeros(rows, columns).unwrap();
        assert_eq!(gf2::rank(&engine, &zero).unwrap(), 0);
        assert_eq!(gf2::rref(&engine, &zero).unwrap().matrix, zero);
        assert_eq!(gf2::multiply(&engine, &zero, &BitMatrix::identity(columns).unwrap()).unwrap(), zero);
        let ones = generate::matrix(rows, columns, 1.0, 0).unwrap();
        assert_eq!(gf2::rank(&engine, &ones).unwrap(), usize::from(rows * columns > 0));
    }
    let rows = IndexLists::empty_rows(3);
    check_f4(IndexLists::default(), rows.clone(), &engines());
    let mut reducers = IndexLists::default();
    reducers.push(&[700, 3]).unwrap();
    check_f4(reducers, rows, &engines());
}

#[test]
fn a_block_whose_flagged_rows_fill_several_windows() {
    // 1200 rows of a block have remainders in columns whose pivots only the last of these rows give:
    // windows of 512 rows miss them twice. With few columns the block has a single attempt until then,
    // with many it has two. In the last case blocks with separate rows come first.
    for (shift, columns, before) in [(0, 40, 0), (50, 101, 0), (0, 40, 700)] {
        let mut rows = IndexLists::default();
        (0..before).for_each(|k| rows.push(&[256 + k, k % 250]).unwrap());
        for k in 0..1200u32 {
            let low = if k < 600 {
                150
            } else if k < 1100 {
                120
            } else {
                100 - (k % 50)
            };
            rows.push(&[shift + 200 + k % 4, shift + 160 + (k / 7) % 3, shift + low, k % columns]).unwrap();
        }
        check_f4(IndexLists::default(), rows, &engines());
    }
}

#[test]
fn long_rows_and_long_ways() {
    let engines = engines();
    // Rows of more ones than one thread takes.
    let mut rows = IndexLists::default();
    for step in 1..6u32 {
        rows.push(&(0..5000 / step).map(|k| 5000 - step * k).collect::<Vec<_>>()).unwrap();
    }
    let mut reducers = IndexLists::default();
    for lead in (100..5000u32).rev().step_by(3) {
        reducers.push(&[lead, lead - 7, lead - 90]).unwrap();
    }
    check_f4(reducers, rows, &engines);

    // A row to which all reducers are added, one after the other.
    let mut chain = IndexLists::default();
    (1..8000u32).for_each(|lead| chain.push(&[lead, lead - 1]).unwrap());
    let mut rows = IndexLists::default();
    [7999, 4000, 7999].iter().for_each(|&lead| rows.push(&[lead]).unwrap());
    let f4 = F4Matrix::new(chain, rows, None).unwrap();
    let expected = gf2::eliminate(&cpu(), &f4.clone().with_method(F4Method::Rounds)).unwrap().to_lists();
    let result = gf2::eliminate(&engines[0].1, &f4.clone().with_method(F4Method::Rounds)).unwrap();
    assert!(result.to_lists() == expected);
}

#[test]
fn f4_matrices_in_file_order() {
    let engines = engines();
    for (columns, reducers, rows, new_pivots) in [
        (10, 5, 5, 5),
        (300, 200, 50, 50),
        (1000, 700, 300, 200),
        (1500, 100, 900, 800),
        (2000, 1500, 1200, 100),
    ] {
        let generator = generate::Groebner {
            columns,
            reducers,
            rows,
            new_pivots,
            reducer_ones: 20,
            row_ones: 40,
            seed: 1,
        };
        let (reducers, rows) = generator.generate().unwrap();
        check_f4(reducers, rows, &engines);
    }
}

#[test]
fn echelon_forms_of_structured_matrices() {
    let engines = engines();
    // Rank-deficient, more rows than a window, pivots far from the rows that are searched first.
    check_echelon(&generate::matrix_of_rank(1500, 1400, 600, 2).unwrap(), &engines);
    let mut anti = BitMatrix::zeros(1300, 1300).unwrap();
    (0..1300).for_each(|i| anti.set(i, 1299 - i, true));
    check_echelon(&anti, &engines);
    check_echelon(&BitMatrix::identity(1300).unwrap(), &engines);
    check_echelon(&generate::matrix(1200, 1000, 1.0, 0).unwrap(), &engines);
    check_echelon(&generate::matrix(1300, 900, 0.003, 3).unwrap(), &engines);
    // Every row and column twice, the rows in long runs of equals.
    let half = generate::matrix(40, 500, 0.5, 4).unwrap();
    let mut doubled = BitMatrix::zeros(40 * 40, 1000).unwrap();
    (0..1600).for_each(|r| (0..1000).for_each(|c| doubled.set(r, c, half.get(r / 40, c / 2))));
    check_echelon(&doubled, &engines);
    // Every column twice: half of a block's columns have no pivot, which only a search of all rows shows.
    let half = generate::matrix(1200, 420, 0.5, 5).unwrap().transposed().unwrap();
    let mut twice = BitMatrix::zeros(840, 1200).unwrap();
    (0..840).for_each(|c| twice.row_mut(c).copy_from_slice(half.row(c / 2)));
    check_echelon(&twice.transposed().unwrap(), &engines);
}

/// A kernel of few vectors is read from some tiles of the form; the rest of a form from a column on, without the others.
#[test]
fn small_parts_of_large_forms() {
    for (name, engine, _) in engines() {
        let mut middle = generate::matrix(900, 1000, 0.5, 1).unwrap();
        // Columns without a pivot in the middle, and at the end.
        (0..900).for_each(|row| [300, 301, 640].iter().for_each(|&column| middle.set(row, column, false)));
        let matrices = [
            middle,
            generate::matrix(1000, 900, 0.5, 2).unwrap(),
            generate::matrix_of_rank(1500, 1400, 1397, 3).unwrap(),
            generate::matrix(60, 1400, 0.5, 4).unwrap(),
            BitMatrix::zeros(300, 600).unwrap(),
        ];
        for a in matrices {
            assert!(gf2::kernel(&engine, &a).unwrap() == gf2::kernel(&cpu(), &a).unwrap(), "{name}");
            let form = gf2::echelon(&engine, &a).unwrap();
            for from in [1, 500, a.columns() - 3, a.columns(), a.columns() + 1] {
                let problem = Dense::echelon(a.rows(), a.columns()).unwrap().with_form_from(from);
                for device in [&engine, &cpu()] {
                    let rest = gf2::compute(device, &problem, &a, None).unwrap().into_form().unwrap();
                    let first = form.pivots.partition_point(|&pivot| (pivot as usize) < from);
                    assert_eq!(rest.pivots, form.pivots[first..], "{name}");
                    assert_eq!(rest.matrix.rows(), rest.rank());
                    // The same span, whatever the rows.
                    let rows = (first..form.rank()).map(|row| form.matrix.ones(row).collect::<Vec<_>>());
                    let mut expected = BitMatrix::zeros(rest.rank(), a.columns()).unwrap();
                    rows.enumerate().for_each(|(to, ones)| {
                        ones.into_iter().for_each(|column| expected.set(to, column, true));
                    });
                    let [rest, expected] = [&rest.matrix, &expected].map(|m| gf2::rref(&cpu(), m).unwrap());
                    assert!(rest == expected, "{name} from {from}");
                    assert!(problem.check(device, &a, None, Answer::Form(&rest)).is_err());
                }
            }
        }
    }
}
