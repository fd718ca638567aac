//! Batches of 64-point transforms on the GPU, in the forms that the literature compares: the transforms from
//! which longer four-step transforms are made.
//!
//! A form is a place of the words, with or without bank conflicts in workgroup memory. Some forms leave out a part of
//! the work, to measure its share of the time ([`Ablation`]): they compute no transform.

mod kernels;
mod on_gpu;
mod stripped;

use serde::Serialize;

use super::{Compared, GpuForm};
use wgalois::gpu::{Gpu, Kernel};
use wgalois::ntt::{Coset, Direction, Order, Passes, Transform};
use wgalois::task::GpuProfile;
use wgalois::{Cpu, Device, Error, Result};

use kernels::{REGISTERS, WORKGROUP};
pub use on_gpu::SmallKernels;

/// A batch of 64-point transforms in one form.
pub type Small = Compared<SmallForm>;

/// The kernels of this module.
pub(super) static KERNELS: &[&Kernel] = &[&WORKGROUP, &REGISTERS];

/// The length of a transform.
pub const POINTS: usize = 64;

/// Transforms per workgroup.
pub const TRANSFORMS: u32 = 4;

/// The place where a transform is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Storage {
    /// In workgroup memory, by 32 invocations: six stages of radix-2 butterflies.
    Workgroup,
    /// In registers, by 8 invocations with 8 words each: two radix-8 transforms, with one exchange through
    /// workgroup memory.
    Registers,
}

/// The work that a form leaves out, to find its share of the time. The result is no transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ablation {
    /// Reading the input and storing the result: the words come from the invocation's number.
    GlobalMemory,
    /// Reading twiddles: all are one constant.
    Twiddles,
    /// Butterflies: the two words change places.
    Butterflies,
    /// Butterflies and workgroup memory: the input is copied.
    ButterfliesAndWorkgroupMemory,
}

impl Ablation {
    /// Every ablation.
    pub const ALL: [Ablation; 4] = [
        Ablation::GlobalMemory,
        Ablation::Twiddles,
        Ablation::Butterflies,
        Ablation::ButterfliesAndWorkgroupMemory,
    ];

    /// Its name, as tables print it.
    pub fn name(self) -> &'static str {
        match self {
            Ablation::GlobalMemory => "global memory",
            Ablation::Twiddles => "reading twiddles",
            Ablation::Butterflies => "butterflies",
            Ablation::ButterfliesAndWorkgroupMemory => "butterflies and workgroup memory",
        }
    }
}

/// One form of the 64-point transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SmallForm {
    /// The place where a transform is computed.
    pub storage: Storage,
    /// True if words are placed so that the accesses of 32 neighbouring invocations to workgroup memory meet
    /// 32 different banks.
    pub skewed: bool,
    /// The work that is left out; the transform is complete if there is none. Only with
    /// [`Storage::Workgroup`].
    pub ablation: Option<Ablation>,
}

/// The forms that the literature compares: both places with and without bank conflicts, and the ablations of
/// [`Storage::Workgroup`] without them.
pub fn forms() -> Vec<SmallForm> {
    let form = |storage, skewed| SmallForm { storage, skewed, ablation: None };
    let whole = [Storage::Workgroup, Storage::Registers]
        .into_iter()
        .flat_map(|storage| [false, true].map(|skewed| form(storage, skewed)));
    let stripped = Ablation::ALL
        .into_iter()
        .map(|ablation| SmallForm { ablation: Some(ablation), ..form(Storage::Workgroup, true) });
    whole.chain(stripped).collect()
}

impl SmallForm {
    /// Invocations per transform.
    pub fn threads(&self) -> u32 {
        match self.storage {
            Storage::Workgroup => 32,
            Storage::Registers => 8,
        }
    }
}

/// Workgroups of the dispatch.
fn groups(transform: &Transform) -> u32 {
    (transform.batch() as u32).div_ceil(TRANSFORMS)
}

impl GpuForm for SmallForm {
    type Kernels = SmallKernels;
    const VECTORS: u64 = 2;

    fn workgroup(&self) -> u32 {
        TRANSFORMS * self.threads()
    }

    fn passes(&self, transform: &Transform, _: &GpuProfile) -> Result<Passes> {
        let natural = transform.input() == Order::Natural && transform.output() == Order::Natural;
        let forward = transform.direction() == Direction::Forward && transform.coset() == Coset::Subgroup;
        if transform.n() != POINTS || !natural || !forward {
            let scope = format!("forward transforms of {POINTS} points, in natural order, without a coset");
            return Err(Error::only_for("this form", scope));
        }
        if self.storage == Storage::Registers && self.ablation.is_some() {
            return Err(Error::only_for("leaving out", "transforms in memory of workgroups"));
        }
        Ok(Passes {
            words: transform.len(),
            dispatches: 1,
            vectors: Self::VECTORS,
            table_bytes: 8 * POINTS as u64,
        })
    }

    fn kernels(&self, transform: &Transform, gpu: &Gpu) -> Result<SmallKernels> {
        SmallKernels::new(gpu, transform, *self)
    }

    fn check(&self, transform: &Transform, before: &[u32], after: &[u32]) -> Result<()> {
        match self.ablation {
            None => transform.check(&Device::Cpu(Cpu::default()), before, after).map(drop),
            Some(ablation) => stripped::check(transform.prime(), ablation, before, after),
        }
    }
}

#[cfg(test)]
mod tests {
    /// The maximum number of invocations among 32 that access one bank.
    fn conflicts(place: impl Fn(usize) -> usize) -> usize {
        let mut banks = [0; 32];
        (0..32).for_each(|lane| banks[place(lane) % 32] += 1);
        banks.into_iter().max().unwrap_or(0)
    }

    /// As `place` in `shaders/ntt/small/workgroup.wgsl`.
    fn skewed(i: usize) -> usize {
        i ^ (31 * (i >> 5 & 1))
    }

    #[test]
    fn skewed_words_are_in_different_banks_at_every_stage() {
        let plain = |i: usize| i;
        for stage in 0..6 {
            let half = 1 << stage;
            let low = |j: usize| 2 * (j - j % half) + j % half;
            for offset in [0, half] {
                assert_eq!(conflicts(|j| skewed(low(j) + offset)), 1, "stage {stage}");
                assert_eq!(conflicts(|j| plain(low(j) + offset)), if stage < 5 { 2 } else { 1 });
            }
        }
        for last in [0, 1] {
            assert_eq!(conflicts(|j| skewed(wgalois::field::bit_reverse(j, 5) * 2 + last)), 1);
        }
        let mut places: Vec<_> = (0..256).map(skewed).collect();
        places.sort_unstable();
        assert!(places.into_iter().eq(0..256), "two words in one place");
    }

    #[test]
    fn the_exchange_of_registers_is_free_of_conflicts_with_a_gap() {
        for (pitch, most) in [(8, 8), (9, 1)] {
            let base = |lane: usize| 8 * pitch * (lane >> 3);
            let worst = (0..8)
                .map(|i| {
                    let written = conflicts(|lane| base(lane) + i * pitch + (lane & 7));
                    written.max(conflicts(|lane| base(lane) + (lane & 7) * pitch + i))
                })
                .max();
            assert_eq!(worst, Some(most), "pitch {pitch}");
        }
    }
}
