//! Polynomials over GF(2) whose variables are bits, so that x^2 = x.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use wgalois::Result;

/// A product of distinct variables, given by their numbers. The empty product is 1.
///
/// The order is graded: by degree, then by the list of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Monomial(Box<[u32]>);

impl Monomial {
    /// Returns the product of `variables`. Repetitions count once, since x^2 = x.
    ///
    /// ```
    /// use wgalois_boolean::Monomial;
    ///
    /// let product = Monomial::new([3, 1, 3]);
    /// assert_eq!(product.variables(), [1, 3]);
    /// assert_eq!(Monomial::new([]).degree(), 0);
    /// ```
    pub fn new(variables: impl IntoIterator<Item = u32>) -> Self {
        let mut variables: Vec<u32> = variables.into_iter().collect();
        variables.sort_unstable();
        variables.dedup();
        Monomial(variables.into())
    }

    /// Returns the monomial 1.
    pub fn one() -> Self {
        Monomial::default()
    }

    /// Returns the variables, ascending.
    pub fn variables(&self) -> &[u32] {
        &self.0
    }

    /// Returns the number of variables.
    pub fn degree(&self) -> usize {
        self.0.len()
    }

    /// True if `variable` is a factor.
    pub fn has(&self, variable: u32) -> bool {
        self.0.binary_search(&variable).is_ok()
    }

    /// Returns the product with another monomial.
    pub fn times(&self, other: &Monomial) -> Monomial {
        Monomial::new(self.0.iter().chain(&*other.0).copied())
    }

    /// Returns the monomial without a variable.
    fn without(&self, variable: u32) -> Monomial {
        Monomial(self.0.iter().copied().filter(|&v| v != variable).collect())
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> Ordering {
        self.degree().cmp(&other.degree()).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A polynomial over GF(2): a sum of distinct monomials.
///
/// ```
/// use wgalois_boolean::{Monomial, Polynomial};
///
/// // x0 x1 + x1 + 1, at x0 = 0 and x1 = 1
/// let p = Polynomial::new([Monomial::new([0, 1]), Monomial::new([1]), Monomial::one()]);
/// assert_eq!(p.degree(), 2);
/// assert!(!p.evaluate(|variable| variable == 1));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Polynomial {
    /// Strictly descending.
    terms: Vec<Monomial>,
}

impl Polynomial {
    /// Returns the sum of `terms`; equal ones cancel in pairs.
    pub fn new(terms: impl IntoIterator<Item = Monomial>) -> Self {
        let mut terms: Vec<Monomial> = terms.into_iter().collect();
        terms.sort_unstable_by(|a, b| b.cmp(a));
        let mut kept: Vec<Monomial> = Vec::with_capacity(terms.len());
        for term in terms {
            if kept.last() == Some(&term) {
                kept.pop();
            } else {
                kept.push(term);
            }
        }
        Polynomial { terms: kept }
    }

    /// [`new`](Self::new) that calls `check` first and on the way, and ends with its error.
    pub(crate) fn new_within(
        terms: impl IntoIterator<Item = Monomial>,
        check: impl Fn() -> Result<()>,
    ) -> Result<Self> {
        // A block is sorted in some milliseconds.
        const BLOCK: usize = 1 << 14;
        let mut terms = terms.into_iter().peekable();
        // The sums of 1, 2, 4, ... blocks, the largest first, each with its logarithm. Two that are alike become one.
        let mut sums: Vec<(u32, Polynomial)> = Vec::new();
        check()?;
        while terms.peek().is_some() {
            let mut sum = Polynomial::new(terms.by_ref().take(BLOCK));
            let mut blocks = 0;
            while let Some((_, other)) = sums.pop_if(|(other, _)| *other == blocks) {
                check()?;
                sum = other.merged(sum);
                blocks += 1;
            }
            sums.push((blocks, sum));
            check()?;
        }
        sums.into_iter().rev().try_fold(Polynomial::zero(), |sum, (_, other)| {
            check()?;
            Ok(other.merged(sum))
        })
    }

    /// Returns the polynomial 0.
    pub fn zero() -> Self {
        Polynomial::default()
    }

    /// Returns the polynomial 1.
    pub fn one() -> Self {
        Polynomial { terms: vec![Monomial::one()] }
    }

    /// Returns the polynomial that is a variable.
    pub fn variable(variable: u32) -> Self {
        Polynomial { terms: vec![Monomial::new([variable])] }
    }

    /// Returns the monomials, highest degree first.
    pub fn terms(&self) -> &[Monomial] {
        &self.terms
    }

    /// Returns the highest degree of a term; 0 for the constants.
    pub fn degree(&self) -> usize {
        self.terms.first().map_or(0, Monomial::degree)
    }

    /// True for the polynomial 0.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// True for the polynomial 1.
    pub fn is_one(&self) -> bool {
        matches!(&self.terms[..], [term] if term.degree() == 0)
    }

    /// True if 1 is a term.
    pub fn has_one(&self) -> bool {
        self.terms.last().is_some_and(|term| term.degree() == 0)
    }

    /// Returns the variables that occur.
    pub fn variables(&self) -> BTreeSet<u32> {
        let last = self.terms.iter().filter_map(|term| term.variables().last()).max();
        let last = last.map_or(0, |&variable| variable as usize);
        let occurrences = self.terms.iter().map(Monomial::degree).sum::<usize>();
        // Of a dense polynomial, a mark for each variable takes less time than a set of all occurrences.
        if occurrences > last {
            let mut occurs = vec![false; last + 1];
            let all = self.terms.iter().flat_map(|term| term.variables());
            all.for_each(|&variable| occurs[variable as usize] = true);
            return (0..=last as u32).filter(|&variable| occurs[variable as usize]).collect();
        }
        self.terms.iter().flat_map(|term| term.variables().iter().copied()).collect()
    }

    /// Returns the value where each variable has the value that `value` returns.
    pub fn evaluate(&self, value: impl Fn(u32) -> bool) -> bool {
        let is_one = |term: &&Monomial| term.variables().iter().all(|&variable| value(variable));
        self.terms.iter().filter(is_one).count() % 2 == 1
    }

    /// Returns the sum of two polynomials.
    pub fn plus(&self, other: &Polynomial) -> Polynomial {
        self.clone().merged(other.clone())
    }

    /// Returns the sum of two polynomials, of which it takes the terms.
    fn merged(self, other: Polynomial) -> Polynomial {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.into_iter().peekable(), other.terms.into_iter().peekable());
        loop {
            let order = match (a.peek(), b.peek()) {
                (Some(x), Some(y)) => y.cmp(x),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Polynomial { terms },
            };
            let (first, second) = match order {
                Ordering::Less => (a.next(), None),
                Ordering::Greater => (None, b.next()),
                // Equal terms cancel.
                Ordering::Equal => (a.next().and(None), b.next().and(None)),
            };
            terms.extend(first.or(second));
        }
    }

    /// Returns the product of two polynomials.
    pub fn times(&self, other: &Polynomial) -> Polynomial {
        Polynomial::new(self.products(other))
    }

    /// [`times`](Self::times) that calls `check` on the way, and ends with its error.
    pub(crate) fn times_within(
        &self,
        other: &Polynomial,
        check: impl Fn() -> Result<()>,
    ) -> Result<Polynomial> {
        Polynomial::new_within(self.products(other), check)
    }

    /// The products of the terms of two polynomials.
    fn products(&self, other: &Polynomial) -> impl Iterator<Item = Monomial> {
        self.terms.iter().flat_map(|a| other.terms.iter().map(move |b| a.times(b)))
    }

    /// Returns the product with a monomial.
    pub fn times_monomial(&self, factor: &Monomial) -> Polynomial {
        Polynomial::new(self.terms.iter().map(|term| term.times(factor)))
    }

    /// Returns the polynomial in which `value` takes the place of a variable. Calls `check` on the way, and ends with its
    /// error.
    pub(crate) fn substitute(
        &self,
        variable: u32,
        value: &Polynomial,
        check: impl Fn() -> Result<()>,
    ) -> Result<Polynomial> {
        let (with, without): (Vec<_>, Vec<_>) = self.terms.iter().partition(|term| term.has(variable));
        let factor = Polynomial::new_within(with.into_iter().map(|term| term.without(variable)), &check)?;
        let rest = Polynomial { terms: without.into_iter().cloned().collect() };
        Ok(rest.merged(factor.times_within(value, check)?))
    }

    /// Returns the number of terms in which a variable occurs.
    pub fn count_of(&self, variable: u32) -> usize {
        self.terms.iter().filter(|term| term.has(variable)).count()
    }

    /// [`renumbered`](Self::renumbered) that calls `check` on the way, and ends with its error.
    pub(crate) fn renumbered_within(
        &self,
        number: impl Fn(u32) -> u32,
        check: impl Fn() -> Result<()>,
    ) -> Result<Polynomial> {
        let term = |term: &Monomial| Monomial::new(term.variables().iter().map(|&variable| number(variable)));
        Polynomial::new_within(self.terms.iter().map(term), check)
    }
}
