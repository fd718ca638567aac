//! The properties of the readers of coefficients and of integers.

use std::fmt::Debug;

use wgalois::field::{BABY_BEAR, Prime};
use wgalois_io::{coefficients, integers};

use super::common::{source, words, written};
use super::watched::{MEMORY, read_within};

pub fn coefficients(data: &[u8], format: coefficients::Format) {
    for prime in [BABY_BEAR, Prime::new(3).expect("a prime"), Prime::new(2_147_483_647).expect("a prime")] {
        for wrap in [false, true] {
            let residues = coefficients::Residues { modulus: prime.into(), wrap };
            let Some(values) = in_ring(data, format, &residues) else { continue };
            assert!(values.iter().all(|&value| value < prime.value()));
            for other in [coefficients::Format::Text, coefficients::Format::Npy, coefficients::Format::Raw] {
                let bytes = written(|out| coefficients::write_residues(out, other, &values));
                let strict = coefficients::Residues { modulus: prime.into(), wrap: false };
                let read = coefficients::read(&source(&bytes), other, &strict, 1 << 30);
                assert_eq!(read.expect("what was written"), values);
            }
        }
    }
    let narrow = in_ring(data, format, &coefficients::Integers);
    let wide = in_ring(data, format, &coefficients::WideIntegers);
    // The wide ring takes twice the memory and accepts larger numbers.
    if let (Some(narrow), Some(wide)) = (&narrow, &wide) {
        assert!(narrow.iter().map(|&value| i128::from(value)).eq(wide.iter().copied()));
    }
    let Some(values) = wide else { return };
    for other in [coefficients::Format::Text, coefficients::Format::Npy] {
        let mut bytes = Vec::new();
        let fits = values.iter().all(|&value| i64::try_from(value).is_ok());
        match coefficients::write_integers(&mut bytes, other, &values) {
            Ok(()) => {
                let read = coefficients::read(&source(&bytes), other, &coefficients::WideIntegers, 1 << 30);
                assert_eq!(read.expect("what was written"), values);
            }
            Err(error) => assert!(other == coefficients::Format::Npy && !fits, "{error}"),
        }
    }
}

fn in_ring<R: coefficients::Ring>(
    data: &[u8],
    format: coefficients::Format,
    ring: &R,
) -> Option<Vec<R::Value>>
where
    R::Value: PartialEq + Debug,
{
    let size = |values: &Vec<R::Value>| size_of_val(&values[..]);
    let values = read_within(data, |source, memory| coefficients::read(source, format, ring, memory), size)?;
    assert!(!values.is_empty());
    Some(values)
}

pub fn coefficients_text(data: &[u8]) {
    coefficients(data, coefficients::Format::Text);
    if data.starts_with(b"\x93NUMPY") {
        return;
    }
    // Parses it again with the standard library, which accepts the same signs.
    let expected: Option<Vec<i64>> =
        words(data).map(|word| std::str::from_utf8(word).ok()?.parse().ok()).collect();
    let expected = expected.filter(|values| !values.is_empty());
    let read =
        coefficients::read(&source(data), coefficients::Format::Text, &coefficients::Integers, 1 << 30);
    assert_eq!(read.ok(), expected);
}

pub fn integers(data: &[u8]) {
    use integers::Base::{Decimal, Hexadecimal};
    for base in [None, Some(Decimal), Some(Hexadecimal)] {
        let Some(text) = read_within(
            data,
            |source, memory| integers::read(source, base, memory),
            |text| text.len() - 3.min(text.len()),
        ) else {
            continue;
        };
        let unsigned = text.strip_prefix('-').unwrap_or(&text);
        let (radix, digits) = unsigned.strip_prefix("0x").map_or((10, unsigned), |digits| (16, digits));
        assert!(!digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix)), "{text}");
        // It is read as itself, and its digits are the file's.
        assert_eq!(integers::read(&source(text.as_bytes()), None, MEMORY).expect("what was read"), text);
        let word = words(data).next().expect("a token");
        assert!(word.ends_with(digits.as_bytes()));
    }
}
