//! A circuit of a chain of products.

use ark_ff::PrimeField;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::groth16::{Circuit, Row, Witness};

/// A circuit with this number of constraints and a witness, for tests and measurements: `x_(i+1) = (x_i + k x_(i-1)) (x_i + m)`,
/// from a public x_0 and a secret x_1 to a public last value.
pub fn chain<F: PrimeField>(constraints: usize, seed: u64) -> (Circuit<F>, Witness<F>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut random = || F::from(rng.next_u64());
    let (k, m) = (random(), random());
    let mut values = vec![random(), random()];
    for i in 0..constraints {
        values.push((values[i + 1] + k * values[i]) * (values[i + 1] + m));
    }
    // The variables: 1, the last value, x_0, and the others.
    let last = values.len() - 1;
    let place = |i: usize| match i {
        0 => 2,
        _ if i == last => 1,
        _ => i as u32 + 2,
    };
    let rows = |i: usize| {
        let a: Row<F> = vec![(F::ONE, place(i + 1)), (k, place(i))];
        let b: Row<F> = vec![(F::ONE, place(i + 1)), (m, 0)];
        [a, b, vec![(F::ONE, place(i + 2))]]
    };
    let circuit =
        Circuit { variables: values.len() + 1, public: 2, constraints: (0..constraints).map(rows).collect() };
    let mut witness = vec![F::ONE; circuit.variables];
    for (i, value) in values.into_iter().enumerate() {
        witness[place(i) as usize] = value;
    }
    (circuit, witness.into())
}
