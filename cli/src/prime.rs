//! The options `--prime` and `--modulus`.

use wgalois::field::{Modulus, Prime};
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

/// Any modulus as the user typed it.
#[derive(Clone)]
pub struct ModulusArgument(String);

impl ModulusArgument {
    /// Parses the modulus.
    pub fn parse(&self) -> Result<Modulus> {
        self.0.parse().map_err(|error: Error| error.of(format!("--modulus {}", self.0)))
    }
}

impl From<String> for ModulusArgument {
    fn from(text: String) -> Self {
        ModulusArgument(text)
    }
}
