//! The forms of the accumulation and of the reduction: the fastest, which are the defaults, and those of
//! published programs, to compare with.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// The distribution of the sorted entries among threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Balance {
    /// Equal slices, wherever buckets begin and end.
    #[default]
    Slices,
    /// Slices that end where a bucket ends: a baseline. Not for bases in several chunks.
    Buckets,
    /// One thread a bucket: a baseline.
    BucketEach,
}

impl Balance {
    /// True if threads take whole buckets.
    pub(super) fn is_whole(self) -> bool {
        self != Balance::Slices
    }
}

/// `balanced`, `imbalanced` or `one thread a bucket`.
impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Balance::Slices => "balanced",
            Balance::Buckets => "imbalanced",
            Balance::BucketEach => "one thread a bucket",
        })
    }
}

/// The place of the sums that threads accumulate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accumulators {
    /// In registers.
    #[default]
    Registers,
    /// In workgroup memory, in workgroups of as many invocations as fit 16 KiB, at most 64.
    Workgroup,
}

impl Accumulators {
    /// Both places.
    pub const ALL: [Accumulators; 2] = [Accumulators::Registers, Accumulators::Workgroup];
}

/// `registers` or `workgroup`.
impl fmt::Display for Accumulators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Accumulators::Registers => "registers",
            Accumulators::Workgroup => "workgroup",
        })
    }
}

/// The number of points that an addition to an accumulator takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addends {
    /// One affine point.
    #[default]
    One,
    /// Two affine points: first their sum, without an inversion, which is then added. Only with
    /// [`Balance::Slices`].
    Two,
}

/// `one` or `two`.
impl fmt::Display for Addends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Addends::One => "one",
            Addends::Two => "two",
        })
    }
}

/// The way in which the sums of a set's buckets, weighted by the buckets' numbers, are added up.
///
/// ```
/// use wgalois::msm::Reduction;
///
/// assert_eq!("layers:8".parse::<Reduction>()?, Reduction::Layers(8));
/// assert_eq!(Reduction::default().to_string(), "layers:2");
/// # Ok::<(), wgalois::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Layers by the digits of a bucket's number in base 2, 4 or 8, the scale: a layer adds up groups of
    /// that many neighbours, and weighs the neighbours by their digit.
    Layers(u32),
    /// The sums of all suffixes of the list of buckets, and then their sum: in the weighted sum a bucket
    /// counts once for each suffix that it belongs to.
    PrefixSums,
}

impl Default for Reduction {
    fn default() -> Self {
        Reduction::Layers(2)
    }
}

/// `layers:2`, `layers:4`, `layers:8` or `prefix-sums`, as [`Reduction::from_str`] reads it.
impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reduction::Layers(scale) => write!(f, "layers:{scale}"),
            Reduction::PrefixSums => f.write_str("prefix-sums"),
        }
    }
}

impl FromStr for Reduction {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let reduction = match (text, text.strip_prefix("layers:").map(str::parse)) {
            ("prefix-sums", _) => Some(Reduction::PrefixSums),
            (_, Some(Ok(scale))) => Some(Reduction::Layers(scale)),
            _ => None,
        };
        reduction.filter(|reduction| reduction.check().is_ok()).ok_or_else(|| unknown(text))
    }
}

fn unknown(text: &str) -> Error {
    Error::unknown("reduction", text, ["layers:2", "layers:4", "layers:8", "prefix-sums"])
}

impl Reduction {
    /// Every reduction, the default first.
    pub const ALL: [Reduction; 4] =
        [Reduction::Layers(2), Reduction::Layers(4), Reduction::Layers(8), Reduction::PrefixSums];

    /// Refuses a scale that is not 2, 4 or 8.
    pub(super) fn check(self) -> Result<()> {
        if Reduction::ALL.contains(&self) { Ok(()) } else { Err(unknown(&self.to_string())) }
    }

    /// The bits of a digit of a bucket's number, the last digit of fewer bits aside.
    pub(super) fn digit_bits(self) -> u32 {
        match self {
            Reduction::Layers(scale) => scale.max(2).ilog2(),
            Reduction::PrefixSums => u32::MAX,
        }
    }

    /// The bits of each digit of the number of one of `weights` buckets, a power of two. The reduction of a
    /// set leaves the sum of its buckets and, for each digit, the sum weighted by that digit.
    pub(super) fn digits(self, weights: u32) -> Vec<u32> {
        let bits = weights.ilog2();
        let most = self.digit_bits().min(bits.max(1));
        (0..bits).step_by(most as usize).map(|first| most.min(bits - first)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_have_all_bits() {
        let of = |reduction: Reduction, bits: u32| reduction.digits(1 << bits);
        assert_eq!(of(Reduction::Layers(2), 4), [1; 4]);
        assert_eq!(of(Reduction::Layers(4), 5), [2, 2, 1]);
        assert_eq!(of(Reduction::Layers(8), 3), [3]);
        assert_eq!(of(Reduction::Layers(8), 13), [3, 3, 3, 3, 1]);
        assert_eq!(of(Reduction::PrefixSums, 14), [14]);
        for reduction in Reduction::ALL {
            assert!(of(reduction, 0).is_empty());
            assert_eq!(of(reduction, 1), [1]);
        }
    }

    #[test]
    fn reductions_are_read_as_they_are_written() {
        for reduction in Reduction::ALL {
            assert_eq!(reduction.to_string().parse::<Reduction>().unwrap(), reduction);
        }
        for text in ["", "layers", "layers:", "layers:3", "layers:16", "layers:0", "prefix"] {
            assert_eq!(text.parse::<Reduction>().unwrap_err().exit_code(), 2, "{text}");
        }
    }
}
