//! The properties of the readers. For any bytes, a reader returns a value or an error that names the
//! file, and never panics. A value that was read can be written and read again as the same value.
//! With a lower memory limit, the reader refuses the input or returns the same value. No allocation
//! is larger than the limit and the input's length justify.
//!
//! The fuzz targets and the test that replays the seeds share this file.

use std::fmt::Debug;
use std::io::{self, Write};

use watched::{MEMORY, read_within};
use wgalois::curve::{Affine, Bls12_381, Bn254, Curve, PairingCurve};
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::{Cpu, Device, Result};
use wgalois_boolean::formats as equation_files;
use wgalois_io::{Source, bits, coefficients, integers, points, scalars};
use wgalois_proofs::groth16::{Circuit, Proof, ProvingKey, VerifyingKey};
use wgalois_proofs::{bellman, ethereum, snarkjs as files};

#[path = "../cli/src/bytes.rs"]
#[allow(dead_code)]
mod bytes;
mod matrices;
mod watched;

/// A target's name and the function that asserts its properties.
pub type Target = (&'static str, fn(&[u8]));

/// One property function for each target.
pub const TARGETS: [Target; 21] = [
    ("bits_text", |data| matrices::check(data, bits::Format::Text)),
    ("bits_lists", matrices::check_lists),
    ("bits_market", |data| matrices::check(data, bits::Format::Market)),
    ("bits_npy", |data| matrices::check(data, bits::Format::Npy)),
    ("bits_npz", |data| matrices::check(data, bits::Format::Npz)),
    ("bits_packed", matrices::check_packed),
    ("bits_alist", |data| matrices::check(data, bits::Format::Alist)),
    ("gzip", gzip),
    ("coefficients_text", coefficients_text),
    ("coefficients_npy", |data| coefficients(data, coefficients::Format::Npy)),
    ("coefficients_raw", |data| coefficients(data, coefficients::Format::Raw)),
    ("integers", integers),
    ("scalars", scalars),
    ("points", points),
    ("sizes", sizes),
    ("equations", equations),
    ("answers", answers),
    ("zkey", zkey),
    ("params", params),
    ("snarkjs", snarkjs),
    ("kzg", kzg),
];

/// Asserts the properties of the target `name`.
#[allow(dead_code, reason = "the fuzz targets call it, the test does not")]
pub fn check(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.0 == name);
    target.unwrap_or_else(|| panic!("no target {name}")).1(data);
}

fn source(data: &[u8]) -> Source {
    Source::from_bytes("input", data)
}

fn written(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("writing to memory");
    bytes
}

/// Reads a value, writes it and reads it again. Returns the value.
fn round_trip<T: PartialEq>(
    data: &[u8],
    read: impl Fn(&Source, u64) -> Result<T>,
    size: impl Fn(&T) -> usize,
    write: impl FnOnce(&mut dyn Write, &T) -> io::Result<()>,
) -> Option<T> {
    let value = read_within(data, &read, size)?;
    let bytes = written(|out| write(out, &value));
    assert!(read(&source(&bytes), 1 << 30).expect("what was written") == value);
    Some(value)
}

/// Returns the tokens between white space.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let space = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    text.split(move |byte| space(byte)).filter(|word| !word.is_empty())
}

/// Returns the value of at least one decimal digit, below 2^64.
fn decimal(digits: &[u8]) -> Option<u64> {
    let digits = Some(digits).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

// Compressed files.

/// What is expanded is within the limit, and two files after each other are one.
fn gzip(data: &[u8]) {
    let read = |source: &Source, memory| {
        let source = Source::from_bytes("input.gz", source.bytes()).expanded(memory)?;
        Ok(source.bytes().to_vec())
    };
    let Some(text) = read_within(data, read, Vec::len) else { return };
    let twice = Source::from_bytes("input", [data, data].concat()).expanded(1 << 30).expect("two members");
    assert!(twice.bytes() == [&text[..], &text].concat());
    assert!(twice.expect_text().is_ok() == source(twice.bytes()).expect_text().is_ok());
}

// Coefficients.

fn coefficients(data: &[u8], format: coefficients::Format) {
    for prime in [BABY_BEAR, Prime::new(3).expect("a prime"), Prime::new(2_147_483_647).expect("a prime")] {
        for wrap in [false, true] {
            let residues = coefficients::Residues { modulus: prime.into(), wrap };
            let Some(values) = in_ring(data, format, &residues) else { continue };
            assert!(values.iter().all(|&value| value < prime.value()));
            for other in [coefficients::Format::Text, coefficients::Format::Npy, coefficients::Format::Raw] {
                let bytes = written(|out| coefficients::write_residues(out, other, &values));
                let strict = coefficients::Residues { modulus: prime.into(), wrap: false };
                let read = coefficients::read(&source(&bytes), other, &strict, 1 << 30);
                assert_eq!(read.expect("what was written"), values);
            }
        }
    }
    let narrow = in_ring(data, format, &coefficients::Integers);
    let wide = in_ring(data, format, &coefficients::WideIntegers);
    // The wide ring takes twice the memory and accepts larger numbers.
    if let (Some(narrow), Some(wide)) = (&narrow, &wide) {
        assert!(narrow.iter().map(|&value| i128::from(value)).eq(wide.iter().copied()));
    }
    let Some(values) = wide else { return };
    for other in [coefficients::Format::Text, coefficients::Format::Npy] {
        let mut bytes = Vec::new();
        let fits = values.iter().all(|&value| i64::try_from(value).is_ok());
        match coefficients::write_integers(&mut bytes, other, &values) {
            Ok(()) => {
                let read = coefficients::read(&source(&bytes), other, &coefficients::WideIntegers, 1 << 30);
                assert_eq!(read.expect("what was written"), values);
            }
            Err(error) => assert!(other == coefficients::Format::Npy && !fits, "{error}"),
        }
    }
}

fn in_ring<R: coefficients::Ring>(
    data: &[u8],
    format: coefficients::Format,
    ring: &R,
) -> Option<Vec<R::Value>>
where
    R::Value: PartialEq + Debug,
{
    let size = |values: &Vec<R::Value>| size_of_val(&values[..]);
    let values = read_within(data, |source, memory| coefficients::read(source, format, ring, memory), size)?;
    assert!(!values.is_empty());
    Some(values)
}

fn coefficients_text(data: &[u8]) {
    coefficients(data, coefficients::Format::Text);
    if data.starts_with(b"\x93NUMPY") {
        return;
    }
    // Parses it again with the standard library, which accepts the same signs.
    let expected: Option<Vec<i64>> =
        words(data).map(|word| std::str::from_utf8(word).ok()?.parse().ok()).collect();
    let expected = expected.filter(|values| !values.is_empty());
    let read =
        coefficients::read(&source(data), coefficients::Format::Text, &coefficients::Integers, 1 << 30);
    assert_eq!(read.ok(), expected);
}

// Boolean equations.

fn equations(data: &[u8]) {
    use equation_files::Format;
    use wgalois_boolean::{Equations, Polynomial};
    let size = |equations: &Equations| {
        let terms = equations.polynomials().iter().flat_map(Polynomial::terms);
        let terms: usize = terms.map(|term| 16 + 4 * term.degree()).sum();
        terms + equations.names().iter().map(String::len).sum::<usize>()
    };
    let formats = [Format::Anf, Format::Sage, Format::Challenge, Format::Dimacs].map(Some);
    for format in [None].into_iter().chain(formats) {
        let read = |source: &Source, memory| equation_files::read(source, format, memory);
        let Some(equations) = read_within(data, read, size) else { continue };
        for other in [Format::Anf, Format::Sage, Format::Challenge] {
            let mut bytes = Vec::new();
            if let Err(error) = equation_files::write(&mut bytes, other, &equations) {
                // ANF has one spelling of a variable, the challenge only x1, x2 and so on, and degree 2.
                assert!(error.kind() == std::io::ErrorKind::InvalidInput && bytes.is_empty());
                assert!(other != Format::Sage, "{error}");
                continue;
            }
            for told in [Some(other), None] {
                let again = equation_files::read(&source(&bytes), told, 1 << 26).expect("what was written");
                assert!(again == equations);
            }
        }
    }
}

/// Answers to equations whose names differ little.
fn answers(data: &[u8]) {
    use equation_files::{Answer, Format};
    let system = source(b"[x1*x01 + c, x2 + c, x2*x01 + 1]");
    let equations = equation_files::read(&system, Some(Format::Sage), 1 << 20).expect("a system");
    let size = |answer: &Answer| match answer {
        Answer::Solutions(list) => list.iter().map(Vec::len).sum(),
        Answer::Certificate(certificate) => {
            certificate.products().iter().map(|product| 4 * product.0.degree()).sum()
        }
    };
    let read = |source: &Source, memory| equation_files::read_answer(source, &equations, memory);
    round_trip(data, read, size, |out, answer| match answer {
        Answer::Solutions(list) => list.iter().try_for_each(|values| {
            writeln!(out, "{}", equation_files::assignment(equations.names(), values))
        }),
        Answer::Certificate(certificate) => equation_files::write_certificate(out, &equations, certificate),
    });
}

// Proofs and commitments.

fn zkey(data: &[u8]) {
    zkey_of::<ark_bn254::Bn254>(data);
    zkey_of::<ark_bls12_381::Bls12_381>(data);
}

fn zkey_of<E: PairingCurve>(data: &[u8]) {
    let device = Device::Cpu(Cpu::default());
    let trust = points::Trust::Nothing;
    let read = |source: &Source, memory| files::read_key::<E>(source, &device, trust, memory);
    let Some(key) = round_trip(data, read, size_of_key::<E>, |out, key| files::write_key(out, key)) else {
        return;
    };
    assert_eq!(files::describe::<E>(&source(data)).expect("a key").variables, key.variables());
}

/// Keys of bellman.
fn params(data: &[u8]) {
    type E = ark_bls12_381::Bls12_381;
    let device = Device::Cpu(Cpu::default());
    let trust = points::Trust::Nothing;
    let read = |source: &Source, memory| bellman::read_key(source, &device, trust, memory);
    let Some(key) = round_trip(data, read, size_of_key::<E>, |out, key| bellman::write_key(out, key)) else {
        return;
    };
    assert_eq!(bellman::describe(&source(data)).expect("a key").variables, key.variables());
    let verifying = bellman::read_verifying_part(&source(data), u64::MAX).expect("a key");
    assert!(verifying == key.verifying);
}

fn size_of_key<E: PairingCurve>(key: &ProvingKey<E>) -> usize {
    let queries = &key.queries;
    let first = queries.a.len() + queries.b.len() + queries.secret.len() + queries.quotient.len();
    first * size_of::<Affine<E::G1>>() + queries.b2.len() * size_of::<Affine<E::G2>>()
}

/// The first byte chooses the file and the curve.
fn snarkjs(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    match choice & 1 {
        0 => snarkjs_of::<ark_bn254::Bn254>(choice >> 1, data),
        _ => snarkjs_of::<ark_bls12_381::Bls12_381>(choice >> 1, data),
    }
}

fn snarkjs_of<E: PairingCurve>(choice: u8, data: &[u8]) {
    let values = |values: &Vec<E::Scalar>| size_of_val(&values[..]);
    match choice % 6 {
        0 => {
            let read = |source: &Source, memory| {
                files::read_witness::<E::Scalar>(source, memory).map(|witness| witness.to_vec())
            };
            round_trip(data, read, values, |out, values| files::write_witness(out, values));
        }
        1 => {
            let size = |_: &Proof<E>| size_of::<Proof<E>>();
            round_trip(data, files::read_proof::<E>, size, |out, proof| files::write_proof(out, proof));
        }
        2 => {
            let read = files::read_public::<E::Scalar>;
            round_trip(data, read, values, |out, values| files::write_public(out, values));
        }
        3 => {
            let size = |key: &VerifyingKey<E>| key.public.len() * size_of::<Affine<E::G1>>();
            let read = files::read_verifying_key::<E>;
            round_trip(data, read, size, |out, key| files::write_verifying_key(out, key));
        }
        // Public values have the same form.
        5 => {
            let read = |source: &Source, memory| {
                files::read_witness_json::<E::Scalar>(source, memory).map(|witness| witness.to_vec())
            };
            round_trip(data, read, values, |out, values| files::write_public(out, values));
        }
        _ => {
            let size = |circuit: &Circuit<E::Scalar>| {
                let rows = circuit.constraints.iter().flatten();
                let entries: usize = rows.map(|row| size_of_val(&row[..])).sum();
                size_of_val(&circuit.constraints[..]) + entries
            };
            let read = files::read_circuit::<E::Scalar>;
            round_trip(data, read, size, |out, circuit| files::write_circuit(out, circuit));
        }
    }
}

/// The first byte chooses a setup or a blob.
fn kzg(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    if choice & 1 == 0 {
        let device = Device::Cpu(Cpu::default());
        let read = |source: &Source, memory| ethereum::read_setup(source, &device, memory);
        read_within(data, read, |setup| setup.len() * size_of::<Affine<Bls12_381>>());
    } else {
        let count = 1 << (choice >> 1 & 7);
        let read = |source: &Source, memory| ethereum::read_blob(source, count, memory);
        let blob = read_within(data, read, |blob| size_of_val(blob.values()));
        let Some(blob) = blob else { return };
        assert_eq!(blob.values().len(), count);
        let bytes = written(|out| scalars::write(out, scalars::Format::BigEndian, blob.values()));
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        for written in [bytes, digits.into_bytes()] {
            let again = read(&source(&written), 1 << 30).expect("what was written");
            assert!(again.values() == blob.values());
        }
    }
}

// Integers.

fn integers(data: &[u8]) {
    use integers::Base::{Decimal, Hexadecimal};
    for base in [None, Some(Decimal), Some(Hexadecimal)] {
        let Some(text) = read_within(
            data,
            |source, memory| integers::read(source, base, memory),
            |text| text.len() - 3.min(text.len()),
        ) else {
            continue;
        };
        let unsigned = text.strip_prefix('-').unwrap_or(&text);
        let (radix, digits) = unsigned.strip_prefix("0x").map_or((10, unsigned), |digits| (16, digits));
        assert!(!digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix)), "{text}");
        // It is read as itself, and its digits are the file's.
        assert_eq!(integers::read(&source(text.as_bytes()), None, MEMORY).expect("what was read"), text);
        let word = words(data).next().expect("a token");
        assert!(word.ends_with(digits.as_bytes()));
    }
}

// Scalars and points.

/// The first byte chooses the format.
fn scalars(data: &[u8]) {
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
fn points(data: &[u8]) {
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

// Sizes of memory.

fn sizes(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(bytes) = bytes::parse_bytes(text) else { return };
    assert_eq!(bytes::parse_bytes(&bytes.to_string()), Ok(bytes));
    for (shift, suffix) in ["", "K", "m", "GiB", "tb"].iter().enumerate() {
        let unit = 1u64 << (10 * shift);
        let expected = bytes.checked_mul(unit);
        assert_eq!(bytes::parse_bytes(&format!("{bytes}{suffix}")).ok(), expected);
    }
}
