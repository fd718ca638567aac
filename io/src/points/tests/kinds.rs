//! The kind of encoding is told or agreed for a whole file, and every point has one encoding of each kind.

use super::*;

/// Every point has one encoding of each kind: whatever flag is flipped, the bytes are refused or another point.
fn flags_are_canonical_on<C: Curve>() {
    let points = [some_points::<C>()[4], Affine::<C>::zero()];
    for (point, compressed) in points.into_iter().flat_map(|point| [(point, true), (point, false)]) {
        let bytes = encode(&point, compressed);
        let place = if C::ENCODING == Encoding::Zcash { 0 } else { bytes.len() - 1 };
        for flipped in 1..8u8 {
            let mut changed = bytes.clone();
            changed[place] ^= flipped << 5;
            for trust in [Trust::Nothing, Trust::Everything] {
                if let Ok(read) = decode_one::<C>(&changed, trust) {
                    assert!(
                        trust == Trust::Everything || encode(&read, compressed) == changed,
                        "{}",
                        C::NAME
                    );
                    assert!(read != point, "{} {compressed} {flipped}", C::NAME);
                }
            }
        }
        if point.is_zero() {
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 1;
                assert!(decode_one::<C>(&changed, Trust::Nothing).is_err(), "{} {compressed} {at}", C::NAME);
            }
        }
    }
}

#[test]
fn flags_are_canonical() {
    for name in CurveName::all() {
        with_curve!(name, C => flags_are_canonical_on::<C>());
    }
}

/// Files whose number of points is not told.
fn kinds_are_agreed_on<C: Curve>() {
    let points = some_points::<C>();
    for count in [1, 2, 4] {
        let whole = written(Format::Encoded, false, &points[4..4 + count]);
        for at in (0..whole.len()).step_by(7) {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                let read = |format: Format| {
                    let source = source(damaged.clone());
                    let format = settled::<C>(&source, format, count)?;
                    read::<C>(&source, format, None, Trust::Nothing, u64::MAX)
                };
                assert_eq!(read(Format::Encoded).unwrap_err().exit_code(), 3, "{} {at} {bit}", C::NAME);
                assert_eq!(read(Format::Uncompressed).unwrap_err().exit_code(), 3, "{} {at} {bit}", C::NAME);
            }
        }
        // A file that was cut where a compressed point would end.
        let half = written(Format::Encoded, true, &points[4..5]).len();
        let cut = source(&whole[..whole.len() - half]);
        let format = settled::<C>(&cut, Format::Encoded, 1);
        let found = format.and_then(|format| read::<C>(&cut, format, None, Trust::Nothing, u64::MAX));
        assert!(count == 1 || found.is_err(), "{} {count}", C::NAME);
        // Compressed points are told apart from few uncompressed ones only by their number.
        let short = written(Format::Encoded, true, &points[4..4 + count]);
        let of = |format, least| settled::<C>(&source(short.clone()), format, least);
        if C::ENCODING == Encoding::Arkworks {
            assert_eq!(of(Format::Encoded, count).unwrap(), Format::Compressed);
            let is_doubtful = short.len().is_multiple_of(whole.len() / count);
            assert_eq!(of(Format::Encoded, 0).is_err(), is_doubtful, "{} {count}", C::NAME);
        }
        let told = read::<C>(&source(short), Format::Compressed, None, Trust::Nothing, u64::MAX).unwrap();
        assert!(told == points[4..4 + count]);
    }
}

#[test]
fn kinds_of_encodings_are_told_or_agreed() {
    for name in CurveName::all() {
        with_curve!(name, C => kinds_are_agreed_on::<C>());
    }
}

#[test]
fn hexadecimal_points_are_of_one_kind() {
    let points = some_points::<Bn254>();
    let line = |compressed| String::from_utf8(written(Format::Hex, compressed, &points[4..5])).unwrap();
    let mixed = line(false) + &line(true);
    let message = refused::<Bn254>(mixed.into_bytes(), Format::Hex, 2);
    assert!(message.contains("p:2:1: 64 characters, where 128 were expected"), "{message}");
}
