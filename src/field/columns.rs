//! The columns of products and reductions with 64-bit integers, and where they are carried so that none exceeds 64 bits.

/// Bits of a limb.
pub(super) const LIMB_BITS: usize = 30;
/// The largest limb.
const LARGEST: u128 = (1 << LIMB_BITS) - 1;

/// The bounds of the columns of a product: column k is the sum of its products of two limbs, at most 15, so that it
/// fits 64 bits.
pub(super) fn products(limbs: usize) -> Vec<u128> {
    let products = |k: usize| (k + 1).min(2 * limbs - 1 - k) as u128;
    let mut bounds: Vec<_> = (0..2 * limbs - 1).map(|k| products(k) * LARGEST * LARGEST).collect();
    bounds.push(0);
    bounds
}

/// The columns to carry, in this order, before a second product is added to one with these bounds, so that no column
/// exceeds 64 bits. Afterwards the bounds are those of the sum.
pub(super) fn carry_for_second(bounds: &mut [u128]) -> Vec<usize> {
    let second = bounds.to_vec();
    let mut carried = Vec::new();
    for (k, product) in second.iter().enumerate() {
        if bounds[k] + product > u128::from(u64::MAX) {
            carried.push(k);
            bounds[k + 1] += bounds[k] >> LIMB_BITS;
            bounds[k] = LARGEST;
        }
    }
    bounds.iter_mut().zip(second).for_each(|(bound, product)| *bound += product);
    carried
}

/// The columns to carry before each row of a reduction modulo `p`, so that none exceeds 64 bits. The columns start with
/// these bounds; row i adds `products` products of two limbs to each of the columns from i on, then the product of a limb and
/// each limb of p, and carries column i. A column is carried only before a row that could overflow it.
pub(super) fn carries(p: &[u32], mut bounds: Vec<u128>, products: u128) -> Vec<Vec<usize>> {
    let (limbs, largest) = (p.len(), LARGEST);
    let row = |i: usize| {
        let mut carried = Vec::new();
        for (j, limb) in p.iter().enumerate() {
            // The next column also receives the carry of the row's first column.
            let carry = if j == 1 { bounds[i] >> LIMB_BITS } else { 0 };
            let product = largest * (u128::from(*limb) + products * largest);
            if bounds[i + j] + product + carry > u128::from(u64::MAX) {
                carried.push(i + j);
                bounds[i + j + 1] += bounds[i + j] >> LIMB_BITS;
                bounds[i + j] = largest;
            }
            bounds[i + j] += product + carry;
        }
        carried
    };
    (0..limbs).map(row).collect()
}

/// The columns to carry before each row of this many products and of the reduction modulo `p` in turn.
pub(super) fn carries_in_turn(p: &[u32], products: u128) -> Vec<Vec<usize>> {
    carries(p, vec![0; 2 * p.len()], products)
}

#[cfg(all(test, feature = "default"))]
mod tests {
    use crate::curve::{BaseField, CurveName, ScalarField};
    use crate::field::{BigField, CoordinateField};
    use crate::with_curve;

    use super::*;

    /// The largest sums that columns can have, with every limb and every factor of p as large as
    /// they can be, and few columns carried.
    fn columns_fit<F: CoordinateField>() {
        let field = BigField::of::<F>();
        let limb = u128::from(u32::MAX >> 2);
        let mut columns = vec![0u128; 2 * field.limbs];
        for product in 0..field.degree {
            if product > 0 {
                for &k in &field.carries_between {
                    columns[k + 1] += columns[k] >> LIMB_BITS;
                    columns[k] = limb;
                }
            }
            for i in 0..field.limbs {
                for j in 0..field.limbs {
                    columns[i + j] += limb * limb;
                }
            }
            assert!(columns.iter().all(|column| *column < 1 << 64), "product {product}");
        }
        for (i, carried) in field.carries.iter().enumerate() {
            for &k in carried {
                columns[k + 1] += columns[k] >> LIMB_BITS;
                columns[k] = limb;
            }
            for (j, p) in field.p.iter().enumerate() {
                columns[i + j] += limb * u128::from(*p);
            }
            columns[i + 1] += columns[i] >> LIMB_BITS;
            assert!(columns.iter().all(|column| *column < 1 << 64), "{i}");
        }
        columns_in_turn_fit(&field);
        let most = if field.degree == 2 { 2 * field.limbs } else { field.limbs / 2 };
        assert!(field.carries.concat().len() < most, "{:?}", field.carries);
    }

    /// The same for the rows of products and of the reduction in turn.
    fn columns_in_turn_fit(field: &BigField) {
        let limb = u128::from(u32::MAX >> 2);
        let mut columns = vec![0u128; 2 * field.limbs];
        let fit = |columns: &[u128]| columns.iter().all(|column| *column < 1 << 64);
        let carry = |columns: &mut [u128], k: usize| {
            columns[k + 1] += columns[k] >> LIMB_BITS;
            columns[k] = limb;
        };
        for (i, carried) in field.carries_in_turn.iter().enumerate() {
            carried.iter().for_each(|&k| carry(&mut columns, k));
            assert!(fit(&columns), "the carries of row {i}");
            for (j, p) in field.p.iter().enumerate() {
                columns[i + j] += limb * (field.degree as u128 * limb + u128::from(*p));
            }
            columns[i + 1] += columns[i] >> LIMB_BITS;
            assert!(fit(&columns), "row {i}");
        }
        (field.limbs..2 * field.limbs - 1).for_each(|k| carry(&mut columns, k));
        assert!(fit(&columns), "the last carries");
        // Not all columns are carried.
        let carried = field.carries_in_turn.concat().len();
        assert!(carried < field.degree * field.limbs, "{:?}", field.carries_in_turn);
    }

    #[test]
    fn columns_fit_64_bits() {
        for name in CurveName::all() {
            with_curve!(name, C => {
                columns_fit::<BaseField<C>>();
                columns_fit::<ScalarField<C>>();
            });
        }
    }
}
