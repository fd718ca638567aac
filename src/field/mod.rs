//! Prime fields: of one machine word, and of several.

mod barrett;
mod big;
mod bound;
mod columns;
mod coordinate;
mod extension;
mod formula;
#[cfg(any(test, target_arch = "wasm32"))]
mod limbs;
mod modulus;
mod prime;
mod quadratic;
mod reader;
#[cfg(test)]
mod tests;
mod turns;
mod word;

pub use barrett::Barrett;
pub use big::{BigField, Words};
pub use bound::{Bound, CANONICAL};
pub use coordinate::{CoordinateField, PrimeOf};
pub use extension::{Extension, Multiplication};
pub use formula::{Formula, Mark, Step};
pub use modulus::Modulus;
pub use prime::{BABY_BEAR, KOALA_BEAR, NAMED, Prime};
pub use reader::Reader;
pub use turns::Turn;
pub use word::{bit_reverse, inverse_mod_2_32, is_prime, pow_mod};
