//! Bounds of the values in a formula, and the products that are bounded.

use super::BigField;

/// An upper bound of a lazily reduced value, in units of p / 2^16.
pub type Bound = u64;

/// The bound of an element below p.
pub const CANONICAL: Bound = 1 << 16;

/// How the factors of a line or step are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Product {
    /// a b.
    Single,
    /// a b + c d.
    Sum,
    /// a b - k c d, with this k.
    Difference(u32),
    /// (a + b) (a - b).
    Square,
}

impl Product {
    /// Replaces the bounds of the names that are multiplied by those of the factors. False if a factor could be below 0.
    pub(super) fn replace_factors(self, factors: &mut [[Bound; 2]], field: &BigField) -> bool {
        let most = u64::from(field.opposites()) * CANONICAL;
        match (self, factors) {
            // The factor of c is the multiple of p minus k d.
            (Product::Difference(k), [_, [_, d]]) => {
                let is_above_zero = u64::from(k) * *d <= most;
                *d = most;
                is_above_zero
            }
            // The factor of a + b is the multiple of p plus a - b.
            (Product::Square, [[a, b]]) => {
                let is_above_zero = *b <= most;
                (*a, *b) = (*a + *b, *a + most);
                is_above_zero
            }
            _ => true,
        }
    }
}

/// True if values below `bound` fit the limbs.
pub(super) fn fits(bound: Bound, field: &BigField) -> bool {
    bound <= 255 * CANONICAL && bound / CANONICAL < field.headroom()
}

/// The bound of (a b + c d) / R + p, from the bounds of the factors.
pub(super) fn products(factors: &[[Bound; 2]], headroom: u64) -> Bound {
    CANONICAL + factors.iter().map(|[a, b]| a * b).sum::<u64>().div_ceil(CANONICAL * headroom)
}
