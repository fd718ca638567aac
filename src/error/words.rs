//! Parts of the errors' texts.

/// A number as messages show it: large powers of two as such.
pub fn count(value: u64) -> String {
    match value.is_power_of_two() && value >= 1 << 10 {
        true => format!("2^{}", value.ilog2()),
        false => value.to_string(),
    }
}

/// A number that may have been too large for its type.
pub fn many(value: u64) -> String {
    if value == u64::MAX { "2^64 - 1 or more".to_owned() } else { count(value) }
}

/// What was expected, with its verb: `1 was`, `2 were`.
pub fn was(count: usize) -> String {
    format!("{count} {}", if count == 1 { "was" } else { "were" })
}

/// The last index below `count`.
pub fn last(count: u64) -> String {
    count.checked_sub(1).map_or_else(|| "none at all".to_owned(), |last| format!("the last is {last}"))
}

pub fn no_prime(modulus: u64) -> String {
    match modulus.is_multiple_of(2) {
        true => format!("modulus {modulus} is even: it must be an odd prime"),
        false => format!("modulus {modulus} is not prime"),
    }
}

pub fn no_root(modulus: Option<u32>, log_order: u32, largest: u32) -> String {
    let root = format!("root of unity of order 2^{log_order}");
    match modulus {
        Some(p) => format!("modulo {p} there is no {root}: at most 2^{largest} divides p - 1"),
        None => format!("no {root}: the field has none past 2^{largest}"),
    }
}

pub fn no_product([a, b]: [usize; 2], log_length: u32, modulus: Option<u32>, largest: u32) -> String {
    match modulus {
        Some(p) => format!(
            "the product of {a} and {b} coefficients takes transforms of length 2^{log_length}: modulo {p} there are \
             none longer than 2^{largest}; without a prime the product is exact, and can be reduced"
        ),
        None => format!(
            "the exact product of {a} and {b} coefficients takes transforms of length 2^{log_length}: there are none \
             longer than 2^{largest}"
        ),
    }
}
