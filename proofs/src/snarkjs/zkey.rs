//! Proving keys, `.zkey`.
//!
//! | section | contents |
//! |---|---|
//! | 1 | the protocol: 1 is Groth16 |
//! | 2 | q and r, each with its bytes; variables, public variables, domain; alpha, beta, delta in G1, beta, gamma, delta in G2 |
//! | 3 | the points of the constant and the public variables |
//! | 4 | coefficients: matrix (0 is A, 1 is B), constraint, variable, value times 2^512 |
//! | 5, 6, 7, 8, 9 | the bases A, B in G1, B in G2, of secret variables, of the quotient |
//! | 10 | the circuit's hash and the contributions to the setup |

use ark_ec::AffineRepr;
use ark_ff::Field;

use super::points::{Stored, all_points, element, size_of_element};
use super::sections::{Section, Sections};
use super::zkey_check::check_key;
use super::zkey_header::{Header, LETTERS};
use crate::groth16::{Basis, Domain, ProvingKey, Queries, SparseMatrix, VerifyingKey, Weakness};
use wgalois::curve::{Affine, Curve, CurveName, PairingCurve};
use wgalois::parallel::*;
use wgalois::{Device, Fault, Result};
use wgalois_io::Source;
use wgalois_io::budget::Budget;
use wgalois_io::points::Trust;

/// The sizes of a circuit, by its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The curve.
    pub curve: CurveName,
    /// The number of variables, the constant included.
    pub variables: usize,
    /// The number of public variables, without the constant.
    pub public: usize,
    /// log2 of the size of the domain: of the constraints and the public variables together, rounded up.
    pub log2: u32,
    /// The number of coefficients in A and B.
    pub coefficients: usize,
    /// The number of contributions to the setup's second phase; `None` if the file does not have them.
    pub contributions: Option<usize>,
    /// The reason why anybody can forge proofs for the key, if there is one.
    pub weakness: Option<Weakness>,
    /// The sections.
    pub sections: Vec<Section>,
}

/// Reads the sizes of a key, and checks that those of the sections agree with them. Of the points it reads the six of the
/// header.
pub fn describe<E: PairingCurve>(source: &Source) -> Result<Description> {
    let sections = Sections::new(source, LETTERS)?;
    let header = Header::<E>::read(&sections)?;
    expect_sizes(&sections, &header)?;
    let (coefficients, _) = coefficients::<E>(&sections)?;
    let contributions = sections.section(10, "the contributions").ok().map(|mut reader| {
        reader.bytes(64, "the hash of the circuit")?;
        reader.word("the number of contributions")
    });
    Ok(Description {
        curve: E::NAME,
        variables: header.variables,
        public: header.public,
        log2: header.domain.log2(),
        coefficients,
        contributions: contributions.transpose()?.map(|count| count as usize),
        weakness: Weakness::of::<E>(&header.gamma2, &header.delta2),
        sections: sections.list().to_vec(),
    })
}

/// Refuses sections of points whose sizes are not those that the header states.
fn expect_sizes<E: PairingCurve>(sections: &Sections, header: &Header<E>) -> Result<()> {
    let &Header { variables, public, ref domain, .. } = header;
    let of_g1 = [
        (3, PUBLIC, public + 1),
        (5, A, variables),
        (6, B, variables),
        (8, SECRET, variables - public - 1),
        (9, QUOTIENT, domain.len()),
    ];
    for (number, what, count) in of_g1 {
        sections.section(number, what)?.records(count, <E::G1 as Stored>::SIZE, "points")?;
    }
    sections.section(7, B_IN_G2)?.records(variables, <E::G2 as Stored>::SIZE, "points").map(drop)
}

/// Reads the verifying key that a proving key contains.
pub fn read_verifying_part<E: PairingCurve>(source: &Source, memory: u64) -> Result<VerifyingKey<E>> {
    let sections = Sections::new(source, LETTERS)?;
    let header = Header::<E>::read(&sections)?;
    let mut budget = Budget::new(source, memory);
    verifying(&sections, &header, &mut budget)
}

fn verifying<E: PairingCurve>(
    sections: &Sections,
    header: &Header<E>,
    budget: &mut Budget,
) -> Result<VerifyingKey<E>> {
    let mut reader = sections.section(3, PUBLIC)?;
    let place = reader.place();
    let public = all_points(&mut reader, header.public + 1, "public variables", Trust::Nothing, budget)?;
    let key = VerifyingKey {
        alpha: header.alpha,
        beta: header.beta2,
        gamma: header.gamma2,
        delta: header.delta2,
        public,
    };
    let is_outside = |point: &Affine<E::G1>| !point.is_zero() && !E::G1::in_subgroup(point);
    match key.public.par_iter().position_first(is_outside) {
        Some(i) => {
            let fault = Fault::OutsideSubgroup.of(format!("point {i} of public variables"));
            Err(reader.error_at(place + i * <E::G1 as Stored>::SIZE, fault))
        }
        None => Ok(key),
    }
}

/// Reads a key. Unless trusted, its points are checked to be in the subgroups of order r, on
/// `device`; they are always checked to be on the curves. Of BN254, whose G1 has no other points, the check concerns G2.
pub fn read_key<E: PairingCurve>(
    source: &Source,
    device: &Device,
    trust: Trust,
    memory: u64,
) -> Result<ProvingKey<E>> {
    let key = read_key_on_curve(source, Trust::Nothing, memory)?;
    if trust == Trust::Nothing {
        check_key(source, &key, device)?;
    }
    Ok(key)
}

/// Reads a key, whose points are checked to be on the curves unless that is trusted: the part of [`read_key`] that needs no device. Those
/// of its header and of the public variables are always checked, also to be in the subgroups.
pub fn read_key_on_curve<E: PairingCurve>(
    source: &Source,
    trust: Trust,
    memory: u64,
) -> Result<ProvingKey<E>> {
    let sections = Sections::new(source, LETTERS)?;
    let header = Header::<E>::read(&sections)?;
    let mut budget = Budget::new(source, memory);
    let Header { variables, public, domain, .. } = header;
    // All sizes are checked before anything is read.
    expect_sizes(&sections, &header)?;
    let n = domain.len();
    let (count, entries) = coefficients::<E>(&sections)?;
    budget.take_bytes((count as u64).saturating_mul(4 + size_of::<E::Scalar>() as u64))?;
    budget.take_bytes(8 * (n as u64 + 1))?;
    // What building one of the matrices takes beside them.
    let building = (4 * count as u64).saturating_add(SparseMatrix::<E::Scalar>::counting_bytes(n));
    budget.take_bytes(building)?;
    let verifying = verifying(&sections, &header, &mut budget)?;
    let a = bases::<E::G1>(&sections, 5, (variables, A), trust, &mut budget)?;
    let b = bases::<E::G1>(&sections, 6, (variables, B), trust, &mut budget)?;
    let secret = bases::<E::G1>(&sections, 8, (variables - public - 1, SECRET), trust, &mut budget)?;
    let quotient = bases::<E::G1>(&sections, 9, (n, QUOTIENT), trust, &mut budget)?;
    let quotient = arranged(&quotient, &domain, &mut budget)?;
    let b2 = bases::<E::G2>(&sections, 7, (variables, B_IN_G2), trust, &mut budget)?;
    check_entries::<E>(&sections, entries, &header)?;
    // Coefficients are the value times 2^512: as the words of a Montgomery form, the value times 2^256.
    let shift = E::Scalar::from(2u64).pow([256u64]).inverse().unwrap_or_default();
    let one = shift.inverse().unwrap_or_default();
    let entry = |i: usize| &entries[i * entry_size::<E>()..];
    let rows = |matrix: u32| {
        let place = |i: usize| {
            let [found, row, variable] = words(entry(i));
            (found == matrix).then(|| (domain.position(row as usize), variable))
        };
        // Most factors are 1.
        let factor = |i: usize| match element::<E::Scalar>(&entry(i)[12..]).unwrap_or_default() {
            factor if factor == one => E::Scalar::ONE,
            factor => factor * shift,
        };
        SparseMatrix::by_numbers(n, count, place, factor)
    };
    let (a_rows, b_rows) = (rows(0), rows(1));
    sections.release(4);
    let queries = Queries { a, b, b2, secret, quotient };
    let (beta, delta) = (header.beta, header.delta);
    let constraints = Some([a_rows?, b_rows?]);
    Ok(ProvingKey { verifying, beta, delta, queries, constraints, domain, basis: Basis::OddRoots })
}

/// The names of points in messages.
const PUBLIC: &str = "the points of public variables";
pub(super) const A: &str = "the bases A";
pub(super) const B: &str = "the bases B in G1";
pub(super) const SECRET: &str = "the bases of secret variables";
pub(super) const QUOTIENT: &str = "the bases of the quotient";
pub(super) const B_IN_G2: &str = "the bases B in G2";

/// The points of a section.
fn bases<C: Stored>(
    sections: &Sections,
    number: u32,
    (count, what): (usize, &str),
    trust: Trust,
    budget: &mut Budget,
) -> Result<Vec<Affine<C>>> {
    let points = all_points(&mut sections.section(number, what)?, count, what, trust, budget)?;
    sections.release(number);
    Ok(points)
}

/// The bases of the quotient, which the file has in the order of snarkjs' roots, in that of the field's.
fn arranged<P: Copy + Send + Sync>(file: &[P], domain: &Domain, budget: &mut Budget) -> Result<Vec<P>> {
    budget.take::<P>(file.len() as u64)?;
    let mut points = budget.room(file.len())?;
    (0..file.len()).into_par_iter().map(|j| file[domain.odd_number(j)]).append_to(&mut points);
    Ok(points)
}

/// Bytes of a coefficient.
pub(super) const fn entry_size<E: PairingCurve>() -> usize {
    12 + size_of_element::<E::Scalar>()
}

/// The matrix, the constraint and the variable of a coefficient.
fn words(bytes: &[u8]) -> [u32; 3] {
    let mut words = [0; 3];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

/// The number of coefficients and their bytes.
fn coefficients<'s, E: PairingCurve>(sections: &Sections<'s>) -> Result<(usize, &'s [u8])> {
    let mut reader = sections.section(4, "the coefficients")?;
    let count = reader.word("the number of coefficients")? as usize;
    Ok((count, reader.records(count, entry_size::<E>(), "coefficients")?))
}

/// Refuses coefficients of places that do not exist.
fn check_entries<E: PairingCurve>(sections: &Sections, entries: &[u8], header: &Header<E>) -> Result<()> {
    let fault = |bytes: &[u8]| {
        let [matrix, row, variable] = words(bytes);
        let (rows, variables) = (header.domain.len(), header.variables);
        if matrix > 1 {
            Some(format!("matrix {matrix}; 0 is A, 1 is B"))
        } else if row as usize >= rows {
            Some(format!("constraint {row} of {rows}"))
        } else if variable as usize >= variables {
            Some(format!("variable {variable} of {variables}"))
        } else if element::<E::Scalar>(&bytes[12..]).is_none() {
            Some("the value is not below r".to_owned())
        } else {
            None
        }
    };
    let size = entry_size::<E>();
    let entries = entries.par_chunks_exact(size).enumerate();
    match entries.try_for_each(|(i, bytes)| fault(bytes).map_or(Ok(()), |message| Err((i, message)))) {
        Err((i, message)) => {
            let reader = sections.section(4, "the coefficients")?;
            Err(reader.error_at(reader.place() + 4 + i * size, format!("coefficient {i}: {message}")))
        }
        Ok(()) => Ok(()),
    }
}
