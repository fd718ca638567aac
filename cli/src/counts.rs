//! Parsing of counts on the command line.

use std::ops::{Bound, RangeBounds};

/// Returns a parser of counts in a range: `4096`, `4k`, `2^12`. K, M, G and T are powers of 1024, as for bytes.
pub fn count<T: TryFrom<u64>>(
    range: impl RangeBounds<u64> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = parse(text).ok_or("expected a count such as 4096, 4k or 2^12")?;
        let value = range.contains(&number).then(|| T::try_from(number).ok()).flatten();
        value.ok_or_else(|| format!("{number} is not {}", described(&range, largest::<T>())))
    }
}

/// Returns the largest value of an unsigned integer type of at most 64 bits.
fn largest<T: TryFrom<u64>>() -> u64 {
    let ones = [u64::MAX, u64::from(u32::MAX), u64::from(u16::MAX)];
    ones.into_iter().find(|&ones| T::try_from(ones).is_ok()).unwrap_or(u64::from(u8::MAX))
}

/// Returns a range in words; `largest` is the end of one that has no end of its own.
fn described(range: &impl RangeBounds<u64>, largest: u64) -> String {
    let least = match range.start_bound() {
        Bound::Included(&least) => least,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    match range.end_bound() {
        Bound::Included(most) => format!("from {least} to {most}"),
        Bound::Excluded(end) => format!("from {least} to {}", end.saturating_sub(1)),
        Bound::Unbounded => format!("from {least} to {largest}"),
    }
}

fn parse(text: &str) -> Option<u64> {
    if let Some((base, exponent)) = text.split_once('^') {
        return base.parse::<u64>().ok()?.checked_pow(exponent.parse().ok()?);
    }
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['k', 'm', 'g', 't']);
    let shift = match &lower[digits.len()..] {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    // A sign is no digit of a count.
    let number: u64 = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
    number.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_range() {
        assert_eq!(count::<u32>(..)("4G").unwrap_err(), "4294967296 is not from 0 to 4294967295");
        assert_eq!(count::<u32>(1..)("0").unwrap_err(), "0 is not from 1 to 4294967295");
        assert_eq!(count::<u64>(1..)("0").unwrap_err(), "0 is not from 1 to 18446744073709551615");
        assert_eq!(count::<u32>(1..4)("4").unwrap_err(), "4 is not from 1 to 3");
        assert_eq!(count::<u32>(..)("2^32").unwrap_err(), "4294967296 is not from 0 to 4294967295");
        assert_eq!(count::<u32>(..)("4k"), Ok(4096));
        assert!(count::<u64>(..)("2^64").unwrap_err().starts_with("expected a count"));
    }
}
