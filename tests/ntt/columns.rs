//! Transforms of a row-major matrix's columns, beside the definition and the CPU engine's transforms of vectors, on the
//! adapter of this machine.

use crate::gpu_common::{dispatches, full, open, portable, random};
use wgalois::field::{BABY_BEAR, KOALA_BEAR, NAMED, Prime};
use wgalois::gpu::{Gpu, Options};
use wgalois::ntt::{self, ColumnTransform, Coset, Direction, Order, PreparedColumnTransform, Transform};
use wgalois::task::Problem;
use wgalois::{Device, Result};

const ORDERS: [[Order; 2]; 4] = [
    [Order::Natural, Order::BitReversed],
    [Order::Natural, Order::Natural],
    [Order::BitReversed, Order::Natural],
    [Order::BitReversed, Order::BitReversed],
];
const COSETS: [Coset; 3] = [Coset::Shift(12345), Coset::Subgroup, Coset::Negacyclic];
const WIDTHS: [usize; 10] = [1, 2, 3, 5, 16, 17, 31, 64, 100, 300];

fn primes() -> [Prime; 3] {
    [BABY_BEAR, KOALA_BEAR, NAMED[2].1]
}

fn device(gpu: &Gpu) -> Device {
    Device::Gpu(gpu.clone())
}

fn prepare(gpu: &Gpu, columns: &ColumnTransform) -> Result<PreparedColumnTransform> {
    columns.plan(&device(gpu))?.prepare(&device(gpu))
}

fn forward(prime: Prime, n: usize, width: usize) -> Transform {
    Transform::new(prime, n).unwrap().with_batch(width)
}

fn with_orders(transform: Transform, [input, output]: [Order; 2]) -> Transform {
    transform.with_input(input).with_output(output)
}

/// The result by transforms of vectors: each column is written out, and zeros after it.
fn expected(columns: &ColumnTransform, matrix: &[u32]) -> Vec<u32> {
    if let Some(inverse) = columns.inverse() {
        let coefficients = expected(&ColumnTransform::new(*inverse), matrix);
        return expected(
            &ColumnTransform::new(*columns.transform()).with_rows(columns.rows()),
            &coefficients,
        );
    }
    let (transform, width) = (columns.transform(), columns.width());
    let n = transform.n();
    let mut vectors = vec![0; n * width];
    for (i, &word) in matrix.iter().enumerate() {
        vectors[i % width * n + i / width] = word;
    }
    if n <= 64 {
        vectors = transform.by_definition(&vectors).unwrap();
    } else {
        ntt::transform(&Device::Cpu(wgalois::Cpu::default()), transform, &mut vectors).unwrap();
    }
    (0..n * width).map(|i| vectors[i % width * n + i / width]).collect()
}

fn check(gpu: &Gpu, columns: &ColumnTransform, matrix: &[u32]) {
    let before = dispatches(gpu);
    let result = prepare(gpu, columns).unwrap().run(matrix).unwrap();
    assert!(dispatches(gpu) > before, "nothing ran on the device");
    assert!(result == expected(columns, matrix), "{columns:?} on {gpu:?}");
}

/// Every order, direction and coset, of lengths of one and of two passes.
#[test]
fn every_order_direction_and_coset() {
    for (i, orders) in ORDERS.into_iter().enumerate() {
        for direction in [Direction::Forward, Direction::Inverse] {
            for (j, coset) in COSETS.into_iter().enumerate() {
                let (width, log_n) = ([5, 16, 3, 31][(i + j) % 4], [6, 11][(i + j) % 2]);
                let transform =
                    forward(BABY_BEAR, 1 << log_n, width).with_direction(direction).with_coset(coset);
                let columns = ColumnTransform::new(with_orders(transform, orders));
                let matrix = random(BABY_BEAR, columns.len_before(), i as u64);
                check([full(), portable()][i % 2], &columns, &matrix);
            }
        }
    }
}

/// Each width at every length up to 2^13, with all primes on both devices in turn.
#[test]
fn every_length_and_width() {
    for log_n in 1..=13 {
        for (i, width) in WIDTHS.into_iter().enumerate().filter(|(_, width)| width << log_n <= 1 << 17) {
            let prime = primes()[log_n % 3];
            let direction = [Direction::Forward, Direction::Inverse][log_n / 2 % 2];
            let transform = forward(prime, 1 << log_n, width).with_direction(direction);
            let columns = ColumnTransform::new(with_orders(transform, ORDERS[i % 2]));
            let matrix = random(prime, columns.len_before(), width as u64);
            check([full(), portable()][(log_n + i / 2) % 2], &columns, &matrix);
        }
    }
}

/// Values on cosets of more points than there are rows, in both orders.
#[test]
fn coefficients_that_zeros_follow() {
    for log_rows in 1..=12 {
        for added in 1..=3 {
            let prime = primes()[(log_rows + added) % 3];
            let width = WIDTHS[(3 * log_rows + added) % 10].min(1 << (17 - log_rows - added).min(20));
            let n: usize = 1 << (log_rows + added);
            if prime.root_of_unity(n.ilog2() + 1).is_err() {
                continue;
            }
            let coset = COSETS[(log_rows + added / 2) % 3];
            let transform = with_orders(forward(prime, n, width).with_coset(coset), ORDERS[log_rows % 2]);
            let columns = ColumnTransform::new(transform).with_rows(1 << log_rows);
            let matrix = random(prime, columns.len_before(), 3);
            check([full(), portable()][added % 2], &columns, &matrix);
        }
    }
}

/// From every order to every order and from every coset to every coset, by one pass and by several.
#[test]
fn values_on_more_points() {
    for log_rows in 1..=13 {
        for added in 0..=3 {
            let prime = primes()[(log_rows + added) % 3];
            let width = WIDTHS[(3 * log_rows + added) % 10].min(1 << (17 - log_rows - added).min(20));
            let (rows, n) = (1 << log_rows, 1usize << (log_rows + added));
            if prime.root_of_unity(n.ilog2() + 1).is_err() {
                continue;
            }
            let orders = [ORDERS[(log_rows + added) % 4], ORDERS[(log_rows / 4 + added) % 4]];
            let inverse = forward(prime, rows, width)
                .with_direction(Direction::Inverse)
                .with_input(orders[0][0])
                .with_coset(COSETS[(log_rows + added / 2) % 3]);
            let forward = forward(prime, n, width)
                .with_output(orders[1][1])
                .with_coset(COSETS[(log_rows / 3 + added) % 3]);
            let columns = ColumnTransform::extension(inverse, forward);
            let matrix = random(prime, columns.len_before(), 4);
            check([full(), portable()][(log_rows / 2 + added) % 2], &columns, &matrix);
        }
    }
}

#[test]
fn the_largest_entries_with_every_reduction() {
    use wgalois::ntt::Reduction::{Auto, Barrett, Montgomery, Plain};
    for prime in primes() {
        for gpu in [full(), portable()] {
            for reduction in [Auto, Montgomery, Barrett, Plain] {
                let transform = forward(prime, 64, 3).with_reduction(reduction).with_coset(Coset::Shift(7));
                let columns = ColumnTransform::new(transform).with_rows(32);
                check(gpu, &columns, &vec![prime.value() - 1; columns.len_before()]);
                let inverse = forward(prime, 32, 3).with_direction(Direction::Inverse);
                let columns = ColumnTransform::extension(inverse, transform);
                check(gpu, &columns, &vec![prime.value() - 1; columns.len_before()]);
            }
            let columns = ColumnTransform::new(forward(prime, 1 << 12, 6).with_output(Order::BitReversed));
            check(gpu, &columns, &vec![prime.value() - 1; columns.len_before()]);
        }
    }
}

/// Twiddles between passes that are multiplied together, and three passes.
#[test]
fn long_columns_there_and_back() {
    for (gpu, log_n) in [(full(), 21), (portable(), 19)] {
        let there =
            forward(BABY_BEAR, 1 << log_n, 1).with_output(Order::BitReversed).with_coset(Coset::Shift(3));
        let matrix = random(BABY_BEAR, there.len(), 9);
        let columns = ColumnTransform::new(there);
        let prepared = prepare(gpu, &columns).unwrap();
        assert_eq!(prepared.plan().passes(), Some(3));
        let values = prepared.run_on_device(&gpu.upload(&matrix).unwrap()).unwrap();
        assert!(values.download().unwrap() == expected(&columns, &matrix), "2^{log_n}");
        let extension = ColumnTransform::extension(there.with_output(Order::Natural).inverted(), there);
        let values_of = prepare(gpu, &extension).unwrap();
        assert_eq!(values_of.plan().passes(), Some(5));
        assert!(values_of.run(&matrix).unwrap() == expected(&extension, &matrix), "2^{log_n}, extension");
        let back = prepare(gpu, &ColumnTransform::new(there.inverted())).unwrap();
        assert!(back.run_on_device(&values).unwrap().download().unwrap() == matrix, "2^{log_n} and back");
    }
}

/// The CPU engine, and checks of right and of wrong results.
#[test]
fn results_are_checked() {
    let cpu = Device::Cpu(wgalois::Cpu::default());
    for (rows, n, width) in [(2, 2, 1), (16, 64, 3), (128, 256, 20)] {
        let transform =
            forward(KOALA_BEAR, n, width).with_output(Order::BitReversed).with_coset(Coset::Shift(5));
        let columns = ColumnTransform::new(transform).with_rows(rows);
        let matrix = random(KOALA_BEAR, columns.len_before(), 1);
        let result = columns.plan(&cpu).unwrap().prepare(&cpu).unwrap().run(&matrix).unwrap();
        assert!(result == expected(&columns, &matrix));
        columns.check(&cpu, &matrix, &result).unwrap();
        let inverse = forward(KOALA_BEAR, rows, width).with_direction(Direction::Inverse);
        let extension = ColumnTransform::extension(inverse, transform);
        let extended = extension.plan(&cpu).unwrap().prepare(&cpu).unwrap().run(&matrix).unwrap();
        assert!(extended == expected(&extension, &matrix));
        extension.check(&cpu, &matrix, &extended).unwrap();
        assert_eq!(extension.check(&cpu, &matrix, &result).unwrap_err().exit_code(), 1);
        // Rows in another order are no result.
        let mut wrong = result.clone();
        wrong.rotate_left(width);
        assert_eq!(columns.check(&cpu, &matrix, &wrong).unwrap_err().exit_code(), 1);
        assert!(columns.check(&cpu, &matrix, &result[1..]).is_err());
    }
}

#[test]
fn what_has_no_plan_is_refused() {
    let code = |columns: &ColumnTransform, gpu: &Gpu| columns.plan(&device(gpu)).unwrap_err().exit_code();
    let eight = forward(BABY_BEAR, 8, 2);
    for rows in [0, 1, 3, 16] {
        assert_eq!(code(&ColumnTransform::new(eight).with_rows(rows), full()), 3);
    }
    assert_eq!(code(&ColumnTransform::new(eight.with_batch(0)), full()), 3);
    assert_eq!(code(&ColumnTransform::new(eight.with_coset(Coset::Shift(0))), full()), 3);
    // Zeros follow coefficients only, in natural order.
    for transform in [eight.with_direction(Direction::Inverse), eight.with_input(Order::BitReversed)] {
        assert_eq!(code(&ColumnTransform::new(transform).with_rows(4), full()), 3);
    }
    // An extension goes from values to coefficients in natural order, of as many vectors and modulo the same prime.
    let inverse = forward(BABY_BEAR, 4, 2).with_direction(Direction::Inverse);
    for [inverse, there] in [
        [inverse.with_output(Order::BitReversed), eight],
        [inverse.with_batch(3), eight],
        [inverse.with_direction(Direction::Forward), eight],
        [inverse, eight.with_input(Order::BitReversed)],
        [inverse, forward(KOALA_BEAR, 8, 2)],
        [inverse, forward(BABY_BEAR, 2, 2)],
    ] {
        assert_eq!(code(&ColumnTransform::extension(inverse, there), full()), 3);
    }
    // A binding that holds the source and not the result, and too little memory.
    let narrow = open(Options { max_chunk_bytes: 32, ..Options::default() });
    assert_eq!(code(&ColumnTransform::new(eight).with_rows(4), &narrow), 5);
    let little = open(Options { memory: 100, ..Options::default() });
    assert_eq!(code(&ColumnTransform::new(eight), &little), 5);

    let prepared = prepare(full(), &ColumnTransform::new(eight)).unwrap();
    assert_eq!(prepared.run(&[1; 15]).unwrap_err().exit_code(), 3);
    assert_eq!(prepared.run(&[BABY_BEAR.value(); 16]).unwrap_err().exit_code(), 3);
    assert_eq!(prepared.run_on_device(&full().upload(&[1u32; 8]).unwrap()).unwrap_err().exit_code(), 3);
    let cpu = Device::Cpu(wgalois::Cpu::default());
    let on_cpu = ColumnTransform::new(eight).plan(&cpu).unwrap();
    assert_eq!(on_cpu.prepare(&device(full())).unwrap_err().exit_code(), 2);
    let on_cpu = on_cpu.prepare(&cpu).unwrap();
    assert_eq!(on_cpu.run_on_device(&full().upload(&[1u32; 16]).unwrap()).unwrap_err().exit_code(), 2);
}

/// Runs share a scratch matrix, which one of them would spoil for another between recording and submitting.
#[test]
fn one_prepared_form_serves_several_threads() {
    let gpu = full();
    let columns = ColumnTransform::new(forward(BABY_BEAR, 1 << 11, 4));
    let prepared = prepare(gpu, &columns).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (prepared, columns) = (&prepared, &columns);
            scope.spawn(move || {
                let matrix = random(BABY_BEAR, columns.len_before(), thread);
                let (source, expected) = (gpu.upload(&matrix).unwrap(), expected(columns, &matrix));
                for _ in 0..20 {
                    let result = prepared.run_on_device(&source).unwrap();
                    assert!(result.download().unwrap() == expected, "thread {thread}");
                }
            });
        }
    });
}
