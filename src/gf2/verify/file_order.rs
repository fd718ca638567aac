//! Checks of eliminations in file order, by their definition.

use crate::gf2::bit_matrix::{LINE_BITS, Line, SetBits, zero_lines};
use crate::gf2::{Elimination, Method, System, SystemShape};
use crate::parallel::*;
use crate::verify::Guarantee;
use crate::{Device, Result};

use super::failed;
use super::system::{Pivot, SpanProof, check_rows, leads, same_span};

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
pub(in crate::gf2) const CHEAP: u64 = 1 << 33;

/// The number of rows that are reduced at once, and of rows in a sample.
const GROUP: usize = LINE_BITS;

/// The bytes of host memory that [`file_order`] takes for any result of a system, the result included.
pub(in crate::gf2) fn check_bytes(system: &System) -> u64 {
    crate::gf2::cost::cpu::check_system_bytes(&SystemShape::of(system), threads())
}

/// True if [`Depth::Bounded`] checks all rows of any result of a system: it takes at most 2^33
/// additions of lines of 512 bits, counted as
/// `ceil(rows / 512) * (ones of eliminators + rows * columns / 2)`.
pub fn is_cheap(system: &System) -> bool {
    cost(system, system.row_count() as u64 * system.width() as u64 / 2) <= CHEAP
}

/// The maximum number of additions of lines that the check of all rows takes; `ones` is the number of ones of the
/// promoted rows.
fn cost(system: &System, ones: u64) -> u64 {
    let groups = system.row_count().div_ceil(GROUP) as u64;
    groups.saturating_mul(system.eliminators().ones() as u64 + ones)
}

/// Checks that every row is the result of the definition in file order; see [`System`].
///
/// With leads that all differ (checked first), row k of the result follows from row k of the system
/// and the promoted rows before it:
///
/// ```text
/// for columns from the highest down, where the row has a one:
///     an eliminator leads there, or a promoted row before row k: add it
///     nothing leads there, or a row from k on: stop
/// ```
///
/// The computed row is compared with row k of the result, zero or promoted. By induction over k, all
/// rows are right if each follows from the rows before it. If all rows are checked, the guarantee is
/// certain. 512 rows are reduced at once, their bits in a column being one line; the cost for each 512
/// rows is an addition of a line for every one of eliminators and promoted rows.
///
/// If that is more than `depth` allows, 512 rows are drawn at random and checked, given the promoted
/// rows before them, and every row is checked to be a sum of eliminators and promoted rows. A `proof`
/// also shows that the promoted rows are in the span. The guarantee says that it rests on a sample.
///
/// # Errors
/// [`crate::Error::Check`] with the row that is wrong; [`crate::Error::OutOfMemory`].
pub fn file_order(
    system: &System,
    result: &Elimination,
    depth: Depth,
    proof: Option<&SpanProof>,
) -> Result<Guarantee> {
    let pivots = leads(system, result)?;
    let ones = (0..result.promoted().len()).map(|k| count_ones(result.words(k))).sum();
    let rows = system.row_count();
    if depth == Depth::Full || cost(system, ones) <= CHEAP || rows <= GROUP {
        let all: Vec<u32> = (0..rows as u32).collect();
        all.par_chunks(GROUP).try_for_each(|group| check_group(system, result, &pivots, group))?;
        return Ok(Guarantee::certain("every row follows from the definition in file order"));
    }
    let claim = match proof {
        Some(proof) => {
            same_span(system, result, proof)?;
            "leads and span are right (wrong ones are missed with a chance of at most 2^-64), \
             and rows follow from the definition in file order"
        }
        None => {
            check_rows(system, result, &pivots)?;
            "no row is lost (a lost one is missed with a chance of at most 2^-64), \
             and rows follow from the definition in file order"
        }
    };
    let sample = rand::seq::index::sample(&mut rand::rng(), rows, GROUP);
    let mut sample: Vec<u32> = sample.into_iter().map(|row| row as u32).collect();
    sample.sort_unstable();
    check_group(system, result, &pivots, &sample)?;
    Ok(Guarantee::sampled(claim, "rows", GROUP, rows))
}

/// Checks that a result has the properties that its method guarantees: by [`file_order`], or for
/// [`Method::Rounds`] by [`same_span`] with an elimination on the engine.
///
/// # Errors
/// Those of the two checks.
pub fn elimination(
    device: &Device,
    system: &System,
    result: &Elimination,
    method: Method,
    depth: Depth,
) -> Result<Guarantee> {
    match method {
        Method::Rounds => same_span(system, result, &SpanProof::determine(device, system)?),
        _ => file_order(system, result, depth, None),
    }
}

fn count_ones(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Reduces up to 512 rows, ascending, by the definition, and compares them with the result.
fn check_group(system: &System, result: &Elimination, pivots: &[Pivot], group: &[u32]) -> Result<()> {
    // Bit k of line c: row group[k] in column c.
    let mut columns = zero_lines(system.width())?;
    for (k, &row) in group.iter().enumerate() {
        system.rows().row(row as usize).iter().for_each(|&c| columns[c as usize].flip(k));
    }
    let mut stopped = Line::ZERO;
    for column in (0..system.width()).rev() {
        let reduced = without(&columns[column], &stopped);
        if reduced.is_zero() {
            continue;
        }
        let mut added = Line::ZERO;
        match pivots[column] {
            Pivot::None => {}
            Pivot::Eliminator(e) => {
                added = reduced;
                system.eliminators().row(e).iter().for_each(|&c| columns[c as usize].xor(&added));
            }
            Pivot::Promoted(p) => {
                let up_to = group.partition_point(|&row| row <= result.promoted()[p]);
                added = without(&reduced, &Line::ones(up_to));
                if !added.is_zero() {
                    ones(&result.words(p)[..=column / 64]).for_each(|c| columns[c].xor(&added));
                }
            }
        }
        stopped.xor(&without(&reduced, &added));
    }
    for (k, row) in group.iter().enumerate() {
        if let Ok(p) = result.promoted().binary_search(row) {
            ones(result.words(p)).for_each(|c| columns[c].flip(k));
        }
    }
    let mut wrong = Line::ZERO;
    columns.iter().for_each(|line| wrong.0.iter_mut().zip(&line.0).for_each(|(any, word)| *any |= word));
    match (0..group.len()).find(|&k| wrong.bit(k)) {
        Some(k) => failed(format!("row {} does not follow from the definition", group[k])),
        None => Ok(()),
    }
}

pub(in crate::gf2) fn without(line: &Line, other: &Line) -> Line {
    Line(std::array::from_fn(|k| line.0[k] & !other.0[k]))
}

fn ones(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(w, &word)| SetBits(word).map(move |bit| 64 * w + bit))
}
