//! The threads of this process as processes, against the results of one process.

use std::sync::Arc;

use super::*;
use crate::gf2::{self, Answer, BitMatrix, Dense, F4Matrix, F4Method, IndexLists, Product, generate};
use crate::processes::failing::at_every_message;
use crate::processes::{self, Threads};
use crate::task::Problem;
use crate::{Cpu, Error, Processes, serve};

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

/// The device of processes that each compute on `own`.
fn several(processes: &Arc<dyn Transport>, own: Device) -> Result<Device> {
    Processes::new(processes.clone(), own).map(Device::Processes)
}

/// Runs `work` on process 0 of `size` with devices like `own`, which the others serve, and returns its result.
fn on<T: Send>(size: usize, own: &Device, work: impl Fn(&Device) -> Result<T> + Sync) -> Result<T> {
    let results = Threads::run(size, |processes| match processes.rank() {
        0 => {
            let result = work(&several(processes, own.clone())?)?;
            processes::end(&**processes)?;
            Ok(Some(result))
        }
        _ => serve(&**processes, |_| Ok(own.clone())).map(|()| None),
    })?;
    Ok(results.into_iter().next().flatten().unwrap())
}

fn eliminated(size: usize, f4: &F4Matrix) -> Result<IndexLists> {
    on(size, &cpu(), |device| {
        let plan = f4.plan(device)?;
        assert!(plan.to_string().contains(&format!("processes      {size}\n")));
        Ok(plan.prepare(device)?.run(f4)?.to_lists())
    })
}

fn lists(rows: &[&[u32]]) -> IndexLists {
    let mut lists = IndexLists::default();
    rows.iter().for_each(|row| lists.push(row).unwrap());
    lists
}

/// F4 matrices of all shapes that the shares can have: none, fewer rows than processes, several tiles.
fn f4_matrices() -> Vec<F4Matrix> {
    let f4 = |reducers: &[&[u32]], rows: &[&[u32]], columns| {
        F4Matrix::new(lists(reducers), lists(rows), columns).unwrap()
    };
    let mut f4_matrices = vec![
        f4(&[], &[], None),
        f4(&[], &[], Some(7)),
        f4(&[&[3, 1]], &[], None),
        f4(&[], &[&[]], None),
        f4(&[], &[&[5]], None),
        f4(&[&[7, 3], &[]], &[&[7, 1], &[3, 1]], None),
        f4(&[], &[&[2, 1], &[2, 1], &[2], &[], &[1]], None),
        // Most columns are empty, so columns are relabelled.
        f4(&[&[4_000_000_000, 5]], &[&[4_000_000_000, 9], &[5], &[70_000, 5]], None),
    ];
    for (seed, (columns, reducers, rows)) in
        [(100, 30, 40), (600, 500, 3), (700, 80, 300), (1700, 600, 900), (1100, 1000, 1200)]
            .into_iter()
            .enumerate()
    {
        let shape = generate::Groebner {
            columns,
            reducers,
            rows,
            new_pivots: columns - reducers,
            reducer_ones: 12,
            row_ones: 40,
            seed: seed as u64,
        };
        let (reducers, rows) = shape.generate().unwrap();
        f4_matrices.push(F4Matrix::new(reducers, rows, None).unwrap());
    }
    f4_matrices
}

#[test]
fn f4_matrices_have_the_result_of_one_process() {
    for (k, f4) in f4_matrices().into_iter().enumerate() {
        for method in [F4Method::Auto, F4Method::Rounds, F4Method::Blocked, F4Method::TwoStage] {
            let f4 = f4.clone().with_method(method);
            let alone = gf2::eliminate(&cpu(), &f4).unwrap().to_lists();
            for size in 1..=5 {
                assert_eq!(eliminated(size, &f4).unwrap(), alone, "system {k}, {method}, {size}");
            }
        }
    }
}

/// More rows than a process looks at first, in blocks with as many pivots as columns, with fewer, and with none;
/// several tables of columns, in more than one round.
#[test]
fn all_processes_choose_the_new_pivots() {
    for (columns, reducers, rows, new_pivots, row_ones) in
        [(1800, 700, 2600, 1100, 5), (1800, 700, 2600, 800, 5), (900, 100, 4300, 300, 40)]
    {
        let shape = generate::Groebner {
            columns,
            reducers,
            rows,
            new_pivots,
            reducer_ones: 12,
            row_ones,
            seed: new_pivots as u64,
        };
        let (reducers, rows) = shape.generate().unwrap();
        let f4 = F4Matrix::new(reducers, rows, None).unwrap().with_method(F4Method::TwoStage);
        let alone = gf2::eliminate(&cpu(), &f4).unwrap().to_lists();
        for size in 1..=4 {
            assert_eq!(eliminated(size, &f4).unwrap(), alone, "{columns} columns, {new_pivots}, {size}");
        }
    }
}

#[test]
fn f4_matrices_on_gpus_have_the_result_of_one_process() {
    let device = Device::Gpu(crate::gpu::test_devices::open(crate::gpu::Options::default()));
    for (k, f4) in f4_matrices().into_iter().enumerate() {
        for method in [F4Method::Blocked, F4Method::TwoStage] {
            let f4 = f4.clone().with_method(method);
            let alone = gf2::eliminate(&cpu(), &f4).unwrap().to_lists();
            // The larger F4 matrices take all numbers of processes in turn.
            for size in if k < 8 { 1..=3 } else { 1 + k % 3..=1 + k % 3 } {
                let result = on(size, &device, |device| {
                    let plan = f4.plan(device)?;
                    assert_eq!(plan.method(), method);
                    Ok(plan.prepare(device)?.run(&f4)?.to_lists())
                });
                assert_eq!(result.unwrap(), alone, "system {k}, {method}, {size}");
            }
        }
    }
}

#[test]
fn methods_of_one_process_are_refused() {
    for method in [F4Method::Bands, F4Method::XorThreads] {
        let f4 = f4_matrices().remove(5).with_method(method);
        let refused = on(2, &cpu(), |device| Ok(matches!(f4.plan(device), Err(Error::OnlyFor { .. }))));
        assert!(refused.unwrap());
    }
}

#[test]
fn dense_results_are_those_of_one_process() {
    let shapes = [(0, 0), (0, 5), (5, 0), (1, 1), (3, 2), (64, 64), (130, 1100), (1100, 700), (1600, 1600)];
    for (rows, columns) in shapes {
        for density in [0.5, 0.002] {
            let a = generate::matrix(rows, columns, density, 3).unwrap();
            for size in [1, 2, 3, 5] {
                check_dense(&a, size);
            }
        }
    }
}

fn check_dense(a: &BitMatrix, size: usize) {
    let (rows, columns, alone) = (a.rows(), a.columns(), cpu());
    let name = format!("{rows} x {columns} on {size}");
    on(size, &alone, |device| {
        let run = |dense: Dense, b: Option<&BitMatrix>| {
            let plan = dense.plan(device)?;
            assert!(plan.to_string().lines().count() > 5);
            plan.prepare(device)?.run((a, b))
        };
        let carry = |dense: Dense, b: Option<&BitMatrix>| {
            let (answer, evidence) = dense.carrying()?.plan(device)?.prepare(device)?.run((a, b))?;
            dense.check_carried(&alone, a, b, answer.as_answer(), &evidence)?;
            Ok((answer, evidence))
        };
        let rank = Dense::rank(rows, columns)?;
        assert_eq!(run(rank, None)?.into_pivots()?, gf2::pivots(&alone, a)?, "{name}");
        let (answer, evidence) = carry(rank, None)?;
        let wrong = Answer::Rank(answer.into_pivots()?.len() + 1);
        assert!(rank.check_carried(&alone, a, None, wrong, &evidence).is_err(), "{name}");
        assert!(
            run(Dense::echelon(rows, columns)?, None)?.into_form()? == gf2::echelon(&alone, a)?,
            "{name}"
        );
        let form = run(Dense::rref(rows, columns)?.with_pivots_within(columns / 2), None)?.into_form()?;
        assert!(
            form == gf2::compute(
                &alone,
                &Dense::rref(rows, columns)?.with_pivots_within(columns / 2),
                a,
                None
            )?
            .into_form()?,
            "{name}"
        );
        assert!(
            run(Dense::kernel(rows, columns)?, None)?.into_kernel()?.0 == gf2::kernel(&alone, a)?,
            "{name}"
        );
        let b = generate::matrix(rows, 65, 0.5, 4)?;
        let (solve, expected) = (Dense::solve(rows, columns, 65)?, gf2::solve(&alone, a, &b)?);
        assert!(run(solve, Some(&b))?.into_solution()? == expected, "{name}");
        assert!(carry(solve, Some(&b))?.0.into_solution()? == expected, "{name}");
        let b = generate::matrix(columns, 130, 0.5, 5)?;
        let plan = Product::new(rows, columns, 130)?.plan(device)?;
        assert!(plan.to_string().lines().count() > 5);
        assert!(plan.prepare(device)?.run((a, &b).into())? == gf2::multiply(&alone, a, &b)?, "{name}");
        if rows == columns {
            let (inverse, expected) = (Dense::inverse(rows)?, gf2::inverse(&alone, a)?);
            assert!(run(inverse, None)?.into_inverse()? == expected, "{name}");
            assert!(carry(inverse, None)?.0.into_inverse()? == expected, "{name}");
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn dense_results_on_gpus_are_those_of_one_process() {
    let own = Device::Gpu(crate::gpu::test_devices::open(crate::gpu::Options::default()));
    let (a, b) = (generate::matrix(300, 600, 0.5, 3).unwrap(), generate::matrix(300, 65, 0.5, 4).unwrap());
    for size in [1, 2, 4] {
        for (problem, b) in [
            (Dense::rank(300, 600).unwrap(), None),
            (Dense::echelon(300, 600).unwrap(), None),
            (Dense::solve(300, 600, 65).unwrap(), Some(&b)),
        ] {
            let result = on(size, &own, |device| {
                let plan = problem.plan(device)?;
                assert!(plan.to_string().contains("3 tiles of 256 columns") || b.is_some(), "{plan}");
                plan.prepare(device)?.run((&a, b))
            });
            let alone = gf2::compute(&own, &problem, &a, b).unwrap();
            assert!(result.unwrap() == alone, "{:?} on {size}", problem.operation());
        }
    }
}

#[test]
fn a_process_whose_device_fails_ends_the_job_with_its_error() {
    let a = generate::matrix(700, 700, 0.5, 3).unwrap();
    let outcome = Threads::run(3, |processes| {
        if processes.rank() > 0 {
            return serve(&**processes, |_| match processes.rank() {
                2 => Err(Error::NoDevice("none here".into())),
                _ => Ok(cpu()),
            });
        }
        gf2::rank(&several(processes, cpu())?, &a)?;
        // Process 2 has no columns here, so that process 0 may end without a word from it.
        crate::processes::end(&**processes)
    });
    assert!(matches!(outcome, Err(Error::NoDevice(message)) if message == "none here"));
}

#[test]
fn an_elimination_ends_whichever_message_one_process_fails_at() {
    // Several rounds, several tiles, and rows that only some processes have.
    for f4 in [&f4_matrices()[6], &f4_matrices()[11]] {
        for method in [F4Method::Rounds, F4Method::Blocked, F4Method::TwoStage] {
            let f4 = f4.clone().with_method(method);
            for size in [2, 3] {
                at_every_message(size, |processes| {
                    gf2::eliminate(&several(processes, cpu())?, &f4).map(drop)
                });
            }
        }
    }
}

#[test]
fn linear_algebra_ends_whichever_message_one_process_fails_at() {
    let a = generate::matrix(600, 1600, 0.5, 3).unwrap();
    let b = generate::matrix(1600, 130, 0.5, 5).unwrap();
    for size in [2, 4] {
        at_every_message(size, |processes| gf2::rref(&several(processes, cpu())?, &a).map(drop));
        at_every_message(size, |processes| gf2::multiply(&several(processes, cpu())?, &a, &b).map(drop));
    }
}

#[test]
fn a_wrong_header_is_refused() {
    for words in [&[][..], &[99], &[JobKind::Echelon as u64], &[JobKind::Echelon as u64, 5, 5, 6, 0]] {
        let outcome = Threads::run(1, |processes| gf2::serve(&**processes, &cpu(), words));
        assert!(matches!(outcome, Err(Error::Device(_))), "{words:?}");
    }
}
