//! The methods of the special elimination, and the options of the published ones.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// A method of eliminating an F4 matrix. All methods but `Rounds` give the file-order result, which
/// [`F4Matrix`](crate::gf2::F4Matrix) defines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum F4Method {
    /// The method that a cost model expects to be fastest.
    #[default]
    Auto,
    /// Bands of 64 columns from the highest down; a row becomes a pivot as soon as its lead has no pivot.
    /// CPU, one thread.
    Bands,
    /// Rounds: all rows are reduced in parallel by the pivots known at the beginning of the round;
    /// then, in file order, rows with new leads become pivots. The last round has none. **Other rows** become
    /// pivots than in the file-order result; the leads are the same.
    Rounds,
    /// Row after row, the words of each addition divided among the threads, which meet after every addition. CPU.
    XorThreads,
    /// Panels of 512 columns; sums of pivots looked up in tables (four Russians).
    Blocked,
    /// First the columns without a reducer only, which determines the new pivots; then the
    /// new pivots in all columns (after Faugere and Lachartre 2010).
    TwoStage,
}

impl F4Method {
    /// All methods.
    pub const ALL: [F4Method; 6] = [
        F4Method::Auto,
        F4Method::Bands,
        F4Method::Rounds,
        F4Method::XorThreads,
        F4Method::Blocked,
        F4Method::TwoStage,
    ];

    /// The error of this method on anything else.
    pub(super) fn only_for(self, scope: &'static str) -> Error {
        Error::only_for(format!("method {self}"), scope)
    }
}

impl fmt::Display for F4Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            F4Method::Auto => "auto",
            F4Method::Bands => "bands",
            F4Method::Rounds => "rounds",
            F4Method::XorThreads => "xor-threads",
            F4Method::Blocked => "blocked",
            F4Method::TwoStage => "two-stage",
        })
    }
}

impl FromStr for F4Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let named = F4Method::ALL.into_iter().find(|method| method.to_string() == name);
        named.ok_or_else(|| Error::unknown("method", name, F4Method::ALL.map(|method| method.to_string())))
    }
}

/// The schedule by which [`F4Method::Rounds`] divides the rows of a round among the threads of the CPU
/// engine. The result does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowSchedule {
    /// A thread without work steals half of another thread's rows.
    #[default]
    Stealing,
    /// Every thread has one block of consecutive rows, all of equal length, as in programs with pthreads.
    Static,
    /// A thread without work takes the next 16 rows, as under OpenMP's `schedule(dynamic)`.
    Dynamic,
}

impl RowSchedule {
    /// All schedules.
    pub const ALL: [RowSchedule; 3] = [RowSchedule::Stealing, RowSchedule::Static, RowSchedule::Dynamic];
}

impl fmt::Display for RowSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RowSchedule::Stealing => "stealing",
            RowSchedule::Static => "static",
            RowSchedule::Dynamic => "dynamic",
        })
    }
}

impl FromStr for RowSchedule {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let named = RowSchedule::ALL.into_iter().find(|schedule| schedule.to_string() == name);
        named.ok_or_else(|| Error::unknown("schedule", name, RowSchedule::ALL.map(|one| one.to_string())))
    }
}

/// The grid of [`F4Method::Rounds`] on a GPU: how many threads reduce rows at the same time. Thread t of T
/// takes the rows t, t + T, t + 2 T and so on. The result does not depend on it.
///
/// Its text is `THREADSxBLOCKS`:
///
/// ```
/// use wgalois::gf2::Grid;
///
/// assert_eq!("256x32".parse::<Grid>()?, Grid { threads: 256, blocks: 32 });
/// assert_eq!(Grid { threads: 10, blocks: 1024 }.to_string(), "10x1024");
/// assert!("0x32".parse::<Grid>().is_err());
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct Grid {
    /// Threads of a workgroup, at least 1. Every device allows 256.
    pub threads: u32,
    /// Workgroups, from 1 to 65535.
    pub blocks: u32,
}

impl Grid {
    /// The maximum number of workgroups, WebGPU's limit in one dimension.
    const MOST_BLOCKS: u32 = 65_535;

    /// Returns an error unless a device with workgroups of at most `most` threads has this grid.
    pub(super) fn check(self, most: u32) -> Result<()> {
        let Grid { threads, blocks } = self;
        let each = [("threads of a workgroup", threads, most), ("workgroups", blocks, Self::MOST_BLOCKS)];
        each.into_iter().try_for_each(|(what, value, most)| match (1..=most).contains(&value) {
            true => Ok(()),
            false => Err(Error::Setting { what, value: value.into(), least: 1, most: most.into() }),
        })
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.threads, self.blocks)
    }
}

impl FromStr for Grid {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let grid = || {
            let (threads, blocks) = text.split_once('x')?;
            Some(Grid { threads: threads.parse().ok()?, blocks: blocks.parse().ok()? })
        };
        match grid() {
            Some(grid) => grid.check(u32::MAX).map(|()| grid),
            None => Err(Error::unexpected(text, "THREADSxBLOCKS, for example 256x32")),
        }
    }
}
