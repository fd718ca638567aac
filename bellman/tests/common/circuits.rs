//! Circuits as data, with their witnesses.

use crate::peer::{Circuit, ConstraintSystem, LinearCombination, Scalar, SynthesisError, Variable};

/// A variable: an input, of which 0 is the constant 1, or an auxiliary one.
#[derive(Clone, Copy, Debug)]
pub enum At {
    In(usize),
    Aux(usize),
}

use At::{Aux, In};

pub type Row = Vec<(i64, At)>;

/// Constraints on inputs and auxiliary variables with these values.
#[derive(Clone, Debug)]
pub struct System {
    pub name: &'static str,
    /// Without the constant.
    pub inputs: Vec<Scalar>,
    pub aux: Vec<Scalar>,
    pub constraints: Vec<[Row; 3]>,
    pub has_witness: bool,
}

impl System {
    fn new(name: &'static str, inputs: &[u64], aux: &[u64], constraints: Vec<[Row; 3]>) -> Self {
        let scalars = |values: &[u64]| values.iter().map(|value| Scalar::from(*value)).collect();
        System { name, inputs: scalars(inputs), aux: scalars(aux), constraints, has_witness: true }
    }

    /// The circuit as the setup takes it.
    pub fn without_witness(&self) -> Self {
        System { has_witness: false, ..self.clone() }
    }

    /// The chain: a public product of `count` numbers, one after the other, by as many constraints; each number is the one before
    /// plus 1.
    pub fn chain(name: &'static str, first: u64, count: usize) -> Self {
        let mut aux = vec![Scalar::from(first)];
        let mut constraints = Vec::new();
        let mut at = 0;
        for step in 1..count {
            // The product so far, times the next number, which is no variable of its own.
            let next = aux[at] * Scalar::from(first + step as u64);
            aux.push(next);
            let number = vec![(1, Aux(0)), (step as i64, In(0))];
            constraints.push([vec![(1, Aux(at))], number, vec![(1, Aux(aux.len() - 1))]]);
            at = aux.len() - 1;
        }
        constraints.push([vec![(1, Aux(at))], vec![(1, In(0))], vec![(1, In(1))]]);
        System { name, inputs: vec![aux[at]], aux, constraints, has_witness: true }
    }
}

impl Circuit<Scalar> for System {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let value =
            |value: Scalar| if self.has_witness { Ok(value) } else { Err(SynthesisError::AssignmentMissing) };
        let mut inputs = vec![CS::one()];
        for (i, input) in self.inputs.iter().enumerate() {
            inputs.push(cs.alloc_input(|| format!("input {i}"), || value(*input))?);
        }
        let mut aux = Vec::new();
        for (i, secret) in self.aux.iter().enumerate() {
            aux.push(cs.alloc(|| format!("aux {i}"), || value(*secret))?);
        }
        let sum = |row: &Row, sum: LinearCombination<Scalar>| {
            row.iter().fold(sum, |sum, (coefficient, at)| {
                let variable: Variable = match *at {
                    In(i) => inputs[i],
                    Aux(i) => aux[i],
                };
                let magnitude = Scalar::from(coefficient.unsigned_abs());
                sum + (if *coefficient < 0 { -magnitude } else { magnitude }, variable)
            })
        };
        for (i, [a, b, c]) in self.constraints.iter().enumerate() {
            let mut cs = cs.namespace(|| format!("part {i}"));
            cs.enforce(|| format!("constraint {i}"), |lc| sum(a, lc), |lc| sum(b, lc), |lc| sum(c, lc));
        }
        Ok(())
    }
}

/// Circuits of which each has something that others lack.
pub fn circuits() -> Vec<System> {
    let one = || vec![(1, In(0))];
    let square = |x: At, y: At| [vec![(1, x)], vec![(1, x)], vec![(1, y)]];
    vec![
        System::new("a root of a public square", &[25], &[5], vec![square(Aux(0), In(1))]),
        System::new("no public inputs", &[], &[5, 25], vec![square(Aux(0), Aux(1))]),
        System::new("no auxiliary variables", &[5, 25], &[], vec![square(In(1), In(2))]),
        System::new("no constraints", &[7, 8], &[], vec![]),
        System::new(
            "variables in A alone, in B alone, in C alone",
            &[6],
            &[2, 3, 6, 10],
            vec![
                [vec![(1, Aux(0))], vec![(1, Aux(1))], vec![(1, Aux(2))]],
                [one(), one(), vec![(1, Aux(2)), (1, Aux(3)), (-15, In(0))]],
            ],
        ),
        System::new(
            "inputs in B, the constant among them, and one in none",
            &[4, 9, 11],
            &[3, 12],
            vec![
                [vec![(1, Aux(0))], vec![(1, In(1))], vec![(1, Aux(1))]],
                [vec![(1, Aux(0))], vec![(3, In(0))], vec![(1, In(2))]],
            ],
        ),
        System::new(
            "coefficients 0 and -1, and a variable that occurs twice",
            &[20],
            &[5, 8],
            vec![
                [
                    vec![(0, Aux(1)), (-1, Aux(0))],
                    vec![(-2, Aux(0)), (6, In(0)), (0, In(1))],
                    vec![(1, In(1))],
                ],
                [
                    vec![(1, Aux(0)), (1, Aux(0)), (-2, In(0))],
                    vec![(1, In(0)), (0, Aux(0))],
                    vec![(1, Aux(1))],
                ],
            ],
        ),
        System::new(
            "combinations without terms",
            &[6],
            &[0, 3],
            vec![
                [vec![], vec![], vec![]],
                [vec![(1, Aux(1))], vec![], vec![(5, Aux(0))]],
                [vec![(1, Aux(1))], vec![(2, In(0))], vec![(1, In(1))]],
            ],
        ),
        // With the inputs, 16 constraints fill a domain, and 17 do not.
        System::chain("14 constraints", 3, 14),
        System::chain("15 constraints", 3, 15),
        System::chain("100 constraints", 7, 100),
    ]
}
