//! The evaluation of all equations at single candidates.

use std::sync::Arc;

use super::table::{CHOOSE, MAX_DEGREE, MAX_VARIABLES, Ranks, sum_at};
use crate::{Equations, Monomial, Polynomial};

/// The maximum number of words of a table.
const MOST_WORDS: usize = 1 << 20;

/// Equations with more terms than this are evaluated at all candidates at once, if the variables are few.
const MANY_TERMS: usize = 1 << 12;
/// The most variables, and the most words, of the values at all candidates.
const MOST_VALUED: usize = 22;
const MOST_VALUES: usize = 1 << 23;

/// Equations in at most 64 variables, 64 of them side by side.
#[derive(Clone, Debug)]
pub struct Evaluator {
    groups: Arc<[Group]>,
    /// The values that the equations of each group must have: 0, but for planted solutions.
    values: Vec<u64>,
}

/// At most 64 equations.
#[derive(Clone, Debug)]
enum Group {
    /// Monomials as masks, with their words.
    Terms(Vec<(u64, u64)>),
    /// The words of all monomials of a degree at most the equations', by number.
    Table { degree: usize, ranks: Ranks, words: Vec<u64> },
    /// The values at all candidates, of equations with many terms of any degree in few variables.
    Values(Vec<u64>),
}

impl Evaluator {
    /// Takes the equations in an order in which those that reject most candidates come first.
    pub fn new(equations: &Equations, order: &[usize]) -> Self {
        let group = |numbers: &[usize]| Group::new(equations, numbers);
        let groups: Arc<[Group]> = order.chunks(64).map(group).collect();
        Evaluator { values: vec![0; groups.len()], groups }
    }

    /// Returns the evaluator of equations with other constants, so that a candidate solves them.
    pub fn planted(&self, candidate: u64) -> Self {
        let values = self.groups.iter().map(|group| group.value(candidate)).collect();
        Evaluator { groups: Arc::clone(&self.groups), values }
    }

    /// True if an evaluation takes so long that a search looks at its limit before each.
    pub fn is_slow(&self) -> bool {
        self.groups.iter().any(|group| matches!(group, Group::Terms(terms) if terms.len() > MANY_TERMS))
    }

    /// True if a candidate solves all equations; variable v is bit v.
    pub fn accepts(&self, candidate: u64) -> bool {
        self.groups.iter().zip(&self.values).all(|(group, value)| group.value(candidate) == *value)
    }
}

impl Group {
    fn new(equations: &Equations, numbers: &[usize]) -> Self {
        let polynomials = || numbers.iter().map(|&number| &equations.polynomials()[number]);
        let terms = polynomials().map(|polynomial| polynomial.terms().len()).sum::<usize>();
        let degree = polynomials().map(Polynomial::degree).max().unwrap_or(0);
        let variables = equations.variables();
        let masks = polynomials().enumerate().flat_map(|(bit, polynomial)| {
            let mask = |term: &Monomial| (mask_of(term.variables()), 1u64 << bit);
            polynomial.terms().iter().map(mask).collect::<Vec<_>>()
        });
        if degree <= MAX_DEGREE && variables <= MAX_VARIABLES {
            let ranks = Ranks::new(variables, degree);
            // Sparse equations have fewer terms than a table has words.
            if ranks.len() <= MOST_WORDS && ranks.len() <= 4 * terms + 64 {
                let mut words = vec![0; ranks.len()];
                masks.for_each(|(mask, bit)| words[ranks.of(mask)] ^= bit);
                return Group::Table { degree, ranks, words };
            }
        }
        let groups = equations.polynomials().len().div_ceil(64);
        if terms > MANY_TERMS && variables <= MOST_VALUED && groups << variables <= MOST_VALUES {
            let mut values = vec![0; 1 << variables];
            masks.for_each(|(mask, bit)| values[mask as usize] ^= bit);
            transform(&mut values);
            return Group::Values(values);
        }
        let mut words = std::collections::BTreeMap::<u64, u64>::new();
        masks.for_each(|(mask, bit)| *words.entry(mask).or_default() ^= bit);
        Group::Terms(words.into_iter().collect())
    }

    fn value(&self, candidate: u64) -> u64 {
        match self {
            Group::Terms(terms) => sum_at(terms, candidate),
            Group::Values(values) => values.get(candidate as usize).copied().unwrap_or(u64::MAX),
            Group::Table { degree, ranks, words } => {
                words[0] ^ sum_of_products(words, ranks, *degree, candidate)
            }
        }
    }
}

/// Changes the coefficients of all monomials to the values at all candidates (the Moebius transform): each becomes the sum
/// of those whose variables are 1.
fn transform(words: &mut [u64]) {
    let mut half = 1;
    while half < words.len() {
        for pair in words.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            high.iter_mut().zip(low).for_each(|(high, low)| *high ^= *low);
        }
        half *= 2;
    }
}

/// The sum of the words of all products of variables that are 1. The number of a monomial is a sum of binomials of its
/// variables.
fn sum_of_products(words: &[u64], ranks: &Ranks, degree: usize, candidate: u64) -> u64 {
    let mut bits = [0u8; 64];
    let mut count = 0;
    let mut left = candidate;
    while left != 0 {
        bits[count] = left.trailing_zeros() as u8;
        count += 1;
        left &= left - 1;
    }
    let bits = &bits[..count];
    let of = |bit: u8, k: usize| CHOOSE[usize::from(bit)][k] as usize;
    let mut sum = 0;
    for (a, &first) in bits.iter().enumerate().filter(|_| degree >= 1) {
        sum ^= words[ranks.offsets[1] + of(first, 1)];
        let below = &bits[..a];
        if degree == 2 {
            let part = ranks.offsets[2] + of(first, 2);
            sum = below.iter().fold(sum, |sum, &second| sum ^ words[part + usize::from(second)]);
            continue;
        }
        for (b, &second) in below.iter().enumerate().filter(|_| degree >= 2) {
            sum ^= words[ranks.offsets[2] + of(first, 2) + of(second, 1)];
            for (c, &third) in bits[..b].iter().enumerate().filter(|_| degree >= 3) {
                sum ^= words[ranks.offsets[3] + of(first, 3) + of(second, 2) + of(third, 1)];
                if degree >= 4 {
                    let part = ranks.offsets[4] + of(first, 4) + of(second, 3) + of(third, 2);
                    sum = bits[..c].iter().fold(sum, |sum, &fourth| sum ^ words[part + usize::from(fourth)]);
                }
            }
        }
    }
    sum
}

/// Returns a monomial as a mask.
pub fn mask_of(variables: &[u32]) -> u64 {
    variables.iter().fold(0, |mask, &variable| mask | 1 << variable)
}
