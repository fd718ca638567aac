//! The inner loops of the CPU engine, generic over a [`Lane`] and compiled for every set of vector
//! instructions.

use std::cell::RefCell;

use super::simd::{Lane, simd_kernel};
use crate::gf2::bit_matrix::Line;

/// The number of bits that index a table: 13 tables of 32 lines, 26 KiB, stay in the first-level
/// cache. On a Zen 5 (48 KiB), lines updated by 64 pivots per second: 4 bits 2.9e8, 5 bits 3.4e8,
/// 6 bits 3.4e8, 7 bits 2.9e8, 8 bits 2.8e8.
const TABLE_BITS: usize = 5;
const TABLES: usize = 64usize.div_ceil(TABLE_BITS);
const ENTRIES: usize = 1 << TABLE_BITS;

/// The sums of all subsets of 64 lines, by groups of five (the method of the four Russians:
/// Arlazarov, Dinic, Kronrod, Faradzev 1970).
pub struct Tables(Box<[[Line; ENTRIES]; TABLES]>);

impl Tables {
    /// Runs `work` with this thread's tables.
    pub fn with<T>(work: impl FnOnce(&mut Tables) -> T) -> T {
        thread_local! {
            static TABLES: RefCell<Tables> = RefCell::new(Tables(bytemuck::zeroed_box()));
        }
        TABLES.with_borrow_mut(work)
    }
}

/// Selects, for rows of a run of rows, which of 64 lines are added to each.
pub struct Selection<'a> {
    /// The first row of the run.
    pub first: usize,
    /// The rows to add to.
    pub rows: &'a [u32],
    /// By row of the run: bit i of word `word` selects line i.
    pub multipliers: &'a [Line],
    pub word: usize,
}

simd_kernel! {
    /// Adds the sum of the `addends` lines (64 or fewer) that `selection` selects for a row to that
    /// row's line of `target`, which holds the rows of the run.
    fn add_selected(
        target: &mut [Line],
        selection: &Selection<'_>,
        addends: &[Line],
        tables: &mut Tables,
    ) = add_selected_body
}

/// # Safety
/// The processor must have the instructions of `L`.
#[inline(always)]
unsafe fn add_selected_body<L: Lane>(
    target: &mut [Line],
    selection: &Selection<'_>,
    addends: &[Line],
    tables: &mut Tables,
) {
    debug_assert!(addends.len() <= 64);
    let &Selection { first, rows, multipliers, word } = selection;
    let tables = &mut *tables.0;
    for (table, lines) in tables.iter_mut().zip(addends.chunks(TABLE_BITS)) {
        // SAFETY: the caller vouches for the instructions.
        unsafe { fill::<L>(table, lines) };
    }
    for &row in rows {
        let at = row as usize - first;
        let m = multipliers[at].0[word];
        if m != 0 {
            // SAFETY: the caller vouches for the instructions.
            unsafe { look_up::<L>(&mut target[at], tables, m) };
        }
    }
}

/// # Safety
/// The processor must have the instructions of `L`.
#[inline(always)]
unsafe fn fill<L: Lane>(table: &mut [Line; ENTRIES], lines: &[Line]) {
    table[0] = Line::ZERO;
    for (bit, line) in lines.iter().enumerate() {
        let (known, new) = table.split_at_mut(1 << bit);
        for (new, known) in new.iter_mut().zip(known) {
            *new = *known;
            // SAFETY: the caller vouches for the instructions.
            unsafe { add::<L>(new, line) };
        }
    }
}

/// # Safety
/// The processor must have the instructions of `L`.
#[inline(always)]
unsafe fn add<L: Lane>(target: &mut Line, line: &Line) {
    for part in (0..8).step_by(L::WORDS) {
        // SAFETY: `part + L::WORDS` is at most 8; the caller vouches for the instructions.
        unsafe {
            let to = target.0.as_mut_ptr().add(part);
            L::load(to).xor(L::load(line.0.as_ptr().add(part))).store(to);
        }
    }
}

/// # Safety
/// The processor must have the instructions of `L`.
#[inline(always)]
unsafe fn look_up<L: Lane>(target: &mut Line, tables: &[[Line; ENTRIES]; TABLES], m: u64) {
    for part in (0..8).step_by(L::WORDS) {
        // SAFETY: `part + L::WORDS` is at most 8; the caller vouches for the instructions.
        unsafe {
            let to = target.0.as_mut_ptr().add(part);
            let mut sum = L::load(to);
            for (t, table) in tables.iter().enumerate() {
                let entry = &table[(m >> (TABLE_BITS * t)) as usize % ENTRIES];
                sum = sum.xor(L::load(entry.0.as_ptr().add(part)));
            }
            sum.store(to);
        }
    }
}

simd_kernel! {
    /// Adds the words of `source` to those of `target`, which is equally long.
    fn add_words(target: &mut [u64], source: &[u64]) = add_words_body
}

/// # Safety
/// The processor must have the instructions of `L`.
#[inline(always)]
unsafe fn add_words_body<L: Lane>(target: &mut [u64], source: &[u64]) {
    assert_eq!(target.len(), source.len());
    let whole = target.len() - target.len() % L::WORDS;
    for at in (0..whole).step_by(L::WORDS) {
        // SAFETY: `at + L::WORDS` is at most the length; the caller vouches for the instructions.
        unsafe {
            let to = target.as_mut_ptr().add(at);
            L::load(to).xor(L::load(source.as_ptr().add(at))).store(to);
        }
    }
    for (to, from) in target[whole..].iter_mut().zip(&source[whole..]) {
        *to ^= from;
    }
}

simd_kernel! {
    /// Adds to `target` the lines of `table` that `indices` names.
    fn gather(target: &mut Line, table: &[Line], indices: &[u32]) = gather_body
}

/// # Safety
/// The processor must have the instructions of `L`.
#[inline(always)]
unsafe fn gather_body<L: Lane>(target: &mut Line, table: &[Line], indices: &[u32]) {
    // SAFETY: parts begin at multiples of L::WORDS below 8; the caller vouches for the
    // instructions. Registers past 8 / L::WORDS are never used.
    unsafe {
        let to = target.0.as_mut_ptr();
        let mut sums: [L; 8] = std::array::from_fn(|k| L::load(to.add(k * L::WORDS % 8)));
        for &i in indices {
            let from = table[i as usize].0.as_ptr();
            for (k, sum) in sums[..8 / L::WORDS].iter_mut().enumerate() {
                *sum = sum.xor(L::load(from.add(k * L::WORDS)));
            }
        }
        for (k, sum) in sums[..8 / L::WORDS].iter().enumerate() {
            sum.store(to.add(k * L::WORDS));
        }
    }
}

simd_kernel! {
    /// Adds `line` to the lines of `table` that `indices` names.
    fn scatter(table: &mut [Line], indices: &[u32], line: &Line) = scatter_body
}

/// # Safety
/// The processor must have the instructions of `L`.
#[inline(always)]
unsafe fn scatter_body<L: Lane>(table: &mut [Line], indices: &[u32], line: &Line) {
    for &i in indices {
        // SAFETY: the caller vouches for the instructions.
        unsafe { add::<L>(&mut table[i as usize], line) };
    }
}
