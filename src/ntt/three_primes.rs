//! The primes by which products over the integers are computed.

use crate::Result;
use crate::field::Prime;

/// The three primes below 2^31 with transforms of 2^26: 15 2^27 + 1, 27 2^26 + 1 and
/// 7 2^26 + 1.
pub const PRIMES: [u32; 3] = [2_013_265_921, 1_811_939_329, 469_762_049];

/// The product of the [`PRIMES`], about 2^90.5.
pub const MODULUS: u128 = PRIMES[0] as u128 * PRIMES[1] as u128 * PRIMES[2] as u128;

/// The longest transform modulo all [`PRIMES`], log2.
pub const MAX_LOG_N: u32 = 26;

/// The fields of the [`PRIMES`].
pub fn fields() -> Result<[Prime; 3]> {
    Ok([Prime::new(PRIMES[0])?, Prime::new(PRIMES[1])?, Prime::new(PRIMES[2])?])
}
