//! The times of the CPU engine's methods: numbers of lines, rows and words times rates.

use std::time::Duration;

use super::dense;
use super::kernels::scatter;
use super::run_context::RunContext;
use crate::device::SHARED;
use crate::gf2::bit_matrix::{LINE_BITS, Line};
use crate::gf2::cost::cpu::{gathered_lines, swept_lines, widened_lines};
use crate::gf2::{BitMatrix, F4Method, F4Shape, RowReduction, Wanted, generate};
use crate::parallel::Threads;
use crate::task::{CpuProfile, CpuRecord, Rate, typical};
use crate::{Cpu, Simd};

/// A line of 512 bits that is added in a sweep, or gathered from a table of columns. A Zen 5 with AVX-512 took these times, as
/// those below.
static SPARSE_LINE: Rate = Rate::of_thread("sparse line", 1.2e-9, sparse_line);
/// A line that is updated by 64 pivots through tables.
static TABLE_LINE: Rate = Rate::of_thread("table line", 3.0e-9, table_line);
/// A row in the panel step for 64 columns.
static PANEL_ROW: Rate = Rate::of_thread("panel row", 10.0e-9, panel_row);
/// A word of 64 bits that is added to another, with data outside the first caches.
static WORD: Rate = Rate::of_thread("added word", 0.25e-9, word);

/// How much longer a reduced form takes: half as many updates again, but no more panels. From forms of 8192 to 32768 rows on 2 and 16
/// threads of a Xeon: 1.05 to 1.5.
const REDUCED: f64 = 1.3;

/// The work of a method.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    sparse_lines: f64,
    table_lines: f64,
    panel_rows: f64,
    words: f64,
    /// Panels, one after the other.
    panels: f64,
    /// Loops that the threads share.
    loops: f64,
}

/// Rows that take as long as what a panel for 64 columns takes whatever its rows, on one thread; loops of an elimination for 64
/// columns, and of a product for 64 inner columns. From ranks and products of 256 to 4096 rows on 16 threads of a Xeon; the numbers are
/// the algorithms'.
const ROWS_A_PANEL: f64 = 2500.0;
const LOOPS_A_PANEL: f64 = 3.0;
const LOOPS_A_WORD: f64 = 1.0;

impl Work {
    fn times(self, factor: f64) -> Self {
        Work {
            sparse_lines: factor * self.sparse_lines,
            table_lines: factor * self.table_lines,
            panel_rows: factor * self.panel_rows,
            words: factor * self.words,
            panels: factor * self.panels,
            loops: factor * self.loops,
        }
    }

    /// The time on some threads.
    fn on(self, cpu: CpuProfile) -> Duration {
        let parts = [
            (self.sparse_lines, &SPARSE_LINE),
            (self.table_lines, &TABLE_LINE),
            (self.panel_rows, &PANEL_ROW),
            (self.words, &WORD),
        ];
        // A rate that is not needed is not measured.
        let needed = parts.into_iter().filter(|(count, _)| *count > 0.0);
        let alone: f64 = needed.map(|(count, rate)| count * cpu.record.seconds(rate)).sum();
        let mut in_turn = 0.0;
        if self.panels > 0.0 {
            in_turn += ROWS_A_PANEL * self.panels * cpu.record.seconds(&PANEL_ROW);
        }
        if cpu.threads > 1 && self.loops > 0.0 {
            in_turn += self.loops * cpu.record.seconds(&SHARED);
        }
        Duration::from_secs_f64(alone / cpu.parallel() + in_turn)
    }
}

/// A blocked elimination: every row takes part in all panels, and in half of the updates, since a block updates only the tiles
/// after it.
fn blocked(rows: usize, columns: usize) -> Work {
    let rows_of_words = rows as f64 * columns.div_ceil(64) as f64;
    let tiles = columns.div_ceil(LINE_BITS) as f64;
    let panels = columns.div_ceil(64) as f64;
    let loops = LOOPS_A_PANEL * panels;
    let table_lines = rows_of_words * tiles / 2.0;
    Work { panel_rows: rows_of_words, table_lines, panels, loops, ..Work::default() }
}

/// The time of an echelon form.
pub fn echelon(reduction: &RowReduction, cpu: CpuProfile) -> Duration {
    let (rows, columns) = reduction.shape();
    let share = rows.min(columns) as f64 / columns.max(1) as f64;
    let reduced = if reduction.is_reduced() { REDUCED } else { 1.0 };
    blocked(rows, columns).times(share * reduced).on(cpu)
}

/// The time of the blocked elimination of an F4 matrix's rows, every column with a pivot.
#[cfg(not(target_arch = "wasm32"))]
pub fn f4_on_files(rows: usize, columns: usize, cpu: CpuProfile) -> Duration {
    blocked(rows, columns).on(cpu)
}

/// The time of a product.
pub fn product(rows: usize, inner: usize, columns: usize, cpu: CpuProfile) -> Duration {
    let table_lines = rows as f64 * inner.div_ceil(64) as f64 * columns.div_ceil(LINE_BITS) as f64;
    let loops = LOOPS_A_WORD * inner.div_ceil(64) as f64;
    Work { table_lines, loops, ..Work::default() }.on(cpu)
}

/// The time of a method for an F4 matrix.
pub fn f4(shape: &F4Shape, method: F4Method, cpu: CpuProfile) -> Duration {
    let &F4Shape { columns, rows, .. } = shape;
    // On average half of a row's words are added for each column that has or gets a pivot.
    let words = rows as f64 * columns as f64 / 2.0 * columns.div_ceil(64) as f64 / 2.0;
    let additions = Work { words, ..Work::default() };
    match method {
        F4Method::TwoStage => {
            // A sweep, or a table, is the work of one thread.
            let (swept, gathered) = (swept_lines(shape), gathered_lines(shape));
            let narrow = if swept < gathered { rows } else { shape.missing() };
            let sparse = |lines: usize, across: usize| {
                let threads = cpu.threads.min(across.div_ceil(LINE_BITS)).max(1);
                Work { sparse_lines: lines as f64, ..Work::default() }.on(CpuProfile { threads, ..cpu })
            };
            sparse(swept.min(gathered), narrow)
                + sparse(widened_lines(shape), shape.most_new_pivots())
                + blocked(rows, shape.missing()).on(cpu)
        }
        F4Method::Blocked | F4Method::Auto => blocked(rows, columns).on(cpu),
        F4Method::Bands | F4Method::XorThreads => additions.on(cpu.one_thread()),
        F4Method::Rounds => additions.on(cpu),
    }
}

/// The times of the stages of the two-stage method, up to a factor: narrow, choose and widen.
pub fn stages(shape: &F4Shape) -> [u64; 3] {
    let of_lines = |sparse_lines: usize| Work { sparse_lines: sparse_lines as f64, ..Work::default() };
    let narrowing = of_lines(swept_lines(shape).min(gathered_lines(shape)));
    let choosing = blocked(shape.rows, shape.missing());
    let one = CpuProfile::of_threads(1);
    [narrowing, choosing, of_lines(widened_lines(shape))].map(|work| work.on(one).as_nanos() as u64)
}

/// Rows and columns of the matrices that are measured: so many rows that tables, which are made once for all of them, count little;
/// and inner columns of the product, so many that its memory, which is fresh, counts little.
const ROWS: usize = 8192;
const COLUMNS: usize = LINE_BITS;
const INNER: usize = 4 * COLUMNS;

/// The time of `work` on one thread.
fn alone(work: impl Fn(RunContext<'_>) -> crate::Result<()> + Sync) -> f64 {
    let cpu = Cpu { threads: 1, ..Cpu::default() };
    match Threads::new(1) {
        Ok(thread) => typical(1.0, || drop(thread.run(|| work(RunContext::on(&cpu))))),
        Err(_) => f64::NAN,
    }
}

fn random(rows: usize, columns: usize) -> crate::Result<BitMatrix> {
    generate::matrix(rows, columns, 0.5, 1)
}

fn table_line() -> f64 {
    let (Ok(a), Ok(b)) = (random(ROWS, INNER), random(INNER, COLUMNS)) else { return f64::NAN };
    alone(|context| dense::multiply(&a, &b, context).map(drop)) / (ROWS * INNER / 64) as f64
}

fn panel_row() -> f64 {
    let reduction = RowReduction::new(ROWS, COLUMNS, Wanted::Pivots);
    let (Ok(matrix), Ok(reduction)) = (random(ROWS, COLUMNS), reduction) else { return f64::NAN };
    let seconds = alone(|context| dense::echelon(&matrix, &reduction, context).map(drop));
    let Work { panel_rows, table_lines, panels, .. } = blocked(ROWS, COLUMNS);
    let of_panels = panel_rows + ROWS_A_PANEL * panels;
    (seconds - table_lines * CpuRecord::Measured.seconds(&TABLE_LINE)) / of_panels
}

fn sparse_line() -> f64 {
    /// Lines of a table of columns, 2 MiB as in large matrices, and those that are added.
    const TABLE: usize = 1 << 15;
    const ADDED: usize = 1 << 15;
    let mut table = vec![Line::ZERO; TABLE];
    // An odd factor visits the lines in an order that no cache foresees.
    let indices: Vec<u32> = (0..ADDED).map(|i| (i * 40_503 % TABLE) as u32).collect();
    let line = Line([u64::MAX; LINE_BITS / 64]);
    typical(ADDED as f64, || scatter(Simd::best(), &mut table, &indices, &line))
}

fn word() -> f64 {
    /// 2 MiB of words each.
    const WORDS: usize = 1 << 18;
    let (mut to, from) = (vec![0u64; WORDS], vec![u64::MAX; WORDS]);
    typical(WORDS as f64, || {
        to.iter_mut().zip(&from).for_each(|(to, from)| *to ^= from);
        std::hint::black_box(&to);
    })
}
