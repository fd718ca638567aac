//! Parsing of counts on the command line.

use std::ops::{Bound, RangeBounds};

/// Returns a parser of counts in a range: `4096`, `4k`, `2^12`. K, M, G and T are powers of 1024, as for bytes.
pub fn count<T: TryFrom<u64>>(
    range: impl RangeBounds<u64> + Clone + Send + Sync + 'static,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = parse(text).ok_or("expected a count such as 4096, 4k or 2^12")?;
        let value = range.contains(&number).then(|| T::try_from(number).ok()).flatten();
        value.ok_or_else(|| format!("{number} is not {}", described(&range)))
    }
}

/// Returns a range in words.
fn described(range: &impl RangeBounds<u64>) -> String {
    let least = match range.start_bound() {
        Bound::Included(&least) => least,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    match range.end_bound() {
        Bound::Included(most) => format!("from {least} to {most}"),
        Bound::Excluded(end) => format!("from {least} to {}", end.saturating_sub(1)),
        Bound::Unbounded => format!("from {least} on, or too large"),
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
