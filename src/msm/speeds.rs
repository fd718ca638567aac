//! The speeds of a device that the cost of a multiplication depends on.

use crate::curve::{BaseField, Curve};
use crate::field::BigField;
use crate::gpu::Family;
use crate::task::GpuProfile;

/// Nanoseconds of what multiplications consist of, on one device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speeds {
    /// A product in the prime field of the coordinates, on the whole device.
    pub product: f64,
    /// A product that waits for the one before it.
    pub latency: f64,
    /// A byte that is read or written in order.
    pub byte: f64,
    /// A short dispatch.
    pub dispatch: f64,
}

impl Speeds {
    /// Those of a GPU with the curve.
    pub fn of<C: Curve>(gpu: &GpuProfile) -> Self {
        let family = family::<C>();
        Speeds {
            product: 1e9 * gpu.product_seconds(family),
            latency: 1e9 * gpu.record.products(family).latency,
            byte: 1e9 / gpu.record.copied_bytes,
            dispatch: 1e9 * gpu.record.dispatch,
        }
    }
}

/// The family of the prime field of a curve's coordinates.
pub(super) fn family<C: Curve>() -> Family {
    Family::of_bits(BigField::of::<BaseField<C>>().bits)
}
