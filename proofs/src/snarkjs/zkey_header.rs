//! The protocol and the header of a proving key: sections 1 and 2.

use super::points::{modulus, next_member};
use super::sections::{Reader, Sections};
use crate::groth16::Domain;
use wgalois::curve::{Affine, CurveName, PairingCurve};
use wgalois::{Error, Result};
use wgalois_io::Source;

/// The first letters of the file.
pub(super) const LETTERS: &[u8; 4] = b"zkey";

/// The number of a protocol that is read.
pub(super) const GROTH16: u32 = 1;

/// The header of a key. Its points are in the subgroups of order r, and none is at infinity.
pub(super) struct Header<E: PairingCurve> {
    pub variables: usize,
    pub public: usize,
    pub domain: Domain,
    pub alpha: Affine<E::G1>,
    pub beta: Affine<E::G1>,
    pub beta2: Affine<E::G2>,
    pub gamma2: Affine<E::G2>,
    pub delta: Affine<E::G1>,
    pub delta2: Affine<E::G2>,
}

/// Returns the curve of a circuit, a key or a witness.
///
/// # Errors
/// [`Error::Format`] for another kind of file, a key of another protocol, or another curve.
pub fn curve_of(source: &Source) -> Result<CurveName> {
    let by_field = [super::circuit::LETTERS, super::witness::LETTERS];
    let by_field = by_field.into_iter().find(|letters| source.bytes().starts_with(&letters[..]));
    let sections = Sections::new(source, by_field.unwrap_or(LETTERS))?;
    if by_field.is_some() {
        let mut reader = sections.section(1, "the header")?;
        return field(&mut reader, "r", by_order);
    }
    expect_groth16(&sections)?;
    let mut reader = sections.section(2, "the header")?;
    field(&mut reader, "q", |bytes| match bytes {
        bytes if bytes == modulus::<ark_bn254::Fq>() => Some(CurveName::Bn254),
        bytes if bytes == modulus::<ark_bls12_381::Fq>() => Some(CurveName::Bls12_381),
        _ => None,
    })
}

/// The curve whose subgroup has this order.
fn by_order(bytes: &[u8]) -> Option<CurveName> {
    match bytes {
        bytes if bytes == modulus::<ark_bn254::Fr>() => Some(CurveName::Bn254),
        bytes if bytes == modulus::<ark_bls12_381::Fr>() => Some(CurveName::Bls12_381),
        _ => None,
    }
}

/// Reads a modulus and returns what it stands for.
pub(super) fn field<T>(reader: &mut Reader, name: &str, known: impl Fn(&[u8]) -> Option<T>) -> Result<T> {
    let place = reader.place();
    let size = reader.word(&format!("the bytes of {name}"))? as usize;
    let bytes = reader.bytes(size, name)?;
    known(bytes).ok_or_else(|| {
        reader.error_at(
            place,
            format!("{name} is that of another curve; those of BN254 and BLS12-381 are read"),
        )
    })
}

/// Refuses a key of another protocol.
fn expect_groth16(sections: &Sections) -> Result<()> {
    let mut reader = sections.section(1, "the protocol")?;
    let place = reader.place();
    let name = match reader.word("the protocol")? {
        GROTH16 => return reader.finish(),
        2 => "PLONK".to_owned(),
        10 => "FFLONK".to_owned(),
        other => format!("protocol {other}"),
    };
    Err(reader.error_at(place, format!("a key for {name}; keys for Groth16 are read")))
}

impl<E: PairingCurve> Header<E> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`Error::Format`] with section and place, for another protocol or curve, a domain that does not exist, and points off
    /// their curves or outside their subgroups.
    pub fn read(sections: &Sections) -> Result<Self> {
        expect_groth16(sections)?;
        let mut reader = sections.section(2, "the header")?;
        let same = |expected: Vec<u8>| move |bytes: &[u8]| (bytes == expected).then_some(());
        let place = reader.place();
        let wrong = |_| reader_error::<E>(sections, place);
        field(&mut reader, "q", same(modulus::<E::Base>())).map_err(wrong)?;
        field(&mut reader, "r", same(modulus::<E::Scalar>())).map_err(wrong)?;
        let place = reader.place();
        let variables = reader.word("the number of variables")? as usize;
        let public = reader.word("the number of public variables")? as usize;
        if public >= variables {
            let message = format!("{public} public variables and the constant, of {variables} variables");
            return Err(reader.error_at(place, message));
        }
        let place = reader.place();
        let size = reader.word("the size of the domain")?;
        if !size.is_power_of_two() {
            return Err(reader.error_at(place, format!("a domain of {size} roots, which is no power of two")));
        }
        let domain = Domain::of_snarkjs::<E::Scalar>(size.ilog2());
        let domain = domain.map_err(|error| reader.error_at(place, error.to_string()))?;
        let header = Header {
            variables,
            public,
            domain,
            alpha: next_member(&mut reader, "alpha in G1")?,
            beta: next_member(&mut reader, "beta in G1")?,
            beta2: next_member(&mut reader, "beta in G2")?,
            gamma2: next_member(&mut reader, "gamma in G2")?,
            delta: next_member(&mut reader, "delta in G1")?,
            delta2: next_member(&mut reader, "delta in G2")?,
        };
        reader.finish()?;
        Ok(header)
    }
}

fn reader_error<E: PairingCurve>(sections: &Sections, place: usize) -> Error {
    sections.source.byte_error(place, format!("section 2: the key is not over {}", E::NAME))
}
