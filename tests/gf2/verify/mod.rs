//! Checks over GF(2): right results pass, and wrong ones that keep the structure of right ones do
//! not.

mod dense;
mod f4;
mod files;

use wgalois::verify::Guarantee;
use wgalois::{Cpu, Device, Result};

/// The number of flipped bits that every check must find.
const FLIPS: usize = 200;

fn engine() -> Device {
    Device::Cpu(Cpu::default())
}

/// Asserts that a check refuses: as a wrong result, not as a broken device.
#[track_caller]
fn refused(outcome: Result<Guarantee>) {
    let error = outcome.expect_err("a wrong result passed");
    assert_eq!(error.exit_code(), 1, "{error}");
}
