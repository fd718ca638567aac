//! `wgalois ntt`: number-theoretic transforms.

mod discrete;
mod scalar;

pub use scalar::{field, field_name};

use super::formats::Formats;
use super::kernels::Kernels;
use super::prime::PrimeArgument;
use crate::prelude::*;
use scalar::FieldOptions;
use std::str::FromStr;
use wgalois::Place;
use wgalois::field::Prime;
use wgalois::ntt::{CosetOf, Direction, Elements, Order, Transform, TransformOf};
use wgalois_benches::compared::textbook;
use wgalois_io::coefficients::{self, Residues};

const GUARANTEE: &str = "Guarantee of --verify and check: every vector is the transform; a wrong one is missed \
                         with a chance of at most 2^-64. A random combination of the values is compared with \
                         the same one computed from the coefficients, in linear time. With --field, coefficients \
                         and values are evaluated as polynomials at one random point: the chance is at most n \
                         2^-251.";

/// Transform a vector, or a batch of them, modulo a prime or over the scalar field of a curve
///
/// X_j = sum over i of x_i (g w^j)^i, with w the primitive n-th root of unity of the prime, or arkworks' of the field,
/// and g the shift of the coset (1 by default). The file holds the vectors one after the other; their length n is a
/// power of two, or any divisor of the prime less 1. The rows of a .npy array of two dimensions are vectors, and the result has its shape.
#[derive(clap::Args)]
#[command(after_long_help = GUARANTEE)]
pub struct Ntt {
    /// The vectors; `-` is stdin
    file: PathBuf,
    /// The modulus: an odd prime below 2^31, by value or name (babybear, koalabear, kyber, dilithium,
    /// falcon)
    #[arg(long, value_name = "P", required_unless_present = "field")]
    prime: Option<PrimeArgument>,
    #[command(flatten)]
    field: FieldOptions,
    /// Compute the inverse transform, values to coefficients, including the factor 1/n
    #[arg(long)]
    inverse: bool,
    /// Evaluate at g w^j for this shift g; with --field also hexadecimal after 0x
    #[arg(long, value_name = "G", conflicts_with = "negacyclic")]
    coset: Option<Shift>,
    /// Evaluate at the odd powers of a 2n-th root: g^2 = w
    #[arg(long)]
    negacyclic: bool,
    /// The root w, a number of order n modulo the prime; --json tells the one that is taken otherwise, if n is no power of two
    #[arg(long, value_name = "W", conflicts_with = "field")]
    root: Option<Shift>,
    /// Number of vectors in the file [default: the rows of a .npy array of two dimensions, otherwise 1]
    #[arg(long, value_name = "N", value_parser = count::<usize>(1..))]
    batch: Option<usize>,
    /// Order of the entries in the file
    #[arg(long, value_parser = named(ORDERS), default_value = "natural")]
    input_order: Order,
    /// Order of the entries in the result
    #[arg(long, value_parser = named(ORDERS), default_value = "natural")]
    output_order: Order,
    /// Reduce entries modulo the prime, or modulo the order of --field, instead of refusing those that are not below it
    #[arg(long)]
    wrap: bool,
    #[command(flatten)]
    kernels: Kernels,
    #[command(flatten)]
    formats: Formats,
}

/// The shift of a coset as the user typed it: its range depends on the field.
#[derive(Clone)]
struct Shift(String);

impl FromStr for Shift {
    type Err = String;

    fn from_str(text: &str) -> Result<Shift, String> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        match !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(Shift(text.to_owned())),
            false => Err("it is not a number".to_owned()),
        }
    }
}

pub const ORDERS: &[Named<Order>] =
    &[("natural", "", Order::Natural), ("bitrev bit-reversed", "", Order::BitReversed)];

impl Run for Ntt {
    fn run(&self, context: &Context) -> Result<()> {
        if let Some(field) = self.field.name() {
            return self.run_over(field, context);
        }
        let format = self.formats.output(context.output_path(), &self.file);
        let prime = self.parse_prime()?;
        let (before, sides) = self.read_input(context, prime)?;
        if let Some(transform) = self.discrete(prime, before.len(), &sides)? {
            return self.run_discrete(context, &transform, (&before, &sides));
        }
        let transform = self.transform(prime, before.len(), &sides)?;
        context.report("n", transform.n());
        context.report("batch", transform.batch());
        let Some(after) = self.compute(context, &transform, &before)? else { return Ok(()) };
        context.verify_if_asked(|| transform.check(&context.host(), &before, &after))?;
        context.write(|out| coefficients::write_array(out, format, &after, &sides))
    }

    fn is_brief(&self) -> bool {
        true
    }

    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.file.clone()]
    }

    fn outputs(&self) -> Outputs {
        let endings = match self.field.name() {
            Some(_) => self.field.endings(),
            None => self.formats.endings(),
        };
        Outputs { endings, ..Outputs::default() }
    }
}

impl Check for Ntt {
    fn check(&self, context: &Context, result: &Path) -> Result<()> {
        if let Some(field) = self.field.name() {
            return self.check_over(field, context, result);
        }
        let prime = self.parse_prime()?;
        let (before, sides) = self.read_input(context, prime)?;
        let (after, found) =
            self.read(context, result, Residues { modulus: prime.into(), wrap: false }, |_| Ok(()))?;
        if let Some(transform) = self.discrete(prime, before.len(), &sides)? {
            return self.check_discrete(context, &transform, (&before, &sides), (&after, &found));
        }
        let transform = self.transform(prime, before.len(), &sides)?;
        expect_sides(&found, &sides, transform.batch(), transform.n())?;
        context.verify(|| transform.check(&context.host(), &before, &after))
    }
}

/// Refuses a result whose array has other sides than that of the input or, if the input is one vector, its transforms.
fn expect_sides(found: &[u64], sides: &[u64], batch: usize, n: usize) -> Result<()> {
    let (batch, n) = (batch as u64, n as u64);
    let expected = if sides.len() < 2 { vec![batch * n] } else { sides.to_vec() };
    let is_one = sides.len() < 2 && found == [batch, n];
    let is_right = found.is_empty() || found == expected || is_one;
    Wrong::unless(is_right, format!("an array of {found:?}, where {expected:?} was expected"))
}

impl Ntt {
    fn parse_prime(&self) -> Result<Prime> {
        let missing = || Error::needs("ntt", "--prime or --field");
        self.prime.as_ref().ok_or_else(missing)?.parse()
    }

    /// Reads the entries to transform. A number of them that no transform has is refused before they are read, if the
    /// length of the file tells it.
    fn read_input(&self, context: &Context, prime: Prime) -> Result<(Vec<u32>, Vec<u64>)> {
        let format = self.formats.input(&self.file);
        let check = |source: &Source| match coefficients::count(source, format)? {
            Some(count) if count > 0 => {
                let sides = coefficients::sides(source, format)?;
                match self.discrete(prime, count, &sides)? {
                    Some(_) => Ok(()),
                    None => self.transform(prime, count, &sides).map(drop),
                }
            }
            _ => Ok(()),
        };
        self.read(context, &self.file, Residues { modulus: prime.into(), wrap: self.wrap }, check)
    }

    /// Reads entries, and the sides of their array if the file states them, after `check` of the file.
    fn read(
        &self,
        context: &Context,
        path: &Path,
        ring: Residues,
        check: impl FnOnce(&Source) -> Result<()>,
    ) -> Result<(Vec<u32>, Vec<u64>)> {
        let format = self.formats.input(path);
        let read = |source: &Source| {
            check(source)?;
            self.formats.expect(source, format)?;
            let entries = coefficients::read(source, format, &ring, context.memory())?;
            Ok((entries, coefficients::sides(source, format)?))
        };
        let (entries, sides) = context.read(path, read)?;
        context.hold(size_of_val(&entries[..]) as u64);
        Ok((entries, sides))
    }

    /// Returns the transform of `before`, or `None` if only the plan was asked for.
    fn compute(&self, context: &Context, transform: &Transform, before: &[u32]) -> Result<Option<Vec<u32>>> {
        // The entries are kept for the check.
        let copied = size_of_val(before) as u64;
        if let Some(options) = self.kernels.textbook() {
            context.need(copied, "a copy of the entries")?;
            let (gpu, mut after) = (self.kernels.textbook_gpu(context)?, before.to_vec());
            context.watch("transform", || textbook::transform(&gpu, transform, &options, &mut after))?;
            return Ok(Some(after));
        }
        let demands = Demands { beside: copied, ..Demands::default() };
        let Some((device, plan)) = context.plan_with(transform, demands)? else { return Ok(None) };
        self.kernels.note_reduction(context, &device);
        let mut after = before.to_vec();
        context.compute("transform", (&device, plan), &mut after)?;
        Ok(Some(after))
    }

    /// Returns the number of vectors in a file with an array of these sides: the rows, or that of `--batch`.
    fn vectors(&self, sides: &[u64]) -> Result<usize> {
        let Some((length, rows @ [_, ..])) = sides.split_last() else { return Ok(self.batch.unwrap_or(1)) };
        let rows = rows.iter().product::<u64>() as usize;
        match self.batch {
            Some(batch) if batch != rows => Err(self.refuse(format!(
                "an array of {rows} rows of {length} entries, which are vectors, and not {batch} of --batch"
            ))),
            _ => Ok(rows),
        }
    }

    /// Returns the transform for a file of `len` entries, which may be an array of these sides.
    fn transform(&self, prime: Prime, len: usize, sides: &[u64]) -> Result<Transform> {
        let batch = self.vectors(sides)?;
        let transform =
            self.stated(batch, len, "entries", |n| Transform::new(prime, n), |shift| shift.word("--coset"))?;
        transform.shift()?;
        Ok(transform.with_reduction(self.kernels.reduction))
    }

    /// Returns the transform, for `len` elements in `batch` vectors, with the options that words and scalars share.
    fn stated<K: Elements>(
        &self,
        batch: usize,
        len: usize,
        elements: &str,
        new: impl Fn(usize) -> Result<TransformOf<K>>,
        shift: impl Fn(&Shift) -> Result<K::Element>,
    ) -> Result<TransformOf<K>> {
        let n = len / batch;
        if n * batch != len || !n.is_power_of_two() {
            return Err(
                self.refuse(format!("{len} {elements}, where {batch} times a power of two was expected"))
            );
        }
        let coset = match &self.coset {
            Some(typed) => CosetOf::Shift(shift(typed)?),
            None if self.negacyclic => CosetOf::Negacyclic,
            None => CosetOf::Subgroup,
        };
        let transform = new(n).map_err(|error| error.of(text::name(&self.file)))?;
        Ok(transform
            .with_batch(batch)
            .with_direction(if self.inverse { Direction::Inverse } else { Direction::Forward })
            .with_input(self.input_order)
            .with_output(self.output_order)
            .with_coset(coset))
    }

    fn refuse(&self, message: String) -> Error {
        let fault = Box::new(message.into());
        Error::Format { place: Place::whole(&self.file), fault, note: String::new() }
    }
}
