//! `wgalois intmul`: the product of two big integers.

use crate::prelude::*;
use wgalois::ntt::integer::IntegerProduct;
use wgalois_io::integers::{self, Base};

const GUARANTEE: &str = "Guarantee of --verify and check: the product is right; a wrong one is missed with a \
                         chance of at most 2^-64. Both sides of a b = c are compared modulo random primes of \
                         62 bits. That takes linear time.";

/// Multiply two big integers exactly
///
/// A file holds one integer: decimal digits, or 0x and hexadecimal digits, with an optional sign.
/// The product is written in the base of the first factor.
#[derive(clap::Args)]
#[command(after_long_help = GUARANTEE)]
pub struct Intmul {
    /// The first factor; `-` is stdin
    a: PathBuf,
    /// The second factor; `-` is stdin
    b: PathBuf,
    /// The base of every integer [default: hexadecimal after 0x, otherwise decimal]
    #[arg(long, value_parser = named(BASES))]
    format: Option<Base>,
}

const BASES: &[Named<Base>] = &[("decimal", "", Base::Decimal), ("hex", "", Base::Hexadecimal)];

impl Run for Intmul {
    fn run(&self, context: &Context) -> Result<()> {
        let (a, b) = (self.read(context, &self.a)?, self.read(context, &self.b)?);
        context.report("digits", vec![a.len(), b.len()]);
        let product = IntegerProduct::of(&a, &b)?;
        let Some((device, plan)) = context.plan(&product)? else { return Ok(()) };
        let c = context.compute("multiply", (&device, plan), (&a, &b))?;
        context.verify_if_asked(|| product.check(&context.host(), &a, &b, &c))?;
        context.write(|out| writeln!(out, "{c}"))
    }

    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.a.clone(), self.b.clone()]
    }

    fn outputs(&self) -> Outputs {
        Outputs { endings: Some(TEXT), ..Outputs::default() }
    }
}

impl Check for Intmul {
    fn check(&self, context: &Context, result: &Path) -> Result<()> {
        let [a, b, c] = [&self.a, &self.b, result].map(|path| self.read(context, path));
        let (a, b, c) = (a?, b?, c?);
        context.verify(|| IntegerProduct::of(&a, &b)?.check(&context.host(), &a, &b, &c))
    }
}

impl Intmul {
    fn read(&self, context: &Context, path: &Path) -> Result<String> {
        let integer = context.read(path, |source| integers::read(source, self.format, context.memory()))?;
        context.hold(integer.len() as u64);
        Ok(integer)
    }
}
