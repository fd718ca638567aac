//! A setup by one party, for tests and measurements.

use ark_ec::CurveGroup;
use ark_ec::scalar_mul::BatchMulPreprocessing;
use ark_ff::{Field, PrimeField, batch_inversion};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::points::random_scalar;
use super::with_constraints::constraints;
use super::{Basis, Circuit, Domain, ProvingKey, Queries, Row, VerifyingKey, Witness};
use wgalois::curve::{PairingCurve, Projective};
use wgalois::{Error, Result};

/// The secrets of a setup. Whoever knows them can prove anything, so a key that one party makes is good for tests and
/// measurements only; keys that others trust come from a ceremony.
pub struct Setup<E: PairingCurve> {
    /// The point at which all polynomials are evaluated.
    pub tau: E::Scalar,
    /// Binds A to its form.
    pub alpha: E::Scalar,
    /// Binds B to its form.
    pub beta: E::Scalar,
    /// Divides the public variables.
    pub gamma: E::Scalar,
    /// Divides the secret variables and the quotient.
    pub delta: E::Scalar,
}

impl<E: PairingCurve> Setup<E> {
    /// Secrets from the operating system.
    pub fn random() -> Result<Self> {
        let [tau, alpha, beta, gamma, delta] = [(); 5].map(|()| random_scalar());
        Ok(Setup { tau: tau?, alpha: alpha?, beta: beta?, gamma: gamma?, delta: delta? })
    }

    /// Secrets that follow from a seed, which everyone who knows it can compute.
    pub fn of_seed(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let [tau, alpha, beta, gamma, delta] = [(); 5].map(|()| {
            let mut bytes = [0; 64];
            rng.fill_bytes(&mut bytes);
            E::Scalar::from_le_bytes_mod_order(&bytes)
        });
        Setup { tau, alpha, beta, gamma, delta }
    }

    /// The key of a circuit, with the domain of snarkjs for [`Basis::OddRoots`], and arkworks' for [`Basis::Powers`].
    pub fn key(&self, circuit: &Circuit<E::Scalar>, basis: Basis) -> Result<ProvingKey<E>> {
        circuit.check()?;
        let Setup { tau, alpha, beta, gamma, delta } = *self;
        let known = circuit.public + 1;
        let log2 = (circuit.constraints.len() + known).next_power_of_two().ilog2();
        let domain = match basis {
            Basis::OddRoots => Domain::of_snarkjs::<E::Scalar>(log2)?,
            Basis::Powers => Domain::new::<E::Scalar>(log2)?,
        };
        let n = domain.len();
        let vanishing = tau.pow([n as u64]) - E::Scalar::ONE;
        let inverse = |value: E::Scalar| {
            value
                .inverse()
                .ok_or_else(|| Error::value("a secret of the setup", "0, or a root of unity".into()))
        };
        let (by_gamma, by_delta) = (inverse(gamma)?, inverse(delta)?);
        inverse(vanishing)?;
        // The Lagrange polynomials of the n-th roots, then of the odd powers, at tau.
        let at_tau = lagrange(tau, n);
        let [a, b, c] = evaluated(circuit, &at_tau, &domain);
        let bound: Vec<_> = (0..circuit.variables).map(|i| beta * a[i] + alpha * b[i] + c[i]).collect();
        let quotient: Vec<_> = match basis {
            Basis::OddRoots => odd_lagrange(tau, n).into_iter().map(|value| value * by_delta).collect(),
            Basis::Powers => {
                let first = Some(vanishing * by_delta);
                std::iter::successors(first, |power| Some(*power * tau)).take(n - 1).collect()
            }
        };
        let first = fixed_base::<Projective<E::G1>>(4 * circuit.variables + n);
        let second = fixed_base::<Projective<E::G2>>(circuit.variables + 3);
        let scaled =
            |values: &[E::Scalar], factor| values.iter().map(|value| *value * factor).collect::<Vec<_>>();
        let [alpha1, beta1, delta1] = first.batch_mul(&[alpha, beta, delta])[..] else { unreachable!() };
        let [beta2, gamma2, delta2] = second.batch_mul(&[beta, gamma, delta])[..] else { unreachable!() };
        let verifying = VerifyingKey {
            alpha: alpha1,
            beta: beta2,
            gamma: gamma2,
            delta: delta2,
            public: first.batch_mul(&scaled(&bound[..known], by_gamma)),
        };
        let queries = Queries {
            a: first.batch_mul(&a),
            b: first.batch_mul(&b),
            b2: second.batch_mul(&b),
            secret: first.batch_mul(&scaled(&bound[known..], by_delta)),
            quotient: first.batch_mul(&quotient),
        };
        Ok(ProvingKey {
            verifying,
            beta: beta1,
            delta: delta1,
            queries,
            constraints: Some(constraints(circuit, &domain)?),
            domain,
            basis,
        })
    }
}

/// The values at tau of the polynomials a, b and c of every variable. The constraint i belongs to the root
/// `domain.position(i)`; rows of their own bind the public variables in a.
fn evaluated<F: PrimeField>(circuit: &Circuit<F>, at_tau: &[F], domain: &Domain) -> [Vec<F>; 3] {
    let mut values = [(); 3].map(|()| vec![F::ZERO; circuit.variables]);
    for (i, rows) in circuit.constraints.iter().enumerate() {
        let lagrange = at_tau[domain.position(i)];
        for (values, row) in values.iter_mut().zip(rows) {
            row.iter().for_each(|(factor, variable)| values[*variable as usize] += lagrange * factor);
        }
    }
    for i in 0..=circuit.public {
        values[0][i] += at_tau[domain.position(circuit.constraints.len() + i)];
    }
    values
}

/// The Lagrange polynomials of the n-th roots of unity w^i at tau: `w^i (tau^n - 1) / (n (tau - w^i))`.
fn lagrange<F: PrimeField>(tau: F, n: usize) -> Vec<F> {
    let root = F::get_root_of_unity(n as u64).unwrap_or(F::ONE);
    of_coset(tau, root, F::ONE, n, (tau.pow([n as u64]) - F::ONE) / F::from(n as u64))
}

/// The Lagrange polynomials of the roots of order 2n at tau, at the odd powers.
fn odd_lagrange<F: PrimeField>(tau: F, n: usize) -> Vec<F> {
    let double = F::get_root_of_unity(2 * n as u64).unwrap_or(F::ONE);
    of_coset(tau, double.square(), double, n, (tau.pow([2 * n as u64]) - F::ONE) / F::from(2 * n as u64))
}

/// `x scale / (tau - x)` for x = first root^i.
fn of_coset<F: PrimeField>(tau: F, root: F, first: F, n: usize, scale: F) -> Vec<F> {
    let points: Vec<F> = std::iter::successors(Some(first), |x| Some(*x * root)).take(n).collect();
    let mut values: Vec<F> = points.iter().map(|x| tau - x).collect();
    batch_inversion(&mut values);
    values.iter_mut().zip(points).for_each(|(value, x)| *value *= x * scale);
    values
}

/// The multiples of a group's generator, of which some `count` are computed.
fn fixed_base<G: CurveGroup>(count: usize) -> BatchMulPreprocessing<G> {
    BatchMulPreprocessing::new(G::generator(), count.max(2))
}

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
