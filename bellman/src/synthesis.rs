//! A constraint system that evaluates a circuit as it is synthesised.
//!
//! The constraint systems of bellman and bellperson have the same methods in traits of their own; each of the two modules
//! implements its trait for [`Synthesis`].

use std::ops::{AddAssign, MulAssign};

use ark_bls12_381::Fr;
use wgalois::parallel::*;
use wgalois_proofs::groth16::{EvaluatedWitness, Witness};

use crate::{Counts, Error, Result};

/// A scalar as a peer has it.
pub(crate) trait Value: Copy + PartialEq + Send + Sync + AddAssign + MulAssign {
    const ZERO: Self;
    const ONE: Self;

    /// The same number as the library has it.
    fn to_library(&self) -> Fr;
}

/// A variable.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Input(usize),
    Aux(usize),
}

/// The values of variables, those of A w and B w, and which variables are in A and B.
///
/// C w is not kept: every constraint is compared as it comes, and A w B w is C w where all hold.
pub(crate) struct Synthesis<S> {
    inputs: Vec<S>,
    aux: Vec<S>,
    /// True for the auxiliary variables with a coefficient in A. Constraints of their own bind all inputs there.
    aux_in_a: Vec<bool>,
    inputs_in_b: Vec<bool>,
    aux_in_b: Vec<bool>,
    a: Vec<S>,
    b: Vec<S>,
    /// The first fault of a constraint.
    fault: Option<Fault>,
}

struct Fault {
    constraint: usize,
    /// The constraint's name, if it is violated; `None` if it names a variable that does not exist.
    violated: Option<String>,
}

/// A circuit with its witness, as the prover takes it.
pub(crate) struct Synthesised {
    pub(crate) witness: EvaluatedWitness<Fr>,
    /// The public inputs, the constant 1 included.
    pub(crate) public: Vec<Fr>,
    pub(crate) counts: Counts,
}

impl<S: Value> Synthesis<S> {
    /// A system without variables.
    pub(crate) fn empty() -> Self {
        Synthesis {
            inputs: Vec::new(),
            aux: Vec::new(),
            aux_in_a: Vec::new(),
            inputs_in_b: Vec::new(),
            aux_in_b: Vec::new(),
            a: Vec::new(),
            b: Vec::new(),
            fault: None,
        }
    }

    /// A system with the constant 1.
    pub(crate) fn with_one() -> Self {
        let mut system = Self::empty();
        system.add_input(S::ONE);
        system
    }

    /// Adds an input and returns its index.
    pub(crate) fn add_input(&mut self, value: S) -> usize {
        self.inputs.push(value);
        self.inputs_in_b.push(false);
        self.inputs.len() - 1
    }

    /// Adds an auxiliary variable and returns its index.
    pub(crate) fn add_aux(&mut self, value: S) -> usize {
        self.aux.push(value);
        self.aux_in_a.push(false);
        self.aux_in_b.push(false);
        self.aux.len() - 1
    }

    /// Adds the constraint that A times B is C.
    pub(crate) fn add_constraint(
        &mut self,
        a: impl Iterator<Item = (Place, S)>,
        b: impl Iterator<Item = (Place, S)>,
        c: impl Iterator<Item = (Place, S)>,
        name: impl FnOnce() -> String,
    ) {
        let values = (&self.inputs[..], &self.aux[..]);
        let a = evaluate(a, values, |place| {
            if let Place::Aux(i) = place {
                self.aux_in_a[i] = true;
            }
        });
        let b = evaluate(b, values, |place| match place {
            Place::Input(i) => self.inputs_in_b[i] = true,
            Place::Aux(i) => self.aux_in_b[i] = true,
        });
        let c = evaluate(c, values, |_| ());
        let constraint = self.a.len();
        self.a.push(a.unwrap_or(S::ZERO));
        self.b.push(b.unwrap_or(S::ZERO));
        let violated = match (a, b, c) {
            (Some(mut a), Some(b), Some(c)) => {
                a *= b;
                if a == c {
                    return;
                }
                Some(name())
            }
            _ => None,
        };
        self.fault.get_or_insert(Fault { constraint, violated });
    }

    /// Appends another system, which begins with its own constant 1: that is this system's.
    #[cfg(feature = "bellperson")]
    pub(crate) fn append(&mut self, other: &Self) {
        let from = |constraint| constraint + self.a.len();
        if let (None, Some(Fault { constraint, violated })) = (&self.fault, &other.fault) {
            self.fault = Some(Fault { constraint: from(*constraint), violated: violated.clone() });
        }
        if let ([one, ..], [true, ..]) = (&mut self.inputs_in_b[..], &other.inputs_in_b[..]) {
            *one = true;
        }
        let skipped = usize::from(!self.inputs.is_empty()).min(other.inputs.len());
        self.inputs.extend(&other.inputs[skipped..]);
        self.inputs_in_b.extend(&other.inputs_in_b[skipped..]);
        self.aux.extend(&other.aux);
        self.aux_in_a.extend(&other.aux_in_a);
        self.aux_in_b.extend(&other.aux_in_b);
        self.a.extend(&other.a);
        self.b.extend(&other.b);
    }

    /// The circuit as the prover takes it, with the constraints that bind the inputs. A circuit that is not satisfied is refused.
    pub(crate) fn finish(mut self) -> Result<Synthesised> {
        match self.fault {
            Some(Fault { constraint, violated: Some(name) }) => {
                return Err(Error::Unsatisfied { constraint, name });
            }
            Some(Fault { constraint, violated: None }) => return Err(Error::NoSuchVariable { constraint }),
            None => (),
        }
        self.a.extend(&self.inputs);
        self.b.resize(self.a.len(), S::ZERO);
        let products: [Witness<Fr>; 2] = [converted(self.a).into(), converted(self.b).into()];
        let (public, secret) = (converted(self.inputs), converted(self.aux));
        let chosen = |values: &[Fr], are_in: &[bool]| {
            let pairs = values.iter().zip(are_in);
            pairs.filter(|(_, is_in)| **is_in).map(|(value, _)| *value).collect::<Vec<_>>()
        };
        let a = [&public[..], &chosen(&secret, &self.aux_in_a)].concat();
        let b = [chosen(&public, &self.inputs_in_b), chosen(&secret, &self.aux_in_b)].concat();
        let [a_w, _] = &products;
        let counts = Counts {
            inputs: public.len(),
            aux: secret.len(),
            a: a.len(),
            b: b.len(),
            h: a_w.len().next_power_of_two() - 1,
        };
        let witness = EvaluatedWitness { a: a.into(), b: b.into(), secret: secret.into(), products };
        Ok(Synthesised { witness, public, counts })
    }
}

/// The value of a linear combination, whose variables with a coefficient are marked; `None` if one of them does not exist.
fn evaluate<S: Value>(
    terms: impl Iterator<Item = (Place, S)>,
    (inputs, aux): (&[S], &[S]),
    mut mark: impl FnMut(Place),
) -> Option<S> {
    let mut sum = S::ZERO;
    for (place, coefficient) in terms {
        // As in the keys: a variable with the coefficient 0 has no part.
        if coefficient == S::ZERO {
            continue;
        }
        let mut value = *match place {
            Place::Input(i) => inputs.get(i),
            Place::Aux(i) => aux.get(i),
        }?;
        mark(place);
        if coefficient != S::ONE {
            value *= coefficient;
        }
        sum += value;
    }
    Some(sum)
}

fn converted<S: Value>(values: Vec<S>) -> Vec<Fr> {
    values.par_iter().map(S::to_library).collect()
}
