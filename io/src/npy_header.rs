//! The header of NumPy's array files, after the specification in `numpy.lib.format`: `\x93NUMPY`, two bytes of version, the length of
//! a text in 2 bytes (version 1) or 4, and the text, a dictionary of Python with three entries:
//!
//! `{'descr': '<u4', 'fortran_order': False, 'shape': (3, 4), }`

use crate::Source;
use crate::text::excerpt;
use wgalois::Result;

pub const MAGIC: &[u8] = b"\x93NUMPY";

/// The most sides of an array in NumPy.
const SIDES: usize = 64;

/// What a header states.
pub struct Header {
    /// The type of the items as NumPy writes it, such as `<u4`.
    pub descr: String,
    /// True if the first index changes fastest.
    pub is_fortran: bool,
    /// The sides.
    pub shape: Vec<u64>,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
}

/// The type of an array's items.
#[derive(Clone, Copy, Debug)]
pub struct Type {
    pub kind: Kind,
    /// Bytes: 1, 2, 4 or 8.
    pub size: usize,
    pub is_big: bool,
}

impl Header {
    /// Returns the type of the items; `None` if they are neither booleans, integers of 8 to 64 bits nor floats of 16 to 64.
    pub fn item(&self) -> Option<Type> {
        let &[order, kind, size] = self.descr.as_bytes() else { return None };
        let kind = match kind {
            b'b' => Kind::Bool,
            b'i' => Kind::Signed,
            b'u' => Kind::Unsigned,
            b'f' => Kind::Float,
            _ => return None,
        };
        let size = match (kind, size) {
            (Kind::Bool | Kind::Signed | Kind::Unsigned, b'1') => 1,
            (Kind::Signed | Kind::Unsigned | Kind::Float, b'2' | b'4' | b'8') => usize::from(size - b'0'),
            _ => return None,
        };
        // Single bytes have no order.
        let is_big = match order {
            b'<' => false,
            b'>' => true,
            b'|' if size == 1 => false,
            _ => return None,
        };
        Some(Type { kind, size, is_big })
    }
}

/// Reads the header of a file, and the place where the items begin.
pub fn read_header(source: &Source) -> Result<(Header, usize)> {
    let bytes = source.bytes();
    let refuse = |message: &str| Err(source.byte_error(0, message));
    let start = match bytes.get(6).filter(|_| bytes.starts_with(MAGIC)) {
        Some(1) => 10,
        Some(2 | 3) => 12,
        Some(_) => return refuse("a .npy file of a version that is not 1, 2 or 3"),
        None => return refuse("no .npy file: it does not begin with \\x93NUMPY"),
    };
    let Some(length) = bytes.get(8..start) else { return refuse("the file ends within its header") };
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    let Some(text) = bytes[start..].get(..length) else { return refuse("the file ends within its header") };
    let mut parser = Parser { text, place: 0 };
    let header = parser.header().map_err(|expected| {
        let found = &text[parser.place..];
        let found = match found.is_empty() {
            true => "its end".to_owned(),
            false => excerpt(&String::from_utf8_lossy(&found[..found.len().min(20)])),
        };
        let message = format!("the header describes no plain array: {expected} was expected, found {found}");
        source.byte_error(start + parser.place, message)
    })?;
    Ok((header, start + length))
}

/// The text of a header, and how much of it was read. An error is what was expected there.
struct Parser<'t> {
    text: &'t [u8],
    place: usize,
}

type Parsed<T> = std::result::Result<T, &'static str>;

impl Parser<'_> {
    /// The dictionary: each entry once, in any order, and nothing behind it.
    fn header(&mut self) -> Parsed<Header> {
        let (mut descr, mut is_fortran, mut shape) = (None, None, None);
        self.expect(b"{")?;
        while !self.take(b"}") {
            let begin = self.place;
            let (key, _) = (self.string()?, self.expect(b":")?);
            let is_new = match &key[..] {
                "descr" => descr.replace(self.string()?).is_none(),
                "fortran_order" => is_fortran.replace(self.boolean()?).is_none(),
                "shape" => shape.replace(self.sides()?).is_none(),
                _ => false,
            };
            if !is_new {
                self.place = begin;
                return Err("one of 'descr', 'fortran_order' and 'shape', each once,");
            }
            if !self.take(b",") {
                self.expect(b"}")?;
                break;
            }
        }
        self.skip_space();
        match (descr, is_fortran, shape) {
            _ if self.place < self.text.len() => Err("the end"),
            (Some(descr), Some(is_fortran), Some(shape)) => Ok(Header { descr, is_fortran, shape }),
            _ => Err("an entry for each of 'descr', 'fortran_order' and 'shape'"),
        }
    }

    /// A string without escapes, in either kind of quotes.
    fn string(&mut self) -> Parsed<String> {
        let expected = "a string";
        let quote = [b"'", b"\""].into_iter().find(|quote| self.take(*quote)).ok_or(expected)?;
        let rest = &self.text[self.place..];
        let length = rest.iter().position(|byte| *byte == quote[0]).ok_or(expected)?;
        let is_plain = |byte: &u8| byte.is_ascii_graphic() && *byte != b'\\' || *byte == b' ';
        if !rest[..length].iter().all(is_plain) {
            return Err("a string of plain letters");
        }
        self.place += length + 1;
        Ok(String::from_utf8_lossy(&rest[..length]).into_owned())
    }

    fn boolean(&mut self) -> Parsed<bool> {
        if self.take(b"True") {
            return Ok(true);
        }
        if self.take(b"False") { Ok(false) } else { Err("True or False") }
    }

    /// A tuple of numbers, whose product has at most 64 bits.
    fn sides(&mut self) -> Parsed<Vec<u64>> {
        self.expect(b"(")?;
        let (mut sides, mut product) = (Vec::new(), 1u64);
        while !self.take(b")") {
            if sides.len() == SIDES {
                return Err("a shape of at most 64 sides");
            }
            let side = self.number()?;
            product = product.checked_mul(side).ok_or("a shape of less than 2^64 items")?;
            sides.push(side);
            if !self.take(b",") {
                self.expect(b")")?;
                break;
            }
        }
        Ok(sides)
    }

    fn number(&mut self) -> Parsed<u64> {
        self.skip_space();
        let rest = &self.text[self.place..];
        let length = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        let number = str::from_utf8(&rest[..length]).ok().and_then(|digits| digits.parse().ok());
        self.place += if number.is_some() { length } else { 0 };
        number.ok_or("a number below 2^64")
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.place..];
        self.place += rest.iter().position(|byte| !b" \t\n".contains(byte)).unwrap_or(rest.len());
    }

    /// Reads the symbol if it comes next.
    fn take(&mut self, symbol: &[u8]) -> bool {
        self.skip_space();
        let is_next = self.text[self.place..].starts_with(symbol);
        self.place += if is_next { symbol.len() } else { 0 };
        is_next
    }

    fn expect(&mut self, symbol: &'static [u8]) -> Parsed<()> {
        match self.take(symbol) {
            true => Ok(()),
            false => Err(str::from_utf8(symbol).unwrap_or_default()),
        }
    }
}

/// Returns the header of a file, version 1. The shape is a tuple of Python.
pub fn header(descr: &str, shape: &str) -> Vec<u8> {
    const START: usize = 10;
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // The data begin at a multiple of 64 bytes, after a line feed.
    let padded = (START + text.len() + 1).next_multiple_of(64) - START;
    text.extend(std::iter::repeat_n(' ', padded - 1 - text.len()));
    text.push('\n');
    [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
}

/// Returns the tuple of these sides.
pub fn tuple(sides: &[u64]) -> String {
    let sides: String = sides.iter().map(|side| format!("{side}, ")).collect();
    format!("({sides})")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of version 1 with this text of a header.
    fn file(text: &str) -> Source {
        let length = (text.len() as u16).to_le_bytes();
        Source::from_bytes("f", [MAGIC, &[1, 0], &length, text.as_bytes()].concat())
    }

    #[test]
    fn what_was_written_is_read() {
        for (descr, sides) in [("<u4", &[][..]), ("|u1", &[5]), (">f8", &[3, 0, 1 << 40])] {
            let bytes = header(descr, &tuple(sides));
            let length = bytes.len();
            assert_eq!((length % 64, bytes[length - 1]), (0, b'\n'));
            let (read, start) = read_header(&Source::from_bytes("f", bytes)).unwrap();
            assert_eq!(
                (&read.descr[..], read.is_fortran, &read.shape[..], start),
                (descr, false, sides, length)
            );
        }
    }

    #[test]
    fn any_order_and_either_quotes() {
        for text in [
            "{'descr': '<i2', 'fortran_order': True, 'shape': (3, 4), }  \n",
            "{\"shape\":(3,4,),\"descr\":\"<i2\",\"fortran_order\":True}",
        ] {
            let (header, start) = read_header(&file(text)).unwrap();
            assert_eq!((header.is_fortran, &header.shape[..], start), (true, &[3, 4][..], 10 + text.len()));
            let item = header.item().unwrap();
            assert_eq!((item.kind, item.size, item.is_big), (Kind::Signed, 2, false));
        }
    }

    #[test]
    fn what_is_no_header_is_refused_with_the_place() {
        let sides = format!("{{'shape': ({})}}", "1,".repeat(65));
        for (text, place, expected) in [
            ("", 0, "{ was expected, found its end"),
            ("{'descr': '<u4' 'shape': ()}", 16, "} was expected, found 'shape': ()}"),
            ("{'descr': '<u4', 'fortran_order': False, 'shape': ()} 1", 54, "the end"),
            ("{'descr': '<u4', 'shape': ()}", 29, "an entry for each"),
            ("{'descr': '<u4', 'descr': '<u4'}", 17, "each once"),
            ("{'size': 4}", 1, "one of"),
            ("{'descr': '<u\\x34'}", 11, "plain letters"),
            ("{'descr': '<u4", 11, "a string"),
            ("{'descr': [('a', '<u4')]}", 10, "a string"),
            ("{'fortran_order': 0}", 18, "True or False"),
            ("{'shape': (-1,)}", 11, "a number below 2^64"),
            ("{'shape': (18446744073709551616,)}", 11, "a number below 2^64"),
            ("{'shape': (4294967296, 4294967296)}", 33, "less than 2^64 items"),
            ("{'shape': (1 2)}", 13, ") was expected"),
            (&sides, 139, "at most 64 sides"),
        ] {
            let error = read_header(&file(text)).map(|_| ()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("f: byte {}: ", 10 + place)), "{text}: {error}");
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn types_that_have_no_numbers_are_none() {
        let of = |descr: &str| Header { descr: descr.into(), is_fortran: false, shape: vec![] }.item();
        assert!(of("|b1").is_some() && of("<u1").is_some() && of(">f2").is_some_and(|item| item.is_big));
        for descr in ["", "u4", "|u4", "=u4", "<u3", "<u16", "<f1", "<b2", "<c8", "|S3", "<U1", "<M8[ns]"] {
            assert!(of(descr).is_none(), "{descr}");
        }
    }
}
