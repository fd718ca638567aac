//! Encodings in both directions, against published ones and arkworks, and all inputs that are
//! refused.

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{BigInteger, Field, UniformRand};
use ark_serialize::CanonicalDeserialize;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use proptest::prelude::*;

use super::*;
use wgalois::curve::{Bls12_381, Bls12_381G2, Bn254, CurveName, Encoding, Projective};
use wgalois::field::PrimeOf;
use wgalois::msm::Known;
use wgalois::with_curve;

mod ethereum;
mod kinds;
mod others;

const FORMATS: [Format; 3] = [Format::Encoded, Format::Ark, Format::Raw];
/// Those that do not state the length of a point.
const OTHERS: [Format; 2] = [Format::Hex, Format::Eip];

fn source(bytes: impl Into<Vec<u8>>) -> Source {
    Source::from_bytes("p", bytes)
}

fn written<C: Curve>(format: Format, compressed: bool, points: &[Affine<C>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes, format, compressed, points).unwrap();
    bytes
}

/// Returns 0, G, 2 G and so on.
fn multiples<C: Curve>(count: usize) -> Vec<Affine<C>> {
    let sums =
        std::iter::successors(Some(Projective::<C>::default()), |sum| Some(*sum + Affine::<C>::generator()));
    Projective::normalize_batch(&sums.take(count).collect::<Vec<_>>())
}

fn some_points<C: Curve>() -> Vec<Affine<C>> {
    let mut rng = StdRng::seed_from_u64(1);
    let mut points = multiples::<C>(3);
    points.extend((0..40).map(|_| (Affine::<C>::generator() * C::ScalarField::rand(&mut rng)).into_affine()));
    points
}

/// Compares the encodings of 0, G, ..., 999 G, compressed and not, with digests, and reads them back.
fn multiples_are_encoded_as<C: Curve>(digests: [&str; 2]) {
    let points = multiples::<C>(1000);
    for (compressed, digest) in [true, false].into_iter().zip(digests) {
        let bytes = written(Format::Encoded, compressed, &points);
        let found: String =
            <sha2::Sha256 as sha2::Digest>::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, digest);
        let read = read(&source(bytes), Format::Encoded, 1000, Trust::Nothing, u64::MAX).unwrap();
        assert!(read == points);
    }
}

/// The digests of the files g1_compressed_valid_test_vectors.dat, g1_uncompressed_valid_test_vectors.dat and those of g2
/// of zkcrypto's `pairing` and `bls12_381`.
#[test]
fn multiples_of_the_generators_are_encoded_as_published() {
    multiples_are_encoded_as::<Bls12_381>([
        "8acaa1d512b4cf96f4740e4c9afc19ba4618d48fe251c452a19382395bcd0929",
        "e25aae8e95c9cd39cdb1eec0100c8245e297510fef0091cbf80b91d49de6b685",
    ]);
    multiples_are_encoded_as::<Bls12_381G2>([
        "b75bc2e41289adda41e448e56a1ea39b11009a27b02e8676c8b86defedc05deb",
        "80fd0516c8115b13165589324558649fa94f49e714caa3b735537d073a9cfb65",
    ]);
}

#[test]
fn the_generator_as_printed_in_the_specification() {
    let hex =
        "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
    let bytes: Vec<u8> = (0..48).map(|i| u8::from_str_radix(&hex[2 * i..][..2], 16).unwrap()).collect();
    let generator = Affine::<Bls12_381>::generator();
    assert_eq!(encode(&generator, true), bytes);
    assert_eq!(decode_one::<Bls12_381>(&bytes, Trust::Nothing).unwrap(), generator);
}

fn come_back<C: Curve>() {
    let points = some_points::<C>();
    let with_records = FORMATS.into_iter().chain(OTHERS);
    for format in with_records.filter(|&format| format != Format::Eip || eip::size::<C>().is_some()) {
        for compressed in [true, false] {
            for points in [&points[..], &points[2..3], &[]] {
                let bytes = written(format, compressed, points);
                let counted = count::<C>(&source(bytes.clone()), format).unwrap();
                assert_eq!(counted, points.len(), "{} {format:?} {compressed}", C::NAME);
                let uncounted =
                    super::read::<C>(&source(bytes.clone()), format, None, Trust::Nothing, u64::MAX);
                assert!(uncounted.unwrap() == points);
                for trust in [Trust::Nothing, Trust::Everything] {
                    let read = read::<C>(&source(bytes.clone()), format, points.len(), trust, u64::MAX);
                    assert!(read.unwrap() == points, "{} {format:?} {compressed}", C::NAME);
                }
            }
        }
    }
    for compressed in [true, false] {
        let decoded = decode_one::<C>(&encode(&points[5], compressed), Trust::Nothing);
        assert_eq!(decoded.unwrap(), points[5]);
    }
}

#[test]
fn points_come_back_in_every_format_of_every_curve() {
    for name in CurveName::all() {
        with_curve!(name, C => come_back::<C>());
    }
}

#[test]
fn arkworks_reads_what_is_written() {
    fn check<C: Curve>() {
        let points = some_points::<C>();
        let compressed = written(Format::Ark, true, &points);
        assert!(Vec::<Affine<C>>::deserialize_compressed(&compressed[..]).unwrap() == points);
        let uncompressed = written(Format::Ark, false, &points);
        assert!(Vec::<Affine<C>>::deserialize_uncompressed(&uncompressed[..]).unwrap() == points);
    }
    for name in CurveName::all() {
        with_curve!(name, C => check::<C>());
    }
}

fn refused<C: Curve>(bytes: Vec<u8>, format: Format, count: usize) -> String {
    let error = read::<C>(&source(bytes), format, count, Trust::Nothing, u64::MAX).unwrap_err();
    assert_eq!(error.exit_code(), 3);
    error.to_string()
}

/// Encodes two valid points, changes the second with `change`, and returns the error of reading
/// them.
fn changed<C: Curve>(compressed: bool, change: impl FnOnce(&mut [u8])) -> String {
    let points = some_points::<C>();
    let mut bytes = written(Format::Encoded, compressed, &points[4..6]);
    let size = bytes.len() / 2;
    change(&mut bytes[size..]);
    let message = refused::<C>(bytes, Format::Encoded, 2);
    let place = format!("p: byte {size}: point 1: ");
    message.strip_prefix(&place).unwrap_or_else(|| panic!("{message}")).to_owned()
}

#[test]
fn what_zcash_encodings_are_refused() {
    type C = Bls12_381;
    let p = ark_bls12_381::Fq::MODULUS;
    let p_bytes = ark_ff::BigInteger::to_bytes_be(&p);
    assert!(changed::<C>(true, |b| b[0] &= 0x7f).starts_with("its flags say uncompressed, unlike"));
    assert!(changed::<C>(false, |b| b[0] |= 0x80).starts_with("its flags say compressed, unlike"));
    for compressed in [true, false] {
        assert!(changed::<C>(compressed, |b| b[0] |= 0x40).contains("infinity, but other bits"));
        assert!(
            changed::<C>(compressed, |b| {
                b.fill(0);
                b[0] = if compressed { 0xe0 } else { 0x60 };
            })
            .contains("infinity, but other bits")
        );
        let too_large = changed::<C>(compressed, |b| {
            let flags = b[0] & 0xe0;
            b[..48].copy_from_slice(&p_bytes);
            b[0] |= flags;
        });
        assert_eq!(too_large, "x is not below the field's modulus");
    }
    assert!(changed::<C>(false, |b| b[0] |= 0x20).contains("uncompressed and which y"));
    assert_eq!(
        changed::<C>(false, |b| b[48..].copy_from_slice(&p_bytes)),
        "y is not below the field's modulus"
    );
    assert_eq!(changed::<C>(false, |b| b[95] ^= 1), "not on bls12-381");
    assert_eq!(changed::<C>(false, |b| b.fill(0)), "(0, 0) is not on bls12-381");
    // For x = 1, 1 + 4 is not a square. For x = 4, the point is outside the subgroup.
    let compressed_x = |x: u8| {
        move |b: &mut [u8]| {
            b.fill(0);
            (b[0], b[47]) = (0x80, x);
        }
    };
    assert_eq!(changed::<C>(true, compressed_x(1)), "no point of bls12-381 has this x");
    assert_eq!(changed::<C>(true, compressed_x(4)), "on the curve, but not in the subgroup of order r");
}

fn what_arkworks_encodings_are_refused_on<C: Curve>() {
    let size = |compressed| written(Format::Encoded, compressed, &some_points::<C>()[..1]).len();
    let element = PrimeOf::<C::BaseField>::MODULUS_BIT_SIZE.div_ceil(8) as usize;
    let coordinate = element * C::BaseField::extension_degree() as usize;
    let modulus = ark_ff::BigInteger::to_bytes_le(&PrimeOf::<C::BaseField>::MODULUS);
    for compressed in [true, false] {
        let last = size(compressed) - 1;
        assert!(changed::<C>(compressed, |b| b[last] |= 0xc0).starts_with("its flags say both infinity and"));
        assert!(changed::<C>(compressed, |b| b[last] = 0x40).contains("infinity, but other bits"));
        let too_large = changed::<C>(compressed, |b| {
            b[..if compressed { size(true) } else { coordinate }].fill(0);
            b[..element].copy_from_slice(&modulus[..element]);
        });
        assert_eq!(too_large, "x is not below the field's modulus");
    }
    assert!(changed::<C>(false, |b| b[coordinate] ^= 1).ends_with(&format!("not on {}", C::NAME)));
    assert!(changed::<C>(false, |b| b.fill(0)).starts_with("(0, 0) is not on"));
    // The flag for the larger y with the coordinates of the smaller one.
    let point = some_points::<C>()[4];
    let smaller = if point.y < -point.y { point } else { -point };
    let mut bytes = written(Format::Encoded, false, &[smaller]);
    bytes[size(false) - 1] |= 0x80;
    assert!(refused::<C>(bytes, Format::Encoded, 1).contains("larger of the two, but it is not"));
    // The flag for the smaller y with the coordinates of the larger one.
    let mut bytes = written(Format::Encoded, false, &[-smaller]);
    assert_eq!(bytes[size(false) - 1] & 0xc0, 0x80);
    bytes[size(false) - 1] &= 0x7f;
    assert!(refused::<C>(bytes, Format::Encoded, 1).contains("smaller of the two, but it is not"));
}

#[test]
fn what_arkworks_encodings_are_refused() {
    for name in CurveName::all() {
        with_curve!(name, C => if C::ENCODING == Encoding::Arkworks {
            what_arkworks_encodings_are_refused_on::<C>();
        });
    }
}

#[test]
fn counts_and_ends_are_checked() {
    let points = some_points::<Bls12_381>();
    for format in FORMATS {
        let bytes = written(format, true, &points);
        for count in [points.len() - 1, points.len() + 1] {
            let message = refused::<Bls12_381>(bytes.clone(), format, count);
            assert!(message.ends_with(&format!("points, where {count} were expected")), "{message}");
        }
        let cut = bytes[..bytes.len() - 1].to_vec();
        assert!(refused::<Bls12_381>(cut, format, points.len()).contains("the file ends within point"));
    }
    for bytes in [vec![], vec![0; 7]] {
        assert!(refused::<Bls12_381>(bytes, Format::Ark, 0).contains("too short for the length"));
    }
    let huge = [vec![255; 8], vec![0; 48]].concat();
    assert!(refused::<Bn254>(huge, Format::Ark, 1).contains("18446744073709551615 points"));
    let fewer = [&[9, 0, 0, 0, 0, 0, 0, 0][..], &written(Format::Encoded, true, &points[..4])].concat();
    let told = read::<Bls12_381>(&source(fewer), Format::Ark, None, Trust::Nothing, u64::MAX).unwrap_err();
    assert_eq!(told.to_string(), "p: 4 points, where 9 were expected");
    let short = written(Format::Encoded, false, &some_points::<Bn254>());
    assert!(refused::<Bn254>(short, Format::Encoded, 7).contains("points, where 7 were expected"));
    let limited = read::<Bn254>(&source(vec![0; 3200]), Format::Raw, 50, Trust::Nothing, 100);
    assert_eq!(limited.unwrap_err().exit_code(), 3);
}

#[test]
fn trusted_points_are_not_checked() {
    let mut bytes = written(Format::Encoded, true, &some_points::<Bls12_381>()[4..5]);
    bytes.fill(0);
    (bytes[0], bytes[47]) = (0x80, 4);
    let point =
        read::<Bls12_381>(&source(bytes), Format::Encoded, 1, Trust::Everything, u64::MAX).unwrap()[0];
    assert!(point.is_on_curve() && !Bls12_381::in_subgroup(&point));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>, count in 0usize..5) {
        for format in FORMATS.into_iter().chain(OTHERS) {
            for name in CurveName::all() {
                let source = source(bytes.clone());
                with_curve!(name, C => drop(read::<C>(&source, format, count, Trust::Nothing, u64::MAX)));
                with_curve!(name, C => drop(decode_one::<C>(&bytes, Trust::Nothing)));
            }
        }
    }
}

#[test]
fn pairs_of_points_and_scalars_are_read_from_one_file() {
    fn check<C: Curve>(multiples: u64) {
        let known = Known::<C>::random(5, 1);
        let scalar = |i: usize| C::ScalarField::from(multiples * i as u64);
        let mut bytes = Vec::new();
        for (i, point) in known.points.iter().enumerate() {
            bytes.extend(eip::encode(point));
            let mut integer = scalar(i).into_bigint().to_bytes_be();
            if i == 4 {
                // r + 3, which Ethereum allows.
                let mut above = C::ScalarField::MODULUS;
                above.add_with_carry(&ark_ff::BigInt::from(3u64));
                integer = above.to_bytes_be();
            }
            bytes.extend(integer);
        }
        let digits: String = bytes
            .chunks(eip::size::<C>().unwrap() + 32)
            .map(|record| {
                "0x".to_owned() + &record.iter().map(|b| format!("{b:02x}")).collect::<String>() + "\n"
            })
            .collect();
        let mut expected: Vec<_> = (0..5).map(scalar).collect();
        expected[4] = C::ScalarField::from(3u64);
        for content in [bytes.clone(), digits.into_bytes()] {
            let source = Source::from_bytes("pairs", content);
            assert_eq!(
                read::<C>(&source, Format::EipPairs, None, Trust::Nothing, u64::MAX).unwrap(),
                known.points
            );
            assert_eq!(count::<C>(&source, Format::EipPairs).unwrap(), 5);
            assert_eq!(read_scalars_of_pairs::<C>(&source, u64::MAX).unwrap(), expected);
        }
        bytes.pop();
        let short = Source::from_bytes("pairs", bytes);
        assert!(
            read_scalars_of_pairs::<C>(&short, u64::MAX).unwrap_err().to_string().contains("within record 4")
        );
        assert!(read::<C>(&short, Format::EipPairs, None, Trust::Nothing, u64::MAX).is_err());
    }
    check::<wgalois::curve::Bn254>(7);
    check::<wgalois::curve::Bls12_381>(1 << 40);
    let other = Source::from_bytes("pairs", vec![1; 96]);
    assert!(read_scalars_of_pairs::<wgalois::curve::Bls12_377>(&other, u64::MAX).is_err());
}
