//! The conversions of products of residues by way of the integers: [`lift`](super::lift) says what they are for.

mod centring;
mod combination;

pub(super) use centring::Centring;
pub(super) use combination::{Combination, Constant, LIFT_THIRD};
