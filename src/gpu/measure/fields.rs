//! The fields in which products are measured. Every field of a size has the same instructions, so that one stands for all.
#![expect(unexpected_cfgs, reason = "arkworks' derive asks for a feature of its own crate")]

use ark_ff::{Fp256, Fp384, MontBackend, MontConfig};

/// p = 2^255 - 19.
#[derive(MontConfig)]
#[modulus = "57896044618658097711785492504343953926634992332820282019728792003956564819949"]
#[generator = "2"]
pub struct Config255;
/// A field of 255 bits.
pub type Field255 = Fp256<MontBackend<Config255, 4>>;

/// The modulus of the base field of BLS12-381.
#[derive(MontConfig)]
#[modulus = "4002409555221667393417789825735904156556882819939007885332058136124031650490837864442687629129015664037894272559787"]
#[generator = "2"]
pub struct Config381;
/// The base field of BLS12-381.
pub type Field381 = Fp384<MontBackend<Config381, 6>>;
