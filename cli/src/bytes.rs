//! Parsing of byte counts on the command line.

/// Parses a number of bytes with an optional suffix K, M, G or T (powers of 1024), which B or iB may
/// follow.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let number = lower.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match &lower[number.len()..] {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err("expected a number of bytes such as 65536, 512K, 64M or 2G".to_owned()),
    };
    let number: u64 = number.parse().map_err(|e| format!("{e}"))?;
    number.checked_mul(1 << shift).ok_or_else(|| "more than 2^64 bytes".to_owned())
}
