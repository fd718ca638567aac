//! The special elimination as a problem, its ways and its plans.

use std::fmt;

use super::across::Across;
use super::among::Among;
use super::in_parts::InParts;
use super::on_cpu::OnCpu;
use super::on_gpu::OnGpu;
use crate::gf2::sharing::{self, Alone};
use crate::gf2::{Elimination, F4Matrix, F4Method, F4Shape, RowSchedule};
use crate::gpu::block_on;
use crate::task::{Engine, OneOf, Planned, Prepared, Problem, Profile, Ways};
use crate::{Device, Error, Result};

impl Problem for F4Matrix {
    const NAME: &'static str = "this elimination";

    type Resident<'a> = ();
    /// An F4 matrix of the same shape. The problem's method is taken.
    type Input<'a> = &'a F4Matrix;
    type Answer = Elimination;
    type Kernels = ();

    /// The ways of the method that [`F4Matrix::with_method`] names, or of those in file order. Several GPUs share a method in
    /// file order if that is expected to be faster, or one has too little memory.
    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        self.check_options(profile)?;
        let (methods, none) = (candidates(self.method()).iter(), Ways::default());
        Ok(match &profile.engine {
            Engine::Cpu(cpu) => methods.fold(none, |ways, &method| {
                ways.with(OnCpu::name(method), Ok(OnCpu::new(self, method, *cpu)))
            }),
            Engine::Gpu(gpu) => methods.fold(none, |ways, &method| {
                let in_parts = InParts::new(self, method, gpu, profile);
                ways.with(OnGpu::name(method), OnGpu::new(self, method, gpu))
                    .with(InParts::name(method), in_parts)
            }),
            Engine::Group(members) => {
                let shared = methods.filter_map(|&method| Across::new(self, profile, members, method));
                let shared = match shared.min_by_key(|across| across.cost.time) {
                    Some(across) => across.counted(self, members),
                    None => Err(Error::Usage(sharing::TOO_LITTLE.into())),
                };
                let is_in_parts = |one: &F4Plan| one.way::<InParts>().is_some();
                let alone = Alone::new(self, profile, |one| self.always_shares() || is_in_parts(one));
                alone.with_shared(none, shared, profile)
            }
            Engine::Processes { size, each } => methods.fold(none, |ways, &method| {
                ways.with(Among::name(method), Among::new(self, method, profile, (*size, each)))
            }),
        })
    }

    fn check_input(&self, f4: &&F4Matrix) -> Result<()> {
        let (planned, found) = (F4Shape::of(self), F4Shape::of(f4));
        Error::expect_length("columns", planned.columns, found.columns)?;
        Error::expect_length("rows", planned.rows, found.rows)?;
        Error::expect_length("eliminators", planned.reducers, found.reducers)?;
        Error::expect_length("ones of the rows", planned.row_ones, found.row_ones)?;
        Error::expect_length("ones of the eliminators", planned.reducer_ones, found.reducer_ones)
    }

    fn reborrow<'s>(f4: &'s mut &F4Matrix) -> &'s F4Matrix {
        f4
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = F4Shape::of(self);
        writeln!(f, "rows           {}, {} ones", shape.rows, shape.row_ones)?;
        writeln!(f, "eliminators    {}, {} ones", shape.reducers, shape.reducer_ones)?;
        writeln!(f, "columns        {}, {} without an eliminator", shape.columns, shape.missing())
    }
}

/// The methods among which the plan chooses.
fn candidates(method: F4Method) -> &'static [F4Method] {
    match method {
        F4Method::Auto => &[F4Method::Blocked, F4Method::TwoStage],
        F4Method::Bands => &[F4Method::Bands],
        F4Method::Rounds => &[F4Method::Rounds],
        F4Method::XorThreads => &[F4Method::XorThreads],
        F4Method::Blocked => &[F4Method::Blocked],
        F4Method::TwoStage => &[F4Method::TwoStage],
    }
}

impl F4Matrix {
    /// Returns an error for options that the method does not have on this engine.
    fn check_options(&self, profile: &Profile) -> Result<()> {
        let (is_rounds, schedule) = (self.method() == F4Method::Rounds, self.schedule());
        if schedule != RowSchedule::default() && !(is_rounds && profile.gpu().is_none()) {
            let what = format!("a {schedule} schedule of rows");
            return Err(Error::only_for(what, "method rounds on the CPU engine"));
        }
        match (self.grid(), profile.gpu()) {
            (None, _) => Ok(()),
            (Some(grid), Some(gpu)) if is_rounds => grid.check(gpu.workgroup_invocations),
            (Some(grid), _) => Err(Error::only_for(format!("a grid of {grid}"), "method rounds on a GPU")),
        }
    }
}

/// The plan of the elimination of an [`F4Matrix`] on one device, on the devices of a group, or on several processes.
pub type F4Plan = Planned<F4Matrix>;

impl F4Plan {
    /// The chosen method, never [`F4Method::Auto`].
    pub fn method(&self) -> F4Method {
        if let Some(one) = self.way::<OneOf<F4Matrix>>() {
            return one.plan().method();
        }
        let methods = [
            self.way::<OnCpu>().map(|way| way.method),
            self.way::<OnGpu>().map(|way| way.method),
            self.way::<InParts>().map(|way| way.method),
            self.way::<Across>().map(|way| way.method),
            self.way::<Among>().map(|way| way.method),
        ];
        methods.into_iter().flatten().next().unwrap_or(self.problem().method())
    }
}

/// An [`F4Plan`] that is ready to run on a device, any number of times, on F4 matrices of the planned shape.
///
/// Data of an F4 matrix come from the host and return to it: the lists of an F4 matrix are indexed there, and the
/// host reads which rows became pivots before it asks for them. So there is no run over device vectors, and
/// no recording of the work into another submission.
pub type PreparedF4 = Prepared<'static, F4Matrix>;

/// Eliminates an F4 matrix: by the rule that [`F4Matrix`] states, or by [`F4Method::Rounds`] with another choice
/// of new pivots of the same leads.
///
/// ```
/// use wgalois::{Cpu, Device, gf2::{self, IndexLists, F4Matrix}};
///
/// // One reducer, x7 + x3, and two rows: x7 + x1, which it reduces to x3 + x1, and x3 + x1.
/// let reducers = IndexLists::new(vec![0, 2], vec![7, 3])?;
/// let rows = IndexLists::new(vec![0, 2, 4], vec![7, 1, 3, 1])?;
/// let f4 = F4Matrix::new(reducers, rows, None)?;
/// let result = gf2::eliminate(&Device::Cpu(Cpu::default()), &f4)?;
/// assert_eq!(result.new_pivots(), [0]);
/// assert_eq!(result.row(0).collect::<Vec<_>>(), [3, 1]);
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn eliminate(device: &Device, f4: &F4Matrix) -> Result<Elimination> {
    block_on(eliminate_async(device, f4))
}

/// The asynchronous form of [`eliminate`], for browsers.
pub async fn eliminate_async(device: &Device, f4: &F4Matrix) -> Result<Elimination> {
    Ok(f4.plan(device)?.compute_async(device, f4).await?.0)
}
