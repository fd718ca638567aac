//! The contract over GF(2): problems check their answers, plans compile before the first run, and prepared
//! problems take matrices on the device.

mod gpu_common;

use gpu_common::{open, open_another};
use wgalois::gf2::gpu::DeviceMatrix;
use wgalois::gf2::verify::Depth;
use wgalois::gf2::{self, Answer, BitMatrix, Dense, Echelon, Inverse, Method, Solution, System, generate};
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
        assert!(matches!(limited, Err(Error::Usage(_))));
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
    assert!(matches!(problem.check(device, a, None, Answer::Solution(&none)), Err(Error::Input(_))));

    let problem = Dense::inverse(20)?;
    let inverse = gf2::inverse(device, square)?;
    assert!(matches!(inverse, Inverse::Regular(_)));
    problem.check(device, square, None, Answer::Inverse(&inverse))?;
    let singular = Inverse::Singular { rank: 19 };
    assert!(is_wrong(problem.check(device, square, None, Answer::Inverse(&singular))));

    let problem = Dense::multiply(40, 50, 6)?;
    problem.check(device, a, Some(&x), Answer::Matrix(b))?;
    assert!(is_wrong(problem.check(device, a, Some(&x), Answer::Matrix(&flipped(b)))));

    let (problem, transposed) = (Dense::transpose(40, 50)?, gf2::transpose(device, a)?);
    problem.check(device, a, None, Answer::Matrix(&transposed))?;
    assert!(is_wrong(problem.check(device, a, None, Answer::Matrix(&flipped(&transposed)))));

    let mismatched = Dense::rank(40, 51)?.check(device, a, None, Answer::Rank(30));
    assert!(matches!(mismatched, Err(Error::Input(_))));
    let other_kind = Dense::rank(40, 50)?.check(device, a, None, Answer::Matrix(a));
    assert!(matches!(other_kind, Err(Error::Usage(_))));
    Ok(())
}

#[test]
fn systems_check_their_results() -> Result<()> {
    let device = &cpu();
    let system = generate::course::CASES[2].stand_in(1)?;
    let in_rounds = system.clone().with_method(Method::Rounds);
    let (in_order, rounds) = (gf2::eliminate(device, &system)?, gf2::eliminate(device, &in_rounds)?);
    system.check(device, &in_order, Depth::Full)?;
    in_rounds.check(device, &rounds, Depth::Full)?;
    assert_ne!(in_order.to_lists(), rounds.to_lists());
    assert!(matches!(system.check(device, &rounds, Depth::Full), Err(Error::Check(_))));
    Ok(())
}

/// The compilations that a timeline has recorded.
fn compilations(timeline: &Timeline) -> usize {
    timeline.recording().events.iter().filter(|event| event.phase == Phase::Preparing).count()
}

#[test]
fn kernels_are_compiled_before_the_first_run() -> Result<()> {
    // A device of its own has no kernels from other tests.
    let timeline = Timeline::default();
    let device = &Device::Gpu(open_another(Options { timeline: timeline.clone(), ..Options::default() }));
    let a = generate::matrix(300, 300, 0.5, 1)?;
    let prepared = Dense::rref(300, 300)?.plan(device)?.prepare(device)?;
    let compiled = compilations(&timeline);
    prepared.echelon(&a)?;
    assert_eq!(compilations(&timeline), compiled);
    let prepared = Dense::multiply(300, 300, 300)?.plan(device)?.prepare(device)?;
    let compiled = compilations(&timeline);
    prepared.multiply(&a, &a)?;
    assert_eq!(compilations(&timeline), compiled);
    let system = generate::course::CASES[2].stand_in(1)?;
    for method in [Method::Rounds, Method::Blocked, Method::TwoStage] {
        let system: System = system.clone().with_method(method);
        let prepared = system.plan(device)?.prepare(device)?;
        let compiled = compilations(&timeline);
        prepared.run(&system)?;
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
    for (problem, expected) in [
        (Dense::echelon(70, 300)?, gf2::echelon(&cpu(), &a)?),
        (Dense::rref(70, 300)?, gf2::rref(&cpu(), &a)?),
    ] {
        let prepared = problem.plan(device)?.prepare(device)?;
        let mut matrix = DeviceMatrix::upload(&gpu, &a)?;
        let pivots = prepared.run_on_device(&mut matrix)?;
        assert_eq!(pivots, expected.pivots);
        let full = problem.operation() == gf2::Operation::Rref;
        let form = Echelon { matrix: matrix.download_echelon(&pivots, full)?, pivots };
        problem.check(&cpu(), &a, None, Answer::Form(&form))?;
        // Another shape.
        let mut other = DeviceMatrix::zeros(&gpu, 70, 299)?;
        assert!(matches!(prepared.run_on_device(&mut other), Err(Error::Input(_))));
        assert!(matches!(prepared.multiply_on_device(&matrix, &other), Err(Error::Usage(_))));
    }
    let (b, problem) = (generate::matrix(300, 20, 0.5, 2)?, Dense::multiply(70, 300, 20)?);
    let [left, mut right] = [DeviceMatrix::upload(&gpu, &a)?, DeviceMatrix::upload(&gpu, &b)?];
    let prepared = problem.plan(device)?.prepare(device)?;
    let product = prepared.multiply_on_device(&left, &right)?.download()?;
    assert_eq!(product, gf2::multiply(&cpu(), &a, &b)?);
    assert!(matches!(prepared.multiply_on_device(&right, &left), Err(Error::Input(_))));
    assert!(matches!(prepared.run_on_device(&mut right), Err(Error::Usage(_))));
    let on_cpu = Dense::multiply(70, 300, 20)?.plan(&cpu())?.prepare(&cpu())?;
    assert!(matches!(on_cpu.multiply_on_device(&left, &right), Err(Error::Usage(_))));
    Ok(())
}
