//! Keys and proofs of the crate ark-groth16.

use super::{Basis, Domain, Proof, ProvingKey, Queries, SparseMatrix, VerifyingKey};
use wgalois::curve::PairingCurve;
use wgalois::{Error, Result};

impl<E: PairingCurve> ProvingKey<E> {
    /// The key of ark-groth16 for a circuit with these rows A and B, as `ConstraintSystem::to_matrices` returns them:
    /// for each constraint, coefficients and variables, first the constant and the public ones. Its proofs are those of
    /// `LibsnarkReduction`.
    pub fn from_arkworks(
        key: &ark_groth16::ProvingKey<E::Pairing>,
        a: &[Vec<(E::Scalar, usize)>],
        b: &[Vec<(E::Scalar, usize)>],
    ) -> Result<Self> {
        let verifying = VerifyingKey::from_arkworks(&key.vk);
        let known = verifying.public.len();
        Error::expect_length("rows B", a.len(), b.len())?;
        let variables = key.a_query.len();
        Error::expect_at_most("variables of a key", u32::MAX.into(), variables as u64)?;
        let mut entries = a.iter().chain(b).flatten();
        entries.try_for_each(|(_, variable)| Error::expect_index("variable", variables, *variable))?;
        let domain = Domain::new::<E::Scalar>((a.len() + known).next_power_of_two().ilog2())?;
        let rows = |rows: &'_ [Vec<(E::Scalar, usize)>]| {
            let row = |(i, row): (usize, &Vec<(E::Scalar, usize)>)| {
                row.iter().map(|(factor, variable)| (i, *variable as u32, *factor)).collect::<Vec<_>>()
            };
            rows.iter().enumerate().flat_map(row).collect::<Vec<_>>()
        };
        let binding = (0..known).map(|i| (a.len() + i, i as u32, E::Scalar::from(1u64)));
        let key = ProvingKey {
            verifying,
            beta: key.beta_g1,
            delta: key.delta_g1,
            queries: Queries {
                a: key.a_query.clone(),
                b: key.b_g1_query.clone(),
                b2: key.b_g2_query.clone(),
                secret: key.l_query.clone(),
                quotient: key.h_query.clone(),
            },
            constraints: Some([
                SparseMatrix::new(domain.len(), rows(a).into_iter().chain(binding))?,
                SparseMatrix::new(domain.len(), rows(b).into_iter())?,
            ]),
            domain,
            basis: Basis::Powers,
        };
        key.check_sizes()?;
        Ok(key)
    }
}

impl<E: PairingCurve> VerifyingKey<E> {
    /// The key of ark-groth16.
    pub fn from_arkworks(key: &ark_groth16::VerifyingKey<E::Pairing>) -> Self {
        VerifyingKey {
            alpha: key.alpha_g1,
            beta: key.beta_g2,
            gamma: key.gamma_g2,
            delta: key.delta_g2,
            public: key.gamma_abc_g1.clone(),
        }
    }

    /// The key as ark-groth16 has it.
    pub fn to_arkworks(&self) -> ark_groth16::VerifyingKey<E::Pairing> {
        ark_groth16::VerifyingKey {
            alpha_g1: self.alpha,
            beta_g2: self.beta,
            gamma_g2: self.gamma,
            delta_g2: self.delta,
            gamma_abc_g1: self.public.clone(),
        }
    }
}

impl<E: PairingCurve> Proof<E> {
    /// The proof as ark-groth16 has it.
    pub fn to_arkworks(&self) -> ark_groth16::Proof<E::Pairing> {
        ark_groth16::Proof { a: self.a, b: self.b, c: self.c }
    }

    /// A proof of ark-groth16.
    pub fn from_arkworks(proof: &ark_groth16::Proof<E::Pairing>) -> Self {
        Proof { a: proof.a, b: proof.b, c: proof.c }
    }
}
