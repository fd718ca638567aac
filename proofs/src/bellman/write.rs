//! Writes keys.

use std::io::{self, Write};

use ark_bls12_381::Bls12_381;

use crate::groth16::{Basis, ProvingKey, Queries};
use wgalois::curve::{Affine, Curve};
use wgalois_io::points::encode;

/// Writes a key without constraints, whose quotient's bases are powers. Other keys, which the format does not hold, are not
/// supported.
pub fn write_key(out: &mut dyn Write, key: &ProvingKey<Bls12_381>) -> io::Result<()> {
    if key.constraints.is_some() || key.basis != Basis::Powers {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let verifying = &key.verifying;
    write_points(out, &[verifying.alpha, key.beta])?;
    write_points(out, &[verifying.beta, verifying.gamma])?;
    write_points(out, &[key.delta])?;
    write_points(out, &[verifying.delta])?;
    let Queries { a, b, b2, secret, quotient } = &key.queries;
    for points in [&verifying.public, quotient, secret, a, b] {
        write_part(out, points)?;
    }
    write_part(out, b2)
}

/// Writes points behind their number.
fn write_part<C: Curve>(out: &mut dyn Write, points: &[Affine<C>]) -> io::Result<()> {
    let count = u32::try_from(points.len()).map_err(|_| io::ErrorKind::Unsupported)?;
    out.write_all(&count.to_be_bytes())?;
    write_points(out, points)
}

fn write_points<C: Curve>(out: &mut dyn Write, points: &[Affine<C>]) -> io::Result<()> {
    points.iter().try_for_each(|point| out.write_all(&encode(point, false)))
}
