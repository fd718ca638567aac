//! Which memory is too small, and what would suffice.

use std::fmt;

/// Memory that a task needs and cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shortage {
    /// A sentence for the user.
    pub message: String,
    /// The memory that is short, where it is known.
    pub side: Option<Side>,
    /// Bytes that would suffice, where they are known.
    pub needed: Option<u64>,
    /// Bytes that may be used, where they are known.
    pub allowed: Option<u64>,
}

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Side {
    /// The host's.
    Host,
    /// The device's.
    Device,
}

impl Shortage {
    /// `what` needs more than may be used.
    pub fn new(what: &str, side: Side, needed: u64, allowed: u64) -> Self {
        let message = format!("{what} needs {needed} bytes of {side} memory, and {allowed} may be used");
        Shortage { message, side: Some(side), needed: Some(needed), allowed: Some(allowed) }
    }
}

/// A shortage of which only the driver or the allocator knows the size.
impl<T: Into<String>> From<T> for Shortage {
    fn from(message: T) -> Self {
        Shortage { message: message.into(), side: None, needed: None, allowed: None }
    }
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Host => "host",
            Side::Device => "device",
        })
    }
}
