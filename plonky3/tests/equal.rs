//! Every method returns what Plonky3's `Radix2DitParallel` returns, for all shapes, on the CPU engine and on the first
//! adapter.

mod common;

use common::{Rows, devices, random, shift};
use p3_baby_bear::BabyBear;
use p3_dft::{Layout, Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::extension::BinomialExtensionField;
use p3_field::{ExtensionField, Field};
use p3_koala_bear::KoalaBear;
use p3_matrix::Matrix;
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixViewMut};
use wgalois_plonky3::{Field31, WgaloisDft};

const WIDTHS: [usize; 6] = [1, 2, 3, 7, 64, 300];

/// The methods on whole matrices. Every call must be the device's own, but for single rows, which have no transform.
fn batches<F: Field31>(dft: &WgaloisDft<F>, rows: usize, width: usize, added_bits: usize) {
    let plonky3 = Radix2DitParallel::<F>::default();
    let matrix = random::<F>(rows, width);
    let (shift, what) = (shift::<F>(rows + width), format!("{rows} x {width}, {added_bits} added bits"));
    let before = dft.device_runs();
    let same = |ours: Rows<F>, theirs: Rows<F>, method: &str| {
        // The rows as they lie, so that a result in another order differs.
        assert!(ours == theirs, "{method}: {what}");
    };
    same(dft.dft_batch(matrix.clone()).into(), plonky3.dft_batch(matrix.clone()).into(), "dft");
    same(
        dft.coset_dft_batch(matrix.clone(), shift).into(),
        plonky3.coset_dft_batch(matrix.clone(), shift).into(),
        "coset dft",
    );
    same(dft.idft_batch(matrix.clone()).into(), plonky3.idft_batch(matrix.clone()).into(), "idft");
    same(
        dft.coset_idft_batch(matrix.clone(), shift).into(),
        plonky3.coset_idft_batch(matrix.clone(), shift).into(),
        "coset idft",
    );
    same(
        dft.lde_batch(matrix.clone(), added_bits).into(),
        plonky3.lde_batch(matrix.clone(), added_bits).into(),
        "lde",
    );
    same(
        dft.coset_lde_batch(matrix.clone(), added_bits, shift).into(),
        plonky3.coset_lde_batch(matrix, added_bits, shift).into(),
        "coset lde",
    );
    assert!(dft.last_error().is_none(), "{what}: {:?}", dft.last_error());
    assert_eq!(dft.device_runs() - before, if rows > 1 { 6 } else { 0 }, "{what}");
}

fn shapes<F: Field31>(log_rows: std::ops::RangeInclusive<usize>, most_words: usize) {
    for dft in devices::<F>() {
        for log_rows in log_rows.clone() {
            for (i, width) in WIDTHS.into_iter().enumerate() {
                let added_bits = (log_rows + i) % 4;
                if width << (log_rows + added_bits) <= most_words {
                    batches(&dft, 1 << log_rows, width, added_bits);
                }
            }
        }
        // All combinations of added bits with narrow and wide matrices.
        for (width, added_bits) in WIDTHS.into_iter().flat_map(|width| (0..4).map(move |bits| (width, bits)))
        {
            batches(&dft, 1 << 5, width, added_bits);
        }
    }
}

#[test]
fn baby_bear() {
    shapes::<BabyBear>(0..=12, 1 << 19);
}

#[test]
fn koala_bear() {
    shapes::<KoalaBear>(0..=12, 1 << 17);
}

#[test]
#[ignore = "takes long, and 4 GiB of memory"]
fn long_ones() {
    shapes::<BabyBear>(13..=20, 1 << 26);
    shapes::<KoalaBear>(13..=20, 1 << 26);
}

#[test]
#[ignore = "takes 16 cores, a GPU of 24 GB and 40 GiB of memory"]
fn longest_ones() {
    shapes::<BabyBear>(20..=20, usize::MAX);
    shapes::<KoalaBear>(19..=19, usize::MAX);
}

/// The methods on vectors, in natural order.
fn vectors<F: Field31>() {
    let plonky3 = Radix2DitParallel::<F>::default();
    for dft in devices::<F>() {
        for (log_n, added_bits) in [(0, 0), (0, 2), (1, 1), (4, 3), (9, 0), (10, 1)] {
            let vector = random::<F>(1 << log_n, 1).values;
            let shift = shift::<F>(log_n);
            assert_eq!(dft.dft(vector.clone()), plonky3.dft(vector.clone()));
            assert_eq!(dft.coset_dft(vector.clone(), shift), plonky3.coset_dft(vector.clone(), shift));
            assert_eq!(dft.idft(vector.clone()), plonky3.idft(vector.clone()));
            assert_eq!(dft.coset_idft(vector.clone(), shift), plonky3.coset_idft(vector.clone(), shift));
            assert_eq!(dft.lde(vector.clone(), added_bits), plonky3.lde(vector.clone(), added_bits));
            assert_eq!(
                dft.coset_lde(vector.clone(), added_bits, shift),
                plonky3.coset_lde(vector, added_bits, shift)
            );
        }
        assert_eq!((dft.device_runs(), dft.last_error().is_none()), (4 * 6, true));
    }
}

/// The methods on vectors of an extension field.
fn extensions<F: Field31, V: ExtensionField<F>>() {
    let plonky3 = Radix2DitParallel::<F>::default();
    for dft in devices::<F>() {
        let (rows, width) = (1 << 6, 3);
        let coordinates = random::<F>(rows, width * V::DIMENSION).values;
        let matrix = RowMajorMatrix::new(V::reconstitute_from_base(coordinates), width);
        let shift = shift::<F>(1);
        let same = |ours: RowMajorMatrix<V>, theirs: RowMajorMatrix<V>| assert!(ours == theirs);
        same(dft.dft_algebra_batch(matrix.clone()), plonky3.dft_algebra_batch(matrix.clone()));
        same(
            dft.coset_dft_algebra_batch(matrix.clone(), shift),
            plonky3.coset_dft_algebra_batch(matrix.clone(), shift),
        );
        same(dft.idft_algebra_batch(matrix.clone()), plonky3.idft_algebra_batch(matrix.clone()));
        same(
            dft.coset_idft_algebra_batch(matrix.clone(), shift),
            plonky3.coset_idft_algebra_batch(matrix.clone(), shift),
        );
        same(dft.lde_algebra_batch(matrix.clone(), 1), plonky3.lde_algebra_batch(matrix.clone(), 1));
        same(
            dft.coset_lde_algebra_batch(matrix.clone(), 2, shift),
            plonky3.coset_lde_algebra_batch(matrix, 2, shift),
        );
        assert_eq!((dft.device_runs(), dft.last_error().is_none()), (6, true));
    }
}

#[test]
fn vectors_of_both_fields() {
    vectors::<BabyBear>();
    vectors::<KoalaBear>();
}

#[test]
fn vectors_of_extension_fields() {
    extensions::<BabyBear, BinomialExtensionField<BabyBear, 4>>();
    extensions::<KoalaBear, BinomialExtensionField<KoalaBear, 4>>();
}

/// Multiplies coefficient i by i + 1, in either layout.
fn differentiate<F: Field>(coefficients: &mut RowMajorMatrixViewMut<'_, F>, layout: Layout) {
    let bits = coefficients.height().ilog2();
    for (i, row) in coefficients.rows_mut().enumerate() {
        let i = match layout {
            Layout::Natural => i,
            Layout::BitReversed => i.reverse_bits() >> (usize::BITS - bits),
        };
        row.iter_mut().for_each(|value| *value *= F::from_usize(i + 1));
    }
}

#[test]
fn closures_see_the_coefficients_and_the_blocks() {
    let plonky3 = Radix2DitParallel::<BabyBear>::default();
    for dft in devices::<BabyBear>() {
        let (matrix, shift) = (random::<BabyBear>(1 << 7, 5), shift::<BabyBear>(3));
        let ours = dft.coset_lde_batch_with_transform(matrix.clone(), 2, shift, differentiate);
        let theirs = plonky3.coset_lde_batch_with_transform(matrix.clone(), 2, shift, differentiate);
        assert!(Rows::from(ours) == Rows::from(theirs));
        assert_eq!(dft.device_runs(), 2);

        let visited = std::sync::Mutex::new(Vec::new());
        let ours = dft.coset_lde_batch_with_blocks(matrix.clone(), 1, shift, differentiate, |height| {
            let visited = &visited;
            move |first: usize, rows: p3_matrix::dense::RowMajorMatrixView<'_, BabyBear>| {
                assert_eq!(rows.height(), height);
                visited.lock().unwrap().push((first, rows.values.to_vec()));
            }
        });
        let theirs = plonky3.coset_lde_batch_with_transform(matrix, 1, shift, differentiate);
        let (ours, mut visited) = (Rows::from(ours), visited.into_inner().unwrap());
        assert!(ours == Rows::from(theirs));
        visited.sort_by_key(|(first, _)| *first);
        assert_eq!(visited.into_iter().flat_map(|(_, values)| values).collect::<Vec<_>>(), ours.0.values);
        assert_eq!((dft.device_runs(), dft.last_error().is_none()), (4, true));
    }
}

/// Plonky3 itself computes shapes without a transform.
#[test]
fn shapes_without_a_transform_are_plonky3s() {
    let plonky3 = Radix2DitParallel::<BabyBear>::default();
    for dft in devices::<BabyBear>() {
        let matrix = random::<BabyBear>(8, 2);
        let zero = BabyBear::default();
        let (ours, theirs) =
            (dft.coset_dft_batch(matrix.clone(), zero), plonky3.coset_dft_batch(matrix, zero));
        assert!(Rows::from(ours) == Rows::from(theirs));
        assert_eq!((dft.device_runs(), dft.last_error().is_none()), (0, true));
    }
}
