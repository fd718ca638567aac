//! Prime fields of one machine word.

mod barrett;
mod extension;
mod prime;
mod word;

pub use barrett::Barrett;
pub use extension::{Extension, Multiplication};
pub use prime::{BABY_BEAR, KOALA_BEAR, NAMED, Prime};
pub use word::{bit_reverse, inverse_mod_2_32, is_prime, pow_mod};
