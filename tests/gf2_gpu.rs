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
    let expected = cpu().eliminate(&system, Method::Blocked).unwrap().to_lists();
    for (name, engine, _) in engines {
        let result = engine.eliminate(&system, Method::Blocked).unwrap();
        assert!(result.to_lists() == expected, "{name}");
    }
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
