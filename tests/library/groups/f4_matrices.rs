//! The special elimination, whose blocks of columns are shared.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use wgalois::gf2::{self, Elimination, F4Matrix, F4Method, IndexLists};
use wgalois::task::Problem;
use wgalois::{Cpu, Device};

use super::{counted, group, two};

/// Rows of `ones` ones each, in random columns below `columns`.
fn sparse_rows(rows: usize, columns: u32, ones: usize, seed: u64) -> IndexLists {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut lists = IndexLists::default();
    for _ in 0..rows {
        let mut row = std::collections::BTreeSet::new();
        while row.len() < ones {
            row.insert(rng.random_range(0..columns));
        }
        lists.push(&row.into_iter().rev().collect::<Vec<_>>()).unwrap();
    }
    lists
}

/// An F4 matrix with a reducer in all but every `gap`-th column; `None` for no reducers.
pub fn f4(columns: u32, gap: Option<u32>, rows: usize, ones: usize) -> F4Matrix {
    with_rows(columns, gap, sparse_rows(rows, columns, ones, 2))
}

fn with_rows(columns: u32, gap: Option<u32>, rows: IndexLists) -> F4Matrix {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut reducers = IndexLists::default();
    for lead in (0..columns).filter(|lead| gap.is_some_and(|gap| lead % gap > 0)) {
        let others = (0..3).map(|_| rng.random_range(0..lead));
        let list: std::collections::BTreeSet<u32> = others.chain([lead]).collect();
        reducers.push(&list.into_iter().rev().collect::<Vec<_>>()).unwrap();
    }
    F4Matrix::new(reducers, rows, Some(columns as usize)).unwrap()
}

/// The result by the definition.
pub fn by_definition(f4: F4Matrix) -> Elimination {
    gf2::eliminate(&Device::Cpu(Cpu::default()), &f4.with_method(F4Method::Bands)).unwrap()
}

#[test]
fn f4_matrices_on_a_group_are_eliminated_as_on_one_device() {
    // Rows like random ones, more than columns without a reducer: the plan counts exactly.
    let random = (f4(1500, Some(3), 700, 40), true);
    // A panel sees only rows that are equal, and fails.
    let mut equal = IndexLists::default();
    let others = sparse_rows(100, 600, 20, 4);
    (0..600).map(|_| others.row(0)).chain(others.iter()).for_each(|row| equal.push(row).unwrap());
    let others = [
        with_rows(600, Some(3), equal),
        with_rows(600, Some(3), IndexLists::empty_rows(5)),
        // More columns than rows; no reducers; fewer rows than devices; no column without a reducer.
        f4(900, Some(2), 60, 8),
        f4(600, None, 300, 20),
        f4(600, Some(2), 1, 5),
        f4(700, Some(1000), 40, 9),
    ];
    for speeds in [[1.0, 1.0], [0.4, 1.0]] {
        let group = group(speeds);
        let device = Device::Group(group.clone());
        let others = others.iter().map(|f4| (f4.clone(), false)).filter(|_| speeds[0] < 1.0);
        for (f4, counts) in std::iter::once(random.clone()).chain(others) {
            let expected = by_definition(f4.clone()).to_lists();
            for method in [F4Method::Blocked, F4Method::TwoStage] {
                let f4 = f4.clone().with_method(method).with_sharing(true);
                let plan = f4.plan(&device).unwrap();
                assert!(plan.to_string().contains("which share the columns"), "{plan}");
                let prepared = plan.prepare(&device).unwrap();
                let result = match counts {
                    true => counted(&group, &plan, || prepared.run(&f4)),
                    false => prepared.run(&f4),
                };
                assert!(result.unwrap().to_lists() == expected, "{method} {speeds:?}\n{plan}");
            }
        }
    }
}

#[test]
fn f4_matrices_without_shares_run_on_one_device() {
    let device = Device::Group(group([1.0, 1.0]));
    let narrow = f4(200, Some(2), 90, 6);
    let zeros = F4Matrix::new(IndexLists::default(), IndexLists::empty_rows(5), Some(900)).unwrap();
    let none = F4Matrix::new(IndexLists::default(), IndexLists::default(), Some(900)).unwrap();
    for f4 in [narrow, zeros, none, f4(600, Some(2), 0, 5)] {
        let expected = by_definition(f4.clone()).to_lists();
        for method in [F4Method::Auto, F4Method::Blocked, F4Method::TwoStage, F4Method::Rounds] {
            let f4 = f4.clone().with_method(method).with_sharing(true);
            let plan = f4.plan(&device).unwrap().to_string();
            assert!(plan.contains("1 of 2, the fastest: this work is not shared"), "{method}\n{plan}");
            let result = gf2::eliminate(&device, &f4).unwrap();
            assert!(method == F4Method::Rounds || result.to_lists() == expected, "{method}");
        }
    }
}

#[test]
fn an_f4_matrix_is_shared_where_that_pays_or_one_device_has_too_little_memory() {
    let device = Device::Group(group([1.0, 0.5]));
    let small = f4(1500, Some(3), 700, 40);
    let unshared = "1 of 2, the fastest: this work is not shared";
    let one = Device::Gpu(two()[0].clone());
    assert!(small.plan(&device).unwrap().to_string().contains(unshared));
    let shared = small.clone().with_method(F4Method::TwoStage).with_sharing(true).plan(&device).unwrap();
    let shared = shared.to_string();
    for line in [
        "device 0       4 of 6 blocks of 256 columns, 2 of 2 without eliminators: ",
        "device 1       2 of 6 blocks of 256 columns, 0 of 2 without eliminators: ",
        "equal devices  1: about",
        "method         two-stage",
    ] {
        assert!(shared.contains(line), "{line} in\n{shared}");
    }
    let dense = F4Matrix::new(IndexLists::default(), sparse_rows(600, 4096, 9, 1), None).unwrap();
    let dense = dense.with_method(F4Method::Blocked);
    let alone = dense.plan(&one).unwrap().cost().device_bytes;
    let little = device.profile().with_device_memory(alone - 1);
    let plan = dense.plan_for(&little).unwrap();
    assert!(plan.to_string().contains("2, which share the columns"), "{plan}");
    assert!(plan.cost().device_bytes < alone);
}
