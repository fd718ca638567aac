//! Witnesses, `.wtns`: section 1 has r, with its bytes, and the number of values; section 2 the values, little-endian
//! integers below r. In JSON, as `snarkjs wtns export json` writes it, a list of decimal numbers as strings.

use std::io::{self, Write};

use ark_ff::{BigInteger, PrimeField};
use serde::Deserialize;

use super::decimal::element;
use super::points::integer;
use super::sections::{Sections, modulus, write_head, write_modulus, write_section};
use super::text::{Kind, parse};
use super::zkey_header::expect_field;
use crate::groth16::Witness;
use wgalois::curve::ScalarInt;
use wgalois::parallel::*;
use wgalois::{Fault, Result};
use wgalois_io::Source;
use wgalois_io::budget::Budget;

/// The first letters of the file.
pub(super) const LETTERS: &[u8; 4] = b"wtns";

/// Bytes of a value.
const SIZE: usize = 32;

/// Reads a witness. Values are not shown in messages. The first value must be 1.
pub fn read_witness<F: PrimeField<BigInt = ScalarInt>>(source: &Source, memory: u64) -> Result<Witness<F>> {
    let sections = Sections::new(source, LETTERS)?;
    let mut reader = sections.section(1, "the header")?;
    let place = reader.place();
    let other = "the witness is over the scalar field of another curve than the key";
    expect_field::<F>(&mut reader, "r", place, other)?;
    let count = reader.word("the number of values")? as usize;
    reader.finish()?;
    let mut reader = sections.section(2, "the values")?;
    let place = reader.place();
    let bytes = reader.records(count, SIZE, "values")?;
    let mut values: Vec<F> = Budget::new(source, memory).vector(count)?;
    let is_too_large =
        |(to, bytes): (&mut F, &[u8; SIZE])| integer::<F>(bytes).map(|value| *to = value).is_none();
    let pairs = values.par_iter_mut().zip(bytes.as_chunks::<SIZE>().0).with_min_len(1 << 10);
    // The first, not any: the message is the same whatever the threads do.
    if let Some(i) = pairs.position_first(is_too_large) {
        drop(Witness::from(values));
        return Err(reader.error_at(place + i * SIZE, format!("value {i} is not below r")));
    }
    sections.release(2);
    let values = Witness::from(values);
    match values.first() {
        Some(first) if !first.is_one() => Err(reader.error_at(place, "the first value is not 1")),
        _ => Ok(values),
    }
}

/// A value in JSON. The error of another type does not show what stands there.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a value must be a string of decimal digits")]
enum Digits {
    Text(String),
}

/// Reads a witness in JSON. Values are not shown in messages. The first value must be 1. The strings of the list are not
/// overwritten when they are given back.
///
/// ```
/// use ark_bn254::Fr;
/// use wgalois_io::Source;
/// use wgalois_proofs::snarkjs::read_witness_json;
///
/// let source = Source::from_bytes("witness.json", *br#"["1", "35", "5"]"#);
/// assert_eq!(read_witness_json::<Fr>(&source, 1 << 20)?[1], Fr::from(35));
/// # Ok::<(), wgalois::Error>(())
/// ```
pub fn read_witness_json<F: PrimeField>(source: &Source, memory: u64) -> Result<Witness<F>> {
    let list: Vec<Digits> = parse(source, Kind::Witness, memory)?;
    let mut values: Vec<F> = Budget::new(source, memory).vector(list.len())?;
    let refused = |(to, Digits::Text(digits)): (&mut F, &Digits)| {
        element(digits, "r").map(|value| *to = value).is_err()
    };
    let first = values.par_iter_mut().zip(&list[..]).with_min_len(1 << 10).position_first(refused);
    let values = Witness::from(values);
    let refuse = |i, why: &str| Err(source.error(Fault::from(why).within("value", i)));
    match (first, values.first()) {
        // The message of `element` quotes what it refuses.
        (Some(i), _) => refuse(i, "not a decimal number below r"),
        (None, Some(value)) if !value.is_one() => Err(source.error("the first value is not 1")),
        _ => Ok(values),
    }
}

/// The share of a witness's values that are 0 or 1, from 0 to 1. They are not checked.
pub fn share_of_bits(source: &Source) -> Result<f64> {
    let mut reader = Sections::new(source, LETTERS)?.section(2, "the values")?;
    let bytes = reader.bytes(reader.left(), "the values")?;
    let values = bytes.as_chunks::<SIZE>().0;
    let is_bit = |value: &[u8; SIZE]| value[0] <= 1 && value[1..].iter().all(|&byte| byte == 0);
    let count = |values: &[[u8; SIZE]]| values.iter().filter(|value| is_bit(value)).count();
    let bits: usize = values.par_chunks(1 << 12).map(count).sum();
    Ok(bits as f64 / values.len().max(1) as f64)
}

/// Writes a witness.
pub fn write_witness<F: PrimeField<BigInt = ScalarInt>>(
    out: &mut dyn Write,
    witness: &[F],
) -> io::Result<()> {
    write_head(out, LETTERS, 2, 2)?;
    write_section(out, 1, 8 + modulus::<F>().len())?;
    write_modulus::<F>(out)?;
    out.write_all(&(witness.len() as u32).to_le_bytes())?;
    write_section(out, 2, witness.len() * SIZE)?;
    witness.iter().try_for_each(|value| out.write_all(&value.into_bigint().to_bytes_le()))
}
