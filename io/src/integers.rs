//! Big integers as decimal or hexadecimal text: one per file, with an optional sign. Hexadecimal
//! digits have `0x` in front.
//!
//! An integer stays text, because the multiplication takes digits and returns digits.

use super::budget::Budget;
use super::{Source, text};
use wgalois::Result;
use wgalois::parallel::*;

/// The base in which an integer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Digits 0 to 9.
    Decimal,
    /// Digits 0 to 9 and a to f in either case.
    Hexadecimal,
}

impl Base {
    const fn radix(self) -> u32 {
        match self {
            Base::Decimal => 10,
            Base::Hexadecimal => 16,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Base::Decimal => "decimal",
            Base::Hexadecimal => "hexadecimal",
        }
    }
}

/// Reads the one integer of `source` in `base`. If `base` is `None`, a number with `0x` in front is
/// hexadecimal, any other is decimal. The returned text begins with the sign if the file has one,
/// then `0x` if it is hexadecimal, and has at least one digit. It takes at most `memory` bytes.
pub fn read(source: &Source, base: Option<Base>, memory: u64) -> Result<String> {
    source.expect_text()?;
    text::check_length::<u8>(source, source.bytes().len(), memory)?;
    let mut tokens = text::tokens(source.bytes(), 0);
    let Some(token) = tokens.next() else {
        return Err(source.error("empty, where an integer was expected"));
    };
    let (sign, unsigned) = match token.text {
        [b'-', rest @ ..] => ("-", rest),
        [b'+', rest @ ..] => ("", rest),
        rest => ("", rest),
    };
    let (prefixed, digits) = match unsigned {
        [b'0', b'x' | b'X', rest @ ..] if base != Some(Base::Decimal) => (true, rest),
        rest => (false, rest),
    };
    if let ([b'0', b'b' | b'B' | b'o' | b'O', ..], None | Some(Base::Decimal)) = (unsigned, base) {
        let place = token.offset + token.text.len() - unsigned.len();
        let message =
            format!("{}: expected decimal digits, or hexadecimal ones after 0x", text::quote(token.text));
        return Err(source.text_error(place, message));
    }
    let base = base.unwrap_or(if prefixed { Base::Hexadecimal } else { Base::Decimal });
    let digits = check_digits(source, digits, base, token.offset + token.text.len() - digits.len())?;
    if let Some(second) = tokens.next() {
        let found = text::quote(second.text);
        return Err(
            source.text_error(second.offset, format!("expected the end after one integer, found {found}"))
        );
    }
    Budget::new(source, memory).take::<u8>(token.text.len() as u64)?;
    Ok([sign, if base == Base::Hexadecimal { "0x" } else { "" }, digits].concat())
}

/// Returns the digits as text if there is at least one and all are digits of `base`.
fn check_digits<'a>(source: &Source, digits: &'a [u8], base: Base, start: usize) -> Result<&'a str> {
    let refuse = |at: usize, found: &str| {
        Err(source.text_error(start + at, format!("expected {} digits, found {found}", base.name())))
    };
    let bad = digits.par_iter().position_first(|&byte| !char::from(byte).is_digit(base.radix()));
    match (bad, std::str::from_utf8(digits)) {
        (None, Ok(text)) if !text.is_empty() => Ok(text),
        (None, _) => refuse(0, "the end"),
        (Some(at), _) => {
            let is_hexadecimal = digits[at..].iter().all(u8::is_ascii_hexdigit);
            let hint = if is_hexadecimal { "; --format hex reads hexadecimal digits" } else { "" };
            refuse(at, &(text::quote(&digits[at..]) + hint))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: impl Into<Vec<u8>>, base: Option<Base>) -> Result<String> {
        read(&Source::from_bytes("f", text), base, u64::MAX)
    }

    #[test]
    fn integers_as_people_write_them() {
        for (text, read) in [
            ("0", "0"),
            ("-0", "-0"),
            (" 00012\n", "00012"),
            ("+5", "5"),
            ("-1000000000", "-1000000000"),
            ("0x0", "0x0"),
            ("-0XFFffFFff", "-0xFFffFFff"),
        ] {
            assert_eq!(parse(text, None).unwrap(), read);
        }
        assert_eq!(parse("-ff", Some(Base::Hexadecimal)).unwrap(), "-0xff");
        assert_eq!(parse("0xff", Some(Base::Hexadecimal)).unwrap(), "0xff");
        assert_eq!(parse("12", Some(Base::Decimal)).unwrap(), "12");
    }

    #[test]
    fn what_is_refused_and_where() {
        for (text, base, message) in [
            ("", None, "f: empty, where an integer was expected"),
            (" \n", None, "f: empty, where an integer was expected"),
            ("12 13", None, "f:1:4: expected the end after one integer, found \"13\""),
            ("1\n-12a4", None, "f:2:1: expected the end"),
            ("-12a4", None, "f:1:4: expected decimal digits, found \"a4\"; --format hex reads"),
            ("0b11", None, "f:1:1: \"0b11\": expected decimal digits, or hexadecimal ones after 0x"),
            ("-0o17", Some(Base::Decimal), "f:1:2: \"-0o17\": expected decimal digits"),
            ("12.5", None, "f:1:3: expected decimal digits, found \".5\""),
            ("1_000", None, "f:1:2: expected decimal digits, found \"_000\""),
            ("-", None, "f:1:2: expected decimal digits, found the end"),
            ("0x", None, "f:1:3: expected hexadecimal digits, found the end"),
            ("0x12", Some(Base::Decimal), "f:1:2: expected decimal digits, found \"x12\""),
            ("0x1g", None, "f:1:4: expected hexadecimal digits, found \"g\""),
            ("\u{661}", None, "f:1:1: expected decimal digits, found \"\u{661}\""),
        ] {
            let error = parse(text, base).unwrap_err();
            assert_eq!(error.exit_code(), 3);
            assert!(error.to_string().starts_with(message), "{text}: {error}");
        }
        assert_eq!(read(&Source::from_bytes("f", "1234"), None, 3).unwrap_err().exit_code(), 3);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            for base in [None, Some(Base::Decimal), Some(Base::Hexadecimal)] {
                if let Ok(text) = parse(bytes.clone(), base) {
                    prop_assert!(text.contains(|c: char| c.is_ascii_hexdigit()));
                }
            }
        }
    }
}
