//! `wgalois gen poly`: random polynomials.

use crate::formats::OutputFormat;
use crate::prelude::*;
use crate::prime::PrimeArgument;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wgalois_io::coefficients;

/// Generate a random polynomial
///
/// Coefficient i is the high word of the product of the range's size with the i-th 64-bit
/// number of ChaCha8 seeded with --seed.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("range").required(true))]
pub struct Poly {
    /// Number of coefficients
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    terms: u64,
    /// Coefficients from 0 to P - 1
    #[arg(long, value_name = "P", group = "range")]
    prime: Option<PrimeArgument>,
    /// Coefficients from 0 to 2^B - 1; with --signed from -2^(B-1) to 2^(B-1) - 1
    #[arg(long, value_name = "B", group = "range", value_parser = clap::value_parser!(u32).range(1..=63))]
    bits: Option<u32>,
    /// Also generate negative coefficients
    #[arg(long, conflicts_with = "prime")]
    signed: bool,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    format: OutputFormat,
}

impl Run for Poly {
    fn run(&self, context: &Context) -> Result<()> {
        let format = self.format.of(context.output_path());
        context.report("terms", self.terms);
        context.report("seed", self.seed);
        match (&self.prime, self.bits) {
            (Some(prime), _) => {
                let prime = prime.parse()?;
                let residues = self.draw(context, prime.value().into(), |x| x as u32)?;
                context.write(|out| coefficients::write_residues(out, format, &residues))
            }
            (None, Some(bits)) => {
                coefficients::check_integers(format)?;
                let least = if self.signed { -(1i128 << (bits - 1)) } else { 0 };
                let integers = self.draw(context, 1 << bits, |x| i128::from(x) + least)?;
                context.write(|out| coefficients::write_integers(out, format, &integers))
            }
            (None, None) => Err(Error::needs("gen poly", "one of --prime and --bits")),
        }
    }

    fn outputs(&self) -> Outputs {
        Outputs { endings: self.format.endings(), ..Outputs::default() }
    }
}

impl Poly {
    /// Returns the coefficients that `place` makes of uniform numbers below `range`. The probability
    /// of each number differs from uniform by a relative error below `range` / 2^64.
    fn draw<T>(&self, context: &Context, range: u64, place: impl Fn(u64) -> T) -> Result<Vec<T>> {
        context.need(self.terms.saturating_mul(size_of::<T>() as u64), "this polynomial")?;
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut draw = || place(((u128::from(random.next_u64()) * u128::from(range)) >> 64) as u64);
        Ok(context.step(Phase::Host, "generate", || (0..self.terms).map(|_| draw()).collect()))
    }
}
