//! Boolean systems, from polynomial equations over GF(2) to their solutions.
//!
//! ```text
//! equations          formats reads them; generate draws them
//!   |  Simplified::new(&device, ..)        linear equations are substituted, to a fixed point
//!   v
//! core               equations without linear ones, in fewer variables
//!   |  Solve::of(&core).plan(&device)      method, sizes, time, bytes
//!   |  .prepare(&device)  .run(SolveInput::new(&core))
//!   v
//! solutions of the core  --  Solutions::lifted(.., &simplified, query)  -->  solutions of the equations
//! ```
//!
//! [`solve`] does all of that. This layer uses the tasks by their public interface: eliminations are
//! [`gf2`](wgalois::gf2)'s, on any device.
//!
//! | method | work | source |
//! |---|---|---|
//! | [`Method::Exhaustive`] | 2^n candidates, one addition and one comparison each in degree 2 | Bouillaguet et al., CHES 2010 |
//! | the same, of variables that determine the others | 2^inputs candidates, 512 side by side through all equations | |
//! | [`Method::Xl`] | an elimination of a Macaulay matrix, of the degree that the Hilbert series says | Courtois et al., EUROCRYPT 2000 |
//! | [`Method::Crossbred`] | such an elimination, and a linear system for each value of n - k variables | Joux and Vitse, ePrint 2017/372 |
//!
//! Every solution is evaluated in all equations before it is returned. An answer without solutions comes from a complete
//! search, or from 1 in the row space of a matrix; a [`Certificate`] shows the latter. That no solution is missing,
//! [`SolveInput::with_checks`] checks on the way, and [`recount`] afterwards.
//!
//! # Errors
//! - [`Error::Input`](wgalois::Error::Input), one of:
//!   - A system has more than [`MAX_VARIABLES`] variables, or a variable without a name.
//!   - An equation or a variable does not exist.
//!   - The method cannot solve a system of this shape.
//!   - More than [`MOST_SOLUTIONS`] solutions are wanted.
//!   - A checkpoint is that of another search, or has an assignment that is no solution.
//! - [`Error::Check`](wgalois::Error::Check): a solution violates an equation, a certificate does not sum to 1, or an
//!   elimination or a search failed a check.
//! - [`Error::Stopped`](wgalois::Error::Stopped): the limit of the device's timeline ended the work before its answer
//!   was known.
#![warn(missing_docs)]

mod calls;
mod certificate;
mod checks;
mod collect;
mod cost;
mod count;
mod crossbred;
mod determined;
mod equations;
mod exhaustive;
pub mod formats;
pub mod generate;
mod hilbert;
mod hits;
mod macaulay;
mod method;
mod polynomial;
mod problem;
mod query;
mod recount;
mod simplify;
mod solutions;
mod speeds;
mod watch;
mod way;
mod xl;

pub use calls::{solve, solve_async, solve_by, solve_by_async};
pub use certificate::Certificate;
pub use count::Count;
pub use equations::{Equations, MAX_VARIABLES};
pub use method::Method;
pub use polynomial::{Monomial, Polynomial};
pub use problem::{PreparedSolve, Solve, SolvePlan};
pub use query::Query;
pub use recount::recount;
pub use simplify::Simplified;
pub use solutions::{MOST_SOLUTIONS, Solutions};
pub use speeds::Speeds;
pub use watch::{Checkpoint, TimeLimit, Unwatched, Watch};
pub use way::SolveInput;

/// Returns all kernels of this crate.
pub fn kernels() -> impl Iterator<Item = &'static wgalois::gpu::Kernel> {
    [exhaustive::KERNELS, crossbred::KERNELS].into_iter().flatten().copied()
}

#[cfg(test)]
#[path = "../../tests/gpu_common/devices.rs"]
mod test_devices;
