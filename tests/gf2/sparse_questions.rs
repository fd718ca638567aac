//! Rows, kernels and solutions of sparse matrices: their definitions, and the elimination of packed matrices as an oracle.

use wgalois::gf2::verify::Bands;
use wgalois::gf2::{
    self, BitMatrix, IndexLists, Solution, Sparse, SparseAnswer, SparseProof, Triangle, generate,
};
use wgalois::task::Problem;
use wgalois::{Error, Result};

use crate::sparse::{device, lists, packed, random, toric};

type Answered = (SparseAnswer, Option<SparseProof>);

fn answer(
    problem: Sparse,
    lists: &IndexLists,
    triangle: &Triangle,
    b: Option<&BitMatrix>,
) -> Result<Answered> {
    Ok(problem.plan(&device())?.compute(&device(), (lists, triangle, b))?.0)
}

/// The answer, which is proven, and is the same without evidence.
fn proven(problem: Sparse, lists: &IndexLists, triangle: &Triangle, b: Option<&BitMatrix>) -> SparseAnswer {
    let carried = answer(problem.carrying(), lists, triangle, b).unwrap();
    let guarantee = problem.check_carried(&device(), (lists, triangle, b), &carried).unwrap();
    assert!(guarantee.to_string().contains("2^-64"), "{guarantee}");
    let (plain, proof) = answer(problem, lists, triangle, b).unwrap();
    assert!(proof.is_none());
    assert_eq!(plain, carried.0);
    plain
}

/// The vectors of a kernel, which are read in bands of two sizes.
fn kernel(lists: &IndexLists, columns: usize) -> BitMatrix {
    let triangle = Triangle::find(lists, columns).unwrap();
    let kernel = proven(Sparse::kernel(&triangle), lists, &triangle, None).into_kernel().unwrap();
    let vectors = kernel.vectors(lists, &triangle).unwrap();
    let mut all = BitMatrix::zeros(vectors.rows(), columns).unwrap();
    let mut row = 0;
    vectors
        .bands(&mut |band| {
            for k in 0..band.rows() {
                all.row64_mut(row).copy_from_slice(band.row64(k));
                row += 1;
            }
            Ok(())
        })
        .unwrap();
    assert_eq!((row, kernel.dimension()), (vectors.rows(), vectors.rows()));
    assert!((0..row).all(|row| all.ones(row).all(|column| column < columns)));
    for first in (0..row).step_by(37) {
        let band = vectors.band(first..row.min(first + 37)).unwrap();
        assert!((0..band.rows()).all(|k| band.row64(k) == all.row64(first + k)), "from vector {first}");
    }
    all
}

fn check_all(lists: &IndexLists, columns: usize, seed: u64) {
    let dense = packed(lists, columns);
    let rank = gf2::rank(&device(), &dense).unwrap();
    let triangle = Triangle::find(lists, columns).unwrap();

    let vectors = kernel(lists, columns);
    assert_eq!(vectors.rows(), columns - rank);
    assert_eq!(gf2::rank(&device(), &vectors).unwrap(), columns - rank);
    let products = gf2::multiply(&device(), &dense, &vectors.transposed().unwrap()).unwrap();
    assert_eq!(products.count_ones(), 0);

    let rows = proven(Sparse::rows(&triangle), lists, &triangle, None).into_rows().unwrap();
    assert_eq!(rows.len(), rank);
    assert!(rows.is_sorted_by(|a, b| a < b));
    let mut chosen = BitMatrix::zeros(rank, columns).unwrap();
    for (k, &row) in rows.iter().enumerate() {
        chosen.row64_mut(k).copy_from_slice(dense.row64(row as usize));
    }
    assert_eq!(gf2::rank(&device(), &chosen).unwrap(), rank);

    // Right sides that have a solution, and random ones, of which some have none.
    let x = generate::matrix(columns, 70, 0.5, seed).unwrap();
    let solvable = gf2::multiply(&device(), &dense, &x).unwrap();
    for (b, all) in [(solvable, true), (generate::matrix(lists.len(), 600, 0.5, seed).unwrap(), false)] {
        let problem = Sparse::solve(&triangle, b.columns()).unwrap();
        let Solution { x, inconsistent, rank: own } =
            proven(problem, lists, &triangle, Some(&b)).into_solution().unwrap();
        let expected = gf2::solve(&device(), &dense, &b).unwrap();
        assert_eq!((own, &inconsistent), (rank, &expected.inconsistent));
        assert!(!all || inconsistent.is_empty());
        let found = gf2::multiply(&device(), &dense, &x).unwrap();
        for row in 0..lists.len() {
            let is_equal = |side: usize| {
                inconsistent.binary_search(&(side as u32)).is_ok() || found.get(row, side) == b.get(row, side)
            };
            assert!((0..b.columns()).all(is_equal), "row {row}");
        }
    }
}

#[test]
fn random_matrices_have_the_answers_of_the_packed_ones() {
    let shapes = [(1, 1), (1, 90), (90, 1), (7, 5), (64, 64), (65, 130), (200, 100), (100, 700), (700, 650)];
    for (seed, (rows, columns)) in shapes.into_iter().enumerate() {
        for ones in [0, 1, 2, 3, 5, 17] {
            check_all(&random(rows, columns, ones, seed as u64), columns, seed as u64);
        }
    }
}

#[test]
fn matrices_of_codes_have_the_answers_of_the_packed_ones() {
    check_all(&toric(12), 288, 1);
    check_all(&random(1500, 2000, 4, 7), 2000, 2);
    check_all(&random(900, 400, 6, 8), 400, 3);
}

#[test]
fn edges() {
    // Equal rows, empty rows, empty columns, a row of all columns, no rows, no columns.
    check_all(&lists((0..50).map(|i| if i % 2 == 0 { vec![3, 77, 90] } else { vec![] })), 200, 1);
    check_all(&lists([(0..3000).collect()]), 3000, 2);
    check_all(&lists((0..300).map(|i| vec![299 - i])), 300, 3);
    check_all(&IndexLists::empty_rows(40), 30, 4);
    check_all(&IndexLists::empty_rows(5), 0, 5);
    let triangle = Triangle::find(&IndexLists::empty_rows(0), 30).unwrap();
    let none = IndexLists::empty_rows(0);
    assert_eq!(kernel(&none, 30).rows(), 30);
    assert!(proven(Sparse::rows(&triangle), &none, &triangle, None).into_rows().unwrap().is_empty());
    // No right sides.
    let lists = random(30, 40, 3, 1);
    let triangle = Triangle::find(&lists, 40).unwrap();
    let b = BitMatrix::zeros(30, 0).unwrap();
    let answer = proven(Sparse::solve(&triangle, 0).unwrap(), &lists, &triangle, Some(&b));
    assert_eq!(answer.into_solution().unwrap().x.columns(), 0);
}

#[test]
fn an_empty_row_with_a_one_on_its_right_has_no_solution() {
    let lists = lists([vec![0], vec![], vec![1]]);
    let triangle = Triangle::find(&lists, 2).unwrap();
    let mut b = BitMatrix::zeros(3, 3).unwrap();
    [(0, 0), (1, 1), (2, 2)].iter().for_each(|&(row, column)| b.set(row, column, true));
    let problem = Sparse::solve(&triangle, 3).unwrap();
    let solution = proven(problem, &lists, &triangle, Some(&b)).into_solution().unwrap();
    assert_eq!((solution.inconsistent, solution.rank), (vec![1], 2));
}

#[test]
fn wrong_answers_are_refused() {
    let lists = random(600, 600, 3, 3);
    let dense = packed(&lists, 600);
    let triangle = Triangle::find(&lists, 600).unwrap();
    let refused = |problem: Sparse, b: Option<&BitMatrix>, answered: &Answered| {
        let checked = problem.check_carried(&device(), (&lists, &triangle, b), answered);
        assert!(matches!(checked, Err(Error::Check(_))), "{checked:?}");
    };

    // A row too few, and a row in another's place.
    let problem = Sparse::rows(&triangle);
    let (answer_of, proof) = answer(problem.carrying(), &lists, &triangle, None).unwrap();
    let rows = answer_of.into_rows().unwrap();
    let other = (0..600).find(|row| !rows.contains(row)).unwrap();
    let mut exchanged = rows.clone();
    *exchanged.last_mut().unwrap() = other;
    exchanged.sort_unstable();
    for wrong in [rows[1..].to_vec(), exchanged] {
        refused(problem, None, &(SparseAnswer::Rows(wrong), proof.clone()));
    }

    // A solution with one wrong bit, a side that has a solution after all, one that is said to have one, another rank.
    let b = {
        let x = generate::matrix(600, 9, 0.5, 1).unwrap();
        let mut b = gf2::multiply(&device(), &dense, &x).unwrap();
        // A sum of rows of A that is zero, where this side's is not.
        let left = gf2::kernel(&device(), &dense.transposed().unwrap()).unwrap();
        let row = left.ones(0).next().unwrap();
        b.set(row, 4, !b.get(row, 4));
        b
    };
    let problem = Sparse::solve(&triangle, 9).unwrap();
    let (answer_of, proof) = answer(problem.carrying(), &lists, &triangle, Some(&b)).unwrap();
    let right = answer_of.into_solution().unwrap();
    assert_eq!(right.inconsistent, [4]);
    let mut wrong_bit = right.clone();
    let column = lists.row(0)[0] as usize;
    wrong_bit.x.set(column, 2, !wrong_bit.x.get(column, 2));
    let wrong = [
        wrong_bit,
        Solution { inconsistent: vec![], ..right.clone() },
        Solution { inconsistent: vec![3, 4], ..right.clone() },
        Solution { rank: right.rank - 1, ..right.clone() },
    ];
    for wrong in wrong {
        refused(problem, Some(&b), &(SparseAnswer::Solution(wrong), proof.clone()));
    }

    // The kernel of another matrix of this shape, with its own evidence and with this one's.
    let problem = Sparse::kernel(&triangle);
    let right = answer(problem.carrying(), &lists, &triangle, None).unwrap();
    let others = random(600, 600, 3, 4);
    let of_others = Triangle::find(&others, 600).unwrap();
    let (foreign, evidence) =
        answer(Sparse::kernel(&of_others).carrying(), &others, &of_others, None).unwrap();
    for wrong in [(foreign.clone(), evidence), (foreign, right.1.clone())] {
        let checked = problem.check_carried(&device(), (&lists, &triangle, None), &wrong);
        assert!(checked.is_err(), "{checked:?}");
    }
    // No evidence; the evidence and the answer of another question.
    assert!(matches!(
        problem.check_carried(&device(), (&lists, &triangle, None), &(right.0.clone(), None)),
        Err(Error::Needs { .. })
    ));
    let checked = Sparse::rows(&triangle).check_carried(&device(), (&lists, &triangle, None), &right);
    assert!(checked.is_err(), "{checked:?}");
}

#[test]
fn other_matrices_and_right_sides_are_refused() {
    let (one, other) = (random(300, 300, 3, 1), random(300, 300, 3, 2));
    let triangle = Triangle::find(&one, 300).unwrap();
    let problem = Sparse::solve(&triangle, 5).unwrap();
    let b = |rows, columns| BitMatrix::zeros(rows, columns).unwrap();
    assert!(answer(problem, &one, &triangle, Some(&b(300, 5))).is_ok());
    let refused = |lists: &IndexLists, triangle: &Triangle, b: Option<&BitMatrix>| {
        answer(problem, lists, triangle, b).unwrap_err()
    };
    assert!(matches!(refused(&other, &triangle, Some(&b(300, 5))), Error::OtherPlan { .. }));
    let of_other = Triangle::find(&other, 300).unwrap();
    assert!(matches!(refused(&one, &of_other, Some(&b(300, 5))), Error::OtherPlan { .. }));
    assert!(matches!(refused(&one, &triangle, Some(&b(299, 5))), Error::ShapeMismatch { .. }));
    assert!(matches!(refused(&one, &triangle, Some(&b(300, 4))), Error::WrongShape { .. }));
    assert!(refused(&one, &triangle, None).to_string().contains("second matrix"));
    // A kernel's vectors with another matrix.
    let kernel = answer(Sparse::kernel(&triangle), &one, &triangle, None).unwrap().0.into_kernel().unwrap();
    assert!(kernel.vectors(&random(299, 300, 3, 1), &triangle).is_err());
}

#[test]
fn a_plan_names_the_question_and_the_triangle() {
    let lists = toric(100);
    let triangle = Triangle::find(&lists, 20_000).unwrap();
    let text = Sparse::solve(&triangle, 3).unwrap().plan(&device()).unwrap().to_string();
    for line in [
        "operation      solve",
        "matrix         10000 x 20000, sparse: 40000 ones",
        "second matrix  3 columns",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert!(text.contains("triangle       9999 pivots, 1 x 10001 left"), "{text}");
    let profile = device().profile().with_limits(1000, 0);
    assert!(matches!(Sparse::kernel(&triangle).plan_for(&profile), Err(Error::OutOfMemory(_))));
}
