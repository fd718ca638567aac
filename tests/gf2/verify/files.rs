//! Checks of answers on files, with as little memory as they take.

use super::{FLIPS, refused};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::gf2::{
    self, Answer, BitMatrix, Dense, FromFiles, Inverse, OnFiles, Product, ProductCheck, ProductOnFiles,
    generate, verify,
};
use wgalois::task::{CpuProfile, Engine, Problem, Profile};
use wgalois::verify::Guarantee;
use wgalois::{Cpu, Device, Error, Result};

fn in_memory() -> Device {
    Device::Cpu(Cpu::default())
}

/// The device with the least memory for a problem.
fn least(problem: &impl Problem) -> Device {
    let profile =
        Profile { engine: Engine::Cpu(CpuProfile::of_threads(2)), host_memory: 0, device_memory: 0 };
    let memory = match problem.plan_for(&profile) {
        Err(Error::OutOfMemory(shortage)) => shortage.needed.unwrap(),
        other => panic!("{other:?}"),
    };
    Device::Cpu(Cpu { memory, threads: 2, ..Cpu::default() })
}

fn check(dense: Dense, a: &BitMatrix, b: Option<&BitMatrix>, answer: Answer<'_>) -> Result<Guarantee> {
    let problem = OnFiles::new(dense);
    let device = problem.elimination_of_check(answer).map_or_else(in_memory, |problem| least(&problem));
    let scratch = tempfile::tempdir().unwrap();
    let check = |device| problem.check(&device, scratch.path(), (a.view(), b.map(BitMatrix::view)), answer);
    let checked = match check(device) {
        // A basis that is not the canonical one is eliminated, too.
        Err(Error::OutOfMemory(shortage)) => {
            let memory = shortage.needed.unwrap();
            check(Device::Cpu(Cpu { memory, threads: 2, ..Cpu::default() }))
        }
        checked => checked,
    };
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
    checked
}

/// Runs a problem with carried columns and checks its answer.
fn run_and_check(dense: Dense, a: &BitMatrix, b: Option<&BitMatrix>) -> String {
    let problem = OnFiles::new(dense).with_carried_columns(true);
    let device = least(&problem);
    let plan = problem.plan(&device).unwrap();
    let parts = plan.way::<FromFiles>().unwrap().parts;
    assert!(parts > 1 || a.columns() <= 512, "{parts} parts");
    let scratch = tempfile::tempdir().unwrap();
    let prepared = plan.prepare_with(&device, scratch.path()).unwrap();
    let (a, b) = (a.view(), b.map(BitMatrix::view));
    let mut answer = prepared.run((a, b)).unwrap();
    let guarantee = problem.check_carried(a, b, &answer).unwrap();
    // Another rank, and other sides without a solution, are refused.
    if let Some(pivot) = answer.pivots.pop() {
        if answer.matrix.is_none() || !matches!(dense.operation(), gf2::Operation::Inverse) {
            refused(problem.check_carried(a, b, &answer));
        }
        answer.pivots.push(pivot);
    }
    if dense.operation() == gf2::Operation::Solve {
        match answer.inconsistent.pop() {
            Some(_) => {}
            None => answer.inconsistent.push(0),
        }
        refused(problem.check_carried(a, b, &answer));
    }
    assert!(plan.cost().host_bytes > 0);
    guarantee.to_string()
}

/// Flips bits at random places, each alone, and expects `check` to refuse.
fn every_flip_is_found(right: &BitMatrix, check: impl Fn(&BitMatrix) -> Result<Guarantee>) {
    check(right).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..FLIPS.min(12) {
        let (row, column) = (rng.random_range(0..right.rows()), rng.random_range(0..right.columns()));
        let mut wrong = right.clone();
        wrong.set(row, column, !right.get(row, column));
        refused(check(&wrong));
    }
}

fn add_row(matrix: &mut BitMatrix, from: usize, to: usize) {
    let row = matrix.row(from).to_vec();
    matrix.row_mut(to).iter_mut().zip(row).for_each(|(word, other)| *word ^= other);
}

/// 150 x 1300 of rank 90.
fn deficient() -> BitMatrix {
    generate::matrix_of_rank(150, 1300, 90, 5).unwrap()
}

#[test]
fn every_answer_of_a_run_is_proven() {
    let a = deficient();
    let (rows, columns) = (a.rows(), a.columns());
    let claims = [
        (Dense::rank(rows, columns), "the rank is 90"),
        (Dense::echelon(rows, columns), "this is a row echelon form"),
        (Dense::rref(rows, columns), "this is the reduced row echelon form"),
        (Dense::kernel(rows, columns), "a basis of the kernel"),
    ];
    for (dense, claim) in claims {
        let guarantee = run_and_check(dense.unwrap(), &a, None);
        assert!(guarantee.contains(claim) && guarantee.contains("at most 2^-64"), "{guarantee}");
    }
    let x = generate::matrix(columns, 700, 0.5, 1).unwrap();
    let b = gf2::multiply(&in_memory(), &a, &x).unwrap();
    let solve = Dense::solve(rows, columns, 700).unwrap();
    assert!(run_and_check(solve, &a, Some(&b)).contains("every column of x solves"));
    let mut without = b.clone();
    add_row(&mut without, 3, 4);
    assert!(run_and_check(solve, &a, Some(&without)).contains("no solution"));
    for (seed, claim) in [(1, "the rank is"), (12, "this is the inverse")] {
        let a = match seed {
            1 => generate::matrix_of_rank(600, 600, 599, seed).unwrap(),
            _ => regular(600),
        };
        let guarantee = run_and_check(Dense::inverse(600).unwrap(), &a, None);
        assert!(guarantee.contains(claim), "{guarantee}");
    }
    for (rows, columns) in [(0, 0), (0, 5), (5, 0), (1, 1)] {
        let a = BitMatrix::zeros(rows, columns).unwrap();
        for dense in [Dense::rank(rows, columns), Dense::rref(rows, columns), Dense::kernel(rows, columns)] {
            run_and_check(dense.unwrap(), &a, None);
        }
    }
    let product = ProductOnFiles::new(Product::new(rows, columns, 700).unwrap()).with_check(true);
    let device = least(&product);
    let folder = std::env::temp_dir();
    let prepared = product.plan(&device).unwrap().prepare_with(&device, &folder).unwrap();
    let check = |factor: &BitMatrix| {
        let mut check = ProductCheck::new(&a, factor).unwrap();
        prepared.run((a.view(), x.view(), &mut |band: &BitMatrix| check.take(band)))?;
        check.finish()
    };
    check(&x).unwrap();
    refused(check(&generate::matrix(columns, 700, 0.5, 2).unwrap()));
}

/// A regular matrix: the product of a lower and an upper triangular one.
fn regular(n: usize) -> BitMatrix {
    let mut factors = [1, 2].map(|seed| generate::matrix(n, n, 0.5, seed).unwrap());
    for (upper, factor) in factors.iter_mut().enumerate() {
        for row in 0..n {
            factor.set(row, row, true);
            let zeros = if upper == 1 { 0..row } else { row + 1..n };
            zeros.for_each(|column| factor.set(row, column, false));
        }
    }
    gf2::multiply(&in_memory(), &factors[0], &factors[1]).unwrap()
}

#[test]
fn forms_of_other_ranks_and_spaces_are_refused() {
    let a = deficient();
    for is_reduced in [false, true] {
        let (dense, right) = match is_reduced {
            true => (Dense::rref(150, 1300), gf2::rref(&in_memory(), &a)),
            false => (Dense::echelon(150, 1300), gf2::echelon(&in_memory(), &a)),
        };
        let (dense, right) = (dense.unwrap(), right.unwrap().matrix);
        let check = |form: &BitMatrix| check(dense, &a, None, Answer::Matrix(&form.view()));
        every_flip_is_found(&right, check);
        // A row is missing; a row too many; another space of the same rank.
        let mut wrong = right.clone();
        wrong.row_mut(89).fill(0);
        refused(check(&wrong));
        let mut wrong = right.clone();
        wrong.set(90, 1299, true);
        refused(check(&wrong));
        let other = generate::matrix_of_rank(150, 1300, 90, 6).unwrap();
        refused(check(&gf2::rref(&in_memory(), &other).unwrap().matrix));
        // Within the span: an echelon form still, but not the reduced one.
        let mut within = right.clone();
        add_row(&mut within, 60, 3);
        assert_eq!(check(&within).is_ok(), !is_reduced);
    }
    let rank = |rank| check(Dense::rank(150, 1300).unwrap(), &a, None, Answer::Rank(rank));
    rank(90).unwrap();
    refused(rank(91));
    refused(rank(89));
}

#[test]
fn wrong_kernels_are_refused() {
    let a = deficient();
    let kernel = gf2::kernel(&in_memory(), &a).unwrap();
    let check = |kernel: &BitMatrix| {
        let dense = Dense::kernel(150, 1300).unwrap();
        check(dense, &a, None, Answer::Matrix(&kernel.view()))
    };
    every_flip_is_found(&kernel, check);
    // Any basis is right; dependent vectors are no basis.
    let mut other = kernel.clone();
    add_row(&mut other, 900, 3);
    check(&other).unwrap();
    let copy = other.row(3).to_vec();
    other.row_mut(900).copy_from_slice(&copy);
    refused(check(&other));
    refused(check(&BitMatrix::zeros(1209, 1300).unwrap()));
}

#[test]
fn wrong_solutions_inverses_and_products_are_refused() {
    let (a, x) = (deficient(), generate::matrix(1300, 70, 0.5, 1).unwrap());
    let b = gf2::multiply(&in_memory(), &a, &x).unwrap();
    every_flip_is_found(&b, |b| verify::product(&a.view(), &x.view(), &b.view()));
    let solve = Dense::solve(150, 1300, 70).unwrap();
    every_flip_is_found(&x, |x| check(solve, &a, Some(&b), Answer::Matrix(&x.view())));
    let unsolvable = |b: &BitMatrix, sides: &[u32]| check(solve, &a, Some(b), Answer::Unsolvable(sides));
    refused(unsolvable(&b, &[0]));
    let mut without = b.clone();
    (0..150).for_each(|row| without.set(row, 7, row % 3 == 0));
    unsolvable(&without, &[7]).unwrap();
    refused(unsolvable(&without, &[]));
    refused(unsolvable(&without, &[7, 8]));
    let a = regular(130);
    let Inverse::Regular(inverse) = gf2::inverse(&in_memory(), &a).unwrap() else { panic!("singular") };
    let dense = Dense::inverse(130).unwrap();
    every_flip_is_found(&inverse, |x| check(dense, &a, None, Answer::Matrix(&x.view())));
    refused(check(dense, &a, None, Answer::Rank(130)));
    refused(check(dense, &a, None, Answer::Rank(129)));
    let answer = Answer::Unsolvable(&[]);
    assert!(matches!(check(dense, &a, None, answer), Err(Error::OnlyFor { .. })));
}
