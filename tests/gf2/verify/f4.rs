//! Checks of the special elimination.

use super::{FLIPS, engine, refused};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::gf2::verify::{self, CarriedF4Matrix, Depth, SpanProof};
use wgalois::gf2::{self, Elimination, F4Matrix, F4Method, IndexLists, generate};

/// 900 rows, of which 400 become pivots.
fn f4() -> (IndexLists, F4Matrix) {
    let generator = generate::Groebner {
        columns: 2000,
        reducers: 1300,
        rows: 900,
        new_pivots: 400,
        reducer_ones: 20,
        row_ones: 40,
        seed: 1,
    };
    let (reducers, rows) = generator.generate().unwrap();
    let f4 = F4Matrix::new(reducers.clone(), rows, None).unwrap();
    (reducers, f4)
}

/// A result's rows with one changed.
fn changed(f4: &F4Matrix, rows: &IndexLists, change: impl Fn(&mut Vec<Vec<u32>>)) -> Elimination {
    let mut all: Vec<Vec<u32>> = rows.iter().map(<[u32]>::to_vec).collect();
    change(&mut all);
    let mut lists = IndexLists::default();
    all.iter().for_each(|row| lists.push(row).unwrap());
    Elimination::from_lists(f4, &lists).unwrap()
}

fn sum(row: &[u32], other: &[u32]) -> Vec<u32> {
    let differ =
        |row: &[u32], other: &[u32]| row.iter().copied().filter(|c| !other.contains(c)).collect::<Vec<_>>();
    let mut sum = [differ(row, other), differ(other, row)].concat();
    sum.sort_unstable_by(|a, b| b.cmp(a));
    sum
}

#[test]
fn eliminations_that_are_not_in_file_order_are_refused() {
    let (reducers, f4) = f4();
    let result = gf2::eliminate(&engine(), &f4).unwrap();
    assert_eq!(result.new_pivots().len(), 400);
    let in_order = |result: &Elimination| verify::file_order(&f4, result, Depth::Bounded, None);
    let guarantee = in_order(&result).unwrap();
    assert!(guarantee.to_string().ends_with("checked in full"), "{guarantee}");
    let lists = result.to_lists();
    let new_pivots: Vec<usize> = result.new_pivots().iter().map(|&row| row as usize).collect();
    let proof = SpanProof::determine(&engine(), &f4).unwrap();
    let in_span = |result: &Elimination| verify::same_span(&f4, result, &proof);
    in_span(&result).unwrap();

    // A new pivot plus another of lower lead: the span stays.
    for (k, &row) in new_pivots.iter().enumerate().step_by(40) {
        let Some(&other) =
            new_pivots.iter().skip(k % 7).find(|&&other| lists.row(other)[0] < lists.row(row)[0])
        else {
            continue;
        };
        let wrong = changed(&f4, &lists, |rows| rows[row] = sum(&rows[row], &rows[other]));
        refused(in_order(&wrong));
        in_span(&wrong).unwrap();
    }
    // New pivots that changed places, and one in the place of a row that is zero.
    for (first, second) in [(0, 1), (100, 399), (200, 201)] {
        let wrong = changed(&f4, &lists, |rows| rows.swap(new_pivots[first], new_pivots[second]));
        refused(in_order(&wrong));
        in_span(&wrong).unwrap();
    }
    let zero = (0..900).rev().find(|row| !new_pivots.contains(row)).unwrap();
    let moved = changed(&f4, &lists, |rows| rows.swap(new_pivots[0], zero));
    refused(in_order(&moved));
    // A row lost, and a row too many.
    let lost = changed(&f4, &lists, |rows| rows[new_pivots[250]].clear());
    refused(in_order(&lost));
    refused(in_span(&lost));
    let leads: Vec<u32> =
        reducers.iter().chain(lists.iter()).filter_map(|row| row.first().copied()).collect();
    let free = (0..f4.columns() as u32).find(|column| !leads.contains(column)).unwrap();
    let more = changed(&f4, &lists, |rows| rows[zero] = vec![free]);
    refused(in_order(&more));
    refused(in_span(&more));
    // A flip below the lead, which does not change the structure.
    let mut pivots = reducers.clone();
    new_pivots.iter().for_each(|&row| pivots.push(lists.row(row)).unwrap());
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..FLIPS {
        let row = new_pivots[rng.random_range(0..400)];
        let column = rng.random_range(0..lists.row(row)[0]);
        let wrong = changed(&f4, &lists, |rows| rows[row] = sum(&rows[row], &[column]));
        refused(in_order(&wrong));
        // The span stays only where the flipped bit alone is in it.
        let mut bit = IndexLists::default();
        bit.push(&[column]).unwrap();
        let all = F4Matrix::new(pivots.clone(), bit, Some(f4.columns())).unwrap();
        match gf2::eliminate(&engine(), &all.with_method(F4Method::Bands)).unwrap().new_pivots() {
            [] => drop(in_span(&wrong).unwrap()),
            _ => refused(in_span(&wrong)),
        }
    }
    // Rounds guarantee the span only, so the check of file order refuses their result.
    let rounds = gf2::eliminate(&engine(), &f4.clone().with_method(F4Method::Rounds)).unwrap();
    in_span(&rounds).unwrap();
    refused(in_order(&rounds));
}

#[test]
fn equal_rows_become_pivots_where_they_come_first() {
    let mut rows = IndexLists::default();
    (0..2).for_each(|_| rows.push(&[3, 1]).unwrap());
    let f4 = F4Matrix::new(IndexLists::default(), rows, None).unwrap();
    let of = |first: &[u32], second: &[u32]| {
        let mut lists = IndexLists::default();
        lists.push(first).unwrap();
        lists.push(second).unwrap();
        verify::file_order(&f4, &Elimination::from_lists(&f4, &lists).unwrap(), Depth::Full, None)
    };
    of(&[3, 1], &[]).unwrap();
    refused(of(&[], &[3, 1]));
    refused(of(&[], &[]));
    refused(of(&[3, 1], &[1]));
    refused(of(&[3, 1], &[3, 1]));
}

#[test]
fn runs_carry_a_proof_of_their_span() {
    let (_, f4) = f4();
    let carried = CarriedF4Matrix::new(&f4).unwrap();
    for method in
        [F4Method::Bands, F4Method::Rounds, F4Method::XorThreads, F4Method::Blocked, F4Method::TwoStage]
    {
        let result = gf2::eliminate(&engine(), &carried.matrix().clone().with_method(method)).unwrap();
        let (taken, proof) = carried.take(&f4, &result).unwrap();
        let plain = gf2::eliminate(&engine(), &f4.clone().with_method(method)).unwrap();
        assert_eq!(taken.to_lists(), plain.to_lists(), "{method}");
        verify::same_span(&f4, &taken, &proof).unwrap();
        // Flip a bit of a new pivot or of its carried columns.
        let lists = result.to_lists();
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for _ in 0..20 {
            let row = result.new_pivots()[rng.random_range(0..result.new_pivots().len())] as usize;
            let column = rng.random_range(0..lists.row(row)[0]);
            let wrong = changed(carried.matrix(), &lists, |rows| rows[row] = sum(&rows[row], &[column]));
            assert_eq!(carried.take(&f4, &wrong).unwrap_err().exit_code(), 1);
        }
    }
}

#[test]
fn a_result_of_another_f4_matrix_does_not_panic() {
    let (_, f4) = f4();
    let small = F4Matrix::new(IndexLists::default(), IndexLists::empty_rows(900), Some(5)).unwrap();
    let result = gf2::eliminate(&engine(), &f4).unwrap();
    let empty = gf2::eliminate(&engine(), &small).unwrap();
    refused(verify::file_order(&small, &result, Depth::Full, None));
    refused(verify::file_order(&f4, &empty, Depth::Full, None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn right_eliminations_pass(
        columns in 1usize..700, reducers in 0usize..300, rows in 0usize..1200, ones in 1usize..20, seed: u64,
    ) {
        let lists = |count: usize, seed: u64| {
            let density = ones as f64 / columns as f64;
            IndexLists::from_matrix(&generate::matrix(count, columns, density.min(1.0), seed).unwrap())
        };
        let mut seen = std::collections::HashSet::new();
        let mut kept = IndexLists::default();
        for row in lists(reducers, seed).iter() {
            if row.first().is_none_or(|lead| seen.insert(*lead)) {
                kept.push(row).unwrap();
            }
        }
        let f4 = F4Matrix::new(kept, lists(rows, seed ^ 1), Some(columns)).unwrap();
        for method in [F4Method::Blocked, F4Method::TwoStage, F4Method::Rounds] {
            let result = gf2::eliminate(&engine(), &f4.clone().with_method(method)).unwrap();
            let guarantee = verify::elimination(&engine(), &f4, &result, method, Depth::Bounded).unwrap();
            prop_assert_eq!(guarantee.to_string().contains("in full"), method != F4Method::Rounds);
            let carried = CarriedF4Matrix::new(&f4).unwrap();
            let (taken, proof) =
                carried.take(&f4, &gf2::eliminate(&engine(), &carried.matrix().clone().with_method(method)).unwrap()).unwrap();
            prop_assert_eq!(taken.to_lists(), result.to_lists());
            verify::same_span(&f4, &taken, &proof).unwrap();
        }
    }
}
