//! The parts of the program that parse and print quantities, tables and plots, without the program: its own tests would
//! compile all of it a second time. The tests in these files run here, too.

use std::cell::RefCell;
use std::io;
use std::path::Path;

#[path = "../../src/bytes.rs"]
mod bytes;
#[path = "../../src/counts.rs"]
pub mod counts;
#[allow(dead_code)]
#[path = "../../src/bench/pixels.rs"]
mod pixels;
#[allow(dead_code)]
#[path = "../../src/bench/plot.rs"]
mod plot;
#[path = "../../src/bench/sizes.rs"]
mod sizes;
#[allow(dead_code)]
#[path = "../../src/bench/stream.rs"]
mod stream;
#[allow(dead_code)]
#[path = "../../src/bench/table.rs"]
mod table;
#[path = "../../src/bench/units.rs"]
mod units;

use bytes::parse_bytes;
use sizes::Sizes;
use units::{factor, time};
use wgalois_benches::published::TABLES;
use wgalois_benches::{Fields, Row, Timing};

/// The context that tables and plots have of a run: where they write, and the name of a software driver that computed.
#[derive(Default)]
pub struct Context {
    written: RefCell<Vec<u8>>,
    software: Option<String>,
}

impl Context {
    fn has_output(&self) -> bool {
        true
    }

    fn software_driver(&self) -> Option<String> {
        self.software.clone()
    }

    fn write(&self, write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> wgalois::Result<()> {
        self.write_to(Path::new("stdout"), write)
    }

    fn write_to(
        &self,
        path: &Path,
        write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
    ) -> wgalois::Result<()> {
        write(&mut *self.written.borrow_mut()).map_err(|error| wgalois::Error::file(path, error))
    }

    fn text(&self) -> String {
        String::from_utf8(self.written.take()).unwrap()
    }
}

#[test]
fn tables_name_the_software_driver_that_computed() {
    let row = Row::new(Fields::default().with("n", 8), "x", Ok(Timing::of_calls(0.003))).unwrap();
    for software in [None, Some("Name (vulkan, a software driver)".to_owned())] {
        let context = Context { software: software.clone(), ..Context::default() };
        let says = |text: String| {
            assert!(text.contains("3.000 ms"), "{text}");
            assert_eq!(
                text.contains("computed by Name (vulkan, a software driver)\n"),
                software.is_some(),
                "{text}"
            );
        };
        table::print_rows(&context, std::slice::from_ref(&row)).unwrap();
        says(context.text());
        stream::print(&context, TABLES[0], std::slice::from_ref(&row)).unwrap();
        says(context.text());
    }
}

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
    let texts = [0.0, 5.2e-7, 1.234567e-5, 0.000999, 0.0123456, 0.5, 1.0, 123.456].map(time);
    let expected = ["0 s", "520.0 ns", "12.35 us", "999.0 us", "12.35 ms", "500.0 ms", "1.000 s", "123.5 s"];
    assert_eq!(texts, expected);
    assert_eq!([0.00123, 1.5, 99.96, 12345.6].map(factor), ["0.00123", "1.50", "100.0", "12346"]);
}
