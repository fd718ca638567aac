//! What is asked of a system.

/// The solutions that are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Query {
    /// One, or that there is none.
    #[default]
    One,
    /// All of them.
    All,
    /// Their number.
    Count,
}
