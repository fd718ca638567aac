//! The multiples of points that are stored.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// The largest window.
pub const MAX_WIDTH: u32 = 24;
/// The smallest window.
pub const MIN_WIDTH: u32 = 2;

/// The multiples that are stored of every base: more memory and preparation for less time in each
/// multiplication.
///
/// ```
/// use wgalois::msm::Precompute;
///
/// assert_eq!("doublings:6".parse::<Precompute>()?, Precompute::Doublings(6));
/// assert_eq!(Precompute::default().to_string(), "halves");
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precompute {
    /// No multiples.
    Plain,
    /// 2^h P for h = 0 to the given number, so that digits can be written as odd numbers times
    /// 2^h and half the buckets suffice (Chen, Peng, Dai, Luo, He, TCHES 2024).
    Doublings(u32),
    /// M P for M about the square root of the group order r, by an endomorphism of the curve: a scalar is divided into
    /// halves, so that half of the bucket sets suffice (Gallant, Lambert, Vanstone, CRYPTO 2001). No multiples where that is
    /// expected to be faster, where memory is short, and on the curves of BN254, which have no endomorphism of this form.
    #[default]
    Glv,
    /// 2^(cj) P for all windows j of c bits, so that windows share their buckets; or for every second one, every third, if
    /// memory is short or the chunks of bases, whose tables must fit a binding, would be small.
    Windows,
}

/// `none`, `halves`, `doublings:T` or `windows`, as [`Precompute::from_str`] reads it.
impl fmt::Display for Precompute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Precompute::Plain => f.write_str("none"),
            Precompute::Glv => f.write_str("halves"),
            Precompute::Doublings(tau) => write!(f, "doublings:{tau}"),
            Precompute::Windows => f.write_str("windows"),
        }
    }
}

impl FromStr for Precompute {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let doublings = text.strip_prefix("doublings:").map(str::parse);
        match (text, doublings) {
            ("none", _) => Ok(Precompute::Plain),
            ("halves", _) => Ok(Precompute::Glv),
            ("windows", _) => Ok(Precompute::Windows),
            (_, Some(Ok(tau))) if tau < MAX_WIDTH => Ok(Precompute::Doublings(tau)),
            _ => {
                let doublings = format!("doublings:T with T below {MAX_WIDTH}");
                Err(Error::unknown("table", text, ["none", "halves", "windows", &doublings]))
            }
        }
    }
}
