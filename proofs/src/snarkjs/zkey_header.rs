//! The protocol and the header of a proving key: sections 1 and 2.

use ark_ff::PrimeField;

use super::points::next_member;
use super::sections::{Reader, Sections, modulus};
use crate::groth16::Domain;
use wgalois::Result;
use wgalois::curve::{Affine, CurveName, PairingCurve};
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
pub fn curve_of(source: &Source) -> Result<CurveName> {
    let by_field = [super::circuit::LETTERS, super::witness::LETTERS];
    let by_field = by_field.into_iter().find(|letters| source.bytes().starts_with(&letters[..]));
    let sections = Sections::new(source, by_field.unwrap_or(LETTERS))?;
    if by_field.is_some() {
        let mut reader = sections.section(1, "the header")?;
        return field(&mut reader, "r", known([modulus::<ark_bn254::Fr>(), modulus::<ark_bls12_381::Fr>()]));
    }
    expect_groth16(&sections)?;
    let mut reader = sections.section(2, "the header")?;
    field(&mut reader, "q", known([modulus::<ark_bn254::Fq>(), modulus::<ark_bls12_381::Fq>()]))
}

/// The curve to which a modulus belongs, by those of BN254 and BLS12-381.
fn known(moduli: [Vec<u8>; 2]) -> impl Fn(&[u8]) -> Option<CurveName> {
    move |bytes| {
        let place = moduli.iter().position(|modulus| modulus == bytes)?;
        [CurveName::Bn254, CurveName::Bls12_381].get(place).copied()
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

/// Reads the modulus of `F`, and refuses another one, or none, with this message at `place`.
pub(super) fn expect_field<F: PrimeField>(
    reader: &mut Reader,
    name: &str,
    place: usize,
    message: &str,
) -> Result<()> {
    let expected = modulus::<F>();
    let is_it = field(reader, name, |bytes| (bytes == expected).then_some(()));
    is_it.map_err(|_| reader.error_at(place, message))
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
    /// Reads the header. Refuses another protocol or curve, a domain that does not exist, and points off their curves
    /// or outside their subgroups.
    pub fn read(sections: &Sections) -> Result<Self> {
        expect_groth16(sections)?;
        let mut reader = sections.section(2, "the header")?;
        let (place, other) = (reader.place(), format!("the key is not over {}", E::NAME));
        expect_field::<E::Base>(&mut reader, "q", place, &other)?;
        expect_field::<E::Scalar>(&mut reader, "r", place, &other)?;
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
