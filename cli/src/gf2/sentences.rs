//! Results that are no matrices: a rank, and the sentences that there is no inverse or no solution.

use super::Operation;
use wgalois::Result;
use wgalois::gf2::Answer;
use wgalois::gf2::verify::Bands;
use wgalois_io::Source;

/// A result to check.
pub(super) enum Claim<M> {
    Rank(usize),
    Matrix(M),
    Unsolvable(Vec<u32>),
}

impl<M: Bands> Claim<M> {
    /// The result that a file states for a matrix of `rows` rows; `None` for a matrix.
    pub(super) fn stated(operation: &Operation, source: &Source, rows: usize) -> Option<Result<Self>> {
        match operation {
            Operation::Rank(_) => Some(rank_of(source).map(Claim::Rank)),
            Operation::Inverse(_) => Some(singular_rank(source, rows)?.map(Claim::Rank)),
            Operation::Solve(_) => Some(unsolvable_sides(source)?.map(Claim::Unsolvable)),
            _ => None,
        }
    }

    pub(super) fn as_answer(&self) -> Answer<'_> {
        match self {
            Claim::Rank(rank) => Answer::Rank(*rank),
            Claim::Matrix(matrix) => Answer::Matrix(matrix),
            Claim::Unsolvable(sides) => Answer::Unsolvable(sides),
        }
    }
}

// The sentence of an answer without an inverse.
const SINGULAR: &str = "singular: the rank is ";
const OF: &str = " of ";

/// The rank that a file states.
pub(super) fn rank_of(source: &Source) -> Result<usize> {
    as_text(source).trim().parse().map_err(|_| source.error("a rank was expected, a number"))
}

/// The rank that a file states if its answer is that a matrix with `rows` rows has no inverse.
fn singular_rank(source: &Source, rows: usize) -> Option<Result<usize>> {
    let numbers = as_text(source).trim().strip_prefix(SINGULAR)?;
    let rank = numbers.split_once(OF).and_then(|(rank, stated)| {
        let stated: usize = stated.parse().ok()?;
        rank.parse().ok().filter(|_| stated == rows)
    });
    Some(rank.ok_or_else(|| source.error(format!("`{SINGULAR}N{OF}{rows}` was expected"))))
}

/// The answer that there is no inverse.
pub(super) fn singular(rank: usize, rows: usize) -> String {
    format!("{SINGULAR}{rank}{OF}{rows}")
}

// The sentence of an answer without solutions.
const INCONSISTENT: &str = "inconsistent: no solution for column ";
const OF_B: &str = " of B";

/// The right sides that a file names if its answer is that these have no solution.
fn unsolvable_sides(source: &Source) -> Option<Result<Vec<u32>>> {
    let sides = as_text(source).trim().strip_prefix(INCONSISTENT)?;
    let sides =
        sides.strip_suffix(OF_B).and_then(|sides| sides.split(", ").map(|side| side.parse().ok()).collect());
    Some(sides.ok_or_else(|| source.error(format!("`{INCONSISTENT}0, 1{OF_B}` was expected"))))
}

/// The answer that some right sides have no solution.
pub(super) fn inconsistent(sides: &[u32]) -> String {
    let sides: Vec<_> = sides.iter().map(u32::to_string).collect();
    format!("{INCONSISTENT}{}{OF_B}", sides.join(", "))
}

/// Returns a file as text, or an empty string if it is not UTF-8, as for a matrix in binary.
fn as_text(source: &Source) -> &str {
    std::str::from_utf8(source.bytes()).unwrap_or_default()
}
