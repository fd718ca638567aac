//! Writes keys.

use std::io::{self, Write};

use ark_bls12_381::{Bls12_381, g1, g2};

use super::layout::POINT;
use crate::groth16::{Basis, Head, KeySource, Part};
use crate::pieces::write_in_pieces;
use wgalois::curve::{Affine, Curve};
use wgalois_io::points::encode;

/// Writes a key without constraints, whose quotient's bases are powers. Other keys, which the format does not hold, are not
/// supported.
pub fn write_key(out: &mut dyn Write, key: &impl KeySource<Bls12_381>) -> io::Result<()> {
    if key.coefficients().is_some() || key.basis() != Basis::Powers {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let Head { alpha, beta1, beta2, gamma, delta1, delta2 } = key.head();
    write_points::<g1::Config>(out, &[alpha, beta1])?;
    write_points::<g2::Config>(out, &[beta2, gamma])?;
    write_points::<g1::Config>(out, &[delta1])?;
    write_points::<g2::Config>(out, &[delta2])?;
    for part in [Part::Public, Part::Quotient, Part::Secret, Part::A, Part::B] {
        let count = key.len(part);
        write_count(out, count)?;
        write_in_pieces(out, (count, POINT), |range| key.points(part, range), fill::<g1::Config>)?;
    }
    let count = key.len(Part::B);
    write_count(out, count)?;
    write_in_pieces(out, (count, 2 * POINT), |range| key.second(range), fill::<g2::Config>)
}

fn write_count(out: &mut dyn Write, count: usize) -> io::Result<()> {
    let count = u32::try_from(count).map_err(|_| io::ErrorKind::Unsupported)?;
    out.write_all(&count.to_be_bytes())
}

fn fill<C: Curve>(point: &Affine<C>, bytes: &mut [u8]) {
    bytes.copy_from_slice(&encode(point, false));
}

fn write_points<C: Curve>(out: &mut dyn Write, points: &[Affine<C>]) -> io::Result<()> {
    points.iter().try_for_each(|point| out.write_all(&encode(point, false)))
}
