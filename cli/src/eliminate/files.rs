//! Systems that do not fit into memory.

use super::Eliminate;
use crate::gf2::{report_parts, scratch_folder};
use crate::{Context, Demands};
use wgalois::Result;
use wgalois::gf2::{F4Method, F4OnFiles, ListedResult, StoredF4Matrix, StoredResult};
use wgalois::timeline::Phase;
use wgalois_io::Source;
use wgalois_io::bits::stored_lists::{self, StoredLists};
use wgalois_io::bits::{Format, Limits};

/// The lists of both files, and the tiles in which they have ones.
struct Scanned<'s> {
    reducers: StoredLists<'s>,
    rows: StoredLists<'s>,
    tiles: Vec<u32>,
}

/// The files of an F4 matrix whose lists stay on the disk.
pub(super) struct Files<'o> {
    options: &'o Eliminate,
    reducers: Source,
    rows: Source,
}

impl<'o> Files<'o> {
    /// Returns the files; `None` if the elimination, or the check of a `result`, takes place in memory only. Lists stay on
    /// the disk if all files are regular files of lists, the result is lists, and the method may be blocked on one
    /// process of the CPU engine.
    pub(super) fn of(context: &Context, options: &'o Eliminate) -> Result<Option<Self>> {
        let method: F4Method = options.method.parse()?;
        let is_blocked = matches!(method, F4Method::Auto | F4Method::Blocked) && options.grid.is_none();
        let is_elsewhere = context.names_gpu() || context.processes().is_some();
        let writes_lists = options.output.of(context, &options.input, Format::Lists) == Format::Lists;
        // A pipe can be read only once.
        let are_files = [&options.eliminators, &options.rows]
            .iter()
            .all(|path| std::fs::metadata(path).is_ok_and(|found| found.is_file()));
        if !is_blocked || is_elsewhere || !writes_lists || !are_files || options.input.sorts() {
            return Ok(None);
        }
        let reducers = context.source(&options.eliminators)?;
        let rows = context.source(&options.rows)?;
        let are_lists =
            [&reducers, &rows].iter().all(|source| options.input.of(source, Format::Lists) == Format::Lists);
        // Small files are read into memory; an F4 matrix of two small ones gains nothing.
        let stays = |source: &Source| source.owned_bytes() == 0 && !source.bytes().is_empty();
        let is_large = stays(&reducers) || stays(&rows);
        Ok((are_lists && is_large).then_some(Files { options, reducers, rows }))
    }

    /// Eliminates the F4 matrix and writes the result.
    pub(super) fn run(&self, context: &Context) -> Result<()> {
        let limits = self.options.input.limits(context);
        let Scanned { reducers, rows, tiles } = self.scanned(context, &limits, context.verifies())?;
        let leads = reducers.leads();
        let columns = self.options.input.columns().map(|columns| columns as u64);
        context.report("columns", columns.unwrap_or(reducers.columns().max(rows.columns())));
        context.report("eliminators", leads.len());
        context.report("rows", rows.len());

        let problem = self.problem(&reducers, &rows, &tiles)?.with_check(context.verifies());
        let Some((device, plan)) = self.options.workers.plan_with(context, &problem, Demands::default())?
        else {
            return Ok(());
        };
        context.report("method", F4Method::Blocked.to_string());
        report_parts(context, plan.way());
        let folder = scratch_folder(context, self.options.scratch.as_deref())?;
        let prepared = plan.prepare_with(&device, &folder)?;
        let f4 = StoredF4Matrix { reducers: &reducers, rows: &rows, tiles: &tiles, leads };
        let result = context.watch("eliminate", || prepared.run(&f4))?;
        context.report("promoted", result.new_pivots().len());
        context.verify_if_asked(|| problem.check(&f4, &result, self.options.depth()))?;
        context.write(|out| stored_lists::write_elimination(out, &result))
    }

    /// Checks the result in a file of lists.
    pub(super) fn check(&self, context: &Context, result: &Source) -> Result<()> {
        let limits = self.options.input.limits(context);
        let Scanned { reducers, rows, tiles } = self.scanned(context, &limits, true)?;
        let leads = reducers.leads();
        let lists = self.scan(context, result, &limits, true)?.with_rows_noted()?;
        context.hold(lists.bytes());
        let problem = self.problem(&reducers, &rows, &tiles)?;
        context.need(problem.check_bytes(), "the check")?;
        let f4 = StoredF4Matrix { reducers: &reducers, rows: &rows, tiles: &tiles, leads };
        let listed = ListedResult::new(&lists, lists.leads());
        context.verify(|| problem.check(&f4, &listed, self.options.depth()))
    }

    fn problem(
        &self,
        reducers: &StoredLists<'_>,
        rows: &StoredLists<'_>,
        tiles: &[u32],
    ) -> Result<F4OnFiles> {
        let file_bytes = (self.reducers.bytes().len() + self.rows.bytes().len()) as u64;
        F4OnFiles::new(reducers.len(), rows.len(), tiles.len(), file_bytes)
    }

    /// Scans both files; notes the places of rows if they are to be read singly.
    fn scanned(&self, context: &Context, limits: &Limits, singly: bool) -> Result<Scanned<'_>> {
        context.hold(self.reducers.owned_bytes() + self.rows.owned_bytes());
        let mut reducers = self.scan(context, &self.reducers, limits, true)?;
        reducers.expect_distinct_leads()?;
        let mut rows = self.scan(context, &self.rows, limits, false)?;
        if singly {
            context.need(8 * (reducers.len() + rows.len()) as u64, "the places of the rows")?;
            (reducers, rows) = (reducers.with_rows_noted()?, rows.with_rows_noted()?);
        }
        let mut tiles = [reducers.tiles(), rows.tiles()].concat();
        tiles.sort_unstable_by(|a, b| b.cmp(a));
        tiles.dedup();
        // The leads are copied with other numbers.
        let copied = size_of_val(&tiles[..]) + size_of_val(reducers.leads());
        context.hold(reducers.bytes() + rows.bytes() + copied as u64);
        Ok(Scanned { reducers, rows, tiles })
    }

    fn scan<'s>(
        &self,
        context: &Context,
        source: &'s Source,
        limits: &Limits,
        with_leads: bool,
    ) -> Result<StoredLists<'s>> {
        let name = format!("check {}", source.path().display());
        context.step(Phase::Reading, &name, || StoredLists::new(source, limits, with_leads))
    }
}
