//! What can go wrong with a proof.

use std::fmt;

/// The result of a call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The circuit's synthesis failed: the error of bellman or bellperson, for example that an assignment is missing.
    #[error("the circuit cannot be synthesised: {0}")]
    Synthesis(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The witness violates a constraint. No proof is made.
    #[error("the circuit is not satisfied: constraint {constraint}, `{name}`")]
    Unsatisfied {
        /// The first constraint that is violated, from 0.
        constraint: usize,
        /// The last part of its name, as the circuit has it.
        name: String,
    },
    /// A constraint names a variable that its circuit does not have.
    #[error("constraint {constraint} names a variable that the circuit does not have")]
    NoSuchVariable {
        /// The constraint, from 0.
        constraint: usize,
    },
    /// The key was made for another circuit: their counts differ.
    #[error("the key is that of another circuit: it has {key}, and the circuit {circuit}")]
    OtherCircuit {
        /// The counts of the key.
        key: Counts,
        /// Those that the circuit needs.
        circuit: Counts,
    },
    /// The first proof by a key does not verify, although the circuit is satisfied: the key was made for another circuit that has
    /// the same counts, or the device computes wrongly.
    #[error(
        "the first proof does not verify: the key is that of another circuit with the same counts, or the device computes wrongly"
    )]
    Unverified,
    /// There are more or fewer random scalars than circuits.
    #[error("{found} random scalars for {circuits} circuits")]
    RandomScalars {
        /// The number of circuits.
        circuits: usize,
        /// The number of scalars.
        found: usize,
    },
    /// The error of one circuit of a batch.
    #[error("circuit {index} of the batch: {error}")]
    InBatch {
        /// The circuit, from 0.
        index: usize,
        /// Its error.
        #[source]
        error: Box<Error>,
    },
    /// An error of the library: of the device, a file, the host's memory.
    #[error(transparent)]
    Library(#[from] wgalois::Error),
}

#[cfg(any(feature = "bellman", feature = "bellperson"))]
impl Error {
    /// The error of a proof whose points the peer does not read.
    pub(crate) fn no_points() -> Self {
        Error::Library(wgalois::Error::Nonsense("the points of a proof have no encoding".into()))
    }
}

/// The sizes in which a key and a circuit have to agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Public inputs, the constant 1 included.
    pub inputs: usize,
    /// Auxiliary variables: the points of L.
    pub aux: usize,
    /// Variables in A: all inputs, and the auxiliary variables with a coefficient there.
    pub a: usize,
    /// Variables with a coefficient in B.
    pub b: usize,
    /// The points of H: one less than the power of two that holds the constraints and the inputs.
    pub h: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { inputs, aux, a, b, h } = self;
        write!(f, "{inputs} inputs, {aux} auxiliary variables, {a} in A, {b} in B, {h} points of H")
    }
}
