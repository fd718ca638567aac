//! `proof.json` and `public.json`.

use std::io::{self, Write};

use ark_ec::AffineRepr;
use ark_ff::PrimeField;
use serde::{Deserialize, Serialize};

use super::decimal::{self, Point, element, point};
use super::points::Stored;
use super::text::{Kind, PROTOCOL, name_of, parse, parse_groth16, write};
use crate::groth16::Proof;
use wgalois::curve::{Affine, Curve, PairingCurve};
use wgalois::{Fault, Result};
use wgalois_io::Source;
use wgalois_io::budget::Budget;

#[derive(Deserialize, Serialize)]
struct File {
    pi_a: Point,
    pi_b: Point,
    pi_c: Point,
    // `parse_groth16` has compared both, which may be missing.
    protocol: Option<String>,
    curve: Option<String>,
}

/// Reads a proof. Its points are in the subgroups of order r.
pub fn read_proof<E: PairingCurve>(source: &Source, memory: u64) -> Result<Proof<E>> {
    let file: File = parse_groth16::<E, _>(source, Kind::Proof, memory)?;
    Ok(Proof {
        a: member(source, "pi_a", &file.pi_a)?,
        b: member(source, "pi_b", &file.pi_b)?,
        c: member(source, "pi_c", &file.pi_c)?,
    })
}

/// The point of a field, which must be in the subgroup of order r.
fn member<C: Stored + Curve>(source: &Source, name: &str, coordinates: &Point) -> Result<Affine<C>> {
    let point = named(source, name, coordinates)?;
    match point.is_zero() || C::in_subgroup(&point) {
        true => Ok(point),
        false => Err(source.error(Fault::OutsideSubgroup.of(name))),
    }
}

/// The point of a field.
pub(super) fn named<C: Stored>(source: &Source, name: &str, coordinates: &Point) -> Result<Affine<C>> {
    point(coordinates).map_err(|fault| source.error(fault.of(name)))
}

/// Writes a proof.
pub fn write_proof<E: PairingCurve>(out: &mut dyn Write, proof: &Proof<E>) -> io::Result<()> {
    let written = File {
        pi_a: decimal::written(&proof.a),
        pi_b: decimal::written(&proof.b),
        pi_c: decimal::written(&proof.c),
        protocol: Some(PROTOCOL.into()),
        curve: Some(name_of::<E>().into()),
    };
    write(out, &written)
}

/// Reads public values.
pub fn read_public<F: PrimeField>(source: &Source, memory: u64) -> Result<Vec<F>> {
    let file: Vec<String> = parse(source, Kind::Public, memory)?;
    let mut values = Budget::new(source, memory).room(file.len())?;
    for (i, digits) in file.iter().enumerate() {
        let value = element(digits, "the order r");
        values.push(value.map_err(|fault| source.error(fault.within("value", i)))?);
    }
    Ok(values)
}

/// Writes public values.
pub fn write_public<F: PrimeField>(out: &mut dyn Write, values: &[F]) -> io::Result<()> {
    write(out, &values.iter().map(|value| value.into_bigint().to_string()).collect::<Vec<_>>())
}
