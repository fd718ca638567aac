//! Text processing: splitting text for parallel parsing, tokens with their offsets, numbers.

use super::Source;
use super::budget::{Budget, too_large};
pub use super::identify::is_space;
use std::io::{self, Write};
use wgalois::parallel::*;
pub use wgalois::quoting::{excerpt, name, one_line, quote};
use wgalois::{Fault, Result};

/// Bytes of text that one parallel task takes.
const CHUNK: usize = 1 << 18;
/// Bytes of text whose words are counted even if they cannot be read, so that the error states the memory that suffices.
const COUNTED: usize = 1 << 30;
/// Numbers that one parallel task formats.
const FORMAT_CHUNK: usize = 1 << 15;

/// A token: a maximal run of bytes without white space, with its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Offset of the token in the file.
    pub offset: usize,
    /// The bytes of the token, at least one.
    pub text: &'a [u8],
}

/// Returns the tokens of `text`, which starts at byte `offset` of its file.
pub fn tokens(text: &[u8], offset: usize) -> impl Iterator<Item = Token<'_>> + Clone {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].iter().position(|&b| !is_space(b))?;
        let start = at;
        at += token_len(&text[at..]);
        Some(Token { offset: offset + start, text: &text[start..at] })
    })
}

/// Returns the number of bytes before the first white space in `text`. Reads eight bytes at a time.
#[inline]
fn token_len(text: &[u8]) -> usize {
    let mut len = 0;
    while let Some(bytes) = text[len..].first_chunk() {
        let word = u64::from_le_bytes(*bytes);
        // The lowest marked byte is the first one below 0x21: a space or a control character.
        let below = word.wrapping_sub(0x2121_2121_2121_2121) & !word & 0x8080_8080_8080_8080;
        if below != 0 {
            len += below.trailing_zeros() as usize / 8;
            break;
        }
        len += 8;
    }
    len + text[len..].iter().position(|&b| is_space(b)).unwrap_or(text.len() - len)
}

/// Splits `text` into chunks of about 256 KiB for parallel parsing, each ending after a byte for which
/// `ends` holds. Returns each chunk with its offset in `text`. With `is_space` as `ends`, no token is
/// split; with a test for line feeds, no line.
pub fn chunks(text: &[u8], ends: impl Fn(u8) -> bool) -> Vec<(usize, &[u8])> {
    let mut pieces = Vec::with_capacity(text.len() / CHUNK + 1);
    let mut start = 0;
    while start < text.len() {
        let least = (start + CHUNK).min(text.len());
        let rest = text[least..].iter().position(|&b| ends(b)).map_or(text.len() - least, |i| i + 1);
        pieces.push((start, &text[start..least + rest]));
        start = least + rest;
    }
    pieces
}

/// Returns the number of tokens in `text`.
pub fn count_tokens(text: &[u8]) -> usize {
    let Some((first, rest)) = text.split_first() else { return 0 };
    // A sum of 255 comparisons fits a byte, so the compiler can vectorize the comparisons.
    let pairs = rest.chunks(255).zip(text.chunks(255));
    let starts = pairs.map(|(bytes, before)| {
        let starts = bytes.iter().zip(before).map(|(&b, &a)| u8::from(!is_space(b) & is_space(a)));
        usize::from(starts.sum::<u8>())
    });
    usize::from(!is_space(*first)) + starts.sum::<usize>()
}

/// Parses every token of `source` with `parse`, in parallel. The values take at most `memory` bytes,
/// allocated once after the tokens are counted. The error is that of the first token for which `parse` returns a
/// fault.
pub fn parse_tokens<T, F>(source: &Source, memory: u64, parse: F) -> Result<Vec<T>>
where
    T: Copy + Default + Send,
    F: Fn(&[u8]) -> Result<T, Fault> + Sync,
{
    source.expect_text()?;
    // Words are counted only in a text that may be read. A number has a character and a space after it.
    if source.bytes().len() > COUNTED {
        check_length::<T>(source, source.bytes().len().div_ceil(2), memory)?;
    }
    let pieces = chunks(source.bytes(), is_space);
    let counts: Vec<usize> = pieces.par_iter().map(|(_, piece)| count_tokens(piece)).collect();
    check_length::<T>(source, counts.iter().sum(), memory)?;
    let mut values = Budget::new(source, memory).vector(counts.iter().sum())?;
    let mut rest = &mut values[..];
    let mut tasks = Vec::with_capacity(pieces.len());
    for ((offset, piece), count) in pieces.into_iter().zip(counts) {
        let (own, others) = rest.split_at_mut(count);
        rest = others;
        tasks.push((offset, piece, own));
    }
    let parsed = tasks.par_iter_mut().try_for_each(|(offset, piece, own)| {
        for (value, token) in own.iter_mut().zip(tokens(piece, *offset)) {
            *value = parse(token.text).map_err(|message| (token.offset, message))?;
        }
        Ok(())
    });
    match parsed {
        Err((offset, message)) => Err(source.text_error(offset, message)),
        Ok(()) => Ok(values),
    }
}

/// Refuses, before parsing, a text so long that its `count` numbers, of type `T`, cannot fit `memory` bytes. A text
/// may have 8 bytes per byte of memory: a number takes at least a third of the length of its text, so this leaves
/// room for some padding.
pub fn check_length<T>(source: &Source, count: usize, memory: u64) -> Result<()> {
    let least = source.bytes().len() as u64 / 8;
    match least.saturating_add(source.held()) > memory {
        true => {
            let numbers = (count as u64).saturating_mul(size_of::<T>() as u64);
            Err(too_large(source, least.max(numbers).saturating_add(source.held()), memory))
        }
        false => Ok(()),
    }
}

/// The reason why a token is not a number of the expected type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// It contains something other than decimal digits.
    NoDigits,
    /// It exceeds the largest value of the type.
    TooLarge,
}

/// Returns the value of a run of decimal digits.
#[inline]
pub fn decimal(token: &[u8]) -> Result<u64, NotANumber> {
    match token.split_last_chunk() {
        None if token.is_empty() => Err(NotANumber::NoDigits),
        None => short_decimal(token),
        // 19 digits fit 64 bits.
        Some((high, low)) if token.len() < 20 => Ok(short_decimal(high)? * 100_000_000 + eight_digits(*low)?),
        Some(_) => long_decimal(token),
    }
}

/// Returns the value of at most 19 digits; 0 if there are none.
#[inline]
fn short_decimal(digits: &[u8]) -> Result<u64, NotANumber> {
    let mut value = 0;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(NotANumber::NoDigits);
        }
        value = value * 10 + u64::from(digit);
    }
    Ok(value)
}

/// Returns the value of eight digits: joins neighbouring digits to pairs, pairs to fours, and the
/// two fours.
#[inline]
fn eight_digits(digits: [u8; 8]) -> Result<u64, NotANumber> {
    let word = u64::from_le_bytes(digits);
    let low = word.wrapping_sub(0x3030_3030_3030_3030);
    // A byte below '0' borrows into its top bit; one above '9' carries into its upper half.
    if (low | word.wrapping_add(0x4646_4646_4646_4646)) & 0x8080_8080_8080_8080 != 0 {
        return Err(NotANumber::NoDigits);
    }
    // The first digit is the most significant one, and is in the lowest byte.
    let pairs = (low * 10 + (low >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Ok((fours * 10_000 + (fours >> 32)) & 0xffff_ffff)
}

fn long_decimal(digits: &[u8]) -> Result<u64, NotANumber> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return Err(NotANumber::NoDigits);
    }
    let step = |value: u64, &byte: &u8| value.checked_mul(10)?.checked_add(u64::from(byte - b'0'));
    digits.iter().try_fold(0, step).ok_or(NotANumber::TooLarge)
}

/// Writes integers as decimal text, one per line. They are formatted in parallel.
pub fn write_integers<T: itoa::Integer + Copy + Sync>(out: &mut dyn Write, values: &[T]) -> io::Result<()> {
    write_parallel(out, values, FORMAT_CHUNK, format_integers)
}

/// Writes the texts of all items, in order; a task makes that of `at_once` items.
pub(crate) fn write_parallel<T: Sync>(
    out: &mut dyn Write,
    items: &[T],
    at_once: usize,
    text: impl Fn(&[T]) -> Vec<u8> + Sync,
) -> io::Result<()> {
    for round in items.chunks(at_once * 4 * threads()) {
        let texts: Vec<Vec<u8>> = round.par_chunks(at_once).map(&text).collect();
        texts.iter().try_for_each(|text| out.write_all(text))?;
    }
    Ok(())
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn format_integers<T: itoa::Integer + Copy>(values: &[T]) -> Vec<u8> {
    let mut buffer = itoa::Buffer::new();
    let mut text = Vec::with_capacity(values.len() * 11);
    for &value in values {
        text.extend_from_slice(buffer.format(value).as_bytes());
        text.push(b'\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_up_to_the_last() {
        let number = |text: &str| decimal(text.as_bytes());
        assert_eq!(number("0"), Ok(0));
        assert_eq!(number("0000000000000000000000007"), Ok(7));
        assert_eq!(number("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(number("18446744073709551616"), Err(NotANumber::TooLarge));
        assert_eq!(number("99999999999999999999999"), Err(NotANumber::TooLarge));
        for text in ["", "-1", "+1", "1.0", "0x1", "12a", "9999999999999999999999x", "\u{661}"] {
            assert_eq!(number(text), Err(NotANumber::NoDigits), "{text}");
        }
    }

    #[test]
    fn every_byte_at_every_place_of_eight_digits() {
        for place in 0..8 {
            for byte in 0..=u8::MAX {
                let mut token = *b"12345678";
                token[place] = byte;
                let expected = std::str::from_utf8(&token).ok().filter(|_| byte.is_ascii_digit());
                assert_eq!(decimal(&token).ok(), expected.and_then(|t| t.parse().ok()), "{token:?}");
            }
        }
    }

    #[test]
    fn the_first_of_many_errors_is_told() {
        let mut text = "1\n".repeat(CHUNK);
        for at in [CHUNK, CHUNK + 100, CHUNK * 2 - 2] {
            text.replace_range(at..=at, "x");
        }
        let source = Source::from_bytes("f", text);
        let parse = |token: &[u8]| decimal(token).map_err(|_| Fault::from(quote(token)));
        let error = parse_tokens(&source, u64::MAX, parse).unwrap_err();
        assert_eq!(error.to_string(), format!("f:{}:1: \"x\"", CHUNK / 2 + 1));
    }

    #[test]
    fn more_than_the_memory_is_refused() {
        let source = Source::from_bytes("f", "1 2 3");
        assert!(parse_tokens(&source, 24, |_| Ok(0u64)).is_ok());
        let blank = Source::from_bytes("f", [b' '; 100]);
        assert!(parse_tokens(&blank, 12, |_| Ok(0u64)).is_ok());
        assert_eq!(parse_tokens(&blank, 11, |_| Ok(0u64)).unwrap_err().exit_code(), 3);
        assert_eq!(parse_tokens(&source, 23, |_| Ok(0u64)).unwrap_err().exit_code(), 3);
    }

    proptest! {
        #[test]
        fn tokens_are_what_the_standard_library_splits(text in "[ \t\r\n\u{b}\u{c}a-c\u{e4}]{0,40}") {
            let found: Vec<_> = tokens(text.as_bytes(), 5).collect();
            let expected: Vec<_> = text.split_ascii_whitespace().flat_map(|t| t.split('\u{b}')).filter(|t| !t.is_empty()).collect();
            prop_assert_eq!(count_tokens(text.as_bytes()), expected.len());
            prop_assert_eq!(found.len(), expected.len());
            for (token, expected) in found.iter().zip(expected) {
                prop_assert_eq!(token.text, expected.as_bytes());
                prop_assert!(text.as_bytes()[token.offset - 5..].starts_with(token.text));
            }
        }

        #[test]
        fn chunks_are_the_text_and_cut_no_token(lengths in prop::collection::vec(1usize..300_000, 0..6)) {
            let text: Vec<u8> = lengths.iter().flat_map(|&n| [vec![b'7'; n], vec![b' ']].concat()).collect();
            let pieces = chunks(&text, is_space);
            let together: Vec<u8> = pieces.iter().flat_map(|(_, piece)| piece.to_vec()).collect();
            prop_assert_eq!(&together, &text);
            prop_assert!(pieces.iter().all(|(offset, piece)| text[*offset..].starts_with(piece)));
            let counted: usize = pieces.iter().map(|(_, piece)| count_tokens(piece)).sum();
            prop_assert_eq!(counted, lengths.len());
        }

        #[test]
        fn numbers_come_back(values: Vec<u64>) {
            let mut text = Vec::new();
            write_integers(&mut text, &values).unwrap();
            let source = Source::from_bytes("f", text);
            let parse = |token: &[u8]| decimal(token).map_err(|_| Fault::from(quote(token)));
            prop_assert_eq!(parse_tokens(&source, u64::MAX, parse).unwrap(), values);
        }

        #[test]
        fn a_decimal_is_what_the_standard_library_parses(text in "[0-9]{0,25}|[ -~]{0,25}") {
            let expected = text.parse::<u64>().ok().filter(|_| !text.starts_with('+'));
            prop_assert_eq!(decimal(text.as_bytes()).ok(), expected);
        }
    }
}
