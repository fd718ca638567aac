//! Parts that only the program and the tests of this package use: benchmarks, kernel tables, shader
//! texts and their translations. They may change in any version.

/// Measurements on a device.
pub mod bench {
    pub use crate::bench::*;
}
/// The processor's counters.
pub mod counters {
    pub use crate::counters::*;
}
/// The table of all kernels.
pub mod kernels {
    pub use crate::kernels::*;
}
/// Prefix sums and sorting.
pub mod primitives {
    pub use crate::primitives::*;
}
pub use crate::gpu::{
    Access, Binding, CANARY, CanaryParams, Clock, Kernel, Params, Pipeline, Samples, Shader, Target, Variant,
    compose, translate,
};
