//! `wgalois gen gf2`: random matrices over GF(2).

use crate::bits::OutputFormat;
use crate::prelude::*;
use wgalois::gf2::{self, generate};
use wgalois_io::bits::{self, Format};

/// Generate a random matrix over GF(2)
#[derive(clap::Args)]
pub struct Gf2 {
    /// Number of rows
    #[arg(long, value_name = "N", value_parser = count::<u32>(..))]
    rows: u32,
    /// Number of columns [default: as many as rows]
    #[arg(long, value_name = "N", value_parser = count::<u32>(..))]
    columns: Option<u32>,
    /// Probability of a one
    #[arg(long, value_name = "P", default_value_t = 0.5, value_parser = parse_density)]
    density: f64,
    /// Generate a product of two random factors, of at most this rank
    #[arg(long, value_name = "R", conflicts_with = "density", value_parser = count::<u32>(..))]
    rank: Option<u32>,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    output: OutputFormat,
}

fn parse_density(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(density) if (0.0..=1.0).contains(&density) => Ok(density),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}

impl Run for Gf2 {
    fn run(&self, context: &Context) -> Result<()> {
        let columns = self.columns.unwrap_or(self.rows);
        let bytes = matrix_bytes(self.rows, columns);
        // The factors are held together with their product.
        let factors = self.rank.map_or(0, |rank| matrix_bytes(self.rows, rank) + matrix_bytes(rank, columns));
        context.need(bytes.saturating_add(factors), "this matrix")?;
        let (rows, columns) = (self.rows as usize, columns as usize);
        let matrix = context.step(Phase::Host, "generate", || match self.rank {
            None => generate::matrix(rows, columns, self.density, self.seed),
            Some(rank) => {
                let [left, right] = generate::factors_of_rank(rows, columns, rank as usize, self.seed)?;
                gf2::multiply(&context.host(), &left, &right)
            }
        })?;
        let format = self.output.of_generated(context, Format::Text);
        context.write(|out| bits::write_matrix(out, format, &matrix))
    }

    fn outputs(&self) -> Outputs {
        Outputs { endings: self.output.endings(), ..Outputs::default() }
    }
}

/// Returns an upper bound for the bytes of a matrix. A row counts at least 64 bytes, which covers
/// writing it.
fn matrix_bytes(rows: u32, columns: u32) -> u64 {
    (u64::from(columns) / 8 + 64) * u64::from(rows.max(1))
}
