//! The search of windows on a GPU, up to 32 equations in a word.
//!
//! A thread has one value of the thread variables. It walks through the up variables in Gray code, and for each of
//! their values through a block of the low variables, as the CPU engine does. A block in which a candidate may solve
//! the equations is a hit; the host evaluates the candidates of all hits.

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use super::Search;
use super::table::{CHOOSE, Layout, MAX_DEGREE, Ranks, Windows, gray, part};
use crate::checks::{missed, nonsense, random_below};
use crate::hits;
use wgalois::gpu::{Arithmetic, DeviceVec, Gpu, Kernel, Pipeline, Variant, buffers, params};
use wgalois::parallel::*;
use wgalois::{Error, Result};

/// The kernel that searches windows.
pub static SEARCH: Kernel =
    Kernel::of::<SearchBuffers, SearchParams>("boolean/search", "boolean/search.wgsl", |_: Arithmetic| {
        (2..=MAX_DEGREE).map(variant).collect()
    });

buffers! {
    /// The buffers of [`SEARCH`].
    pub struct SearchBuffers {
        table: read array<u32>,
        fixed: read array<u32>,
        hits: read_write array<atomic<u32>>,
    }
}

/// The kernels of exhaustive search.
pub static KERNELS: &[&Kernel] = &[&SEARCH];

params! {
    /// The parameters of [`SEARCH`].
    pub struct SearchParams {
        /// The number of windows.
        windows,
        /// Words of a window's table.
        table_length,
        /// Variables that a thread walks through.
        up,
        /// Variables of which each thread has one value.
        thread_bits,
        /// The maximum number of hits that are kept.
        capacity,
    }
}

const WORKGROUP: u32 = 64;
/// Rows of binomials that the kernel reads: windows have at most 32 variables.
const ROWS: usize = 33;
/// The maximum number of variables of a window.
const WIDTH: usize = 32;
/// The maximum number of hits of a dispatch.
const CAPACITY: usize = 1 << 20;
/// Threads that keep a GPU busy, as a power of two.
const THREADS: usize = 18;

/// Low variables, and the most up variables, for a degree: the derivatives of higher degrees take more registers.
const fn sizes(degree: usize) -> (usize, usize) {
    match degree {
        2 => (6, 14),
        3 => (5, 10),
        _ => (5, 6),
    }
}

/// The template's variables.
#[derive(Serialize)]
struct Context {
    degree: usize,
    low: usize,
    /// Words of the derivatives with up variables.
    derivatives: usize,
    /// Where the binomials, the offsets of the window's monomials and those of the derivatives begin in `fixed`.
    choose: usize,
    offsets: usize,
    derivative_offsets: usize,
    /// The sets of low variables whose derivatives change.
    subsets: Vec<Subset>,
    /// The additions of each step of a block.
    steps: Vec<Vec<Addition>>,
}

#[derive(Serialize)]
struct Subset {
    mask: usize,
    size: usize,
    /// The sum of binomials in the numbers of its monomials.
    part: u32,
    /// True if it changes within a block.
    is_copied: bool,
}

/// One of the additions `to += from`; `from` changes within a block if `is_copied`.
#[derive(Serialize)]
struct Addition {
    to: usize,
    from: usize,
    is_copied: bool,
}

fn variant(degree: usize) -> Variant {
    let (low, up) = sizes(degree);
    let is_copied = |mask: usize| mask.count_ones() as usize + 2 <= degree;
    let subset = |mask: usize| {
        let (size, part) = (mask.count_ones() as usize, part(mask as u64) as u32);
        Subset { mask, size, part, is_copied: is_copied(mask) }
    };
    let step = |r: usize| {
        let mut masks = vec![0];
        let mut rest = r;
        while rest != 0 && masks.len() < degree {
            masks.push(masks.last().copied().unwrap_or(0) | rest & rest.wrapping_neg());
            rest &= rest - 1;
        }
        let pairs = masks.windows(2).rev();
        pairs.map(|pair| Addition { to: pair[0], from: pair[1], is_copied: is_copied(pair[1]) }).collect()
    };
    let context = Context {
        degree,
        low,
        derivatives: Ranks::new(low + up, degree).offsets[degree],
        choose: 1 << low,
        offsets: (1 << low) + ROWS * (MAX_DEGREE + 1),
        derivative_offsets: (1 << low) + ROWS * (MAX_DEGREE + 1) + MAX_DEGREE + 1,
        subsets: (0..1usize << low)
            .filter(|mask| (mask.count_ones() as usize) < degree)
            .map(subset)
            .collect(),
        steps: (0..1usize << low).map(step).collect(),
    };
    Variant::new(WORKGROUP, context)
}

/// A prepared search.
pub struct GpuSearch {
    gpu: Gpu,
    pipeline: Arc<Pipeline>,
    windows: Division,
    /// Windows so small that all their blocks may be hits.
    small: Division,
    table: DeviceVec<u32>,
    hits: DeviceVec<u32>,
}

/// A division into windows, with the words that they share.
struct Division {
    windows: Windows,
    fixed: DeviceVec<u32>,
}

impl Division {
    fn new(gpu: &Gpu, search: &Search, layout: Layout) -> Result<Self> {
        let windows = Windows::new(&search.packed, layout);
        let mut words = windows.targets.clone();
        words.extend(CHOOSE[..ROWS].iter().flatten());
        let derivatives = Ranks::new(layout.low + layout.up, windows.degree);
        for ranks in [&windows.ranks, &derivatives] {
            words.extend(ranks.offsets[..=MAX_DEGREE].iter().map(|&offset| offset as u32));
        }
        let mut fixed = gpu.zeros_whole(words.len())?;
        fixed.write(0, &words)?;
        Ok(Division { windows, fixed })
    }
}

impl GpuSearch {
    pub fn new(gpu: &Gpu, search: &Search) -> Result<Self> {
        let degree = search.packed.degree;
        let (low, most_up) = sizes(degree);
        // A software driver ends long loops.
        let most_up = if gpu.adapter().is_software() { most_up.min(8) } else { most_up };
        let up = search.variables.saturating_sub(low + THREADS).clamp(2, most_up);
        let least = low + up;
        // Up to 12 equations, most blocks are hits.
        let most = if search.packed.terms.iter().fold(0, |any, (_, word)| any | word) >> 12 == 0 {
            low + 20
        } else if gpu.adapter().is_software() {
            // A processor takes seconds for a dispatch of the largest windows, within which no search can be ended.
            26
        } else {
            WIDTH
        };
        let width = search.variables.clamp(least, most);
        let small = Layout { low, up, width: width.min(low + 20) };
        let windows = Division::new(gpu, search, Layout { low, up, width })?;
        let small = Division::new(gpu, search, small)?;
        let tables = windows.windows.ranks.len() << Self::batch_bits(search, &windows.windows.layout);
        let pipeline = gpu.pipeline(&SEARCH, &variant(degree))?;
        let table = gpu.zeros_whole(tables.max(small.windows.ranks.len()))?;
        let hits = gpu.zeros_whole(1 + 2 * CAPACITY)?;
        Ok(GpuSearch { gpu: gpu.clone(), pipeline, windows, small, table, hits })
    }

    /// The number of windows of a dispatch, as a power of two.
    fn batch_bits(search: &Search, layout: &Layout) -> usize {
        let windows = search.variables.saturating_sub(layout.width);
        let threads = layout.width - layout.low - layout.up;
        windows.min((THREADS + 2).saturating_sub(threads)).min(8)
    }

    pub fn layout(&self) -> Layout {
        self.windows.windows.layout
    }

    /// Returns the most windows of a round.
    pub fn most(&self) -> u64 {
        (self.table.len() / self.windows.windows.ranks.len()).max(1) as u64
    }

    /// Searches windows.
    pub async fn search(&mut self, search: &Search, first: u64, count: u64) -> Result<()> {
        let tables = self.windows.tables(search, first..first + count);
        if let Some(hits) = self.dispatch(false, &tables).await? {
            self.windows.evaluate(search, first, &hits);
            return Ok(());
        }
        // More hits than there is room for: smaller windows, one at a time.
        let shift = self.windows.layout().width - self.small.layout().width;
        for prefix in first << shift..(first + count) << shift {
            if search.collector.must_end() {
                break;
            }
            let tables = self.small.tables(search, prefix..prefix + 1);
            let hits = self.dispatch(true, &tables).await?.ok_or_else(too_many)?;
            self.small.evaluate(search, prefix, &hits);
        }
        Ok(())
    }

    /// Plants a solution in each of some windows, at most a tenth of all, in one dispatch. Returns the number of solutions.
    pub async fn plant(&mut self, search: &Search) -> Result<u32> {
        let of = search.windows(self.layout());
        let count = self.most().min(of / 10).max(1);
        let first = rand::random_range(0..=of - count);
        let width = self.layout().width;
        let below = width.min(search.variables);
        let plants: Vec<u64> =
            (first..first + count).map(|prefix| prefix << width | random_below(below)).collect();
        if let Some(hits) = self.dispatch(false, &self.windows.planted_tables(search, &plants)).await? {
            self.windows.expect(search, &plants, &hits)?;
            return Ok(plants.len() as u32);
        }
        let plants = &plants[..1];
        let tables = self.small.planted_tables(search, plants);
        let hits = self.dispatch(true, &tables).await?.ok_or_else(too_many)?;
        self.small.expect(search, plants, &hits)?;
        Ok(1)
    }

    /// Searches windows with these tables in one dispatch. Returns `None` if there are more hits than room.
    async fn dispatch(&mut self, is_small: bool, tables: &[Vec<u32>]) -> Result<Option<Vec<Hit>>> {
        let division = if is_small { &self.small } else { &self.windows };
        let Layout { low, up, width } = division.layout();
        self.table.write_async(0, &tables.concat()).await?;
        self.hits.write_async(0, &[0]).await?;
        let thread_bits = width - low - up;
        let params = SearchParams {
            windows: tables.len() as u32,
            table_length: division.windows.ranks.len() as u32,
            up: up as u32,
            thread_bits: thread_bits as u32,
            capacity: CAPACITY as u32,
        };
        let groups = (tables.len() << thread_bits).div_ceil(WORKGROUP as usize) as u32;
        let mut recorder = self.gpu.record();
        let buffers = SearchBuffers {
            table: self.table.whole()?,
            fixed: division.fixed.whole()?,
            hits: self.hits.written()?,
        };
        recorder.dispatch(&self.pipeline, "search", &buffers, &params, groups)?;
        recorder.submit()?;
        let most = tables.len() << (width - low);
        let Some(words) = hits::read(&self.hits, most, CAPACITY, too_many).await? else { return Ok(None) };
        division.hits(&words, tables.len()).map(Some)
    }
}

/// A window of a dispatch, by its number, and a block in it by its first candidate.
type Hit = (usize, u64);

fn too_many() -> Error {
    nonsense("more hits than there are blocks of candidates")
}

impl Division {
    fn layout(&self) -> Layout {
        self.windows.layout
    }

    /// Returns the tables of windows with these prefixes.
    fn tables(&self, search: &Search, prefixes: Range<u64>) -> Vec<Vec<u32>> {
        prefixes.into_par_iter().map(|prefix| self.windows.derivatives(&search.packed, prefix)).collect()
    }

    /// Returns the tables of the windows of solutions that are planted: the constant is the first word.
    fn planted_tables(&self, search: &Search, plants: &[u64]) -> Vec<Vec<u32>> {
        let table = |&planted: &u64| {
            let mut table = self.windows.derivatives(&search.packed, planted >> self.layout().width);
            table[0] ^= search.packed.value(planted);
            table
        };
        plants.par_iter().map(table).collect()
    }

    /// Returns the hits that the words of a device say, in ascending order.
    fn hits(&self, words: &[u32], windows: usize) -> Result<Vec<Hit>> {
        let Layout { low, up, width } = self.layout();
        let hit = |hit: &[u32]| {
            let (window, place) = (hit[0] as usize, u64::from(hit[1]));
            if window >= windows || place >> (width - low) != 0 {
                return Err(nonsense("a hit outside of the windows"));
            }
            let step = place & ((1 << up) - 1);
            Ok((window, place >> up << (low + up) | gray(step) << low))
        };
        hits::sorted(words, hit)
    }

    /// Evaluates the candidates of hits in windows from `first` on.
    fn evaluate(&self, search: &Search, first: u64, hits: &[Hit]) {
        let Layout { low, width, .. } = self.layout();
        hits.par_iter().for_each(|(window, block)| {
            if search.collector.must_end() {
                return;
            }
            let block = (first + *window as u64) << width | block;
            for candidate in block..block + (1 << low) {
                if search.is_over() || search.try_candidate(candidate) {
                    return;
                }
            }
        });
    }

    /// Checks that the hits are blocks with a solution of the planted equations, those of the planted ones among them.
    fn expect(&self, search: &Search, plants: &[u64], hits: &[Hit]) -> Result<()> {
        let Layout { low, width, .. } = self.layout();
        let inside = (1u64 << width) - (1 << low);
        if plants.iter().enumerate().any(|hit| hits.binary_search(&(hit.0, hit.1 & inside)).is_err()) {
            return Err(missed());
        }
        let is_real = |(window, block): &Hit| {
            let planted = plants[*window];
            let value = search.packed.value(planted);
            let block = planted >> width << width | block;
            (block..block + (1 << low)).any(|candidate| search.packed.value(candidate) == value)
        };
        match hits::some(hits).all(is_real) {
            true => Ok(()),
            false => Err(nonsense("a hit without a candidate that solves the equations")),
        }
    }
}
