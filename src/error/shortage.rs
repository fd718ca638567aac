//! A shortage of memory: whose memory is too small, and how much would suffice.

/// A shortage of memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[error("{message}")]
#[non_exhaustive]
pub struct Shortage {
    /// The message for the user, one sentence.
    pub message: String,
    /// The side whose memory is too small, if known.
    pub side: Option<Side>,
    /// Number of bytes that would suffice, if known.
    pub needed: Option<u64>,
    /// Number of bytes that may be used, if known.
    pub allowed: Option<u64>,
}

/// The side that a memory belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[non_exhaustive]
pub enum Side {
    /// Host memory.
    #[error("host")]
    Host,
    /// Device memory.
    #[error("device")]
    Device,
    /// The memory of host and device together, where they have the same.
    #[error("shared")]
    Shared,
}

impl Shortage {
    /// Creates the shortage of `what`, which needs `needed` bytes where `allowed` may be used.
    pub fn new(what: &str, side: Side, needed: u64, allowed: u64) -> Self {
        let message = format!("{what} needs {needed} bytes of {side} memory, and {allowed} may be used");
        Shortage { message, side: Some(side), needed: Some(needed), allowed: Some(allowed) }
    }

    /// The shortage of host memory with a message of its own.
    pub fn of_host(message: String, needed: u64, allowed: u64) -> Self {
        Shortage { message, side: Some(Side::Host), needed: Some(needed), allowed: Some(allowed) }
    }
}

/// A shortage reported by the driver or the allocator, of unknown size.
impl<T: Into<String>> From<T> for Shortage {
    fn from(message: T) -> Self {
        Shortage { message: message.into(), side: None, needed: None, allowed: None }
    }
}
