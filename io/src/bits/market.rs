//! Matrix Market files, as lists of entries or as arrays, of patterns or of numbers (Boisvert, Pozo, Remington: "The Matrix Market exchange
//! formats: initial design", NISTIR 5935, 1996).

use super::limits::Limits;
use crate::Source;
use crate::budget::Budget;
use crate::text::{Token, decimal, is_space, quote, tokens};
use std::io::{self, Write};
use wgalois::gf2::{BitMatrix, IndexLists, MAX_SIDE};
use wgalois::{Error, Result};

pub const BANNER: &[u8] = b"%%MatrixMarket";

/// Reads the rows and the number of columns. If they become a matrix, its bytes are refused here, too.
pub fn read(source: &Source, limits: &Limits, becomes_matrix: bool) -> Result<(IndexLists, usize)> {
    source.expect_text()?;
    let Banner { is_array, has_values, symmetry } = banner(source, limits.wrap)?;
    let symmetric = symmetry != Symmetry::None;
    let body = comments_end(source.bytes());
    expect_sizes(source, body, is_array)?;
    let mut numbers = Numbers { source, tokens: tokens(&source.bytes()[body..], body) };
    let rows = numbers.next("the number of rows", 0..=MAX_SIDE as u64)?;
    let place = numbers.place();
    let columns = numbers.next("the number of columns", 0..=MAX_SIDE as u64)?;
    limits.expect_columns(columns).map_err(|message| source.text_error(place, message))?;
    if symmetric && rows != columns {
        return Err(source.error(format!("a symmetric matrix of {rows} x {columns}")));
    }
    let shape = Shape { rows, columns, symmetry };
    if is_array {
        return read_array(source, limits, becomes_matrix, shape, numbers.tokens);
    }
    let count = numbers.next("the number of entries", 0..=u64::MAX)?;
    // An entry takes at least four bytes of text.
    if count > source.bytes().len() as u64 / 4 {
        return Err(source.error(format!("the header promises {count} entries, more than the file can hold")));
    }
    let mut budget = Budget::new(source, limits.memory);
    let mut entries = shape.room(&mut budget, count, becomes_matrix)?;
    for _ in 0..count {
        let at = numbers.place();
        let row = numbers.next("the row of an entry", 1..=rows)? as u32 - 1;
        let column = numbers.next("the column of an entry", 1..=columns)? as u32 - 1;
        if symmetry == Symmetry::Skew && row == column {
            return Err(source.text_error(at, "an entry on the diagonal of a skew-symmetric matrix"));
        }
        if !has_values || numbers.value(limits.wrap)? {
            shape.push(&mut entries, (row, column, at));
        }
    }
    numbers.expect_end(&format!("the header promises {count} entries, and here is more"))?;
    let twice =
        |at| source.text_error(at, "the entry occurs for the second time (--wrap adds entries modulo 2)");
    Ok((self::lists(rows as usize, entries, &mut budget, limits.wrap, twice)?, columns as usize))
}

/// Reads the values of an array, column after column; of a symmetric one, from the diagonal on.
fn read_array<'a>(
    source: &'a Source,
    limits: &Limits,
    becomes_matrix: bool,
    shape: Shape,
    tokens: impl Iterator<Item = Token<'a>> + Clone,
) -> Result<(IndexLists, usize)> {
    let (rows, columns) = (shape.rows as u32, shape.columns as u32);
    let ones = tokens.clone().filter(|token| parity(token.text, limits.wrap) == Some(true)).count();
    let mut budget = Budget::new(source, limits.memory);
    let mut entries = shape.room(&mut budget, ones as u64, becomes_matrix)?;
    let mut numbers = Numbers { source, tokens };
    // Without rows, billions of columns hold nothing.
    for column in 0..if rows == 0 { 0 } else { columns } {
        let first = match shape.symmetry {
            Symmetry::None => 0,
            Symmetry::Whole => column,
            Symmetry::Skew => column + 1,
        };
        for row in first..rows {
            let at = numbers.place();
            if numbers.value(limits.wrap)? {
                shape.push(&mut entries, (row, column, at));
            }
        }
    }
    numbers.expect_end(&format!("the array of {rows} x {columns} ends before this"))?;
    let twice = |at| source.text_error(at, "the entry occurs for the second time");
    Ok((lists(rows as usize, entries, &mut budget, false, twice)?, columns as usize))
}

struct Shape {
    rows: u64,
    columns: u64,
    symmetry: Symmetry,
}

impl Shape {
    /// Returns room for so many entries of the file, if all that reading takes may be used.
    fn room(&self, budget: &mut Budget<'_>, count: u64, becomes_matrix: bool) -> Result<Vec<Entry>> {
        let most = if self.symmetry != Symmetry::None { count.saturating_mul(2) } else { count };
        // The entries and the lists, then the lists and the matrix.
        let lists = super::lists::bytes_of(most as usize, self.rows as usize);
        let matrix = if becomes_matrix { BitMatrix::bytes_of(self.rows, self.columns.max(1)) } else { 0 };
        budget.expect(lists.saturating_add(matrix.max(most.saturating_mul(size_of::<Entry>() as u64))))?;
        budget.take::<Entry>(most)?;
        budget.room(most as usize)
    }

    fn push(&self, entries: &mut Vec<Entry>, (row, column, at): Entry) {
        entries.push((row, column, at));
        if self.symmetry != Symmetry::None && row != column {
            entries.push((column, row, at));
        }
    }
}

/// Which entries a file leaves out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    None,
    /// Those above the diagonal, which are those below it.
    Whole,
    /// Those above the diagonal, which are those below it with the other sign, and the zeros of the diagonal.
    Skew,
}

/// The first line of a file.
struct Banner {
    is_array: bool,
    has_values: bool,
    symmetry: Symmetry,
}

fn banner(source: &Source, wrap: bool) -> Result<Banner> {
    const EXPECTED: &str =
        "expected \"%%MatrixMarket matrix coordinate pattern general\", or array, integer, real, symmetric";
    let line = source.bytes().split(|&byte| byte == b'\n').next().unwrap_or_default();
    let words: Vec<(String, usize)> = tokens(line, 0)
        .map(|token| (String::from_utf8_lossy(token.text).to_ascii_lowercase(), token.offset))
        .collect();
    let names: Vec<&str> = words.iter().map(|(word, _)| word.as_str()).collect();
    let ["%%matrixmarket", "matrix", form, field, symmetry] = names[..] else {
        let one = if names.first() == Some(&"%matrixmarket") { "; here is one %" } else { "" };
        return Err(source.text_error(0, format!("{EXPECTED}{one}")));
    };
    let refuse = |word: usize, expected: &str| {
        let (found, place) = &words[word];
        Err(source.text_error(*place, format!("{}: expected {expected}", quote(found.as_bytes()))))
    };
    if !["array", "coordinate"].contains(&form) {
        return refuse(2, "coordinate or array");
    }
    if !["pattern", "integer", "unsigned-integer", "real", "double"].contains(&field) {
        return refuse(3, "pattern, integer, unsigned-integer, real or double");
    }
    let (is_array, has_values) = (form == "array", field != "pattern");
    if is_array && !has_values {
        return Err(source.text_error(0, EXPECTED));
    }
    let symmetry = match symmetry {
        "general" => Symmetry::None,
        "symmetric" => Symmetry::Whole,
        "skew-symmetric" if wrap => Symmetry::Skew,
        "skew-symmetric" => {
            let expected = "general or symmetric: entries with the other sign are not 0 or 1 (--wrap takes them modulo 2)";
            return refuse(4, expected);
        }
        _ => return refuse(4, "general, symmetric or skew-symmetric"),
    };
    Ok(Banner { is_array, has_values, symmetry })
}

/// Refuses a line of sizes, the first one after the comments, with another number of them.
fn expect_sizes(source: &Source, body: usize, is_array: bool) -> Result<()> {
    let rest = &source.bytes()[body..];
    let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    // A line without an end is not searched for more.
    let found = tokens(line, body).take(4).count();
    let (expected, sizes) = if is_array { (2, "rows and columns") } else { (3, "rows, columns and entries") };
    match found {
        // Where the file ends, the readers of the numbers say so.
        0 => Ok(()),
        found if found == expected => Ok(()),
        _ => {
            let more = if found > 3 { "more than 3" } else { ["", "1", "2", "3"][found] };
            let message = format!("{more} numbers, where the numbers of {sizes} were expected");
            Err(source.text_error(body, message))
        }
    }
}

/// Returns the bit that a number stands for: 0 or 1, with `wrap` any integer modulo 2. `None` for others.
fn parity(token: &[u8], wrap: bool) -> Option<bool> {
    match token {
        b"0" => return Some(false),
        b"1" => return Some(true),
        _ => (),
    }
    let digits = token.strip_prefix(b"-").or_else(|| token.strip_prefix(b"+")).unwrap_or(token);
    // The parity of a long number is that of its last digit.
    if let (true, Some(last)) = (wrap && digits.iter().all(u8::is_ascii_digit), digits.last()) {
        return Some(last & 1 == 1);
    }
    let number: f64 = std::str::from_utf8(token).ok()?.parse().ok()?;
    super::npy::parity_of(number, wrap)
}

/// Returns the offset after the lines that begin with `%`, and blank ones.
fn comments_end(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if is_space(byte) {
            at += 1;
            continue;
        }
        if byte != b'%' {
            break;
        }
        at += text[at..].iter().position(|&byte| byte == b'\n').map_or(text.len() - at, |end| end + 1);
    }
    at
}

struct Numbers<'a, T: Iterator<Item = Token<'a>> + Clone> {
    source: &'a Source,
    tokens: T,
}

impl<'a, T: Iterator<Item = Token<'a>> + Clone> Numbers<'a, T> {
    /// Returns the offset of the next number.
    fn place(&self) -> usize {
        self.tokens.clone().next().map_or(self.source.bytes().len(), |token| token.offset)
    }

    /// Returns the bit that the next number stands for.
    fn value(&mut self, wrap: bool) -> Result<bool> {
        let token = self.token("the value of an entry")?;
        parity(token.text, wrap).ok_or_else(|| {
            let message = format!("{}: {}", quote(token.text), super::limits::expected_bit(wrap));
            self.source.text_error(token.offset, message)
        })
    }

    fn token(&mut self, what: &str) -> Result<Token<'a>> {
        let end = self.source.bytes().len();
        let message = || format!("the file ends where {what} was expected");
        self.tokens.next().ok_or_else(|| self.source.text_error(end, message()))
    }

    /// Refuses more numbers.
    fn expect_end(&mut self, message: &str) -> Result<()> {
        self.tokens.next().map_or(Ok(()), |token| {
            Err(self.source.text_error(token.offset, format!("{}: {message}", quote(token.text))))
        })
    }

    fn next(&mut self, what: &str, range: std::ops::RangeInclusive<u64>) -> Result<u64> {
        let token = self.token(what)?;
        decimal(token.text).ok().filter(|value| range.contains(value)).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            let message = format!("{}: {what} was expected, from {least} to {most}", quote(token.text));
            self.source.text_error(token.offset, message)
        })
    }
}

/// An entry's row, column and place in the file.
pub(super) type Entry = (u32, u32, usize);

/// Converts entries to rows. Of entries with the same row and column the sum is taken if `adds`; otherwise `twice` is the
/// error of the second.
pub(super) fn lists(
    rows: usize,
    mut entries: Vec<Entry>,
    budget: &mut Budget<'_>,
    adds: bool,
    twice: impl Fn(usize) -> Error,
) -> Result<IndexLists> {
    entries.sort_unstable_by_key(|&(row, column, at)| (row, std::cmp::Reverse(column), at));
    let same = |a: &Entry, b: &Entry| (a.0, a.1) == (b.0, b.1);
    if adds {
        let mut kept = 0;
        let mut at = 0;
        while at < entries.len() {
            let first = entries[at];
            let equal = entries[at..].iter().take_while(|entry| same(&first, entry)).count();
            at += equal;
            if equal % 2 == 1 {
                entries[kept] = first;
                kept += 1;
            }
        }
        entries.truncate(kept);
    }
    if let Some(pair) = entries.windows(2).find(|pair| same(&pair[0], &pair[1])) {
        return Err(twice(pair[1].2));
    }
    let mut offsets: Vec<usize> = budget.vector(rows + 1)?;
    budget.take::<u32>(entries.len() as u64)?;
    entries.iter().for_each(|&(row, ..)| offsets[row as usize + 1] += 1);
    (0..rows).for_each(|row| offsets[row + 1] += offsets[row]);
    Ok(IndexLists::from_checked(offsets, entries.iter().map(|&(_, column, _)| column).collect()))
}

pub fn write(out: &mut dyn Write, matrix: &BitMatrix) -> io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix coordinate pattern general")?;
    writeln!(out, "{} {} {}", matrix.rows(), matrix.columns(), matrix.count_ones())?;
    for row in 0..matrix.rows() {
        for column in matrix.ones(row) {
            writeln!(out, "{} {}", row + 1, column + 1)?;
        }
    }
    Ok(())
}
