//! The properties of the readers of scalars and of points.

use wgalois::curve::{Affine, Bls12_381, Bn254, Curve};
use wgalois_io::{Source, points, scalars};

use super::common::{source, written};
use super::watched::read_within;

/// The first byte chooses the format.
pub fn scalars(data: &[u8]) {
    use scalars::Format::{Ark, BigEndian, Bytes, Hex, Montgomery, Text};
    let Some((&choice, data)) = data.split_first() else { return };
    let formats = [Bytes, Ark, Text, Hex, BigEndian, Montgomery];
    // The first four are those of older seeds.
    let format = match (choice & 0x40, choice & 0x20) {
        (0, _) => formats[usize::from(choice) % 4],
        (_, 0) => BigEndian,
        _ => Montgomery,
    };
    scalars_of::<Bls12_381>(data, format, &formats);
    scalars_of::<Bn254>(data, format, &formats);
}

fn scalars_of<C: Curve>(data: &[u8], format: scalars::Format, formats: &[scalars::Format]) {
    let read = |source: &Source, memory| scalars::read::<C::ScalarField>(source, format, memory);
    let Some(values) = read_within(data, read, |values| size_of_val(&values[..])) else { return };
    for &other in formats {
        let bytes = written(|out| scalars::write(out, other, &values));
        let read = scalars::read::<C::ScalarField>(&source(&bytes), other, 1 << 30);
        assert!(read.expect("what was written") == values);
    }
}

/// The first byte chooses the curve, the format and the trusted properties; the second the expected
/// number of points.
pub fn points(data: &[u8]) {
    let [choice, count, data @ ..] = data else { return };
    let formats = match (choice & 0x40, choice & 0x20) {
        (0, 0) => [points::Format::Encoded, points::Format::Ark, points::Format::Raw],
        (0, _) => [points::Format::Gnark, points::Format::Aztec, points::Format::Montgomery],
        _ => [points::Format::Hex, points::Format::Eip, points::Format::EipPairs],
    };
    let format = formats[usize::from(choice >> 1 & 0x1f) % 3];
    let trust = if choice & 0x80 == 0 { points::Trust::Nothing } else { points::Trust::Everything };
    match choice & 1 {
        0 => points_of::<Bn254>(data, format, usize::from(*count), trust),
        _ => points_of::<Bls12_381>(data, format, usize::from(*count), trust),
    }
}

const POINTS: [points::Format; 9] = [
    points::Format::Encoded,
    points::Format::Compressed,
    points::Format::Uncompressed,
    points::Format::Ark,
    points::Format::Raw,
    points::Format::Hex,
    points::Format::Eip,
    points::Format::Gnark,
    points::Format::Montgomery,
];

fn points_of<C: Curve>(data: &[u8], format: points::Format, count: usize, trust: points::Trust) {
    let read = |source: &Source, memory| points::read::<C>(source, format, count, trust, memory);
    let Some(values) = read_within(data, read, |values: &Vec<Affine<C>>| size_of_val(&values[..])) else {
        return;
    };
    assert_eq!(values.len(), count);
    if format == points::Format::EipPairs {
        scalars_beside::<C>(data, &values, trust);
    }
    if trust == points::Trust::Nothing {
        let untold = points::read::<C>(&source(data), format, None, trust, 1 << 30);
        // Few compressed points may be damaged uncompressed ones.
        let told = || points::read::<C>(&source(data), points::Format::Compressed, None, trust, 1 << 30);
        let untold =
            untold.or_else(|error| if format == points::Format::Encoded { told() } else { Err(error) });
        assert!(untold.expect("points, read without their number") == values);
    }
    // A trusted value need not be a point, and may have no encoding.
    if trust == points::Trust::Everything {
        return;
    }
    for other in POINTS {
        for compressed in [true, false] {
            let bytes = written(|out| points::write::<C>(out, other, compressed, &values));
            let read = points::read::<C>(&source(&bytes), other, count, trust, 1 << 30);
            assert!(read.expect("what was written") == values);
        }
    }
    for point in values.iter().take(2) {
        let bytes = points::encode::<C>(point, true);
        assert!(points::decode_one::<C>(&bytes, trust).expect("what was encoded") == *point);
    }
}

/// A file of pairs whose points are read has as many scalars, and is written and read again as the same pairs.
fn scalars_beside<C: Curve>(data: &[u8], values: &[Affine<C>], trust: points::Trust) {
    let read = |source: &Source, memory| points::read_scalars_of_pairs::<C>(source, memory);
    let scalars =
        read_within(data, read, |scalars| size_of_val(&scalars[..])).expect("points, but no scalars");
    assert_eq!(scalars.len(), values.len());
    if trust == points::Trust::Everything || values.is_empty() {
        return;
    }
    let records = written(|out| points::write::<C>(out, points::Format::Eip, false, values));
    let integers = written(|out| scalars::write(out, scalars::Format::BigEndian, &scalars));
    let size = records.len() / values.len();
    let pairs: Vec<u8> = records
        .chunks(size)
        .zip(integers.chunks(32))
        .flat_map(|(point, scalar)| [point, scalar].concat())
        .collect();
    let again = points::read::<C>(&source(&pairs), points::Format::EipPairs, None, trust, 1 << 30);
    assert!(again.expect("what was written") == values);
    assert!(
        points::read_scalars_of_pairs::<C>(&source(&pairs), 1 << 30).expect("what was written") == scalars
    );
}
