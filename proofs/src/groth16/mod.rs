//! Groth16 proofs: snarkjs' keys and witnesses in, proofs that snarkjs and arkworks accept out.
//!
//! ```text
//! ProvingKey   of a file (snarkjs, bellman), of ark-groth16, or of setup(); Proving: its sizes, the problem
//!   |  Proving::of(&key).plan(&device)
//!   v
//! ProvingPlan   five multiplications, six transforms, time, memory
//!   |  Prover::new(&device, &plan, key)
//!   v
//! Prover   prove(witness)  prove_many(witnesses)  prove_evaluated(..), bases resident
//!   v
//! Proof   VerifyingKey::check(&proof, &public), or Verifier for many
//! ```
//!
//! The method is that of Groth, "On the Size of Pairing-Based Non-interactive Arguments" (EUROCRYPT 2016). A circuit
//! is a list of constraints `<A_i, w> <B_i, w> = <C_i, w>` on a witness w, whose first value is 1 and whose next ones
//! are public. With `a`, `b`, `c` the polynomials that have these products as values on the n-th roots of unity, `h =
//! (a b - c) / (x^n - 1)` is a polynomial only if all constraints hold.
//!
//! ```text
//! witness --> A w, B w --> values of a, b and c on a coset --> a b - c --+
//!    |      (two sparse        (six transforms)                         |  multiplied by the bases H
//!    |        matrices)                                                 |
//!    +--> multiplied by the bases A, B in G1, B in G2, L ---------------+--> proof
//! ```
//!
//! All of it is work for the device. The witness goes to a GPU once, and the host waits for the first sum when the work
//! of the whole proof, and of the next one if there are several witnesses, is submitted. A group of GPUs shares the
//! multiplications, for which each witness goes to its members from the host; its fastest GPU computes `a b - c`.
//!
//! A key that exceeds the GPU stays on the host: one set of bases after the other goes to the GPU, in parts, and each part serves all
//! witnesses of a run.
//!
//! bellman's keys have no matrices. Their proofs take an [`EvaluatedWitness`], which has A w and B w from the circuit's synthesis.
//!
//! A key without the setup's second phase ([`Weakness`]) is refused by the checks: anybody can forge proofs for it.
//!
//! This layer uses only the public interface of the tasks below it.
//!
//! # Cautions
//!
//! Nothing runs in constant time, and nothing is audited. Do not prove secrets on hardware that you
//! share with others. Witnesses are not written to files or logs. Overwritten before their memory is given back are
//!
//! - on the host: [`Witness`] and [`EvaluatedWitness`] (a slice of another kind is its owner's, and so are the bytes of its file), r and s, and the vectors that
//!   the quotient comes from;
//! - on one GPU: the witness, those vectors, and the sums of the multiplications, after each proof; the staging buffers of
//!   transfers, after each call; the working memory of the multiplications, when the [`Prover`] is dropped.
//!
//! Not overwritten are the copies of values that the CPU engine's multiplications and a conversion in a thread's memory make,
//! copies of witnesses where bases go to the GPU set by set, the copies that the driver makes of uploads of at most 16 KiB and a browser of
//! all, what multiplications leave on the GPUs of a group or
//! by bases that do not fit a GPU's memory, and anything after a fault of the device.
//!
//! # Errors
//! - [`Error::Check`](wgalois::Error::Check): a proof does not prove that there is a witness with these public
//!   values.
//! - [`Error::Input`](wgalois::Error::Input), one of:
//!   - The parts of a key contradict each other in size, or the key or its matrices do not fit the plan.
//!   - A point of a key is outside its subgroup or at infinity.
//!   - Anybody can forge proofs by a key ([`Weakness`]).
//!   - A row of a circuit names a variable that does not exist.
//!   - A witness or public values are those of another circuit, or a witness does not begin with 1.
//!   - A witness is to be proved that was not evaluated, and the key has no constraints.
//!   - There are more or fewer pairs of random scalars than witnesses.
//!   - The field lacks the roots of a domain.
//!   - The secrets of a setup are 0, or a root of unity.
//! - [`Error::Device`](wgalois::Error::Device): the operating system has no randomness.

/// Implements for a struct of arkworks' values the traits that these have. Derived implementations would demand them of
/// the pairing.
macro_rules! values {
    ($name:ident { $($field:ident),* }) => {
        impl<E: wgalois::curve::PairingCurve> Clone for $name<E> {
            fn clone(&self) -> Self {
                $name { $($field: self.$field.clone()),* }
            }
        }

        impl<E: wgalois::curve::PairingCurve> PartialEq for $name<E> {
            fn eq(&self, other: &Self) -> bool {
                $(self.$field == other.$field)&&*
            }
        }

        impl<E: wgalois::curve::PairingCurve> Eq for $name<E> {}

        impl<E: wgalois::curve::PairingCurve> std::fmt::Debug for $name<E> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))$(.field(stringify!($field), &self.$field))*.finish()
            }
        }
    };
}

#[cfg(feature = "ark-groth16")]
mod arkworks;
mod circuit;
mod cleared;
mod constraints;
mod density;
mod domain;
mod evaluated;
#[cfg(test)]
pub(crate) mod evaluated_tests;
mod from_host;
mod in_turn;
mod key;
mod on_gpu;
mod parts;
mod points;
mod problem;
mod proof;
mod prover;
mod quotient;
mod resident;
mod setup;
mod shaped;
#[cfg(test)]
mod sizes_tests;
mod source;
#[cfg(test)]
pub(crate) mod tests;
mod turns;
mod verify;
mod weakness;
mod with_constraints;
mod witness;

pub use circuit::{Circuit, Entry, Row};
pub use constraints::Constraints;
pub use domain::Domain;
pub use evaluated::EvaluatedWitness;
pub use key::{ProvingKey, Queries, VerifyingKey};
pub use problem::{Proving, ProvingPlan};
pub use proof::Proof;
pub use prover::Prover;
pub use quotient::Basis;
pub use setup::{NewKey, Setup, chain};
pub use shaped::Shaped;
pub use source::{Head, KeySource, Part};
pub use verify::Verifier;
pub use weakness::Weakness;
pub use witness::Witness;

pub use wgalois::ntt::scalar::SparseMatrix;
