//! Linear algebra over GF(2) on the GPU: the laws, and agreement with the CPU engine.
//! These tests need an adapter: lavapipe (Debian's mesa-vulkan-drivers) is one.

use wgalois::gf2::{BitMatrix, Engine, IndexLists, Method, System, generate, verify};
use wgalois::gpu::{Gpu, Options, Select};
use wgalois::{Cpu, Device};

fn open(options: Options) -> Gpu {
    Gpu::open(&Select::Gpu, options).expect("an adapter; install mesa-vulkan-drivers")
}

/// The device as it is, and within WebGPU's default limits with the checks on.
fn engines() -> Vec<(&'static str, Engine, Gpu)> {
    let devices = [
        ("full", Options::default()),
        ("portable", Options { checked: true, ..Options::portable() }),
        ("small chunks", Options { max_chunk_bytes: 1 << 18, ..Options::default() }),
    ];
    let engine = |(name, options)| {
        let gpu = open(options);
        (name, Engine::new(&Device::Gpu(gpu.clone())), gpu)
    };
    devices.into_iter().map(engine).collect()
}

fn cpu() -> Engine {
    Engine::new(&Device::Cpu(Cpu::default()))
}

fn check_echelon(matrix: &BitMatrix, engines: &[(&'static str, Engine, Gpu)]) {
    let expected = cpu().rref(matrix).unwrap();
    for (name, engine, _) in engines {
        let reduced = engine.rref(matrix).unwrap();
        assert_eq!(reduced.pivots, expected.pivots, "{name}");
        assert!(reduced == expected, "{name}");
        let echelon = engine.echelon(matrix).unwrap();
        assert_eq!(echelon.pivots, expected.pivots, "{name}");
        verify::echelon(matrix, &echelon, false).unwrap();
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

fn check_system(eliminators: IndexLists, rows: IndexLists, engines: &[(&'static str, Engine, Gpu)]) {
    let system = System::new(eliminators, rows, None).unwrap();
    let by_cpu = |method| cpu().eliminate(&system, method).unwrap().to_lists();
    let (expected, rounds) = (by_cpu(Method::Blocked), by_cpu(Method::Rounds));
    for (name, engine, _) in engines {
        for method in [Method::Auto, Method::Blocked, Method::TwoStage, Method::Rounds] {
            let result = engine.eliminate(&system, method).unwrap();
            let expected = if method == Method::Rounds { &rounds } else { &expected };
            assert!(&result.to_lists() == expected, "{method}, {name}");
        }
    }
}

#[test]
fn methods_of_the_cpu_are_refused() {
    let system = System::new(IndexLists::default(), IndexLists::default(), None).unwrap();
    let engine = Engine::new(&Device::Gpu(open(Options::default())));
    for method in [Method::Bands, Method::XorThreads] {
        assert_eq!(engine.eliminate(&system, method).unwrap_err().exit_code(), 2);
    }
}

#[test]
fn products_solutions_kernels_inverses() {
    for (name, engine, _) in engines() {
        let a = generate::matrix(700, 600, 0.5, 1).unwrap();
        let b = generate::matrix(600, 900, 0.5, 2).unwrap();
        assert!(engine.mul(&a, &b).unwrap() == cpu().mul(&a, &b).unwrap(), "{name}");
        let a = generate::matrix_of_rank(500, 600, 400, 3).unwrap();
        let b = cpu().mul(&a, &generate::matrix(600, 70, 0.5, 4).unwrap()).unwrap();
        assert_eq!(engine.solve(&a, &b).unwrap(), cpu().solve(&a, &b).unwrap(), "{name}");
        let other = generate::matrix(500, 70, 0.5, 5).unwrap();
        let solution = engine.solve(&a, &other).unwrap();
        assert_eq!(solution.inconsistent, cpu().solve(&a, &other).unwrap().inconsistent, "{name}");
        assert_eq!(engine.kernel(&a).unwrap(), cpu().kernel(&a).unwrap(), "{name}");
        let a = generate::matrix(300, 300, 0.5, 7).unwrap();
        assert_eq!(engine.inverse(&a).unwrap(), cpu().inverse(&a).unwrap(), "{name}");
    }
}

#[test]
fn edges() {
    let (_, engine, _) = engines().remove(0);
    for (rows, columns) in [(0, 0), (0, 5), (5, 0), (1, 1), (1, 2000), (2000, 1)] {
        let zero = BitMatrix::zeros(rows, columns).unwrap();
        assert_eq!(engine.rank(&zero).unwrap(), 0);
        assert_eq!(engine.rref(&zero).unwrap().matrix, zero);
        assert_eq!(engine.mul(&zero, &BitMatrix::identity(columns).unwrap()).unwrap(), zero);
        let ones = generate::matrix(rows, columns, 1.0, 0).unwrap();
        assert_eq!(engine.rank(&ones).unwrap(), usize::from(rows * columns > 0));
    }
    let rows = IndexLists::empty_rows(3);
    check_system(IndexLists::default(), rows.clone(), &engines());
    let mut eliminators = IndexLists::default();
    eliminators.push(&[700, 3]).unwrap();
    check_system(eliminators, rows, &engines());
}

#[test]
fn a_block_whose_flagged_rows_fill_several_windows() {
    // 1200 rows of a block have something left at columns that only the last of them reach: the
    // first 512 cannot vouch for the block, twice.
    let mut rows = IndexLists::default();
    for k in 0..1200u32 {
        let low = if k < 600 {
            150
        } else if k < 1100 {
            120
        } else {
            100 - (k % 50)
        };
        rows.push(&[200 + k % 4, 160 + (k / 7) % 3, low, k % 40]).unwrap();
    }
    check_system(IndexLists::default(), rows, &engines());
}

#[test]
fn systems_in_file_order() {
    let engines = engines();
    for (columns, eliminators, rows, promoted) in [
        (10, 5, 5, 5),
        (300, 200, 50, 50),
        (1000, 700, 300, 200),
        (1500, 100, 900, 800),
        (2000, 1500, 1200, 100),
    ] {
        let generator = generate::Groebner {
            columns,
            eliminators,
            rows,
            promoted,
            eliminator_ones: 20,
            row_ones: 40,
            seed: 1,
        };
        let (eliminators, rows) = generator.generate().unwrap();
        check_system(eliminators, rows, &engines);
    }
}

#[test]
fn echelon_forms_of_structured_matrices() {
    let engines = engines();
    // Rank-deficient, more rows than a window, pivots far from where they are sought first.
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
}
