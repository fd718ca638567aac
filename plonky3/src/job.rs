//! A transform of all columns of a matrix, in numbers.

use wgalois::ntt::{Coset, Direction, Order, Transform};

use crate::field::Field31;

/// The transforms of one call: an inverse one, a forward one, or both. A forward one longer than the columns takes them
/// as coefficients that zeros follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    /// Columns.
    pub width: usize,
    /// Rows before.
    pub rows: usize,
    pub inverse: Option<Transform>,
    pub forward: Option<Transform>,
}

/// The order of the rows before and after.
pub(crate) type Orders = [Order; 2];

/// From natural order to that of [`BitReversedMatrixView`](p3_matrix::bitrev::BitReversedMatrixView).
pub(crate) const TO_BIT_REVERSED: Orders = [Order::Natural, Order::BitReversed];
/// From natural order to natural order.
pub(crate) const NATURAL: Orders = [Order::Natural; 2];

/// The rows and columns of a matrix.
pub(crate) type Shape = [usize; 2];

// `None`: there is no such transform here. Plonky3 has one for a single row and for a shift of 0, and has its own
// message for all other shapes.
impl Job {
    /// The values of coefficients on a coset of 2^`added_bits` times as many points as there are rows.
    pub fn values<F: Field31>(shape: Shape, added_bits: usize, shift: F, orders: Orders) -> Option<Self> {
        let forward = transform::<F>(lengthened(shape[0], added_bits)?, shape[1], orders)?;
        Some(Job::of(shape, None, Some(forward.with_coset(coset(shift)?))))
    }

    /// The coefficients of values on a coset.
    pub fn coefficients<F: Field31>(shape: Shape, shift: F, orders: Orders) -> Option<Self> {
        let inverse = transform::<F>(shape[0], shape[1], orders)?.with_direction(Direction::Inverse);
        Some(Job::of(shape, Some(inverse.with_coset(coset(shift)?)), None))
    }

    /// The values on a coset of more points than there are rows, from those on the subgroup.
    pub fn extension<F: Field31>(
        shape: Shape,
        added_bits: usize,
        shift: F,
        [before, after]: Orders,
    ) -> Option<Self> {
        let Job { inverse, .. } = Self::coefficients(shape, F::ONE, [before, Order::Natural])?;
        let Job { forward, .. } = Self::values(shape, added_bits, shift, [Order::Natural, after])?;
        Some(Job::of(shape, inverse, forward))
    }

    fn of([rows, width]: Shape, inverse: Option<Transform>, forward: Option<Transform>) -> Self {
        Job { width, rows, inverse, forward }
    }

    /// The same for `width` columns.
    pub fn with_width(self, width: usize) -> Self {
        let narrow = |transform: Option<Transform>| transform.map(|transform| transform.with_batch(width));
        Job { width, inverse: narrow(self.inverse), forward: narrow(self.forward), ..self }
    }

    /// Rows after.
    pub fn rows_after(&self) -> usize {
        self.forward.map_or(self.rows, |forward| forward.n())
    }

    /// Words after.
    pub fn words_after(&self) -> usize {
        self.rows_after().saturating_mul(self.width)
    }
}

fn lengthened(rows: usize, added_bits: usize) -> Option<usize> {
    rows.checked_mul(1usize.checked_shl(u32::try_from(added_bits).ok()?)?)
}

fn transform<F: Field31>(rows: usize, width: usize, [before, after]: Orders) -> Option<Transform> {
    let transform = Transform::new(F::PRIME, rows).ok().filter(|_| width > 0)?;
    Some(transform.with_batch(width).with_input(before).with_output(after))
}

fn coset<F: Field31>(shift: F) -> Option<Coset> {
    match shift.as_canonical_u32() {
        0 => None,
        1 => Some(Coset::Subgroup),
        shift => Some(Coset::Shift(shift)),
    }
}
