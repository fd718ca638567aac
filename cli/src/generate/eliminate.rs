//! `wgalois gen eliminate`: F4 matrices like those of Boolean Groebner bases.

use crate::prelude::*;
use wgalois::gf2::generate::Groebner;
use wgalois_io::bits::lists;

/// Generate eliminators and rows like those of a Boolean Groebner basis
///
/// The rows are sparse. The columns without an eliminator are mostly low ones. A third of the rows are
/// sums of three eliminators. Writes eliminators.txt and rows.txt to the folder of -o.
#[derive(clap::Args)]
pub struct Eliminate {
    /// Number of columns
    #[arg(long, value_name = "N", value_parser = count::<u32>(..))]
    columns: u32,
    /// Number of eliminators
    #[arg(long, value_name = "N", value_parser = count::<usize>(..))]
    eliminators: usize,
    /// Number of rows to reduce
    #[arg(long, value_name = "N", value_parser = count::<usize>(..))]
    rows: usize,
    /// Maximum number of rows that can be promoted [default: a quarter]
    #[arg(long, value_name = "N", value_parser = count::<usize>(..))]
    promoted: Option<usize>,
    /// Mean number of ones per eliminator
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count::<usize>(..))]
    eliminator_ones: usize,
    /// Mean number of ones per row
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count::<usize>(..))]
    row_ones: usize,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
}

impl Run for Eliminate {
    fn run(&self, context: &Context) -> Result<()> {
        let folder: PathBuf = match context.output_path() {
            Some(path) => path.to_owned(),
            None => return Err(Error::needs("gen eliminate, which writes two files,", "-o FOLDER")),
        };
        let generator = Groebner {
            columns: self.columns as usize,
            reducers: self.eliminators,
            rows: self.rows,
            new_pivots: self.promoted.unwrap_or(self.rows / 4),
            reducer_ones: self.eliminator_ones,
            row_ones: self.row_ones,
            seed: self.seed,
        };
        let ones = |rows: usize, mean: usize| (rows as u64).saturating_mul(mean as u64).saturating_mul(8);
        let bytes =
            ones(self.eliminators, self.eliminator_ones).saturating_add(ones(self.rows, self.row_ones));
        context.need(bytes.saturating_add(40 * u64::from(self.columns)), "this system")?;
        let (reducers, rows) = context.step(Phase::Host, "generate", || generator.generate())?;
        std::fs::create_dir_all(&folder).map_err(|e| Error::file(&folder, e))?;
        for (name, lists) in [("eliminators.txt", &reducers), ("rows.txt", &rows)] {
            let path = folder.join(name);
            context
                .step(Phase::Writing, name, || write_whole(&path, |out| lists::write_lists(out, lists)))?;
        }
        Ok(())
    }

    fn outputs(&self) -> Outputs {
        let names = ["eliminators.txt", "rows.txt"].map(str::to_owned);
        Outputs { data: Data::Folder(names.into()), ..Outputs::default() }
    }
}
