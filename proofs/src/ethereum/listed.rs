//! The points of a trusted setup in its file, as words with their places: in the text of c-kzg, or in the JSON of consensus-specs.

use serde::Deserialize;
use serde::de::IgnoredAny;

use wgalois::Result;
use wgalois_io::budget::Budget;
use wgalois_io::text::Token;
use wgalois_io::{Source, text};

/// The points of a setup, in hexadecimal digits.
pub struct Listed<'a> {
    /// Of G1, for the Lagrange polynomials.
    pub lagrange: Vec<Token<'a>>,
    /// Of G2, the powers of tau.
    pub powers2: Vec<Token<'a>>,
    /// Of G1, the powers of tau; empty if the file does not have them.
    pub powers: Vec<Token<'a>>,
}

/// The file of consensus-specs, by its names since EIP-4844 was final, and by those before.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'a> {
    #[serde(borrow, alias = "setup_G1_lagrange")]
    g1_lagrange: Vec<&'a str>,
    #[serde(borrow, alias = "setup_G2")]
    g2_monomial: Vec<&'a str>,
    #[serde(borrow, default, alias = "setup_G1")]
    g1_monomial: Vec<&'a str>,
    /// Older files have them. They follow from the number of points.
    #[serde(rename = "roots_of_unity")]
    _roots: Option<IgnoredAny>,
}

/// Bytes that the lists of a file of JSON take for each of its bytes: an entry has three bytes or more, and takes 16 in a vector that grows by
/// doubling.
const JSON_BYTES: u64 = 20;

/// Finds the points of a setup. The points themselves are not read.
pub fn find<'a>(source: &'a Source, budget: &mut Budget<'_>) -> Result<Listed<'a>> {
    match source.bytes().trim_ascii_start().first() {
        Some(b'{') => json(source, budget),
        _ => words(source, budget),
    }
}

fn json<'a>(source: &'a Source, budget: &mut Budget<'_>) -> Result<Listed<'a>> {
    let bytes = source.bytes();
    budget.take_bytes(JSON_BYTES * bytes.len() as u64)?;
    let file: File<'_> = serde_json::from_slice(bytes).map_err(|error| {
        let lines = bytes.split_inclusive(|&byte| byte == b'\n').take(error.line().saturating_sub(1));
        let place = lines.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1);
        let whole = error.to_string();
        // The place stands in front already.
        let message = whole.rsplit_once(" at line ").map_or(&whole[..], |(message, _)| message);
        source.text_error(place, format!("no setup of consensus-specs: {}", text::one_line(message, 200)))
    })?;
    let list = |words: Vec<&'a str>| {
        let place = |word: &str| word.as_ptr() as usize - bytes.as_ptr() as usize;
        words.into_iter().map(|word| Token { offset: place(word), text: word.as_bytes() }).collect()
    };
    Ok(Listed {
        lagrange: list(file.g1_lagrange),
        powers2: list(file.g2_monomial),
        powers: list(file.g1_monomial),
    })
}

fn words<'a>(source: &'a Source, budget: &mut Budget<'_>) -> Result<Listed<'a>> {
    let bytes = source.bytes();
    let count = text::count_tokens(bytes);
    budget.take::<Token<'_>>(count as u64)?;
    let mut tokens = budget.room::<Token<'a>>(count)?;
    tokens.extend(text::tokens(bytes, 0));
    let number = |i: usize, what: &str| {
        let Some(token) = tokens.get(i) else {
            return Err(source.error(format!("the file ends before {what}")));
        };
        let value = text::decimal(token.text).ok().and_then(|value| usize::try_from(value).ok());
        value.ok_or_else(|| source.text_error(token.offset, format!("expected {what}")))
    };
    let (n, m) = (number(0, "the number of points of G1")?, number(1, "the number of points of G2")?);
    let found = count - 2;
    let short = n.checked_add(m);
    let whole = short.and_then(|short| short.checked_add(n));
    if short != Some(found) && whole != Some(found) {
        return Err(source.error(format!(
            "{found} points, where {n} of G1 and {m} of G2, and perhaps {n} more of G1, were expected"
        )));
    }
    let powers = tokens.split_off(2 + n + m);
    let powers2 = tokens.split_off(2 + n);
    Ok(Listed { lagrange: tokens.split_off(2), powers2, powers })
}
