//! Encodings of gnark and Aztec, and Montgomery form.

use super::*;
use ark_ec::AffineRepr;
use wgalois::curve::{Bls12_377, Bls12_377G2, Bls24_315, Bn254G2};

const OTHERS: [Format; 3] = [Format::Gnark, Format::Montgomery, Format::Aztec];

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn read_all<C: Curve>(bytes: impl Into<Vec<u8>>, format: Format) -> Result<Vec<Affine<C>>> {
    read(&source(bytes), format, None, Trust::Nothing, u64::MAX)
}

fn message<C: Curve>(bytes: impl Into<Vec<u8>>, format: Format) -> String {
    let error = read_all::<C>(bytes, format).unwrap_err();
    assert_eq!(error.exit_code(), 3);
    error.to_string()
}

fn come_back<C: Curve>() {
    let points = some_points::<C>();
    for format in OTHERS {
        let is_aztec = format == Format::Aztec;
        for compressed in [true, false] {
            // Aztec's files have no infinity, and are of BN254.
            let points = if is_aztec { &points[1..] } else { &points[..] };
            let mut bytes = Vec::new();
            if write(&mut bytes, format, compressed, points).is_err() {
                assert!(is_aztec && bytes.is_empty() && aztec::size::<C>().is_none());
                continue;
            }
            assert!(read_all::<C>(&bytes[..], format).unwrap() == points, "{format:?}");
            assert_eq!(count::<C>(&source(&bytes[..]), format).unwrap(), points.len());
            let size = bytes.len() / points.len();
            let cut = message::<C>(&bytes[..bytes.len() - 1], format);
            let place = bytes.len() - size;
            let says = format!("p: byte {place}: the file ends within point {}", points.len() - 1);
            assert!(cut.starts_with(&says), "{cut}");
            // Any other encoding of a point is refused, so that a flipped bit gives another point or none.
            for at in 0..size.min(40) {
                let mut changed = bytes.clone();
                changed[2 * size + at] ^= 0x40;
                if let Ok(read) = read_all::<C>(changed, format) {
                    assert!(read != points);
                }
            }
        }
    }
    let mut infinity = Vec::new();
    assert!(write(&mut infinity, Format::Aztec, false, &points).is_err() && infinity.is_empty());
    for format in OTHERS {
        if let Ok(read) = read_all::<C>([], format) {
            assert!(read.is_empty());
        }
    }
}

#[test]
fn points_come_back_on_every_curve() {
    come_back::<Bn254>();
    come_back::<Bn254G2>();
    come_back::<Bls12_381>();
    come_back::<Bls12_381G2>();
    come_back::<Bls12_377>();
    come_back::<Bls12_377G2>();
    come_back::<Bls24_315>();
}

/// gnark's encodings of BLS12-381 are ZCash's. Those of BN254 have the flags of `marshal.go` in the first two bits.
#[test]
fn gnark_has_flags_first() {
    let points = some_points::<Bls12_381G2>();
    for compressed in [true, false] {
        assert!(written(Format::Gnark, compressed, &points) == written(Format::Encoded, compressed, &points));
    }
    let one = Affine::<Bn254>::generator();
    let compressed = |flags: u8| {
        let mut bytes = vec![0; 32];
        (bytes[0], bytes[31]) = (flags, 1);
        bytes
    };
    // y is 2, the smaller of 2 and p - 2.
    assert_eq!(written(Format::Gnark, true, &[one, -one]), [compressed(0x80), compressed(0xc0)].concat());
    assert!(read_all::<Bn254>(compressed(0x80), Format::Gnark).unwrap() == [one]);
    let mut infinity = vec![0; 32];
    infinity[0] = 0x40;
    assert_eq!(written(Format::Gnark, true, &[Affine::<Bn254>::zero()]), infinity);
    assert!(message::<Bn254>(compressed(0x40), Format::Gnark).contains("infinity, but other bits are set"));
    let whole = written(Format::Gnark, false, &[one]);
    assert_eq!(whole[..32], compressed(0));
    let mixed = [&compressed(0x80)[..], &whole[..32]].concat();
    assert!(message::<Bn254>(mixed, Format::Gnark).contains("uncompressed, unlike those of the first point"));
    let mixed = [&whole[..], &compressed(0x80), &[0; 32]].concat();
    assert!(message::<Bn254>(mixed, Format::Gnark).contains("compressed, unlike those of the first point"));
    // The coefficient of u comes first: that of the generator's x, of EIP-197.
    let of_g2 = written(Format::Gnark, false, &[Affine::<Bn254G2>::generator()]);
    assert_eq!(of_g2, written(Format::Eip, false, &[Affine::<Bn254G2>::generator()]));
    // A slice has its length before it.
    let points = some_points::<Bn254>();
    for compressed in [true, false] {
        let body = written(Format::Gnark, compressed, &points);
        let slice = |count: usize| [&(count as u32).to_be_bytes(), &body[..]].concat();
        assert!(read_all::<Bn254>(slice(points.len()), Format::Gnark).unwrap() == points);
        let wrong = message::<Bn254>(slice(points.len() + 1), Format::Gnark);
        assert!(wrong.contains("points, where"), "{wrong}");
        let wrong = message::<Bn254>(slice(u32::MAX as usize), Format::Gnark);
        assert!(wrong.contains("where 4294967295 were expected"), "{wrong}");
    }
}

/// tau in G2, as Aztec publishes it (`g2.dat`; the same digits are in ultraplonk_verifier's `srs.rs`).
const AZTEC_G2: &str = concat!(
    "0118c4d5b837bcc2bc89b5b398b5974e9f5944073b32078b7e231fec938883b0",
    "260e01b251f6f1c7e7ff4e580791dee8ea51d87a358e038b4efe30fac09383c1",
    "22febda3c0c0632a56475b4214e5615e11e6dd3f96e6cea2854a87d4dacc5e55",
    "04fc6369f7110fe3d25156c1bb9a72859cf2a04641f99ba4ee413c80da6a5fe4",
);

#[test]
fn aztec_has_the_coefficient_of_1_first() {
    let point = read_all::<Bn254G2>(bytes(AZTEC_G2), Format::Aztec).unwrap();
    assert_eq!(written(Format::Aztec, false, &point), bytes(AZTEC_G2));
    let swapped = AZTEC_G2.as_bytes().chunks(128).map(|pair| [&pair[64..], &pair[..64]].concat());
    let swapped = String::from_utf8(swapped.collect::<Vec<_>>().concat()).unwrap();
    assert_eq!(written(Format::Eip, false, &point), bytes(&swapped));
    assert!(message::<Bn254G2>(bytes(&swapped), Format::Aztec).contains("not on bn254-g2"));
    // The first point of G1 tells the format, whatever the file's name is.
    let first = written(Format::Aztec, false, &multiples::<Bn254>(3)[1..]);
    assert_eq!(settled::<Bn254>(&source(&first[..]), Format::Encoded, 1).unwrap(), Format::Aztec);
    assert_eq!(Format::of("crs/bn254_g1.dat".as_ref()), Format::Aztec);
    assert_eq!(Format::of("points.dat".as_ref()), Format::Encoded);
    assert!(message::<Bn254>(vec![0; 64], Format::Aztec).contains("(0, 0) is not on bn254"));
    assert!(message::<Bls12_381>(first, Format::Aztec).contains("not of bls12-381"));
    assert!(message::<Bn254>(vec![255; 64], Format::Aztec).contains("x is not below the field's modulus"));
}

#[test]
fn montgomery_form_is_the_words_in_memory() {
    // 2^256 and 2^257 modulo p.
    let generator = concat!(
        "0e0a77c19a07df2f666ea36f7879462c0a78eb28f5c70b3dd35d438dc58f0d9d",
        "1c14ef83340fbe5eccdd46def0f28c5814f1d651eb8e167ba6ba871b8b1e1b3a",
    );
    let expected: Vec<u8> =
        bytes(generator).chunks(32).flat_map(|x| x.iter().rev().copied().collect::<Vec<_>>()).collect();
    assert_eq!(written(Format::Montgomery, false, &[Affine::<Bn254>::generator()]), expected);
    assert!(
        message::<Bn254>(vec![255; 64], Format::Montgomery).contains("x is not below the field's modulus")
    );
    let raw = written(Format::Raw, false, &[Affine::<Bn254>::generator()]);
    assert!(message::<Bn254>(raw, Format::Montgomery).contains("not on bn254"));
}

#[test]
fn a_record_of_one_point() {
    for point in some_points::<Bn254>() {
        let record = encode_record(&point).unwrap();
        assert_eq!(record, written(Format::Eip, false, &[point]));
        assert!(decode_record::<Bn254>(&record).unwrap() == point);
        assert!(decode_record::<Bn254>(&record[1..]).is_err());
    }
    assert!(encode_record(&Affine::<Bls24_315>::generator()).is_none());
    assert!(decode_record::<Bn254>(&[1; 64]).is_err());
}
