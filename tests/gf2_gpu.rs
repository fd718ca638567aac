//! Linear algebra over GF(2) on the GPU: the laws, and agreement with the CPU engine.
//! These tests need an adapter: lavapipe (Debian's mesa-vulkan-drivers) is one.

use wgalois::gf2::{BitMatrix, Engine, generate, verify};
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
