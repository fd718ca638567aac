//! The CPU engine's fast methods on several processes: tiles, or rows, are dealt out in a cycle.
//!
//! Process p has tiles, or rows, p, p + size, p + 2 size, and so on. Every process computes on the threads of its engine;
//! messages are sent and received by its main thread alone.

mod choose;
mod dense;
mod f4;
mod two_stage;

pub(in crate::gf2) use dense::echelon;
pub(in crate::gf2) use f4::blocked;
pub(in crate::gf2) use two_stage::{TABLES, two_stage, two_stage_share};

use crate::processes::{Message, Writer};

/// A message of one list.
fn message_of<T: bytemuck::NoUninit>(values: &[T]) -> Message {
    let mut message = Writer::default();
    message.put(values);
    message.finish()
}

/// The tiles of process `rank`: every `size`-th.
fn own_units(units: usize, rank: usize, size: usize) -> impl Iterator<Item = usize> + Clone {
    (rank..units).step_by(size)
}
