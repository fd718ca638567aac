//! The methods.

use std::fmt;
use std::str::FromStr;

use wgalois::{Error, Result};

/// A method that solves a system without linear equations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The one that the model expects to be fastest.
    #[default]
    Auto,
    /// All values of all variables, in Gray code.
    Exhaustive,
    /// Linearisation: Macaulay matrices, and cases where these are not enough.
    Xl,
    /// Some variables in Gray code, and for each of their values a linear system in the others.
    Crossbred,
}

impl Method {
    /// All methods but the automatic choice.
    pub const ALL: [Method; 3] = [Method::Exhaustive, Method::Xl, Method::Crossbred];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Auto => "auto",
            Method::Exhaustive => "exhaustive",
            Method::Xl => "xl",
            Method::Crossbred => "crossbred",
        })
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let all = [Method::Auto].into_iter().chain(Method::ALL);
        let named = all.clone().find(|method| method.to_string() == name);
        named.ok_or_else(|| Error::unknown("method", name, all.map(|method| method.to_string())))
    }
}
