//! Checks of dense linear algebra.

use super::{FLIPS, engine, refused};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::gf2::verify::{self, Carried, Proof};
use wgalois::gf2::{
    self, Answer, BitMatrix, Dense, DenseAnswer, Echelon, Inverse, RowReduction, Solution, Wanted, generate,
};
use wgalois::verify::Guarantee;
use wgalois::{Device, Result};

fn matrix(rows: &[&str]) -> BitMatrix {
    let columns = rows.first().map_or(0, |row| row.len());
    let mut matrix = BitMatrix::zeros(rows.len(), columns).unwrap();
    for (r, row) in rows.iter().enumerate() {
        row.bytes().enumerate().for_each(|(c, byte)| matrix.set(r, c, byte == b'1'));
    }
    matrix
}

/// The matrix of the named rows of another matrix.
fn rows_of(matrix: &BitMatrix, rows: &[usize]) -> BitMatrix {
    let mut some = BitMatrix::zeros(rows.len(), matrix.columns()).unwrap();
    rows.iter().enumerate().for_each(|(r, &row)| some.row_mut(r).copy_from_slice(matrix.row(row)));
    some
}

fn swap_rows(matrix: &mut BitMatrix, first: usize, second: usize) {
    let mut order: Vec<usize> = (0..matrix.rows()).collect();
    order.swap(first, second);
    *matrix = rows_of(matrix, &order);
}

fn add_row(matrix: &mut BitMatrix, from: usize, to: usize) {
    let row = matrix.row(from).to_vec();
    matrix.row_mut(to).iter_mut().zip(row).for_each(|(word, other)| *word ^= other);
}

fn flip(matrix: &mut BitMatrix, row: usize, column: usize) {
    matrix.set(row, column, !matrix.get(row, column));
}

/// Flips bits at random places, each alone, and expects `check` to refuse.
fn every_flip_is_found(right: &BitMatrix, check: impl Fn(&BitMatrix) -> Result<Guarantee>) {
    check(right).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..FLIPS {
        let mut wrong = right.clone();
        flip(&mut wrong, rng.random_range(0..right.rows()), rng.random_range(0..right.columns()));
        refused(check(&wrong));
    }
}

fn form_of(matrix: &BitMatrix) -> Echelon {
    let first = |row: usize| matrix.ones(row).next().map(|c| c as u32);
    Echelon { matrix: matrix.clone(), pivots: (0..matrix.rows()).filter_map(first).collect() }
}

fn check_form(a: &BitMatrix, form: &BitMatrix, reduced: bool) -> Result<Guarantee> {
    verify::echelon(a, &form_of(form), reduced, &Proof::determine(&engine(), a)?)
}

fn rank_alone(device: &Device, a: &BitMatrix, rank: usize) -> Result<Guarantee> {
    Dense::rank(a.rows(), a.columns())?.check(device, a, None, Answer::Rank(rank))
}

fn singular(device: &Device, a: &BitMatrix, rank: usize) -> Result<Guarantee> {
    Dense::inverse(a.rows())?.check(device, a, None, Answer::Rank(rank))
}

fn inconsistent(device: &Device, a: &BitMatrix, b: &BitMatrix, sides: &[u32]) -> Result<Guarantee> {
    let problem = Dense::solve(a.rows(), a.columns(), b.columns())?;
    problem.check(device, a, Some(b), Answer::Unsolvable(sides))
}

fn eliminate(device: &Device, a: &BitMatrix, wanted: Wanted) -> Result<(Echelon, Carried)> {
    Carried::eliminate(device, &RowReduction::new(a.rows(), a.columns(), wanted)?, a)
}

fn check_kernel(a: &BitMatrix, kernel: &BitMatrix) -> Result<Guarantee> {
    verify::kernel(&engine(), a, kernel, &Proof::determine(&engine(), a)?)
}

/// 60 x 90 of rank 40.
fn deficient() -> BitMatrix {
    generate::matrix_of_rank(60, 90, 40, 5).unwrap()
}

#[test]
fn forms_of_other_ranks_and_spaces_are_refused() {
    let ones = matrix(&["11", "11"]);
    let identity = BitMatrix::identity(2).unwrap();
    for reduced in [false, true] {
        refused(check_form(&ones, &identity, reduced));
        check_form(&ones, &matrix(&["11", "00"]), reduced).unwrap();
        refused(check_form(&ones, &matrix(&["10", "00"]), reduced));
        refused(check_form(&ones, &BitMatrix::zeros(2, 2).unwrap(), reduced));
    }
    let a = deficient();
    for reduced in [false, true] {
        let right = if reduced { gf2::rref(&engine(), &a) } else { gf2::echelon(&engine(), &a) }.unwrap();
        check_form(&a, &right.matrix, reduced).unwrap();
        // One too low: a row is missing.
        let mut wrong = right.matrix.clone();
        wrong.row_mut(39).fill(0);
        refused(check_form(&a, &wrong, reduced));
        // One too high: a row that begins in a column without a pivot, after the last one or
        // between others.
        let free: Vec<usize> = (0..90).filter(|&c| !right.pivots.contains(&(c as u32))).collect();
        for column in [free[0], free[20], *free.last().unwrap()] {
            let at = right.pivots.partition_point(|&pivot| (pivot as usize) < column);
            let mut order: Vec<usize> = (0..59).collect();
            order.insert(at, 59);
            let mut wrong = rows_of(&right.matrix, &order);
            wrong.set(at, column, true);
            refused(check_form(&a, &wrong, reduced));
        }
        // Rows of the right span in the wrong place.
        for (first, second) in [(0, 1), (3, 39), (39, 59)] {
            let mut wrong = right.matrix.clone();
            swap_rows(&mut wrong, first, second);
            refused(check_form(&a, &wrong, reduced));
        }
        // The same rank, another space.
        let other = gf2::rref(&engine(), &generate::matrix_of_rank(60, 90, 40, 6).unwrap()).unwrap();
        refused(check_form(&a, &other.matrix, reduced));
        // Within the span: still an echelon form, but not the reduced one.
        let mut within = right.matrix.clone();
        add_row(&mut within, 30, 3);
        assert_eq!(check_form(&a, &within, reduced).is_ok(), !reduced);
        every_flip_is_found(&right.matrix, |wrong| check_form(&a, wrong, reduced));
    }
}

#[test]
fn ranks_are_proven_both_ways() {
    for a in [deficient(), matrix(&["11", "11"]), BitMatrix::zeros(3, 4).unwrap()] {
        let rank = gf2::rank(&engine(), &a).unwrap();
        let guarantee = rank_alone(&engine(), &a, rank).unwrap();
        assert!(guarantee.to_string().contains("at most 2^-64"), "{guarantee}");
        refused(rank_alone(&engine(), &a, rank + 1));
        refused(rank_alone(&engine(), &a, rank.wrapping_sub(1)));
    }
    let a = deficient();
    let (form, carried) = eliminate(&engine(), &a, Wanted::Echelon { from: 0 }).unwrap();
    let proof = carried.prove(&form).unwrap();
    verify::rank(&a, &form, &proof).unwrap();
    // A run that loses a row of the form, and one that makes up a row.
    let mut low = form.clone();
    low.matrix.row_mut(39).fill(0);
    low.pivots.pop();
    refused(carried.prove(&low).and_then(|proof| verify::rank(&a, &low, &proof)));
    let mut high = form.clone();
    let column = (0..90).rev().find(|c| !form.pivots.contains(&(*c as u32))).unwrap();
    if column as u32 > form.pivots[39] {
        high.matrix.set(40, column, true);
        high.pivots.push(column as u32);
        refused(carried.prove(&high).and_then(|proof| verify::rank(&a, &high, &proof)));
    }
    // Every changed bit shows in the carried columns or the structure.
    every_flip_is_found(&form.matrix, |wrong| {
        let wrong = Echelon { matrix: wrong.clone(), pivots: form.pivots.clone() };
        verify::echelon(&a, &wrong, false, &carried.prove(&wrong)?)
    });
}

#[test]
fn kernels_that_are_no_bases_are_refused() {
    let zero = BitMatrix::zeros(1, 3).unwrap();
    refused(check_kernel(&zero, &matrix(&["110"])));
    refused(check_kernel(&zero, &BitMatrix::zeros(3, 3).unwrap()));
    check_kernel(&zero, &matrix(&["110", "011", "111"])).unwrap();
    refused(check_kernel(&zero, &matrix(&["110", "011", "101"])));

    let a = deficient();
    let right = gf2::kernel(&engine(), &a).unwrap();
    assert_eq!(right.rows(), 50);
    // Cases: a vector missing, one too many, one twice, one the sum of others, one zero.
    refused(check_kernel(&a, &rows_of(&right, &(0..49).collect::<Vec<_>>())));
    refused(check_kernel(&a, &rows_of(&right, &(0..50).chain([7]).collect::<Vec<_>>())));
    refused(check_kernel(&a, &rows_of(&right, &(0..49).chain([7]).collect::<Vec<_>>())));
    let mut wrong = right.clone();
    wrong.row_mut(13).fill(0);
    refused(check_kernel(&a, &wrong));
    add_row(&mut wrong, 4, 13);
    add_row(&mut wrong, 44, 13);
    refused(check_kernel(&a, &wrong));
    // A basis that is not the canonical one.
    let mut other = right.clone();
    (1..50).for_each(|row| add_row(&mut other, row, row - 1));
    (0..20).for_each(|row| swap_rows(&mut other, row, 49 - row));
    check_kernel(&a, &other).unwrap();
    every_flip_is_found(&right, |wrong| check_kernel(&a, wrong));
    // A matrix of full rank has the empty basis only.
    let regular = BitMatrix::identity(70).unwrap();
    check_kernel(&regular, &BitMatrix::zeros(0, 70).unwrap()).unwrap();
    refused(check_kernel(&regular, &BitMatrix::zeros(1, 70).unwrap()));
    refused(check_kernel(&regular, &BitMatrix::zeros(0, 69).unwrap()));
}

#[test]
fn wrong_products_transposes_and_inverses_are_refused() {
    let a = generate::matrix(130, 200, 0.5, 1).unwrap();
    let b = generate::matrix(200, 150, 0.5, 2).unwrap();
    let product = gf2::multiply(&engine(), &a, &b).unwrap();
    every_flip_is_found(&product, |wrong| verify::product(&a, &b, wrong));
    let mut swapped = product.clone();
    swap_rows(&mut swapped, 3, 4);
    refused(verify::product(&a, &b, &swapped));
    refused(verify::product(&a, &b, &rows_of(&product, &(0..129).collect::<Vec<_>>())));
    refused(verify::product(&b, &a, &product));

    let transposed = a.transposed().unwrap();
    every_flip_is_found(&transposed, |wrong| verify::transposed(&a, wrong));
    refused(verify::transposed(&a, &a));
    // Blocks of 64 x 64 that are not transposed, or that changed places.
    let mut blocks = transposed.clone();
    (0..64).for_each(|r| (0..64).for_each(|c| blocks.set(r, c, a.get(r, c))));
    refused(verify::transposed(&a, &blocks));
    let mut blocks = transposed.clone();
    (0..64).for_each(|r| (0..64).for_each(|c| blocks.set(r, c, transposed.get(r, c + 64))));
    (0..64).for_each(|r| (0..64).for_each(|c| blocks.set(r, c + 64, transposed.get(r, c))));
    refused(verify::transposed(&a, &blocks));
    let mut rows = transposed.clone();
    swap_rows(&mut rows, 100, 101);
    refused(verify::transposed(&a, &rows));

    let (a, inverse) = (0..)
        .find_map(|seed| {
            let a = generate::matrix(100, 100, 0.5, seed).unwrap();
            match gf2::inverse(&engine(), &a).unwrap() {
                Inverse::Regular(inverse) => Some((a, inverse)),
                Inverse::Singular { .. } => None,
            }
        })
        .unwrap();
    every_flip_is_found(&inverse, |wrong| verify::inverse(&a, wrong));
    refused(verify::inverse(&a, &inverse.transposed().unwrap()));
    let mut swapped = inverse.clone();
    swap_rows(&mut swapped, 0, 99);
    refused(verify::inverse(&a, &swapped));
    // A right inverse of a matrix that is not square is no inverse.
    refused(verify::inverse(&matrix(&["100", "010"]), &matrix(&["10", "01", "00"])));
    refused(singular(&engine(), &a, 99));
    refused(singular(&engine(), &a, 100));
    let deficient = generate::matrix_of_rank(40, 40, 30, 1).unwrap();
    singular(&engine(), &deficient, 30).unwrap();
    refused(singular(&engine(), &deficient, 31));
    refused(singular(&engine(), &deficient, 29));
    refused(verify::inverse(&deficient, &BitMatrix::identity(40).unwrap()));
}

#[test]
fn wrong_solutions_are_refused_and_malformed_ones_do_not_panic() {
    let a = deficient();
    let x = generate::matrix(90, 150, 0.5, 2).unwrap();
    let b = gf2::multiply(&engine(), &a, &x).unwrap();
    let solution = gf2::solve(&engine(), &a, &b).unwrap();
    let with = |x: &BitMatrix, inconsistent: &[u32]| Solution {
        x: x.clone(),
        inconsistent: inconsistent.to_vec(),
        rank: 40,
    };
    every_flip_is_found(&solution.x, |x| verify::solution(&a, &b, &with(x, &[]), None));
    // Another solution passes as well.
    verify::solution(&a, &b, &with(&x, &[]), None).unwrap();
    let columns_swapped = {
        let mut transposed = solution.x.transposed().unwrap();
        swap_rows(&mut transposed, 1, 2);
        transposed.transposed().unwrap()
    };
    refused(verify::solution(&a, &b, &with(&columns_swapped, &[]), None));
    for sides in [&[150][..], &[u32::MAX], &[3, 3], &[4, 3], &[64, 63, 64]] {
        refused(verify::solution(&a, &b, &with(&solution.x, sides), None));
        refused(inconsistent(&engine(), &a, &b, sides));
    }
    refused(verify::solution(&a, &b, &with(&a, &[]), None));
    refused(verify::solution(&a, &BitMatrix::zeros(59, 150).unwrap(), &with(&x, &[]), None));

    // Right sides outside of the columns' span.
    let mut b = b;
    let outside = [0, 7, 63, 64, 149];
    outside.iter().for_each(|&side| (0..60).for_each(|row| b.set(row, side as usize, row * 7 % 11 < 5)));
    let problem = Dense::solve(60, a.columns(), 150).unwrap();
    let (answer, evidence) = gf2::compute(&engine(), &problem.carrying().unwrap(), &a, Some(&b)).unwrap();
    let solution = answer.into_solution().unwrap();
    let check = |solution: &Solution| {
        problem.check_carried(&engine(), &a, Some(&b), Answer::Solution(solution), &evidence)
    };
    assert_eq!(solution.inconsistent, outside);
    check(&solution).unwrap();
    inconsistent(&engine(), &a, &b, &outside).unwrap();
    // One side too many is not proven; one too few has a wrong solution.
    let one_more = Solution { inconsistent: vec![0, 7, 8, 63, 64, 149], ..solution.clone() };
    let one_less = Solution { inconsistent: vec![0, 63, 64, 149], ..solution.clone() };
    for wrong in [one_more, one_less] {
        refused(check(&wrong));
        refused(inconsistent(&engine(), &a, &b, &wrong.inconsistent));
    }
    let text = verify::solution(&a, &b, &solution, None).unwrap().to_string();
    assert!(text.contains("was not checked"), "{text}");
}

fn shape() -> impl Strategy<Value = (usize, usize, usize, u64)> {
    (0usize..200, 0usize..200, 0usize..200, any::<u64>())
}

#[test]
fn a_form_of_another_matrix_does_not_panic() {
    let a = deficient();
    let (form, carried) = eliminate(&engine(), &a, Wanted::Reduced).unwrap();
    let (other, _) =
        eliminate(&engine(), &generate::matrix(7, 300, 0.5, 1).unwrap(), Wanted::Reduced).unwrap();
    assert_eq!(carried.prove(&other).unwrap_err().exit_code(), 1);
    let odd = Echelon { matrix: form.matrix.clone(), pivots: vec![u32::MAX; 61] };
    assert_eq!(carried.prove(&odd).unwrap_err().exit_code(), 1);
    refused(verify::echelon(&a, &odd, true, &carried.prove(&form).unwrap()));
    refused(verify::echelon(&a, &other, true, &carried.prove(&form).unwrap()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn right_results_pass((rows, columns, rank, seed) in shape(), sides in 0usize..80) {
        let engine = engine();
        let a = generate::matrix_of_rank(rows, columns, rank, seed).unwrap();
        let own = Proof::determine(&engine, &a).unwrap();
        for reduced in [false, true] {
            let wanted = if reduced { Wanted::Reduced } else { Wanted::Echelon { from: 0 } };
            let (form, carried) = eliminate(&engine, &a, wanted).unwrap();
            let proof = carried.prove(&form).unwrap();
            prop_assert_eq!(proof.rank(), own.rank());
            for proof in [&proof, &own] {
                verify::rank(&a, &form, proof).unwrap();
                verify::echelon(&a, &form, reduced, proof).unwrap();
                if reduced {
                    let kernel = form.kernel().unwrap();
                    verify::kernel(&engine, &a, &kernel, proof).unwrap();
                    // In any order, with sums.
                    let mut other = kernel.clone();
                    (1..kernel.rows()).for_each(|row| add_row(&mut other, row, row - 1));
                    other = rows_of(&other, &(0..kernel.rows()).rev().collect::<Vec<_>>());
                    verify::kernel(&engine, &a, &other, proof).unwrap();
                }
            }
        }
        rank_alone(&engine, &a, own.rank()).unwrap();
        verify::transposed(&a, &a.transposed().unwrap()).unwrap();
        let b = generate::matrix(rows, sides, 0.5, seed ^ 1).unwrap();
        let problem = Dense::solve(rows, columns, sides).unwrap();
        let (answer, evidence) = gf2::compute(&engine, &problem.carrying().unwrap(), &a, Some(&b)).unwrap();
        problem.check_carried(&engine, &a, Some(&b), answer.as_answer(), &evidence).unwrap();
        let solution = answer.into_solution().unwrap();
        prop_assert_eq!(&solution, &gf2::solve(&engine, &a, &b).unwrap());
        inconsistent(&engine, &a, &b, &solution.inconsistent).unwrap();
        let square = generate::matrix(columns, columns, 0.5, seed ^ 2).unwrap();
        let problem = Dense::inverse(columns).unwrap();
        let (answer, evidence) = gf2::compute(&engine, &problem.carrying().unwrap(), &square, None).unwrap();
        problem.check_carried(&engine, &square, None, answer.as_answer(), &evidence).unwrap();
        let inverse = gf2::inverse(&engine, &square).unwrap();
        prop_assert_eq!(&answer, &DenseAnswer::Inverse(inverse.clone()));
        match inverse {
            Inverse::Regular(inverse) => verify::inverse(&square, &inverse).unwrap(),
            Inverse::Singular { rank } => singular(&engine, &square, rank).unwrap(),
        };
        verify::product(&a, &square, &gf2::multiply(&engine, &a, &square).unwrap()).unwrap();
    }
}
