//! Products of two matrices.

pub(super) mod among;
mod on_cpu;
mod on_gpu;

pub use on_gpu::ReadyOnGpu;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use among::Among;
use on_cpu::OnCpu;
use on_gpu::OnGpu;

use super::bit_matrix::{expect_sides, mismatch};
use super::gpu::DeviceMatrix;
use super::{BitMatrix, verify};
use crate::task::{Divided, Divisible, Engine, Planned, Prepared, Problem, Profile, Ways};
use crate::verify::Guarantee;
use crate::{Device, Error, Result};

/// The product of a matrix of `rows` x `inner` and one of `inner` x `columns`.
///
/// ```
/// use wgalois::gf2::{BitMatrix, Product};
/// use wgalois::{Cpu, Device, task::Problem};
///
/// let device = Device::Cpu(Cpu::default());
/// let (product, identity) = (Product::new(3, 3, 3)?, BitMatrix::identity(3)?);
/// let prepared = product.plan(&device)?.prepare(&device)?;
/// assert_eq!(prepared.run((&identity, &identity).into())?, identity);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    rows: usize,
    inner: usize,
    columns: usize,
    /// True for some rows of a product, which are copied out of A and into the whole.
    is_share: bool,
}

impl Product {
    /// The product of a matrix of `rows` x `inner` and one of `inner` x `columns`.
    pub fn new(rows: usize, inner: usize, columns: usize) -> Result<Self> {
        expect_sides([rows, inner, columns])?;
        Ok(Product { rows, inner, columns, is_share: false })
    }

    /// The rows and columns of A, and the columns of B.
    pub fn shape(&self) -> (usize, usize, usize) {
        (self.rows, self.inner, self.columns)
    }

    /// The bytes of host memory that a [`check`](Self::check) takes beside the matrices.
    pub fn check_bytes(&self) -> u64 {
        verify::linear_bytes(self.rows, self.inner, self.columns)
    }

    /// The bytes of host memory that a [`check`](Self::check) takes after a run beside the factors, the product included.
    pub fn check_bytes_of_run(&self) -> u64 {
        BitMatrix::bytes_of(self.rows as u64, self.columns as u64).saturating_add(self.check_bytes())
    }

    /// Checks the product of `a` and `b`, in time linear in the matrices. A wrong one is missed with a chance of at most
    /// 2^-64.
    pub fn check(&self, a: &BitMatrix, b: &BitMatrix, product: &BitMatrix) -> Result<Guarantee> {
        self.expect_shapes((a.rows(), a.columns()), (b.rows(), b.columns()))?;
        verify::product(a, b, product)
    }

    /// Returns an error for other rows and columns of matrices than the problem's.
    pub(super) fn expect_shapes(&self, a: (usize, usize), b: (usize, usize)) -> Result<()> {
        let &Product { rows, inner, columns, .. } = self;
        Error::expect_shape("a matrix", (rows, inner), a)?;
        match b {
            (others, _) if others != inner => Err(mismatch(inner, others)),
            b => Error::expect_shape("a second matrix", (inner, columns), b),
        }
    }

    /// Bytes of the copies of a share.
    fn copied_bytes(&self) -> u64 {
        let matrix = |columns: usize| BitMatrix::bytes_of(self.rows as u64, columns as u64);
        if self.is_share { matrix(self.inner).saturating_add(matrix(self.columns)) } else { 0 }
    }
}

/// The factors of a product: A, or some of its rows, and B.
#[derive(Clone, Debug)]
pub struct Factors<'a> {
    a: &'a BitMatrix,
    rows: Range<usize>,
    b: &'a BitMatrix,
}

impl<'a> From<(&'a BitMatrix, &'a BitMatrix)> for Factors<'a> {
    fn from((a, b): (&'a BitMatrix, &'a BitMatrix)) -> Self {
        Factors { a, rows: 0..a.rows(), b }
    }
}

impl<'a> Factors<'a> {
    /// The rows of A.
    fn left(&self) -> Result<Cow<'a, BitMatrix>> {
        match self.rows == (0..self.a.rows()) {
            true => Ok(Cow::Borrowed(self.a)),
            false => self.a.copy_of_rows(self.rows.clone()).map(Cow::Owned),
        }
    }
}

impl Problem for Product {
    const NAME: &'static str = "this matrix";

    type Resident<'a> = ();
    type Input<'a> = Factors<'a>;
    type Answer = BitMatrix;
    type Kernels = ReadyOnGpu;

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        let none = Ways::default();
        Ok(match &profile.engine {
            Engine::Cpu(cpu) => none.with(OnCpu::NAME, Ok(OnCpu::new(self, *cpu))),
            Engine::Gpu(gpu) => none
                .with(OnGpu::WHOLE, OnGpu::whole(self, gpu, profile))
                .with(OnGpu::IN_PARTS, OnGpu::in_parts(self, gpu, profile)),
            Engine::Group(_) => none.with(Divided::<Self>::NAME, Divided::new(self, profile)),
            Engine::Processes { size, each } => {
                none.with(Among::NAME, Among::new(self, profile, (*size, each)))
            }
        })
    }

    fn check_input(&self, factors: &Factors<'_>) -> Result<()> {
        let (a, b) = (factors.a, factors.b);
        self.expect_shapes((factors.rows.len(), a.columns()), (b.rows(), b.columns()))
    }

    fn reborrow<'s>(factors: &'s mut Factors<'_>) -> Factors<'s> {
        factors.clone()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "operation      multiply")?;
        writeln!(f, "matrix         {} x {}", self.rows, self.inner)?;
        match self.columns {
            0 => Ok(()),
            columns => writeln!(f, "second matrix  {columns} columns"),
        }
    }
}

/// Each device multiplies a share of the rows of A by all of B.
impl Divisible for Product {
    const THINGS: &'static str = "rows";

    fn count(&self) -> usize {
        self.rows
    }

    fn part(&self, count: usize) -> Self {
        Product { rows: count, is_share: true, ..*self }
    }

    fn count_of(&self, factors: &Factors<'_>) -> usize {
        factors.rows.len()
    }

    fn split<'i>(&self, factors: Self::Input<'i>, ranges: &[Range<usize>]) -> Vec<Self::Input<'i>> {
        let first = factors.rows.start;
        let part = |range: &Range<usize>| Factors { rows: first + range.start..first + range.end, ..factors };
        ranges.iter().map(part).collect()
    }

    fn join(&self, mut products: Vec<BitMatrix>) -> Result<BitMatrix> {
        if products.len() == 1 {
            return Ok(products.swap_remove(0));
        }
        let mut whole = BitMatrix::zeros(products.iter().map(BitMatrix::rows).sum(), self.columns)?;
        let mut left = whole.words64_mut();
        for product in products {
            let (own, rest) = left.split_at_mut(product.words64().len());
            own.copy_from_slice(product.words64());
            left = rest;
        }
        Ok(whole)
    }
}

/// The plan of a [`Product`].
pub type ProductPlan = Planned<Product>;

/// A product that is ready to run.
pub type PreparedProduct = Prepared<'static, Product>;

impl PreparedProduct {
    /// Multiplies `a` by `b`, which are on the device. The product is submitted, and the next download waits for it.
    pub fn run_on_device(&self, a: &DeviceMatrix, b: &DeviceMatrix) -> Result<DeviceMatrix> {
        let shape = |matrix: &DeviceMatrix| (matrix.rows(), matrix.columns());
        self.plan().problem().expect_shapes(shape(a), shape(b))?;
        self.kernels().ok_or_else(super::question::from_the_host)?.on_device(a, b)
    }
}

/// The product a b.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, generate}};
///
/// let device = Device::Cpu(Cpu::default());
/// let (a, b) = (generate::matrix(40, 70, 0.5, 1)?, generate::matrix(70, 9, 0.5, 2)?);
/// let product = gf2::multiply(&device, &a, &b)?;
/// let entry = a.ones(3).filter(|&k| b.get(k, 5)).count() % 2 == 1;
/// assert_eq!(product.get(3, 5), entry);
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn multiply(device: &Device, a: &BitMatrix, b: &BitMatrix) -> Result<BitMatrix> {
    let problem = Product::new(a.rows(), a.columns(), b.columns())?;
    Ok(problem.plan(device)?.compute(device, (a, b).into())?.0)
}
