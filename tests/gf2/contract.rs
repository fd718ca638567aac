//! The contract over GF(2): problems check their answers, plans compile before the first run, and prepared
//! problems take matrices on the device.

use crate::gpu_common::{open, open_another};
use wgalois::gf2::gpu::DeviceMatrix;
use wgalois::gf2::verify::Depth;
use wgalois::gf2::{
    self, Answer, BitMatrix, Dense, DenseAnswer, Echelon, F4Matrix, F4Method, Inverse, Product, RowReduction,
    Solution, Transpose, Wanted, generate,
};
use wgalois::gpu::Options;
use wgalois::task::Problem;
use wgalois::timeline::{Phase, Timeline};
use wgalois::{Cpu, Device, Error, Result};

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

#[test]
fn problems_check_their_answers() -> Result<()> {
    let device = &cpu();
    let a = &generate::matrix_of_rank(40, 50, 30, 1)?;
    let x = generate::matrix(50, 6, 0.5, 2)?;
    let b = &gf2::multiply(device, a, &x)?;
    // Ones on the diagonal and only zeros below it: regular.
    let mut square = BitMatrix::identity(20)?;
    (0..20).for_each(|row| (row + 1..20).for_each(|column| square.set(row, column, row * column % 3 == 1)));
    let square = &square;
    let is_wrong = |outcome: Result<wgalois::verify::Guarantee>| matches!(outcome, Err(Error::Check(_)));
    let flipped = |matrix: &BitMatrix| {
        let mut wrong = matrix.clone();
        wrong.set(0, 0, !wrong.get(0, 0));
        wrong
    };

    let problem = Dense::rank(40, 50)?;
    problem.check(device, a, None, Answer::Rank(30))?;
    assert!(is_wrong(problem.check(device, a, None, Answer::Rank(29))));
    assert!(is_wrong(problem.check(device, a, None, Answer::Rank(31))));

    for (problem, form) in
        [(Dense::echelon(40, 50)?, gf2::echelon(device, a)?), (Dense::rref(40, 50)?, gf2::rref(device, a)?)]
    {
        problem.check(device, a, None, Answer::Form(&form))?;
        let wrong = Echelon { matrix: flipped(&form.matrix), ..form.clone() };
        assert!(is_wrong(problem.check(device, a, None, Answer::Form(&wrong))));
        let limited = problem.with_pivots_within(10).check(device, a, None, Answer::Form(&form));
        assert!(matches!(limited, Err(Error::OnlyFor { .. })));
    }

    let (problem, kernel) = (Dense::kernel(40, 50)?, gf2::kernel(device, a)?);
    problem.check(device, a, None, Answer::Matrix(&kernel))?;
    assert!(is_wrong(problem.check(device, a, None, Answer::Matrix(&flipped(&kernel)))));

    let (problem, solution) = (Dense::solve(40, 50, 6)?, gf2::solve(device, a, b)?);
    problem.check(device, a, Some(b), Answer::Solution(&solution))?;
    let wrong = Solution { inconsistent: vec![3], ..solution.clone() };
    assert!(is_wrong(problem.check(device, a, Some(b), Answer::Solution(&wrong))));
    // A random right side has a solution with a chance of 2^-10.
    let other = &generate::matrix(40, 6, 0.5, 3)?;
    let none = gf2::solve(device, a, other)?;
    assert!(!none.inconsistent.is_empty());
    problem.check(device, a, Some(other), Answer::Solution(&none))?;
    let without = problem.check(device, a, None, Answer::Solution(&none));
    assert!(matches!(without, Err(Error::WrongShape { .. })));

    let problem = Dense::inverse(20)?;
    let inverse = gf2::inverse(device, square)?;
    assert!(matches!(inverse, Inverse::Regular(_)));
    problem.check(device, square, None, inverse.as_answer())?;
    let singular = Inverse::Singular { rank: 19 };
    assert!(is_wrong(problem.check(device, square, None, singular.as_answer())));

    let problem = Product::new(40, 50, 6)?;
    problem.check(a, &x, b)?;
    assert!(is_wrong(problem.check(a, &x, &flipped(b))));

    let (problem, transposed) = (Transpose::new(40, 50)?, gf2::transpose(device, a)?);
    problem.check(a, &transposed)?;
    assert!(is_wrong(problem.check(a, &flipped(&transposed))));

    let mismatched = Dense::rank(40, 51)?.check(device, a, None, Answer::Rank(30));
    assert!(matches!(mismatched, Err(Error::WrongShape { .. })));
    let other_kind = Dense::rank(40, 50)?.check(device, a, None, Answer::Matrix(a));
    assert!(matches!(other_kind, Err(Error::OnlyFor { .. })));
    Ok(())
}

/// Row `to` plus row `from`, which stays: the span of the rows is the same.
fn added(matrix: &BitMatrix, to: usize, from: usize) -> BitMatrix {
    let mut sum = matrix.clone();
    (0..matrix.columns()).for_each(|k| sum.set(to, k, matrix.get(to, k) ^ matrix.get(from, k)));
    sum
}

fn without_last_row(matrix: &BitMatrix) -> Result<BitMatrix> {
    let mut rest = BitMatrix::zeros(matrix.rows() - 1, matrix.columns())?;
    (0..rest.rows()).for_each(|row| rest.row_mut(row).copy_from_slice(matrix.row(row)));
    Ok(rest)
}

#[test]
fn carried_columns_prove_answers_and_refuse_wrong_ones_of_the_right_structure() -> Result<()> {
    let device = &cpu();
    let a = &generate::matrix_of_rank(40, 50, 30, 1)?;
    let b = &gf2::multiply(device, a, &generate::matrix(50, 6, 0.5, 2)?)?;
    let outside = &generate::matrix(40, 6, 0.5, 3)?;
    let square = &generate::matrix_of_rank(20, 20, 20, 4)?;
    let singular = &generate::matrix_of_rank(20, 20, 17, 5)?;
    let one_more = |form: &Echelon| -> Echelon {
        // A row that begins to the right of all others, though the matrix has no such row.
        let mut more = form.clone();
        let free = (0..50).rev().find(|k| !form.pivots.contains(k)).expect("rank 30 of 50 columns");
        more.matrix.set(30, free as usize, true);
        more.pivots.push(free);
        more
    };
    let problems = [
        (Dense::rank(40, 50)?, a, None),
        (Dense::echelon(40, 50)?, a, None),
        (Dense::rref(40, 50)?, a, None),
        (Dense::kernel(40, 50)?, a, None),
        (Dense::solve(40, 50, 6)?, a, Some(b)),
        (Dense::solve(40, 50, 6)?, a, Some(outside)),
        (Dense::inverse(20)?, square, None),
        (Dense::inverse(20)?, singular, None),
    ];
    for (problem, a, b) in problems {
        let alone = gf2::compute(device, &problem, a, b)?;
        let (answer, evidence) = gf2::compute(device, &problem.carrying()?, a, b)?;
        assert_eq!(answer, alone);
        let checked = |answer: Answer<'_>| problem.check_carried(device, a, b, answer, &evidence);
        assert!(checked(answer.as_answer())?.to_string().contains("at most 2^-64"));
        let refused = |wrong: Answer<'_>| {
            let outcome = checked(wrong);
            assert!(
                matches!(outcome, Err(Error::Check(_))),
                "{:?} {wrong:?}: {outcome:?}",
                problem.operation()
            );
        };
        match &answer {
            DenseAnswer::Pivots(pivots) => {
                [0, pivots.len() - 1, pivots.len() + 1]
                    .into_iter()
                    .for_each(|rank| refused(Answer::Rank(rank)));
            }
            DenseAnswer::Form(form) => {
                refused(Answer::Form(&one_more(form)));
                let mut less = form.clone();
                let last = less.pivots.pop().expect("rank 30");
                refused(Answer::Form(&less));
                (0..50).for_each(|column| less.matrix.set(29, column, false));
                refused(Answer::Form(&less));
                less.pivots.push(last);
                refused(Answer::Form(&less));
                if problem.operation() == gf2::Operation::Rref {
                    // The right span in a form that is not reduced.
                    refused(Answer::Form(&Echelon { matrix: added(&form.matrix, 0, 29), ..form.clone() }));
                }
            }
            DenseAnswer::Kernel { basis, .. } => {
                refused(Answer::Matrix(&without_last_row(basis)?));
                let mut dependent = basis.clone();
                dependent.row_mut(1).copy_from_slice(basis.row(0));
                refused(Answer::Matrix(&dependent));
                refused(Answer::Matrix(&BitMatrix::zeros(20, 50)?));
                // Another basis of the same space is right.
                checked(Answer::Matrix(&added(basis, 0, 1)))?;
            }
            DenseAnswer::Solution(solution) => {
                for rank in [29, 31] {
                    refused(Answer::Solution(&Solution { rank, ..solution.clone() }));
                }
                let mut others = solution.inconsistent.clone();
                if others.pop().is_none() {
                    others.push(2);
                    // The solutions of two right sides exchanged.
                    let mut x = solution.x.clone();
                    (0..50).for_each(|row| {
                        x.set(row, 0, solution.x.get(row, 1));
                        x.set(row, 1, solution.x.get(row, 0));
                    });
                    refused(Answer::Solution(&Solution { x, ..solution.clone() }));
                }
                refused(Answer::Solution(&Solution { inconsistent: others, ..solution.clone() }));
            }
            DenseAnswer::Inverse(Inverse::Regular(inverse)) => {
                refused(Answer::Matrix(&added(inverse, 3, 4)));
                [19, 20, 21].into_iter().for_each(|rank| refused(Answer::Rank(rank)));
            }
            DenseAnswer::Inverse(Inverse::Singular { .. }) => {
                [16, 18, 20].into_iter().for_each(|rank| refused(Answer::Rank(rank)));
                refused(Answer::Matrix(&BitMatrix::identity(20)?));
            }
        }
    }
    // Checks of products and transposes need no evidence.
    let b = &gf2::transpose(device, &generate::matrix(20, 50, 0.5, 6)?)?;
    let (product, transposed) = (gf2::multiply(device, a, b)?, gf2::transpose(device, a)?);
    let of_product = |product: &BitMatrix| Product::new(40, 50, 20)?.check(a, b, product);
    let of_transposed = |transposed: &BitMatrix| Transpose::new(40, 50)?.check(a, transposed);
    assert!(of_product(&product)?.to_string().contains("at most 2^-64"));
    assert!(of_transposed(&transposed)?.to_string().contains("at most 2^-64"));
    assert!(matches!(of_product(&added(&product, 1, 0)), Err(Error::Check(_))));
    assert!(matches!(of_transposed(&added(&transposed, 1, 0)), Err(Error::Check(_))));
    // Evidence for the answer to another matrix, and none for a form without all rows.
    let problem = Dense::rank(40, 50)?;
    let (_, evidence) =
        gf2::compute(device, &problem.carrying()?, &generate::matrix_of_rank(40, 50, 30, 77)?, None)?;
    assert!(problem.check_carried(device, a, None, Answer::Rank(30), &evidence).is_err());
    let prepared = problem.plan(device)?.prepare(device)?;
    assert!(matches!(Dense::echelon(40, 50)?.with_form_from(1).carrying(), Err(Error::OnlyFor { .. })));
    assert!(matches!(prepared.run((a, None))?.into_form(), Err(Error::OtherPlan { .. })));
    Ok(())
}

#[test]
fn f4_matrices_check_their_results() -> Result<()> {
    let device = &cpu();
    let f4 = generate::course::CASES[2].stand_in(1)?;
    let in_rounds = f4.clone().with_method(F4Method::Rounds);
    let (in_order, rounds) = (gf2::eliminate(device, &f4)?, gf2::eliminate(device, &in_rounds)?);
    f4.check(device, &in_order, Depth::Full)?;
    in_rounds.check(device, &rounds, Depth::Full)?;
    assert_ne!(in_order.to_lists(), rounds.to_lists());
    assert!(matches!(f4.check(device, &rounds, Depth::Full), Err(Error::Check(_))));
    Ok(())
}

/// The compilations that a timeline has recorded.
fn compilations(timeline: &Timeline) -> usize {
    timeline.recording().events.iter().filter(|event| event.phase == Phase::Preparing).count()
}

#[test]
fn kernels_are_compiled_before_the_first_run() -> Result<()> {
    // A device of its own has no kernels from other tests.
    let timeline = Timeline::with_events();
    let device = &Device::Gpu(open_another(Options { timeline: timeline.clone(), ..Options::default() }));
    let a = generate::matrix(300, 300, 0.5, 1)?;
    let prepared = Dense::rref(300, 300)?.plan(device)?.prepare(device)?;
    let compiled = compilations(&timeline);
    prepared.run((&a, None))?;
    assert_eq!(compilations(&timeline), compiled);
    let prepared = Product::new(300, 300, 300)?.plan(device)?.prepare(device)?;
    let compiled = compilations(&timeline);
    prepared.run((&a, &a).into())?;
    assert_eq!(compilations(&timeline), compiled);
    let f4 = generate::course::CASES[2].stand_in(1)?;
    for method in [F4Method::Rounds, F4Method::Blocked, F4Method::TwoStage] {
        let f4: F4Matrix = f4.clone().with_method(method);
        let prepared = f4.plan(device)?.prepare(device)?;
        let compiled = compilations(&timeline);
        prepared.run(&f4)?;
        assert_eq!(compilations(&timeline), compiled, "{method}");
    }
    assert!(compilations(&timeline) > 0);
    Ok(())
}

#[test]
fn prepared_problems_take_matrices_on_the_device() -> Result<()> {
    let gpu = open(Options::default());
    let device = &Device::Gpu(gpu.clone());
    let a = generate::matrix_of_rank(70, 300, 60, 1)?;
    for (problem, wanted, expected) in [
        (Dense::echelon(70, 300)?, Wanted::Echelon { from: 0 }, gf2::echelon(&cpu(), &a)?),
        (Dense::rref(70, 300)?, Wanted::Reduced, gf2::rref(&cpu(), &a)?),
    ] {
        let prepared = problem.plan(device)?.prepare(device)?;
        let mut matrix = DeviceMatrix::upload(&gpu, &a)?;
        let pivots = prepared.run_on_device(&mut matrix)?;
        assert_eq!(pivots, expected.pivots);
        let reduction = RowReduction::new(70, 300, wanted)?;
        let form = Echelon { matrix: matrix.download_echelon(&pivots, &reduction)?, pivots };
        problem.check(&cpu(), &a, None, Answer::Form(&form))?;
        // Another shape.
        let mut other = DeviceMatrix::zeros(&gpu, 70, 299)?;
        assert!(matches!(prepared.run_on_device(&mut other), Err(Error::WrongShape { .. })));
    }
    let (b, problem) = (generate::matrix(300, 20, 0.5, 2)?, Product::new(70, 300, 20)?);
    let [mut left, right] = [DeviceMatrix::upload(&gpu, &a)?, DeviceMatrix::upload(&gpu, &b)?];
    let prepared = problem.plan(device)?.prepare(device)?;
    let product = prepared.run_on_device(&left, &right)?;
    assert_eq!(product.download()?, gf2::multiply(&cpu(), &a, &b)?);
    assert_eq!(left.download()?, a);
    let exchanged = prepared.run_on_device(&right, &left);
    assert!(matches!(exchanged, Err(Error::WrongShape { .. })));
    let kernel = Dense::kernel(70, 300)?.plan(device)?.prepare(device)?;
    assert!(matches!(kernel.run_on_device(&mut left), Err(Error::OnlyFor { .. })));
    let on_cpu = Product::new(70, 300, 20)?.plan(&cpu())?.prepare(&cpu())?;
    assert!(matches!(on_cpu.run_on_device(&left, &right), Err(Error::OnlyFor { .. })));
    Ok(())
}
