//! The incomplete transform of ML-KEM (Kyber), as FIPS 203 defines it.
//!
//! Modulo q = 3329 there is a 256th root of unity, 17, but no 512th: x^256 + 1 is the product of 128 quadratic factors
//! x^2 - 17^(2 r(i) + 1), where r(i) are the seven binary digits of i reversed. The transform of a polynomial is its remainders
//! modulo these, with coefficients 2 i and 2 i + 1 for factor i (FIPS 203, section 4.3). The coefficients of even degree alone are
//! a polynomial in x^2, and those of odd degree another, so that the remainders are two negacyclic transforms of 128 entries.
//!
//! ```
//! use wgalois::ntt::ml_kem;
//! use wgalois::{Cpu, Device};
//!
//! let device = Device::Cpu(Cpu::default());
//! let (mut a, mut b) = (vec![0; 256], vec![0; 256]);
//! (a[255], b[1]) = (1, 2);
//! ml_kem::transform(&device, &mut a)?;
//! ml_kem::transform(&device, &mut b)?;
//! let mut c = ml_kem::multiply(&a, &b)?;
//! ml_kem::inverse(&device, &mut c)?;
//! assert_eq!(c[0], 3329 - 2, "x^256 is -1");
//! # Ok::<(), wgalois::Error>(())
//! ```

use super::{Coset, Transform, residues};
use crate::field::{Prime, bit_reverse};
use crate::{Device, Error, Result};

/// q.
pub const MODULUS: u32 = 3329;
/// The coefficients of a polynomial.
pub const LENGTH: usize = 256;
/// The 256th root of unity.
pub const ROOT: u32 = 17;

/// The quadratic factors.
const FACTORS: usize = LENGTH / 2;

/// Replaces each polynomial of 256 coefficients in `data` by its transform: NTT, algorithm 9 of FIPS 203.
pub fn transform(device: &Device, data: &mut [u32]) -> Result<()> {
    let (transform, places) = (of(data)?, places()?);
    let mut halves = vec![0; data.len()];
    for (polynomial, halves) in data.chunks_exact(LENGTH).zip(halves.chunks_exact_mut(LENGTH)) {
        for (i, pair) in polynomial.chunks_exact(2).enumerate() {
            (halves[i], halves[FACTORS + i]) = (pair[0], pair[1]);
        }
    }
    super::transform(device, &transform, &mut halves)?;
    for (polynomial, halves) in data.chunks_exact_mut(LENGTH).zip(halves.chunks_exact(LENGTH)) {
        for (pair, &place) in polynomial.chunks_exact_mut(2).zip(&places) {
            (pair[0], pair[1]) = (halves[place], halves[FACTORS + place]);
        }
    }
    Ok(())
}

/// The inverse of [`transform`]: algorithm 10 of FIPS 203.
pub fn inverse(device: &Device, data: &mut [u32]) -> Result<()> {
    let (transform, places) = (of(data)?.inverted(), places()?);
    let mut halves = vec![0; data.len()];
    for (polynomial, halves) in data.chunks_exact(LENGTH).zip(halves.chunks_exact_mut(LENGTH)) {
        for (pair, &place) in polynomial.chunks_exact(2).zip(&places) {
            (halves[place], halves[FACTORS + place]) = (pair[0], pair[1]);
        }
    }
    super::transform(device, &transform, &mut halves)?;
    for (polynomial, halves) in data.chunks_exact_mut(LENGTH).zip(halves.chunks_exact(LENGTH)) {
        for (i, pair) in polynomial.chunks_exact_mut(2).enumerate() {
            (pair[0], pair[1]) = (halves[i], halves[FACTORS + i]);
        }
    }
    Ok(())
}

/// The products of transformed polynomials, which are those modulo each quadratic factor: MultiplyNTTs, algorithm 11 of FIPS 203.
pub fn multiply(a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
    let (q, gammas) = (field()?, gammas()?);
    of(a)?;
    of(b)?;
    Error::expect_length("coefficients of the second factor", a.len(), b.len())?;
    residues::check_all("the first polynomial's coefficient", a, MODULUS)?;
    residues::check_all("the second polynomial's coefficient", b, MODULUS)?;
    let pairs = a.chunks_exact(2).zip(b.chunks_exact(2)).zip(gammas.iter().cycle());
    let product = |((a, b), &gamma): ((&[u32], &[u32]), &u32)| {
        let wrapped = q.mul(q.mul(a[1], b[1]), gamma);
        [q.add(q.mul(a[0], b[0]), wrapped), q.add(q.mul(a[0], b[1]), q.mul(a[1], b[0]))]
    };
    Ok(pairs.flat_map(product).collect())
}

fn field() -> Result<Prime> {
    Prime::new(MODULUS)
}

/// The transforms of both halves of all polynomials.
fn of(data: &[u32]) -> Result<Transform> {
    if !data.len().is_multiple_of(LENGTH) {
        let found = data.len();
        let reason = format!("{found} coefficients: polynomials of ML-KEM have 256 each");
        return Err(Error::unsuited("the transform of ML-KEM", reason));
    }
    let transform = Transform::new(field()?, FACTORS)?.with_coset(Coset::Negacyclic);
    Ok(transform.with_batch(data.len() / FACTORS))
}

/// 17^(2 r(i) + 1) for each factor.
fn gammas() -> Result<Vec<u32>> {
    let q = field()?;
    let exponent = |i: usize| 2 * bit_reverse(i, FACTORS.ilog2()) as u64 + 1;
    Ok((0..FACTORS).map(|i| q.pow(ROOT, exponent(i))).collect())
}

/// The place of each factor's value in a transform of the library, whose root is another one.
fn places() -> Result<Vec<usize>> {
    let q = field()?;
    let root = q.root_of_unity(LENGTH.ilog2())?;
    let points: Vec<u32> = (0..FACTORS as u64).map(|j| q.pow(root, 2 * j + 1)).collect();
    let place = |gamma: u32| points.iter().position(|&point| point == gamma);
    let missing = || Error::needs("the transform of ML-KEM", "a value for every factor");
    gammas()?.into_iter().map(|gamma| place(gamma).ok_or_else(missing)).collect()
}
