//! Writing proving keys.

use std::io::{self, Write};

use ark_ff::{Field, One};

use super::points::{Stored, bytes_of_point, write_element, write_point};
use super::sections::{modulus, write_head, write_modulus, write_section};
use super::zkey::entry_size;
use super::zkey_header::{GROTH16, LETTERS};
use crate::groth16::{Basis, Head, KeySource, Part};
use crate::pieces::write_in_pieces;
use wgalois::curve::{Affine, PairingCurve};

/// Bytes of coefficients that are handed to the system at a time.
const BUFFER: usize = 1 << 20;

/// Writes a key in the form of snarkjs, without contributions. snarkjs' verification of a setup refuses it, since there
/// was no ceremony; its proofs and their verification are as for other keys. A key whose quotient is in another basis, or that
/// has no constraints, is refused ([`InvalidInput`](io::ErrorKind::InvalidInput)).
pub fn write_key<E: PairingCurve>(out: &mut dyn Write, key: &impl KeySource<E>) -> io::Result<()> {
    let coefficients = key.coefficients().filter(|_| key.basis() == Basis::OddRoots && key.check().is_ok());
    let Some(coefficients) = coefficients else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    write_head(out, LETTERS, 1, 10)?;
    write_section(out, 1, 4)?;
    out.write_all(&GROTH16.to_le_bytes())?;
    let moduli = modulus::<E::Base>().len() + modulus::<E::Scalar>().len();
    write_section(out, 2, moduli + 20 + 3 * <E::G1 as Stored>::SIZE + 3 * <E::G2 as Stored>::SIZE)?;
    write_modulus::<E::Base>(out)?;
    write_modulus::<E::Scalar>(out)?;
    let (known, secret) = (key.len(Part::Public), key.len(Part::Secret));
    for size in [known + secret, known - 1, key.domain().len()] {
        out.write_all(&(size as u32).to_le_bytes())?;
    }
    let Head { alpha, beta1, beta2, gamma, delta1, delta2 } = key.head();
    write_points::<E::G1>(out, &[alpha, beta1])?;
    write_points::<E::G2>(out, &[beta2, gamma])?;
    write_points::<E::G1>(out, &[delta1])?;
    write_points::<E::G2>(out, &[delta2])?;
    write_part(out, key, 3, Part::Public)?;
    write_coefficients(out, key, coefficients)?;
    write_part(out, key, 5, Part::A)?;
    write_part(out, key, 6, Part::B)?;
    let (count, size) = (key.len(Part::B), <E::G2 as Stored>::SIZE);
    write_section(out, 7, size * count)?;
    write_in_pieces(out, (count, size), |range| key.second(range), write_point::<E::G2>)?;
    write_part(out, key, 8, Part::Secret)?;
    write_part(out, key, 9, Part::Quotient)?;
    // The hash of the circuit and the number of contributions.
    write_section(out, 10, 68)?;
    out.write_all(&[0; 68])
}

/// Writes a section of points.
fn write_part<E: PairingCurve>(
    out: &mut dyn Write,
    key: &impl KeySource<E>,
    number: u32,
    part: Part,
) -> io::Result<()> {
    let (count, size) = (key.len(part), <E::G1 as Stored>::SIZE);
    write_section(out, number, size * count)?;
    write_in_pieces(out, (count, size), |range| key.points(part, range), write_point::<E::G1>)
}

fn write_points<C: Stored>(out: &mut dyn Write, points: &[Affine<C>]) -> io::Result<()> {
    points.iter().try_for_each(|point| out.write_all(&bytes_of_point(point)))
}

fn write_coefficients<E: PairingCurve>(
    out: &mut dyn Write,
    key: &impl KeySource<E>,
    count: usize,
) -> io::Result<()> {
    write_section(out, 4, 4 + count * entry_size::<E>())?;
    out.write_all(&(count as u32).to_le_bytes())?;
    let shift = E::Scalar::from(2u64).pow([256u64]);
    let (mut bytes, mut written) = (Vec::with_capacity(BUFFER), Ok(()));
    for matrix in 0..2u32 {
        key.each_coefficient(matrix as usize, &mut |constraint, variable, factor| {
            for word in [matrix, constraint, variable] {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
            // Most factors are 1.
            let factor = if factor.is_one() { shift } else { factor * shift };
            write_element(&factor, &mut bytes);
            if bytes.len() > BUFFER - entry_size::<E>() {
                if written.is_ok() {
                    written = out.write_all(&bytes);
                }
                bytes.clear();
            }
        });
    }
    written?;
    out.write_all(&bytes)
}
