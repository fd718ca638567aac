//! Tables of powers in two levels, in numbers: the power of an exponent is the product of an entry for its low digits and one for its high
//! digits.

/// log2 of the entries for the low digits of exponents of `log_len` digits.
pub(super) fn log_low(log_len: u32) -> u32 {
    log_len.div_ceil(2)
}

/// Entries of a table for exponents of so many digits.
pub(super) fn two_level_len(log_len: u32) -> u64 {
    (1 << log_low(log_len)) + (1 << (log_len - log_low(log_len)))
}
