//! Files compressed by gzip (RFC 1952): a member, or several after each other, which together are one text.

use std::io::{self, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;
use wgalois::{Error, Result, Shortage};

use super::{Bytes, Damage, Source};

/// Bytes past the limit that are counted, so that the error can state how many there are.
const COUNTED: u64 = 1 << 30;
/// Bytes by which an expansion grows at least.
const STEP: u64 = 1 << 16;

/// True for the beginning of a member: its mark, the method deflate, and no flag that the format reserves.
pub fn begins(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1f, 0x8b, 8, flags, ..] if flags & 0xe0 == 0)
}

/// Why a file was not expanded.
#[derive(Debug)]
enum Failure {
    /// What is wrong with the file, and at which of its bytes.
    Damaged(Damage),
    /// The expansion takes more than the limit: so many bytes, if they were counted to the end.
    TooLarge(Option<u64>),
    /// The host lacks memory that may be used.
    NoMemory,
}

impl Source {
    /// Expands the bytes of a file that gzip compressed, to at most `limit` bytes; returns another file as it is. A file
    /// with the ending `.gz` must be one. Another file with the beginning of one stays as it is if it is damaged, since
    /// the beginning may be that of numbers; readers of text refuse it with the fault.
    pub fn expanded(self, limit: u64) -> Result<Source> {
        let is_named = has_ending(&self.path);
        if !begins(self.bytes()) {
            return match is_named {
                true => Err(self.byte_error(0, "no file of gzip, which the ending .gz promises")),
                false => Ok(self),
            };
        }
        match expand(self.bytes(), limit) {
            Ok(bytes) => Ok(Source { bytes: Bytes::Owned(bytes), ..self }),
            Err(Failure::Damaged(damage)) if is_named => Err(self.byte_error(damage.at, damage.what)),
            Err(Failure::Damaged(damage)) => Ok(Source { damage: Some(damage), ..self }),
            Err(Failure::TooLarge(needed)) => {
                let name = wgalois::quoting::name(&self.path);
                let message =
                    format!("{name}: expanded, it has more than the {limit} bytes that may be used");
                let mut shortage = Shortage::of_host(message, needed.unwrap_or(u64::MAX), limit);
                shortage.needed = needed;
                Err(Error::TooLarge(shortage))
            }
            Err(Failure::NoMemory) => {
                let name = wgalois::quoting::name(&self.path);
                Err(Error::TooLarge(format!("{name}: the host lacks the memory to expand it").into()))
            }
        }
    }
}

/// True for a name that ends with `.gz`.
fn has_ending(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

fn expand(bytes: &[u8], limit: u64) -> Result<Vec<u8>, Failure> {
    let mut expanded = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        if !begins(rest) {
            let at = bytes.len() - rest.len();
            return Err(Failure::Damaged(Damage {
                at,
                what: "no member of gzip, where one or the end was expected",
            }));
        }
        let mut member = GzDecoder::new(rest);
        let outcome = append(&mut member, &mut expanded, limit);
        let left = member.get_ref().len();
        match outcome {
            Ok(()) => rest = member.into_inner(),
            Err(Fault::Limit) => return Err(Failure::TooLarge(count(member, expanded.len() as u64))),
            Err(Fault::Memory) => return Err(Failure::NoMemory),
            Err(Fault::Data(what)) => return Err(Failure::Damaged(Damage { at: bytes.len() - left, what })),
        }
    }
    expanded.shrink_to_fit();
    Ok(expanded)
}

enum Fault {
    Limit,
    Memory,
    Data(&'static str),
}

/// Appends the bytes of a member. No more room is reserved than the limit allows.
fn append(member: &mut impl Read, expanded: &mut Vec<u8>, limit: u64) -> Result<(), Fault> {
    let mut filled = expanded.len();
    loop {
        if filled == expanded.len() {
            let held = filled as u64;
            let more = limit.saturating_sub(held).min(held.max(STEP));
            if more == 0 {
                // The member may end here.
                return match read(member, &mut [0])? {
                    0 => Ok(()),
                    _ => Err(Fault::Limit),
                };
            }
            expanded.try_reserve_exact(more as usize).map_err(|_| Fault::Memory)?;
            expanded.resize(filled + more as usize, 0);
        }
        match read(member, &mut expanded[filled..]) {
            Ok(0) => {
                expanded.truncate(filled);
                return Ok(());
            }
            Ok(count) => filled += count,
            Err(fault) => return Err(fault),
        }
    }
}

fn read(member: &mut impl Read, into: &mut [u8]) -> Result<usize, Fault> {
    member.read(into).map_err(|error| {
        Fault::Data(match error.kind() {
            io::ErrorKind::UnexpectedEof => "the file of gzip ends within a member",
            _ => "the data of gzip are damaged",
        })
    })
}

/// The length of an expansion of which `held` bytes and one more were read; `None` if the rest is damaged, or more than is counted.
fn count(member: GzDecoder<&[u8]>, held: u64) -> Option<u64> {
    let mut all = held + 1;
    let most = held.saturating_add(COUNTED);
    let mut member = member;
    loop {
        all += io::copy(&mut (&mut member).take(COUNTED), &mut io::sink()).ok()?;
        let rest = member.into_inner();
        if all >= most {
            return None;
        }
        if rest.is_empty() {
            return Some(all);
        }
        if !begins(rest) {
            return None;
        }
        member = GzDecoder::new(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn open(name: &str, bytes: &[u8], limit: u64) -> Result<Source> {
        Source::from_bytes(name, bytes).expanded(limit)
    }

    #[test]
    fn members_are_one_text() {
        let text: Vec<u8> = (0..200_000u32).flat_map(|i| format!("{i}\n").into_bytes()).collect();
        for (first, name) in [(0, "a.txt.gz"), (1, "a.txt"), (100_000, "-"), (text.len(), "A.GZ")] {
            let bytes = [packed(&text[..first]), packed(&text[first..])].concat();
            assert_eq!(open(name, &bytes, u64::MAX).unwrap().bytes(), text);
            assert_eq!(open(name, &bytes, text.len() as u64).unwrap().bytes(), text);
        }
        assert_eq!(open("a.gz", &packed(b""), 0).unwrap().bytes(), b"");
        // What gzip itself wrote, with the name of the file in the header.
        let bytes = *b"\x1f\x8b\x08\x08\x01\x00\x00\x00\x00\x03\x61\x2e\x74\x78\x74\x00\x33\x34\x30\xe4\x32\x30\x34\xe4\x02\x00\xdb\x7c\xba\xf2\x08\x00\x00\x00";
        assert_eq!(open("a.txt.gz", &bytes, 100).unwrap().bytes(), b"101\n011\n");
    }

    #[test]
    fn every_truncation_and_every_flip_is_refused() {
        let text = b"1 0 1\n0 1 1\n".repeat(20);
        let bytes = packed(&text);
        for end in 0..bytes.len() {
            let error = open("f.gz", &bytes[..end], u64::MAX).unwrap_err();
            assert_eq!(error.exit_code(), 3);
            assert!(error.to_string().starts_with("f.gz: byte "), "{end}: {error}");
            if end >= 4 {
                let other = open("f", &bytes[..end], u64::MAX).unwrap();
                assert!(other.expect_text().unwrap_err().to_string().contains("ends within a member"));
            }
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                // The header's time, its system and its flag of text are not protected, nor are bits after the end of the last block.
                if let Ok(read) = open("f.gz", &changed, u64::MAX) {
                    let is_free = (3..10).contains(&at) || at == bytes.len() - 9;
                    assert!(is_free && read.bytes() == text, "byte {at}, bit {bit}");
                }
            }
        }
        let error = open("f.gz", &[&bytes[..], b"0 1\n"].concat(), u64::MAX).unwrap_err().to_string();
        assert!(error.starts_with(&format!("f.gz: byte {}: no member of gzip", bytes.len())), "{error}");
        let error = open("f.gz", b"1 0\n", u64::MAX).unwrap_err().to_string();
        assert!(error.starts_with("f.gz: byte 0: no file of gzip"), "{error}");
    }

    #[test]
    fn an_expansion_has_a_bound() {
        let bytes = packed(&vec![b' '; 10_000_000]);
        assert!(bytes.len() < 20_000);
        for limit in [0, 1000, 9_999_999] {
            match open("f.gz", &bytes, limit).unwrap_err() {
                Error::TooLarge(shortage) => assert_eq!(shortage.needed, Some(10_000_000)),
                error => panic!("{error}"),
            }
        }
        assert_eq!(open("f.gz", &bytes, 10_000_000).unwrap().bytes().len(), 10_000_000);
    }

    #[test]
    fn numbers_that_begin_like_a_member_stay_as_they_are() {
        let bytes = [&b"\x1f\x8b\x08\x00"[..], &[7; 60]].concat();
        assert_eq!(open("f.raw", &bytes, u64::MAX).unwrap().bytes(), bytes);
    }
}
