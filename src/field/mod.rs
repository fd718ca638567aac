//! Prime fields of one machine word.

mod prime;
mod word;

pub use prime::{BABY_BEAR, KOALA_BEAR, NAMED, Prime};
pub use word::{bit_reverse, inverse_mod_2_32, is_prime, pow_mod};
