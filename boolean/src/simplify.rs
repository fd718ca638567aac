//! Simplification: linear equations are substituted until nothing changes.
//!
//! ```text
//! repeat:
//!     while some equation is linear:      x = a + b + 1 takes the place of x in all others
//!     while a product equals 1:           all its variables are 1
//!     linear combinations of equations that are linear are new equations
//! until there are none
//! ```

use std::collections::{BTreeSet, HashMap, HashSet};

use super::checks::Checks;
use super::{Equations, Monomial, Polynomial};
use wgalois::gf2::BitMatrix;
use wgalois::gpu::block_on;
use wgalois::timeline::Timeline;
use wgalois::{Device, Result};

/// The maximum number of terms that a substitution of a sum of more than two terms may add to all equations.
const MOST_ADDED: usize = 1 << 21;
/// The maximum number of bits of the matrix whose elimination finds linear combinations.
const MOST_BITS: u64 = 1 << 31;

/// Equations without linear ones, and the way back to the solutions of the original system.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The equations that are left, in the variables that occur in them.
    core: Equations,
    /// The original number of each variable of the core.
    core_variables: Vec<u32>,
    /// Variables with the sums that they equal, in the order of elimination: a sum has only variables that were not
    /// eliminated before.
    definitions: Vec<(u32, Polynomial)>,
    /// Original variables that neither occur any more nor are defined.
    free: Vec<u32>,
    /// The number of variables of the original system.
    variables: usize,
    is_contradiction: bool,
}

impl Simplified {
    /// Simplifies a system. Eliminations run on `device`.
    ///
    /// ```
    /// use wgalois_boolean::{Equations, Monomial, Polynomial, Simplified};
    /// use wgalois::{Cpu, Device};
    ///
    /// let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    /// let sum = Polynomial::variable(0).plus(&Polynomial::variable(1)); // a + b
    /// let product = Polynomial::new([Monomial::new([0, 1]), Monomial::new([2])]); // a*b + c
    /// let equations = Equations::new(names, vec![sum, product])?;
    /// let simplified = Simplified::new(&Device::Cpu(Cpu::default()), &equations)?;
    /// // a = b = c, which is free.
    /// assert_eq!(simplified.core().variables(), 0);
    /// assert_eq!(simplified.free().len(), 1);
    /// assert_eq!(simplified.lift(&[], |_| true), [true; 3]);
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn new(device: &Device, equations: &Equations) -> Result<Self> {
        block_on(Self::new_async(device, equations))
    }

    /// The asynchronous form of [`new`](Self::new), for browsers.
    pub async fn new_async(device: &Device, equations: &Equations) -> Result<Self> {
        Self::by(device, equations, &Checks::default()).await
    }

    /// [`new`](Self::new) that checks each of its eliminations.
    pub fn checked(device: &Device, equations: &Equations) -> Result<Self> {
        block_on(Self::by(device, equations, &Checks::wanted()))
    }

    /// [`new_async`](Self::new_async) with checks of its eliminations, if they are wanted.
    pub(super) async fn by(device: &Device, equations: &Equations, checks: &Checks) -> Result<Self> {
        let mut simplification = Simplification::new(equations);
        loop {
            simplification.substitute_all(device.timeline())?;
            if simplification.is_contradiction || !simplification.combine(device, checks).await? {
                return simplification.finish(equations, device.timeline());
            }
        }
    }

    /// Returns the equations that are left.
    pub fn core(&self) -> &Equations {
        &self.core
    }

    /// True if the equations contradict each other: 1 = 0 was derived.
    pub fn is_contradiction(&self) -> bool {
        self.is_contradiction
    }

    /// Returns the variables that may have any value: neither the core nor a sum determines them.
    pub fn free(&self) -> &[u32] {
        &self.free
    }

    /// Returns the number of variables that equal a constant or a sum of others.
    pub fn defined(&self) -> usize {
        self.definitions.len()
    }

    /// Returns the solution of the original system with these values of the core's variables, and of the free variables
    /// by their place in [`free`](Self::free).
    pub fn lift(&self, core: &[bool], free: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut values = vec![false; self.variables];
        for (&variable, &value) in self.core_variables.iter().zip(core) {
            values[variable as usize] = value;
        }
        for (place, &variable) in self.free.iter().enumerate() {
            values[variable as usize] = free(place);
        }
        for (variable, sum) in self.definitions.iter().rev() {
            values[*variable as usize] = sum.evaluate(|v| values[v as usize]);
        }
        values
    }
}

/// The system while it is simplified.
struct Simplification {
    polynomials: Vec<Polynomial>,
    /// By variable: the polynomials in which it may occur.
    places: Vec<BTreeSet<u32>>,
    /// Polynomials that may be linear or a product that equals 1.
    queue: Vec<u32>,
    definitions: Vec<(u32, Polynomial)>,
    /// The linear combinations found so far.
    found: HashSet<Polynomial>,
    is_contradiction: bool,
}

impl Simplification {
    fn new(equations: &Equations) -> Self {
        let mut simplification = Simplification {
            polynomials: Vec::new(),
            places: vec![BTreeSet::new(); equations.variables()],
            queue: Vec::new(),
            definitions: Vec::new(),
            found: HashSet::new(),
            is_contradiction: false,
        };
        for polynomial in equations.polynomials() {
            simplification.push(polynomial.clone());
        }
        // The last is taken first.
        simplification.queue.reverse();
        simplification
    }

    fn push(&mut self, polynomial: Polynomial) {
        let number = self.polynomials.len() as u32;
        self.polynomials.push(Polynomial::zero());
        self.replace(number, polynomial);
    }

    fn replace(&mut self, number: u32, polynomial: Polynomial) {
        for variable in polynomial.variables() {
            self.places[variable as usize].insert(number);
        }
        self.polynomials[number as usize] = polynomial;
        self.queue.push(number);
    }

    fn substitute_all(&mut self, timeline: &Timeline) -> Result<()> {
        while let Some(number) = self.queue.pop() {
            timeline.check()?;
            let polynomial = &self.polynomials[number as usize];
            if polynomial.is_one() {
                self.is_contradiction = true;
            }
            if self.is_contradiction {
                break;
            }
            match (polynomial.degree(), polynomial.terms()) {
                (0, _) => (),
                (1, _) => self.substitute_linear(number, timeline)?,
                // A product is 1 only if all factors are.
                (_, [product, one]) if one.degree() == 0 => {
                    let product = product.clone();
                    self.polynomials[number as usize] = Polynomial::zero();
                    for &variable in product.variables() {
                        self.push(Polynomial::variable(variable).plus(&Polynomial::one()));
                    }
                }
                _ => (),
            }
        }
        Ok(())
    }

    /// Substitutes a linear polynomial: of its variables the one in the fewest terms, unless that adds too many terms.
    fn substitute_linear(&mut self, number: u32, timeline: &Timeline) -> Result<()> {
        let polynomial = self.polynomials[number as usize].clone();
        let count = |variable: u32| {
            let numbers = self.places[variable as usize].iter().filter(|&&other| other != number);
            numbers.map(|&other| self.polynomials[other as usize].count_of(variable)).sum::<usize>()
        };
        let counts = polynomial.variables().into_iter().map(|variable| (count(variable), variable));
        let Some((terms, variable)) = counts.min() else { return Ok(()) };
        let length = polynomial.terms().len() - 1;
        if length > 2 && terms.saturating_mul(length) > MOST_ADDED {
            return Ok(());
        }
        let value = polynomial.plus(&Polynomial::variable(variable));
        self.polynomials[number as usize] = Polynomial::zero();
        for other in std::mem::take(&mut self.places[variable as usize]) {
            timeline.check()?;
            let changed = &self.polynomials[other as usize];
            if changed.count_of(variable) > 0 {
                let changed = changed.substitute(variable, &value, || timeline.check())?;
                self.replace(other, changed);
            }
        }
        self.definitions.push((variable, value));
        Ok(())
    }

    /// Adds the linear combinations of the equations that are linear. Returns true if there are new ones.
    async fn combine(&mut self, device: &Device, checks: &Checks) -> Result<bool> {
        let rows = combinable(&self.polynomials, device.timeline())?;
        let mut monomials: Vec<&Monomial> = rows.iter().flat_map(|p| p.terms()).collect();
        monomials.sort_unstable_by(|a, b| b.cmp(a));
        monomials.dedup();
        let nonlinear = monomials.partition_point(|term| term.degree() >= 2);
        // Rows that are independent in the nonlinear columns have no linear combination, and cannot be more than these.
        if rows.is_empty() || rows.len() as u64 * monomials.len() as u64 > MOST_BITS {
            return Ok(false);
        }
        let mut matrix = BitMatrix::zeros(rows.len(), monomials.len())?;
        for (row, polynomial) in rows.iter().enumerate() {
            device.timeline().check()?;
            for term in polynomial.terms() {
                let column = monomials.partition_point(|&other| other > term);
                matrix.set(row, column, true);
            }
        }
        let polynomial =
            |row: Vec<usize>| Polynomial::new(row.into_iter().map(|column| monomials[column].clone()));
        let rows = checks.rows_from(device, &matrix, nonlinear).await?;
        let found: Vec<Polynomial> = rows.into_iter().map(polynomial).collect();
        // One whose substitution would add too many terms is found again.
        let new: Vec<Polynomial> = found.into_iter().filter(|p| self.found.insert(p.clone())).collect();
        let is_new = !new.is_empty();
        new.into_iter().for_each(|polynomial| self.push(polynomial));
        Ok(is_new)
    }

    fn finish(self, equations: &Equations, timeline: &Timeline) -> Result<Simplified> {
        let variables = equations.variables();
        let mut polynomials: Vec<&Polynomial> = Vec::new();
        let mut seen = HashSet::new();
        for polynomial in &self.polynomials {
            timeline.check()?;
            if !polynomial.is_zero() && seen.insert(polynomial) {
                polynomials.push(polynomial);
            }
        }
        let one = Polynomial::one();
        if self.is_contradiction {
            polynomials = vec![&one];
        }
        let occurring: BTreeSet<u32> =
            polynomials.iter().flat_map(|polynomial| polynomial.variables()).collect();
        let mut is_free = vec![true; variables];
        self.definitions.iter().for_each(|(variable, _)| is_free[*variable as usize] = false);
        occurring.iter().for_each(|&variable| is_free[variable as usize] = false);
        let core_variables: Vec<u32> = occurring.into_iter().collect();
        let place = |variable: u32| core_variables.partition_point(|&other| other < variable) as u32;
        let names = core_variables.iter().map(|&v| equations.names()[v as usize].clone()).collect();
        let renumbered = |polynomial: &Polynomial| polynomial.renumbered_within(place, || timeline.check());
        let polynomials = polynomials.into_iter().map(renumbered).collect::<Result<_>>()?;
        Ok(Simplified {
            core: Equations::new(names, polynomials)?,
            core_variables,
            definitions: self.definitions,
            free: (0..variables as u32).filter(|&variable| is_free[variable as usize]).collect(),
            variables,
            is_contradiction: self.is_contradiction,
        })
    }
}

/// Returns the nonlinear polynomials that may be part of a linear combination that is linear: one with a nonlinear term
/// that no other has is part of none. Without it, a term of another may be the only one of its kind, and so on.
/// Ends with an error at the limit of the timeline.
fn combinable<'p>(polynomials: &'p [Polynomial], timeline: &Timeline) -> Result<Vec<&'p Polynomial>> {
    let mut rows: Vec<Option<&Polynomial>> =
        polynomials.iter().map(|p| (p.degree() >= 2).then_some(p)).collect();
    // One alone has a nonlinear term of its own.
    if rows.iter().flatten().nth(1).is_none() {
        return Ok(Vec::new());
    }
    let nonlinear = |p: &'_ Polynomial| p.terms().iter().take_while(|term| term.degree() >= 2).count();
    // By term: how many rows have it, and the sum of their numbers, which is the number of the last one left.
    let mut holders: HashMap<&Monomial, (usize, usize)> = HashMap::new();
    for (number, polynomial) in rows.iter().enumerate().filter_map(|(number, row)| Some((number, (*row)?))) {
        timeline.check()?;
        for term in &polynomial.terms()[..nonlinear(polynomial)] {
            let (count, sum) = holders.entry(term).or_default();
            (*count, *sum) = (*count + 1, *sum + number);
        }
    }
    let mut alone: Vec<usize> =
        holders.values().filter(|(count, _)| *count == 1).map(|(_, number)| *number).collect();
    while let Some(number) = alone.pop() {
        let Some(polynomial) = rows[number].take() else { continue };
        for term in &polynomial.terms()[..nonlinear(polynomial)] {
            if let Some((count, sum)) = holders.get_mut(term) {
                (*count, *sum) = (*count - 1, *sum - number);
                if *count == 1 {
                    alone.push(*sum);
                }
            }
        }
    }
    Ok(rows.into_iter().flatten().collect())
}
