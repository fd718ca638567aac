//! The parts of the program that parse and print quantities, without the program: its own tests would
//! compile all of it a second time.

#[path = "../src/cli/bytes.rs"]
mod bytes;
#[path = "../src/cli/counts.rs"]
mod counts;
/// The place of the counts in the program.
mod cli {
    pub(crate) use crate::counts;
}
#[path = "../src/cli/bench/sizes.rs"]
mod sizes;
#[path = "../src/cli/bench/units.rs"]
mod units;

use bytes::parse_bytes;
use sizes::Sizes;
use units::{factor, time};

#[test]
fn bytes_with_and_without_suffix() {
    assert_eq!(parse_bytes("0"), Ok(0));
    assert_eq!(parse_bytes("123"), Ok(123));
    assert_eq!(parse_bytes("4k"), Ok(4096));
    assert_eq!(parse_bytes("64MiB"), Ok(64 << 20));
    assert_eq!(parse_bytes("2G"), Ok(2 << 30));
    for bad in ["", "K", "12x", "-1", "1.5G", "99999999999999999999", "99999999T"] {
        assert!(parse_bytes(bad).is_err(), "{bad}");
    }
}

#[test]
fn sizes_as_people_write_them() {
    let parse = |text: &str| text.parse::<Sizes>().map(|sizes| sizes.0);
    assert_eq!(parse("2^10..2^13"), Ok(vec![10, 11, 12, 13]));
    assert_eq!(parse("4096"), Ok(vec![12]));
    assert_eq!(parse("2^16, 1024,2^10..2^11"), Ok(vec![10, 11, 16]));
    for bad in ["", "3", "2^", "2^32", "2^5..", "..2^5", "2^5..2^4", "x", "2^-1", "2^4294967296"] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn times_have_the_unit_of_their_magnitude() {
    let texts = [5.2e-7, 1.234567e-5, 0.000999, 0.0123456, 0.5, 1.0, 123.456].map(time);
    assert_eq!(texts, ["0.5200 us", "12.35 us", "999.0 us", "12.35 ms", "500.0 ms", "1.000 s", "123.5 s"]);
    assert_eq!([0.00123, 1.5, 99.96, 12345.6].map(factor), ["0.00123", "1.50", "100.0", "12346"]);
}
