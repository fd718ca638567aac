//! Every format in both directions, refused inputs with their places, and arbitrary bytes.

use super::*;
use proptest::prelude::*;
use wgalois::field::Prime;

const FORMATS: [Format; 3] = [Format::Text, Format::Npy, Format::Raw];

fn residues(p: u32, wrap: bool) -> Residues {
    Residues { modulus: Prime::new(p).unwrap().into(), wrap }
}

fn read_mod_17(format: Format, bytes: &[u8], wrap: bool) -> Result<Vec<u32>> {
    read(&Source::from_bytes("f", bytes), format, &residues(17, wrap), u64::MAX)
}

fn refusal(format: Format, bytes: &[u8]) -> String {
    let error = read_mod_17(format, bytes, false).unwrap_err();
    assert_eq!(error.exit_code(), 3);
    error.to_string()
}

/// Returns a .npy file of version 1 with the header `text`.
fn npy(text: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

fn header(descr: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n")
}

#[test]
fn endings_choose_the_format() {
    for (name, format) in
        [("a.npy", Format::Npy), ("a.NPY", Format::Npy), ("a.raw", Format::Raw), ("a.u32", Format::Raw)]
    {
        assert_eq!(Format::of(Path::new(name)), format);
    }
    for name in ["a", "-", "a.txt", "npy", "a.npy.txt"] {
        assert_eq!(Format::of(Path::new(name)), Format::Text);
    }
}

#[test]
fn text_that_is_refused_and_where() {
    let expected = "expected a decimal number from 0 to 16, found";
    let cases: [(&str, String); 7] = [
        ("1 2\n3 x4", format!("f:2:3: {expected} \"x4\"")),
        ("1.5", format!("f:1:1: {expected} \"1.5\"")),
        ("1,2", format!("f:1:1: {expected} \"1,2\"")),
        ("1 2 17", "f:1:5: \"17\" is not from 0 to 16; --wrap reduces it modulo 17".into()),
        ("\n\n -1", "f:3:2: \"-1\" is not from 0 to 16; --wrap reduces it modulo 17".into()),
        ("", "f: empty, where at least one coefficient was expected".into()),
        (" \n\t", "f: empty, where at least one coefficient was expected".into()),
    ];
    for (text, message) in cases {
        assert_eq!(refusal(Format::Text, text.as_bytes()), message);
    }
    assert!(refusal(Format::Text, &npy("", &[])).contains("--format npy"));
}

#[test]
fn wrapping_reduces_numbers_of_any_size_and_sign() {
    let text = b"17 18 -1 +5 -17 340282366920938463463374607431768211456 -18446744073709551616";
    // 2^128 = (2^8)^16 = 1 and 2^64 = 1 modulo 17, since 2^8 = 256 = 1.
    assert_eq!(read_mod_17(Format::Text, text, true).unwrap(), [0, 1, 16, 5, 0, 1, 16]);
    assert!(read_mod_17(Format::Text, b"12x", true).is_err());
    assert!(read_mod_17(Format::Text, b"-", true).is_err());
    assert_eq!(read_mod_17(Format::Raw, &18u32.to_le_bytes(), true).unwrap(), [1]);
    let negative = npy(&header("<i8", "(1,)"), &(-1i64).to_le_bytes());
    assert_eq!(read_mod_17(Format::Npy, &negative, true).unwrap(), [16]);
}

#[test]
fn integers_have_64_bits() {
    let read = |text: &str| read(&Source::from_bytes("f", text), Format::Text, &Integers, u64::MAX);
    assert_eq!(read("-9223372036854775808 9223372036854775807 +0").unwrap(), [i64::MIN, i64::MAX, 0]);
    for bad in ["9223372036854775808", "-9223372036854775809", "1e3", "--1", "+"] {
        assert!(read(bad).unwrap_err().to_string().starts_with("f:1:1: "), "{bad}");
    }
}

#[test]
fn wide_integers_have_128_bits() {
    let read = |text: &str| read(&Source::from_bytes("f", text), Format::Text, &WideIntegers, u64::MAX);
    let (least, most) = (i128::MIN.to_string(), i128::MAX.to_string());
    assert_eq!(
        read(&format!("{least} {most} -5 +18446744073709551616")).unwrap(),
        [i128::MIN, i128::MAX, -5, 1 << 64]
    );
    for bad in [
        "170141183460469231731687303715884105728",
        "-170141183460469231731687303715884105729",
        "--1",
        "1.0",
        "-",
    ] {
        assert!(read(bad).unwrap_err().to_string().starts_with("f:1:1: "), "{bad}");
    }
}

#[test]
fn raw_words_that_are_refused_and_where() {
    assert_eq!(
        refusal(Format::Raw, &[1, 0, 0, 0, 2, 0]),
        "f: byte 4: the file ends within a word of 4 bytes"
    );
    assert!(refusal(Format::Raw, &[1, 0, 0, 0, 17, 0, 0, 0]).starts_with("f: byte 4: item 1: 17 is not"));
    assert!(refusal(Format::Raw, &[]).starts_with("f: empty"));
    // Numbers without a beginning of their own name another kind of file; an array has one.
    let archive = refusal(Format::Raw, b"PK\x03\x04\0\0");
    assert!(archive.starts_with("f: byte 4: ") && archive.contains("the file is a zip archive"), "{archive}");
    let item = refusal(Format::Npy, &npy(&header("|u1", "(2,)"), &[1, 17]));
    assert!(item.contains("item 1: 17 is not") && !item.contains("the file is"), "{item}");
}

#[test]
fn npy_of_every_type_and_byte_order() {
    for (descr, data) in [
        ("|u1", vec![1, 2]),
        ("|i1", vec![1, 2]),
        ("<u2", vec![1, 0, 2, 0]),
        (">i2", vec![0, 1, 0, 2]),
        ("<i4", vec![1, 0, 0, 0, 2, 0, 0, 0]),
        (">u4", vec![0, 0, 0, 1, 0, 0, 0, 2]),
        ("<u8", vec![1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]),
    ] {
        for shape in ["(2,)", "(2, 1)", "(1, 2)"] {
            let bytes = npy(&header(descr, shape), &data);
            assert_eq!(read_mod_17(Format::Npy, &bytes, false).unwrap(), [1, 2], "{descr} {shape}");
        }
    }
}

#[test]
fn npy_that_is_refused() {
    let huge = header("<u4", "(9999999999, 99999999)");
    let overflowing = header("<u4", "(4294967296, 4294967296)");
    let deep = format!("{}{}", "(".repeat(60_000), ")".repeat(1000));
    for (text, data, why) in [
        (header("<u4", "(2,)"), &[0; 4][..], "promises"),
        (header("<u4", "(1,)"), &[0; 5], "promises"),
        (huge, &[0; 4], "promises"),
        (overflowing, &[0; 4], "no plain array"),
        (deep, &[], "no plain array"),
        (header("<f8", "(1,)"), &[0; 8], "integers"),
        (header("<u3", "(1,)"), &[0; 3], ""),
        (header("<u4", "(2, 2)").replace("False", "True"), &[0; 16], "Fortran"),
        (String::new(), &[], "header"),
        (header("<u4", "(0,)"), &[], "empty"),
        ("{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (1,)}".into(), &[0; 4], ""),
    ] {
        let message = refusal(Format::Npy, &npy(&text, data));
        assert!(message.contains(why), "{text}: {message}");
    }
    // The length of the header is past the end of the file.
    for bytes in
        [&b"\x93NUMPY\x02\x00\xff\xff\xff\xff{"[..], b"\x93NUMPY\x01", b"\x93NUMPY\x09\x00", b"12", b""]
    {
        assert!(refusal(Format::Npy, bytes).starts_with("f: byte 0: "));
    }
}

#[test]
fn npy_holds_integers_of_64_bits_only() {
    let mut out = Vec::new();
    write_integers(&mut out, Format::Npy, &[i64::MIN.into(), -1, i64::MAX.into()]).unwrap();
    let back = read(&Source::from_bytes("f", out), Format::Npy, &Integers, u64::MAX).unwrap();
    assert_eq!(back, [i64::MIN, -1, i64::MAX]);
    let error = write_integers(&mut Vec::new(), Format::Npy, &[1 << 63]).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
}

proptest! {
    #[test]
    fn residues_come_back_from_every_format(values in prop::collection::vec(0u32..469_762_049, 1..200)) {
        for format in FORMATS {
            let mut bytes = Vec::new();
            write_residues(&mut bytes, format, &values).unwrap();
            let source = Source::from_bytes("f", bytes);
            prop_assert_eq!(&read(&source, format, &residues(469_762_049, false), u64::MAX).unwrap(), &values);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>, wrap: bool) {
        for format in FORMATS {
            if let Err(error) = read_mod_17(format, &bytes, wrap) {
                prop_assert_eq!(error.exit_code(), 3);
            }
        }
    }

    #[test]
    fn arbitrary_headers_never_panic(text in "[{}(),':<>|a-z0-9 \\-]{0,60}", data: Vec<u8>) {
        let _ = read_mod_17(Format::Npy, &npy(&text, &data), true);
    }

    #[test]
    fn damaged_headers_never_panic(at in 0usize..128, byte: u8, cut in 0usize..140) {
        let mut bytes = Vec::new();
        write_residues(&mut bytes, Format::Npy, &[1, 2, 3]).unwrap();
        prop_assert_eq!(bytes.len(), 140);
        prop_assert!(read_mod_17(Format::Npy, &bytes[..cut], false).is_err());
        // A damaged header may be that of a shorter vector, so only the absence of panics is certain.
        bytes[at] = byte;
        let _ = read_mod_17(Format::Npy, &bytes, false);
        let _ = read_mod_17(Format::Npy, &bytes[..cut], false);
    }
}
