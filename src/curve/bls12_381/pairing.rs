//! Pairings of BLS12-381 by blst, in half of the time of arkworks.

use ark_bls12_381::{Bls12_381, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use blst::{blst_fp6, blst_fp12};

use super::host::Blst;
use crate::curve::{self, MillerLoops};

/// The lines of a loop as blst keeps them.
const LINES: usize = 68;

/// blst's loops.
pub struct BlstLoops;

impl MillerLoops<Bls12_381> for BlstLoops {
    /// None for infinity.
    type Lines = Option<Box<[blst_fp6; LINES]>>;
    type Value = blst_fp12;

    fn lines(point: &G2Affine) -> Self::Lines {
        if point.is_zero() {
            return None;
        }
        let mut lines = Box::new([blst_fp6::default(); LINES]);
        // SAFETY: blst writes 68 lines, and reads a point of any value.
        unsafe { blst::blst_precompute_lines(lines.as_mut_ptr(), &curve::Bls12_381G2::to_blst(point)) };
        Some(lines)
    }

    fn value(point: &G1Affine, lines: &Self::Lines) -> blst_fp12 {
        // The default of blst's type is 1.
        let mut value = blst_fp12::default();
        if let Some(lines) = lines.as_ref().filter(|_| !point.is_zero()) {
            // SAFETY: blst reads 68 lines and a point of any value, and writes the first argument.
            unsafe {
                blst::blst_miller_loop_lines(&mut value, lines.as_ptr(), &curve::Bls12_381::to_blst(point));
            }
        }
        value
    }

    fn is_one(value: blst_fp12) -> bool {
        let mut product = blst_fp12::default();
        // SAFETY: blst reads the second argument, of any value, and writes the first.
        unsafe {
            blst::blst_final_exp(&mut product, &value);
            blst::blst_fp12_is_one(&product)
        }
    }
}
