//! Four-step transforms on the GPU, in the forms that the literature compares.
//!
//! Bailey's method ("FFTs in external or hierarchical memory", 1990): of n = N M words seen as a matrix, the
//! columns are transformed and multiplied by twiddles, the rows are transformed, and the matrix is
//! transposed. With N as long as workgroup memory holds and M divided again the same way, a transform is a
//! few passes over memory. A form fixes N, the transforms per workgroup and
//! the threads per transform, whether workgroup memory has gaps against bank conflicts, and whether
//! transpositions are separate passes.

mod kernels;
mod on_gpu;
mod passes;
mod transposes;

use serde::Serialize;

use super::{Compared, GpuForm};
use wgalois::gpu::{Gpu, Kernel};
use wgalois::ntt::arithmetic::Powers;
use wgalois::ntt::{Coset, Order, Passes, Transform};
use wgalois::task::GpuProfile;
use wgalois::{Error, Result};

use kernels::{BASE, TILES, TRANSPOSE, TWISTED_TILES};
pub use on_gpu::FourStepKernels;
use passes::Pass;
pub use transposes::{Transpose, TransposeForm, TransposeKernel, TransposeKernels, transpose_forms};

/// One vector's transform in one form, natural order on both sides.
pub type FourStep = Compared<FourStepForm>;

/// The kernels of this module.
pub(super) static KERNELS: &[&Kernel] = &[&BASE, &TRANSPOSE, &TILES, &TWISTED_TILES];

/// The method by which rows become columns between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Transposition {
    /// By separate dispatches; transforms read and write contiguous words.
    Apart,
    /// By the transforms, which read and write along strides.
    Merged,
}

/// One form of the four-step transform. Lengths are powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct FourStepForm {
    /// log2 of the words of a transform in workgroup memory.
    pub log_base: u32,
    /// Transforms per workgroup.
    pub transforms: u32,
    /// Threads per transform.
    pub threads: u32,
    /// True if workgroup memory has a gap after every 32 words.
    pub padded: bool,
    /// The way in which rows become columns between steps.
    pub transposition: Transposition,
}

/// Base, transforms per workgroup and threads per transform of the forms that are compared.
const SHAPES: [(u32, u32, u32); 6] =
    [(6, 8, 32), (6, 8, 8), (8, 1, 64), (8, 2, 64), (8, 4, 64), (12, 1, 256)];

/// The forms that the literature compares: base 64 with 32 or 8 threads per transform, base 256 with 1, 2 or
/// 4 transforms per workgroup, base 4096; each with and without gaps, with transpositions apart or merged.
pub fn forms() -> impl Iterator<Item = FourStepForm> {
    SHAPES.into_iter().flat_map(|(log_base, transforms, threads)| {
        let form = move |padded, transposition| FourStepForm {
            log_base,
            transforms,
            threads,
            padded,
            transposition,
        };
        [Transposition::Apart, Transposition::Merged]
            .into_iter()
            .flat_map(move |transposition| [false, true].map(|padded| form(padded, transposition)))
    })
}

impl FourStepForm {
    /// Bytes of workgroup memory that a step takes.
    pub fn workgroup_bytes(&self) -> u32 {
        4 * kernels::tile_words(self.transforms << self.log_base, self.padded)
    }
}

impl FourStep {
    /// Dispatches of a transform.
    pub fn dispatches(&self) -> usize {
        self.passes().len()
    }

    /// The work of each dispatch, in order: transforms, transposition or scale.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.passes().into_iter().map(|pass| pass.name())
    }

    fn passes(&self) -> Vec<Pass> {
        passes::of(&self.transform, self.form)
    }
}

impl GpuForm for FourStepForm {
    type Kernels = FourStepKernels;
    const VECTORS: u64 = 2;

    fn workgroup(&self) -> u32 {
        self.transforms * self.threads
    }

    fn passes(&self, transform: &Transform, gpu: &GpuProfile) -> Result<Passes> {
        if !(1..=16).contains(&self.log_base) || !self.transforms.is_power_of_two() || self.threads == 0 {
            let what = format!("do {self:?}").into();
            return Err(Error::Unsupported { device: "a workgroup", what });
        }
        let (bytes, most) = (self.workgroup_bytes(), gpu.workgroup_bytes);
        if bytes > most {
            let (what, value, most) = ("bytes of workgroup memory", bytes.into(), most.into());
            return Err(Error::Setting { what, value, least: 0, most });
        }
        let natural = transform.input() == Order::Natural && transform.output() == Order::Natural;
        if !natural || transform.coset() != Coset::Subgroup || transform.batch() != 1 {
            return Err(Error::only_for(
                "four-step transforms",
                "one vector, in natural order, without a coset",
            ));
        }
        let passes = passes::of(transform, *self);
        let tables = passes.iter().map(Pass::table_bytes).sum::<u64>();
        Ok(Passes {
            words: transform.n(),
            dispatches: passes.len(),
            vectors: Self::VECTORS,
            table_bytes: tables + Powers::bytes(transform.log_n()),
        })
    }

    fn kernels(&self, transform: &Transform, gpu: &Gpu) -> Result<FourStepKernels> {
        FourStepKernels::new(gpu, transform, *self)
    }
}
