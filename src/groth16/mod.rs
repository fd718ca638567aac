//! Groth16 proofs: snarkjs' keys and witnesses in, proofs that snarkjs and arkworks accept out.
//!
//! ```text
//! ProvingKey   of a file (io::snarkjs), of ark-groth16, or of setup(); Proving: its sizes, the problem
//!   |  Proving::of(&key).plan(&device)
//!   v
//! ProvingPlan   five multiplications, time, memory
//!   |  prepare(&device, key)
//!   v
//! Prover   prove(witness)  prove_many(witnesses), bases resident
//!   v
//! Proof   VerifyingKey::check(&proof, &public)
//! ```
//!
//! The method is that of Groth, "On the Size of Pairing-Based Non-interactive Arguments" (EUROCRYPT 2016). A circuit
//! is a list of constraints `<A_i, w> <B_i, w> = <C_i, w>` on a witness w, whose first value is 1 and whose next ones
//! are public. With `a`, `b`, `c` the polynomials that have these products as values on the n-th roots of unity, `h =
//! (a b - c) / (x^n - 1)` is a polynomial only if all constraints hold.
//!
//! ```text
//! witness --> A w, B w --> values of a, b and c on a coset --> a b - c --+
//!    |        (host)       (six transforms, on the device)               |  multiplied by the bases H
//!    +--> multiplied by the bases A, B in G1, B in G2, L ----------------+--> proof
//! ```
//!
//! This layer uses only the public interface of the tasks below it.
//!
//! # Cautions
//!
//! Nothing runs in constant time, and nothing is audited. Do not prove secrets on hardware that you
//! share with others. Witnesses are not written to files or logs. [`Witness`] and the vectors that are derived from it on the
//! host are overwritten before their memory is given back; vectors on the device that the quotient
//! comes from are cleared, too. Copies that multiplications make are not.

/// Implements for a struct of arkworks' values the traits that these have. Derived implementations would demand them of
/// the pairing.
macro_rules! values {
    ($name:ident { $($field:ident),* }) => {
        impl<E: crate::curve::PairingCurve> Clone for $name<E> {
            fn clone(&self) -> Self {
                $name { $($field: self.$field.clone()),* }
            }
        }

        impl<E: crate::curve::PairingCurve> PartialEq for $name<E> {
            fn eq(&self, other: &Self) -> bool {
                $(self.$field == other.$field)&&*
            }
        }

        impl<E: crate::curve::PairingCurve> Eq for $name<E> {}

        impl<E: crate::curve::PairingCurve> std::fmt::Debug for $name<E> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))$(.field(stringify!($field), &self.$field))*.finish()
            }
        }
    };
}

#[cfg(feature = "ark-groth16")]
mod arkworks;
mod circuit;
mod domain;
mod key;
mod plan;
mod proof;
mod prover;
mod quotient;
mod setup;
#[cfg(test)]
mod tests;
mod verify;
mod witness;

pub use circuit::{Circuit, Entry, Row};
pub use domain::Domain;
pub use key::{ProvingKey, Queries, VerifyingKey};
pub use plan::{Proving, ProvingPlan};
pub use proof::Proof;
pub use prover::Prover;
pub use quotient::{Basis, Products};
pub use setup::{Setup, chain};
pub use witness::Witness;
