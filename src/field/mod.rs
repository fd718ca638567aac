//! Prime fields: of one machine word, and of several.

mod big;
mod formula;
mod prime;
mod word;

pub use big::{BigField, Words};
pub use formula::{Bound, CANONICAL, Formula, Mark, Step};
pub use prime::{BABY_BEAR, KOALA_BEAR, NAMED, Prime};
pub use word::{bit_reverse, inverse_mod_2_32, is_prime, pow_mod};
