//! What the tests of multiplications have in common: points and scalars, and each step on the host.

mod bits;
mod destinations;
pub(super) mod reference;
pub(super) mod samples;
