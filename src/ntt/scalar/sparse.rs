//! Sparse matrices over a scalar field, and their products with vectors on the engine of a device.

use super::gpu::DeviceMatrix;
use super::vector::{Backend, Vector, Vectors, elsewhere};
use crate::parallel::*;
use crate::scalars::Scalar;
use crate::timeline::Phase;
use crate::{Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};

/// Entries of a row that one task of the CPU engine adds up.
const SERIAL: usize = 1 << 12;
/// The most entries of a matrix, whose places are numbers of 32 bits.
const MOST: u64 = u32::MAX as u64;

/// The shares of the entries that are counted at the same time. More would take more memory for counters than they save time.
fn shares() -> usize {
    threads().clamp(1, 8)
}

/// A sparse matrix: for each row, columns and their factors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseMatrix<F> {
    /// The begin of each row among the entries, and the end of the last.
    begins: Vec<u32>,
    columns: Vec<u32>,
    factors: Vec<F>,
}

impl<F: Scalar> SparseMatrix<F> {
    /// A matrix of `rows` rows from entries in any order: row, column, factor. Entries of one place add up.
    pub fn new<I>(rows: usize, entries: I) -> Result<Self>
    where
        I: Iterator<Item = (usize, u32, F)> + Clone,
    {
        Error::expect_at_most("rows", MOST - 1, rows as u64)?;
        let mut begins = vec![0u32; rows + 1];
        let mut count = 0usize;
        for (row, _, _) in entries.clone() {
            let Some(next) = begins.get_mut(row + 1) else {
                return Err(Error::NoSuch { what: "row", index: row as u64, count: rows as u64 });
            };
            if count == u32::MAX as usize {
                return Err(Error::TooMany { what: "coefficients".into(), count: MOST + 1, most: MOST });
            }
            *next += 1;
            count += 1;
        }
        for row in 0..rows {
            begins[row + 1] += begins[row];
        }
        let mut ends = begins.clone();
        let (mut columns, mut factors) = (vec![0; count], vec![F::ZERO; count]);
        for (row, column, factor) in entries {
            let at = ends[row] as usize;
            ends[row] += 1;
            (columns[at], factors[at]) = (column, factor);
        }
        Ok(SparseMatrix { begins, columns, factors })
    }

    /// [`new`](Self::new) of `count` entries by their numbers, on all threads: `place` is an entry's row and column, or `None` if
    /// the matrix lacks it, and `factor` its factor. The entries of a row are in the order of their numbers.
    ///
    /// Beside the matrix, it takes 4 bytes for each entry, and [`counting_bytes`](Self::counting_bytes).
    pub fn by_numbers(
        rows: usize,
        count: usize,
        place: impl Fn(usize) -> Option<(usize, u32)> + Sync,
        factor: impl Fn(usize) -> F + Sync,
    ) -> Result<Self> {
        Error::expect_at_most("rows", MOST - 1, rows as u64)?;
        Error::expect_at_most("coefficients", MOST, count as u64)?;
        // A counting sort by rows. Each share of the entries has counters of its own, so that no thread waits for another.
        let share = count.div_ceil(shares()).max(1);
        let counted = |share: usize, numbers: std::ops::Range<usize>| {
            let mut counts = vec![0u32; rows];
            for (row, _) in numbers.filter_map(&place) {
                let next = counts.get_mut(row).ok_or(row)?;
                *next += 1;
            }
            Ok((share, counts))
        };
        let numbers = |i: usize| i * share..((i + 1) * share).min(count);
        let counts = (0..count.div_ceil(share)).into_par_iter().with_max_len(1);
        let counts = counts.map(|i| counted(i, numbers(i))).try_collect();
        let mut counts: Vec<(usize, Vec<u32>)> = counts.map_err(|row: usize| Error::NoSuch {
            what: "row",
            index: row as u64,
            count: rows as u64,
        })?;
        let begins = begins_of(rows, counts.iter_mut().map(|(_, counts)| &mut counts[..]));
        let begin = begins[rows];
        let order: Vec<AtomicU32> = (0..begin as usize).into_par_iter().map(|_| AtomicU32::new(0)).collect();
        counts.par_iter_mut().with_max_len(1).for_each(|(i, next)| {
            for number in numbers(*i) {
                if let Some((row, _)) = place(number) {
                    order[next[row] as usize].store(number as u32, Ordering::Relaxed);
                    next[row] += 1;
                }
            }
        });
        let number = |place: &AtomicU32| place.load(Ordering::Relaxed) as usize;
        let column = |at| place(number(at)).map_or(0, |(_, column)| column);
        let columns = order.par_iter().map(column).collect();
        let factors = order.par_iter().map(|at| factor(number(at))).collect();
        Ok(SparseMatrix { begins, columns, factors })
    }

    /// Bytes of the counters of [`by_numbers`](Self::by_numbers) for so many rows.
    pub fn counting_bytes(rows: usize) -> u64 {
        4 * shares() as u64 * rows as u64
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.begins.len() - 1
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.factors.len()
    }

    /// The entries of a row: columns and their factors.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, F)> + '_ {
        let entries = self.begins[row] as usize..self.begins[row + 1] as usize;
        self.columns[entries.clone()].iter().copied().zip(self.factors[entries].iter().copied())
    }

    /// The largest column that occurs.
    pub fn largest_column(&self) -> Option<u32> {
        self.columns.iter().copied().max()
    }

    /// The product with a vector that has a scalar for every column that occurs.
    fn multiply(&self, vector: &[F], product: &mut [F]) {
        let of_entry = |(&column, factor): (&u32, &F)| {
            let x = vector[column as usize];
            // Most factors are 1.
            if factor.is_one() { x } else { x.times(factor) }
        };
        let row = |(target, ends): (&mut F, &[u32])| {
            let entries = ends[0] as usize..ends[1] as usize;
            let (columns, factors) = (&self.columns[entries.clone()], &self.factors[entries]);
            *target = match columns.len() {
                0..SERIAL => columns.iter().zip(factors).map(of_entry).sum(),
                _ => columns.par_iter().zip(factors).with_min_len(SERIAL).map(of_entry).sum(),
            };
        };
        product.par_iter_mut().zip(self.begins.par_windows(2)).with_min_len(1 << 8).for_each(row);
    }
}

/// Rows that a thread adds up at a time.
const BLOCK: usize = 1 << 12;

/// Makes of the numbers of entries that each share has of each row the places of the first; returns where each row begins, and the end of
/// the last.
fn begins_of<'c>(rows: usize, counts: impl Iterator<Item = &'c mut [u32]>) -> Vec<u32> {
    let mut blocks: Vec<Vec<&mut [u32]>> = (0..rows.div_ceil(BLOCK)).map(|_| Vec::new()).collect();
    for share in counts {
        blocks.iter_mut().zip(share.chunks_mut(BLOCK)).for_each(|(block, share)| block.push(share));
    }
    let sum = |block: &Vec<&mut [u32]>| block.iter().flat_map(|share| share.iter()).sum::<u32>();
    let sums: Vec<u32> = blocks.par_iter().with_max_len(1).map(sum).collect();
    let mut end = 0;
    let firsts = sums.into_iter().map(|sum| {
        end += sum;
        end - sum
    });
    let firsts: Vec<u32> = firsts.collect();
    let mut begins = vec![end; rows + 1];
    let places = blocks.par_iter_mut().zip(begins[..rows].par_chunks_mut(BLOCK)).zip(&firsts[..]);
    places.with_max_len(1).for_each(|((block, begins), &first)| {
        let mut begin = first;
        for (row, to) in begins.iter_mut().enumerate() {
            *to = begin;
            for share in block.iter_mut() {
                begin += std::mem::replace(&mut share[row], begin);
            }
        }
    });
    begins
}

/// A sparse matrix where an engine computes with it, made by [`Vectors::matrix`].
#[derive(Debug)]
pub struct PreparedMatrix<F: Scalar> {
    rows: usize,
    /// One more than the largest column.
    columns: usize,
    place: Place<F>,
}

#[derive(Debug)]
enum Place<F: Scalar> {
    Host(SparseMatrix<F>),
    Device(DeviceMatrix<F>),
}

impl<F: Scalar> Vectors<F> {
    /// Prepares a matrix for products with vectors on this device. On a GPU, an entry takes 8 bytes, and each of the
    /// different factors 32.
    pub fn matrix(&self, matrix: SparseMatrix<F>) -> Result<PreparedMatrix<F>> {
        let rows = matrix.rows();
        let columns = matrix.largest_column().map_or(0, |column| column as usize + 1);
        let place = match &self.backend {
            Backend::Cpu { .. } => Place::Host(matrix),
            Backend::Gpu(kernels) => Place::Device(DeviceMatrix::new(kernels.gpu(), &matrix)?),
        };
        Ok(PreparedMatrix { rows, columns, place })
    }

    /// The product of a matrix and a vector, in the place of `product`.
    ///
    /// ```
    /// use ark_bn254::Fr;
    /// use wgalois::ntt::scalar::{SparseMatrix, Vectors};
    /// use wgalois::{Cpu, Device};
    ///
    /// let vectors = Vectors::<Fr>::new(&Device::Cpu(Cpu::default()))?;
    /// let entries = [(0, 0, 2u64), (1, 2, 5), (0, 1, 3)].map(|(i, j, factor)| (i, j, Fr::from(factor)));
    /// let matrix = vectors.matrix(SparseMatrix::new(2, entries.into_iter())?)?;
    /// let (x, mut y) = (vectors.upload(&[1u64, 10, 100].map(Fr::from))?, vectors.zeros(2)?);
    /// vectors.apply(&matrix, &x, &mut y)?;
    /// assert_eq!(y.download()?, [32u64, 500].map(Fr::from));
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn apply(
        &self,
        matrix: &PreparedMatrix<F>,
        vector: &Vector<F>,
        product: &mut Vector<F>,
    ) -> Result<()> {
        let PreparedMatrix { rows, columns, place } = matrix;
        Error::expect_length("scalars of the vector", vector.len().max(*columns), vector.len())?;
        Error::expect_length("scalars of the product", *rows, product.len())?;
        match (&self.backend, place, vector, product) {
            (
                Backend::Cpu { threads, timeline },
                Place::Host(matrix),
                Vector::Host(vector),
                Vector::Host(product),
            ) => {
                let work = || matrix.multiply(vector, product);
                timeline.time(Phase::Host, "matrix products", || threads.run(work));
                Ok(())
            }
            (Backend::Gpu(_), Place::Device(matrix), Vector::Device(vector), Vector::Device(product)) => {
                matrix.multiply(vector, product)
            }
            _ => Err(elsewhere()),
        }
    }
}

#[cfg(all(test, feature = "default"))]
mod tests {
    use std::iter::zip;

    use ark_ff::{AdditiveGroup, Field};

    use super::*;
    use crate::gpu::{Options, test_devices};
    use crate::msm::random_scalars;
    use crate::{Cpu, Device};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    type Bn = ark_bn254::Fr;

    /// Entries of `rows` rows with up to three each, in no order, some of them twice, and of some rows of other lengths: row and
    /// length.
    fn entries<F: Scalar>(
        rows: usize,
        columns: u32,
        others: &[(usize, usize)],
        random: &[F],
    ) -> Vec<(usize, u32, F)> {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut entries = Vec::new();
        for row in (0..rows).rev() {
            let other = others.iter().find(|(other, _)| *other == row);
            let len = other.map_or(rng.next_u32() as usize % 4, |(_, len)| *len);
            for i in 0..len {
                let factor = match rng.next_u32() % 4 {
                    0 | 1 => F::ONE,
                    2 => -F::ONE,
                    _ => random[i % random.len()],
                };
                entries.push((row, rng.next_u32() % columns, factor));
            }
        }
        entries.extend_from_within(..rows.min(5));
        entries
    }

    fn agrees<F: Scalar>(device: &Device, random: &[F], rows: usize, others: &[(usize, usize)]) {
        let entries = entries(rows, random.len() as u32, others, random);
        let mut expected = vec![F::ZERO; rows];
        for &(row, column, factor) in &entries {
            expected[row] += factor * random[column as usize];
        }
        let vectors = Vectors::<F>::new(device).unwrap();
        let matrix = SparseMatrix::new(rows, entries.iter().copied()).unwrap();
        // Entries with odd numbers are left out.
        let place = |i: usize| i.is_multiple_of(2).then(|| (entries[i / 2].0, entries[i / 2].1));
        let factor = |i: usize| entries[i / 2].2;
        assert!(SparseMatrix::by_numbers(rows, 2 * entries.len(), place, factor).unwrap() == matrix);
        let matrix = vectors.matrix(matrix).unwrap();
        // What was in the product does not matter.
        let (vector, mut product) = (vectors.upload(random).unwrap(), vectors.upload(&expected).unwrap());
        vectors.multiply(&mut product, &vectors.upload(&expected).unwrap()).unwrap();
        vectors.apply(&matrix, &vector, &mut product).unwrap();
        assert!(product.download().unwrap() == expected);
    }

    /// The lengths of rows around the limits of a thread, a workgroup and a task.
    const LENGTHS: [(usize, usize); 7] =
        [(0, 64), (3, 65), (4, 0), (70, 128), (71, 1), (99, 5000), (100, 300)];

    fn random<C: crate::curve::Curve>(len: usize) -> Vec<C::ScalarField> {
        let mut random = random_scalars::<C>(len, &mut ChaCha8Rng::seed_from_u64(2));
        let edges = [C::ScalarField::ZERO, -C::ScalarField::ONE, C::ScalarField::ONE];
        zip(&mut random, edges).for_each(|(scalar, edge)| *scalar = edge);
        random
    }

    #[test]
    fn products_agree_with_the_definition() {
        let scalars = random::<crate::curve::Bn254>(130);
        agrees(&Device::Cpu(Cpu::default()), &scalars, 101, &LENGTHS);
        agrees(&Device::Cpu(Cpu { threads: 2, ..Cpu::default() }), &scalars, 1000, &[]);
        for options in [Options::default(), Options::portable()] {
            let device = Device::Gpu(test_devices::open(options));
            agrees(&device, &scalars, 101, &LENGTHS);
            agrees(&device, &scalars[..1], 1, &[(0, 3)]);
            agrees(&device, &scalars, 1000, &[]);
            // Rows that several threads lay out.
            agrees(&device, &scalars, 3 << 12, &[]);
            agrees(&device, &random::<crate::curve::Bls12_381>(40), 77, &LENGTHS[..4]);
        }
        // Bindings that hold a part of the entries: 512 of them, and 128 different factors.
        let options = Options { max_chunk_bytes: 1 << 12, ..Options::default() };
        let small = Device::Gpu(test_devices::open(options));
        agrees(&small, &scalars[..100], 101, &LENGTHS[..5]);
        // Vectors and products of which a binding holds 32 scalars, whose long rows have entries in both buffers.
        for options in [Options::default(), Options::portable()] {
            let small = Device::Gpu(test_devices::open(Options { max_chunk_bytes: 1 << 10, ..options }));
            agrees(&small, &scalars, 101, &LENGTHS[..5]);
            agrees(&small, &scalars[..33], 64, &[(31, 5000), (32, 33), (33, 0)]);
            agrees(&small, &scalars[..3], 33, &[]);
        }
    }

    #[test]
    fn wrong_sizes_are_refused() {
        let vectors = Vectors::<Bn>::new(&Device::Cpu(Cpu::default())).unwrap();
        assert!(SparseMatrix::new(2, [(2, 0, Bn::ONE)].into_iter()).is_err());
        assert!(SparseMatrix::by_numbers(2, 1, |_| Some((2, 0)), |_| Bn::ONE).is_err());
        let none = SparseMatrix::by_numbers(2, 0, |_| Some((2, 0)), |_| Bn::ONE).unwrap();
        assert_eq!((none.rows(), none.entries(), none.largest_column()), (2, 0, None));
        let matrix = SparseMatrix::new(2, [(1, 3, Bn::ONE)].into_iter()).unwrap();
        assert_eq!((matrix.rows(), matrix.entries(), matrix.largest_column()), (2, 1, Some(3)));
        let matrix = vectors.matrix(matrix).unwrap();
        for (columns, rows, is_right) in
            [(4, 2, true), (5, 2, true), (3, 2, false), (4, 1, false), (4, 3, false)]
        {
            let (vector, mut product) = (vectors.zeros(columns).unwrap(), vectors.zeros(rows).unwrap());
            assert_eq!(vectors.apply(&matrix, &vector, &mut product).is_ok(), is_right, "{columns} {rows}");
        }
    }
}
