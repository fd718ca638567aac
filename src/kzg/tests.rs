//! Small setups whose secret is known. The published vectors are in `tests/kzg_vectors.rs`.

use ark_bls12_381::{Fr, G1Affine, G1Projective, G2Affine, G2Projective};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{FftField, Field};

use super::*;
use crate::task::Problem;
use crate::{Cpu, Device, Error};

const N: usize = 8;

fn point(factor: Fr) -> G1Affine {
    (G1Projective::from(G1Affine::generator()) * factor).into_affine()
}

fn point2(factor: Fr) -> G2Affine {
    (G2Projective::from(G2Affine::generator()) * factor).into_affine()
}

/// The roots of unity, by powers.
fn roots() -> Vec<Fr> {
    let root = Fr::get_root_of_unity(N as u64).unwrap();
    (0..N as u64).map(|i| root.pow([i])).collect()
}

/// The Lagrange polynomial i at x, by its definition.
fn lagrange(i: usize, x: Fr) -> Fr {
    let roots = roots();
    let others = (0..N).filter(|&j| j != i);
    others.map(|j| (x - roots[j]) / (roots[i] - roots[j])).product()
}

fn setup(tau: Fr) -> TrustedSetup {
    let powers = |n: u64| (0..n).map(|i| tau.pow([i]));
    let points = (0..N).map(|i| point(lagrange(i, tau))).collect();
    let second: Vec<_> = powers(3).map(point2).collect();
    TrustedSetup::new(points, &second, powers(N as u64).map(point).collect()).unwrap()
}

/// The polynomial of a blob at x: value i belongs to the root of bit-reversed i.
fn evaluated(blob: &Blob, x: Fr) -> Fr {
    let at = |i: usize| [0, 4, 2, 6, 1, 5, 3, 7][i];
    blob.values().iter().enumerate().map(|(i, value)| *value * lagrange(at(i), x)).sum()
}

#[test]
fn commitments_and_openings_are_those_of_the_definition() {
    let tau = Fr::from(123_456_789u64);
    let device = Device::Cpu(Cpu::default());
    let setup = setup(tau);
    let blobs = Committing::new(N).plan(&device).unwrap().prepare(&device, setup.clone()).unwrap();
    let values = |seed: u64| (0..N as u64).map(|i| Fr::from(seed).pow([i + 3])).collect();
    let blob = [2, 3].map(|seed| Blob::of_values(values(seed)).unwrap());
    let commitments = blobs.commit(&blob).unwrap();
    assert_eq!(commitments, [0, 1].map(|i| point(evaluated(&blob[i], tau))));
    // At a point outside the roots, and at a root.
    let mut claims = Vec::new();
    let mut proofs = Vec::new();
    for z in [Fr::from(77u64), roots()[3], roots()[0], Fr::from(0u64)] {
        for (opening, (blob, commitment)) in
            blobs.open(&blob, &[z, z]).unwrap().into_iter().zip(blob.iter().zip(&commitments))
        {
            let y = evaluated(blob, z);
            assert_eq!(opening.value, y);
            assert_eq!(opening.proof, point((evaluated(blob, tau) - y) / (tau - z)));
            claims.push(Claim { commitment: *commitment, z, y });
            proofs.push(opening.proof);
            setup.check(&claims[claims.len() - 1..], &proofs[proofs.len() - 1..]).unwrap();
        }
    }
    setup.check(&claims, &proofs).unwrap();
    claims[5].y += Fr::from(1u64);
    assert!(matches!(setup.check(&claims, &proofs), Err(Error::Check(_))));
    assert!(matches!(setup.check(&claims, &proofs[1..]), Err(Error::Input(_))));
    let blob_proofs = blobs.prove(&blob, &commitments).unwrap();
    setup.check_blobs(&blob, &commitments, &blob_proofs).unwrap();
    let swapped = [commitments[1], commitments[0]];
    assert!(matches!(setup.check_blobs(&blob, &swapped, &blob_proofs), Err(Error::Check(_))));
    setup.check_blobs(&[], &[], &[]).unwrap();
}

#[test]
fn powers_commit_to_coefficients() {
    let tau = Fr::from(99u64);
    let setup = setup(tau);
    let device = Device::Cpu(Cpu::default());
    let committer = Committer::new(&device, setup.powers()).unwrap();
    let p: Vec<Fr> = (1..=N as u64).map(Fr::from).collect();
    let at = |x: Fr| p.iter().rev().fold(Fr::from(0u64), |sum, c| sum * x + c);
    assert_eq!(committer.commit(&p).unwrap(), point(at(tau)));
    let z = Fr::from(5u64);
    let opening = committer.open(&p, z).unwrap();
    assert_eq!(opening.value, at(z));
    assert_eq!(opening.proof, point((at(tau) - at(z)) / (tau - z)));
    let empty = committer.open(&[], z).unwrap();
    assert_eq!((empty.value, empty.proof), (Fr::from(0u64), G1Affine::identity()));
    let longer = [&p[..], &[Fr::ONE]].concat();
    assert!(matches!(committer.open(&longer, z), Err(Error::Input(_))));
    let claim = Claim { commitment: point(at(tau)), z, y: at(z) };
    setup.check(&[claim], &[opening.proof]).unwrap();
}

#[test]
fn points_that_are_no_setup_are_refused() {
    let tau = Fr::from(99u64);
    let points: Vec<_> = (0..N).map(|i| point(lagrange(i, tau))).collect();
    let second = [Fr::ONE, tau].map(point2);
    let powers: Vec<_> = (0..N as u64).map(|i| point(tau.pow([i]))).collect();
    let refused = |points: &[G1Affine], second: &[G2Affine], powers: &[G1Affine]| {
        let outcome = TrustedSetup::new(points.into(), second, powers.into());
        assert_eq!(outcome.unwrap_err().exit_code(), 3);
    };
    TrustedSetup::new(points.clone(), &second, Vec::new()).unwrap();
    refused(&points[1..], &second, &powers);
    refused(&points, &second[..1], &powers);
    refused(&points, &second, &powers[1..]);
    refused(&powers, &second, &points);
    let mut changed = points.clone();
    changed[3] = changed[2];
    refused(&changed, &second, &powers);
    let mut changed = powers.clone();
    changed[1] = changed[2];
    refused(&points, &second, &changed);
}
