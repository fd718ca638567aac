//! Times and factors as people read them.

/// Formats a time in the unit of its magnitude, with four digits.
pub fn time(seconds: f64) -> String {
    let (number, unit) = match seconds {
        0.0 => return "0 s".to_owned(),
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", digits(number, 4))
}

/// Formats a factor, which may be far below 1, with three digits.
pub fn factor(factor: f64) -> String {
    digits(factor, 3)
}

fn digits(number: f64, count: i32) -> String {
    let whole = number.abs().max(1e-9).log10().floor() as i32 + 1;
    let decimals = (count - whole).max(0) as usize;
    format!("{number:.decimals$}")
}
