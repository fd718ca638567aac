//! What a parser makes of an expression: its polynomial, or a bound of the polynomial's size, which takes no memory.

use crate::{Monomial, Polynomial};
use wgalois::Result;
use wgalois_io::Source;

/// Bytes of a term beside its variables, with the room that vectors keep.
pub const TERM: u64 = 48;

/// The maximum number of terms of a product of brackets.
pub const MOST_TERMS: u64 = 1 << 22;

/// A bound of the number of terms and of the degree of a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub terms: u64,
    pub degree: u64,
}

/// A value of an expression. What takes long ends with an error at the time limit of the source.
pub trait Value: Sized {
    /// True if values are bounds of sizes only.
    const MEASURES: bool;
    /// The terms of a sum, to be sorted once.
    type Terms: Default;
    /// The variables of a product, to be sorted once.
    type Variables: Default;

    fn constant(is_one: bool) -> Self;
    fn variable(number: u32) -> Self;
    fn size(&self) -> Size;
    /// The bytes that the terms take.
    fn bytes(&self) -> u64;
    fn add_to(&self, terms: &mut Self::Terms);
    fn of_terms(terms: Self::Terms, source: &Source) -> Result<Self>;
    /// Adds the variables of a value that has one term.
    fn multiply(&self, variables: &mut Self::Variables);
    fn of_variables(variables: Self::Variables) -> Self;
    fn times(&self, other: &Self, source: &Source) -> Result<Self>;
}

impl Value for Polynomial {
    const MEASURES: bool = false;
    type Terms = Vec<Monomial>;
    type Variables = Vec<u32>;

    fn constant(is_one: bool) -> Self {
        if is_one { Polynomial::one() } else { Polynomial::zero() }
    }

    fn variable(number: u32) -> Self {
        Polynomial::variable(number)
    }

    fn size(&self) -> Size {
        Size { terms: self.terms().len() as u64, degree: self.degree() as u64 }
    }

    fn bytes(&self) -> u64 {
        self.terms().iter().map(|term| TERM + 4 * term.degree() as u64).sum()
    }

    fn add_to(&self, terms: &mut Vec<Monomial>) {
        terms.extend_from_slice(self.terms());
    }

    fn of_terms(terms: Vec<Monomial>, source: &Source) -> Result<Self> {
        Polynomial::new_within(terms, || source.check_end())
    }

    fn multiply(&self, variables: &mut Vec<u32>) {
        self.terms().iter().for_each(|term| variables.extend_from_slice(term.variables()));
    }

    fn of_variables(variables: Vec<u32>) -> Self {
        Polynomial::new([Monomial::new(variables)])
    }

    fn times(&self, other: &Self, source: &Source) -> Result<Self> {
        self.times_within(other, || source.check_end())
    }
}

impl Value for Size {
    const MEASURES: bool = true;
    type Terms = Option<Size>;
    type Variables = u64;

    fn constant(is_one: bool) -> Self {
        Size { terms: is_one.into(), degree: 0 }
    }

    fn variable(_: u32) -> Self {
        Size { terms: 1, degree: 1 }
    }

    fn size(&self) -> Size {
        *self
    }

    fn bytes(&self) -> u64 {
        self.terms.saturating_mul(self.degree.saturating_mul(4).saturating_add(TERM))
    }

    fn add_to(&self, terms: &mut Option<Size>) {
        let sum = terms.unwrap_or(Size { terms: 0, degree: 0 });
        *terms =
            Some(Size { terms: sum.terms.saturating_add(self.terms), degree: sum.degree.max(self.degree) });
    }

    fn of_terms(terms: Option<Size>, _: &Source) -> Result<Self> {
        Ok(terms.unwrap_or(Size { terms: 0, degree: 0 }))
    }

    fn multiply(&self, variables: &mut u64) {
        *variables = variables.saturating_add(self.degree);
    }

    fn of_variables(variables: u64) -> Self {
        Size { terms: 1, degree: variables }
    }

    fn times(&self, other: &Self, _: &Source) -> Result<Self> {
        Ok(Size {
            // Terms of a factor may cancel; if too many are left, the product is refused.
            terms: self.terms.saturating_mul(other.terms).min(MOST_TERMS),
            degree: self.degree.saturating_add(other.degree),
        })
    }
}
