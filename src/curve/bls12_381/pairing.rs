//! Pairings of BLS12-381 by blst, in half of the time of arkworks.

use std::ops::Mul;

use ark_bls12_381::{Bls12_381, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use blst::{blst_fp6, blst_fp12};

use super::host::Blst;
use crate::curve::{self, MillerLoops};

/// The lines of a loop as blst keeps them.
const LINES: usize = 68;

/// blst's loops.
pub struct BlstLoops;

/// The lines of the loop of a point of G2; none for infinity.
pub struct BlstLines(Option<Box<[blst_fp6; LINES]>>);

/// A value of blst's loops.
#[derive(Clone, Copy)]
pub struct BlstValue(blst_fp12);

impl Mul for BlstValue {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        BlstValue(self.0 * other.0)
    }
}

impl MillerLoops<Bls12_381> for BlstLoops {
    type Lines = BlstLines;
    type Value = BlstValue;

    fn lines(point: &G2Affine) -> BlstLines {
        if point.is_zero() {
            return BlstLines(None);
        }
        let mut lines = Box::new([blst_fp6::default(); LINES]);
        // SAFETY: blst writes 68 lines, and reads a point of any value.
        unsafe { blst::blst_precompute_lines(lines.as_mut_ptr(), &curve::Bls12_381G2::to_blst(point)) };
        BlstLines(Some(lines))
    }

    fn value(point: &G1Affine, lines: &BlstLines) -> BlstValue {
        // The default of blst's type is 1.
        let mut value = blst_fp12::default();
        if let Some(lines) = lines.0.as_ref().filter(|_| !point.is_zero()) {
            // SAFETY: blst reads 68 lines and a point of any value, and writes the first argument.
            unsafe {
                blst::blst_miller_loop_lines(&mut value, lines.as_ptr(), &curve::Bls12_381::to_blst(point));
            }
        }
        BlstValue(value)
    }

    fn is_one(value: BlstValue) -> bool {
        let mut product = blst_fp12::default();
        // SAFETY: blst reads the second argument, of any value, and writes the first.
        unsafe {
            blst::blst_final_exp(&mut product, &value.0);
            blst::blst_fp12_is_one(&product)
        }
    }
}
