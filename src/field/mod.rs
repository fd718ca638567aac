//! Prime fields: of one machine word, and of several.

mod barrett;
mod big;
mod coordinate;
mod extension;
mod formula;
mod prime;
mod quadratic;
mod turns;
mod word;

pub use barrett::Barrett;
pub use big::{BigField, Reader, Words};
pub use coordinate::{CoordinateField, PrimeOf};
pub use extension::{Extension, Multiplication};
pub use formula::{Bound, CANONICAL, Formula, Mark, Step};
pub use prime::{BABY_BEAR, KOALA_BEAR, NAMED, Prime};
pub use turns::Turn;
pub use word::{bit_reverse, inverse_mod_2_32, is_prime, pow_mod};
