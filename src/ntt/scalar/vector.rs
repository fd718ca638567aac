//! Vectors of scalars on the engine of a device, and the operations on them that provers need.

use super::cpu;
use super::gpu::{Operation, VectorKernels};
use super::powers::weigh;
use super::problem::{Transform, Weights};
use crate::field::bit_reverse;
use crate::gpu::block_on;
use crate::ntt::Order;
use crate::parallel::*;
use crate::scalars::{DeviceScalars, Scalar};
use crate::timeline::{Phase, Timeline};
use crate::{Device, Error, One, Result};

/// Scalars of one task of the CPU engine.
const BLOCK: usize = 1 << 10;

/// A vector of scalars where an engine computes on it: in the host's memory for the CPU engine, otherwise in a GPU's.
#[derive(Debug)]
pub enum Vector<F: Scalar> {
    /// On the host.
    Host(Vec<F>),
    /// On a GPU.
    Device(DeviceScalars<F>),
}

impl<F: Scalar> Vector<F> {
    /// The number of scalars.
    pub fn len(&self) -> usize {
        match self {
            Vector::Host(scalars) => scalars.len(),
            Vector::Device(scalars) => scalars.len(),
        }
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The scalars on the host.
    pub fn download(&self) -> Result<Vec<F>> {
        block_on(self.download_async())
    }

    /// The asynchronous form of [`download`](Self::download), for browsers.
    pub async fn download_async(&self) -> Result<Vec<F>> {
        match self {
            Vector::Host(scalars) => {
                let mut copy = cpu::room(scalars.len())?;
                copy.extend_from_slice(scalars);
                Ok(copy)
            }
            Vector::Device(scalars) => scalars.download_async().await,
        }
    }

    /// Leaves only the first `len` scalars.
    pub fn truncate(&mut self, len: usize) {
        match self {
            Vector::Host(scalars) => scalars.truncate(len),
            Vector::Device(scalars) => scalars.truncate(len),
        }
    }

    /// Overwrites all scalars with zeros.
    pub fn clear(&mut self) -> Result<()> {
        match self {
            Vector::Host(scalars) => {
                scalars.fill(F::ZERO);
                Ok(())
            }
            Vector::Device(scalars) => scalars.clear(),
        }
    }
}

/// The operations on vectors of scalars on one device. Of a group of GPUs, its fastest holds the vectors.
///
/// They return before the work is done; the next download waits for it. A kernel is compiled when it is first used.
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois::ntt::scalar::Vectors;
/// use wgalois::{Cpu, Device};
///
/// let vectors = Vectors::<Fr>::new(&Device::Cpu(Cpu::default()))?;
/// let mut a = vectors.upload(&[1u64, 2, 3].map(Fr::from))?;
/// let b = vectors.upload(&[4u64, 5, 6].map(Fr::from))?;
/// vectors.multiply(&mut a, &b)?;
/// vectors.scale_by_powers(&mut a, Fr::from(1), Fr::from(10))?;
/// assert_eq!(a.download()?, [4u64, 100, 1800].map(Fr::from));
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Debug)]
pub struct Vectors<F: Scalar> {
    pub(super) backend: Backend<F>,
}

#[derive(Debug)]
pub(super) enum Backend<F: Scalar> {
    Cpu { threads: Threads, timeline: Timeline },
    Gpu(VectorKernels<F>),
}

impl<F: Scalar> Vectors<F> {
    /// The operations on this device.
    pub fn new(device: &Device) -> Result<Self> {
        let backend = match device.one() {
            One::Cpu(cpu) => {
                Backend::Cpu { threads: Threads::new(cpu.threads)?, timeline: cpu.timeline.clone() }
            }
            One::Gpu(gpu) => Backend::Gpu(VectorKernels::new(gpu)),
        };
        Ok(Vectors { backend })
    }

    /// Compiles the kernels of sums, differences and products of vectors and of products with matrices. Without this call they
    /// are compiled when they are first used.
    pub fn compile(&self) -> Result<()> {
        match &self.backend {
            Backend::Cpu { .. } => Ok(()),
            Backend::Gpu(kernels) => kernels.compile(),
        }
    }

    /// Copies scalars to the device.
    pub fn upload(&self, scalars: &[F]) -> Result<Vector<F>> {
        self.upload_padded(scalars, scalars.len())
    }

    /// Copies scalars to the first places of a vector of `len` scalars on the device; the others are 0.
    pub fn upload_padded(&self, scalars: &[F], len: usize) -> Result<Vector<F>> {
        let mut vector = self.zeros(len)?;
        if scalars.len() > len {
            return Err(Error::PastTheEnd { what: "scalars", start: 0, count: scalars.len(), len });
        }
        match &mut vector {
            Vector::Host(target) => target[..scalars.len()].copy_from_slice(scalars),
            Vector::Device(target) => target.write(0, scalars)?,
        }
        Ok(vector)
    }

    /// A vector of `len` zeros on the device.
    pub fn zeros(&self, len: usize) -> Result<Vector<F>> {
        match &self.backend {
            Backend::Cpu { .. } => {
                let mut scalars = cpu::room(len)?;
                scalars.resize(len, F::ZERO);
                Ok(Vector::Host(scalars))
            }
            Backend::Gpu(kernels) => Ok(Vector::Device(DeviceScalars::zeros(kernels.gpu(), len)?)),
        }
    }

    /// Copies all scalars of b to the first ones of a, and sets the others to 0.
    pub fn assign(&self, a: &mut Vector<F>, b: &Vector<F>) -> Result<()> {
        match (a, b) {
            (Vector::Host(a), Vector::Host(b)) if a.len() >= b.len() => {
                a[..b.len()].copy_from_slice(b);
                a[b.len()..].fill(F::ZERO);
                Ok(())
            }
            (Vector::Host(a), Vector::Host(b)) => {
                Err(Error::PastTheEnd { what: "scalars", start: 0, count: b.len(), len: a.len() })
            }
            (Vector::Device(a), Vector::Device(b)) => a.assign(b),
            _ => Err(elsewhere()),
        }
    }

    /// a + b, in the place of a.
    pub fn add(&self, a: &mut Vector<F>, b: &Vector<F>) -> Result<()> {
        self.combine(a, b, Operation::Add, "sum")
    }

    /// a - b, in the place of a.
    pub fn subtract(&self, a: &mut Vector<F>, b: &Vector<F>) -> Result<()> {
        self.combine(a, b, Operation::Subtract, "difference")
    }

    /// The products of the scalars of a and b at the same place, in the place of a.
    pub fn multiply(&self, a: &mut Vector<F>, b: &Vector<F>) -> Result<()> {
        self.combine(a, b, Operation::Multiply, "products")
    }

    fn combine(&self, a: &mut Vector<F>, b: &Vector<F>, operation: Operation, name: &str) -> Result<()> {
        Error::expect_length("scalars of the second vector", a.len(), b.len())?;
        match (&self.backend, a, b) {
            (Backend::Cpu { threads, timeline }, Vector::Host(a), Vector::Host(b)) => {
                let combine = |(a, b): (&mut F, &F)| match operation {
                    Operation::Add => *a += b,
                    Operation::Subtract => *a -= b,
                    Operation::Multiply => *a = a.times(b),
                };
                let work = || a.par_iter_mut().zip(b).with_min_len(BLOCK).for_each(combine);
                timeline.time(Phase::Host, name, || threads.run(work));
                Ok(())
            }
            (Backend::Gpu(kernels), Vector::Device(a), Vector::Device(b)) => kernels.combine(a, b, operation),
            _ => Err(elsewhere()),
        }
    }

    /// Multiplies every scalar by `factor`.
    pub fn scale(&self, a: &mut Vector<F>, factor: F) -> Result<()> {
        self.multiply_by_table(a, &[factor], 0)
    }

    /// Multiplies scalar i by `first` times `ratio`^i.
    pub fn scale_by_powers(&self, a: &mut Vector<F>, first: F, ratio: F) -> Result<()> {
        match (&self.backend, a) {
            (_, a) if a.is_empty() => Ok(()),
            (Backend::Cpu { threads, timeline }, Vector::Host(a)) => {
                let log_len = a.len().next_power_of_two().ilog2();
                let weights = Weights { first, ratio };
                let work = || weigh(a, &weights, log_len, Order::Natural);
                timeline.time(Phase::Host, "powers", || threads.run(work));
                Ok(())
            }
            (Backend::Gpu(kernels), Vector::Device(a)) => kernels.scale_by_powers(a, first, ratio),
            _ => Err(elsewhere()),
        }
    }

    /// Replaces every scalar by its inverse, and leaves 0 as it is (Montgomery 1987: one inversion for many scalars).
    pub fn invert(&self, a: &mut Vector<F>) -> Result<()> {
        match (&self.backend, a) {
            (Backend::Cpu { threads, timeline }, Vector::Host(a)) => {
                timeline.time(Phase::Host, "inverses", || threads.run(|| invert_all(a)));
                Ok(())
            }
            (Backend::Gpu(kernels), Vector::Device(a)) => kernels.invert(a),
            _ => Err(elsewhere()),
        }
    }

    /// Divides the values of polynomials by those of x^m - 1 at the same points. `values` are the output of
    /// `transform`, which says where each value is taken and in what order: a forward transform of length n, of
    /// which m is a divisor. So the quotient by the polynomial that vanishes on a subgroup is computed on a coset.
    /// `m` must divide n, and x^m - 1 must not be 0 at a point.
    pub fn divide_by_vanishing(
        &self,
        values: &mut Vector<F>,
        transform: &Transform<F>,
        m: usize,
    ) -> Result<()> {
        transform.check_len(values.len(), "scalars")?;
        if m == 0 || !transform.n().is_multiple_of(m) {
            let (what, value, most) = ("degree of x^m - 1", m as u64, transform.n() as u64);
            return Err(Error::NotAPowerOfTwo { what, value, least: 1, most });
        }
        // The values of x^m - 1 at g w^j repeat: w^m has order n / m.
        let (count, log_m) = (transform.n() / m, m.ilog2());
        let (root, shift) = (transform.root().pow([m as u64]), transform.shift()?.pow([m as u64]));
        let mut table = cpu::room(count)?;
        let mut power = shift;
        for _ in 0..count {
            table.push(power - F::ONE);
            power *= root;
        }
        if table.iter().any(F::is_zero) {
            return Err(Error::unsuited("division", format!("x^{m} - 1 is 0 at a point of this coset")));
        }
        invert_all(&mut table);
        match transform.output() {
            Order::Natural => self.multiply_by_table(values, &table, 0),
            Order::BitReversed => {
                let log_count = count.ilog2();
                let table: Vec<F> = (0..count).map(|i| table[bit_reverse(i, log_count)]).collect();
                self.multiply_by_table(values, &table, log_m)
            }
        }
    }

    /// Multiplies scalar i by entry (i >> shift) of the table, modulo its length, a power of two.
    fn multiply_by_table(&self, a: &mut Vector<F>, table: &[F], shift: u32) -> Result<()> {
        match (&self.backend, a) {
            (Backend::Cpu { threads, timeline }, Vector::Host(a)) => {
                let mask = table.len() - 1;
                let scale = |(i, x): (usize, &mut F)| *x = x.times(&table[i >> shift & mask]);
                let work = || a.par_iter_mut().enumerate().with_min_len(BLOCK).for_each(scale);
                timeline.time(Phase::Host, "scale", || threads.run(work));
                Ok(())
            }
            (Backend::Gpu(kernels), Vector::Device(a)) => kernels.multiply_by_table(a, table, shift),
            _ => Err(elsewhere()),
        }
    }
}

pub(super) fn elsewhere() -> Error {
    Error::OtherDevice { what: "the vector is" }
}
/// Replaces every scalar by its inverse, and leaves 0 as it is. Those of a block share an inversion.
fn invert_all<F: Scalar>(scalars: &mut [F]) {
    scalars.par_chunks_mut(BLOCK).for_each(|block| ark_ff::serial_batch_inversion_and_mul(block, &F::ONE));
}
