//! Answers from files equal those in memory, bit for bit, with any number of tiles in memory.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{OnFiles, OnFilesAnswer, ProductOnFiles};
use crate::gf2::bit_matrix::Line;
use crate::gf2::verify::Bands;
use crate::gf2::{self, BitMatrix, Dense, Inverse, Product};
use crate::task::{CpuProfile, Engine, Problem, Profile};
use crate::{Cpu, Device, Error, Result};

fn random(rows: usize, columns: usize, seed: u64) -> BitMatrix {
    let mut matrix = BitMatrix::zeros(rows, columns).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for row in 0..rows {
        (0..columns).for_each(|column| matrix.set(row, column, rng.next_u32() & 1 == 1));
    }
    matrix
}

/// A matrix of rank at most `rank` whose columns from `empty` on, 512 of them, are zero.
fn deficient(rows: usize, columns: usize, rank: usize, empty: usize) -> BitMatrix {
    let device = Device::Cpu(Cpu::default());
    let [left, right] = [random(rows, rank, 1), random(rank, columns, 2)];
    let mut product = gf2::multiply(&device, &left, &right).unwrap();
    for row in 0..rows {
        (empty..columns.min(empty + 512)).for_each(|column| product.set(row, column, false));
    }
    product
}

fn matrices() -> Vec<BitMatrix> {
    vec![
        random(0, 0, 1),
        random(0, 700, 1),
        random(700, 0, 1),
        random(1, 1, 3),
        random(1, 2000, 1),
        random(2000, 1, 1),
        random(64, 64, 5),
        random(700, 1800, 1),
        random(1800, 700, 2),
        random(1500, 1500, 3),
        deficient(1300, 2100, 600, 512),
        deficient(900, 2100, 0, 0),
        deficient(2100, 1300, 3, 100),
    ]
}

/// The least memory of a problem, a little more, and all that is needed; each with its device.
fn memories(problem: &impl Problem) -> [(u64, Device); 3] {
    let profile = |host_memory| Profile {
        engine: Engine::Cpu(CpuProfile::of_threads(2)),
        host_memory,
        device_memory: 0,
    };
    let least = match problem.plan_for(&profile(0)) {
        Err(Error::OutOfMemory(shortage)) => shortage.needed.unwrap(),
        other => panic!("{other:?}"),
    };
    assert!(problem.plan_for(&profile(least - 1)).is_err());
    [least, least + least / 3, u64::MAX].map(|memory| {
        let device = Device::Cpu(Cpu { memory, threads: 2, ..Cpu::default() });
        assert!(problem.plan(&device).unwrap().cost().host_bytes <= memory);
        (memory, device)
    })
}

/// The plans with the least memory, with a little more, and with all that is needed.
fn answers<T>(
    dense: Dense,
    mut check: impl FnMut(u64, &mut dyn FnMut(&BitMatrix, Option<&BitMatrix>, &mut dyn FnMut(OnFilesAnswer))) -> T,
) {
    let problem = OnFiles::new(dense);
    for (memory, device) in memories(&problem) {
        let folder = tempfile::tempdir().unwrap();
        let prepared = problem.plan(&device).unwrap().prepare_with(&device, folder.path()).unwrap();
        check(memory, &mut |a, b, take| {
            take(prepared.run((a.view(), b.map(BitMatrix::view))).unwrap());
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        });
    }
}

/// The matrix whose bands `bands` gives.
fn collect_of(
    (rows, columns): (usize, usize),
    bands: impl FnOnce(&mut dyn FnMut(&BitMatrix) -> Result<()>) -> Result<()>,
) -> BitMatrix {
    let mut all = BitMatrix::zeros(rows, columns).unwrap();
    let mut first = 0;
    let mut copy = |band: &BitMatrix| -> Result<()> {
        for row in 0..band.rows() {
            all.row_mut(first + row).copy_from_slice(band.row(row));
        }
        first += band.rows();
        Ok(())
    };
    bands(&mut copy).unwrap();
    assert_eq!(first, rows);
    all
}

fn collect(stored: &dyn Bands) -> BitMatrix {
    collect_of((stored.rows(), stored.columns()), |take| stored.bands(take))
}

#[test]
fn forms_and_kernels_equal_those_in_memory() {
    let device = Device::Cpu(Cpu::default());
    for a in matrices() {
        let (rows, columns) = (a.rows(), a.columns());
        let expected = gf2::pivots(&device, &a).unwrap();
        answers(Dense::rank(rows, columns).unwrap(), |memory, run| {
            run(&a, None, &mut |answer| {
                assert_eq!(answer.pivots, expected, "{rows} x {columns} in {memory}");
                assert!(answer.matrix.is_none());
            });
        });
        let expected = [gf2::echelon(&device, &a).unwrap(), gf2::rref(&device, &a).unwrap()];
        let problems = [Dense::echelon(rows, columns).unwrap(), Dense::rref(rows, columns).unwrap()];
        for (problem, form) in problems.into_iter().zip(expected) {
            answers(problem, |memory, run| {
                run(&a, None, &mut |answer| {
                    assert_eq!(answer.pivots, form.pivots, "{rows} x {columns} in {memory}");
                    assert!(
                        collect(&answer.matrix.unwrap()) == form.matrix,
                        "{rows} x {columns} in {memory}"
                    );
                });
            });
        }
        let expected = gf2::kernel(&device, &a).unwrap();
        answers(Dense::kernel(rows, columns).unwrap(), |memory, run| {
            run(&a, None, &mut |answer| {
                assert!(collect(&answer.matrix.unwrap()) == expected, "{rows} x {columns} in {memory}");
            });
        });
    }
}

#[test]
fn solutions_equal_those_in_memory() {
    let device = Device::Cpu(Cpu::default());
    for a in matrices() {
        for sides in [0, 1, 700] {
            // Right sides in the span of the columns have solutions; random ones may have none.
            let x = random(a.columns(), sides, 7);
            for b in [gf2::multiply(&device, &a, &x).unwrap(), random(a.rows(), sides, 8)] {
                let expected = gf2::solve(&device, &a, &b).unwrap();
                answers(Dense::solve(a.rows(), a.columns(), sides).unwrap(), |memory, run| {
                    run(&a, Some(&b), &mut |answer| {
                        assert_eq!(answer.inconsistent, expected.inconsistent);
                        assert_eq!(answer.rank(), expected.rank);
                        let has_any = sides == 0 || expected.inconsistent.len() < sides;
                        assert_eq!(answer.matrix.is_some(), has_any);
                        let solvable = expected.clone().into_solvable();
                        if let Some(x) = answer.matrix {
                            assert!(collect(&x) == solvable, "{sides} sides in {memory}");
                        }
                    });
                });
            }
        }
    }
}

#[test]
fn inverses_equal_those_in_memory() {
    let device = Device::Cpu(Cpu::default());
    let mut is_met = [false; 2];
    for (n, seed) in (0..8).map(|seed| (1100, seed)).chain([(0, 1), (1, 1), (1, 2), (512, 3)]) {
        let a = random(n, n, seed);
        let expected = gf2::inverse(&device, &a).unwrap();
        answers(Dense::inverse(n).unwrap(), |memory, run| {
            run(&a, None, &mut |answer| match (&expected, answer.matrix) {
                (Inverse::Regular(inverse), Some(stored)) => {
                    is_met[0] = true;
                    assert!(collect(&stored) == *inverse, "{n} in {memory}");
                }
                (Inverse::Singular { rank }, None) => {
                    is_met[1] = true;
                    assert_eq!(answer.pivots.len(), *rank);
                }
                other => panic!("{n} in {memory}: {other:?}"),
            });
        });
    }
    assert_eq!(is_met, [true; 2]);
}

#[test]
fn products_equal_those_in_memory() {
    let device = Device::Cpu(Cpu::default());
    let shapes = [(0, 0, 0), (0, 5, 5), (5, 0, 5), (5, 5, 0), (1, 1, 1), (700, 1100, 1300), (3, 2000, 513)];
    for (rows, inner, columns) in shapes {
        let (a, b) = (random(rows, inner, 1), random(inner, columns, 2));
        let expected = gf2::multiply(&device, &a, &b).unwrap();
        let problem = ProductOnFiles::new(Product::new(rows, inner, columns).unwrap());
        for (memory, device) in memories(&problem) {
            let folder = tempfile::tempdir().unwrap();
            let prepared = problem.plan(&device).unwrap().prepare_with(&device, folder.path()).unwrap();
            let product = collect_of((rows, columns), |take| prepared.run((a.view(), b.view(), take)));
            assert!(product == expected, "{rows} x {columns} in {memory}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}

/// A bit of the form, of the carried words or of the right sides that is wrong after a run.
#[test]
fn a_run_that_goes_wrong_is_refused() {
    let device = Device::Cpu(Cpu::default());
    let (a, folder) = (deficient(200, 1300, 90, 512), tempfile::tempdir().unwrap());
    let b = gf2::multiply(&device, &a, &random(1300, 70, 4)).unwrap();
    let (rows, columns) = (200, 1300);
    for dense in [
        Dense::rank(rows, columns),
        Dense::echelon(rows, columns),
        Dense::rref(rows, columns),
        Dense::kernel(rows, columns),
        Dense::solve(rows, columns, 70),
    ] {
        let problem = OnFiles::new(dense.unwrap()).with_carried_columns(true);
        let prepared = problem.plan(&device).unwrap().prepare_with(&device, folder.path()).unwrap();
        let is_solution = problem.layout().right == 1;
        let (a, b) = (a.view(), is_solution.then_some(b.view()));
        let answer = prepared.run((a, b)).unwrap();
        let evidence = answer.evidence.as_ref().unwrap();
        let flip = |tile, row, bit| {
            let mut line = [Line::ZERO];
            evidence.tiles.read(tile, row, &mut line).unwrap();
            line[0].flip(bit);
            evidence.tiles.write_rows(tile, row, &line).unwrap();
        };
        for row in [0, 77, 199] {
            // Columns of A, a carried one, one of B.
            for (tile, bit) in [(0, 3), (1, 100), (2, 270), (3, 0), (3, 63), (4, 69)] {
                if tile < 4 || is_solution {
                    flip(tile, row, bit);
                    let checked = problem.check_carried(a, b, &answer);
                    assert!(matches!(checked, Err(Error::Check(_))), "{row} {tile} {bit}: {checked:?}");
                    flip(tile, row, bit);
                }
            }
        }
        problem.check_carried(a, b, &answer).unwrap();
    }
}

#[test]
fn faults_are_errors() {
    let device = Device::Cpu(Cpu::default());
    let plan = OnFiles::new(Dense::rref(3, 3).unwrap()).plan(&device).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let a = random(3, 3, 1);
    let error = plan.prepare_with(&device, &missing).unwrap().run((a.view(), None)).unwrap_err();
    assert_eq!(error.exit_code(), 6);
    let b = random(3, 4, 1);
    let error = plan.prepare_with(&device, folder.path()).unwrap().run((b.view(), None)).unwrap_err();
    assert_eq!(error.exit_code(), 3);
}

#[test]
fn eliminations_on_files_tell_their_progress() {
    let matrix = random(600, 2300, 1);
    for dense in [Dense::rref(600, 2300).unwrap(), Dense::rank(600, 2300).unwrap()] {
        let problem = OnFiles::new(dense);
        let profile =
            Profile { engine: Engine::Cpu(CpuProfile::of_threads(2)), host_memory: 0, device_memory: 0 };
        let Err(Error::OutOfMemory(shortage)) = problem.plan_for(&profile) else { panic!("0 bytes suffice") };
        // One of the five tiles at a time, and all of them.
        for memory in [shortage.needed.unwrap(), u64::MAX] {
            let cpu = Cpu { memory, threads: 2, ..Cpu::default() };
            let device = Device::Cpu(cpu.clone());
            let folder = tempfile::tempdir().unwrap();
            let prepared = problem.plan(&device).unwrap().prepare_with(&device, folder.path()).unwrap();
            prepared.run((matrix.view(), None)).unwrap();
            let shares = cpu.timeline.shares();
            assert!(shares.len() >= 3 && shares.is_sorted() && shares.last() == Some(&1.0), "{shares:?}");
            assert!(shares.iter().any(|share| (0.05..0.95).contains(share)), "{shares:?}");
            assert_eq!(cpu.timeline.progress(), None);
        }
    }
}
