//! Ranks of sparse matrices: known ranks, and the elimination of packed matrices as an oracle.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::gf2::{self, BitMatrix, IndexLists, SparseRank, SparseRankAnswer, Triangle};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Result};

pub fn device() -> Device {
    Device::Cpu(Cpu::default())
}

/// Rows of any order; an index that occurs twice cancels.
pub fn lists(rows: impl IntoIterator<Item = Vec<usize>>) -> IndexLists {
    let mut lists = IndexLists::default();
    for mut row in rows {
        row.sort_unstable_by(|a, b| b.cmp(a));
        let once = row.chunk_by(|a, b| a == b).filter(|equal| equal.len() % 2 == 1);
        let row: Vec<u32> = once.map(|equal| equal[0] as u32).collect();
        lists.push(&row).unwrap();
    }
    lists
}

pub fn packed(lists: &IndexLists, columns: usize) -> BitMatrix {
    let mut matrix = BitMatrix::zeros(lists.len(), columns).unwrap();
    for (r, row) in lists.iter().enumerate() {
        row.iter().for_each(|&c| matrix.set(r, c as usize, true));
    }
    matrix
}

fn answer(lists: &IndexLists, columns: usize) -> Result<(SparseRank, SparseRankAnswer)> {
    let triangle = Triangle::find(lists, columns)?;
    let problem = SparseRank::new(&triangle).carrying();
    let (answer, _) = problem.plan(&device())?.compute(&device(), (lists, &triangle))?;
    Ok((problem, answer))
}

/// The rank, which is proven, and is the same without evidence.
fn rank(lists: &IndexLists, columns: usize) -> usize {
    let (problem, carried) = answer(lists, columns).unwrap();
    let guarantee = problem.check_carried(lists, &carried).unwrap();
    assert_eq!(guarantee.claim(), format!("the rank is {}", carried.rank));
    let triangle = Triangle::find(lists, columns).unwrap();
    let (own, _) =
        SparseRank::new(&triangle).plan(&device()).unwrap().compute(&device(), (lists, &triangle)).unwrap();
    assert_eq!(own.rank, carried.rank);
    assert!(own.evidence.is_none());
    carried.rank
}

/// `ones` random ones a row.
pub fn random(rows: usize, columns: usize, ones: usize, seed: u64) -> IndexLists {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    lists((0..rows).map(|_| (0..ones).map(|_| rng.random_range(0..columns)).collect()))
}

/// The vertex checks of the toric code of size `l`.
pub fn toric(l: usize) -> IndexLists {
    lists((0..l * l).map(|v| {
        let (x, y) = (v % l, v / l);
        let (left, up) = (y * l + (x + l - 1) % l, (y + l - 1) % l * l + x);
        vec![v, left, l * l + v, l * l + up]
    }))
}

/// The checks `[H x 1 | 1 x H^T]` of the hypergraph product of `h`, of `m` rows and `n` columns, with itself.
fn hypergraph_product(h: &IndexLists, n: usize) -> IndexLists {
    let m = h.len();
    let ones = |i: usize| h.row(i).iter().map(|&c| c as usize);
    let check = |i: usize, j: usize| {
        let left = ones(i).map(|c| c * n + j);
        let right = (0..m).filter(|&k| h.row(k).contains(&(j as u32))).map(|k| n * n + i * m + k);
        left.chain(right).collect()
    };
    lists((0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| check(i, j)))
}

#[test]
fn random_matrices_have_the_rank_of_the_packed_ones() {
    let shapes = [(1, 1), (1, 90), (90, 1), (7, 5), (64, 64), (65, 130), (200, 100), (100, 300), (700, 650)];
    for (seed, (rows, columns)) in shapes.into_iter().enumerate() {
        for ones in [0, 1, 2, 3, 5, 17, 60] {
            let lists = random(rows, columns, ones, seed as u64);
            let expected = gf2::rank(&device(), &packed(&lists, columns)).unwrap();
            assert_eq!(rank(&lists, columns), expected, "{rows} x {columns}, {ones} ones a row");
        }
    }
}

#[test]
fn parity_checks_of_random_codes_have_the_rank_of_the_packed_ones() {
    for (rows, columns, ones) in [(1500, 2000, 4), (3000, 3000, 3), (2500, 1200, 6)] {
        let lists = random(rows, columns, ones, 7);
        let expected = gf2::rank(&device(), &packed(&lists, columns)).unwrap();
        assert_eq!(rank(&lists, columns), expected, "{rows} x {columns}, {ones} ones a row");
        let (_, answer) = answer(&lists, columns).unwrap();
        assert!(answer.sparse_pivots > 0 && answer.remainder.0 < rows);
    }
}

#[test]
fn known_ranks() {
    // All rows of a toric code sum to zero, and no other sum of them does.
    for l in [3, 4, 5, 16, 37] {
        assert_eq!(rank(&toric(l), 2 * l * l), l * l - 1);
    }
    // m n less the product of the dimensions of the kernels of H^T and of H (Tillich and Zemor 2009).
    let codes = [(lists((0..9).map(|i| vec![i, (i + 1) % 9])), 9), (random(12, 16, 4, 3), 16)];
    for (h, n) in codes {
        let (m, r) = (h.len(), gf2::rank(&device(), &packed(&h, n)).unwrap());
        let product = hypergraph_product(&h, n);
        assert_eq!(rank(&product, n * n + m * m), m * n - (m - r) * (n - r));
    }
    let identity = lists((0..1000).map(|i| vec![999 - i]));
    assert_eq!(rank(&identity, 1000), 1000);
    assert_eq!(rank(&identity, 5000), 1000);
    // Equal rows, empty rows, empty columns, a row of all columns.
    assert_eq!(rank(&lists((0..500).map(|i| if i % 2 == 0 { vec![3, 77, 90] } else { vec![] })), 200), 1);
    assert_eq!(rank(&lists([(0..3000).collect()]), 3000), 1);
    assert_eq!(rank(&IndexLists::empty_rows(40), 30), 0);
    assert_eq!(rank(&IndexLists::empty_rows(0), 30), 0);
    assert_eq!(rank(&IndexLists::empty_rows(5), 0), 0);
}

#[test]
fn wrong_ranks_and_foreign_evidence_are_refused() {
    for (lists, columns) in [(toric(12), 288), (random(900, 800, 5, 1), 800)] {
        let (problem, right) = answer(&lists, columns).unwrap();
        for rank in [0, right.rank - 1, right.rank + 1] {
            let wrong = SparseRankAnswer { rank, ..right.clone() };
            assert!(matches!(problem.check_carried(&lists, &wrong), Err(Error::Check(_))), "{rank}");
        }
        // The evidence of another matrix of as many rows.
        let fewer = random(lists.len(), columns, 4, 2);
        let foreign = answer(&fewer, columns).unwrap().1;
        let wrong = SparseRankAnswer { evidence: foreign.evidence, ..right.clone() };
        assert!(matches!(problem.check_carried(&lists, &wrong), Err(Error::Check(_))));
        // Another matrix, of another rank, with this evidence.
        let mut rows: Vec<Vec<usize>> =
            lists.iter().map(|row| row.iter().map(|&c| c as usize).collect()).collect();
        let absent = (0..columns).find(|c| !rows[0].contains(c)).unwrap();
        rows[0].push(absent);
        let other = self::lists(rows);
        if gf2::rank(&device(), &packed(&other, columns)).unwrap() != right.rank {
            assert!(matches!(problem.check_carried(&other, &right), Err(Error::Check(_))));
        }
    }
    let three = lists((0..3).map(|i| vec![i]));
    let triangle = Triangle::find(&three, 3).unwrap();
    let problem = SparseRank::new(&triangle);
    let (plain, _) = problem.plan(&device()).unwrap().compute(&device(), (&three, &triangle)).unwrap();
    assert!(matches!(problem.check_carried(&three, &plain), Err(Error::Needs { .. })));
    assert!(problem.check_carried(&IndexLists::empty_rows(2), &plain).is_err());
}

#[test]
fn triangles_of_other_matrices_are_refused() {
    let (one, other) = (random(300, 300, 3, 1), random(300, 300, 3, 2));
    let triangle = Triangle::find(&one, 300).unwrap();
    let prepared = SparseRank::new(&triangle).plan(&device()).unwrap().prepare(&device()).unwrap();
    assert!(prepared.run((&one, &triangle)).is_ok());
    let of_other = Triangle::find(&other, 300).unwrap();
    for (lists, triangle) in [(&other, &triangle), (&one, &of_other), (&other, &of_other)] {
        assert!(matches!(prepared.run((lists, triangle)), Err(Error::OtherPlan { what: "matrix" })));
    }
    // Columns that the matrix would have beyond its last one.
    assert!(matches!(Triangle::find(&one, 200), Err(Error::WrongShape { .. })));
}

#[test]
fn a_plan_has_the_triangle_and_the_packed_matrix() {
    let lists = toric(100);
    let triangle = Triangle::find(&lists, 20_000).unwrap();
    assert_eq!((triangle.pivots(), triangle.remainder()), (9_999, (1, 10_001)));
    let plan = SparseRank::new(&triangle).plan(&device()).unwrap();
    assert_eq!(plan.name(), "by a triangle of lists");
    assert_eq!(plan.others().iter().map(|other| other.name).collect::<Vec<_>>(), ["packed"]);
    let text = plan.to_string();
    assert!(text.contains("matrix         10000 x 20000, sparse: 40000 ones"), "{text}");
    assert!(text.contains("triangle       9999 pivots, 1 x 10001 left"), "{text}");
    // Too little memory for either.
    let profile = device().profile().with_limits(1000, 0);
    assert!(matches!(SparseRank::new(&triangle).plan_for(&profile), Err(Error::OutOfMemory(_))));
}

#[test]
fn lists_pay_for_large_matrices_of_few_ones() {
    let pays = SparseRank::pays;
    assert!(pays(90_000, 180_000, 360_000));
    assert!(pays(15_552, 32_400, 120_000));
    // Small; dense; lines without ones, which would take lists.
    assert!(!pays(1000, 1000, 3000));
    assert!(!pays(20_000, 20_000, 10_000_000));
    assert!(!pays(2, 1 << 30, 2));
}
