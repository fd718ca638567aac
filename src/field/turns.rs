//! Formulas as iterations of the loop that `formula.wgsl` writes.

use serde::Serialize;

use super::bound::Product;
use super::formula::Step;
use super::{BigField, Formula, Mark};

/// One iteration of the loop that runs formulas: the linear steps on the previous iteration's product, then
/// a multiplication. A formula has one iteration for each multiplication and a last one without.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// The mark to set if the product is 0.
    mark: Option<Mark>,
    /// The steps on the product, and the following steps without a product.
    steps: Vec<Linear>,
    /// The registers that are multiplied.
    factors: Option<[u32; 2]>,
    /// The factors of a second product, for a sum or difference.
    others: Option<[u32; 2]>,
    product: Kind,
}

/// How the factors are multiplied: [`Product`] without the factor that the whole field has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Single,
    Sum,
    Difference,
    Square,
    Shared,
}

/// A linear combination `scale value + sum of terms + offset p`; the value is a product or a
/// register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Linear {
    destination: u32,
    /// The register, or None for the product.
    value: Option<u32>,
    scale: i32,
    terms: Vec<(i32, u32)>,
    offset: u32,
    /// Limbs to add and to subtract, at most two of each, so that a column fits 32 bits; None
    /// if there are more.
    columns: Option<[Vec<Unit>; 2]>,
    /// offset p, in limbs.
    multiple: Vec<u32>,
}

/// A register, or the product, taken once or twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Unit {
    register: Option<u32>,
    twice: bool,
}

impl Turn {
    /// The iterations of `formula`.
    pub fn of(formula: &Formula, field: &BigField) -> Vec<Turn> {
        let mut turns = Vec::new();
        let mut turn = Turn::default();
        for step in &formula.steps {
            let linear = Linear::new(step, field);
            match step.second {
                Some(second) => {
                    let next = Turn { mark: step.mark, steps: vec![linear], ..Turn::default() };
                    turns.push(Turn {
                        factors: Some([step.first, second]),
                        others: step.others,
                        product: Kind::from(step.product),
                        ..std::mem::replace(&mut turn, next)
                    });
                }
                None => turn.steps.push(linear),
            }
        }
        turns.push(turn);
        turns
    }
}

impl From<Product> for Kind {
    fn from(product: Product) -> Self {
        match product {
            Product::Single => Kind::Single,
            Product::Sum => Kind::Sum,
            Product::Difference(_) => Kind::Difference,
            Product::Square => Kind::Square,
            Product::Shared(_) => Kind::Shared,
        }
    }
}

impl Linear {
    fn new(step: &Step, field: &BigField) -> Self {
        let value = step.second.is_none().then_some(step.first);
        let mut columns = [Vec::new(), Vec::new()];
        let terms = step.terms.iter().map(|(factor, register)| (*factor, Some(*register)));
        let mut small = true;
        for (factor, register) in std::iter::once((step.scale, value)).chain(terms) {
            let side = &mut columns[usize::from(factor < 0)];
            small &= factor.abs() <= 3;
            for twice in [false, true] {
                if factor.unsigned_abs() >> u32::from(twice) & 1 == 1 {
                    side.push(Unit { register, twice });
                }
            }
        }
        small &= columns[0].len() + usize::from(step.offset > 0) <= 2 && columns[1].len() <= 2;
        Linear {
            destination: step.destination,
            value,
            scale: step.scale,
            terms: step.terms.clone(),
            offset: step.offset,
            columns: small.then_some(columns),
            multiple: field.multiple(step.offset),
        }
    }
}
