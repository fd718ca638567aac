//! The option `--prime`.

use wgalois::field::Prime;
use wgalois::{Error, Result};

/// A modulus as the user typed it. The verb parses it, because a modulus that is not prime is bad
/// input and not bad usage.
#[derive(Clone)]
pub struct PrimeArgument(String);

impl PrimeArgument {
    /// Parses the prime.
    pub fn parse(&self) -> Result<Prime> {
        self.0.parse().map_err(|error: Error| error.of(format!("--prime {}", self.0)))
    }
}

impl From<String> for PrimeArgument {
    fn from(text: String) -> Self {
        PrimeArgument(text)
    }
}
