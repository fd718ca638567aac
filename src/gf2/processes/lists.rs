//! Index lists in messages.

use crate::Result;
use crate::gf2::IndexLists;
use crate::processes::{Reader, Writer};

/// Writes rows of lists to a message. Indices below 2^16 take two bytes.
pub fn send_rows<'l>(message: &mut Writer, rows: impl ExactSizeIterator<Item = &'l [u32]> + Clone) {
    message.put_each(rows.clone().map(|row| row.len() as u64));
    let ones = rows.clone().map(<[u32]>::len).sum();
    let is_narrow = rows.clone().all(|row| row.first().is_none_or(|&highest| highest <= u16::MAX.into()));
    message.put(&[u64::from(is_narrow)]);
    match is_narrow {
        false => message.put_parts(ones, |put| rows.for_each(put)),
        true => message.put_parts(ones, |put| {
            let mut narrow = Vec::new();
            for row in rows {
                narrow.clear();
                narrow.extend(row.iter().map(|&index| index as u16));
                put(&narrow);
            }
        }),
    }
}

/// Writes lists to a message.
pub fn send_lists(message: &mut Writer, lists: &IndexLists) {
    send_rows(message, lists.iter());
}

/// Reads lists that [`send_lists`] or [`send_rows`] wrote.
pub fn receive_lists(message: &mut Reader<'_>) -> Result<IndexLists> {
    let lengths = message.take_each::<u64>()?;
    let mut end = 0usize;
    let ends = lengths.map(|length| {
        end = end.saturating_add(length as usize);
        end
    });
    let offsets: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let [is_narrow] = message.take_array::<u64, 1>()?;
    let indices = match is_narrow {
        0 => message.take()?,
        _ => message.take_each::<u16>()?.map(u32::from).collect(),
    };
    IndexLists::new(offsets, indices)
}
