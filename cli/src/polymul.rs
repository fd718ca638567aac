//! `wgalois polymul`: the product of two polynomials.

use super::formats::Formats;
use super::kernels::Kernels;
use super::prime::{ModulusArgument, PrimeArgument};
use crate::prelude::*;
use wgalois::Fault;
use wgalois::field::Modulus;
use wgalois::ntt::exact::ExactProduct;
use wgalois::ntt::{self, Product};
use wgalois_benches::compared::textbook;
use wgalois_io::coefficients::{self, Integers, Residues, Ring, WideIntegers};

const GUARANTEE: &str = "Guarantee of --verify and check: the product is right; a wrong one is missed with a \
                         chance of at most 2^-64. Both sides of a b = c are compared at random points of an \
                         extension of the field; over the integers, modulo random primes; modulo a number that \
                         is no odd prime, modulo a random polynomial too, which divisors of zero do not mislead. \
                         That takes linear time.";

/// Multiply two polynomials modulo a number, or exactly over the integers
///
/// Files hold coefficients, lowest degree first: decimal text separated by white space, .npy, or raw
/// little-endian 32-bit words. Without --prime or --modulus, coefficients are signed integers of 64 bits and the
/// product is exact.
#[derive(clap::Args)]
#[command(after_long_help = GUARANTEE)]
pub struct Polymul {
    /// The first factor; `-` is stdin
    a: PathBuf,
    /// The second factor; `-` is stdin
    b: PathBuf,
    /// The modulus: an odd prime below 2^31, by value or name (babybear, koalabear, mersenne31,
    /// kyber, dilithium, falcon)
    #[arg(long, value_name = "P", group = "reduced")]
    prime: Option<PrimeArgument>,
    /// The modulus: any number from 2 to 2^31 - 1, prime or not, or a name of --prime
    #[arg(long, value_name = "M", group = "reduced")]
    modulus: Option<ModulusArgument>,
    /// Multiply modulo x^N - 1
    #[arg(long, value_name = "N", conflicts_with = "negacyclic", value_parser = count::<usize>(..))]
    cyclic: Option<usize>,
    /// Multiply modulo x^N + 1
    #[arg(long, value_name = "N", value_parser = count::<usize>(..))]
    negacyclic: Option<usize>,
    /// Reduce coefficients modulo the prime or number instead of refusing those that are not below it
    #[arg(long, requires = "reduced")]
    wrap: bool,
    #[command(flatten)]
    kernels: Kernels,
    #[command(flatten)]
    formats: Formats,
}

impl Run for Polymul {
    fn run(&self, context: &Context) -> Result<()> {
        match self.parse_modulus()? {
            Some(modulus) => self.multiply_residues(context, modulus),
            None => self.multiply_integers(context),
        }
    }

    fn is_brief(&self) -> bool {
        true
    }

    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.a.clone(), self.b.clone()]
    }

    fn outputs(&self) -> Outputs {
        Outputs { endings: self.formats.endings(), ..Outputs::default() }
    }
}

impl Check for Polymul {
    fn check(&self, context: &Context, result: &Path) -> Result<()> {
        match self.parse_modulus()? {
            Some(modulus) => {
                let [a, b] = self.read_factors(context, &self.residues(modulus))?;
                let c = self.read(context, result, &Residues { modulus, wrap: false })?;
                let product = self.product(modulus, &a, &b);
                context.need(product.check_bytes(), "the check")?;
                context.verify(|| product.check(&context.host(), &a, &b, &c))
            }
            None => {
                let [a, b] = self.read_factors(context, &Integers)?;
                let c = self.read(context, result, &WideIntegers)?;
                let product = self.exact_product(&a, &b);
                context.need(product.check_bytes(), "the check")?;
                context.verify(|| product.check(&context.host(), &a, &b, &c))
            }
        }
    }
}

impl Polymul {
    /// The modulus, if the product is not to be exact.
    fn parse_modulus(&self) -> Result<Option<Modulus>> {
        match (&self.prime, &self.modulus) {
            (Some(prime), _) => Ok(Some(prime.parse()?.into())),
            (None, Some(modulus)) => modulus.parse().map(Some),
            (None, None) => Ok(None),
        }
    }

    fn multiply_residues(&self, context: &Context, modulus: Modulus) -> Result<()> {
        let format = self.formats.output(context.output_path(), &self.a);
        let read = self.read_factors(context, &self.residues(modulus));
        let option = if self.prime.is_some() { "--prime" } else { "--modulus" };
        let [a, b] = read.map_err(|error| suggest_exact(error, option))?;
        let product = self.product(modulus, &a, &b);
        product.length()?;
        context.report("terms", vec![a.len(), b.len()]);
        let Some(c) = self.compute(context, &product, &a, &b)? else { return Ok(()) };
        context.verify_if_asked(|| product.check(&context.host(), &a, &b, &c))?;
        context.write(|out| coefficients::write_residues(out, format, &c))
    }

    fn multiply_integers(&self, context: &Context) -> Result<()> {
        let format = self.formats.output(context.output_path(), &self.a);
        coefficients::check_integers(format)?;
        let [a, b] = self.read_factors(context, &Integers)?;
        let product = self.exact_product(&a, &b);
        product.length()?;
        context.report("terms", vec![a.len(), b.len()]);
        let check = product.check_bytes().saturating_add(16 * product.length()? as u64);
        let demands = Demands { check, ..Demands::default() };
        let Some((device, plan)) = context.plan_with(&product, demands)? else { return Ok(()) };
        let c = context.compute("multiply", (&device, plan), (&a, &b))?;
        context.verify_if_asked(|| product.check(&context.host(), &a, &b, &c))?;
        context.write(|out| coefficients::write_integers(out, format, &c))
    }

    fn residues(&self, modulus: Modulus) -> Residues {
        Residues { modulus, wrap: self.wrap }
    }

    fn ring(&self) -> ntt::Ring {
        match (self.cyclic, self.negacyclic) {
            (Some(n), _) => ntt::Ring::Cyclic(n),
            (None, Some(n)) => ntt::Ring::Negacyclic(n),
            (None, None) => ntt::Ring::Linear,
        }
    }

    fn product(&self, modulus: Modulus, a: &[u32], b: &[u32]) -> Product {
        let reduction = self.kernels.reduction;
        Product::new(modulus, a.len(), b.len()).with_ring(self.ring()).with_reduction(reduction)
    }

    fn exact_product(&self, a: &[i64], b: &[i64]) -> ExactProduct {
        ExactProduct::new(a.len(), b.len()).with_ring(self.ring())
    }

    /// Returns the product of `a` and `b`, or `None` if only the plan was asked for.
    fn compute(
        &self,
        context: &Context,
        product: &Product,
        a: &[u32],
        b: &[u32],
    ) -> Result<Option<Vec<u32>>> {
        if let Some(options) = self.kernels.textbook() {
            let gpu = self.kernels.textbook_gpu(context)?;
            let multiply = || textbook::multiply(&gpu, product, &options, a, b);
            return Ok(Some(context.watch("multiply", multiply)?.0));
        }
        let check = product.check_bytes().saturating_add(4 * product.length()? as u64);
        let demands = Demands { check, ..Demands::default() };
        let Some((device, plan)) = context.plan_with(product, demands)? else { return Ok(None) };
        self.kernels.note_reduction(context, &device);
        Ok(context.compute("multiply", (&device, plan), &[[a, b]])?.pop())
    }

    fn read_factors<R: Ring>(&self, context: &Context, ring: &R) -> Result<[Vec<R::Value>; 2]> {
        Ok([self.read(context, &self.a, ring)?, self.read(context, &self.b, ring)?])
    }

    fn read<R: Ring>(&self, context: &Context, path: &Path, ring: &R) -> Result<Vec<R::Value>> {
        let format = self.formats.input(path);
        let read = |source: &Source| {
            self.formats.expect(source, format)?;
            let values = coefficients::read(source, format, ring, context.memory())?;
            let sides = coefficients::sides(source, format)?;
            match sides.iter().filter(|&&side| side > 1).count() {
                0 | 1 => Ok(values),
                _ => Err(source.error(format!("an array of {sides:?}, where one polynomial was expected"))),
            }
        };
        let values = context.read(path, read)?;
        context.hold(size_of_val(&values[..]) as u64);
        Ok(values)
    }
}

/// Adds to the refusal of an entry that is no residue that products of all integers are exact without the option of a modulus.
fn suggest_exact(error: Error, option: &str) -> Error {
    match error {
        Error::Format { ref fault, .. } if matches!(**fault, Fault::NotReduced { .. }) => {
            error.with_note(&format!("; without {option} the product is exact"))
        }
        other => other,
    }
}
