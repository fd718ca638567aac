//! What a file is, by its first bytes. Errors of readers say it where a file of another kind was given.

use std::path::Path;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The kind in words, with its article.
    pub name: &'static str,
    /// True if a reader of this crate takes such files.
    pub is_read: bool,
}

/// First bytes, in words, and whether a reader takes such files.
const BEGINNINGS: &[(&[u8], &str, bool)] = &[
    (
        b"version https://git-lfs.github.com/",
        "a pointer of Git LFS, not the file itself: `git lfs pull` fetches it",
        false,
    ),
    (b"/annex/objects/", "a pointer of git-annex, not the file itself: `git annex get` fetches it", false),
    (b"\x1f\x8b", "compressed by gzip", false),
    (b"BZh", "compressed by bzip2", false),
    (b"\xfd7zXZ\0", "compressed by xz", false),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", false),
    (b"\x89PNG\r\n", "a picture (PNG)", false),
    (b"\xff\xd8\xff", "a picture (JPEG)", false),
    (b"%PDF-", "a PDF document", false),
    (b"\x7fELF", "a program (ELF)", false),
    (b"\x89HDF\r\n", "an HDF5 file", false),
    (b"MATLAB 5.0 MAT-file", "a MAT-file of MATLAB", false),
    (b"<?xml", "an XML document", false),
    (b"\xef\xbb\xbf", "text that begins with a byte order mark (EF BB BF)", true),
    (b"\xff\xfe", "text in UTF-16", false),
    (b"\xfe\xff", "text in UTF-16", false),
    (b"ptau\x01\0\0\0", "the powers of tau of a ceremony (.ptau)", false),
    (b"\x93NUMPY", "an array of NumPy (.npy)", true),
    (b"PK\x03\x04", "a zip archive, as .npz is", true),
    (b"PK\x05\x06", "a zip archive without files", false),
    (b"%%MatrixMarket", "a matrix of Matrix Market (.mtx)", true),
    (b"\x89WGF2", "a packed matrix (.gf2)", true),
    (b"r1cs", "a circuit (.r1cs)", true),
    (b"wtns", "a witness (.wtns)", true),
    (b"{\"", "JSON", true),
    (b"{\n", "JSON", true),
];

/// Returns what a file is whose first bytes are these; `None` if they do not tell.
pub fn identify(bytes: &[u8]) -> Option<Kind> {
    if bytes.is_empty() {
        return Some(Kind { name: "empty", is_read: true });
    }
    if bytes.starts_with(b"zkey") {
        return Some(Kind { name: key(bytes), is_read: true });
    }
    let found = BEGINNINGS.iter().find(|(first, ..)| bytes.starts_with(first));
    let known = found.map(|&(_, name, is_read)| Kind { name, is_read });
    known.or_else(|| is_html(bytes).then_some(Kind { name: "a web page (HTML)", is_read: false }))
}

/// The format that a file's ending names. Before `.gz`, it is that of the expanded file.
pub fn by_ending<F: Copy>(path: &Path, endings: &[(&str, F)]) -> Option<F> {
    let is_compressed = path.extension()?.eq_ignore_ascii_case("gz");
    let path = if is_compressed { Path::new(path.file_stem()?) } else { path };
    let ending = path.extension()?.to_str()?;
    endings.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending)).map(|&(_, format)| format)
}

/// True if the first bytes are printed characters.
pub fn looks_like_text(bytes: &[u8]) -> bool {
    let first = &bytes[..bytes.len().min(64)];
    !first.is_empty() && first.iter().all(|&byte| byte.is_ascii_graphic() || is_space(byte))
}

/// True if `byte` separates tokens: space, tab, line feed, vertical tab, form feed or carriage
/// return.
#[inline]
pub fn is_space(byte: u8) -> bool {
    byte == b' ' || byte.wrapping_sub(b'\t') < 5
}

/// True for the beginning of a file of a kind, which numbers have in a file in 2^32 at most.
pub fn is_certain(bytes: &[u8]) -> bool {
    // Shorter beginnings are those of numbers too.
    const CERTAIN: usize = 4;
    bytes.starts_with(b"zkey")
        || is_html(bytes)
        || BEGINNINGS.iter().any(|(first, ..)| first.len() >= CERTAIN && bytes.starts_with(first))
}

/// The kind of a `.zkey`. Its first section is a number of its own, the length 4, and the number of the protocol.
fn key(bytes: &[u8]) -> &'static str {
    match bytes.get(24..28).filter(|_| bytes[12..16] == [1, 0, 0, 0]) {
        Some([1, 0, 0, 0]) => "a proving key of Groth16 (.zkey)",
        Some([2, 0, 0, 0]) => "a proving key of PLONK (.zkey)",
        Some([10, 0, 0, 0]) => "a proving key of FFLONK (.zkey)",
        _ => "a proving key (.zkey)",
    }
}

fn is_html(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|&byte| !is_space(byte)).unwrap_or(0);
    let begins =
        |tag: &[u8]| bytes[start..].get(..tag.len()).is_some_and(|first| first.eq_ignore_ascii_case(tag));
    begins(b"<!doctype html") || begins(b"<html")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    #[test]
    fn kinds_are_told_by_their_first_bytes() {
        let name = |bytes: &[u8]| identify(bytes).map_or("", |kind| kind.name);
        let zkey = |protocol: u8| {
            let words = [2, 10, 1, 4, 0, u32::from(protocol)];
            [b"zkey".to_vec(), words.iter().flat_map(|word| word.to_le_bytes()).collect()].concat()
        };
        for (bytes, expected) in [
            (b"version https://git-lfs.github.com/spec/v1\n".to_vec(), "Git LFS"),
            (b"\n <!DOCTYPE html>".to_vec(), "HTML"),
            (b"<HTML>".to_vec(), "HTML"),
            (vec![0x1f, 0x8b, 8], "gzip"),
            (b"PK\x03\x04".to_vec(), "zip"),
            (b"ptau\x01\0\0\0".to_vec(), "powers of tau"),
            (b"r1cs\x01".to_vec(), "circuit"),
            (b"wtns\x02".to_vec(), "witness"),
            (zkey(1), "Groth16"),
            (zkey(2), "PLONK"),
            (zkey(10), "FFLONK"),
            (b"zkey".to_vec(), "a proving key"),
            (b"\x89PNG\r\n\x1a\n".to_vec(), "PNG"),
            (b"\x93NUMPY\x01".to_vec(), "NumPy"),
            (vec![], "empty"),
        ] {
            assert!(name(&bytes).contains(expected), "{bytes:?}: {}", name(&bytes));
        }
        for other in [&b"1 2 3"[..], b"101\n", b"x1*x2 + 1", b"[1 0]", b"\0\0", b"zke"] {
            assert_eq!(identify(other), None, "{other:?}");
        }
    }

    #[test]
    fn errors_name_a_file_of_another_kind() {
        let error =
            |bytes: &[u8]| Source::from_bytes("f", bytes).text_error(0, "a number was expected").to_string();
        assert_eq!(error(b"\x1f\x8b\x08"), "f:1:1: a number was expected; the file is compressed by gzip");
        assert_eq!(error(b"x"), "f:1:1: a number was expected");
        // A fault further on in a file of a kind that is read is not one of its kind.
        let later = Source::from_bytes("f", &b"\x93NUMPY\x01"[..]).byte_error(6, "a version").to_string();
        assert_eq!(later, "f: byte 6: a version");
    }

    #[test]
    fn what_is_no_text_is_refused_by_its_first_bytes() {
        let refused = |bytes: &[u8]| Source::from_bytes("f", bytes).expect_text().unwrap_err().to_string();
        assert_eq!(refused(b"1 2\0"), "f:1:1: no text: byte 3 is 00");
        assert!(Source::from_bytes("f", "1 2\t\r\n\u{e4}").expect_text().is_ok());
    }
}
