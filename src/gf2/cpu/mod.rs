//! The CPU engine.

mod blocked;
mod classic;
mod given;
mod kernels;
mod panel;
mod simd;
mod sweep;
mod tiles;
mod two_stage;

pub use simd::Simd;

use super::{Elimination, Method, System};
use crate::{Error, Result};
use blocked::Plan;
use panel::NONE;
use tiles::Tiles;

/// Worker threads.
pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::OutOfMemory(format!("{threads} threads: {error}")))
}

/// Eliminates a system.
pub fn eliminate(system: &System, method: Method, simd: Simd, threads: usize) -> Result<Elimination> {
    let simd = simd.checked()?;
    pool(threads)?.install(|| match method {
        Method::Bands => classic::bands(system, simd),
        Method::Rounds => classic::rounds(system, simd),
        Method::XorThreads => classic::xor_threads(system, simd),
        Method::Blocked => blocked_special(system, simd),
        Method::Auto | Method::TwoStage => two_stage::eliminate(system, simd),
    })
}

fn blocked_special(system: &System, simd: Simd) -> Result<Elimination> {
    let mut tiles = Tiles::from_lists_reversed(system.rows(), system.width())?;
    let given = given::Eliminators { system, last_place: tiles.last_place() };
    let limit = tiles.last_place() + usize::from(tiles.count() > 0);
    let plan = Plan { given: Some(&given), limit, full: false, record: false, simd };
    let factors = blocked::eliminate(&mut tiles, &plan)?;
    let rows: Vec<u32> =
        (0..system.row_count() as u32).filter(|&row| factors.leads[row as usize] != NONE).collect();
    let matrix = tiles.to_matrix_reversed(&rows)?;
    Ok(Elimination::new(system, &rows, matrix))
}
