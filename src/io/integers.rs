//! Big integers as decimal or hexadecimal text: one a file, with an optional sign;
//! hexadecimal with `0x` in front.
//!
//! An integer stays in limbs of the base that it is written in, 10^9 or 2^32: then reading
//! and writing are linear in its length, and a product needs no conversion.

use super::{Source, text};
use crate::{Error, Result};
use dashu_int::UBig;
use rayon::prelude::*;
use std::io::{self, Write};

/// The base of an integer's limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// 10^9: nine decimal digits.
    Decimal,
    /// 2^32: eight hexadecimal digits.
    Hexadecimal,
}

impl Base {
    /// The base itself.
    pub const fn value(self) -> u64 {
        match self {
            Base::Decimal => 1_000_000_000,
            Base::Hexadecimal => 1 << 32,
        }
    }

    const fn radix(self) -> u32 {
        match self {
            Base::Decimal => 10,
            Base::Hexadecimal => 16,
        }
    }

    /// Digits a limb.
    const fn digits(self) -> usize {
        match self {
            Base::Decimal => 9,
            Base::Hexadecimal => 8,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Base::Decimal => "decimal",
            Base::Hexadecimal => "hexadecimal",
        }
    }
}

/// An integer: a sign and limbs, the lowest first, the highest not 0. Zero has no limbs and
/// no sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integer {
    negative: bool,
    base: Base,
    limbs: Vec<u32>,
}

impl Integer {
    /// The integer with these limbs, the lowest first, each below the base's value.
    pub fn new(negative: bool, base: Base, mut limbs: Vec<u32>) -> Integer {
        limbs.truncate(limbs.iter().rposition(|&limb| limb != 0).map_or(0, |last| last + 1));
        Integer { negative: negative && !limbs.is_empty(), base, limbs }
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The base of its limbs.
    pub fn base(&self) -> Base {
        self.base
    }

    /// Its limbs, the lowest first.
    pub fn limbs(&self) -> &[u32] {
        &self.limbs
    }

    /// The same integer in limbs of `base`.
    pub fn to_base(self, base: Base) -> Integer {
        if base == self.base {
            return self;
        }
        // The sign apart, the text is what both bases have in common with the library.
        let digits = magnitude(&self);
        let value = UBig::from_str_radix(&digits, self.base.radix()).unwrap_or_default();
        let digits = match base {
            Base::Decimal => value.to_string(),
            Base::Hexadecimal => format!("{value:x}"),
        };
        Integer::new(self.negative, base, limbs(digits.as_bytes(), base))
    }
}

/// Reads the one integer of `source`: in `base`, or where that is `None`, hexadecimal behind
/// `0x` and else decimal. It takes at most `memory` bytes.
///
/// # Errors
/// [`Error::Format`] with the place where there is no integer, something else in it or after
/// it; [`Error::Input`] past `memory`.
pub fn read(source: &Source, base: Option<Base>, memory: u64) -> Result<Integer> {
    let mut tokens = text::tokens(source.bytes(), 0);
    let Some(token) = tokens.next() else {
        return Err(source.error("empty, where an integer was expected"));
    };
    if let Some(second) = tokens.next() {
        let found = text::quote(second.text);
        return Err(
            source.text_error(second.offset, format!("expected the end after one integer, found {found}"))
        );
    }
    let (negative, unsigned) = match token.text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (prefixed, digits) = match unsigned {
        [b'0', b'x' | b'X', rest @ ..] if base != Some(Base::Decimal) => (true, rest),
        rest => (false, rest),
    };
    let base = base.unwrap_or(if prefixed { Base::Hexadecimal } else { Base::Decimal });
    check_digits(source, digits, base, token.offset + token.text.len() - digits.len())?;
    text::check_room::<u32>(source, digits.len().div_ceil(base.digits()), memory)?;
    Ok(Integer::new(negative, base, limbs(digits, base)))
}

/// Writes an integer and a line feed.
pub fn write(out: &mut dyn Write, integer: &Integer) -> io::Result<()> {
    let sign = if integer.negative { "-" } else { "" };
    let prefix = if integer.base == Base::Hexadecimal { "0x" } else { "" };
    writeln!(out, "{sign}{prefix}{}", magnitude(integer))
}

fn check_digits(source: &Source, digits: &[u8], base: Base, start: usize) -> Result<(), Error> {
    let is_digit = |byte: &u8| char::from(*byte).is_digit(base.radix());
    let bad = digits.par_iter().position_first(|byte| !is_digit(byte));
    let at = match bad {
        None if digits.is_empty() => 0,
        None => return Ok(()),
        Some(at) => at,
    };
    let found = if digits.is_empty() { "the end".to_owned() } else { text::quote(&digits[at..]) };
    let hint = match base {
        Base::Decimal if digits[at..].iter().all(u8::is_ascii_hexdigit) && !digits.is_empty() => {
            "; --format hex reads hexadecimal digits"
        }
        _ => "",
    };
    Err(source.text_error(start + at, format!("expected {} digits, found {found}{hint}", base.name())))
}

/// The limbs of a run of digits.
fn limbs(digits: &[u8], base: Base) -> Vec<u32> {
    let limb = |group: &[u8]| {
        let digit = |byte: u8| char::from(byte).to_digit(base.radix()).unwrap_or(0);
        group.iter().fold(0, |limb, &byte| limb * base.radix() + digit(byte))
    };
    digits.par_rchunks(base.digits()).map(limb).collect()
}

/// The digits of an integer without its sign.
fn magnitude(integer: &Integer) -> String {
    let Some((first, rest)) = integer.limbs.split_last() else { return "0".to_owned() };
    let first = match integer.base {
        Base::Decimal => format!("{first}"),
        Base::Hexadecimal => format!("{first:x}"),
    };
    let (radix, width) = (integer.base.radix(), integer.base.digits());
    let mut digits = vec![b'0'; rest.len() * width];
    digits.par_chunks_mut(width).zip(rest.par_iter().rev()).for_each(|(group, &limb)| {
        let mut left = limb;
        for digit in group.iter_mut().rev() {
            *digit = b"0123456789abcdef"[(left % radix) as usize];
            left /= radix;
        }
    });
    first + &String::from_utf8_lossy(&digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_int::IBig;
    use proptest::prelude::*;

    fn parse(text: &str, base: Option<Base>) -> Result<Integer> {
        read(&Source::from_bytes("f", text), base, u64::MAX)
    }

    fn print(integer: &Integer) -> String {
        let mut out = Vec::new();
        write(&mut out, integer).unwrap();
        String::from_utf8(out).unwrap().trim_end().to_owned()
    }

    #[test]
    fn integers_as_people_write_them() {
        for (text, printed) in [
            ("0", "0"),
            ("-0", "0"),
            (" 00012\n", "12"),
            ("+5", "5"),
            ("-1000000000", "-1000000000"),
            ("999999999", "999999999"),
            ("0x0", "0"),
            ("-0xFFffFFff", "-0xffffffff"),
            ("0x100000000", "0x100000000"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ] {
            let expected = if text == "0x0" { "0x0" } else { printed };
            assert_eq!(print(&parse(text, None).unwrap()), expected, "{text}");
        }
        assert_eq!(print(&parse("ff", Some(Base::Hexadecimal)).unwrap()), "0xff");
    }

    #[test]
    fn what_is_refused_and_where() {
        for (text, base, message) in [
            ("", None, "f: empty, where an integer was expected"),
            ("12 13", None, "f:1:4: expected the end after one integer, found \"13\""),
            ("1\n-12a4", None, "f:2:1: expected the end"),
            ("-12a4", None, "f:1:4: expected decimal digits, found \"a4\"; --format hex reads"),
            ("12.5", None, "f:1:3: expected decimal digits, found \".5\""),
            ("1_000", None, "f:1:2: expected decimal digits"),
            ("-", None, "f:1:2: expected decimal digits, found the end"),
            ("0x", None, "f:1:3: expected hexadecimal digits, found the end"),
            ("0x12", Some(Base::Decimal), "f:1:2: expected decimal digits, found \"x12\""),
            ("0x1g", None, "f:1:4: expected hexadecimal digits, found \"g\""),
        ] {
            let error = parse(text, base).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn integers_come_back_in_either_base(words: Vec<u64>, negative: bool) {
            let magnitude = words.iter().fold(UBig::ZERO, |sum, &word| (sum << 64) + UBig::from(word));
            let sign = if negative { dashu_int::Sign::Negative } else { dashu_int::Sign::Positive };
            let value = IBig::from_parts(sign, magnitude);
            let decimal = parse(&value.to_string(), None).unwrap();
            prop_assert_eq!(print(&decimal), value.to_string());
            let hexadecimal = parse(&value.in_radix(16).to_string(), Some(Base::Hexadecimal)).unwrap();
            prop_assert_eq!(hexadecimal.clone().to_base(Base::Decimal), decimal.clone());
            prop_assert_eq!(decimal.to_base(Base::Hexadecimal), hexadecimal);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            for base in [None, Some(Base::Decimal), Some(Base::Hexadecimal)] {
                let _ = read(&Source::from_bytes("f", bytes.clone()), base, u64::MAX);
            }
        }
    }
}
