//! Index lists in messages.

use crate::Result;
use crate::gf2::IndexLists;
use crate::processes::{Reader, Writer};

/// Writes lists to a message.
pub(super) fn send_lists(message: &mut Writer, lists: &IndexLists) {
    let offsets: Vec<u64> = lists.offsets().iter().map(|&offset| offset as u64).collect();
    message.put(&offsets);
    message.put(lists.indices());
}

/// Reads lists that [`send_lists`] wrote.
pub(super) fn receive_lists(message: &mut Reader<'_>) -> Result<IndexLists> {
    let offsets: Vec<u64> = message.take()?;
    IndexLists::new(offsets.into_iter().map(|offset| offset as usize).collect(), message.take()?)
}
