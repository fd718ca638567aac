//! The order of the steps, by which the inputs determine all variables.

use super::{MOST_INPUTS, Program, Step};
use crate::{Equations, Polynomial};

/// The order while it is built.
pub(super) struct Building<'e> {
    equations: &'e Equations,
    /// By variable: the equations in which it occurs.
    occurs: Vec<Vec<u32>>,
    is_known: Vec<bool>,
    /// By equation: the number of its unknown variables.
    unknown: Vec<usize>,
    is_used: Vec<bool>,
    steps: Vec<Step>,
}

impl<'e> Building<'e> {
    pub(super) fn new(equations: &'e Equations) -> Self {
        let mut occurs = vec![Vec::new(); equations.variables()];
        let mut unknown = Vec::new();
        for (number, polynomial) in equations.polynomials().iter().enumerate() {
            let variables = polynomial.variables();
            unknown.push(variables.len());
            variables.iter().for_each(|&variable| occurs[variable as usize].push(number as u32));
        }
        Building {
            equations,
            occurs,
            is_known: vec![false; equations.variables()],
            unknown,
            is_used: vec![false; equations.polynomials().len()],
            steps: Vec::new(),
        }
    }

    pub(super) fn finish(mut self, prefers_short: bool) -> Option<Program> {
        let mut inputs = Vec::new();
        let mut levels = Vec::new();
        let all: Vec<u32> = (0..self.unknown.len() as u32).collect();
        self.use_all(all);
        levels.push(0..self.steps.len());
        while let Some(input) = self.next_input(prefers_short) {
            if inputs.len() == MOST_INPUTS {
                return None;
            }
            let begin = self.steps.len();
            inputs.push(input);
            self.learn(input);
            levels.push(begin..self.steps.len());
        }
        Some(Program { inputs, steps: self.steps, levels, variables: self.equations.variables() })
    }

    /// Makes a variable known, with all that follows.
    fn learn(&mut self, variable: u32) {
        self.is_known[variable as usize] = true;
        let equations = self.occurs[variable as usize].clone();
        equations.iter().for_each(|&number| self.unknown[number as usize] -= 1);
        self.use_all(equations);
    }

    /// Makes steps of equations that have become one, and of those that follow.
    fn use_all(&mut self, mut queue: Vec<u32>) {
        while let Some(number) = queue.pop() {
            let (at, equations) = (number as usize, self.equations);
            if self.is_used[at] || self.unknown[at] > 1 {
                continue;
            }
            let polynomial = &equations.polynomials()[at];
            let defined = match self.unknown[at] {
                0 => None,
                _ => match self.definable(polynomial) {
                    Some(variable) => Some(variable),
                    // The last variable has a factor: the equation is a check once it is known.
                    None => continue,
                },
            };
            self.is_used[at] = true;
            let others = polynomial.terms().iter().filter(|term| defined.is_none_or(|v| !term.has(v)));
            let terms = others.map(|term| term.variables().into()).collect();
            self.steps.push(Step { terms, defines: defined });
            if let Some(variable) = defined {
                self.is_known[variable as usize] = true;
                for &other in &self.occurs[variable as usize] {
                    self.unknown[other as usize] -= 1;
                    queue.push(other);
                }
            }
        }
    }

    /// The only unknown variable of a polynomial, if it is a term and occurs in no other.
    fn definable(&self, polynomial: &Polynomial) -> Option<u32> {
        let variable = polynomial.variables().into_iter().find(|&v| !self.is_known[v as usize])?;
        let mut terms = polynomial.terms().iter().filter(|term| term.has(variable));
        let is_alone = terms.next().is_some_and(|term| term.degree() == 1) && terms.next().is_none();
        is_alone.then_some(variable)
    }

    /// Returns the unknown variable in the most equations that are no steps yet; if `prefers_short`, of those with the
    /// fewest unknown variables.
    fn next_input(&self, prefers_short: bool) -> Option<u32> {
        let score = |&variable: &u32| {
            let open =
                self.occurs[variable as usize].iter().filter(|&&number| !self.is_used[number as usize]);
            let shortest =
                open.clone().map(|&number| self.unknown[number as usize]).min().unwrap_or(usize::MAX);
            let shortest = if prefers_short { usize::MAX - shortest } else { 0 };
            // Of equal ones the first.
            (shortest, open.count(), std::cmp::Reverse(variable))
        };
        (0..self.is_known.len() as u32)
            .filter(|&variable| !self.is_known[variable as usize])
            .max_by_key(score)
    }
}
