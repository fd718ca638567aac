//! Checks of eliminations in file order, by their definition.

use crate::gf2::bit_matrix::LINE_BITS;
use crate::gf2::{Elimination, F4Matrix, F4Method, F4Shape};
use crate::parallel::*;
use crate::verify::Guarantee;
use crate::{Device, Result};

use super::definition::{F4Check, InMemory, Judged};
use super::f4::{SpanProof, same_span};

/// The extent of a check, if checking all of a result takes long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// All of it, if that takes at most 2^33 additions of lines ([`is_cheap`]); else a sample of
    /// 512 rows.
    #[default]
    Bounded,
    /// All of it.
    Full,
}

/// The number of additions of lines of 512 bits that [`Depth::Bounded`] allows.
const CHEAP: u64 = 1 << 33;

/// The number of rows that are reduced at once, and of rows in a sample.
const GROUP: usize = LINE_BITS;

/// The bytes of host memory that [`file_order`] takes for any result of an F4 matrix, the result included.
pub(in crate::gf2) fn check_bytes(f4: &F4Matrix) -> u64 {
    crate::gf2::cost::cpu::f4_check_bytes(&F4Shape::of(f4), threads())
}

/// True if [`Depth::Bounded`] checks all rows of any result of an F4 matrix: it takes at most 2^33
/// additions of lines of 512 bits, counted as
/// `ceil(rows / 512) * (ones of reducers + rows * columns / 2)`.
pub fn is_cheap(f4: &F4Matrix) -> bool {
    let ones = f4.reducers().ones() as u64 + f4.row_count() as u64 * f4.width() as u64 / 2;
    (f4.row_count().div_ceil(GROUP) as u64).saturating_mul(ones) <= CHEAP
}

/// Checks that every row is the result of the definition in file order; see [`F4Matrix`].
///
/// With leads that all differ (checked first), row k of the result follows from row k of the F4 matrix
/// and the new pivots before it:
///
/// ```text
/// for columns from the highest down, where the row has a one:
///     a reducer leads there, or a new pivot before row k: add it
///     nothing leads there, or a row from k on: stop
/// ```
///
/// The computed row is compared with row k of the result, zero or a new pivot. By induction over k, all
/// rows are right if each follows from the rows before it. If all rows are checked, the guarantee is
/// certain. 512 rows are reduced at once, their bits in a column being one line; the cost for each 512
/// rows is an addition of a line for every one of reducers and new pivots.
///
/// If that is more than `depth` allows, 512 rows are drawn at random and checked, given the new
/// pivots before them, and every row is checked to be a sum of reducers and new pivots. A `proof`
/// also shows that the new pivots are in the span. The guarantee says that it rests on a sample.
pub fn file_order(
    f4: &F4Matrix,
    result: &Elimination,
    depth: Depth,
    proof: Option<&SpanProof>,
) -> Result<Guarantee> {
    let check = F4Check::new(InMemory::new(f4, result)?)?;
    let all = |rows: &[u32]| rows.par_chunks(GROUP).try_for_each(|group| check.group(group));
    check.in_file_order(depth, all, || {
        proof.map_or(Ok(false), |proof| proof.expect(check.new_pivots()).map(|()| true))
    })
}

impl<S: Judged> F4Check<S> {
    /// Checks all rows, in order, by `all`, or a sample of them; see [`file_order`]. `in_span` is true if a proof shows that
    /// the new pivots are in the span of the F4 matrix.
    pub fn in_file_order(
        &self,
        depth: Depth,
        all: impl FnOnce(&[u32]) -> Result<()>,
        in_span: impl FnOnce() -> Result<bool>,
    ) -> Result<Guarantee> {
        let rows = self.row_count();
        let cost = (rows.div_ceil(GROUP) as u64).saturating_mul(self.ones);
        if depth == Depth::Full || cost <= CHEAP || rows <= GROUP {
            all(&(0..rows as u32).collect::<Vec<_>>())?;
            return Ok(Guarantee::certain("every row follows from the definition in file order"));
        }
        self.no_row_is_lost()?;
        let sample = rand::seq::index::sample(&mut rand::rng(), rows, GROUP);
        let mut sample: Vec<u32> = sample.into_iter().map(|row| row as u32).collect();
        sample.sort_unstable();
        self.group(&sample)?;
        let claim = match in_span()? {
            true => {
                "leads and span are right (wrong ones are missed with a chance of at most 2^-64), \
                 and rows follow from the definition in file order"
            }
            false => {
                "no row is lost (a lost one is missed with a chance of at most 2^-64), \
                 and rows follow from the definition in file order"
            }
        };
        Ok(Guarantee::sampled(claim, "rows", GROUP, rows))
    }
}

/// Checks that a result has the properties that its method guarantees: by [`file_order`], or for
/// [`F4Method::Rounds`] by [`same_span`] with an elimination on the engine.
pub fn elimination(
    device: &Device,
    f4: &F4Matrix,
    result: &Elimination,
    method: F4Method,
    depth: Depth,
) -> Result<Guarantee> {
    match method {
        F4Method::Rounds => same_span(f4, result, &SpanProof::determine(device, f4)?),
        _ => file_order(f4, result, depth, None),
    }
}
