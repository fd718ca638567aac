//! The properties of the readers. For any bytes, a reader returns a value or an error that names the
//! file, and never panics. A value that was read can be written and read again as the same value.
//! With a lower memory limit, the reader refuses the input or returns the same value. No allocation
//! is larger than the limit and the input's length justify.
//!
//! The fuzz targets and the test that replays the seeds share this file.

use common::source;
use watched::read_within;
use wgalois_io::{Source, bits, coefficients::Format};

#[path = "../cli/src/bytes.rs"]
#[allow(dead_code)]
mod bytes;
mod common;
mod equations;
mod matrices;
mod numbers;
mod points;
mod proofs;
mod watched;

/// A target's name and the function that asserts its properties.
pub type Target = (&'static str, fn(&[u8]));

/// One property function for each target.
pub const TARGETS: [Target; 21] = [
    ("bits_text", |data| matrices::check(data, bits::Format::Text)),
    ("bits_lists", matrices::check_lists),
    ("bits_market", |data| matrices::check(data, bits::Format::Market)),
    ("bits_npy", |data| matrices::check(data, bits::Format::Npy)),
    ("bits_npz", |data| matrices::check(data, bits::Format::Npz)),
    ("bits_packed", matrices::check_packed),
    ("bits_alist", |data| matrices::check(data, bits::Format::Alist)),
    ("gzip", gzip),
    ("coefficients_text", numbers::coefficients_text),
    ("coefficients_npy", |data| numbers::coefficients(data, Format::Npy)),
    ("coefficients_raw", |data| numbers::coefficients(data, Format::Raw)),
    ("integers", numbers::integers),
    ("scalars", points::scalars),
    ("points", points::points),
    ("sizes", sizes),
    ("equations", equations::equations),
    ("answers", equations::answers),
    ("zkey", proofs::zkey),
    ("params", proofs::params),
    ("snarkjs", proofs::snarkjs),
    ("kzg", proofs::kzg),
];

/// Asserts the properties of the target `name`.
#[allow(dead_code, reason = "the fuzz targets call it, the test does not")]
pub fn check(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.0 == name);
    target.unwrap_or_else(|| panic!("no target {name}")).1(data);
}

/// What is expanded is within the limit, and two files after each other are one.
fn gzip(data: &[u8]) {
    let read = |source: &Source, memory| {
        let source = Source::from_bytes("input.gz", source.bytes()).expanded(memory)?;
        Ok(source.bytes().to_vec())
    };
    let Some(text) = read_within(data, read, Vec::len) else { return };
    let twice = Source::from_bytes("input", [data, data].concat()).expanded(1 << 30).expect("two members");
    assert!(twice.bytes() == [&text[..], &text].concat());
    assert!(twice.expect_text().is_ok() == source(twice.bytes()).expect_text().is_ok());
}

fn sizes(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(bytes) = bytes::parse_bytes(text) else { return };
    assert_eq!(bytes::parse_bytes(&bytes.to_string()), Ok(bytes));
    for (shift, suffix) in ["", "K", "m", "GiB", "tb"].iter().enumerate() {
        let unit = 1u64 << (10 * shift);
        let expected = bytes.checked_mul(unit);
        assert_eq!(bytes::parse_bytes(&format!("{bytes}{suffix}")).ok(), expected);
    }
}
