//! JSON as snarkjs reads and writes it.

use std::fmt;
use std::io::{self, Write};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::ser::PrettyFormatter;

use wgalois::Result;
use wgalois::curve::{CurveName, PairingCurve};
use wgalois_io::Source;
use wgalois_io::budget::Budget;

/// The protocol that is read and written.
pub(super) const PROTOCOL: &str = "groth16";

/// The name of a curve in these files.
pub(super) fn name_of<E: PairingCurve>() -> &'static str {
    match E::NAME {
        CurveName::Bn254 => "bn128",
        CurveName::Bls12_381 => "bls12381",
        other => other.as_str(),
    }
}

/// The kinds of files of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Key,
    Proof,
    Public,
    Witness,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Key => "a verifying key (verification_key.json)",
            Kind::Proof => "a proof (proof.json)",
            Kind::Public => "public values (public.json)",
            Kind::Witness => "a witness",
        })
    }
}

impl Kind {
    /// The kind that a text of JSON looks like.
    fn of(bytes: &[u8]) -> Option<Kind> {
        #[derive(Deserialize)]
        struct Marks {
            pi_a: Option<IgnoredAny>,
            #[serde(rename = "vk_alpha_1")]
            alpha: Option<IgnoredAny>,
            #[serde(rename = "IC")]
            points: Option<IgnoredAny>,
        }
        // A list would be read into fields by their order.
        if bytes.trim_ascii_start().starts_with(b"[") {
            return serde_json::from_slice::<Vec<IgnoredAny>>(bytes).ok().map(|_| Kind::Public);
        }
        match serde_json::from_slice(bytes).ok()? {
            Marks { pi_a: Some(_), .. } => Some(Kind::Proof),
            Marks { alpha: None, points: None, .. } => None,
            Marks { .. } => Some(Kind::Key),
        }
    }
}

/// The fields that files of all protocols have.
#[derive(Deserialize)]
struct Head {
    protocol: Option<String>,
    curve: Option<String>,
}

/// Parses a file of Groth16 over a curve. Its protocol and curve may be missing. Others are refused.
pub(super) fn parse_groth16<E: PairingCurve, T: DeserializeOwned>(
    source: &Source,
    kind: Kind,
    memory: u64,
) -> Result<T> {
    // Files of other protocols lack the fields of `T`.
    let Head { protocol, curve } = parse(source, kind, memory)?;
    let quote = |text: String| wgalois_io::text::quote(text.as_bytes());
    if let Some(protocol) = protocol.filter(|protocol| protocol != PROTOCOL) {
        return Err(source.error(format!("the protocol is {}; {PROTOCOL} is read", quote(protocol))));
    }
    let expected = name_of::<E>();
    if let Some(curve) = curve.filter(|curve| curve != expected) {
        return Err(source.error(format!("the curve is {}, where {expected} was expected", quote(curve))));
    }
    parse(source, kind, memory)
}

/// Parses a text of JSON into the fields of `T`, for a file of this kind. The error has line and column, or the kind
/// that the file looks like.
pub(super) fn parse<T: DeserializeOwned>(source: &Source, kind: Kind, memory: u64) -> Result<T> {
    // A list of strings takes 24 bytes for one of three, and twice that as it grows.
    let bytes = source.bytes();
    Budget::new(source, memory).expect(24 * bytes.len() as u64)?;
    if bytes.trim_ascii().is_empty() {
        return Err(source.error("the file is empty, where JSON was expected"));
    }
    let another = || {
        // A witness is a list, too.
        let is_kind = |found: Kind| found == kind || (found, kind) == (Kind::Public, Kind::Witness);
        let found = Kind::of(bytes).filter(|found| !is_kind(*found))?;
        Some(source.error(format!("the file looks like {found}, where {kind} was expected")))
    };
    // Serde would read a list into fields by their order.
    if bytes.trim_ascii_start().starts_with(b"[")
        && let Some(error) = another()
    {
        return Err(error);
    }
    serde_json::from_slice(bytes).map_err(|error| {
        if let Some(error) = another() {
            return error;
        }
        let lines = bytes.split_inclusive(|&byte| byte == b'\n').take(error.line().saturating_sub(1));
        let offset = lines.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1);
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(&message[..], |(message, _)| message);
        source.text_error(offset, wgalois_io::text::excerpt(message))
    })
}

/// Writes JSON with lines indented by one space a level, as snarkjs does.
pub(super) fn write<T: Serialize>(out: &mut dyn Write, value: &T) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, PrettyFormatter::with_indent(b" "));
    value.serialize(&mut serializer).map_err(io::Error::from)
}
