//! Small setups whose secret is known. The published vectors are in `tests/kzg_vectors.rs`.

use ark_bls12_381::{Fr, G1Affine, G1Projective, G2Affine, G2Projective};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{FftField, Field};

use super::*;
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error};

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
    let blobs = Blobs::new(&device, &Committing::new(N).plan(&device).unwrap(), setup.clone()).unwrap();
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
    assert!(matches!(setup.check(&claims, &proofs[1..]), Err(Error::WrongLength { .. })));
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
    assert!(matches!(committer.open(&longer, z), Err(Error::TooMany { .. })));
    let claim = Claim { commitment: point(at(tau)), z, y: at(z) };
    setup.check(&[claim], &[opening.proof]).unwrap();
}

/// The points of a setup: of the Lagrange polynomials, the powers in G2, and those in G1.
fn points_of(tau: Fr) -> (Vec<G1Affine>, Vec<G2Affine>, Vec<G1Affine>) {
    let powers = |n: u64| (0..n).map(|i| tau.pow([i]));
    let points = (0..N).map(|i| point(lagrange(i, tau))).collect();
    (points, powers(4).map(point2).collect(), powers(N as u64).map(point).collect())
}

#[test]
fn points_that_are_no_setup_are_refused() {
    let (points, second, powers) = points_of(Fr::from(99u64));
    let refused = |points: &[G1Affine], second: &[G2Affine], powers: &[G1Affine]| {
        for powers in [powers, &[]] {
            let outcome = TrustedSetup::new(points.into(), second, powers.into());
            assert_eq!(outcome.unwrap_err().exit_code(), 3);
        }
    };
    TrustedSetup::new(points.clone(), &second, Vec::new()).unwrap();
    TrustedSetup::new(points.clone(), &second, powers.clone()).unwrap();
    refused(&points[1..], &second, &powers);
    refused(&points, &second[..1], &powers);
    refused(&powers, &second, &points);
    let mut changed = points.clone();
    changed[3] = changed[2];
    refused(&changed, &second, &powers);
    // Tau in G2, or a later power, is another one.
    let [two, three] = [2u64, 3].map(|factor| (second[1] * Fr::from(factor)).into_affine());
    refused(&points, &[second[0], two], &powers);
    refused(&points, &[second[0], second[1], three, second[3]], &powers);
    let with_powers = |powers: Vec<G1Affine>| TrustedSetup::new(points.clone(), &second, powers);
    assert_eq!(with_powers(powers[1..].to_vec()).unwrap_err().exit_code(), 3);
    for (i, j) in [(1, 2), (0, 1), (6, 7), (2, 5)] {
        let mut changed = powers.clone();
        changed.swap(i, j);
        assert_eq!(with_powers(changed).unwrap_err().exit_code(), 3);
    }
}

/// Lagrange points in another place are in the subgroup and sum to the generator, as the right ones do.
#[test]
fn lagrange_points_in_another_order_are_refused() {
    let (points, second, powers) = points_of(Fr::from(77_777u64));
    let refused = |what: String, points: Vec<G1Affine>| {
        assert_eq!(points.iter().sum::<G1Projective>().into_affine(), G1Affine::generator());
        for (powers, second) in [
            (&powers[..], &second[..]),
            (&powers[..], &second[..2]),
            (&[][..], &second[..]),
            (&[][..], &second[..2]),
        ] {
            let error = TrustedSetup::new(points.clone(), second, powers.into()).unwrap_err();
            assert!(error.exit_code() == 3 && error.to_string().contains("order"), "{what}: {error}");
        }
    };
    for i in 0..N {
        for j in 0..i {
            let mut swapped = points.clone();
            swapped.swap(i, j);
            refused(format!("{i} and {j} swapped"), swapped);
        }
    }
    for shift in 1..N {
        let mut shifted = points.clone();
        shifted.rotate_left(shift);
        refused(format!("shifted by {shift}"), shifted);
    }
    refused("reversed".into(), points.iter().rev().copied().collect());
    refused("bit-reversed".into(), [0, 4, 2, 6, 1, 5, 3, 7].map(|i| points[i]).into());
    // Two points that are changed, and keep the sum.
    let mut changed = points.clone();
    let other = point(Fr::from(5u64));
    (changed[2], changed[4]) = ((changed[2] + other).into_affine(), (changed[4] - other).into_affine());
    refused("another two".into(), changed);
    // A setup of another tau keeps all that can be said of Lagrange points alone.
    let (others, ..) = points_of(Fr::from(3u64));
    refused("those of another tau".into(), others);
    // The right points are not refused.
    for (powers, second) in [(&powers[..], &second[..]), (&[][..], &second[..2])] {
        TrustedSetup::new(points.clone(), second, powers.into()).unwrap();
    }
}

#[test]
fn what_a_faulty_device_computes_is_refused() {
    let right = setup(Fr::from(1_234_567u64));
    let device = Device::Cpu(Cpu::default());
    let prepare =
        |setup: TrustedSetup| Blobs::new(&device, &Committing::new(N).plan(&device).unwrap(), setup).unwrap();
    let blobs = [2, 3, 4]
        .map(|seed| Blob::of_values((0..N as u64).map(|i| Fr::from(seed + i * i)).collect()).unwrap());
    let zero = Blob::of_values(vec![Fr::from(0u64); N]).unwrap();
    let z = [Fr::from(77u64), roots()[3], Fr::from(0u64)];
    // A device whose table has two points in the place of each other, or a wrong one, computes wrong multiples of all blobs.
    let mut swapped = right.clone();
    swapped.lagrange.swap(1, 6);
    let mut wrong = right.clone();
    wrong.lagrange[5] = wrong.lagrange[4];
    for (setup, is_right) in [(right.clone(), true), (swapped, false), (wrong, false)] {
        let prepared = prepare(setup);
        let fits = |outcome: wgalois::Result<wgalois::verify::Guarantee>| match outcome {
            Ok(_) => assert!(is_right),
            Err(error) => assert!(!is_right && matches!(error, Error::Check(_)), "{error}"),
        };
        let commitments = prepared.commit(&blobs).unwrap();
        fits(right.check_commitments(&blobs, &commitments));
        fits(right.check_commitments(&blobs[1..2], &commitments[1..2]));
        let openings = prepared.open(&blobs, &z).unwrap();
        fits(right.check_openings(&blobs, &z, &openings));
        fits(right.check_openings(&blobs[2..], &z[2..], &openings[2..]));
        let proofs = prepared.prove(&blobs, &commitments).unwrap();
        fits(right.check_blobs(&blobs, &commitments, &proofs));
    }
    // One of several is wrong: each place, and points that are not in the subgroup.
    let prepared = prepare(right.clone());
    let refused = |outcome: wgalois::Result<wgalois::verify::Guarantee>| {
        assert!(matches!(outcome, Err(Error::Check(_))));
    };
    let (commitments, openings) = (prepared.commit(&blobs).unwrap(), prepared.open(&blobs, &z).unwrap());
    let outside = (1u64..).map(ark_bls12_381::Fq::from);
    let mut outside = outside.filter_map(|x| G1Affine::get_point_from_x_unchecked(x, true));
    let outside = outside.find(|point| !point.is_in_correct_subgroup_assuming_on_curve()).unwrap();
    for i in 0..blobs.len() {
        for point in [commitments[(i + 1) % 3], G1Affine::identity(), outside] {
            let mut changed = commitments.clone();
            changed[i] = point;
            refused(right.check_commitments(&blobs, &changed));
            let mut changed = openings.clone();
            changed[i].proof = point;
            refused(right.check_openings(&blobs, &z, &changed));
        }
        let mut changed = openings.clone();
        changed[i].value += Fr::ONE;
        refused(right.check_openings(&blobs, &z, &changed));
    }
    for refused in [
        right.check_commitments(&blobs, &commitments[1..]),
        right.check_openings(&blobs, &z[1..], &openings),
        right.check_openings(&blobs, &z, &openings[1..]),
    ] {
        assert!(matches!(refused, Err(Error::WrongLength { .. })));
    }
    // Of nothing, and of the polynomial 0.
    right.check_commitments(&[], &[]).unwrap();
    right.check_openings(&[], &[], &[]).unwrap();
    let zeros = std::slice::from_ref(&zero);
    let commitments = prepared.commit(zeros).unwrap();
    assert_eq!(commitments, [G1Affine::identity()]);
    right.check_commitments(zeros, &commitments).unwrap();
    right.check_openings(zeros, &z[..1], &prepared.open(zeros, &z[..1]).unwrap()).unwrap();
    let proofs = prepared.prove(zeros, &commitments).unwrap();
    right.check_blobs(zeros, &commitments, &proofs).unwrap();
}

/// The text of c-kzg, and the files of consensus-specs by the newer and the older names.
#[test]
fn a_setup_in_text_and_in_json_is_the_same() {
    use crate::ethereum::read_setup;
    use wgalois_io::Source;
    let device = Device::Cpu(Cpu::default());
    let (points, second, powers) = points_of(Fr::from(99u64));
    let hex = |bytes: Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let first = |points: &[G1Affine]| points.iter().map(|p| hex(encode_point(p))).collect::<Vec<_>>();
    let encode2 = |p: &G2Affine| hex(wgalois_io::points::encode::<wgalois::curve::Bls12_381G2>(p, true));
    let (lagrange, powers, second) =
        (first(&points), first(&powers), second.iter().map(encode2).collect::<Vec<_>>());
    let list = |words: &[String], prefix: &str| {
        words.iter().map(|word| format!("\"{prefix}{word}\"")).collect::<Vec<_>>().join(",\n    ")
    };
    let text = format!("8\n4\n{}\n{}\n{}\n", lagrange.join("\n"), second.join("\n"), powers.join("\n"));
    let json = format!(
        "{{\n  \"g1_monomial\": [{}],\n  \"g1_lagrange\": [{}],\n  \"g2_monomial\": [{}]\n}}\n",
        list(&powers, "0x"),
        list(&lagrange, "0x"),
        list(&second, "0x")
    );
    let older = format!(
        "{{\"setup_G1\": [{}], \"setup_G2\": [{}], \"setup_G1_lagrange\": [{}], \"roots_of_unity\": [1, 2]}}",
        list(&powers, ""),
        list(&second, ""),
        list(&lagrange, "")
    );
    let read = |text: &str| read_setup(&Source::from_bytes("f", text), &device, u64::MAX);
    let expected = setup(Fr::from(99u64));
    for text in [&text, &json, &older, &json.replace('\n', "\r\n")] {
        assert_eq!(read(text).unwrap(), expected, "{text}");
    }
    let without = json.replacen(&format!("\"g1_monomial\": [{}],", list(&powers, "0x")), "", 1);
    assert!(read(&without).unwrap().powers().is_empty());
    let refused = |text: &str| {
        let error = read(text).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        error.to_string()
    };
    for end in (0..json.trim_end().len()).step_by(7) {
        refused(&json[..end]);
    }
    let lines = |word: &str| json[..json.find(word).unwrap()].matches('\n').count() + 1;
    let damaged = refused(&json.replacen(&lagrange[2], &lagrange[2][1..], 1));
    assert!(
        damaged.starts_with(&format!("f:{}:6: expected 96 hexadecimal digits", lines(&lagrange[2]))),
        "{damaged}"
    );
    let number = refused(&json.replacen(&format!("\"0x{}\"", second[1]), "17", 1));
    assert!(
        number.starts_with(&format!("f:{}:", lines(&second[1]))) && number.contains("no setup"),
        "{number}"
    );
    assert!(refused(&json.replacen("g1_lagrange", "g1_values", 1)).contains("unknown field `g1_values`"));
    assert!(refused(&json.replacen("g1_monomial", "setup_G1_lagrange", 1)).contains("duplicate field"));
    let long = refused(&format!("{{\"{}\": []}}", "\u{7f}".repeat(500)));
    assert!(long.contains(r"unknown field `\u{7f}\u{7f}") && long.len() < 300, "{long}");
    assert!(refused("{\"g1_lagrange\": []}").contains("missing field"));
    assert!(
        refused(&json.replacen(&format!("\"0x{}\",", lagrange[3]), "", 1)).contains("number of points of G1")
    );
    let source = Source::from_bytes("f", json);
    assert!(matches!(read_setup(&source, &device, 1000), Err(Error::TooLarge(_))));
}
