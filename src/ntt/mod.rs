//! Number-theoretic transforms and the products that they make fast.

pub mod cpu;
pub mod exact;
pub mod integer;
mod product;
mod transform;
mod verify;

pub use product::{Product, multiply};
pub use transform::{Coset, Direction, MAX_LOG_N, Order, Reduction, Transform};
pub use verify::{verify_exact, verify_product, verify_transform};
