//! The evaluation of all equations at single candidates.

use super::table::{CHOOSE, MAX_DEGREE, MAX_VARIABLES, Ranks};
use crate::boolean::{Equations, Monomial, Polynomial};

/// The maximum number of words of a table.
const MOST_WORDS: usize = 1 << 20;

/// Equations in at most 64 variables, 64 of them side by side.
#[derive(Clone, Debug)]
pub struct Evaluator {
    groups: Vec<Group>,
}

/// At most 64 equations.
#[derive(Clone, Debug)]
enum Group {
    /// Monomials as masks, with their words.
    Terms(Vec<(u64, u64)>),
    /// The words of all monomials of a degree at most the equations', by number.
    Table { degree: usize, ranks: Ranks, words: Vec<u64> },
}

impl Evaluator {
    /// Takes the equations in an order in which those that reject most candidates come first.
    pub fn new(equations: &Equations, order: &[usize]) -> Self {
        let group = |numbers: &[usize]| Group::new(equations, numbers);
        Evaluator { groups: order.chunks(64).map(group).collect() }
    }

    /// True if a candidate solves all equations; variable v is bit v.
    pub fn accepts(&self, candidate: u64) -> bool {
        self.groups.iter().all(|group| group.accepts(candidate))
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
        let mut words = std::collections::BTreeMap::<u64, u64>::new();
        masks.for_each(|(mask, bit)| *words.entry(mask).or_default() ^= bit);
        Group::Terms(words.into_iter().collect())
    }

    fn accepts(&self, candidate: u64) -> bool {
        match self {
            Group::Terms(terms) => {
                let value = |&(mask, word): &(u64, u64)| if mask & !candidate == 0 { word } else { 0 };
                terms.iter().fold(0, |sum, term| sum ^ value(term)) == 0
            }
            Group::Table { degree, ranks, words } => {
                words[0] ^ sum_of_products(words, ranks, *degree, candidate) == 0
            }
        }
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
