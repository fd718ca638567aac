//! Ranks of matrices that stay index lists.

use super::{Found, Operation, finish};
use crate::Demands;
use crate::prelude::*;
use wgalois::gf2::{BitMatrix, IndexLists, SparseRank, Triangle};
use wgalois_io::bits::Rows;

impl Operation {
    /// Reads the matrix of a rank: as lists, if the file has them and they pay. `None` for other operations, for several
    /// processes, and if the columns of the pivots are asked for, which are those of an elimination by ascending columns.
    pub(super) fn read_sparse(&self, context: &Context) -> Result<Option<Rows>> {
        match self {
            Operation::Rank(one) if one.pivots.is_none() && context.processes().is_none() => {
                let pays = |lists: &IndexLists, columns| SparseRank::pays(lists.len(), columns, lists.ones());
                self.common().input.read_rows(context, &one.file, pays).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Computes the rank of lists.
    pub(super) fn rank_of_lists(&self, context: &Context, lists: &IndexLists, columns: usize) -> Result<()> {
        let triangle = context.step(Phase::Host, "find a triangle", || Triangle::find(lists, columns))?;
        context.hold(triangle.bytes());
        let plain = SparseRank::new(&triangle);
        let problem = if context.verifies() { plain.carrying() } else { plain };
        let demands = Demands { check: problem.check_bytes(), ..Demands::default() };
        let planned = self.common().workers.plan_with(context, &problem, demands)?;
        let Some((device, plan)) = planned else { return Ok(()) };
        let answer = context.compute("eliminate", (&device, plan), (lists, &triangle))?;
        context.report("sparse_pivots", answer.sparse_pivots);
        context.report("remainder_rows", answer.remainder.0);
        context.report("remainder_columns", answer.remainder.1);
        context.verify_if_asked(|| problem.check_carried(lists, &answer))?;
        let found: Found<BitMatrix> =
            Found { rank: answer.rank, pivots: Vec::new(), inconsistent: Vec::new(), matrix: None };
        finish(context, self, lists.len(), found, |_, _| Ok(()))
    }
}
