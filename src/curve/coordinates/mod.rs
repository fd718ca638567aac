//! Coordinates in which points are added without inversions: one file of formulas for each system, all under
//! the same names. b does not occur in any of them, and a = 0.
//!
//! A point is a tuple of field elements; the third is 0 for infinity alone, and then all its limbs are 0.
//! The formulas do not apply to infinity, nor the additions to equal or opposite points: the caller must
//! handle these cases, with the help of the formulas' marks.

mod homogeneous;
mod jacobian;
mod xyzz;

use ark_ff::Field;

pub use homogeneous::HOMOGENEOUS;
pub use jacobian::JACOBIAN;
pub use xyzz::XYZZ;

use crate::field::{BigField, Bound, CANONICAL, Formula};
use crate::{Error, Result};

/// A system of coordinates. The accumulator's names are those in `names`; an affine addend's are `x y`, and
/// a general addend's are those of the accumulator with a 2 appended.
#[derive(Debug)]
pub struct Coordinates {
    /// Its name.
    pub name: &'static str,
    /// The names of the coordinates, two for the affine x and y first.
    pub names: &'static [&'static str],
    /// Accumulator plus affine point.
    pub mixed: &'static str,
    /// Accumulator plus point.
    pub full: &'static str,
    /// Twice the accumulator; sets the mark `same_x` for a point of order two.
    pub double: &'static str,
    /// Two affine points.
    pub pair: PairTexts,
}

/// The formulas for two affine points. The left one is where the first two coordinates of a general addend
/// are, the right one behind it, in the addend's other coordinates and, if these are too few, `y2`. The sum
/// takes the addend's place.
#[derive(Clone, Copy, Debug)]
pub struct PairTexts {
    /// Left plus right.
    pub add: &'static str,
    /// Twice the left one; sets the mark `same_x` for a point of order two.
    pub double: &'static str,
}

/// The formulas for two affine points, compiled for one field, on registers behind those of an accumulator.
#[derive(Clone, Debug)]
pub struct PairAdditions {
    /// Left plus right.
    pub add: Formula,
    /// Twice the left one.
    pub double: Formula,
    /// The coordinates of the sum that may be larger than an addend's. They are below 2 p, and have to be reduced
    /// below p.
    pub larger: Vec<usize>,
}

/// Every system of coordinates, the fastest first.
pub const ALL: [&Coordinates; 3] = [&XYZZ, &JACOBIAN, &HOMOGENEOUS];

/// The formulas of a system of coordinates, compiled for one field.
#[derive(Clone, Debug)]
pub struct Additions {
    /// Accumulator plus affine point below p, then, in the same table, twice the accumulator.
    pub mixed: Formula,
    /// Accumulator plus point.
    pub full: Formula,
    /// Twice the accumulator.
    pub double: Formula,
    /// Bounds of the accumulator's coordinates that hold before and after every formula.
    pub bounds: Vec<Bound>,
}

impl Coordinates {
    /// The number of field elements of a point.
    pub fn size(&self) -> usize {
        self.names.len()
    }

    /// 32-bit words of a point in device memory: its lazy elements, padded to whole vectors of four words.
    pub fn words(&self, field: &BigField) -> usize {
        (self.size() * field.degree * field.lazy_words).next_multiple_of(4)
    }

    /// The number of elements of the prime field that a thread has of a point.
    pub fn elements(&self, field: &BigField) -> usize {
        self.size() * field.held
    }

    /// Compiles the formulas for `field`. No coordinate may outgrow its place in memory.
    pub fn compile(&self, field: &BigField) -> Result<Additions> {
        let seconds: Vec<String> = self.names.iter().map(|name| format!("{name}2")).collect();
        // The bounds of the outputs are fed back until they stop growing. Products depend on their operands'
        // bounds by less than 1/256, so that this takes few rounds.
        // The second element of a square in an extension is twice a product. With room for it from the start, the sum of a
        // pair needs no reduction.
        let smallest = if field.held == 2 { 3 * CANONICAL } else { CANONICAL };
        let mut bounds = vec![smallest; self.size()];
        for _ in 0..16 {
            let first: Vec<_> = self.names.iter().copied().zip(bounds.iter().copied()).collect();
            let second: Vec<_> = seconds.iter().map(String::as_str).zip(bounds.iter().copied()).collect();
            let affine = [("x", CANONICAL), ("y", CANONICAL)];
            let additions = Additions {
                mixed: Formula::compile(self.mixed, &[&first[..], &affine].concat(), self.names, field)?,
                full: Formula::compile(self.full, &[first.clone(), second].concat(), self.names, field)?,
                double: Formula::compile(self.double, &first, self.names, field)?,
                bounds: bounds.clone(),
            };
            let mut grown = bounds.clone();
            for formula in [&additions.mixed, &additions.full, &additions.double] {
                grown.iter_mut().zip(&formula.outputs).for_each(|(old, new)| *old = (*old).max(*new));
            }
            if grown == bounds {
                return self.check_memory(field, additions);
            }
            bounds = grown;
        }
        Err(Error::Shader(format!("{}: the coordinates' bounds do not settle", self.name)))
    }

    /// Compiles the formulas for two affine points, whose sum is an addend of `additions`. No coordinate may outgrow
    /// both 2 p and the bound of an addend.
    pub fn compile_pair(&self, field: &BigField, additions: &Additions) -> Result<PairAdditions> {
        let addend: Vec<String> = self.names.iter().map(|name| format!("{name}2")).collect();
        let addend: Vec<&str> = addend.iter().map(String::as_str).collect();
        let outputs = [self.names, &addend].concat();
        let accumulator = self.names.iter().copied().zip(additions.bounds.iter().copied());
        let points = addend.iter().copied().chain((self.size() < 4).then_some("y2"));
        let inputs: Vec<_> = accumulator.chain(points.map(|name| (name, CANONICAL))).collect();
        let [add, double] =
            [self.pair.add, self.pair.double].map(|text| Formula::compile(text, &inputs, &outputs, field));
        let (add, double) = (add?, double?);
        let mut larger = Vec::new();
        for (k, bound) in additions.bounds.iter().enumerate() {
            match add.outputs[self.size() + k].max(double.outputs[self.size() + k]) {
                sum if sum <= *bound => {}
                sum if sum <= 2 * CANONICAL => larger.push(k),
                _ => {
                    return Err(Error::Shader(format!(
                        "{}: the sum of a pair outgrows an addend",
                        self.name
                    )));
                }
            }
        }
        Ok(PairAdditions { add, double, larger })
    }

    fn check_memory(&self, field: &BigField, additions: Additions) -> Result<Additions> {
        let room = field.multiples_in_memory();
        match additions.bounds.iter().all(|bound| bound.div_ceil(CANONICAL) <= room) {
            true => Ok(additions),
            false => Err(Error::Shader(format!("{}: a coordinate outgrows its words", self.name))),
        }
    }

    /// The Jacobian coordinates X, Y, Z (x = X / Z^2, y = Y / Z^3) of a point in these
    /// coordinates; Z = 0 for infinity.
    pub fn to_jacobian<F: Field>(&self, point: &[F]) -> Option<[F; 3]> {
        match *point {
            // x = X / ZZ, y = Y / ZZZ, ZZ^3 = ZZZ^2: take Z = ZZ.
            [x, y, zz, zzz] => Some([x * zz, y * zzz, zz]),
            // x = X / Z, y = Y / Z.
            [x, y, z] if self.name == HOMOGENEOUS.name => Some([x * z, y * z.square(), z]),
            [x, y, z] => Some([x, y, z]),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
