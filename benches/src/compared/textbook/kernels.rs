//! The textbook's kernels and their variants.

use serde_json::json;

use super::Twiddles;
use crate::compared::{Context, InPlaceBuffers, Variables, sample_modulus};
use wgalois::gpu::{Arithmetic, Kernel, Variant, buffers, params};
use wgalois::ntt::Reduction;
use wgalois::ntt::arithmetic::Modulus;

params! {
    /// The parameters of [`BIT_REVERSE`].
    pub(super) struct BitReverseParams {
        /// log2 of the length of a vector.
        log_n,
        /// Words of the batch.
        len,
    }
}

params! {
    /// The parameters of [`STAGE`].
    pub(super) struct StageParams {
        /// Butterflies of the stage over the whole batch.
        butterflies,
        /// log2 of half a block.
        stage,
        /// log2 of the step between the twiddles of the table.
        log_step,
        /// 1, in the form that `mul_var` takes.
        one,
        /// The root of unity of a block, in the same form.
        root,
    }
}

params! {
    /// The parameters of [`SCALE`].
    pub(in crate::compared) struct ScaleParams {
        /// Words of the batch.
        len,
        /// The factor, as a pair of constants.
        scale,
        /// The second word of that pair.
        scale_quotient,
    }
}

params! {
    /// The parameters of [`POINTWISE`].
    pub(super) struct PointwiseParams {
        /// Words of either vector.
        len,
    }
}

/// Vectors into bit-reversed order, or back.
pub static BIT_REVERSE: Kernel = Kernel::of::<InPlaceBuffers, BitReverseParams>(
    "textbook/bit_reverse",
    "ntt/textbook/bit_reverse.wgsl",
    |_| vec![Variant::plain(256)],
);

/// One radix-2 stage.
pub static STAGE: Kernel =
    Kernel::of::<StageBuffers, StageParams>("textbook/stage", "ntt/textbook/stage.wgsl", |arithmetic| {
        let from = |twiddles| samples(arithmetic, move |modulus| stage(modulus, twiddles, 256));
        [from(Twiddles::Table), from(Twiddles::Fly)].concat()
    });

buffers! {
    /// The buffers of [`STAGE`].
    pub(super) struct StageBuffers {
        data: read_write array<u32>,
        table: read array<u32>,
    }
}

/// Words times a constant.
pub static SCALE: Kernel =
    Kernel::of::<InPlaceBuffers, ScaleParams>("textbook/scale", "ntt/textbook/scale.wgsl", |arithmetic| {
        samples(arithmetic, |modulus| flat(modulus, 256))
    });

/// Products of values at the same point.
pub static POINTWISE: Kernel = Kernel::of::<PointwiseBuffers, PointwiseParams>(
    "textbook/pointwise",
    "ntt/pointwise.wgsl",
    |arithmetic| samples(arithmetic, |modulus| flat(modulus, 256)),
);

buffers! {
    /// The buffers of [`POINTWISE`].
    pub(super) struct PointwiseBuffers {
        left: read_write array<u32>,
        right: read array<u32>,
    }
}

pub(super) fn stage(modulus: Modulus, twiddles: Twiddles, workgroup: u32) -> Variant {
    Variant::new(
        workgroup,
        Variables { arithmetic: Context::new(modulus), own: json!({ "twiddles": twiddles }) },
    )
}

/// The variant of a kernel that does one word per thread.
pub(in crate::compared) fn flat(modulus: Modulus, workgroup: u32) -> Variant {
    Variant::new(workgroup, Context::new(modulus))
}

fn samples(arithmetic: Arithmetic, variant: impl Fn(Modulus) -> Variant) -> Vec<Variant> {
    let reductions = [Reduction::Shoup, Reduction::Montgomery, Reduction::Barrett, Reduction::Plain];
    reductions.map(|reduction| variant(sample_modulus(reduction, arithmetic))).to_vec()
}
