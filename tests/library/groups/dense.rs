//! Dense matrices, whose blocks of columns are shared.

use wgalois::gf2::{self, BitMatrix, Dense, generate};
use wgalois::task::{Problem, Profile};
use wgalois::{Cpu, Device, Group};

use super::{counted, group, two};

/// A matrix of about half of the rank that it could have.
pub fn deficient(rows: usize, columns: usize) -> BitMatrix {
    let rank = rows.min(columns) / 2;
    let (left, right) = (generate::matrix(rows, rank, 0.5, 5), generate::matrix(rank, columns, 0.5, 6));
    gf2::multiply(&Device::Cpu(Cpu::default()), &left.unwrap(), &right.unwrap()).unwrap()
}

/// Computes a problem, which the plan for a group shares, on one device and on the group.
fn shared(group: &Group, problem: Dense, a: &BitMatrix, b: Option<&BitMatrix>, counts: bool) {
    let one = Device::Gpu(two()[0].clone());
    let expected = problem.plan(&one).unwrap().prepare(&one).unwrap().run((a, b)).unwrap();
    let device = Device::Group(group.clone());
    let plan = problem.with_sharing(true).plan(&device).unwrap();
    assert!(plan.to_string().contains("which share the columns"), "{plan}");
    let prepared = plan.prepare(&device).unwrap();
    let result = match counts {
        true => counted(group, &plan, || prepared.run((a, b))),
        false => prepared.run((a, b)),
    };
    assert!(result.unwrap() == expected, "{:?} of {} x {}", problem.operation(), a.rows(), a.columns());
}

#[test]
fn eliminations_on_a_group_are_those_of_one_device() {
    for speeds in [[1.0, 1.0], [0.5, 1.0]] {
        let group = group(speeds);
        for (rows, columns) in [(600, 700), (1, 600), (130, 1600), (1100, 520)] {
            let random = generate::matrix(rows, columns, 0.5, 1).unwrap();
            let rref = Dense::rref(rows, columns).unwrap();
            for problem in [Dense::rank(rows, columns).unwrap(), Dense::echelon(rows, columns).unwrap(), rref]
            {
                shared(&group, problem, &random, None, true);
                shared(&group, problem, &deficient(rows, columns), None, false);
            }
            // Few ones, equal columns: panels that fail.
            let sparse = generate::matrix(rows, columns, 0.002, 3).unwrap();
            shared(&group, Dense::echelon(rows, columns).unwrap(), &sparse, None, false);
            shared(&group, rref.with_pivots_within(columns / 2), &random, None, true);
        }
    }
}

#[test]
fn solutions_kernels_and_inverses_on_a_group_are_those_of_one_device() {
    let group = group([1.0, 1.0]);
    let (a, b) = (generate::matrix(520, 300, 0.5, 1).unwrap(), generate::matrix(520, 70, 0.5, 2).unwrap());
    shared(&group, Dense::solve(520, 300, 70).unwrap(), &a, Some(&b), true);
    shared(&group, Dense::kernel(520, 300).unwrap(), &a, None, true);
    for a in [generate::matrix(280, 280, 0.5, 3).unwrap(), BitMatrix::identity(280).unwrap()] {
        shared(&group, Dense::inverse(280).unwrap(), &a, None, false);
    }
    // A run that carries columns has the evidence of one device's.
    let problem = Dense::rank(520, 300).unwrap();
    let device = Device::Group(group);
    let carrying = problem.with_sharing(true).carrying().unwrap();
    let prepared = carrying.plan(&device).unwrap().prepare(&device).unwrap();
    let (answer, evidence) = prepared.run((&a, None)).unwrap();
    problem.check_carried(&Device::Cpu(Cpu::default()), &a, None, answer.as_answer(), &evidence).unwrap();
}

/// The pivots of later blocks are rare, so that a panel fails after the first blocks did not.
#[test]
fn a_panel_that_fails_late_on_a_group_misses_no_pivot() {
    let group = group([0.5, 1.0]);
    let mut matrix = generate::matrix(1400, 1600, 0.5, 1).unwrap();
    for row in 0..1400 {
        for column in 512..1600 {
            matrix.set(row, column, row >= 700 && column == 512 + (row - 700));
        }
    }
    shared(&group, Dense::echelon(1400, 1600).unwrap(), &matrix, None, false);
}

#[test]
fn an_elimination_is_shared_where_that_pays_or_one_device_has_too_little_memory() {
    let device = Device::Group(group([1.0, 1.0]));
    let text = |problem: Dense, profile: &Profile| problem.plan_for(profile).unwrap().to_string();
    let unshared = "1 of 2, the fastest: this work is not shared";
    let small = Dense::rref(600, 700).unwrap();
    assert!(text(small, &device.profile()).contains(unshared));
    let shared = text(small.with_sharing(true), &device.profile());
    for line in ["device 0       2 of 3 blocks", "device 1       1 of 3 blocks", "equal devices  1: about"] {
        assert!(shared.contains(line), "{line} in\n{shared}");
    }
    for (rows, columns) in [(0, 700), (700, 0), (600, 256)] {
        let problem = Dense::rank(rows, columns).unwrap().with_sharing(true);
        assert!(text(problem, &device.profile()).contains(unshared), "{rows} x {columns}");
    }
    let alone = small.plan(&Device::Gpu(two()[0].clone())).unwrap().cost().device_bytes;
    let little = device.profile().with_device_memory(alone - 1);
    assert!(text(small, &little).contains("2, which share the columns"));
    assert!(small.plan_for(&little).unwrap().cost().device_bytes < alone);
}

#[test]
fn a_form_within_some_columns_keeps_the_row_space() {
    let a = generate::matrix(400, 700, 0.5, 1).unwrap();
    let cpu = Device::Cpu(Cpu::default());
    for limit in [0, 1, 300, 512] {
        for device in [Device::Gpu(two()[0].clone()), Device::Group(group([1.0, 1.0]))] {
            let problem = Dense::echelon(400, 700).unwrap().with_pivots_within(limit).with_sharing(true);
            let form = problem.plan(&device).unwrap().prepare(&device).unwrap().run((&a, None)).unwrap();
            let form = form.into_form().unwrap();
            assert_eq!(gf2::rank(&cpu, &form.matrix).unwrap(), 400, "{limit} {device:?}");
        }
    }
}
