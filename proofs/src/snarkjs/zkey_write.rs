//! Writing proving keys.

use std::io::{self, Write};

use ark_ff::Field;

use super::points::{Stored, bytes_of_element, bytes_of_point, modulus};
use super::sections::{write_head, write_section};
use super::zkey::entry_size;
use super::zkey_header::{GROTH16, LETTERS};
use crate::groth16::{Basis, ProvingKey};
use wgalois::curve::{Affine, PairingCurve};

/// Writes a key in the form of snarkjs, without contributions. snarkjs' verification of a setup refuses it, since there
/// was no ceremony; its proofs and their verification are as for other keys.
///
/// # Errors
/// Those of `out`; [`io::ErrorKind::InvalidInput`] for a key whose quotient is in another basis.
pub fn write_key<E: PairingCurve>(out: &mut dyn Write, key: &ProvingKey<E>) -> io::Result<()> {
    if key.basis != Basis::OddRoots || key.check_sizes().is_err() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    write_head(out, LETTERS, 1, 10)?;
    write_section(out, 1, 4)?;
    out.write_all(&GROTH16.to_le_bytes())?;
    let (q, r) = (modulus::<E::Base>(), modulus::<E::Scalar>());
    let (first, second) = (<E::G1 as Stored>::SIZE, <E::G2 as Stored>::SIZE);
    write_section(out, 2, 4 + q.len() + 4 + r.len() + 12 + 3 * first + 3 * second)?;
    for modulus in [q, r] {
        out.write_all(&(modulus.len() as u32).to_le_bytes())?;
        out.write_all(&modulus)?;
    }
    for size in [key.variables(), key.public(), key.domain.len()] {
        out.write_all(&(size as u32).to_le_bytes())?;
    }
    let verifying = &key.verifying;
    write_points::<E::G1>(out, &[verifying.alpha, key.beta])?;
    write_points::<E::G2>(out, &[verifying.beta, verifying.gamma])?;
    write_points::<E::G1>(out, &[key.delta])?;
    write_points::<E::G2>(out, &[verifying.delta])?;
    write_section(out, 3, first * verifying.public.len())?;
    write_points::<E::G1>(out, &verifying.public)?;
    write_coefficients(out, key)?;
    let queries = &key.queries;
    let odd = |i| queries.quotient[key.domain.odd_position(i)];
    let quotient: Vec<_> = (0..key.domain.len()).map(odd).collect();
    for (number, points) in [(5, &queries.a), (6, &queries.b)] {
        write_section(out, number, first * points.len())?;
        write_points::<E::G1>(out, points)?;
    }
    write_section(out, 7, second * queries.b2.len())?;
    write_points::<E::G2>(out, &queries.b2)?;
    for (number, points) in [(8, &queries.secret), (9, &quotient)] {
        write_section(out, number, first * points.len())?;
        write_points::<E::G1>(out, points)?;
    }
    // The hash of the circuit and the number of contributions.
    write_section(out, 10, 68)?;
    out.write_all(&[0; 68])
}

fn write_points<C: Stored>(out: &mut dyn Write, points: &[Affine<C>]) -> io::Result<()> {
    points.iter().try_for_each(|point| out.write_all(&bytes_of_point(point)))
}

fn write_coefficients<E: PairingCurve>(out: &mut dyn Write, key: &ProvingKey<E>) -> io::Result<()> {
    let count = key.a.entries() + key.b.entries();
    write_section(out, 4, 4 + count * entry_size::<E>())?;
    out.write_all(&(count as u32).to_le_bytes())?;
    let shift = E::Scalar::from(2u64).pow([256u64]);
    for (matrix, products) in [(0u32, &key.a), (1, &key.b)] {
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
