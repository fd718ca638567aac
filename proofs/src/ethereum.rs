//! Ethereum's trusted setup, and blobs.
//!
//! | file | contents |
//! |---|---|
//! | `trusted_setup.txt` | n and m; n compressed points of G1 for the Lagrange polynomials; m of G2, the powers of tau; n of G1, the powers of tau, which older files lack; all as numbers or hexadecimal digits between white space |
//! | JSON of consensus-specs | the lists `g1_lagrange`, `g2_monomial` and `g1_monomial` of the same points, by older names `setup_G1_lagrange`, `setup_G2` and `setup_G1` |
//! | a blob | 32-byte big-endian integers below r, as bytes, or as hexadecimal digits |
//!
//! # Errors
//! - [`Error::Format`](wgalois::Error::Format): the file violates its format, with line and column; a blob has another length, or a value
//!   that is not below r; or points are not those of one setup.
//! - [`Error::TooLarge`](wgalois::Error::TooLarge): what is read takes more memory than the caller allows.

mod listed;

use ark_bls12_381::{G1Affine, G2Affine};
use listed::Listed;

use crate::kzg::{Blob, TrustedSetup};
use wgalois::curve::{Bls12_381, Bls12_381G2};
use wgalois::parallel::*;
use wgalois::{Device, Fault, Result, msm};
use wgalois_io::budget::Budget;
#[cfg(not(target_arch = "wasm32"))]
use wgalois_io::known::Known;
use wgalois_io::points::{self, Trust};
use wgalois_io::{Source, text};

/// Reads a trusted setup. All points are in the subgroups of order r, those of G1 by a check on `device`, and they are those of one
/// setup: [`TrustedSetup::new`] states the guarantee.
pub fn read_setup(source: &Source, device: &Device, memory: u64) -> Result<TrustedSetup> {
    read(source, Some(device), memory)
}

/// [`read_setup`], which remembers the file by its digest in the user's cache folder: the points of a file that passed before are
/// only decoded, unless it is to be checked `again`. The second value is true for such a file. A cache folder that cannot be used is no
/// error: the file is then checked each time.
#[cfg(not(target_arch = "wasm32"))]
pub fn read_setup_once(
    source: &Source,
    device: &Device,
    again: bool,
    memory: u64,
) -> Result<(TrustedSetup, bool)> {
    let known = Known::look_up(CHECK, source, again);
    if known.passed() {
        return Ok((read(source, None, memory)?, true));
    }
    let setup = read(source, Some(device), memory)?;
    known.remember();
    Ok((setup, false))
}

/// The name of the check of [`read_setup`]. A check that refuses more gets another one.
#[cfg(not(target_arch = "wasm32"))]
const CHECK: &str = "wgalois kzg setup 1";

/// The most bytes that the check of a setup takes for each Lagrange point: factors and their transforms, and a multiplication.
const CHECK_BYTES: u64 = 512;

/// Reads a setup, and checks it on a device unless it passed before.
fn read(source: &Source, device: Option<&Device>, memory: u64) -> Result<TrustedSetup> {
    source.expect_text()?;
    let mut budget = Budget::new(source, memory);
    let Listed { lagrange, powers2, powers } = listed::find(source, &mut budget)?;
    let (n, m) = (lagrange.len(), powers2.len());
    budget.take::<G1Affine>((n + powers.len()) as u64)?;
    budget.take::<G2Affine>(m as u64)?;
    if device.is_some() {
        budget.take_bytes(CHECK_BYTES * n as u64)?;
    }
    let fault = |token: &text::Token, fault: Fault| source.text_error(token.offset, fault);
    let first = |tokens: &[text::Token]| -> Result<Vec<G1Affine>> {
        let point = |token: &text::Token| {
            let bytes = hexadecimal(token.text).filter(|bytes| bytes.len() == 48);
            let bytes = bytes.ok_or_else(|| fault(token, "expected 96 hexadecimal digits".into()))?;
            // A compressed point is on the curve. The subgroup is checked for all points together.
            points::decode_one::<Bls12_381>(&bytes, Trust::Everything).map_err(|wrong| fault(token, wrong))
        };
        let read: Vec<G1Affine> = tokens.par_iter().map(point).try_collect()?;
        match device.map_or(Ok(None), |device| msm::first_outside(device, &read))? {
            Some(i) => Err(fault(&tokens[i], Fault::OutsideSubgroup)),
            None => Ok(read),
        }
    };
    let second = |token: &text::Token| {
        let bytes = hexadecimal(token.text).filter(|bytes| bytes.len() == 96);
        let bytes = bytes.ok_or_else(|| fault(token, "expected 192 hexadecimal digits".into()))?;
        let trust = if device.is_some() { Trust::Nothing } else { Trust::Everything };
        points::decode_one::<Bls12_381G2>(&bytes, trust).map_err(|wrong| fault(token, wrong))
    };
    let powers2 = powers2.par_iter().map(second).try_collect()?;
    let make = if device.is_some() { TrustedSetup::new } else { TrustedSetup::of_checked };
    make(first(&lagrange)?, &powers2, first(&powers)?).map_err(|error| match error {
        error if error.exit_code() == 3 => source.error(error.to_string()),
        other => other,
    })
}

/// Reads a blob of `count` values, as bytes or as hexadecimal digits. The error has the number of a value that is not
/// below r.
pub fn read_blob(source: &Source, count: usize, memory: u64) -> Result<Blob> {
    // The values, and the bytes of digits.
    Budget::new(source, memory).expect(64 * count as u64)?;
    let bytes = source.bytes();
    let size = 32 * count;
    let digits = bytes.trim_ascii();
    let is_text = bytes.len() != size && digits.len() <= 2 * size + 2;
    let decoded = is_text.then(|| hexadecimal(digits)).flatten();
    let blob = Blob::new(decoded.as_deref().unwrap_or(bytes), count);
    blob.map_err(|error| source.error(error.to_string()))
}

/// The bytes of hexadecimal digits, with or without `0x`; `None` for other text.
pub fn hexadecimal(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.strip_prefix(b"0x").unwrap_or(text);
    let (pairs, odd) = digits.as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let bytes = pairs.iter().map(|pair| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8));
    if odd.is_empty() { bytes.collect() } else { None }
}
