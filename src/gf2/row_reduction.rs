//! The elimination of one matrix in numbers: its shape, the columns of the pivots, and what it is to leave.

use super::bit_matrix::expect_sides;
use super::tiles::BLOCK;
use super::{BitMatrix, Echelon};
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
    /// Pivots are sought in the columns before this one.
    pub(super) limit: usize,
    pub(super) wanted: Wanted,
    /// True if a group shares the elimination whatever that costs.
    pub(super) always_shares: bool,
}

impl RowReduction {
    /// The elimination of a matrix of `rows` x `columns`.
    pub fn new(rows: usize, columns: usize, wanted: Wanted) -> Result<Self> {
        expect_sides([rows, columns])?;
        Ok(RowReduction { wanted, ..RowReduction::whole(rows, columns) })
    }

    /// To an echelon form with all rows and pivots in all columns.
    pub(super) fn whole(rows: usize, columns: usize) -> Self {
        let wanted = Wanted::Echelon { from: 0 };
        RowReduction { rows, columns, limit: columns, wanted, always_shares: false }
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

    /// The same for this matrix, of another shape.
    pub(super) fn of(self, matrix: &BitMatrix) -> Self {
        self.of_shape(matrix.rows(), matrix.columns())
    }

    /// The same for a matrix of this shape.
    pub(super) fn of_shape(self, rows: usize, columns: usize) -> Self {
        RowReduction { rows, columns, limit: self.limit.min(columns), ..self }
    }

    /// True if the reduced form is wanted.
    pub(super) fn is_reduced(&self) -> bool {
        self.wanted == Wanted::Reduced
    }

    /// True if no form is made: with columns that get no pivots there is one, of which only the pivots are taken.
    pub(super) fn has_no_form(&self) -> bool {
        self.wanted == Wanted::Pivots && self.limit == self.columns
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

    /// True if the block has the last columns in which pivots are sought, but not the last ones of the matrix.
    pub(super) fn ends_within(&self, block: usize) -> bool {
        self.limit < self.columns && block + 1 == self.limit.div_ceil(BLOCK)
    }

    /// The first block in which rows without a pivot may have ones; None if there is none.
    pub(super) fn first_of_others(&self) -> Option<usize> {
        (self.limit < self.columns).then_some(self.limit / BLOCK)
    }

    /// What is wanted of a form with all rows.
    pub(super) fn excerpt(&self, form: Echelon) -> Result<Echelon> {
        match self.wanted {
            Wanted::Echelon { from } if from > 0 => form.starting_at(from),
            Wanted::Pivots => Ok(Echelon { matrix: BitMatrix::zeros(0, 0)?, ..form }),
            Wanted::Echelon { .. } | Wanted::Reduced => Ok(form),
        }
    }
}
