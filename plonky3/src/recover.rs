//! What is left of an extension if the device fails while its first block replaces the matrix.

use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_matrix::Matrix;
use p3_matrix::bitrev::{BitReversedMatrixView, BitReversibleMatrix};
use p3_matrix::dense::RowMajorMatrix;

use crate::field::Field31;

/// An extension from its second block alone, by Plonky3's own code: the values of the same polynomials on another coset.
/// The rows of `values` are in bit-reversed order.
pub(crate) fn from_second_block<F: Field31>(
    plonky3: &Radix2DitParallel<F>,
    RowMajorMatrix { values, width, .. }: RowMajorMatrix<F>,
    added_bits: usize,
    shift: F,
) -> BitReversedMatrixView<RowMajorMatrix<F>> {
    let (len, words) = (values.len(), values.len() >> added_bits);
    let block = RowMajorMatrix::new(values[words..2 * words].to_vec(), width).bit_reverse_rows();
    drop(values);
    // Block b holds the values on the coset of shift w^br(b), br the reversal of the added bits.
    let root = F::two_adic_generator((len / width).trailing_zeros() as usize);
    let shift_of_block = shift * root.exp_power_of_2(added_bits - 1);
    let mut coefficients = plonky3.coset_idft_batch(block.to_row_major_matrix(), shift_of_block);
    coefficients.values.resize(len, F::ZERO);
    plonky3.coset_dft_batch(coefficients, shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use p3_baby_bear::BabyBear;
    use p3_field::{Field, PrimeCharacteristicRing};

    /// Whatever stands in the first block.
    #[test]
    fn an_extension_follows_from_its_second_block() {
        for added_bits in 1..=3 {
            let values = (0..3 << 5).map(|i| BabyBear::from_u32(i * i + 5)).collect();
            let (matrix, shift) = (RowMajorMatrix::new(values, 3), BabyBear::GENERATOR);
            let plonky3 = Radix2DitParallel::default();
            let right = plonky3.coset_lde_batch(matrix, added_bits, shift).bit_reverse_rows();
            let mut broken = right.clone();
            broken.values[..3 << 5].fill(BabyBear::TWO);
            let recovered = from_second_block(&plonky3, broken, added_bits, shift);
            assert!(recovered.bit_reverse_rows() == right, "{added_bits}");
        }
    }
}
