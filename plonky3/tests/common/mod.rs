//! Devices and matrices of the tests.
// Every test file is a crate of its own and uses a part of this.
#![allow(dead_code)]

use std::sync::OnceLock;

use p3_matrix::bitrev::{BitReversedMatrixView, BitReversibleMatrix};
use p3_matrix::dense::RowMajorMatrix;
use wgalois::gpu::{Gpu, Options};
use wgalois::{Cpu, Device};
use wgalois_plonky3::{Crossover, Field31, WgaloisDft};

/// The first adapter, opened once: compiling every kernel again for each test takes long.
pub fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::new().expect("an adapter; install mesa-vulkan-drivers"))
}

/// The first adapter with other options.
pub fn gpu_with(options: Options) -> Gpu {
    gpu().with_options(options)
}

/// Transforms on `device`, of matrices of any size.
pub fn always_on<F: Field31>(device: Device) -> WgaloisDft<F> {
    WgaloisDft::on(device).with_crossover(Crossover::Words(0))
}

/// The CPU engine and the first adapter.
pub fn devices<F: Field31>() -> [WgaloisDft<F>; 2] {
    [always_on(Device::Cpu(Cpu::default())), always_on(Device::Gpu(gpu().clone()))]
}

/// The same elements for the same shape, in no pattern.
pub fn random<F: Field31>(rows: usize, width: usize) -> RowMajorMatrix<F> {
    let mut state = (rows * 1009 + width) as u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        F::from_u64(state >> 20)
    };
    RowMajorMatrix::new((0..rows * width).map(next).collect(), width)
}

/// A shift of a coset.
pub fn shift<F: Field31>(seed: usize) -> F {
    [F::GENERATOR, F::GENERATOR.inverse(), F::from_usize(seed + 12345), F::ONE][seed % 4]
}

/// The rows of a result as they lie in memory.
#[derive(PartialEq)]
pub struct Rows<F>(pub RowMajorMatrix<F>);

impl<F: Field31> From<RowMajorMatrix<F>> for Rows<F> {
    fn from(matrix: RowMajorMatrix<F>) -> Self {
        Rows(matrix)
    }
}

impl<F: Field31> From<BitReversedMatrixView<RowMajorMatrix<F>>> for Rows<F> {
    fn from(view: BitReversedMatrixView<RowMajorMatrix<F>>) -> Self {
        Rows(view.bit_reverse_rows())
    }
}
