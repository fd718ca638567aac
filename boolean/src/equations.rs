//! Systems of polynomial equations over GF(2).

use super::Polynomial;
use wgalois::{Error, Result};

/// The maximum number of variables of a system.
pub const MAX_VARIABLES: usize = 1 << 24;

/// Equations over GF(2): polynomials that must be 0, and the names of their variables.
///
/// ```
/// use wgalois_boolean::{Equations, Monomial, Polynomial};
///
/// let names = vec!["x1".to_owned(), "x2".to_owned()];
/// let p = Polynomial::new([Monomial::new([0, 1]), Monomial::one()]); // x1*x2 + 1
/// let equations = Equations::new(names, vec![p])?;
/// assert_eq!(equations.violated(&[true, false]), Some(0));
/// assert_eq!(equations.violated(&[true, true]), None);
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equations {
    names: Vec<String>,
    polynomials: Vec<Polynomial>,
}

impl Equations {
    /// Makes a system. Variable v has the name `names[v]`.
    pub fn new(names: Vec<String>, polynomials: Vec<Polynomial>) -> Result<Self> {
        let count = names.len();
        Error::expect_at_most("variables", MAX_VARIABLES as u64, count as u64)?;
        let terms = polynomials.iter().flat_map(Polynomial::terms);
        let highest = terms.filter_map(|term| term.variables().last()).max();
        highest.map_or(Ok(()), |&highest| Error::expect_index("variable", count, highest as usize))?;
        Ok(Equations { names, polynomials })
    }

    /// Returns the names of the variables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of variables.
    pub fn variables(&self) -> usize {
        self.names.len()
    }

    /// Returns the polynomials, all of which must be 0.
    pub fn polynomials(&self) -> &[Polynomial] {
        &self.polynomials
    }

    /// Returns the number of the variable of this name.
    pub fn variable_named(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|known| known == name).map(|number| number as u32)
    }

    /// Returns the highest degree of a polynomial.
    pub fn degree(&self) -> usize {
        self.polynomials.iter().map(Polynomial::degree).max().unwrap_or(0)
    }

    /// Returns the number of terms of all polynomials.
    pub fn terms(&self) -> usize {
        self.polynomials.iter().map(|polynomial| polynomial.terms().len()).sum()
    }

    /// Adds the equation that a variable has a value.
    pub fn with_fixed(mut self, variable: u32, value: bool) -> Result<Self> {
        Error::expect_index("variable", self.names.len(), variable as usize)?;
        let mut equation = Polynomial::variable(variable);
        if value {
            equation = equation.plus(&Polynomial::one());
        }
        self.polynomials.push(equation);
        Ok(self)
    }

    /// Returns the first equation that an assignment violates, or `None` if it solves all. `values[v]` is the
    /// value of variable v; a variable without a value violates every equation.
    pub fn violated(&self, values: &[bool]) -> Option<usize> {
        if values.len() != self.names.len() && !self.polynomials.is_empty() {
            return Some(0);
        }
        self.polynomials.iter().position(|polynomial| polynomial.evaluate(|v| values[v as usize]))
    }
}
