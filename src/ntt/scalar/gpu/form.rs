//! The form of scalars within a pass of a transform: limbs with room for sums without carries.

use dashu_int::UBig;
use serde::Serialize;

use crate::field::BigField;
use crate::scalars::{SCALAR_WORDS, Scalar};

/// r in limbs within a pass, for the templates; r has 250 to 255 bits.
#[derive(Serialize)]
pub(super) struct Form {
    /// Bits of a limb.
    bits: usize,
    /// r, in limbs.
    r: Vec<u32>,
    /// -1/r mod 2^bits.
    minus_inverse: u32,
    /// [`COVER`] r, in limbs between 2^bits + 16 and 2^(bits + 1) + 16, except the last.
    cover: Vec<u32>,
    /// Bits of the last limb below the ten highest of r.
    top_shift: usize,
}

/// Bits of a limb within a pass, with 64-bit integers and without.
pub(super) const NARROW: usize = 29;
pub(super) const WIDE: usize = 30;
/// The multiple of r by which a butterfly keeps a difference positive.
pub(super) const COVER: u32 = 3;

impl Form {
    pub fn new(field: &BigField, bits: usize) -> Self {
        let integer =
            |limbs: &[u32]| limbs.iter().rev().fold(UBig::ZERO, |sum, limb| (sum << 30) + UBig::from(*limb));
        let mask = (UBig::ONE << bits) - UBig::ONE;
        let limb = |x: &UBig, i: usize| u32::try_from((x >> (bits * i)) & &mask).unwrap_or_default();
        let limbs = |x: UBig| (0..field.limbs).map(|i| limb(&x, i)).collect::<Vec<_>>();
        // A limb takes what makes it large enough from the next one.
        let mut cover = limbs(integer(&field.multiple(COVER)));
        let mut taken = 0;
        for limb in &mut cover[..field.limbs - 1] {
            let left = i64::from(*limb) - taken;
            taken = if left < 16 { 2 } else { 1 };
            *limb = (left + (taken << bits)) as u32;
        }
        cover[field.limbs - 1] -= taken as u32;
        Form {
            bits,
            r: limbs(integer(&field.p)),
            minus_inverse: field.minus_inverse & ((1 << bits) - 1),
            cover,
            top_shift: (field.bits - 10).saturating_sub(bits * (field.limbs - 1)),
        }
    }
}

/// The factor of an entry of a pass's table: R of the pass divided by R of the host.
pub(super) fn pass_factor<F: Scalar>(int64: bool) -> F {
    let bits = if int64 { NARROW } else { WIDE } * BigField::of::<F>().limbs;
    F::from(1u64 << bits.saturating_sub(32 * SCALAR_WORDS))
}
