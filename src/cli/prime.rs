//! `--prime`.

use wgalois::field::Prime;
use wgalois::{Error, Result};

/// A modulus as the user typed it. It is parsed by the verb, since a modulus that is no prime
/// is bad input, not bad usage.
#[derive(Clone)]
pub struct PrimeArgument(String);

impl PrimeArgument {
    /// The prime.
    ///
    /// # Errors
    /// [`Error::Input`] for what is no odd prime below 2^31.
    pub fn parse(&self) -> Result<Prime> {
        self.0.parse().map_err(|e| Error::Input(format!("--prime {}: {e}", self.0)))
    }
}

impl From<String> for PrimeArgument {
    fn from(text: String) -> Self {
        PrimeArgument(text)
    }
}

impl From<&str> for PrimeArgument {
    fn from(text: &str) -> Self {
        PrimeArgument(text.to_owned())
    }
}
