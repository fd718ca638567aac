//! The kernels of the 64-point transforms and their variants.

use serde_json::json;

use super::{Ablation, POINTS, SmallForm, Storage, forms};
use crate::compared::{Context, GpuForm, Variables, sample_modulus};
use wgalois::field::bit_reverse;
use wgalois::gpu::{Arithmetic, Kernel, Variant, buffers, params};
use wgalois::ntt::Reduction;
use wgalois::ntt::arithmetic::{Modulus, Program};

buffers! {
    /// The buffers of [`WORKGROUP`] and [`REGISTERS`].
    pub(super) struct SmallBuffers {
        source: read array<u32>,
        target_words: read_write array<u32>,
        twiddles: read array<vec2<u32>>,
    }
}

params! {
    /// The parameters of [`WORKGROUP`].
    pub(super) struct WorkgroupParams {
        /// Transforms of the batch.
        transforms,
        /// Transforms whose results are stored: all, or none.
        stored,
        /// The constant that stands for every twiddle if none is read.
        twiddle,
        /// The second word of that constant.
        twiddle_quotient,
    }
}

params! {
    /// The parameters of [`REGISTERS`].
    pub(super) struct RegistersParams {
        /// Transforms of the batch.
        transforms,
    }
}

/// Transforms in workgroup memory, 32 invocations each.
pub static WORKGROUP: Kernel = Kernel::of::<SmallBuffers, WorkgroupParams>(
    "small/workgroup",
    "ntt/small/workgroup.wgsl",
    |arithmetic| variants(arithmetic, Storage::Workgroup),
);

/// Transforms in registers, 8 invocations each.
pub static REGISTERS: Kernel = Kernel::of::<SmallBuffers, RegistersParams>(
    "small/registers",
    "ntt/small/registers.wgsl",
    |arithmetic| variants(arithmetic, Storage::Registers),
);

/// The variant of `form`.
pub(super) fn variant(form: SmallForm, modulus: Modulus, root: u32) -> Variant {
    match form.storage {
        Storage::Workgroup => in_workgroup_memory(form, modulus),
        Storage::Registers => in_registers(form, modulus, root),
    }
}

fn in_workgroup_memory(form: SmallForm, modulus: Modulus) -> Variant {
    let ablation = form.ablation;
    let copies = ablation == Some(Ablation::ButterfliesAndWorkgroupMemory);
    let own = json!({
        "skewed": form.skewed,
        "ablation": ablation.map_or("none", Ablation::name),
        "global_memory": ablation != Some(Ablation::GlobalMemory),
        "twiddles_read": ablation != Some(Ablation::Twiddles),
        "butterflies": ablation != Some(Ablation::Butterflies) && !copies,
        "in_workgroup_memory": !copies,
    });
    Variant::new(form.workgroup(), Variables { arithmetic: Context::new(modulus), own })
}

fn in_registers(form: SmallForm, modulus: Modulus, root: u32) -> Variant {
    let all: Vec<usize> = (0..8).collect();
    let eighth = modulus.prime().pow(root, POINTS as u64 / 8);
    let mut inner = Program::new(modulus, 8, 1);
    inner.transform_dif(&all, eighth);
    (1..8).for_each(|register| inner.outer_pair(register, register));
    let between = modulus.constant_product_bound();
    inner.reduce_all(between);
    let mut outer = Program::new(modulus, 8, between);
    outer.transform_dif(&all, eighth);
    outer.reduce_all(1);
    let own = json!({
        "skewed": form.skewed,
        "pitch": if form.skewed { 9 } else { 8 },
        // The frequency in each register after a radix-8 transform.
        "frequencies": all.iter().map(|&register| bit_reverse(register, 3)).collect::<Vec<_>>(),
        // Statements on x0 to x7: a radix-8 transform and the twiddles o1 to o7 after it; the second transform, with results
        // below p.
        "inner": inner.to_wgsl(),
        "outer": outer.to_wgsl(),
    });
    Variant::new(form.workgroup(), Variables { arithmetic: modulus.context(), own })
}

fn variants(arithmetic: Arithmetic, storage: Storage) -> Vec<Variant> {
    let modulus = sample_modulus(Reduction::Auto, arithmetic);
    let root = modulus.prime().root_of_unity(POINTS.ilog2());
    let forms = forms().into_iter().filter(|form| form.storage == storage);
    root.map(|root| forms.map(|form| variant(form, modulus, root)).collect()).unwrap_or_default()
}
