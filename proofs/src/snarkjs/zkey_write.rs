//! Writing proving keys.

use std::io::{self, Write};

use ark_ff::Field;

use super::points::{Stored, bytes_of_element, bytes_of_point};
use super::sections::{modulus, write_head, write_modulus, write_section};
use super::zkey::entry_size;
use super::zkey_header::{GROTH16, LETTERS};
use crate::groth16::{Basis, ProvingKey, Queries};
use wgalois::curve::{Affine, PairingCurve};

/// Writes a key in the form of snarkjs, without contributions. snarkjs' verification of a setup refuses it, since there
/// was no ceremony; its proofs and their verification are as for other keys. A key whose quotient is in another basis
/// is refused ([`InvalidInput`](io::ErrorKind::InvalidInput)).
pub fn write_key<E: PairingCurve>(out: &mut dyn Write, key: &ProvingKey<E>) -> io::Result<()> {
    if key.basis != Basis::OddRoots || key.check_sizes().is_err() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    write_head(out, LETTERS, 1, 10)?;
    write_section(out, 1, 4)?;
    out.write_all(&GROTH16.to_le_bytes())?;
    let moduli = modulus::<E::Base>().len() + modulus::<E::Scalar>().len();
    write_section(out, 2, moduli + 20 + 3 * <E::G1 as Stored>::SIZE + 3 * <E::G2 as Stored>::SIZE)?;
    write_modulus::<E::Base>(out)?;
    write_modulus::<E::Scalar>(out)?;
    for size in [key.variables(), key.public(), key.domain.len()] {
        out.write_all(&(size as u32).to_le_bytes())?;
    }
    let verifying = &key.verifying;
    write_points::<E::G1>(out, &[verifying.alpha, key.beta])?;
    write_points::<E::G2>(out, &[verifying.beta, verifying.gamma])?;
    write_points::<E::G1>(out, &[key.delta])?;
    write_points::<E::G2>(out, &[verifying.delta])?;
    write_query::<E::G1>(out, 3, &verifying.public)?;
    write_coefficients(out, key)?;
    let Queries { a, b, b2, secret, quotient } = &key.queries;
    write_query::<E::G1>(out, 5, a)?;
    write_query::<E::G1>(out, 6, b)?;
    write_query::<E::G2>(out, 7, b2)?;
    write_query::<E::G1>(out, 8, secret)?;
    let odd = |i| quotient[key.domain.odd_position(i)];
    write_query::<E::G1>(out, 9, &(0..key.domain.len()).map(odd).collect::<Vec<_>>())?;
    // The hash of the circuit and the number of contributions.
    write_section(out, 10, 68)?;
    out.write_all(&[0; 68])
}

/// Writes a section of points.
fn write_query<C: Stored>(out: &mut dyn Write, number: u32, points: &[Affine<C>]) -> io::Result<()> {
    write_section(out, number, C::SIZE * points.len())?;
    write_points(out, points)
}

fn write_points<C: Stored>(out: &mut dyn Write, points: &[Affine<C>]) -> io::Result<()> {
    points.iter().try_for_each(|point| out.write_all(&bytes_of_point(point)))
}

fn write_coefficients<E: PairingCurve>(out: &mut dyn Write, key: &ProvingKey<E>) -> io::Result<()> {
    let count = key.coefficients();
    write_section(out, 4, 4 + count * entry_size::<E>())?;
    out.write_all(&(count as u32).to_le_bytes())?;
    let shift = E::Scalar::from(2u64).pow([256u64]);
    for (matrix, products) in (0u32..).zip(key.constraints.iter().flatten()) {
        for i in 0..key.domain.len() {
            for (variable, factor) in products.row(key.domain.position(i)) {
                for word in [matrix, i as u32, variable] {
                    out.write_all(&word.to_le_bytes())?;
                }
                let bytes: Vec<u8> = bytes_of_element(&(factor * shift)).collect();
                out.write_all(&bytes)?;
            }
        }
    }
    Ok(())
}
