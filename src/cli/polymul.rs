//! `wgalois polymul`: the product of two polynomials.

use super::engine::Task;
use super::formats::Formats;
use super::kernels::Kernels;
use super::prime::PrimeArgument;
use super::{Check, Context, Run};
use std::path::{Path, PathBuf};
use wgalois::Result;
use wgalois::field::Prime;
use wgalois::io::coefficients::{self, Integers, Residues, Ring, WideIntegers};
use wgalois::ntt::{self, Product};

const GUARANTEE: &str = "Guarantee of --verify and of check: a wrong product is missed with a chance of at \
                         most 2^-64. Both sides of a b = c are evaluated at random points of an extension \
                         of the field; over the integers, modulo random primes. That takes linear time.";

/// Multiply two polynomials modulo a prime, or exactly over the integers
///
/// Files hold coefficients, lowest degree first: white-space separated decimal text, .npy, or
/// raw little-endian 32-bit words. Without --prime coefficients are signed integers of 64
/// bits, and the product is exact.
#[derive(clap::Args)]
#[command(after_long_help = GUARANTEE)]
pub struct Polymul {
    /// The one factor; `-` is stdin
    a: PathBuf,
    /// The other factor
    b: PathBuf,
    /// The modulus: an odd prime below 2^31, by value or name (babybear, koalabear)
    #[arg(long, value_name = "P")]
    prime: Option<PrimeArgument>,
    /// Modulo x^N - 1
    #[arg(long, value_name = "N", conflicts_with = "negacyclic")]
    cyclic: Option<usize>,
    /// Modulo x^N + 1
    #[arg(long, value_name = "N")]
    negacyclic: Option<usize>,
    /// Take coefficients modulo the prime instead of refusing those that are not below it
    #[arg(long, requires = "prime")]
    wrap: bool,
    #[command(flatten)]
    kernels: Kernels,
    #[command(flatten)]
    formats: Formats,
}

/// Bytes that a product modulo a prime takes for each entry of its transforms: two padded
/// factors, the product, and its copy.
const RESIDUE_BYTES: u64 = 16;
/// Bytes that an exact product takes for each: those of one prime, the residues modulo all
/// three, the integer itself.
const INTEGER_BYTES: u64 = 48;

impl Run for Polymul {
    fn run(&self, context: &Context) -> Result<()> {
        match &self.prime {
            Some(prime) => self.multiply_residues(context, prime.parse()?),
            None => self.multiply_integers(context),
        }
    }
}

impl Check for Polymul {
    fn check(&self, context: &Context, result: &Path) -> Result<()> {
        match &self.prime {
            Some(prime) => {
                let prime = prime.parse()?;
                let [a, b] = self.read_factors(context, &self.residues(prime))?;
                let c = self.read(context, result, &Residues { prime, wrap: false })?;
                context.verify(|| self.product().check(prime, &a, &b, &c, &mut rand::rng()))
            }
            None => {
                let [a, b] = self.read_factors(context, &Integers)?;
                let c = self.read(context, result, &WideIntegers)?;
                context.verify(|| self.product().check_exact(&a, &b, &c, &mut rand::rng()))
            }
        }
    }
}

impl Polymul {
    fn multiply_residues(&self, context: &Context, prime: Prime) -> Result<()> {
        let format = self.formats.output(context.output_path());
        let [a, b] = self.read_factors(context, &self.residues(prime))?;
        let product = self.product();
        let words = self.prepare(context, a.len(), b.len(), RESIDUE_BYTES)?;
        let device = self.kernels.device(context, Task::Ntt(words))?;
        let multiply = || self.kernels.multiply(&device, prime, product, &a, &b);
        let c = context.watch("multiply", multiply)?;
        context.verify_if_asked(|| product.check(prime, &a, &b, &c, &mut rand::rng()))?;
        context.write(|out| coefficients::write_residues(out, format, &c))
    }

    fn multiply_integers(&self, context: &Context) -> Result<()> {
        let format = self.formats.output(context.output_path());
        coefficients::check_integers(format)?;
        let [a, b] = self.read_factors(context, &Integers)?;
        let product = self.product();
        let words = self.prepare(context, a.len(), b.len(), INTEGER_BYTES)?;
        let device = self.kernels.device(context, Task::Ntt(3 * words))?;
        let c = context.watch("multiply", || ntt::exact::multiply(&device, product, &a, &b))?;
        context.verify_if_asked(|| product.check_exact(&a, &b, &c, &mut rand::rng()))?;
        context.write(|out| coefficients::write_integers(out, format, &c))
    }

    fn residues(&self, prime: Prime) -> Residues {
        Residues { prime, wrap: self.wrap }
    }

    fn product(&self) -> Product {
        match (self.cyclic, self.negacyclic) {
            (Some(n), _) => Product::Cyclic(n),
            (None, Some(n)) => Product::Negacyclic(n),
            (None, None) => Product::Linear,
        }
    }

    fn read_factors<R: Ring>(&self, context: &Context, ring: &R) -> Result<[Vec<R::Value>; 2]> {
        Ok([self.read(context, &self.a, ring)?, self.read(context, &self.b, ring)?])
    }

    fn read<R: Ring>(&self, context: &Context, path: &Path, ring: &R) -> Result<Vec<R::Value>> {
        let format = self.formats.input(path);
        context.read(path, |source| coefficients::read(source, format, ring, context.memory()))
    }

    /// Reports the sizes, refuses what does not fit the memory, and returns the words of the
    /// three transforms of a product.
    fn prepare(&self, context: &Context, a: usize, b: usize, bytes: u64) -> Result<u64> {
        let terms = (self.product().length(a, b)? as u64).checked_next_power_of_two().unwrap_or(u64::MAX);
        context.report("terms", vec![a, b]);
        context.need(terms.saturating_mul(bytes), "this product")?;
        Ok(3 * terms)
    }
}
