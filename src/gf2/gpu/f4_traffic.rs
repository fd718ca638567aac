//! The data, dispatches and device memory of the special elimination on several GPUs.

use super::across::parts_within;
use super::blocks::blocks_in_order_bytes;
use super::buffers::{info, shared_bytes};
use super::f4::{FilePolicy, Rows, ends_of};
use super::f4_across::{Numbers, changed, own_missing};
use super::f4_lists::{
    block_count, in_parts_traffic, part_bytes, reducer_at, reducers_bytes, reducers_traffic,
};
use super::matrix::{
    VECTOR, chunk_len, download_bytes, download_traffic, matrix_bytes, parts_of, stride_of, tiles_of,
};
use super::schedule::Policy;
use super::shape::{BLOCK, INFO, ONES_A_THREAD, TILE};
use super::two_stage::narrowing_bytes;
use crate::Result;
use crate::gf2::block_cyclic::Deal;
use crate::gf2::row_reduction::RowReduction;
use crate::gf2::{F4Matrix, F4Shape};
use crate::parallel::*;
use crate::task::Traffic;

/// Bytes of device memory of [`choose_across`](super::choose_across) for a member with `own` of the missing columns.
/// An upper bound.
pub fn choose_bytes(shape: &F4Shape, own: usize, binding_bytes: u64) -> u64 {
    if own == 0 {
        return 0;
    }
    let &F4Shape { columns, rows, row_ones, reducer_ones, .. } = shape;
    let missing = shape.missing();
    let reducers = reducers_bytes(columns.div_ceil(BLOCK), reducer_ones, binding_bytes);
    let narrowing = narrowing_bytes(columns, own, (rows, row_ones), binding_bytes);
    let none = reducers_bytes(missing.div_ceil(BLOCK), 0, binding_bytes);
    matrix_bytes(rows, own) + (reducers + narrowing).max(none + blocks_in_order_bytes(rows, own, missing))
}

/// Bytes of device memory of [`eliminate_rows_across`](super::eliminate_rows_across) for `rows` rows of the F4 matrix
/// and a member with `own` of its columns. An upper bound.
pub fn rows_across_bytes(shape: &F4Shape, rows: usize, own: usize, binding_bytes: u64) -> u64 {
    let new_pivots = rows.min(shape.most_new_pivots());
    let moved =
        part_bytes(rows, shape.row_ones, binding_bytes).max(download_bytes(new_pivots, own, binding_bytes));
    let reducers = reducers_bytes(shape.columns.div_ceil(BLOCK), shape.reducer_ones, binding_bytes);
    matrix_bytes(rows, own) + 2 * reducers + moved.max(blocks_in_order_bytes(rows, own, shape.columns))
}

/// The data and the dispatches of [`choose_across`](super::choose_across) on all members.
pub fn choose_traffic(f4: &F4Matrix, missing: &[usize], deal: &Deal, bindings: &[u64]) -> Result<Traffic> {
    let info = info(missing.len(), |_| true, |_| false);
    let mut ones = vec![0; block_count(f4)];
    for (block, count) in ones.iter_mut().enumerate() {
        let reducers = (BLOCK * block..BLOCK * (block + 1)).filter_map(|place| reducer_at(f4, place));
        *count = reducers.map(|reducer| f4.reducers().row(reducer).len()).sum();
    }
    let members = (0..deal.members()).map(|member| {
        let (own, binding) = (own_missing(missing, deal, member).len(), bindings[member]);
        if own == 0 {
            return Ok(Traffic::sum([]));
        }
        let mut all = vec![
            reducers_traffic(&ones, binding)?,
            reducers_traffic(&vec![0; deal.blocks()], binding)?,
            in_order_traffic(deal, member, f4.row_count(), &info, None, binding),
        ];
        let (blocks, tiles) = (ones.len(), tiles_of(own));
        all.push(Traffic { upload: 4 * (INFO * blocks) as u64, download: 0, dispatches: Some(0) });
        let most = (chunk_len(binding, VECTOR) as usize / (BLOCK * blocks)).max(1);
        for first in (0..tiles).step_by(most) {
            let group = first..tiles.min(first + most);
            let columns = own.min(TILE * group.end).saturating_sub(TILE * first) as u64;
            let dispatches = u64::from(columns > 0) + 2 * blocks as u64;
            all.push(Traffic { upload: 4 * columns, download: 0, dispatches: Some(dispatches) });
            let parts = parts_within(group.start as u32..group.end as u32, f4.row_count(), binding);
            let gather = |longest: usize| parts * longest.max(1).div_ceil(ONES_A_THREAD) as u64;
            all.push(in_parts_traffic(f4.rows().offsets(), binding, gather)?);
        }
        Ok(Traffic::sum(all))
    });
    Ok(Traffic::sum(members.collect::<Result<Vec<_>>>()?))
}

/// The data and the dispatches of [`eliminate_rows_across`](super::eliminate_rows_across) on all members, if
/// `leads`, ascending, are the blocks of the new pivots' leads.
pub fn rows_traffic(work: &Rows<'_>, leads: &[usize], deal: &Deal, bindings: &[u64]) -> Result<Traffic> {
    let (f4, rows) = (work.f4, work.rows);
    let info = work.info();
    let members = (0..deal.members()).map(|member| {
        let (numbers, binding) = (Numbers::new(deal, member), bindings[member]);
        if numbers.own == 0 {
            return Ok(Traffic::sum([]));
        }
        let columns = BLOCK * numbers.own;
        let counts: Vec<usize> =
            (0..rows.len()).into_par_iter().map(|row| numbers.count(rows.row(row))).collect();
        let mut offsets = vec![0];
        offsets.extend(counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        }));
        let parts = parts_of(rows.len(), columns, binding) as u64;
        let ones = |count: fn(&Numbers, &[u32]) -> usize| -> Vec<usize> {
            let of_block = |block: usize| {
                let own = (BLOCK * block..BLOCK * (block + 1)).filter_map(|place| reducer_at(f4, place));
                own.map(|reducer| count(&numbers, f4.reducers().row(reducer))).sum()
            };
            (0..deal.blocks()).into_par_iter().map(of_block).collect()
        };
        let own = reducers_traffic(&ones(Numbers::count), binding)?;
        // A member without the last block does not know the rows that become pivots after its own ones.
        let ends = ends_of(leads);
        let last = deal.own(member).last().unwrap_or(0);
        let known = ends.get(last).or(ends.last()).map_or(0, |&known| known as usize);
        Ok(Traffic::sum([
            in_parts_traffic(&offsets, binding, |_| parts)?,
            Traffic { dispatches: Some(0), ..own },
            reducers_traffic(&ones(Numbers::count_of_diagonal), binding)?,
            in_order_traffic(deal, member, rows.len(), &info, work.ends(), binding),
            download_traffic(known, columns, binding),
        ]))
    });
    Ok(Traffic::sum(members.collect::<Result<Vec<_>>>()?))
}

/// The data and the dispatches of a member's elimination of blocks in file order, if no panel fails.
fn in_order_traffic(
    deal: &Deal,
    member: usize,
    rows: usize,
    info: &[u32],
    ends: Option<Vec<u32>>,
    binding_bytes: u64,
) -> Traffic {
    let tiles = 2 * deal.own(member).count() as u32;
    let policy = FilePolicy::new(rows, tiles, info, ends);
    let (count, reduction) = (policy.blocks(), RowReduction::whole(rows, BLOCK * deal.blocks()));
    let mut upload = 4 * (stride_of(rows) + info.len()) as u64;
    let (mut download, mut dispatches) = (0, u64::from(count > 0 && deal.owner(0) == member));
    for block in (0..count).filter(|&block| deal.is_busy(member, block)) {
        let (schedule, is_owner) = (policy.schedule(block), deal.owner(block) == member);
        let steps = deal.steps(member, block, &reduction, block + 1 == count);
        let parts = |tiles| parts_within(tiles, rows, binding_bytes);
        let flags = |rows: &std::ops::Range<u32>| u64::from(!rows.is_empty());
        if is_owner {
            dispatches += schedule.flag.as_ref().map_or(0, flags) + 1;
            dispatches += schedule.second.as_ref().map_or(0, |rows| flags(rows) + 1);
        }
        if steps.next.is_some() {
            upload += 4 * rows as u64;
        }
        dispatches += u64::from(!steps.predict.is_empty()) + parts(steps.predict);
        if !schedule.rows.is_empty() {
            dispatches += steps.next.map_or(0, parts) + parts(steps.update);
        }
        let message = shared_bytes(changed(&policy, block).len(), true) as u64;
        *(if is_owner { &mut download } else { &mut upload }) += message;
    }
    Traffic { upload, download, dispatches: Some(dispatches) }
}

/// Bytes of the messages of an elimination of `rows` rows in `blocks` blocks, each counted once; by block, `ends` has
/// the number of rows with leads in it or before it, if these are known.
pub fn file_messages(rows: usize, blocks: usize, ends: Option<&[u32]>) -> u64 {
    let message = |left: usize| shared_bytes(left, true) as u64;
    match ends {
        None => message(rows).saturating_mul(blocks as u64),
        Some(ends) => ends.iter().map(|&end| message(rows.saturating_sub(end as usize / 32 * 32))).sum(),
    }
}
