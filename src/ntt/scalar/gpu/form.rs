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
    /// [`COVER`] r, in limbs between 2^bits + 16 and 2^(bits + 1) + 16, except the last.
    cover: Vec<u32>,
    /// Bits of the last limb below the ten highest of r.
    top_shift: usize,
    /// Bits of the last limb below the 16 highest of r, within a pass with 64-bit integers.
    low_of_top: usize,
    /// floor(x `top_factor` / 2^`top_factor_shift`), for the 16 highest bits x of a value w below r, is
    /// w 2^(bits limbs - 248) / r but for 2.
    top_factor: u32,
    top_factor_shift: usize,
}

/// Bits of a limb within a pass, with 64-bit integers and without.
pub(super) const NARROW: usize = 29;
pub(super) const WIDE: usize = 30;
/// The multiple of r by which a butterfly keeps a difference positive.
pub(super) const COVER: u32 = 4;

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
        let r = integer(&field.p);
        // x is below 2^16, and the factor, 2^14 (2^bits of r) / r, at most 2^15.
        let above = (bits * field.limbs).saturating_sub(8 * 31);
        let top_factor_shift = 30 - above;
        let top_factor = (UBig::ONE << (top_factor_shift + above + field.bits - 16)) / &r;
        Form {
            bits,
            r: limbs(r),
            cover,
            top_shift: (field.bits - 10).saturating_sub(bits * (field.limbs - 1)),
            low_of_top: (field.bits - 16).saturating_sub(bits * (field.limbs - 1)),
            top_factor: u32::try_from(&top_factor).unwrap_or_default(),
            top_factor_shift,
        }
    }
}

/// 2^(bits of a pass's limbs) divided by R of the host, 2^256.
pub(super) fn above_host<F: Scalar>(bits: usize) -> F {
    F::from(1u64 << (bits * BigField::of::<F>().limbs).saturating_sub(32 * SCALAR_WORDS))
}

/// The factor of an entry of a pass's table: the host's words of the entry times the factor are those that the kernels take.
/// With 64-bit integers they are the entry itself, without they are R of the pass times the entry.
pub(super) fn pass_factor<F: Scalar>(int64: bool) -> F {
    match int64 {
        false => above_host(WIDE),
        true => host_r::<F>().inverse().unwrap_or(F::ONE),
    }
}

/// R of the host, 2^256 mod r.
pub(super) fn host_r<F: Scalar>() -> F {
    F::from(2u64).pow([32 * SCALAR_WORDS as u64])
}
