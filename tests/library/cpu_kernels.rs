//! The vector kernels of the CPU engine on small sizes, which AddressSanitizer (.ci/sanitize) and
//! Miri can run in short time. The lengths are just below and above whole vectors, and the lengths from
//! which another kernel is used.

use wgalois::field::{BABY_BEAR, KOALA_BEAR, bit_reverse};
use wgalois::gf2::{self, BitMatrix, F4Matrix, F4Method, IndexLists, generate};
use wgalois::ntt::cpu::{Instructions, Plan};
use wgalois::ntt::{Coset, Direction, Order, Transform};
use wgalois::{Cpu, Device, Simd};

/// Returns the size for Miri, which is a thousand times slower, or the usual one.
const fn sized(usual: usize, miri: usize) -> usize {
    if cfg!(miri) { miri } else { usual }
}

/// Pseudorandom numbers; the generators of crates are slow under Miri.
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}

fn residues(count: usize, p: u32, seed: u64) -> Vec<u32> {
    numbers(seed).take(count).map(|number| (number % u64::from(p)) as u32).collect()
}

#[test]
fn transforms_of_every_small_length_come_back_and_begin_with_the_sum() {
    let orders = [Order::Natural, Order::BitReversed];
    for instructions in Instructions::available() {
        for log_n in 1..=sized(11, 6) as u32 {
            for (prime, coset) in [(BABY_BEAR, Coset::Subgroup), (KOALA_BEAR, Coset::Shift(3))] {
                let n = 1usize << log_n;
                // The batch does not fill a whole number of vectors.
                let batch = if log_n < 6 { 5 } else { 1 };
                let x = residues(n * batch, prime.value(), u64::from(log_n));
                for (input, output) in orders.into_iter().flat_map(|i| orders.map(|o| (i, o))) {
                    let forward = Transform::new(prime, n)
                        .unwrap()
                        .with_batch(batch)
                        .with_coset(coset)
                        .with_input(input)
                        .with_output(output);
                    let mut data = x.clone();
                    Plan::with_instructions(&forward, 1, instructions).unwrap().run(&mut data).unwrap();
                    let shift = forward.shift().unwrap();
                    for (x, y) in x.chunks(n).zip(data.chunks(n)) {
                        // Entry 0 is the polynomial's value at the shift.
                        let place = |i| if input == Order::Natural { i } else { bit_reverse(i, log_n) };
                        let value =
                            (0..n).rev().fold(0, |sum, i| prime.add(prime.mul(sum, shift), x[place(i)]));
                        assert_eq!(y[0], value, "{forward:?} {instructions}");
                    }
                    let inverse = forward.inverted();
                    assert_eq!(inverse.direction(), Direction::Inverse);
                    Plan::with_instructions(&inverse, 1, instructions).unwrap().run(&mut data).unwrap();
                    assert!(data == x, "{forward:?} {instructions}");
                }
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "vectors that are long enough to be shared out take Miri hours")]
fn a_vector_that_threads_share_comes_back() {
    for instructions in Instructions::available() {
        for output in [Order::Natural, Order::BitReversed] {
            let forward = Transform::new(BABY_BEAR, 1 << 16).unwrap().with_output(output);
            let x = residues(1 << 16, BABY_BEAR.value(), 5);
            let mut data = x.clone();
            Plan::with_instructions(&forward, 3, instructions).unwrap().run(&mut data).unwrap();
            let sum = x.iter().fold(0, |sum, &value| BABY_BEAR.add(sum, value));
            assert_eq!(data[0], sum);
            Plan::with_instructions(&forward.inverted(), 3, instructions).unwrap().run(&mut data).unwrap();
            assert!(data == x, "{instructions}");
        }
    }
}

fn engines() -> Vec<(Simd, Device)> {
    let all = Simd::ALL.into_iter().filter(|simd| simd.is_available());
    all.map(|simd| (simd, Device::Cpu(Cpu { threads: 1, simd, ..Cpu::default() }))).collect()
}

fn matrix(rows: usize, columns: usize, seed: u64) -> BitMatrix {
    let mut matrix = BitMatrix::zeros(rows, columns).unwrap();
    let mut bits = numbers(seed);
    for row in 0..rows {
        for column in 0..columns {
            matrix.set(row, column, bits.next().unwrap() >> 33 & 1 == 1);
        }
    }
    matrix
}

#[test]
fn products_of_matrices_are_the_sums_of_their_rows() {
    for (seed, &(m, k, n)) in [(1, 1, 1), (3, 65, 64), (70, 130, 513), (9, 64, 1100), (5, 0, 7)]
        .iter()
        .take(sized(5, 2))
        .enumerate()
    {
        let (a, b) = (matrix(m, k, seed as u64 + 1), matrix(k, n, seed as u64 + 100));
        let mut expected = BitMatrix::zeros(m, n).unwrap();
        for row in 0..m {
            for i in a.ones(row) {
                expected.row64_mut(row).iter_mut().zip(b.row64(i)).for_each(|(to, from)| *to ^= from);
            }
        }
        for (simd, engine) in engines() {
            assert!(gf2::multiply(&engine, &a, &b).unwrap() == expected, "{m} x {k} x {n} {simd}");
        }
    }
}

/// The rank, by elimination column by column.
fn rank(matrix: &BitMatrix) -> usize {
    let mut rows: Vec<Vec<u64>> = (0..matrix.rows()).map(|row| matrix.row64(row).to_vec()).collect();
    let mut rank = 0;
    for column in 0..matrix.columns() {
        let one = |row: &[u64]| row[column / 64] >> (column % 64) & 1 == 1;
        let Some(pivot) = (rank..rows.len()).find(|&row| one(&rows[row])) else { continue };
        rows.swap(rank, pivot);
        let pivot = rows[rank].clone();
        for row in rows[rank + 1..].iter_mut().filter(|row| one(row)) {
            row.iter_mut().zip(&pivot).for_each(|(to, from)| *to ^= from);
        }
        rank += 1;
    }
    rank
}

#[test]
fn echelon_forms_have_the_rank_and_are_the_same_for_all() {
    for (seed, &(m, n)) in
        [(1, 1), (20, 30), (130, 70), (300, 600), (64, 1100)].iter().take(sized(5, 2)).enumerate()
    {
        let a = matrix(m, n, seed as u64 + 1);
        let mut forms = Vec::new();
        for (simd, engine) in engines() {
            assert_eq!(gf2::rank(&engine, &a).unwrap(), rank(&a), "{m} x {n} {simd}");
            forms.push(gf2::rref(&engine, &a).unwrap().matrix);
        }
        assert!(forms.iter().all(|form| *form == forms[0]), "{m} x {n}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "the least system that all methods have work with takes Miri an hour")]
fn eliminations_are_the_same_for_all() {
    let generator = generate::Groebner {
        columns: 700,
        reducers: 400,
        rows: 250,
        new_pivots: 120,
        reducer_ones: 12,
        row_ones: 30,
        seed: 3,
    };
    let (reducers, rows) = generator.generate().unwrap();
    let f4 = F4Matrix::new(reducers, rows, Some(700)).unwrap();
    for method in F4Method::ALL {
        let results: Vec<IndexLists> = engines()
            .iter()
            .map(|(_, engine)| gf2::eliminate(engine, &f4.clone().with_method(method)).unwrap().to_lists())
            .collect();
        assert!(results.iter().all(|result| *result == results[0]), "{method}");
    }
}
