//! Checks of transforms and products in linear time.
//!
//! A right result always passes; a wrong one passes with a chance of at most 2^-64, whatever the error: each
//! file derives its bound. The result must not depend on the random generator, which has to be seeded by the
//! operating system rather than by a constant.
//!
//! A problem's `check` draws from the operating system. These functions take the generator.
//!
//! # Errors
//! [`Error::Check`] if the result is anything else than the right one, whatever its length and values. Operands that
//! no problem takes are refused with the errors of [`ntt`](super).

mod exact;
mod integer;
mod product;
mod quotient;
mod transform;

pub use exact::exact_product;
pub use integer::integer_product;
pub use product::product;
pub use transform::transform;

use crate::parallel::Threads;
use crate::verify::Guarantee;
use crate::{Device, Error, Result, Wrong};

/// Checks that all words of a result are below the modulus.
pub(in crate::ntt) fn check_range(modulus: u32, result: &[u32]) -> Result<()> {
    match result.iter().position(|&x| x >= modulus) {
        None => Ok(()),
        Some(i) => {
            let fault = format!("is {}, not below the modulus {modulus}", result[i]);
            Err(Error::Check(Wrong::at("entry", i, fault)))
        }
    }
}

/// Runs a check on the threads that the CPU engine is limited to.
pub(in crate::ntt) fn on_threads(
    device: &Device,
    check: impl FnOnce() -> Result<Guarantee> + Send,
) -> Result<Guarantee> {
    match device {
        Device::Cpu(cpu) => Threads::new(cpu.threads)?.run(check),
        _ => check(),
    }
}
