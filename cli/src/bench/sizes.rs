//! The option `--sizes`.

use crate::counts::count;
use std::str::FromStr;

/// Powers of two, as their exponents in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<u32>);

impl FromStr for Sizes {
    type Err = String;

    /// Parses powers of two and ranges of them, separated by commas: `2^10..2^20`, `2^12,2^16`,
    /// `4096`, `4k`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut exponents = Vec::new();
        for part in text.split(',') {
            match part.split_once("..") {
                Some((first, last)) => exponents.extend(exponent(first)?..=exponent(last)?),
                None => exponents.push(exponent(part)?),
            }
        }
        exponents.sort_unstable();
        exponents.dedup();
        if exponents.is_empty() {
            Err("there is no size in this range".to_owned())
        } else {
            Ok(Sizes(exponents))
        }
    }
}

fn exponent(text: &str) -> Result<u32, String> {
    let power = text.trim();
    let exponent = match power.strip_prefix("2^") {
        Some(exponent) => exponent.parse().ok(),
        None => count::<u64>(1..)(power).ok().filter(|n| n.is_power_of_two()).map(u64::ilog2),
    };
    exponent
        .filter(|&e| e < 32)
        .ok_or_else(|| format!("{text:?} is not a power of two below 2^32, such as 2^16"))
}
