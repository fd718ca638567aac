//! Files of keys from setups whose secrets are known. That bellman and bellperson write such files is tested beside them, in the
//! package for bellman.

use ark_bls12_381::Bls12_381;
use ark_ec::AffineRepr;
use ark_ec::short_weierstrass::SWCurveConfig;

use super::*;
use crate::groth16::evaluated_tests::compacted;
use crate::groth16::tests::{cpu, setup};
use crate::groth16::{Basis, ProvingKey, chain};
use wgalois::curve::{Affine, Curve};
use wgalois::{Error, Place, Position};
use wgalois_io::Source;
use wgalois_io::points::{Trust, encode};

fn key() -> ProvingKey<Bls12_381> {
    compacted(&setup().key(&chain(5, 7).0, Basis::Powers).unwrap())
}

fn put<C: Curve>(bytes: &mut Vec<u8>, points: &[Affine<C>]) {
    points.iter().for_each(|point| bytes.extend(encode(point, false)));
}

fn put_counted<C: Curve>(bytes: &mut Vec<u8>, points: &[Affine<C>]) {
    bytes.extend((points.len() as u32).to_be_bytes());
    put(bytes, points);
}

/// A file, by the table of the module.
fn file(key: &ProvingKey<Bls12_381>) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, &[key.verifying.alpha, key.beta]);
    put(&mut bytes, &[key.verifying.beta, key.verifying.gamma]);
    put(&mut bytes, &[key.delta]);
    put(&mut bytes, &[key.verifying.delta]);
    put_counted(&mut bytes, &key.verifying.public);
    put_counted(&mut bytes, &key.queries.quotient);
    put_counted(&mut bytes, &key.queries.secret);
    put_counted(&mut bytes, &key.queries.a);
    put_counted(&mut bytes, &key.queries.b);
    put_counted(&mut bytes, &key.queries.b2);
    bytes
}

fn source(bytes: impl Into<Vec<u8>>) -> Source {
    Source::from_bytes("k.params", bytes)
}

fn read(bytes: impl Into<Vec<u8>>) -> wgalois::Result<ProvingKey<Bls12_381>> {
    read_key(&source(bytes), &cpu(), Trust::Nothing, u64::MAX)
}

/// The place and the text of a file's fault.
fn fault(error: Error) -> (usize, String) {
    let text = error.to_string();
    match error {
        Error::Format { place: Place { position: Position::Byte(at), .. }, .. } => (at, text),
        error => panic!("{error}"),
    }
}

#[test]
fn keys_are_read_as_they_were_written() {
    let key = key();
    let bytes = file(&key);
    let mut written = Vec::new();
    write_key(&mut written, &key).unwrap();
    assert!(written == bytes);
    for trust in [Trust::Nothing, Trust::Everything] {
        assert!(read_key(&source(&bytes[..]), &cpu(), trust, u64::MAX).unwrap() == key);
    }
    assert!(read_verifying_part(&source(&bytes[..]), u64::MAX).unwrap() == key.verifying);
    let description = Description {
        variables: key.variables(),
        public: key.public(),
        a: key.queries.a.len(),
        b: key.queries.b.len(),
        log2: key.domain.log2(),
        contributions: None,
        weakness: None,
    };
    assert_eq!(describe(&source(&bytes[..])).unwrap(), description);
    // The contributions to a ceremony.
    for count in [0, 1, 3] {
        let hash = [[7; 64].to_vec(), (count as u32).to_be_bytes().to_vec(), vec![9; count * 544]].concat();
        let bytes = [&bytes[..], &hash].concat();
        assert!(read(&bytes[..]).unwrap() == key);
        assert_eq!(
            describe(&source(bytes)).unwrap(),
            Description { contributions: Some(count), ..description.clone() }
        );
    }
}

#[test]
fn files_that_end_early_or_go_on_are_refused() {
    let bytes = file(&key());
    for end in 0..bytes.len() {
        let (at, text) = fault(describe(&source(&bytes[..end])).unwrap_err());
        assert!(at <= end && end < at + 192 && text.contains("the file ends within"), "{end}: {text}");
    }
    for more in [1, 63, 64, 67, 69, 68 + 543] {
        let bytes = [&bytes[..], &vec![0; more]].concat();
        let (at, text) = fault(read(&bytes[..]).unwrap_err());
        assert_eq!(at, bytes.len() - more, "{text}");
    }
    // A count that no file justifies.
    let mut long = bytes.clone();
    long[864..868].fill(0xff);
    assert_eq!(fault(read(long).unwrap_err()).0 % 96, 868 % 96);
    let small = read_key(&source(bytes), &cpu(), Trust::Nothing, 1000);
    assert!(matches!(small, Err(Error::TooLarge(_))));
}

#[test]
fn points_that_are_wrong_are_refused_with_their_place() {
    let key = key();
    let bytes = file(&key);
    let layout = layout::Layout::new(&source(&bytes[..])).unwrap();
    let parts = [layout.public, layout.quotient, layout.secret, layout.a, layout.b, layout.b2];
    // Every point of the head and of the parts.
    let head =
        [0, 96, 192, 384, 576, 672].map(|at| (at, if matches!(at, 192 | 384 | 672) { 192 } else { 96 }));
    let all = parts.iter().flat_map(|part| (0..part.count).map(|i| (part.at + i * part.size, part.size)));
    for (at, size) in head.into_iter().chain(all) {
        let refused = |point: &[u8], expected: &str| {
            let mut bytes = bytes.clone();
            bytes[at..at + size].copy_from_slice(point);
            let (found, text) = fault(read(bytes).unwrap_err());
            assert!(found == at && text.contains(expected), "{at}: {text}");
        };
        let point = &bytes[at..at + size];
        let changed = |i: usize, byte: u8| [&point[..i], &[byte], &point[i + 1..]].concat();
        refused(&changed(size - 1, point[size - 1] ^ 1), "not on");
        refused(&changed(0, point[0] | 0x80), "compressed");
        refused(&[&[0x40], &vec![0; size - 1][..]].concat(), "at infinity");
        refused(&vec![0x1f; size], "not below");
        // On the curve, outside the subgroup.
        let outside = match size {
            96 => encode(&some_outside::<ark_bls12_381::g1::Config>(), false),
            _ => encode(&some_outside::<ark_bls12_381::g2::Config>(), false),
        };
        refused(&outside, "not in the subgroup");
    }
}

fn some_outside<C: SWCurveConfig>() -> Affine<C> {
    let points =
        (1u64..).filter_map(|x| Affine::<C>::get_point_from_x_unchecked(C::BaseField::from(x), true));
    points.into_iter().find(|point| !point.is_in_correct_subgroup_assuming_on_curve()).unwrap()
}

#[test]
fn parts_that_contradict_each_other_are_refused() {
    let key = key();
    let refused = |change: fn(&mut ProvingKey<Bls12_381>), expected: &str| {
        let mut changed = key.clone();
        change(&mut changed);
        let (_, text) = fault(describe(&source(file(&changed))).unwrap_err());
        assert!(text.contains(expected), "{text}");
    };
    refused(|key| key.verifying.public.clear(), "public variables: none");
    refused(|key| key.queries.quotient.truncate(6), "a power of two less one");
    refused(|key| key.queries.a.truncate(key.verifying.public.len() - 1), "bases A: 2 points");
    refused(|key| key.queries.a = vec![key.delta; key.variables() + 1], "bases A");
    refused(
        |key| {
            key.queries.b = vec![key.delta; key.variables() + 1];
            key.queries.b2 = vec![key.verifying.delta; key.variables() + 1];
        },
        "at most",
    );
    refused(|key| key.queries.b2.truncate(1), "bases B in G2");
    assert!(key.queries.a.iter().all(|point| !point.is_zero()));
}

#[test]
fn keys_that_the_format_does_not_hold_are_not_written() {
    for basis in [Basis::Powers, Basis::OddRoots] {
        let whole = setup().key(&chain(5, 7).0, basis).unwrap();
        assert!(write_key(&mut Vec::new(), &whole).is_err());
        assert_eq!(write_key(&mut Vec::new(), &compacted(&whole)).is_ok(), basis == Basis::Powers);
    }
}
