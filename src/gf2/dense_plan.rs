//! Problems of dense linear algebra and their plans.

use std::fmt;
use std::time::Duration;

use super::dense_run::PreparedDense;
use super::{BitMatrix, Inverse, MAX_SIDE, cost, dense_group, gpu};
use crate::task::{Cost, Engine, OneEngine, Plan, Problem, Profile, Shares, Traffic, write_unshared};
use crate::{Device, Error, One, Result, Shortage, Side};

/// An operation on matrices over GF(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The rank of A.
    Rank,
    /// A row echelon form of A.
    Echelon,
    /// The reduced row echelon form of A.
    Rref,
    /// X with A X = B.
    Solve,
    /// A basis of { x : A x = 0 }.
    Kernel,
    /// The inverse of A.
    Inverse,
    /// The product A B.
    Multiply,
    /// The transpose of A.
    Transpose,
}

/// A problem of dense linear algebra over GF(2): an operation and the shapes of its matrices.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{Dense, BitMatrix}, task::{Plan, Problem}};
///
/// let device = Device::Cpu(Cpu::default());
/// let plan = Dense::rref(2, 3)?.plan(&device)?;
/// assert!(plan.cost().host_bytes > 0);
/// let form = plan.prepare(&device)?.run(&BitMatrix::zeros(2, 3)?, None)?.into_form()?;
/// assert_eq!(form.rank(), 0);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    operation: Operation,
    rows: usize,
    columns: usize,
    /// Columns of B.
    others: usize,
    /// Columns in which pivots are sought.
    limit: usize,
    carries: bool,
}

impl Dense {
    fn new(operation: Operation, rows: usize, columns: usize, others: usize) -> Result<Self> {
        if let Some(side) = [rows, columns, others].into_iter().find(|&side| side > MAX_SIDE) {
            return Err(Error::Input(format!("{side} rows or columns: at most {MAX_SIDE} are allowed")));
        }
        Ok(Dense { operation, rows, columns, others, limit: columns, carries: false })
    }

    /// The rank of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// [`Error::Input`] for more than [`MAX_SIDE`] rows or columns; so for every problem here.
    pub fn rank(rows: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Rank, rows, columns, 0)
    }

    /// A row echelon form of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn echelon(rows: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Echelon, rows, columns, 0)
    }

    /// The reduced row echelon form of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn rref(rows: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Rref, rows, columns, 0)
    }

    /// Solutions of A X = B with A of `rows` x `columns` and B of `rows` x `sides`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn solve(rows: usize, columns: usize, sides: usize) -> Result<Self> {
        Self::new(Operation::Solve, rows, columns, sides)
    }

    /// A basis of the kernel of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn kernel(rows: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Kernel, rows, columns, 0)
    }

    /// The inverse of a matrix of `n` x `n`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn inverse(n: usize) -> Result<Self> {
        Self::new(Operation::Inverse, n, n, n)
    }

    /// The product of a matrix of `rows` x `inner` and one of `inner` x `columns`.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn multiply(rows: usize, inner: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Multiply, rows, inner, columns)
    }

    /// The transpose of a matrix of `rows` x `columns`. The host computes it.
    ///
    /// # Errors
    /// As for [`rank`](Self::rank).
    pub fn transpose(rows: usize, columns: usize) -> Result<Self> {
        Self::new(Operation::Transpose, rows, columns, 0)
    }

    /// Restricts the pivots to the first `limit` columns, for [`echelon`](Self::echelon) and
    /// [`rref`](Self::rref).
    #[must_use]
    pub fn with_pivots_within(self, limit: usize) -> Self {
        Dense { limit: limit.min(self.columns), ..self }
    }

    /// Includes, if `carries`, the memory and time of carrying 64 random columns through an elimination:
    /// [`PreparedDense::run_carrying`] does so, and [`check_carried`](Self::check_carried) proves the answer with
    /// them.
    #[must_use]
    pub fn with_carried_columns(self, carries: bool) -> Self {
        Dense { carries, ..self }
    }

    /// The operation.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The rows and columns of A.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The columns of B, 0 if there is no B.
    pub fn other_columns(&self) -> usize {
        self.others
    }

    /// Returns an error for matrices of other shapes than the problem's.
    pub(super) fn expect_input(&self, a: &BitMatrix, b: Option<&BitMatrix>) -> Result<()> {
        if self.operation == Operation::Inverse {
            Inverse::expect_square(a)?;
        }
        let shape = |matrix: &BitMatrix| (matrix.rows(), matrix.columns());
        self.expect_shapes(shape(a), b.map(shape))
    }

    /// Returns an error for other rows and columns of matrices than the problem's.
    pub(super) fn expect_shapes(&self, a: (usize, usize), b: Option<(usize, usize)>) -> Result<()> {
        let (rows, columns) = (self.rows, self.columns);
        if a != (rows, columns) {
            return Err(Error::Input(format!("the plan is for a matrix of {rows} x {columns}")));
        }
        let other_rows = match self.operation {
            Operation::Solve => rows,
            Operation::Multiply => columns,
            _ => return Ok(()),
        };
        match b {
            Some(shape) if shape == (other_rows, self.others) => Ok(()),
            Some((others, _)) if self.operation == Operation::Solve && others != rows => {
                Err(Error::Input(format!("the matrix has {rows} rows, the right sides {others}")))
            }
            Some((others, _)) if self.operation == Operation::Multiply && others != columns => {
                Err(Error::Input(format!("a factor of {columns} columns and one of {others} rows")))
            }
            _ => {
                let others = self.others;
                Err(Error::Input(format!("the plan is for a second matrix of {other_rows} x {others}")))
            }
        }
    }

    /// The echelon form of a matrix of the same shape.
    pub(super) fn echelon_of_same(&self) -> Dense {
        Dense { operation: Operation::Echelon, others: 0, limit: self.columns, carries: false, ..*self }
    }

    /// True if the operation eliminates.
    pub(super) fn eliminates(&self) -> bool {
        !matches!(self.operation, Operation::Multiply | Operation::Transpose)
    }

    /// Returns an error for an elimination that was planned without carried columns.
    pub(super) fn expect_carried(&self) -> Result<()> {
        match self.carries {
            true => Ok(()),
            false => Err(Error::Usage("the elimination was planned without carried columns".into())),
        }
    }

    /// The columns in which pivots are sought.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// True if a reduced form is needed.
    pub(super) fn is_reduced(&self) -> bool {
        matches!(self.operation, Operation::Rref | Operation::Solve | Operation::Kernel | Operation::Inverse)
    }

    /// The columns of the matrix that is eliminated.
    pub(super) fn eliminated_columns(&self) -> usize {
        let both = match self.operation {
            Operation::Solve | Operation::Inverse => 64 * self.columns.div_ceil(64) + self.others,
            _ => self.columns,
        };
        if self.carries { both.next_multiple_of(64) + 64 } else { both }
    }

    /// The host bytes of the problem if its elimination takes `elimination` bytes, the form included.
    fn host_bytes(&self, elimination: u64) -> u64 {
        let matrix = |columns| cost::matrix_bytes(self.rows, columns);
        let eliminated = self.eliminated_columns();
        let answer = match self.operation {
            Operation::Solve | Operation::Inverse => {
                cost::matrix_bytes(self.columns, self.others) + cost::matrix_bytes(1, self.others)
            }
            Operation::Kernel => cost::matrix_bytes(self.columns, self.columns) + 16 * self.columns as u64,
            _ => 0,
        };
        let side = match self.operation {
            Operation::Solve => matrix(eliminated),
            Operation::Inverse => matrix(eliminated).saturating_add(matrix(self.others)),
            _ => 0,
        };
        let carried = match self.carries {
            // The wider matrix, the form without the carried columns, the carried columns and products.
            true => (2 * matrix(eliminated)).saturating_add(24 * (self.rows + eliminated) as u64),
            false => 0,
        };
        // A result is made after the elimination's own memory, larger than the form, is freed.
        let last = matrix(eliminated).saturating_add(answer);
        [elimination.max(last), side, carried].into_iter().fold(0, u64::saturating_add)
    }
}

impl Problem for Dense {
    type Plan = DensePlan;

    fn plan_for(&self, profile: &Profile) -> Result<DensePlan> {
        if let (Engine::Group(members), Operation::Multiply) = (&profile.engine, self.operation) {
            let (shares, cost) = dense_group::plan(self, profile, members)?;
            let rows_at_a_time = shares.largest().map_or(self.rows, DensePlan::rows_at_a_time);
            let traffic = shares.traffic();
            let (problem, shares) = (*self, Some(shares));
            let devices = members.len();
            return Ok(DensePlan { problem, on_gpu: true, devices, rows_at_a_time, shares, traffic, cost });
        }
        let (devices, profile) = (profile.device_count(), &*profile.of_one());
        let (rows, columns) = (self.rows, self.columns);
        let eliminated = self.eliminated_columns();
        let (time, host, device, part) = match (profile.one_engine(), self.operation) {
            (_, Operation::Transpose) => {
                let time = cost::transposition_time(rows, columns);
                let startup = profile.gpu().map_or(Duration::ZERO, |gpu| gpu.startup);
                (time + startup, cost::transposition_bytes(rows, columns), 0, rows)
            }
            (OneEngine::Cpu(threads), Operation::Multiply) => (
                cost::cpu_product_time(rows, columns, self.others, threads),
                cost::cpu_product_bytes(rows, columns, self.others),
                0,
                rows,
            ),
            (OneEngine::Cpu(threads), operation) => {
                let bytes = match operation {
                    Operation::Rank if !self.carries => cost::cpu_pivots_bytes(rows, columns),
                    _ => self.host_bytes(cost::cpu_echelon_bytes(rows, eliminated)),
                };
                (cost::cpu_echelon_time(rows, eliminated, self.is_reduced(), threads), bytes, 0, rows)
            }
            (OneEngine::Gpu(gpu), Operation::Multiply) => {
                let all = rows.max(columns);
                let binding = gpu.binding_bytes;
                expect_columns(self.others, binding)?;
                let bytes =
                    |part: usize| gpu::product_bytes(part.min(rows), part.min(columns), self.others, binding);
                let part = cost::rows_at_a_time(profile, all, gpu::most_rows(binding), bytes);
                (
                    cost::gpu_product_time(gpu, rows, columns, self.others),
                    cost::gpu_product_bytes(rows, columns, self.others, part),
                    bytes(part),
                    part,
                )
            }
            (OneEngine::Gpu(gpu), _) => {
                let binding = gpu.binding_bytes;
                expect_columns(eliminated, binding)?;
                let bytes = |part: usize| {
                    let own = gpu::dense_bytes(part.min(rows), eliminated, self.limit, binding);
                    match part >= rows {
                        true => own,
                        false => own.max(gpu::product_bytes(part, part.min(self.limit), eliminated, binding)),
                    }
                };
                let part = cost::rows_at_a_time(profile, rows, gpu::most_rows(binding), bytes);
                (
                    cost::gpu_echelon_time(gpu, rows, eliminated, self.is_reduced()),
                    self.host_bytes(cost::gpu_echelon_bytes(rows, eliminated, part)),
                    bytes(part),
                    part,
                )
            }
        };
        let cost = Cost { time, host_bytes: host, device_bytes: device };
        cost.check(profile, "this matrix")?;
        let traffic = match (profile.one_engine(), self.operation) {
            (OneEngine::Gpu(gpu), Operation::Multiply) => {
                gpu::product_traffic((rows, columns, self.others), part, gpu.binding_bytes)
            }
            _ => Traffic::default(),
        };
        let (problem, on_gpu) = (*self, profile.gpu().is_some());
        Ok(DensePlan { problem, on_gpu, devices, rows_at_a_time: part, shares: None, traffic, cost })
    }
}

/// Returns an error for more columns than a device with this binding limit can hold the pivots of.
fn expect_columns(columns: usize, binding_bytes: u64) -> Result<()> {
    let most = gpu::most_columns(binding_bytes);
    match columns as u64 <= most {
        true => Ok(()),
        false => Err(Error::OutOfMemory(Shortage {
            side: Some(Side::Device),
            ..format!("{columns} columns: bindings of this device hold the pivots of {most}").into()
        })),
    }
}

/// A plan to compute a [`Dense`] problem on one device.
#[derive(Clone, Debug)]
pub struct DensePlan {
    problem: Dense,
    on_gpu: bool,
    /// The devices of a group, of which one works unless there are shares.
    devices: usize,
    rows_at_a_time: usize,
    /// The shares of a product on a group.
    shares: Option<Shares<DensePlan>>,
    traffic: Traffic,
    cost: Cost,
}

impl DensePlan {
    /// The problem.
    pub fn problem(&self) -> &Dense {
        &self.problem
    }

    /// The rows on the device at a time: all, or one part, as many as its memory holds.
    pub fn rows_at_a_time(&self) -> usize {
        self.rows_at_a_time
    }

    /// Prepares the plan to run on `device`: compiles the kernels, which the device keeps.
    ///
    /// # Errors
    /// [`Error::Usage`] if the plan was made for another kind of device; those of the device.
    pub fn prepare(&self, device: &Device) -> Result<PreparedDense> {
        if self.on_gpu != matches!(device.one(), One::Gpu(_)) {
            return Err(Error::Usage("a plan runs on the kind of device that it was made for".into()));
        }
        if let (Some(shares), Device::Group(group)) = (&self.shares, device) {
            dense_group::prepare(shares, group)?;
        } else if let One::Gpu(gpu) = device.one() {
            let problem = &self.problem;
            match problem.operation {
                Operation::Transpose => {}
                Operation::Multiply => {
                    gpu::prepare_product(gpu, problem.rows, problem.others, self.rows_at_a_time)?;
                }
                _ => {
                    let columns = problem.eliminated_columns();
                    gpu::prepare_echelon(gpu, problem.rows, columns, self.rows_at_a_time)?;
                }
            }
        }
        Ok(PreparedDense::new(device.clone(), self.clone()))
    }

    pub(super) fn shares(&self) -> Option<&Shares<DensePlan>> {
        self.shares.as_ref()
    }

    /// The number of parts into which the rows are divided.
    pub fn parts(&self) -> usize {
        let rows = match self.problem.operation {
            Operation::Multiply => self.problem.rows.max(self.problem.columns),
            _ => self.problem.rows,
        };
        rows.div_ceil(self.rows_at_a_time.max(1)).max(1)
    }
}

impl Plan for DensePlan {
    fn cost(&self) -> Cost {
        self.cost
    }

    /// Only of a product; zeros for other operations.
    fn traffic(&self) -> Traffic {
        self.traffic
    }
}

impl fmt::Display for DensePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Dense { operation, rows, columns, others, .. } = self.problem;
        if let Some(shares) = &self.shares {
            let part = |rows, profile: &Profile| Dense { rows, ..self.problem }.plan_for(profile);
            return shares.write(f, "rows", part);
        }
        write_unshared(f, self.devices)?;
        let method = match (operation, self.on_gpu) {
            (Operation::Transpose, _) => "blocks of 64 x 64 bits, on the host",
            (Operation::Multiply, false) => "tables of sums, tiles of 512 columns",
            (Operation::Multiply, true) => "tables of sums, tiles of 128 columns",
            (_, false) => "blocked, 512 columns at a time",
            (_, true) => "blocked, 256 columns at a time",
        };
        writeln!(f, "operation      {}", format!("{operation:?}").to_lowercase())?;
        writeln!(f, "matrix         {rows} x {columns}")?;
        if others > 0 {
            writeln!(f, "second matrix  {others} columns")?;
        }
        writeln!(f, "method         {method}")?;
        if self.on_gpu {
            writeln!(f, "parts          {}, {} rows at a time", self.parts(), self.rows_at_a_time)?;
        }
        self.cost.fmt(f)
    }
}
