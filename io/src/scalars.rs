//! Scalars: integers below the order r of a curve's subgroup.
//!
//! | format | endings | holds |
//! |---|---|---|
//! | bytes | all others | little-endian integers of 32 bytes, no header |
//! | be | `.be` | big-endian integers of 32 bytes, as Ethereum has them |
//! | ark | `.ark` | arkworks' `Vec`: the count as a little-endian 64-bit word, then integers as in `bytes` |
//! | text | `.txt` | numbers separated by white space: hexadecimal with `0x` in front, otherwise decimal |
//! | hex | `.hex` | hexadecimal numbers separated by white space |
//! | montgomery | | little-endian integers of 32 bytes, each a scalar times 2^256 modulo r |

use std::io::{self, Write};
use std::path::Path;

use ark_ff::{BigInt, BigInteger, PrimeField};

use super::budget::Budget;
use super::identify::{by_ending, looks_like_text};
use super::{Source, text};
use wgalois::curve::CurveName;
use wgalois::parallel::*;
use wgalois::{Fault, Result, with_curve};

/// The file format of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 32 bytes each, little-endian.
    Bytes,
    /// 32 bytes each, big-endian.
    BigEndian,
    /// arkworks' `Vec`.
    Ark,
    /// Decimal, or hexadecimal with `0x` in front.
    Text,
    /// Hexadecimal.
    Hex,
    /// 32 bytes each, little-endian, in Montgomery form.
    Montgomery,
}

/// Bytes per scalar.
const SIZE: usize = 32;

impl Format {
    /// Returns the format that a file's ending names.
    pub fn of(path: &Path) -> Format {
        use Format::*;
        let endings = [("ark", Ark), ("be", BigEndian), ("txt", Text), ("hex", Hex)];
        by_ending(path, &endings).unwrap_or(Bytes)
    }
}

/// Reads the scalars of `source`, integers below the modulus of `F`.
pub fn read<F: PrimeField<BigInt = BigInt<4>>>(
    source: &Source,
    format: Format,
    memory: u64,
) -> Result<Vec<F>> {
    read_any(source, format, memory, false)
}

/// Reads integers modulo the modulus of `F`: those that are not below it are reduced. In text they may be negative.
pub fn read_modulo<F: PrimeField<BigInt = BigInt<4>>>(
    source: &Source,
    format: Format,
    memory: u64,
) -> Result<Vec<F>> {
    read_any(source, format, memory, true)
}

/// Returns the number of scalars in `source`, by its length; `None` in text, which does not tell.
pub fn count(source: &Source, format: Format) -> Option<usize> {
    let bytes = source.bytes().len();
    match format {
        Format::Bytes | Format::BigEndian | Format::Montgomery => Some(bytes / SIZE),
        Format::Ark => Some(bytes.saturating_sub(8) / SIZE),
        Format::Text | Format::Hex => None,
    }
}

fn read_any<F: PrimeField<BigInt = BigInt<4>>>(
    source: &Source,
    format: Format,
    memory: u64,
    wrap: bool,
) -> Result<Vec<F>> {
    let parse = if wrap { parse_modulo } else { parse };
    match format {
        Format::Bytes => read_bytes(source, 0, memory, (false, wrap)),
        Format::BigEndian => read_bytes(source, 0, memory, (true, wrap)),
        Format::Montgomery => {
            // Zero has no inverse, and the factor is a power of 2.
            let inverse = factor::<F>().inverse().unwrap_or_default();
            let mut scalars: Vec<F> = read_bytes(source, 0, memory, (false, wrap))?;
            scalars.par_iter_mut().for_each(|scalar| *scalar *= inverse);
            Ok(scalars)
        }
        Format::Ark => {
            let count = source.bytes().first_chunk().map(|head| u64::from_le_bytes(*head));
            let Some(count) = count else {
                return Err(source.error("too short for the length of arkworks' Vec, 8 bytes"));
            };
            let held = (source.bytes().len() as u64 - 8) / SIZE as u64;
            if held != count {
                let (expected, found) = (usize::try_from(count).unwrap_or(usize::MAX), held as usize);
                return Err(source.error(Fault::WrongCount { what: "scalars".into(), expected, found }));
            }
            read_bytes(source, 8, memory, (false, wrap))
        }
        Format::Text | Format::Hex => {
            let plain = if format == Format::Hex { 16 } else { 10 };
            let unsigned = |token: &[u8]| match token {
                [b'0', b'x' | b'X', digits @ ..] => parse(digits, 16),
                digits => parse(digits, plain),
            };
            text::parse_tokens(source, memory, |token| match token {
                [b'-', digits @ ..] if wrap => unsigned(digits).map(|value: F| -value),
                token => unsigned(token),
            })
        }
    }
}

/// Writes scalars.
pub fn write<F: PrimeField<BigInt = BigInt<4>>>(
    out: &mut dyn Write,
    format: Format,
    scalars: &[F],
) -> io::Result<()> {
    if format == Format::Ark {
        out.write_all(&(scalars.len() as u64).to_le_bytes())?;
    }
    let one = |scalar: &F| match format {
        Format::Bytes | Format::Ark => scalar.into_bigint().to_bytes_le(),
        Format::BigEndian => scalar.into_bigint().to_bytes_be(),
        Format::Montgomery => (*scalar * factor::<F>()).into_bigint().to_bytes_le(),
        Format::Text => format!("{}\n", scalar.into_bigint()).into_bytes(),
        Format::Hex => (text::hex(&scalar.into_bigint().to_bytes_be()) + "\n").into_bytes(),
    };
    text::write_parallel(out, scalars, 1 << 10, |scalars| {
        scalars.iter().map(one).collect::<Vec<_>>().concat()
    })
}

/// The factor of Montgomery form, 2^256.
fn factor<F: PrimeField>() -> F {
    F::from(2u64).pow([256])
}

fn read_bytes<F: PrimeField<BigInt = BigInt<4>>>(
    source: &Source,
    start: usize,
    memory: u64,
    (is_big, wrap): (bool, bool),
) -> Result<Vec<F>> {
    let (scalars, rest) = source.bytes()[start..].as_chunks::<SIZE>();
    if !rest.is_empty() {
        let fault = Fault::Truncated(format!("scalar {}, which has {SIZE} bytes", scalars.len()).into());
        let error = source.number_error(start + scalars.len() * SIZE, fault);
        return Err(error.with_note(text_hint(source)));
    }
    let value = |bytes: &[u8; SIZE]| match wrap {
        true if is_big => Some(F::from_be_bytes_mod_order(bytes)),
        true => Some(F::from_le_bytes_mod_order(bytes)),
        false => F::from_bigint(integer(bytes, is_big)),
    };
    Budget::new(source, memory).values(
        scalars.par_iter(),
        |bytes| value(bytes).ok_or(()),
        |i, ()| {
            let hints = [text_hint(source), &hint::<F>(&scalars[i], is_big)].concat();
            let what = format!("scalar {i}").into();
            source.number_error(start + i * SIZE, Fault::NotBelow { what, bound: ORDER }).with_note(&hints)
        },
    )
}

fn integer(bytes: &[u8; SIZE], is_big: bool) -> BigInt<4> {
    let mut bytes = *bytes;
    if is_big {
        bytes.reverse();
    }
    let words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let mut integer = BigInt::zero();
    integer.0.iter_mut().zip(words).for_each(|(to, word)| *to = word);
    integer
}

/// The bound of scalars.
const ORDER: &str = "the order r of the subgroup";

fn text_hint(source: &Source) -> &'static str {
    match looks_like_text(source.bytes()) {
        true => "; it looks like text: --scalars-format text or hex reads numbers",
        false => "",
    }
}

/// Names the other byte order and the curves with which a scalar would be in range.
fn hint<F: PrimeField<BigInt = BigInt<4>>>(bytes: &[u8; SIZE], is_big: bool) -> String {
    let mut hint = String::new();
    if integer(bytes, !is_big) < F::MODULUS {
        let other = if is_big { "bytes (little-endian)" } else { "be (big-endian)" };
        hint += &format!("; in the other byte order it is: --scalars-format {other}");
    }
    let fits = |name: &CurveName| with_curve!(*name, C => integer(bytes, is_big) < <C as ark_ec::CurveConfig>::ScalarField::MODULUS);
    let curves: Vec<_> = CurveName::all().filter(fits).map(|name| name.to_string()).collect();
    if !curves.is_empty() {
        hint += &format!("; it is for --curve {}", curves.join(", "));
    }
    hint
}

/// Parses digits as a number below the modulus of `F`.
fn parse<F: PrimeField<BigInt = BigInt<4>>>(digits: &[u8], radix: u32) -> std::result::Result<F, Fault> {
    let name = if radix == 16 { "hexadecimal" } else { "decimal" };
    if digits.is_empty() {
        return Err(format!("expected {name} digits").into());
    }
    let mut value = [0u64; 4];
    for byte in digits {
        let digit = char::from(*byte).to_digit(radix);
        let Some(digit) = digit else {
            let (expected, found) = (format!("{name} digits").into(), text::quote(digits));
            return Err(Fault::Unexpected { expected, found });
        };
        let mut carry = u128::from(digit);
        for word in &mut value {
            carry += u128::from(*word) * u128::from(radix);
            *word = carry as u64;
            carry >>= 64;
        }
        if carry > 0 {
            return Err(not_below());
        }
    }
    F::from_bigint(BigInt(value)).ok_or_else(not_below)
}

fn not_below() -> Fault {
    Fault::NotBelow { what: "the scalar".into(), bound: ORDER }
}

/// Parses digits as a number modulo the modulus of `F`.
fn parse_modulo<F: PrimeField<BigInt = BigInt<4>>>(
    digits: &[u8],
    radix: u32,
) -> std::result::Result<F, Fault> {
    // Short numbers, and what is no number.
    match parse(digits, radix) {
        Err(_) if !digits.is_empty() && digits.iter().all(|byte| char::from(*byte).is_digit(radix)) => (),
        parsed => return parsed,
    }
    let digit = |byte: &u8| F::from(char::from(*byte).to_digit(radix).unwrap_or_default());
    Ok(digits.iter().fold(F::zero(), |value, byte| value * F::from(radix) + digit(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::Fr;
    use ark_ff::{Field, UniformRand};
    use ark_std::rand::SeedableRng;
    use proptest::prelude::*;

    const FORMATS: [Format; 6] =
        [Format::Bytes, Format::BigEndian, Format::Ark, Format::Text, Format::Hex, Format::Montgomery];

    fn written(format: Format, scalars: &[Fr]) -> Source {
        let mut bytes = Vec::new();
        write(&mut bytes, format, scalars).unwrap();
        Source::from_bytes("s", bytes)
    }

    #[test]
    fn scalars_come_back_in_every_format() {
        let mut rng = ark_std::rand::rngs::StdRng::seed_from_u64(1);
        let mut scalars = vec![Fr::from(0), Fr::from(1), -Fr::ONE];
        scalars.extend((0..100).map(|_| Fr::rand(&mut rng)));
        for format in FORMATS {
            for scalars in [&scalars[..], &[]] {
                assert_eq!(read::<Fr>(&written(format, scalars), format, u64::MAX).unwrap(), scalars);
            }
            assert!(read::<Fr>(&written(format, &scalars), format, 100).is_err());
        }
    }

    #[test]
    fn numbers_of_any_size_are_reduced_where_that_is_asked_for() {
        let r = Fr::MODULUS;
        let past = [r.to_bytes_le(), vec![255; 32]].concat();
        // 2^256 - 1 modulo r, by repeated doubling.
        let most = (0..256).fold(Fr::from(1), |power, _| power + power) - Fr::ONE;
        let read =
            |bytes: Vec<u8>, format| read_modulo::<Fr>(&Source::from_bytes("s", bytes), format, u64::MAX);
        assert_eq!(read(past, Format::Bytes).unwrap(), [Fr::from(0), most]);
        let past = [r.to_bytes_be(), vec![255; 32]].concat();
        assert_eq!(read(past, Format::BigEndian).unwrap(), [Fr::from(0), most]);
        let text = format!("{r} 0x{} -1 7 1{}", "f".repeat(64), "0".repeat(80));
        let ten = (0..80).fold(Fr::from(1), |power, _| power * Fr::from(10));
        assert_eq!(read(text.into(), Format::Text).unwrap(), [Fr::from(0), most, -Fr::ONE, Fr::from(7), ten]);
        assert_eq!(read("f".repeat(64).into(), Format::Hex).unwrap(), [most]);
        for wrong in ["x", "-", "0x", "1-", "--1", "1.5"] {
            assert!(read(wrong.into(), Format::Text).is_err(), "{wrong}");
        }
    }

    #[test]
    fn montgomery_form_is_the_words_in_memory() {
        use wgalois::field::Words;
        let scalars = [Fr::from(0), Fr::from(1), Fr::from(5), -Fr::from(7)];
        let words = scalars.iter().flat_map(|scalar| scalar.words().to_vec());
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        assert_eq!(written(Format::Montgomery, &scalars).bytes(), bytes);
        let refused =
            read::<Fr>(&Source::from_bytes("s", [255; 32]), Format::Montgomery, u64::MAX).unwrap_err();
        assert!(refused.to_string().starts_with("s: byte 0: scalar 0 is not below the order r"), "{refused}");
    }

    #[test]
    fn arkworks_reads_what_is_written_and_writes_what_is_read() {
        use ark_serialize::{CanonicalDeserialize, CanonicalSerialize};
        let scalars = vec![Fr::from(5), -Fr::from(7)];
        let source = written(Format::Ark, &scalars);
        assert_eq!(Vec::<Fr>::deserialize_compressed(source.bytes()).unwrap(), scalars);
        let mut bytes = Vec::new();
        scalars.serialize_uncompressed(&mut bytes).unwrap();
        assert_eq!(read::<Fr>(&Source::from_bytes("s", bytes), Format::Ark, u64::MAX).unwrap(), scalars);
    }

    #[test]
    fn what_is_refused_and_where() {
        let r = Fr::MODULUS;
        let bytes = [vec![0; 32], r.to_bytes_le()].concat();
        let long = [vec![9, 0, 0, 0, 0, 0, 0, 0], vec![0; 32]].concat();
        for (bytes, format, message) in [
            (bytes, Format::Bytes, "s: byte 32: scalar 1 is not below the order r"),
            (vec![0; 33], Format::Bytes, "s: byte 32: the file ends within scalar 1"),
            (vec![255; 32], Format::Bytes, "s: byte 0: scalar 0 is not below"),
            (vec![0; 7], Format::Ark, "s: too short for the length"),
            (long, Format::Ark, "s: 1 scalars, where 9 were expected"),
            ([vec![1, 0, 0, 0, 0, 0, 0, 0], vec![0; 33]].concat(), Format::Ark, "s: byte 40: the file ends"),
            (format!("1\n {r}").into_bytes(), Format::Text, "s:2:2: the scalar is not below the order r"),
            (b"1 -2".to_vec(), Format::Text, "s:1:3: expected decimal digits"),
            (b"0x".to_vec(), Format::Text, "s:1:1: expected hexadecimal digits"),
            (b"fg".to_vec(), Format::Hex, "s:1:1: expected hexadecimal digits"),
            (vec![b'f'; 65], Format::Hex, "s:1:1: the scalar is not below the order r"),
            (vec![b'9'; 500], Format::Text, "s:1:1: the scalar is not below the order r"),
        ] {
            let error = read::<Fr>(&Source::from_bytes("s", bytes), format, u64::MAX).unwrap_err();
            assert!(error.to_string().starts_with(message), "{error}");
            assert_eq!(error.exit_code(), 3);
        }
        let text = Source::from_bytes("s", "0x0010 17");
        assert_eq!(read::<Fr>(&text, Format::Text, u64::MAX).unwrap(), [Fr::from(16), Fr::from(17)]);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            for format in FORMATS {
                let _ = read::<Fr>(&Source::from_bytes("s", bytes.clone()), format, u64::MAX);
            }
        }
    }
}
