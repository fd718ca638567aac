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
    /// a0 b0 - k a1 b1 by one thread and a0 b1 + a1 b0 by another one, with this k.
    Shared(u32),
}

impl Product {
    /// The bounds of the factors, from those of the names that are multiplied. `None` if a factor could be below 0.
    pub(super) fn factors(self, names: &[[Bound; 2]], field: &BigField) -> Option<Vec<[Bound; 2]>> {
        let most = u64::from(field.opposites()) * CANONICAL;
        match (self, names) {
            // The factor of c is the multiple of p minus k d.
            (Product::Difference(k), [pair, [c, d]]) => {
                (u64::from(k) * *d <= most).then(|| vec![*pair, [*c, most]])
            }
            // The factor of a + b is the multiple of p plus a - b.
            (Product::Square, [[a, b]]) => (*b <= most).then(|| vec![[*a + *b, *a + most]]),
            // The factor of b1 is the multiple of p minus k a1.
            (Product::Shared(k), [[a, b]]) => (u64::from(k) * *a <= most).then(|| vec![[*a, *b], [most, *b]]),
            _ => Some(names.to_vec()),
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
