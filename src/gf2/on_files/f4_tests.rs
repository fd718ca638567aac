//! F4 matrices on files have the result of those in memory, bit for bit, with any number of tiles in memory.

use std::ops::RangeInclusive;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::f4_check::InFiles;
use super::stored::Rows;
use super::{F4OnFiles, F4OnFilesAnswer, FromFiles, ListedResult, StoredF4Matrix, StoredResult, StoredRows};
use crate::gf2::bit_matrix::Line;
use crate::gf2::verify::{Depth, F4Check};
use crate::gf2::{self, F4Matrix, IndexLists};
use crate::task::{CpuProfile, Engine, Problem, Profile};
use crate::{Cpu, Device, Error, Result};

/// Lists in memory, read in parts of seven rows.
#[derive(Debug)]
struct Lists {
    lists: IndexLists,
    first_rows: Vec<usize>,
}

impl Lists {
    fn new(lists: IndexLists) -> Self {
        let mut first_rows: Vec<usize> = (0..lists.len()).step_by(7).collect();
        first_rows.push(lists.len());
        Lists { lists, first_rows }
    }
}

impl StoredRows for Lists {
    fn first_rows(&self) -> &[usize] {
        &self.first_rows
    }

    fn read(&self, part: usize, columns: RangeInclusive<u32>, one: &mut dyn FnMut(usize, u32)) -> Result<()> {
        for row in self.first_rows[part]..self.first_rows[part + 1] {
            let ones = self.lists.row(row).iter().filter(|column| columns.contains(column));
            ones.for_each(|&column| one(row - self.first_rows[part], column));
        }
        Ok(())
    }

    fn read_row(&self, row: usize, one: &mut dyn FnMut(u32)) -> Result<()> {
        self.lists.row(row).iter().copied().for_each(one);
        Ok(())
    }
}

/// A random F4 matrix: a lead in `of` leads of the columns has a reducer, and rows have a one in `of` columns;
/// column c of the F4 matrix is column `scale` * c.
fn f4(columns: u32, rows: usize, of: u32, scale: u32, seed: u64) -> (IndexLists, IndexLists) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut reducers, mut lists) = (IndexLists::default(), IndexLists::default());
    let below = |lead: u32, rng: &mut ChaCha8Rng| -> Vec<u32> {
        (0..lead).rev().filter(|_| rng.next_u32().is_multiple_of(of)).map(|column| scale * column).collect()
    };
    // Not in order of their leads, and with rows of zeros among them.
    for lead in (0..columns).map(|k| (k * 7) % columns) {
        match rng.next_u32() % 4 {
            0 => {}
            1 => reducers.push(&[]).unwrap(),
            _ => {
                let list = [vec![scale * lead], below(lead, &mut rng)].concat();
                let is_new = reducers.iter().all(|other| other.first() != list.first());
                reducers.push(if is_new { &list } else { &[] }).unwrap();
            }
        }
    }
    for row in 0..rows {
        let length = if row % 5 == 4 { 0 } else { rng.next_u32() % (columns + 1) };
        lists.push(&below(length, &mut rng)).unwrap();
        // The row before, once more: it becomes zero.
        if row % 6 == 3 {
            let again = lists.row(lists.len() - 1).to_vec();
            lists.push(&again).unwrap();
        }
    }
    (reducers, lists)
}

fn lists_of(result: &F4OnFilesAnswer) -> IndexLists {
    let mut lists = IndexLists::default();
    let mut append = |row: Option<u32>, columns: &mut dyn Iterator<Item = u32>| {
        (lists.len()..row.map_or(result.row_count(), |row| row as usize))
            .for_each(|_| lists.push(&[]).unwrap());
        if row.is_some() {
            lists.push(&columns.collect::<Vec<_>>()).unwrap();
        }
    };
    let rows = result.visit(result.new_pivots(), &mut |row, columns| {
        append(Some(row), columns);
        Ok(())
    });
    rows.unwrap();
    append(None, &mut std::iter::empty());
    lists
}

/// Checks that the results are those in memory.
fn check(reducers: &IndexLists, rows: &IndexLists) {
    let device = Device::Cpu(Cpu { threads: 2, ..Cpu::default() });
    let in_memory = F4Matrix::new(reducers.clone(), rows.clone(), None).unwrap();
    let expected = gf2::eliminate(&device, &in_memory).unwrap().to_lists();
    check_result(reducers, rows, &expected);
}

/// Checks the results with the least memory, with a little more, and with all that is needed.
fn check_result(reducers: &IndexLists, rows: &IndexLists, expected: &IndexLists) {
    let device = Device::Cpu(Cpu { threads: 2, ..Cpu::default() });
    let mut tiles: Vec<u32> =
        [reducers, rows].iter().flat_map(|lists| lists.indices()).map(|column| column / 512).collect();
    tiles.sort_unstable_by(|a, b| b.cmp(a));
    tiles.dedup();
    let firsts = reducers.iter().zip(0..).filter_map(|(list, row)| Some((*list.first()?, row)));
    let mut leads: Vec<(u32, u32)> = firsts.collect();
    leads.sort_unstable_by(|a, b| b.cmp(a));
    let problem = F4OnFiles::new(reducers.len(), rows.len(), tiles.len(), 1000).unwrap();
    let profile = |host_memory| Profile {
        engine: Engine::Cpu(CpuProfile::of_threads(2)),
        host_memory,
        device_memory: 0,
    };
    let least = match problem.plan_for(&profile(0)) {
        Err(Error::OutOfMemory(shortage)) => shortage.needed.unwrap(),
        other => panic!("{other:?}"),
    };
    let (reducers, rows) = (Lists::new(reducers.clone()), Lists::new(rows.clone()));
    let f4 = StoredF4Matrix { reducers: &reducers, rows: &rows, tiles: &tiles, leads: &leads };
    let folder = tempfile::tempdir().unwrap();
    let mut parts = Vec::new();
    for memory in [least, least + least / 6, u64::MAX] {
        let plan = problem.plan_for(&profile(memory)).unwrap();
        assert!(plan.cost().host_bytes <= memory);
        parts.push(plan.way::<FromFiles>().unwrap().parts);
        let prepared = plan.prepare_with(&device, folder.path()).unwrap();
        let result = prepared.run(&f4).unwrap();
        assert_eq!(result.row_count(), expected.len());
        assert!(lists_of(&result) == *expected, "{} lists, {} tiles", reducers.lists.len(), tiles.len());
        problem.check(&f4, &result, Depth::Bounded).unwrap();
        let files = InFiles::new(&problem, &f4, &result).unwrap();
        F4Check::new(files).unwrap().no_row_is_lost().unwrap();
        check_wrong(&problem, &f4, &lists_of(&result));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
    assert_eq!(parts, [tiles.len(), parts[1], tiles.len().min(1)]);
    check_carried(&problem.with_check(true), &f4, expected);
}

/// Checks that a run with carried columns has the same result, which they prove, and none that is wrong in one bit.
fn check_carried(problem: &F4OnFiles, f4: &StoredF4Matrix<'_>, expected: &IndexLists) {
    let device = Device::Cpu(Cpu { threads: 2, ..Cpu::default() });
    let profile = |host_memory| Profile {
        engine: Engine::Cpu(CpuProfile::of_threads(2)),
        host_memory,
        device_memory: 0,
    };
    let least = match problem.plan_for(&profile(0)) {
        Err(Error::OutOfMemory(shortage)) => shortage.needed.unwrap(),
        other => panic!("{other:?}"),
    };
    let folder = tempfile::tempdir().unwrap();
    for memory in [least, u64::MAX] {
        let plan = problem.plan_for(&profile(memory)).unwrap();
        let result = plan.prepare_with(&device, folder.path()).unwrap().run(f4).unwrap();
        assert!(lists_of(&result) == *expected);
        assert!(result.prove_sums().unwrap());
        let Rows::Ordered { tiles, order, .. } = &result.matrix.source else { panic!("no rows") };
        let flip = |tile: usize, number: u32, bit| {
            let mut line = [Line::ZERO];
            tiles.read(tile, number as usize, &mut line).unwrap();
            line[0].flip(bit);
            tiles.write_rows(tile, number as usize, &line).unwrap();
        };
        // In the first and the last tile of the rows, and a carried word.
        let last = f4.tiles.len();
        for &number in order.first().into_iter().chain(order.last()) {
            for (tile, bit) in [(0, 511), (last - 1, 0), (last, 63)] {
                flip(tile, number, bit);
                assert!(matches!(result.prove_sums(), Err(Error::Check(_))), "{tile} {bit}");
                flip(tile, number, bit);
            }
        }
        assert!(result.prove_sums().unwrap());
    }
}

/// Checks that a right result passes, and that those with a row less, or with another one in a row, do not.
fn check_wrong(problem: &F4OnFiles, f4: &StoredF4Matrix<'_>, right: &IndexLists) {
    let with_row = |at: usize, row: &[u32]| {
        let mut lists = IndexLists::default();
        for (k, other) in right.iter().enumerate() {
            lists.push(if k == at { row } else { other }).unwrap();
        }
        let leads: Vec<(u32, u32)> =
            lists.iter().zip(0..).filter_map(|(list, row)| Some((*list.first()?, row))).collect();
        let lists = Lists::new(lists);
        let result = ListedResult::new(&lists, &leads);
        let files = InFiles::new(problem, f4, &result);
        let is_lost = files.and_then(F4Check::new).and_then(|check| check.no_row_is_lost());
        (problem.check(f4, &result, Depth::Bounded).map(drop), is_lost)
    };
    let refused = |outcome: Result<()>| assert!(matches!(outcome, Err(Error::Check(_))), "{outcome:?}");
    with_row(right.len(), &[]).0.unwrap();
    let Some((k, row)) = right.iter().enumerate().filter(|(_, row)| !row.is_empty()).last() else { return };
    let (checked, lost) = with_row(k, &[]);
    refused(checked);
    refused(lost);
    if row.len() > 1 {
        refused(with_row(k, &row[..row.len() - 1]).0);
        refused(with_row(k, &row[1..]).0);
    }
    if let Some(zero) = right.iter().position(<[u32]>::is_empty) {
        // Two rows with one lead.
        refused(with_row(zero, row).0);
    }
}

#[test]
fn results_equal_those_in_memory() {
    for (columns, rows, of, scale) in
        [(40, 30, 2, 1), (600, 250, 3, 1), (1500, 500, 20, 1), (1700, 900, 4, 1), (700, 300, 5, 1000)]
    {
        let (reducers, rows) = f4(columns, rows, of, scale, u64::from(columns));
        check(&reducers, &rows);
        check(&IndexLists::default(), &rows);
        check(&reducers, &IndexLists::default());
    }
    check(&IndexLists::default(), &IndexLists::default());
}

/// The published small F4 matrix.
#[test]
fn a_real_f4_matrix_has_its_published_result() {
    let Some(data) = std::env::var_os("WGALOIS_DATA") else {
        assert!(std::env::var_os("CI").is_none(), "WGALOIS_DATA names no folder");
        eprintln!("NOT RUN: WGALOIS_DATA names no folder");
        return;
    };
    let case = std::path::Path::new(&data).join("groebner/4_1011_539_263");
    let [reducers, rows, expected] = ["eliminators.txt", "rows.txt", "expected.txt"].map(|name| {
        let mut lists = IndexLists::default();
        for line in std::fs::read_to_string(case.join(name)).unwrap().lines() {
            let row: Vec<u32> = line.split_whitespace().map(|index| index.parse().unwrap()).collect();
            lists.push(&row).unwrap();
        }
        lists
    });
    check_result(&reducers, &rows, &expected);
}

#[test]
fn f4_matrices_of_another_shape_than_planned_are_refused() {
    let (reducers, rows) = f4(600, 20, 3, 1, 1);
    let device = Device::Cpu(Cpu::default());
    let problem = F4OnFiles::new(reducers.len(), rows.len(), 2, 0).unwrap();
    let prepared = problem.plan(&device).unwrap();
    let folder = std::env::temp_dir();
    let prepared = prepared.prepare_with(&device, &folder).unwrap();
    let (reducers, rows) = (Lists::new(reducers), Lists::new(rows));
    for (tiles, leads) in
        [(&[1][..], &[][..]), (&[0, 1], &[]), (&[1, 0], &[(5000, 0)]), (&[1, 0], &[(3, 0), (5, 1)])]
    {
        let refused = prepared.run(&StoredF4Matrix { reducers: &reducers, rows: &rows, tiles, leads });
        assert!(refused.is_err_and(|error| error.exit_code() == 3), "{tiles:?} {leads:?}");
    }
    let other = StoredF4Matrix { reducers: &rows, rows: &rows, tiles: &[1, 0], leads: &[] };
    assert!(matches!(prepared.run(&other), Err(Error::WrongLength { .. })));
    let too_many = F4OnFiles::new(usize::MAX, 1, 1, 0);
    assert!(matches!(too_many, Err(Error::TooMany { .. })));
}
