//! Formulas: straight-line sequences of field operations, written as text, compiled to steps on
//! registers.
//!
//! A formula is a list of lines `name = expression`. An expression is a sum of at most one
//! product `a*b` and at most two further names, each with a small integer factor:
//!
//! ```text
//! P = x*ZZ - X
//! X = RR - PPP - 2 Q
//! ```
//!
//! In a quadratic extension a product may also be `A.0*b` or `A.1*b`, by one element of A0 + A1 u.
//!
//! A line that begins with `mark:` tells the shader to note whether its value, a plain product, is 0; see
//! [`Mark`]. In a quadratic extension a name is two elements, and a line becomes several (`quadratic.rs`). Compiling assigns registers, as few as it can, and bounds: nothing is reduced below p
//! between steps, so every difference gets the multiple of p that keeps it from going below 0, and every
//! value a bound in multiples of p, which must fit the limbs.

use std::collections::HashMap;

use serde::Serialize;

use super::bound::{Bound, CANONICAL, Product, fits, products};
use super::{BigField, quadratic};
use crate::{Error, Result};

/// The mark that the shader sets when the value of a step is 0 modulo p.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// The two points have the same y.
    SameY,
    /// The two points have the same x: the formula does not apply. Nothing is written from here on, so that
    /// the operands remain for the formula that applies; the other mark is still set.
    SameX,
    /// In an extension a marked value is 0 if two products are. This is the first of them; the next mark is for both.
    /// Steps from here to the next mark are executed even after equal x.
    Half,
}

/// One operation: `destination = scale first [* second [+ others]] + sum of terms + offset p`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub(super) destination: u32,
    pub(super) first: u32,
    pub(super) second: Option<u32>,
    /// The factors of a second product, for a sum or difference; only in an extension.
    pub(super) others: Option<[u32; 2]>,
    pub(super) product: Product,
    pub(super) scale: i32,
    /// Factor and register.
    pub(super) terms: Vec<(i32, u32)>,
    /// The multiple of p that keeps the value above 0.
    pub(super) offset: u32,
    pub(super) mark: Option<Mark>,
}

/// A compiled formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The operations in order.
    pub steps: Vec<Step>,
    /// The number of registers that they use.
    pub registers: u32,
    /// The bounds of the outputs; in an extension those of the larger element.
    pub outputs: Vec<Bound>,
}

/// A parsed line of a formula, with names.
pub(super) struct Line {
    pub(super) destination: String,
    /// The factor of the products.
    pub(super) scale: i32,
    /// At most one product; two in an extension.
    pub(super) products: Vec<[String; 2]>,
    pub(super) product: Product,
    pub(super) terms: Vec<(i32, String)>,
    pub(super) mark: Option<Mark>,
}

impl Formula {
    /// Compiles `text` for a field. The inputs are in the registers from 0 on, with these
    /// bounds; the outputs take the place and name of the first inputs. In an extension each is in two registers.
    /// Text that is not a formula, and values that outgrow the limbs, are the error [`Error::Shader`].
    pub fn compile(text: &str, inputs: &[(&str, Bound)], outputs: &[&str], field: &BigField) -> Result<Self> {
        if !inputs.iter().map(|(name, _)| name).take(outputs.len()).eq(outputs) {
            return Err(fault(&outputs.join(" "), "are not the names of the first inputs"));
        }
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines = lines.map(parse).collect::<Result<Vec<_>>>()?;
        let lines = quadratic::expand(lines, field);
        let parts = |name: &str| quadratic::parts(name, field);
        let inputs: Vec<_> = inputs
            .iter()
            .flat_map(|(name, bound)| parts(name).into_iter().map(|part| (part, *bound)))
            .collect();
        let mut registers = Registers::new(&inputs, outputs.iter().flat_map(|name| parts(name)).collect());
        let mut bounds: HashMap<String, Bound> = inputs.into_iter().collect();
        let mut steps = Vec::with_capacity(lines.len());
        for (i, line) in lines.iter().enumerate() {
            let (step, bound) = compile_line(line, &lines[i + 1..], &mut registers, &bounds, field)?;
            bounds.insert(line.destination.clone(), bound);
            steps.push(step);
        }
        let largest = |name: &&str| {
            let bounds = parts(name).iter().map(|part| lookup(&bounds, part)).collect::<Result<Vec<_>>>()?;
            Ok(bounds.into_iter().max().unwrap_or(0))
        };
        Ok(Formula {
            steps,
            registers: registers.count,
            outputs: outputs.iter().map(largest).collect::<Result<_>>()?,
        })
    }

    /// The number of multiplications.
    pub fn multiplications(&self) -> usize {
        self.steps.iter().filter(|step| step.second.is_some()).count()
    }
}

/// The register of each name.
struct Registers {
    of: HashMap<String, u32>,
    /// Names whose registers are never released.
    kept: Vec<String>,
    free: Vec<u32>,
    count: u32,
}

impl Registers {
    fn new(inputs: &[(String, Bound)], kept: Vec<String>) -> Self {
        let of = inputs.iter().map(|(name, _)| name.clone()).zip(0..).collect();
        Registers { of, kept, free: Vec::new(), count: inputs.len() as u32 }
    }

    fn get(&self, name: &str) -> Result<u32> {
        self.of.get(name).copied().ok_or_else(|| fault(name, "is used before it is set"))
    }

    /// Releases the registers of names that no later line reads.
    fn release(&mut self, later: &[Line]) {
        let is_read = |name: &String| self.kept.contains(name) || later.iter().any(|line| line.reads(name));
        let dead: Vec<_> = self.of.keys().filter(|name| !is_read(name)).cloned().collect();
        for name in dead {
            self.free.extend(self.of.remove(&name));
        }
        self.free.sort_unstable_by_key(|register| std::cmp::Reverse(*register));
    }

    fn place(&mut self, name: &str) -> u32 {
        if let Some(register) = self.of.get(name) {
            return *register;
        }
        let register = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.of.insert(name.to_owned(), register);
        register
    }
}

impl Line {
    fn reads(&self, name: &str) -> bool {
        let mut names = self.products.iter().flatten().chain(self.terms.iter().map(|(_, term)| term));
        names.any(|read| read == name)
    }
}

fn compile_line(
    line: &Line,
    later: &[Line],
    registers: &mut Registers,
    bounds: &HashMap<String, Bound>,
    field: &BigField,
) -> Result<(Step, Bound)> {
    let destination = &line.destination;
    let mut terms = line.terms.clone();
    let (scale, first, second) = match line.products.first() {
        Some([a, b]) => (line.scale, a.clone(), Some(b)),
        None if terms.is_empty() => return Err(fault(destination, "has no value")),
        None => {
            let (scale, a) = terms.remove(0);
            (scale, a, None)
        }
    };
    let is_large = |factor: i32| factor.abs() > 7;
    if terms.len() > 2 || is_large(scale) || terms.iter().any(|(factor, _)| is_large(*factor)) {
        return Err(fault(destination, "has more terms or larger factors than a step holds"));
    }
    let mut value = lookup(bounds, &first)?;
    if second.is_some() {
        let factors = line.products.iter().map(|[a, b]| Ok([lookup(bounds, a)?, lookup(bounds, b)?]));
        let factors = line.product.factors(&factors.collect::<Result<Vec<_>>>()?, field);
        let factors = factors.filter(|factors| factors.iter().flatten().all(|bound| fits(*bound, field)));
        let outgrows = || fault(destination, "has a factor that outgrows the spare bits of its limbs");
        value = products(&factors.ok_or_else(outgrows)?, field.headroom());
    }
    let (mut above, mut below) = (0, 0);
    for (factor, bound) in std::iter::once(Ok((scale, value)))
        .chain(terms.iter().map(|(factor, name)| lookup(bounds, name).map(|bound| (*factor, bound))))
        .collect::<Result<Vec<_>>>()?
    {
        let side = if factor < 0 { &mut below } else { &mut above };
        *side += u64::from(factor.unsigned_abs()) * bound;
    }
    let offset = below.div_ceil(CANONICAL);
    let bound = above + offset * CANONICAL;
    if !fits(bound, field) {
        return Err(fault(destination, "outgrows the spare bits of its limbs"));
    }
    let is_plain = second.is_some() && terms.is_empty() && scale == 1 && bound <= 2 * CANONICAL;
    // The mark of a half is that of the product alone.
    if line.mark.is_some_and(|mark| mark != Mark::Half) && !is_plain {
        return Err(fault(destination, "is marked but is not a plain product"));
    }
    let sources = (registers.get(&first)?, second.map(|name| registers.get(name)).transpose()?);
    let others = line.products.get(1);
    let others = others.map(|[a, b]| Ok([registers.get(a)?, registers.get(b)?])).transpose()?;
    let terms = terms.iter().map(|(factor, name)| Ok((*factor, registers.get(name)?)));
    let terms = terms.collect::<Result<_>>()?;
    registers.release(later);
    let step = Step {
        destination: registers.place(destination),
        first: sources.0,
        second: sources.1,
        others,
        product: line.product,
        scale,
        terms,
        offset: offset as u32,
        mark: line.mark,
    };
    Ok((step, bound))
}

fn lookup(bounds: &HashMap<String, Bound>, name: &str) -> Result<Bound> {
    bounds.get(name).copied().ok_or_else(|| fault(name, "is used before it is set"))
}

fn parse(line: &str) -> Result<Line> {
    let (mark, rest) = match line.split_once(':') {
        Some(("same_y", rest)) => (Some(Mark::SameY), rest),
        Some(("same_x", rest)) => (Some(Mark::SameX), rest),
        Some((other, _)) => return Err(fault(other, "is no mark")),
        None => (None, line),
    };
    let (destination, expression) = rest.split_once('=').ok_or_else(|| fault(line, "sets nothing"))?;
    let destination = destination.trim().to_owned();
    let (products, product) = (Vec::new(), Product::Single);
    let mut parsed = Line { destination, scale: 1, products, product, terms: Vec::new(), mark };
    let (mut sign, mut factor) = (1, 1);
    for word in expression.split_whitespace() {
        match (word, word.parse::<i32>(), word.split_once('*')) {
            ("+", ..) => sign = 1,
            ("-", ..) => sign = -1,
            (_, Ok(number), _) => factor = number,
            (_, _, Some((a, b))) if parsed.products.is_empty() => {
                parsed.scale = sign * factor;
                parsed.products.push([a, b].map(str::to_owned));
            }
            (_, _, Some(_)) => return Err(fault(line, "has two products")),
            _ => parsed.terms.push((sign * factor, word.to_owned())),
        }
        if word != "-" && word != "+" && word.parse::<i32>().is_err() {
            (sign, factor) = (1, 1);
        }
    }
    Ok(parsed)
}

fn fault(what: &str, why: &str) -> Error {
    Error::Shader(format!("formula: {what:?} {why}"))
}

#[cfg(all(test, feature = "default"))]
mod tests {
    use ark_bls12_381::Fq;
    use ark_ff::AdditiveGroup;

    use super::*;

    fn field() -> BigField {
        BigField::of::<Fq>()
    }

    #[test]
    fn a_formula_computes_what_it_says() {
        let text = "same_y: t = a*b\n u = 2 t - 3 a + b\n a = -1 u*t + 2 b - u\n b = u";
        let inputs = [("a", CANONICAL), ("b", CANONICAL)];
        let formula = Formula::compile(text, &inputs, &["a", "b"], &field()).unwrap();
        let (a, b) = (Fq::from(7), Fq::from(11));
        let mut registers = vec![a, b];
        assert!(formula.run(&mut registers).is_empty());
        let u = (a * b).double() - a * Fq::from(3) + b;
        assert_eq!(registers[..2], [b.double() - u - u * a * b, u]);
        assert_eq!(formula.run(&mut vec![Fq::ZERO, b]), [Mark::SameY]);
    }

    #[test]
    fn differences_stay_above_zero_and_bounds_are_summed() {
        let formula = Formula::compile(
            "c = a*b\n d = c - a - 2 b\n a = d - c",
            &[("a", 3 * CANONICAL), ("b", 5 * CANONICAL)],
            &["a"],
            &field(),
        )
        .unwrap();
        let headroom = field().headroom();
        let c = CANONICAL + (15 * CANONICAL).div_ceil(headroom);
        assert_eq!(formula.steps[1].offset, 13);
        assert_eq!(formula.steps[2].offset, 2);
        assert_eq!(formula.outputs, [c + 15 * CANONICAL]);
    }

    #[test]
    fn registers_are_given_up_after_their_last_use() {
        let text = "c = a*b\n d = c*c\n e = d*d\n f = e*e\n a = f*f";
        let inputs = [("a", CANONICAL), ("b", CANONICAL)];
        let formula = Formula::compile(text, &inputs, &["a"], &field()).unwrap();
        assert_eq!(formula.registers, 2);
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        let inputs = [("a", CANONICAL), ("b", CANONICAL)];
        assert!(Formula::compile("c = a", &inputs, &["c"], &field()).is_err());
        for text in [
            "a",
            "a = ",
            "a = c",
            "a = a*b + b*b",
            "a = a + a + a + a",
            "a = 9 b",
            "same_x: a = b",
            "nothing: a = b",
            "a = 7 b\n a = 7 a\n a = 7 a",
        ] {
            assert!(Formula::compile(text, &inputs, &["a"], &field()).is_err(), "{text}");
        }
    }
}
