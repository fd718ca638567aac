//! Products on the CPU engine against schoolbook multiplication, and big integers against an
//! independent library.

use dashu_int::IBig;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::ntt::exact::ExactProduct;
use wgalois::ntt::{Product, Ring, exact, integer, verify};
use wgalois::{Cpu, Device, Error};

fn cpu(threads: usize) -> Device {
    Device::Cpu(Cpu { threads, ..Cpu::default() })
}

fn multiply(device: &Device, prime: Prime, form: Ring, a: &[u32], b: &[u32]) -> wgalois::Result<Vec<u32>> {
    let product = Product::new(prime, a.len(), b.len()).with_ring(form);
    wgalois::ntt::multiply(device, &product, a, b)
}

fn multiply_exactly(form: Ring, a: &[i64], b: &[i64]) -> wgalois::Result<Vec<i128>> {
    exact::multiply(&cpu(1), &ExactProduct::new(a.len(), b.len()).with_ring(form), a, b)
}

/// The place of x^`exponent` in the product, and whether its sign changes.
fn place(product: Ring, exponent: usize) -> (usize, bool) {
    match product {
        Ring::Linear => (exponent, false),
        Ring::Cyclic(n) => (exponent % n, false),
        Ring::Negacyclic(n) => (exponent % n, exponent / n % 2 == 1),
    }
}

fn schoolbook(product: Ring, a: &[i128], b: &[i128]) -> Vec<i128> {
    let mut c = vec![0; product.length(a.len(), b.len()).unwrap()];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let (k, negative) = place(product, i + j);
            c[k] += if negative { -x * y } else { x * y };
        }
    }
    c
}

fn expected(prime: Prime, product: Ring, a: &[u32], b: &[u32]) -> Vec<u32> {
    let wide = |words: &[u32]| words.iter().map(|&x| x.into()).collect::<Vec<i128>>();
    let c = schoolbook(product, &wide(a), &wide(b));
    c.into_iter().map(|x| x.rem_euclid(prime.value().into()) as u32).collect()
}

#[test]
fn products_of_all_small_lengths() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for p in [193, 7_340_033, 998_244_353, 2_013_265_921] {
        let prime = Prime::new(p).unwrap();
        for a in 0..14 {
            for b in (0..14).chain([40]) {
                let draw =
                    |rng: &mut ChaCha8Rng, len| (0..len).map(|_| rng.random_range(0..p)).collect::<Vec<_>>();
                let (x, y) = (draw(&mut rng, a), draw(&mut rng, b));
                let wrapped = (1..13).flat_map(|n| [Ring::Cyclic(n), Ring::Negacyclic(n)]);
                for product in wrapped.chain([Ring::Linear]) {
                    let got = multiply(&cpu(1), prime, product, &x, &y).unwrap();
                    assert_eq!(got, expected(prime, product, &x, &y), "{p} {product:?} {a} {b}");
                }
            }
        }
    }
}

#[test]
fn products_of_extreme_coefficients() {
    for p in [7_340_033, 469_762_049, 2_013_265_921, 2_130_706_433] {
        let prime = Prime::new(p).unwrap();
        for len in [1, 2, 63, 64, 65, 300] {
            let (a, b) = (vec![p - 1; len], vec![p - 1; 257]);
            for product in [Ring::Linear, Ring::Cyclic(256), Ring::Negacyclic(256), Ring::Negacyclic(100)] {
                let got = multiply(&cpu(1), prime, product, &a, &b).unwrap();
                assert_eq!(got, expected(prime, product, &a, &b), "{p} {product:?} {len}");
            }
        }
    }
}

#[test]
fn long_products_on_any_number_of_threads() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let draw = |rng: &mut ChaCha8Rng, len| {
        (0..len).map(|_| rng.random_range(0..BABY_BEAR.value())).collect::<Vec<u32>>()
    };
    let (a, b) = (draw(&mut rng, 131_072), draw(&mut rng, 100_003));
    let n = 1 << 17;
    for product in
        [Ring::Linear, Ring::Cyclic(n), Ring::Negacyclic(n), Ring::Cyclic(n - 1), Ring::Negacyclic(77)]
    {
        let one = multiply(&cpu(1), BABY_BEAR, product, &a, &b).unwrap();
        verify::product(product, BABY_BEAR, &a, &b, &one, &mut rng).unwrap();
        for threads in [0, 2, 3] {
            assert!(multiply(&cpu(threads), BABY_BEAR, product, &a, &b).unwrap() == one);
        }
        let square = multiply(&cpu(0), BABY_BEAR, product, &a, &a).unwrap();
        verify::product(product, BABY_BEAR, &a, &a, &square, &mut rng).unwrap();
    }
}

#[test]
fn what_is_no_product_is_an_error() {
    let seven = Prime::new(7).unwrap();
    assert_eq!(multiply(&cpu(1), seven, Ring::Linear, &[6], &[5, 4]).unwrap(), [2, 3]);
    // Modulo 7 there are no transforms longer than 2^1: the product is that of integers.
    assert_eq!(multiply(&cpu(1), seven, Ring::Linear, &[1, 2], &[1, 6]).unwrap(), [1, 1, 5]);
    let error = multiply(&cpu(1), seven, Ring::Linear, &[1, 2], &[1, 7]).unwrap_err();
    assert!(matches!(error, Error::NotReduced { index: 1, value: 7, modulus: 7, .. }), "{error}");
    assert!(error.to_string().contains("the second polynomial's coefficient 1 is 7"), "{error}");
    let error = multiply(&cpu(1), seven, Ring::Cyclic((1 << 27) + 1), &[1], &[1]).unwrap_err();
    assert!(matches!(error, Error::TooMany { count, .. } if count == (1 << 27) + 1), "{error}");
    for product in [Ring::Cyclic(0), Ring::Negacyclic(0)] {
        assert!(matches!(multiply(&cpu(1), seven, product, &[1], &[1]), Err(Error::Setting { .. })));
    }
}

#[test]
fn exact_products_at_the_bound() {
    // 2 * 8 * 2^43 * a stays just below the modulus of the three primes.
    let largest = ((exact::MODULUS - 1) >> 47) as i64;
    let a = [largest, -largest, largest, largest, -largest, -largest, largest, -largest];
    let b = [1i64 << 43, -(1 << 43), 1 << 43, 1 << 43, -(1 << 43), -(1 << 43), 1 << 43, -(1 << 43)];
    let wide = |x: &[i64]| x.iter().map(|&x| x.into()).collect::<Vec<i128>>();
    for product in [Ring::Linear, Ring::Cyclic(8), Ring::Negacyclic(8), Ring::Cyclic(9)] {
        let got = multiply_exactly(product, &a, &b).unwrap();
        assert_eq!(got, schoolbook(product, &wide(&a), &wide(&b)), "{product:?}");
    }
    let mut larger = a;
    larger[3] += 1;
    let refused = multiply_exactly(Ring::Linear, &larger, &b);
    assert!(matches!(refused, Err(Error::CoefficientsTooLarge { terms: 8, .. })));
    let long = vec![1; (1 << 25) + 1];
    let refused = multiply_exactly(Ring::Linear, &long, &long);
    assert!(matches!(refused, Err(Error::NoProduct { modulus: None, .. })), "{refused:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exact_products(
        a in prop::collection::vec(-1i64 << 39..1 << 39, 0..50),
        b in prop::collection::vec(-1i64 << 39..1 << 39, 0..50),
        n in 1..60usize,
    ) {
        let wide = |x: &[i64]| x.iter().map(|&x| x.into()).collect::<Vec<i128>>();
        for product in [Ring::Linear, Ring::Cyclic(n), Ring::Negacyclic(n)] {
            let got = multiply_exactly(product, &a, &b).unwrap();
            prop_assert_eq!(got, schoolbook(product, &wide(&a), &wide(&b)));
        }
    }

    #[test]
    fn decimal_integers(a in "[-+]?[0-9]{1,200}", b in "[-+]?[0-9]{1,200}") {
        check_integers(&a, &b);
    }

    #[test]
    fn integers_of_either_base(a in "-?(0x[0-9a-fA-F]{1,100}|[0-9]{1,100})", b in "-?(0x[0-9a-fA-F]{1,100}|[0-9]{1,100})") {
        check_integers(&a, &b);
    }
}

fn parsed(text: &str) -> IBig {
    let unsigned = text.trim_start_matches(['-', '+']);
    let value = match unsigned.strip_prefix("0x") {
        Some(digits) => IBig::from_str_radix(digits, 16).unwrap(),
        None => IBig::from_str_radix(unsigned, 10).unwrap(),
    };
    if text.starts_with('-') { -value } else { value }
}

fn check_integers(a: &str, b: &str) {
    let product = parsed(a) * parsed(b);
    let expected = match (a.contains('x'), product < IBig::ZERO) {
        (false, _) => product.to_string(),
        (true, false) => format!("0x{:x}", product),
        (true, true) => format!("-0x{:x}", -product),
    };
    let got = integer::multiply(&cpu(1), a, b).unwrap();
    assert_eq!(got, expected, "{a} {b}");
    verify::integer_product(a, b, &got, &mut ChaCha8Rng::seed_from_u64(9)).unwrap();
}

#[test]
fn long_integers() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut decimal = |len| (0..len).map(|_| char::from(b'0' + rng.random_range(0..10))).collect::<String>();
    let (a, b) = (decimal(300_000), decimal(123_456));
    check_integers(&a, &b);
    check_integers(&"9".repeat(200_000), &"9".repeat(200_001));
    check_integers(&format!("0x{}", "f".repeat(100_000)), &format!("-0x{}", "f".repeat(99_991)));
    check_integers(&format!("-0x{}", "f".repeat(5_000)), &b[..6_000]);
    check_integers(&b[..6_000], &format!("-0x{}", "f".repeat(5_000)));
    for k in 1..40 {
        check_integers(&"9".repeat(k), &"9".repeat(40 - k));
        check_integers(&format!("0x{}", "f".repeat(k)), &format!("0x{}", "f".repeat(40 - k)));
    }
}

#[test]
fn wrong_integers_are_found_out() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let (a, b) = ("8".repeat(3_000), "7".repeat(2_000));
    let c = integer::multiply(&cpu(1), &a, &b).unwrap();
    for i in 0..c.len() {
        let mut wrong = c.clone().into_bytes();
        wrong[i] = b'0' + (wrong[i] - b'0' + 1 + i as u8 % 9) % 10;
        let wrong = String::from_utf8(wrong).unwrap();
        assert!(matches!(verify::integer_product(&a, &b, &wrong, &mut rng), Err(Error::Check(_))), "{i}");
    }
    for wrong in [format!("-{c}"), format!("{c}0"), format!("0x{c}"), "0".into(), "".into(), "12a".into()] {
        assert!(matches!(verify::integer_product(&a, &b, &wrong, &mut rng), Err(Error::Check(_))));
    }
}

/// Wrong products that agree with the right one modulo small numbers and powers of the base.
#[test]
fn integers_that_keep_small_remainders_are_found_out() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (a, b) = ("123456789".repeat(40), "-314159265".to_owned() + &"358979".repeat(30));
    let right = parsed(&integer::multiply(&cpu(1), &a, &b).unwrap());
    let word = IBig::ONE << 64;
    let two_32 = IBig::from((1u64 << 32) - 1);
    let mut moduli: Vec<IBig> = [1u64, 9, 11, 99, 1001, 65_535, 65_537, (1 << 61) - 1].map(IBig::from).into();
    moduli.extend([two_32.clone(), word.clone(), &word - IBig::ONE, &word + IBig::ONE]);
    moduli.extend(exact::PRIMES.map(IBig::from));
    // All moduli at once.
    moduli.push(moduli.iter().product());
    for by in &moduli {
        for place in [0u32, 1, 9, 64, 300] {
            for by in [by * IBig::from(10).pow(place as usize), by << place as usize] {
                for wrong in [&right + &by, &right - &by] {
                    let refused = verify::integer_product(&a, &b, &wrong.to_string(), &mut rng);
                    assert!(matches!(refused, Err(Error::Check(_))), "{by}");
                }
            }
        }
    }
    // Two neighbouring digits exchanged, and 200 flipped bits.
    let digits = right.to_string().into_bytes();
    for i in (2..digits.len()).filter(|&i| digits[i] != digits[i - 1]) {
        let mut wrong = digits.clone();
        wrong.swap(i, i - 1);
        let wrong = String::from_utf8(wrong).unwrap();
        assert!(matches!(verify::integer_product(&a, &b, &wrong, &mut rng), Err(Error::Check(_))), "{i}");
    }
    for _ in 0..200 {
        let bit = IBig::ONE << rng.random_range(0..1800usize);
        let wrong = (&right ^ &bit).to_string();
        assert!(matches!(verify::integer_product(&a, &b, &wrong, &mut rng), Err(Error::Check(_))), "{bit}");
    }
    verify::integer_product(&a, &b, &format!("-000{}", &right.to_string()[1..]), &mut rng).unwrap();
}

#[test]
fn what_is_no_integer_is_an_error() {
    for (text, says) in [
        ("", "0 digits"),
        ("-", "0 digits"),
        ("0x", "0 digits"),
        ("--1", "byte 1"),
        (" 12,5", "byte 3"),
        ("1f", "begin with 0x"),
        ("0x1g", "byte 3"),
        ("1 2", "byte 1"),
        ("\u{0661}", "byte 0"),
    ] {
        match integer::multiply(&cpu(1), "1", text) {
            Err(error @ (Error::TooFew { .. } | Error::NotADigit { .. })) => {
                assert!(error.to_string().contains(says), "{text:?}: {error}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
    assert_eq!(integer::multiply(&cpu(1), " -007\n", "+0").unwrap(), "0");
    assert_eq!(integer::multiply(&cpu(1), "0xFF", "-0001").unwrap(), "-0xff");
}
