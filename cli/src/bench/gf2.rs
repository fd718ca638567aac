//! `wgalois bench gf2`.

use crate::bench::prelude::*;
use crate::bits::InputFormat;
use wgalois::gf2::generate::Groebner;
use wgalois::gf2::{F4Matrix, F4Method, IndexLists};
use wgalois_benches::gf2::{Kind, dense, dense_on_host, product, special, special_on_host};
use wgalois_benches::published::gf2::{Problem, TABLE, measure, programs};
use wgalois_benches::time_copy;
use wgalois_io::bits::{self, Format};

/// Time eliminations over GF(2) on the GPU, by the GPU's own clock
///
/// With `--device cpu` whole calls of the CPU engine on all cores are timed instead, up to three for each case.
/// Times square dense matrices of --sizes, with --product products of two such, or the systems of --case folders (eliminators.txt and
/// rows.txt; the result is compared with expected.txt if it exists). With --table, one system is
/// eliminated by every method of either engine; without --case that system is generated. Fails if a
/// result is wrong.
#[derive(clap::Args)]
pub struct Gf2 {
    /// Numbers of rows and columns, as 2^10..2^14 or 2^12,2^16
    #[arg(long, default_value = "2^10..2^13", conflicts_with_all = ["table", "case"])]
    sizes: Sizes,
    /// Kind of the dense matrices
    #[arg(long, value_parser = named(KINDS), value_delimiter = ',', default_value = "random", conflicts_with_all = ["table", "case"])]
    kind: Vec<Kind>,
    /// Folders of systems to eliminate instead
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    case: Vec<PathBuf>,
    /// Methods of eliminating systems: auto, rounds, blocked, two-stage
    #[arg(long, value_name = "METHOD", value_delimiter = ',', default_value = "blocked,two-stage", conflicts_with_all = ["table", "product"])]
    method: Vec<String>,
    /// Time every method of either engine, with speed-ups over serial algorithm 1
    #[arg(long)]
    table: bool,
    /// Number of threads of the programs with several in --table [default: one per core]
    #[arg(long, value_name = "N", requires = "table", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Time products of random dense matrices on the GPU instead
    #[arg(long, conflicts_with_all = ["table", "case", "kind", "plot"])]
    product: bool,
    /// Levels of Strassen's recursion in products [default: as many as plans choose]
    #[arg(long, value_name = "LEVELS", requires = "product", value_parser = clap::value_parser!(u32).range(0..=3))]
    strassen: Option<u32>,
    /// Number of samples of each time
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = count::<u32>(1..=10_000))]
    samples: u32,
    /// Draw the times of dense matrices on the GPU and the CPU engine, and of a copy, into an SVG or PNG file, by its ending
    #[arg(long, value_name = "FILE", conflicts_with_all = ["table", "case"])]
    plot: Option<PathBuf>,
    #[command(flatten)]
    csv: Csv,
    #[command(flatten)]
    input: InputFormat,
}

const KINDS: &[Named<Kind>] = &[
    ("random", "Ones with probability 1/2", Kind::Random),
    ("deficient", "A product of random factors of rank n / 2", Kind::Deficient),
    ("doubled", "Every column of a random matrix twice", Kind::Doubled),
    ("permutation", "A permutation", Kind::Permutation),
];

impl Run for Gf2 {
    fn inputs(&self) -> Vec<PathBuf> {
        self.case.iter().flat_map(|folder| CASE.map(|name| folder.join(name))).collect()
    }

    fn outputs(&self) -> Outputs {
        Outputs { files: self.csv.outputs_with(&self.plot), ..Outputs::default() }
    }

    fn run(&self, context: &Context) -> Result<()> {
        if self.case.is_empty() && (self.input.is_given() || !self.has_default_methods()) {
            let what = "--method, --format, --columns, --sort and --wrap";
            return Err(Error::only_for(what, "the systems of --case"));
        }
        if self.table {
            return self.print_tables(context, &context.profiled_gpu()?);
        }
        let gpu = context.profiled_gpu_if_any()?;
        let gpu = gpu.as_ref();
        let rows = match gpu {
            Some(gpu) if self.product => self.products(context, gpu),
            None if self.product => Err(Error::needs("--product", "a GPU")),
            gpu if self.case.is_empty() => self.dense(context, gpu),
            gpu => self.cases(context, gpu),
        }?;
        self.csv.report(context, &rows)?;
        print_rows(context, &rows)
    }
}

/// The methods that are timed if none is named.
const METHODS: [&str; 2] = ["blocked", "two-stage"];

impl Gf2 {
    fn has_default_methods(&self) -> bool {
        self.method == METHODS
    }

    /// Times dense matrices on the GPU, or on the CPU engine without one.
    fn dense(&self, context: &Context, gpu: Option<&Gpu>) -> Result<Vec<Row>> {
        let mut clock = gpu.map(Clock::new).transpose()?;
        let cubes = self.sizes.0.iter().map(|&log_n| self.kind.len() as u64 * effort(log_n));
        let progress = context.bar("measure", cubes.sum());
        let mut rows = Vec::new();
        let mut plot = Plot::new(Axis::PowersOfTwo("rows and columns"), "seconds");
        for &log_n in &self.sizes.0 {
            for &kind in &self.kind {
                let (samples, task) = (self.samples as usize, (kind, log_n));
                let row = match (gpu, &mut clock) {
                    (Some(gpu), Some(clock)) => dense(gpu, clock, samples, task)?,
                    _ => dense_on_host(samples, task)?,
                };
                if self.plot.is_some() {
                    let name = |what: &str| match self.kind.len() {
                        1 => what.to_owned(),
                        _ => format!("{what}, {}", format!("{kind:?}").to_lowercase()),
                    };
                    plot.extend(&name(if gpu.is_some() { GPU } else { CPU }), log_n, row.seconds());
                    if gpu.is_some() {
                        let host = context.watch(CPU, || dense_on_host(samples, task))?;
                        plot.extend(&name(CPU), log_n, host.seconds());
                    }
                }
                rows.push(row);
                progress.advance(effort(log_n));
            }
            if let (Some(gpu), Some(clock), true) = (gpu, &mut clock, self.plot.is_some()) {
                // A copy moves words, and a row of bits takes a whole number of them.
                let words = (1usize << log_n) * (1usize << log_n).div_ceil(32);
                let copy = time_copy(gpu, clock, self.samples as usize, words)?;
                plot.add(COPY, log_n, copy.median().as_secs_f64());
            }
        }
        if let Some(path) = &self.plot {
            plot.draw(context, path, &format!("echelon forms over GF(2) on {}", context.device_name()))?;
        }
        Ok(rows)
    }

    /// Times products on the GPU.
    fn products(&self, context: &Context, gpu: &Gpu) -> Result<Vec<Row>> {
        let mut clock = Clock::new(gpu)?;
        let progress = context.bar("measure", self.sizes.0.iter().map(|&log_n| effort(log_n)).sum());
        let mut rows = Vec::new();
        for &log_n in &self.sizes.0 {
            rows.push(product(gpu, &mut clock, self.samples as usize, (log_n, self.strassen))?);
            progress.advance(effort(log_n));
        }
        Ok(rows)
    }

    /// Times systems on the GPU, or on the CPU engine without one.
    fn cases(&self, context: &Context, gpu: Option<&Gpu>) -> Result<Vec<Row>> {
        let methods: Vec<F4Method> = self.method.iter().map(|name| name.parse()).collect::<Result<_>>()?;
        let mut clock = gpu.map(Clock::new).transpose()?;
        let mut rows = Vec::new();
        for folder in &self.case {
            let f4 = self.read(context, folder)?;
            let progress = context.bar(&name(folder), methods.len() as u64);
            for &method in &methods {
                let (samples, task) = (self.samples as usize, (&f4, method));
                let row = match (gpu, &mut clock) {
                    (Some(gpu), Some(clock)) => special(gpu, clock, samples, task)?,
                    _ => special_on_host(samples, task)?,
                };
                rows.push(Row { fields: row.fields.with("case", name(folder)), ..row });
                progress.advance(1);
            }
        }
        Ok(rows)
    }

    fn print_tables(&self, context: &Context, gpu: &Gpu) -> Result<()> {
        let threads = match self.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let mut problems = Vec::new();
        if self.case.is_empty() {
            let (reducers, rows) = EXAMPLE.generate()?;
            let f4 = F4Matrix::new(reducers, rows, None)?;
            problems.push(Problem::new(Fields::default(), f4, None, threads));
        }
        for folder in &self.case {
            let fields = Fields::default().with("case", name(folder));
            let (f4, expected) = (self.read(context, folder)?, self.expected(context, folder)?);
            problems.push(Problem::new(fields, f4, expected, threads));
        }
        let mut lab = Lab::new(gpu.clone(), self.samples as usize, Scale::Whole, &|_| {})?;
        let mut rows = Vec::new();
        let expected = problems.len() * programs().len();
        for problem in problems {
            rows.extend(context.watch("measure", || measure(&mut lab, problem))?);
        }
        self.csv.report(context, &rows)?;
        print(context, &TABLE, &rows)?;
        judge(&rows, expected)
    }

    fn read(&self, context: &Context, folder: &Path) -> Result<F4Matrix> {
        let reducers = self.lists(context, &folder.join("eliminators.txt"))?;
        F4Matrix::new(reducers, self.lists(context, &folder.join("rows.txt"))?, self.input.columns())
    }

    fn expected(&self, context: &Context, folder: &Path) -> Result<Option<IndexLists>> {
        let path = folder.join("expected.txt");
        if path.exists() { self.lists(context, &path).map(Some) } else { Ok(None) }
    }

    fn lists(&self, context: &Context, path: &Path) -> Result<IndexLists> {
        let limits = self.input.limits(context);
        context.read(path, |source| {
            let format = self.input.of(source, Format::Lists);
            bits::read_lists(source, format, &limits).map(|(lists, _)| lists)
        })
    }
}

/// About the time of a matrix of 2^`log_n` rows and columns.
fn effort(log_n: u32) -> u64 {
    1 << (3 * log_n).min(56)
}

/// The F4 matrix of the table if none is given, of the size of the course's case 6.
const EXAMPLE: Groebner = Groebner {
    columns: 3800,
    reducers: 2760,
    rows: 1950,
    new_pivots: 490,
    reducer_ones: 140,
    row_ones: 440,
    seed: 1,
};

/// The files of a folder of `--case`.
pub const CASE: [&str; 3] = ["eliminators.txt", "rows.txt", "expected.txt"];

/// Returns the name of a folder.
fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
