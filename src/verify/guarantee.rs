//! What a passed check proves, in words and numbers.

use std::borrow::Cow;
use std::fmt;

/// What a result that passed a check is known to be, and how surely.
///
/// Its text is what the command line prints after `verified: `.
///
/// ```
/// use wgalois::verify::Guarantee;
///
/// let guarantee = Guarantee::probable("the product is right", 64);
/// assert_eq!(
///     guarantee.to_string(),
///     "the product is right; a wrong one is missed with a chance of at most 2^-64"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarantee {
    claim: Cow<'static, str>,
    confidence: Confidence,
}

/// How surely a check finds a wrong result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confidence {
    /// Always.
    Certain,
    /// A wrong result passes with a chance of at most 2^-`bits` over the check's random draw.
    Probable {
        /// The negated logarithm of the chance, base 2.
        bits: u32,
    },
    /// Only a sample was looked at: a fault outside it passes.
    Sampled {
        /// What was looked at, in the plural: `promoted rows`.
        what: &'static str,
        /// How many of them.
        checked: usize,
        /// How many there are.
        total: usize,
    },
}

impl Guarantee {
    /// A claim that was checked in full, without chance.
    pub fn certain(claim: impl Into<Cow<'static, str>>) -> Self {
        Guarantee { claim: claim.into(), confidence: Confidence::Certain }
    }

    /// A claim of which a violation is missed with a chance of at most 2^-`bits`.
    pub fn probable(claim: impl Into<Cow<'static, str>>, bits: u32) -> Self {
        Guarantee { claim: claim.into(), confidence: Confidence::Probable { bits } }
    }

    /// A claim of which only `checked` of `total` places were looked at.
    pub fn sampled(
        claim: impl Into<Cow<'static, str>>,
        what: &'static str,
        checked: usize,
        total: usize,
    ) -> Self {
        Guarantee { claim: claim.into(), confidence: Confidence::Sampled { what, checked, total } }
    }

    /// What holds for the result: a sentence without its full stop.
    pub fn claim(&self) -> &str {
        &self.claim
    }

    /// How surely it holds.
    pub fn confidence(&self) -> &Confidence {
        &self.confidence
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; ", self.claim)?;
        match self.confidence {
            Confidence::Certain => write!(f, "checked in full"),
            Confidence::Probable { bits } => {
                write!(f, "a wrong one is missed with a chance of at most 2^-{bits}")
            }
            Confidence::Sampled { what, checked, total } => {
                write!(
                    f,
                    "a sample: {checked} of {total} {what} were checked, a fault in the others is missed"
                )
            }
        }
    }
}
