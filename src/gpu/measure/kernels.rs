//! The kernels whose times are the rates of a device.

use serde_json::json;

use super::fields::{Field255, Field381};
use crate::field::{BABY_BEAR, BigField};
use crate::gpu::{Arithmetic, Family, Kernel, Variant, buffers, params};

/// Invocations of a workgroup.
pub const WORKGROUP: u32 = 256;

params! {
    /// The parameters of the kernels that repeat an operation.
    pub struct RoundsParams {
        /// Rounds of each thread.
        rounds,
        /// The length of the vector less 1, if there is one.
        mask,
        /// A value that is never reached. The comparison with it keeps compilers from removing the work.
        never,
    }
}

buffers! {
    /// The buffers of the kernels that only compute.
    pub struct SinkBuffers {
        /// Words that are never written.
        sink: read_write array<u32>,
    }
}

buffers! {
    /// The buffers of [`GATHER`].
    pub struct GatherBuffers {
        words: read array<u32>,
        /// Words that are never written.
        sink: read_write array<u32>,
    }
}

buffers! {
    /// The buffers of [`COPY`].
    pub struct CopyBuffers {
        source_words: read array<vec4<u32>>,
        target_words: read_write array<vec4<u32>>,
    }
}

params! {
    /// The parameters of [`COPY`].
    pub struct CopyParams {
        /// Vectors of four words.
        len,
    }
}

fn plain(_: Arithmetic) -> Vec<Variant> {
    vec![Variant::plain(WORKGROUP)]
}

/// Copies a vector. The time is the lower bound of a pass over memory.
pub static COPY: Kernel = Kernel::of::<CopyBuffers, CopyParams>("rates/copy", "copy.wgsl", plain);

/// Reads words at random places.
pub static GATHER: Kernel =
    Kernel::of::<GatherBuffers, RoundsParams>("rates/gather", "rates/gather.wgsl", plain);

/// Looks up four vectors a round in a table in workgroup memory.
pub static LOOK_UP: Kernel =
    Kernel::of::<SinkBuffers, RoundsParams>("rates/look_up", "rates/look_up.wgsl", plain);

/// Does eight operations of 32-bit logic a round.
pub static LOGIC: Kernel = Kernel::of::<SinkBuffers, RoundsParams>("rates/logic", "rates/logic.wgsl", plain);

/// Exchanges a word between the threads of a workgroup each round.
pub static EXCHANGE: Kernel =
    Kernel::of::<SinkBuffers, RoundsParams>("rates/exchange", "rates/exchange.wgsl", plain);

/// Multiplies words twice a round.
pub static WORD_PRODUCTS: Kernel =
    Kernel::of::<SinkBuffers, RoundsParams>("rates/word_products", "rates/word_products.wgsl", |_| {
        vec![word_products()]
    });

/// Multiplies elements of a field once a round.
pub static FIELD_PRODUCTS: Kernel =
    Kernel::of::<SinkBuffers, RoundsParams>("rates/field_products", "rates/field_products.wgsl", |_| {
        [Family::Bits255, Family::Bits381].map(|family| field_products(family, 0)).to_vec()
    });

/// The kernels of this module.
pub static KERNELS: &[&Kernel] =
    &[&COPY, &GATHER, &LOOK_UP, &LOGIC, &EXCHANGE, &WORD_PRODUCTS, &FIELD_PRODUCTS];

/// The variant of [`WORD_PRODUCTS`].
pub fn word_products() -> Variant {
    let context = json!({ "p": BABY_BEAR.value(), "p_inverse": BABY_BEAR.p_inverse(), "by_halves": true });
    Variant::new(WORKGROUP, context)
}

/// The variant of [`FIELD_PRODUCTS`] over a field of the family. The text differs with the salt.
pub fn field_products(family: Family, salt: u32) -> Variant {
    let field = match family {
        Family::Words | Family::Bits255 => BigField::of::<Field255>(),
        Family::Bits381 => BigField::of::<Field381>(),
    };
    Variant::new(WORKGROUP, json!({ "field": field, "salt": salt }))
}
