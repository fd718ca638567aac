//! The elimination of one matrix: the problem under all that its echelon forms answer.

mod across;
pub(super) mod among;
mod on_cpu;
mod on_gpu;

pub use on_gpu::ReadyOnGpu;

use std::any::Any;
use std::fmt;

use across::Across;
use among::Among;
use on_cpu::OnCpu;
use on_gpu::OnGpu;

use super::block_cyclic::Form;
use super::sharing::{self, Alone};
use super::{BitMatrix, Echelon, MAX_SIDE};
use crate::task::{AnyWay, Engine, Member, Planned, Problem, Profile, Ways};
use crate::{Error, Result};

/// What an elimination is to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// The columns of the pivots, without a form.
    Pivots,
    /// An echelon form.
    Echelon {
        /// Rows whose pivots come before this column are left out.
        from: usize,
    },
    /// The reduced echelon form.
    Reduced,
}

/// The elimination of one matrix.
///
/// ```
/// use wgalois::gf2::{BitMatrix, RowReduction, Wanted};
/// use wgalois::{Cpu, Device, task::Problem};
///
/// let device = Device::Cpu(Cpu::default());
/// let reduction = RowReduction::new(2, 3, Wanted::Reduced)?;
/// let (form, _) = reduction.plan(&device)?.compute(&device, &BitMatrix::zeros(2, 3)?)?;
/// assert_eq!(form.rank(), 0);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowReduction {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Columns in which pivots are sought.
    pub(super) limit: usize,
    pub(super) wanted: Wanted,
    /// True if a group shares the elimination whatever that costs.
    pub(super) always_shares: bool,
}

impl RowReduction {
    /// The elimination of a matrix of `rows` x `columns`.
    ///
    /// # Errors
    /// [`Error::TooMany`] for more than [`MAX_SIDE`] rows or columns.
    pub fn new(rows: usize, columns: usize, wanted: Wanted) -> Result<Self> {
        expect_sides([rows, columns])?;
        Ok(RowReduction { rows, columns, limit: columns, wanted, always_shares: false })
    }

    /// Restricts the pivots to the first `limit` columns.
    #[must_use]
    pub fn with_pivots_within(self, limit: usize) -> Self {
        RowReduction { limit: limit.min(self.columns), ..self }
    }

    /// Lets a group of GPUs share the elimination even if the plan expects one of them to be faster alone, if
    /// `always`. By default the plan decides.
    #[must_use]
    pub fn with_sharing(self, always: bool) -> Self {
        RowReduction { always_shares: always, ..self }
    }

    /// The rows and columns of the matrix.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The number of columns in which pivots are sought.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// What is wanted.
    pub fn wanted(&self) -> Wanted {
        self.wanted
    }

    /// The same for a matrix with `columns` columns, the new ones without pivots.
    pub(super) fn widened(self, columns: usize) -> Self {
        RowReduction { columns, ..self }
    }

    /// True if the reduced form is wanted.
    pub(super) fn is_reduced(&self) -> bool {
        self.wanted == Wanted::Reduced
    }

    /// True if the form has all rows, and pivots in all columns.
    pub(super) fn has_whole_form(&self) -> bool {
        self.limit == self.columns && self.expect_all_rows().is_ok()
    }

    /// Returns an error for a form without all rows, through which no columns are carried.
    pub(super) fn expect_all_rows(&self) -> Result<()> {
        match self.wanted {
            Wanted::Echelon { from } if from > 0 => {
                Err(Error::only_for("carried columns", "forms with all rows"))
            }
            _ => Ok(()),
        }
    }

    /// The form that the engines compute.
    pub(super) fn form(&self) -> Form {
        let &RowReduction { rows, columns, limit, wanted, .. } = self;
        let pivots_only = wanted == Wanted::Pivots && limit == columns;
        Form { rows, columns, limit, full: self.is_reduced(), pivots_only }
    }

    /// [`form`](Self::form) of a matrix, which may have fewer columns than planned if it has no rows.
    fn form_of(&self, matrix: &BitMatrix) -> Form {
        Form { rows: matrix.rows(), columns: matrix.columns(), ..self.form() }
    }

    /// What is wanted of a form with all rows.
    fn excerpt(&self, form: Echelon) -> Result<Echelon> {
        match self.wanted {
            Wanted::Echelon { from } if from > 0 => form.starting_at(from),
            Wanted::Pivots => Ok(Echelon { matrix: BitMatrix::zeros(0, 0)?, ..form }),
            Wanted::Echelon { .. } | Wanted::Reduced => Ok(form),
        }
    }

    /// The way of a group that shares the elimination.
    pub(super) fn shared(&self, profile: &Profile, members: &[Member]) -> Result<Across> {
        let shared = Across::new(self, profile, members);
        shared.ok_or_else(|| Error::Usage(sharing::TOO_LITTLE.into()))
    }

    /// The number of parts into which one of these ways divides the rows.
    pub(super) fn parts_of(way: &dyn AnyWay<Self>) -> usize {
        let way: &dyn Any = way;
        way.downcast_ref::<OnGpu>().map_or(1, OnGpu::parts)
    }
}

/// Returns an error for more rows or columns than a matrix may have.
pub(super) fn expect_sides(sides: impl IntoIterator<Item = usize>) -> Result<()> {
    let check = |side| Error::expect_at_most("rows or columns", MAX_SIDE as u64, side as u64);
    sides.into_iter().try_for_each(check)
}

impl Problem for RowReduction {
    const NAME: &'static str = "this matrix";

    type Resident<'a> = ();
    type Input<'a> = &'a BitMatrix;
    type Answer = Echelon;
    type Kernels = ReadyOnGpu;

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        let none = Ways::default();
        Ok(match &profile.engine {
            Engine::Cpu { threads } => none.with(OnCpu::NAME, Ok(OnCpu::new(self, *threads))),
            Engine::Gpu(gpu) => none
                .with(OnGpu::WHOLE, OnGpu::whole(self, gpu))
                .with(OnGpu::IN_PARTS, OnGpu::in_parts(self, gpu, profile)),
            Engine::Group(members) => {
                let is_in_parts = |one: &Planned<Self>| one.way::<OnGpu>().is_some_and(|way| way.parts() > 1);
                let alone = Alone::new(self, profile, |one| self.always_shares || is_in_parts(one));
                alone.with_shared(none, self.shared(profile, members), profile)
            }
            Engine::Processes { size, each } => {
                none.with(Among::NAME, Among::new(self, profile, (*size, each)))
            }
        })
    }

    fn check_input(&self, matrix: &&BitMatrix) -> Result<()> {
        Error::expect_shape("a matrix", self.shape(), (matrix.rows(), matrix.columns()))
    }

    fn reborrow<'s>(matrix: &'s mut &BitMatrix) -> &'s BitMatrix {
        matrix
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "matrix         {} x {}", self.rows, self.columns)
    }
}
