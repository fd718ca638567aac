//! Many small matrices: on each engine and device the forms are those of the definition, and every answer is that for one
//! matrix at a time.

use crate::gpu_common::open;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::gf2::{self, BitMatrix, Dense, DenseAnswer, Echelon, Many, generate};
use wgalois::gpu::Options;
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error};

fn devices() -> Vec<(&'static str, Device)> {
    let gpu = |options| Device::Gpu(open(options));
    vec![
        ("CPU", Device::Cpu(Cpu::default())),
        ("full", gpu(Options::default())),
        ("portable", gpu(Options { checked: true, ..Options::portable() })),
        ("small chunks", gpu(Options { max_chunk_bytes: 1 << 18, ..Options::default() })),
    ]
}

/// The form by the definition: column by column, the first row with a one that is no pivot.
fn by_definition(matrix: &BitMatrix) -> Echelon {
    let mut rows: Vec<Vec<bool>> =
        (0..matrix.rows()).map(|r| (0..matrix.columns()).map(|c| matrix.get(r, c)).collect()).collect();
    let mut pivots = Vec::new();
    for column in 0..matrix.columns() {
        let rank = pivots.len();
        let Some(found) = (rank..rows.len()).find(|&r| rows[r][column]) else { continue };
        rows.swap(rank, found);
        let pivot = rows[rank].clone();
        for (r, row) in rows.iter_mut().enumerate() {
            if r != rank && row[column] {
                row.iter_mut().zip(&pivot).for_each(|(entry, one)| *entry ^= one);
            }
        }
        pivots.push(column as u32);
    }
    let mut form = BitMatrix::zeros(matrix.rows(), matrix.columns()).unwrap();
    for (r, row) in rows.iter().enumerate() {
        row.iter().enumerate().for_each(|(c, &one)| form.set(r, c, one));
    }
    Echelon { matrix: form, pivots }
}

/// Matrices with structure: random, sparse, of low rank, with empty columns, zero, of one entry.
fn matrices(count: usize, rows: usize, columns: usize) -> Vec<BitMatrix> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let sample = |k: usize| {
        let seed = random.next_u64();
        match k % 6 {
            0 => generate::matrix(rows, columns, 0.5, seed).unwrap(),
            1 => generate::matrix(rows, columns, 0.03, seed).unwrap(),
            2 => {
                let inner = 1 + rows.min(columns) / 3;
                let [a, b] = [(rows, inner), (inner, columns)]
                    .map(|(rows, columns)| generate::matrix(rows, columns, 0.5, seed).unwrap());
                gf2::multiply(&Device::Cpu(Cpu::default()), &a, &b).unwrap()
            }
            3 => {
                let mut matrix = generate::matrix(rows, columns, 0.5, seed).unwrap();
                (0..rows).for_each(|r| (0..columns * 2 / 3).for_each(|c| matrix.set(r, c, false)));
                matrix
            }
            4 => BitMatrix::zeros(rows, columns).unwrap(),
            _ => {
                let mut matrix = BitMatrix::zeros(rows, columns).unwrap();
                if rows > 0 && columns > 0 {
                    matrix.set(rows - 1, columns - 1, true);
                }
                matrix
            }
        }
    };
    (0..count).map(sample).collect()
}

fn rref_many(device: &Device, matrices: &[BitMatrix]) -> Vec<Echelon> {
    let (rows, columns) = (matrices[0].rows(), matrices[0].columns());
    let answers = gf2::compute_many(device, &Dense::rref(rows, columns).unwrap(), matrices, None).unwrap();
    answers.into_iter().map(|answer| answer.into_form().unwrap()).collect()
}

#[test]
fn forms_are_those_of_the_definition() {
    let devices = devices();
    let shapes = [(1, 1), (1, 70), (70, 1), (33, 31), (64, 128), (100, 300), (257, 257), (300, 65)];
    for (rows, columns) in shapes {
        let matrices = matrices(13, rows, columns);
        let expected: Vec<_> = matrices.iter().map(by_definition).collect();
        for (name, device) in &devices {
            let forms = rref_many(device, &matrices);
            assert_eq!(forms.len(), expected.len());
            for (k, (form, expected)) in forms.iter().zip(&expected).enumerate() {
                assert_eq!(form.pivots, expected.pivots, "{name}: matrix {k} of {rows} x {columns}");
                assert!(form.matrix == expected.matrix, "{name}: matrix {k} of {rows} x {columns}");
            }
        }
    }
}

/// 512 rows by a workgroup; more words than a software driver takes in one dispatch, and more rows than any does, one
/// matrix after the other.
#[test]
fn large_shapes() {
    for (rows, columns) in [(512, 1024), (1024, 600), (1030, 40)] {
        // More than the small chunks hold at a time.
        let matrices = matrices(5, rows, columns);
        let expected = rref_many(&Device::Cpu(Cpu::default()), &matrices);
        let one = gf2::rref(&Device::Cpu(Cpu::default()), &matrices[0]).unwrap();
        assert!(expected[0] == one);
        for (name, device) in devices() {
            assert!(rref_many(&device, &matrices) == expected, "{name}: {rows} x {columns}");
        }
    }
}

#[test]
fn every_operation_answers_as_for_one_matrix() {
    let cpu = Device::Cpu(Cpu::default());
    let (a, b) = (matrices(9, 60, 60), matrices(9, 60, 5));
    let problems = [
        (Dense::rank(60, 60), None, 60),
        (Dense::rref(60, 60), None, 60),
        (Dense::rref(60, 60).map(|problem| problem.with_pivots_within(37)), None, 37),
        (Dense::kernel(60, 60), None, 60),
        (Dense::solve(60, 60, 5), Some(&b[..]), 60),
        (Dense::inverse(60), None, 60),
    ];
    for (name, device) in devices() {
        for (each, b, limit) in &problems {
            let each = each.as_ref().unwrap();
            let answers = gf2::compute_many(&device, each, &a, *b).unwrap();
            for (k, answer) in answers.iter().enumerate() {
                let expected = gf2::compute(&cpu, each, &a[k], b.map(|b| &b[k])).unwrap();
                // Columns of solutions that do not exist are arbitrary, and so are rows without a pivot in some columns.
                let same = match (answer, &expected) {
                    (DenseAnswer::Solution(ours), DenseAnswer::Solution(one)) => {
                        (ours.rank, &ours.inconsistent) == (one.rank, &one.inconsistent)
                            && ours.clone().into_solvable() == one.clone().into_solvable()
                    }
                    (DenseAnswer::Form(ours), DenseAnswer::Form(one)) if *limit < 60 => {
                        ours.pivots == one.pivots
                            && (0..ours.rank())
                                .all(|r| (0..*limit).all(|c| ours.matrix.get(r, c) == one.matrix.get(r, c)))
                            && gf2::rank(&cpu, &ours.matrix).unwrap() == gf2::rank(&cpu, &a[k]).unwrap()
                    }
                    _ => *answer == expected,
                };
                assert!(same, "{name}: matrix {k}, {:?}", each.operation());
            }
            let echelon = Dense::echelon(60, 60).unwrap();
            let problem = Many::new(9, echelon).unwrap();
            let forms = gf2::compute_many(&device, &echelon, &a, None).unwrap();
            problem.check(&cpu, &a, None, &forms).unwrap();
        }
    }
}

#[test]
fn none_and_empty_ones() {
    for (name, device) in devices() {
        let each = Dense::kernel(4, 4).unwrap();
        assert!(gf2::compute_many(&device, &each, &[], None).unwrap().is_empty(), "{name}");
        for (rows, columns) in [(0, 0), (0, 5), (5, 0)] {
            let matrices = matrices(3, rows, columns);
            let forms = rref_many(&device, &matrices);
            assert!(forms.iter().all(|form| form.rank() == 0 && form.matrix.rows() == rows), "{name}");
            let each = Dense::kernel(rows, columns).unwrap();
            for answer in gf2::compute_many(&device, &each, &matrices, None).unwrap() {
                assert_eq!(answer.into_kernel().unwrap().0, BitMatrix::identity(columns).unwrap(), "{name}");
            }
        }
    }
}

#[test]
fn a_plan_takes_its_shape_only_and_states_its_memory() {
    for (name, device) in devices() {
        let problem = Many::new(3, Dense::rref(40, 50).unwrap()).unwrap();
        let plan = problem.plan(&device).unwrap();
        assert!(plan.to_string().contains("3 of 40 x 50"), "{plan}");
        assert_eq!(plan.cost().device_bytes > 0, name != "CPU");
        let prepared = plan.prepare(&device).unwrap();
        assert!(matches!(prepared.run((&matrices(2, 40, 50), None)), Err(Error::WrongLength { .. })));
        assert!(matches!(prepared.run((&matrices(3, 40, 51), None)), Err(Error::WrongShape { .. })));
        assert_eq!(prepared.run((&matrices(3, 40, 50), None)).unwrap().len(), 3);
    }
    let solve = Dense::solve(4, 4, 1).unwrap();
    let cpu = Device::Cpu(Cpu::default());
    let without = gf2::compute_many(&cpu, &solve, &matrices(2, 4, 4), None);
    assert!(matches!(without, Err(Error::WrongShape { .. })));
    let sides = matrices(1, 4, 1);
    assert!(matches!(
        gf2::compute_many(&cpu, &solve, &matrices(2, 4, 4), Some(&sides)),
        Err(Error::WrongLength { .. })
    ));
}

#[test]
fn a_wrong_answer_is_named() {
    let device = Device::Cpu(Cpu::default());
    let matrices = matrices(6, 40, 60);
    let each = Dense::rref(40, 60).unwrap();
    let problem = Many::new(6, each).unwrap();
    let answers = gf2::compute_many(&device, &each, &matrices, None).unwrap();
    let guarantee = problem.check(&device, &matrices, None, &answers).unwrap();
    assert_eq!(
        guarantee.to_string(),
        "the 6 answers are right; a wrong one is missed with a chance of at most 2^-64"
    );
    // A flipped bit, two forms exchanged, and a pivot too few.
    let with_first = |change: &dyn Fn(&mut Echelon)| {
        let mut answers = answers.clone();
        let DenseAnswer::Form(first) = &mut answers[0] else { panic!("no form") };
        change(first);
        answers
    };
    let flipped = with_first(&|form| {
        let free = (0..60).find(|column| !form.pivots.contains(column)).unwrap() as usize;
        let bit = form.matrix.get(0, free);
        form.matrix.set(0, free, !bit);
    });
    let short = with_first(&|form| {
        form.pivots.pop();
        let rank = form.rank();
        form.matrix.row_mut(rank).fill(0);
    });
    let mut exchanged = answers.clone();
    exchanged.swap(0, 1);
    for wrong in [flipped, exchanged, short] {
        match problem.check(&device, &matrices, None, &wrong) {
            Err(Error::Check(wrong)) => assert!(wrong.to_string().starts_with("matrix 0: "), "{wrong}"),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(problem.check(&device, &matrices, None, &answers[1..]), Err(Error::Check(_))));
}
