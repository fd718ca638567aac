//! `verification_key.json`.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::decimal::{self, Point};
use super::json::named;
use super::text::{Kind, PROTOCOL, name_of, parse, parse_groth16, write};
use crate::groth16::VerifyingKey;
use wgalois::Result;
use wgalois::curve::{CurveName, PairingCurve};
use wgalois_io::Source;

#[derive(Deserialize, Serialize)]
struct File {
    // A key must have both, which `parse_groth16` has compared.
    protocol: String,
    curve: String,
    #[serde(rename = "nPublic")]
    public: usize,
    vk_alpha_1: Point,
    vk_beta_2: Point,
    vk_gamma_2: Point,
    vk_delta_2: Point,
    #[serde(rename = "IC")]
    points: Vec<Point>,
}

#[derive(Deserialize)]
struct Head {
    curve: String,
}

/// Returns the curve of a verifying key.
pub fn curve_of_verifying_key(source: &Source, memory: u64) -> Result<CurveName> {
    let head: Head = parse(source, Kind::Key, memory)?;
    match &head.curve[..] {
        "bn128" => Ok(CurveName::Bn254),
        "bls12381" => Ok(CurveName::Bls12_381),
        other => {
            let other = wgalois_io::text::quote(other.as_bytes());
            Err(source.error(format!("the curve is {other}; bn128 and bls12381 are read")))
        }
    }
}

/// Reads a verifying key. All points are in the subgroups of order r. The field `vk_alphabeta_12`, which
/// follows from others, is not read.
pub fn read_verifying_key<E: PairingCurve>(source: &Source, memory: u64) -> Result<VerifyingKey<E>> {
    let file: File = parse_groth16::<E, _>(source, Kind::Key, memory)?;
    let points = file.points.iter().enumerate();
    let key = VerifyingKey {
        alpha: named(source, "vk_alpha_1", &file.vk_alpha_1)?,
        beta: named(source, "vk_beta_2", &file.vk_beta_2)?,
        gamma: named(source, "vk_gamma_2", &file.vk_gamma_2)?,
        delta: named(source, "vk_delta_2", &file.vk_delta_2)?,
        public: points.map(|(i, point)| named(source, &format!("IC[{i}]"), point)).collect::<Result<_>>()?,
    };
    if key.public.len().checked_sub(1) != Some(file.public) {
        let points = key.public.len();
        return Err(source.error(format!("{points} points in IC, where nPublic is {}", file.public)));
    }
    key.check_members().map_err(|error| source.error(error.to_string()))?;
    Ok(key)
}

/// Writes a verifying key, without the field `vk_alphabeta_12`, which snarkjs does not read.
pub fn write_verifying_key<E: PairingCurve>(out: &mut dyn Write, key: &VerifyingKey<E>) -> io::Result<()> {
    let written = File {
        protocol: PROTOCOL.into(),
        curve: name_of::<E>().into(),
        public: key.public.len().saturating_sub(1),
        vk_alpha_1: decimal::written(&key.alpha),
        vk_beta_2: decimal::written(&key.beta),
        vk_gamma_2: decimal::written(&key.gamma),
        vk_delta_2: decimal::written(&key.delta),
        points: key.public.iter().map(decimal::written).collect(),
    };
    write(out, &written)
}
