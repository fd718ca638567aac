//! The special elimination on several GPUs, each of which has some blocks of the columns ([`Deal`]).
//!
//! A GPU's own columns stand side by side in its part, highest column first, as in the whole F4 matrix:
//!
//! ```text
//! places      0 1 2 3 4 5 6        blocks of 256 columns, the highest first
//! owners      0 1 2 0 1 2 0
//! parts       0 3 6 | 1 4 | 2 5    in file order, as in f4
//! ```
//!
//! The rows and reducers of a part have the ones in its columns only, under their numbers in the part, so that
//! the kernels of one device run on them. Only the states of a block's reducers, which its panel needs, are in
//! the numbers of the whole F4 matrix. The first of two stages deals out the columns without a reducer, and each
//! GPU reduces all rows to its own ones.

use super::across::{Member, SharedPolicy};
use super::blocks::{Blocks, Order};
use super::buffers::{NONE, SharedPanel, info, shared_bytes};
use super::f4::{FilePolicy, Rows, download_new_pivots, new_pivots};
use super::f4_lists::{Reducers, expand};
use super::matrix::DeviceMatrix;
use super::schedule::Policy;
use super::shape::BLOCK;
use super::two_stage::narrow;
use crate::gf2::block_cyclic::Deal;
use crate::gf2::row_reduction::RowReduction;
use crate::gf2::{BitMatrix, F4Matrix, IndexLists};
use crate::gpu::{Gpu, block_on};
use crate::processes::{Message, Reader, Transport, Writer};
use crate::{Error, Result};

/// A member's part of an elimination.
pub struct FilePart {
    /// By row: the place of its lead, or [`NONE`]. Of a member without the last block, `NONE` for leads after its own
    /// blocks.
    leads: Vec<u32>,
    /// The rows with a lead, in order, in the member's columns.
    matrix: BitMatrix,
}

impl FilePart {
    /// The part as a message to another process.
    pub fn to_message(&self) -> Message {
        let mut message = Writer::default();
        message.put(&self.leads);
        message.put(&[self.matrix.rows() as u64, self.matrix.columns() as u64]);
        message.put(self.matrix.words64());
        message.finish()
    }

    /// The part of another process.
    pub fn from_message(message: &Message) -> Result<Self> {
        let mut message = Reader::new(message);
        let leads = message.take()?;
        let [rows, columns] = message.take_array::<u64, 2>()?.map(|count| count as usize);
        let mut matrix = BitMatrix::zeros(rows, columns)?;
        message.take_into(matrix.words64_mut())?;
        Ok(FilePart { leads, matrix })
    }
}

/// Finds the new pivots of an F4 matrix together with the other members: by row, the number of its lead among the
/// `missing` columns, or [`NONE`]. Complete on the owner of the last block of the deal of these columns.
pub fn choose_across(
    processes: &dyn Transport,
    gpu: &Gpu,
    f4: &F4Matrix,
    missing: &[usize],
    deal: &Deal,
) -> Result<Vec<u32>> {
    let own = own_missing(missing, deal, processes.rank());
    if own.is_empty() {
        return Ok(vec![NONE; f4.row_count()]);
    }
    let narrow = narrow(f4, &Reducers::upload(gpu, f4, f4.reducers())?, &own)?;
    let none = Reducers::none(gpu, deal.blocks())?;
    let info = info(missing.len(), |_| true, |_| false);
    let reduction = RowReduction::whole(f4.row_count(), missing.len());
    find_leads(processes, &narrow, [&none, &none], &info, None, (deal, &reduction))
}

/// The missing columns of a member.
pub fn own_missing(missing: &[usize], deal: &Deal, member: usize) -> Vec<usize> {
    let columns = |block: usize| &missing[BLOCK * block..missing.len().min(BLOCK * (block + 1))];
    deal.own(member).flat_map(columns).copied().collect()
}

/// Eliminates rows together with the other members.
pub fn eliminate_rows_across(
    processes: &dyn Transport,
    gpu: &Gpu,
    work: &Rows<'_>,
    deal: &Deal,
) -> Result<FilePart> {
    let (rank, rows, f4) = (processes.rank(), work.rows, work.f4);
    let numbers = Numbers::new(deal, rank);
    if numbers.own == 0 {
        return Ok(FilePart { leads: vec![NONE; rows.len()], matrix: BitMatrix::zeros(0, 0)? });
    }
    let matrix = DeviceMatrix::zeros(gpu, rows.len(), BLOCK * numbers.own)?;
    expand(&matrix, &numbers.part(rows))?;
    let own = Reducers::upload(gpu, f4, &numbers.part(f4.reducers()))?;
    let diagonal = Reducers::upload(gpu, f4, &numbers.diagonal(f4.reducers()))?;
    let reduction = RowReduction::whole(rows.len(), BLOCK * deal.blocks());
    let reducers = [&own, &diagonal];
    let leads = find_leads(processes, &matrix, reducers, &work.info(), work.ends(), (deal, &reduction))?;
    let place = |block: usize| deal.before(rank, block);
    let (_, matrix) = block_on(download_new_pivots(&matrix, &leads, place))?;
    Ok(FilePart { leads, matrix })
}

/// Puts the parts together: the new pivots, ascending, and their final forms.
pub fn combine_across(parts: &[FilePart], f4: &F4Matrix, deal: &Deal) -> Result<(Vec<u32>, BitMatrix)> {
    const WORDS: usize = BLOCK / 64;
    let all = &parts[deal.owner(deal.blocks() - 1)].leads;
    let new_pivots = new_pivots(all);
    let mut matrix = BitMatrix::zeros(new_pivots.len(), f4.width())?;
    for (member, part) in parts.iter().enumerate() {
        let numbers = Numbers::new(deal, member);
        let has_lead = |row: u32| part.leads.get(row as usize).is_some_and(|&lead| lead != NONE);
        let known: Vec<usize> = (0..new_pivots.len()).filter(|&to| has_lead(new_pivots[to])).collect();
        if (part.leads.len(), part.matrix.rows()) != (all.len(), known.len()) {
            return Err(Error::Nonsense("members found different rows to promote".into()));
        }
        for (from, &to) in known.iter().enumerate() {
            let (from, to) = (part.matrix.row64(from), matrix.row64_mut(to));
            for (group, own) in numbers.groups.iter().enumerate() {
                if let Some(own) = own {
                    // The highest columns need not fill their words.
                    let words = WORDS.min(to.len() - WORDS * group);
                    to[WORDS * group..][..words].copy_from_slice(&from[WORDS * own..][..words]);
                }
            }
        }
    }
    Ok((new_pivots, matrix))
}

/// The numbers of columns in a member's part. Columns count from the lowest, blocks from the highest; so column c is
/// in block `blocks - 1 - c / 256`, and in the group of 256 columns `c / 256`.
pub struct Numbers {
    /// The number of the member's blocks.
    pub own: usize,
    /// By group of 256 columns of the F4 matrix: the number of the group in the part, if it is the member's.
    groups: Vec<Option<usize>>,
}

impl Numbers {
    pub fn new(deal: &Deal, member: usize) -> Self {
        let own = deal.own(member).count();
        let mut groups = vec![None; deal.blocks()];
        for (place, block) in deal.own(member).enumerate() {
            groups[deal.blocks() - 1 - block] = Some(own - 1 - place);
        }
        Numbers { own, groups }
    }

    /// The ones in the member's columns, under their numbers in its part.
    pub fn part(&self, lists: &IndexLists) -> IndexLists {
        let number = |_: &[u32], column: u32| {
            let group = self.groups[group(column)]?;
            Some((BLOCK * group) as u32 + column % BLOCK as u32)
        };
        chosen(lists, number)
    }

    /// The number of the member's ones of a list.
    pub fn count(&self, row: &[u32]) -> usize {
        row.iter().filter(|&&column| self.is_own(column)).count()
    }

    /// The number of ones of [`diagonal`](Self::diagonal) of a list.
    pub fn count_of_diagonal(&self, row: &[u32]) -> usize {
        match row.first() {
            Some(&lead) if self.is_own(lead) => {
                row.iter().take_while(|&&column| group(column) == group(lead)).count()
            }
            _ => 0,
        }
    }

    fn is_own(&self, column: u32) -> bool {
        self.groups[group(column)].is_some()
    }

    /// The ones in the blocks of the lists' leads, if they are the member's, under their numbers in the F4 matrix.
    pub fn diagonal(&self, lists: &IndexLists) -> IndexLists {
        chosen(lists, |row, column| (group(row[0]) == group(column) && self.is_own(column)).then_some(column))
    }
}

/// The group of 256 columns of a column.
fn group(column: u32) -> usize {
    column as usize / BLOCK
}

/// The lists of the ones that `number` gives a number, from the list and a one of it.
fn chosen(lists: &IndexLists, number: impl Fn(&[u32], u32) -> Option<u32>) -> IndexLists {
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for row in lists.iter() {
        indices.extend(row.iter().filter_map(|&column| number(row, column)));
        offsets.push(indices.len());
    }
    IndexLists::from_checked(offsets, indices)
}

/// Eliminates a member's part, and returns by row the place of its lead. The reducers are those of the part, and
/// those of its blocks in the numbers of the F4 matrix.
fn find_leads(
    processes: &dyn Transport,
    matrix: &DeviceMatrix,
    [own, diagonal]: [&Reducers; 2],
    info: &[u32],
    ends: Option<Vec<u32>>,
    (deal, reduction): (&Deal, &RowReduction),
) -> Result<Vec<u32>> {
    let gpu = matrix.gpu();
    let blocks = Blocks::new(matrix, info, Order::File(own))?;
    let policy = FilePolicy::new(matrix.rows(), matrix.tiles(), info, ends);
    let count = policy.blocks();
    let mut member = Member::new(processes, gpu, (deal, reduction), blocks, policy)?;
    let last_place = (BLOCK * deal.blocks() - 1) as u32;
    member.run(count, |recorder, blocks| {
        diagonal.invert(gpu, recorder, blocks.buffers.states.written()?, last_place)
    })?;
    Ok(member.policy.leads)
}

impl SharedPolicy for FilePolicy {
    fn changed(&self, block: usize) -> std::ops::Range<usize> {
        changed(self, block)
    }

    fn done(&self) -> u32 {
        0
    }

    fn note(&mut self, block: usize, panel: &SharedPanel<'_>) -> Result<bool> {
        for (row, column) in panel.new_pivots() {
            let place = (BLOCK * block) as u32 + column;
            self.open.take(row, place)?;
            let lead = self.leads.get_mut(row as usize).filter(|lead| **lead == NONE);
            let twice = || Error::nonsense_at("row", row, format!("was promoted in column {place}"));
            *lead.ok_or_else(twice)? = place;
        }
        Ok(false)
    }

    fn leads(&self) -> &[u32] {
        &self.leads
    }
}

/// The rows whose selections other devices need in a block: those that may take its pivots.
pub fn changed(policy: &FilePolicy, block: usize) -> std::ops::Range<usize> {
    let rows = policy.schedule(block).rows;
    rows.start as usize..rows.end as usize
}

/// The maximum number of bytes of a message.
pub fn file_message_bytes(rows: usize) -> u64 {
    shared_bytes(rows, true) as u64
}
