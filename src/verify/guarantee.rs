//! The guarantee of a passed check, in words and numbers.

use std::borrow::Cow;
use std::fmt;

/// The claim that a passed check proves about a result, with its confidence.
///
/// The command line prints its text after `verified: `.
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

/// The confidence with which a check detects a wrong result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confidence {
    /// A wrong result never passes.
    Certain,
    /// A wrong result passes with probability at most 2^-`bits` over the check's random draw.
    Probable {
        /// The negated base-2 logarithm of the probability.
        bits: u32,
    },
    /// Only a sample was checked: an error outside the sample passes.
    Sampled {
        /// The name of the checked items in the plural, for example `promoted rows`.
        what: &'static str,
        /// The number of checked items.
        checked: usize,
        /// The number of all items.
        total: usize,
    },
    /// Planted solutions were all found: a search that loses a share p of the solutions passes with probability
    /// (1 - p)^`found`.
    Planted {
        /// The number of planted solutions.
        found: u32,
    },
    /// The result was computed again in another way, with the same outcome.
    Repeated,
}

impl Guarantee {
    /// Creates the guarantee for a claim that was checked in full, without randomness.
    pub fn certain(claim: impl Into<Cow<'static, str>>) -> Self {
        Guarantee { claim: claim.into(), confidence: Confidence::Certain }
    }

    /// Creates the guarantee for a claim whose violation is missed with probability at most 2^-`bits`.
    pub fn probable(claim: impl Into<Cow<'static, str>>, bits: u32) -> Self {
        Guarantee { claim: claim.into(), confidence: Confidence::Probable { bits } }
    }

    /// Creates the guarantee for a claim of which `checked` of `total` items, named `what`, were checked.
    pub fn sampled(
        claim: impl Into<Cow<'static, str>>,
        what: &'static str,
        checked: usize,
        total: usize,
    ) -> Self {
        Guarantee { claim: claim.into(), confidence: Confidence::Sampled { what, checked, total } }
    }

    /// Creates the guarantee for a claim about a search that found all of `found` solutions that were planted.
    pub fn planted(claim: impl Into<Cow<'static, str>>, found: u32) -> Self {
        Guarantee { claim: claim.into(), confidence: Confidence::Planted { found } }
    }

    /// Creates the guarantee for a claim that was found again in another way.
    pub fn repeated(claim: impl Into<Cow<'static, str>>) -> Self {
        Guarantee { claim: claim.into(), confidence: Confidence::Repeated }
    }

    /// Returns the claim about the result: a sentence without its full stop.
    pub fn claim(&self) -> &str {
        &self.claim
    }

    /// Returns the confidence in the claim.
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
            Confidence::Planted { found } => {
                let chance = 0.9f64.powf(found.into());
                write!(
                    f,
                    "{found} planted solutions were found: a search that loses a share p of the solutions is missed with a \
                     chance of (1 - p)^{found}, {chance:.1e} for p = 1/10"
                )
            }
            Confidence::Repeated => write!(f, "computed again in another way, with the same outcome"),
            Confidence::Sampled { what, checked, total } => {
                write!(
                    f,
                    "a sample: {checked} of {total} {what} were checked, a fault in the others is missed"
                )
            }
        }
    }
}
