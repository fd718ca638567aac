//! Questions about a matrix that one elimination answers.
//!
//! ```text
//! question      eliminated          answer
//! rank          A                   the columns of the pivots
//! echelon form  A                   the form
//! kernel        A, reduced          a basis read from the form
//! solve         A B, reduced        the columns of B at the pivots' rows
//! inverse       A I, reduced        the same, if the rank is full
//! ```

use std::fmt;
use std::sync::Arc;

use super::dense_problem::Matrices;
use super::gpu::DeviceMatrix;
use super::reduction::ReadyOnGpu;
use super::sharing::Alone;
use super::verify::Carried;
use super::{BitMatrix, Dense, DenseAnswer, Echelon, Operation, RowReduction, Wanted, cost};
use crate::gpu::block_on;
use crate::task::{
    AnyReady, AnyWay, Cost, Done, Engine, OneOf, Planned, Prepared, Problem, Profile, Ready, Traffic, Way,
    Ways,
};
use crate::{Device, Error, Result};

/// A problem that stands on an elimination: a [`Dense`], or one with evidence.
pub trait OnElimination: Copy + fmt::Debug + Send + Sync + 'static {
    /// The answer.
    type Answer: Send;

    /// The question by its operation and shapes.
    fn asked(&self) -> Dense;

    /// The elimination.
    fn elimination(&self) -> RowReduction;

    /// The host bytes of the problem if its elimination takes `elimination` bytes, the form included.
    fn host_bytes(&self, elimination: u64) -> u64;

    /// Answers by an elimination that is ready to run, of which `done` is done.
    fn answer(
        &self,
        ready: &dyn AnyReady<RowReduction>,
        matrices: Matrices<'_>,
        done: &Done,
    ) -> impl Future<Output = Result<Self::Answer>>;
}

impl OnElimination for Dense {
    type Answer = DenseAnswer;

    fn asked(&self) -> Dense {
        *self
    }

    fn elimination(&self) -> RowReduction {
        self.reduction()
    }

    fn host_bytes(&self, elimination: u64) -> u64 {
        let RowReduction { rows, columns, wanted, .. } = self.elimination();
        let eliminated = cost::matrix_bytes(rows, columns);
        let [answer, sides] = self.bytes(eliminated);
        // A result is made after the elimination's own memory, larger than the form, is freed.
        let form = if wanted == Wanted::Pivots { 0 } else { eliminated };
        elimination.max(form.saturating_add(answer)).saturating_add(sides)
    }

    async fn answer(
        &self,
        ready: &dyn AnyReady<RowReduction>,
        matrices: Matrices<'_>,
        done: &Done,
    ) -> Result<DenseAnswer> {
        if let Some(gpu) = ready.kernels()
            && self.operation() == Operation::Kernel
        {
            // A GPU that holds all rows at a time reads the basis from the form itself.
            let (basis, pivots) = gpu.kernel(matrices.0).await?;
            return Ok(DenseAnswer::Kernel { basis, pivots });
        }
        let sides = self.right_sides(matrices)?;
        let form = ready.run(&self.elimination(), sides.as_ref().unwrap_or(matrices.0), done).await?;
        // The memory of A and B side by side is freed before the answer is made.
        drop(sides);
        Ok(self.read(form)?.0)
    }
}

/// A question whose elimination carries 64 random columns along. They are evidence, by which [`Dense::check_carried`] proves
/// the answer.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{Dense, generate}, task::Problem};
///
/// let device = Device::Cpu(Cpu::default());
/// let a = generate::matrix(40, 50, 0.5, 1)?;
/// let kernel = Dense::kernel(40, 50)?;
/// let ((answer, evidence), _) = kernel.carrying()?.plan(&device)?.compute(&device, (&a, None))?;
/// let guarantee = kernel.check_carried(&device, &a, None, answer.as_answer(), &evidence)?;
/// assert_eq!(guarantee.claim(), "the vectors are a basis of the kernel");
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrying(pub(super) Dense);

impl Dense {
    /// The question with columns that prove the answer. Refuses a form without all rows, which no check takes.
    pub fn carrying(self) -> Result<Carrying> {
        self.a.expect_all_rows().map(|()| Carrying(self))
    }
}

/// The evidence for an answer that a run collects on its way: random columns that the elimination carried,
/// and the form that the answer was read from. [`Dense::check_carried`] judges by it.
#[derive(Clone, Debug)]
pub struct Evidence {
    pub(super) carried: Carried,
    /// `None` if the answer is the form itself.
    pub(super) form: Option<Echelon>,
}

impl OnElimination for Carrying {
    type Answer = (DenseAnswer, Evidence);

    fn asked(&self) -> Dense {
        self.0
    }

    /// The word of carried columns begins at a whole 64-bit word.
    fn elimination(&self) -> RowReduction {
        let own = self.0.reduction();
        let wanted = if own.is_reduced() { Wanted::Reduced } else { Wanted::Echelon { from: 0 } };
        RowReduction { wanted, ..own.widened(own.columns.next_multiple_of(64) + 64) }
    }

    fn host_bytes(&self, elimination: u64) -> u64 {
        let RowReduction { rows, columns, .. } = self.elimination();
        let eliminated = cost::matrix_bytes(rows, columns);
        let [answer, sides] = self.0.bytes(eliminated);
        // The wider matrix, the form without the carried columns, the carried columns and products.
        let carried = (2 * eliminated).saturating_add(24 * (rows + columns) as u64);
        elimination.max(eliminated.saturating_add(answer)).saturating_add(sides).saturating_add(carried)
    }

    async fn answer(
        &self,
        ready: &dyn AnyReady<RowReduction>,
        matrices: Matrices<'_>,
        done: &Done,
    ) -> Result<Self::Answer> {
        let sides = self.0.right_sides(matrices)?;
        let (matrix, reduction) = (sides.as_ref().unwrap_or(matrices.0), self.elimination());
        let wide = async |matrix: &BitMatrix| ready.run(&reduction, matrix, done).await;
        let (form, carried) = Carried::eliminate_by_async(matrix, reduction.limit, wide).await?;
        drop(sides);
        let (answer, form) = self.0.read(form)?;
        Ok((answer, Evidence { carried, form }))
    }
}

impl<Q: OnElimination> Problem for Q {
    const NAME: &'static str = "this matrix";

    type Resident<'a> = ();
    type Input<'a> = Matrices<'a>;
    type Answer = Q::Answer;
    type Kernels = ReadyOnGpu;

    /// Those of the elimination. A group's GPU that does it alone answers as one GPU does.
    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        let reduction = self.elimination();
        let by = |way: Arc<dyn AnyWay<RowReduction>>| {
            let cost = way.cost();
            let time = cost.time + self.asked().copies_time(profile.host());
            let cost = Cost { host_bytes: self.host_bytes(cost.host_bytes), time, ..cost };
            ByElimination { cost, way }
        };
        let Engine::Group(members) = &profile.engine else { return Ok(reduction.ways(profile)?.map(by)) };
        let shared = reduction.shared(profile, members).map(|way| by(Arc::new(way)));
        let alone = Alone::new(self, profile, |one| reduction.always_shares || one.parts() > 1);
        Ok(alone.with_shared(Ways::default(), shared, profile))
    }

    fn check_input(&self, &(a, b): &Matrices<'_>) -> Result<()> {
        self.asked().expect_input(a, b)
    }

    fn reborrow<'s>(matrices: &'s mut Matrices<'_>) -> Matrices<'s> {
        *matrices
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dense = self.asked();
        let ((rows, columns), others) = (dense.shape(), dense.other_columns());
        writeln!(f, "operation      {}", format!("{:?}", dense.operation()).to_lowercase())?;
        writeln!(f, "matrix         {rows} x {columns}")?;
        if others > 0 { writeln!(f, "second matrix  {others} columns") } else { Ok(()) }
    }
}

/// The way of a problem by one way of its elimination.
#[derive(Debug)]
struct ByElimination {
    way: Arc<dyn AnyWay<RowReduction>>,
    cost: Cost,
}

impl<Q: OnElimination> Way<Q> for ByElimination {
    type Device = Device;
    type Ready<'p> = Box<dyn AnyReady<RowReduction> + 'p>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.way.traffic()
    }

    fn write(&self, problem: &Q, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.way.write(&problem.elimination(), f)
    }

    fn compile(&self, problem: &Q, device: &Device) -> Result<()> {
        self.way.compile(&problem.elimination(), device)
    }

    fn prepare<'p>(&self, problem: &Q, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        self.way.prepare(&problem.elimination(), device, ())
    }
}

impl<Q: OnElimination> Ready<Q> for Box<dyn AnyReady<RowReduction> + '_> {
    async fn run<'i: 'i>(&self, problem: &Q, matrices: Matrices<'i>, done: &Done) -> Result<Q::Answer> {
        problem.answer(&**self, matrices, done).await
    }

    fn kernels(&self) -> Option<&ReadyOnGpu> {
        (**self).kernels()
    }
}

impl<Q: OnElimination> Planned<Q> {
    /// The number of parts into which a GPU's memory divides the rows.
    pub fn parts(&self) -> usize {
        match self.way::<OneOf<Q>>() {
            Some(one) => one.plan().parts(),
            None => self.way::<ByElimination>().map_or(1, |by| RowReduction::parts_of(&*by.way)),
        }
    }
}

/// The error of a plan that takes no matrices on the device.
pub(super) fn from_the_host() -> Error {
    Error::only_for("matrices on the device", "a plan of one GPU and one part")
}

impl Prepared<'static, Dense> {
    /// Brings a matrix on the device to an echelon form, or the reduced one, as the plan says, and returns the
    /// columns of the pivots, ascending. See [`DeviceMatrix::reduce_to_echelon`] for the form that is left. For ranks and
    /// forms.
    ///
    /// An elimination waits for the device: the host reads after each 256 blocks whether a panel may have missed pivots, and
    /// decides how to go on. So its work cannot be recorded into another submission, and there is no `record`.
    pub fn run_on_device(&self, matrix: &mut DeviceMatrix) -> Result<Vec<u32>> {
        block_on(self.run_on_device_async(matrix))
    }

    /// The asynchronous form of [`run_on_device`](Self::run_on_device), for browsers.
    pub async fn run_on_device_async(&self, matrix: &mut DeviceMatrix) -> Result<Vec<u32>> {
        let dense = self.plan().problem();
        if let Operation::Solve | Operation::Kernel | Operation::Inverse = dense.operation() {
            return Err(Error::only_for("matrices on the device", "ranks and echelon forms"));
        }
        let gpu = self.kernels().ok_or_else(from_the_host)?;
        dense.expect_shapes((matrix.rows(), matrix.columns()), None)?;
        gpu.on_device(&dense.reduction(), matrix).await
    }
}
