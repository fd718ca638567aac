//! The points of a key.

use ark_bls12_381::{Bls12_381, g1, g2};
use ark_ec::AffineRepr;

use super::layout::{Layout, POINT, Part, cut_off};
use crate::groth16::{Basis, ProvingKey, Queries, VerifyingKey};
use wgalois::curve::{Affine, Curve};
use wgalois::parallel::*;
use wgalois::{Device, Fault, Result, msm};
use wgalois_io::Source;
use wgalois_io::budget::Budget;
use wgalois_io::points::{Trust, decode_one};

/// The points before the first count.
pub(super) struct Head {
    alpha: Affine<g1::Config>,
    beta: Affine<g1::Config>,
    beta2: Affine<g2::Config>,
    pub(super) gamma: Affine<g2::Config>,
    delta: Affine<g1::Config>,
    pub(super) delta2: Affine<g2::Config>,
}

impl Head {
    /// Reads the head, whose points are checked to be on their curves and in the subgroups: they are six.
    pub(super) fn read(source: &Source) -> Result<Self> {
        let mut at = 0;
        Ok(Head {
            alpha: member(source, &mut at, "alpha in G1")?,
            beta: member(source, &mut at, "beta in G1")?,
            beta2: member(source, &mut at, "beta in G2")?,
            gamma: member(source, &mut at, "gamma in G2")?,
            delta: member(source, &mut at, "delta in G1")?,
            delta2: member(source, &mut at, "delta in G2")?,
        })
    }

    /// The verifying key with the points of public variables.
    fn verifying(&self, public: Vec<Affine<g1::Config>>) -> VerifyingKey<Bls12_381> {
        let Head { alpha, beta2: beta, gamma, delta2: delta, .. } = *self;
        VerifyingKey { alpha, beta, gamma, delta, public }
    }
}

/// The point of the subgroup at this place, which then is the place behind it.
fn member<C: Curve>(source: &Source, at: &mut usize, name: &'static str) -> Result<Affine<C>> {
    let (place, size) = (*at, POINT * degree::<C>());
    *at += size;
    let bytes = source.bytes().get(place..*at).ok_or_else(|| cut_off(source, place, name))?;
    let refused = |fault: Fault| source.byte_error(place, fault.of(name));
    let point = point::<C>(bytes, Trust::Nothing).map_err(refused)?;
    if C::in_subgroup(&point) { Ok(point) } else { Err(refused(Fault::OutsideSubgroup)) }
}

/// The degree of the field of coordinates.
fn degree<C: Curve>() -> usize {
    <C::BaseField as ark_ff::Field>::extension_degree() as usize
}

/// The point with this encoding, which is not at infinity, and on the curve unless that is trusted.
fn point<C: Curve>(bytes: &[u8], trust: Trust) -> Result<Affine<C>, Fault> {
    let point: Affine<C> = decode_one(bytes, Trust::Everything)?;
    match trust {
        _ if point.is_zero() => Err(Fault::AtInfinity),
        Trust::Nothing if !point.is_on_curve() => Err(Fault::NotOnCurve { curve: C::NAME.as_str() }),
        _ => Ok(point),
    }
}

/// Reads a key. Unless trusted, its points are checked to be on the curves, and on `device` to be in the subgroups of order r.
pub fn read_key(
    source: &Source,
    device: &Device,
    trust: Trust,
    memory: u64,
) -> Result<ProvingKey<Bls12_381>> {
    let key = read_key_on_curve(source, trust, memory)?;
    if trust == Trust::Nothing {
        check_key(source, &key, device)?;
    }
    Ok(key)
}

/// Reads a key, whose points are checked to be on the curves unless that is trusted: the part of [`read_key`] that needs no
/// device.
pub fn read_key_on_curve(source: &Source, trust: Trust, memory: u64) -> Result<ProvingKey<Bls12_381>> {
    let layout = Layout::new(source)?;
    let head = Head::read(source)?;
    let mut budget = Budget::new(source, memory);
    let of_g1 = [layout.public, layout.quotient, layout.secret, layout.a, layout.b].map(|part| part.count);
    let bytes = of_g1.iter().sum::<usize>() * size_of::<Affine<g1::Config>>();
    budget.expect((bytes + layout.b2.count * size_of::<Affine<g2::Config>>()) as u64)?;
    let public = points(source, layout.public, trust, &mut budget)?;
    let queries = Queries {
        quotient: points(source, layout.quotient, trust, &mut budget)?,
        secret: points(source, layout.secret, trust, &mut budget)?,
        a: points(source, layout.a, trust, &mut budget)?,
        b: points(source, layout.b, trust, &mut budget)?,
        b2: points(source, layout.b2, trust, &mut budget)?,
    };
    let key = ProvingKey {
        verifying: head.verifying(public),
        beta: head.beta,
        delta: head.delta,
        queries,
        constraints: None,
        domain: layout.domain,
        basis: Basis::Powers,
    };
    key.check_sizes()?;
    Ok(key)
}

/// Reads the verifying key that a proving key begins with. Its points are checked to be in their groups; what lies behind it is
/// not read.
pub fn read_verifying_part(source: &Source, memory: u64) -> Result<VerifyingKey<Bls12_381>> {
    let head = Head::read(source)?;
    let part = Layout::public(source)?;
    let public = points(source, part, Trust::Nothing, &mut Budget::new(source, memory))?;
    match msm::membership::first_outside(&public) {
        Some(i) => Err(part.refuse(source, i, Fault::OutsideSubgroup)),
        None => Ok(head.verifying(public)),
    }
}

fn points<C: Curve>(
    source: &Source,
    part: Part,
    trust: Trust,
    budget: &mut Budget,
) -> Result<Vec<Affine<C>>> {
    let encoded = part.bytes(source).par_chunks_exact(part.size);
    budget.values(encoded, |bytes| point(bytes, trust), |i, fault| part.refuse(source, i, fault))
}

/// Checks on `device` that the points of a key are in the subgroups of order r; `source` is the file that the key was read from.
/// The error has the part and the place of the first one that is not.
pub fn check_key(source: &Source, key: &ProvingKey<Bls12_381>, device: &Device) -> Result<()> {
    let layout = Layout::new(source)?;
    let Queries { a, b, b2, secret, quotient } = &key.queries;
    let of_g1 = [
        (layout.public, &key.verifying.public),
        (layout.quotient, quotient),
        (layout.secret, secret),
        (layout.a, a),
        (layout.b, b),
    ];
    for (part, points) in of_g1 {
        if let Some(i) = msm::first_outside(device, points)? {
            return Err(part.refuse(source, i, Fault::OutsideSubgroup));
        }
    }
    match msm::first_outside(device, b2)? {
        Some(i) => Err(layout.b2.refuse(source, i, Fault::OutsideSubgroup)),
        None => Ok(()),
    }
}
