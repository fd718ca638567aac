//! Checks of transforms and products in linear time.
//!
//! A right result always passes; a wrong one passes with a chance below 2^-40, see
//! [`crate::verify`]. The generator has to be one that the result knows nothing of, seeded
//! by the operating system rather than by a constant.

mod exact;
mod product;
mod transform;

pub use exact::verify_exact;
pub use product::verify_product;
pub use transform::verify_transform;

use crate::field::Prime;
use crate::{Error, Result};

/// Checks that all words of a result are below p, as results are.
fn check_range(prime: Prime, result: &[u32]) -> Result<()> {
    match result.iter().position(|&x| x >= prime.value()) {
        None => Ok(()),
        Some(i) => Err(Error::Check(format!("entry {i} is {}, not below the modulus {prime}", result[i]))),
    }
}
