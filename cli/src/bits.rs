//! Options that the verbs of GF(2) share: formats, threads, vector instructions.

use super::outputs;
use crate::prelude::*;
use std::cell::Cell;
use wgalois::gf2::{BitMatrix, IndexLists, MAX_COLUMNS};
use wgalois::task::Planned;
use wgalois::{Shortage, Simd};
use wgalois_io::bits::{self, Format, Limits, Rows};

const FORMATS: &[Named<Format>] = &[
    ("lists", "One row per line: the columns of its ones, descending", Format::Lists),
    ("mtx", "Matrix Market", Format::Market),
    ("text", "One row per line, of 0 and 1", Format::Text),
    ("npy", "NumPy's array format", Format::Npy),
    ("npz", "SciPy's archive of a sparse matrix", Format::Npz),
    ("packed", "The packed binary format", Format::Packed),
    ("alist", "MacKay's lists of a parity-check matrix", Format::Alist),
];

/// The options for the formats of inputs.
#[derive(clap::Args)]
pub struct InputFormat {
    /// Format of every input [default: by ending, .mtx, .npy, .npz, .gf2, .alist or .lists, or by first bytes]
    #[arg(long, value_name = "FORMAT", value_parser = named(FORMATS))]
    format: Option<Format>,
    /// Number of columns; a file that states or has another number is refused. In `gf2 solve` and `gf2 mul` it is that
    /// of A [default: what the file states, or its rows have; index lists that state none have as many as occur]
    #[arg(long, value_name = "N", value_parser = count::<u64>(..=MAX_COLUMNS))]
    columns: Option<u64>,
    /// Sort the indices of a row instead of refusing unsorted lists
    #[arg(long)]
    sort: bool,
    /// Take any integer modulo 2 in .mtx, .npy and .npz files instead of refusing those other than 0 and 1
    #[arg(long)]
    wrap: bool,
    /// The format of the first input that was read.
    #[arg(skip)]
    first: Cell<Option<Format>>,
}

impl InputFormat {
    /// Returns the format of `source`, or `other` if nothing indicates it.
    pub fn of(&self, source: &Source, other: Format) -> Format {
        let format = self.format.unwrap_or_else(|| Format::of_source(source, other));
        if self.first.get().is_none() {
            self.first.set(Some(format));
        }
        format
    }

    /// Adds to a refusal for want of memory that large files of format `wanted` are read in parts, if one of these files has
    /// another format and that is the reason that it is not. A file has format `other` if nothing indicates its own.
    pub fn explain(
        &self,
        context: &Context,
        paths: &[&Path],
        (wanted, other): (Format, Format),
        error: Error,
    ) -> Error {
        if context.names_gpu() || context.processes().is_some() {
            return error;
        }
        let whole = paths.iter().find_map(|path| {
            // A pipe can be read only once; small files are always read as a whole.
            let is_file = std::fs::metadata(path).is_ok_and(|found| found.is_file());
            // A compressed file that does not fit is none that is read in parts.
            let source = is_file.then(|| Source::open(path, context.free()).ok()).flatten()?;
            let format = self.of(&source, other);
            (source.owned_bytes() == 0 && format != wanted).then(|| (text::name(path), format))
        });
        let Some((name, format)) = whole else { return error };
        let explained = |mut shortage: Shortage| {
            shortage.message +=
                &format!("; the format {format} of {name} is read as a whole, {wanted} in parts");
            shortage
        };
        match error {
            Error::TooLarge(shortage) => Error::TooLarge(explained(shortage)),
            Error::OutOfMemory(shortage) => Error::OutOfMemory(explained(shortage)),
            other => other,
        }
    }

    /// True if one of the options was given.
    pub fn is_given(&self) -> bool {
        self.format.is_some() || self.columns.is_some() || self.sort || self.wrap
    }

    pub fn columns(&self) -> Option<usize> {
        // A machine whose `usize` cannot count to 2^32 cannot hold more indices than it counts.
        self.columns.map(|columns| usize::try_from(columns).unwrap_or(usize::MAX))
    }

    /// True if the indices of a row may be in any order.
    pub fn sorts(&self) -> bool {
        self.sort
    }

    pub fn limits(&self, context: &Context) -> Limits {
        Limits { columns: self.columns(), sort: self.sort, wrap: self.wrap, memory: context.memory() }
    }

    /// Reads a matrix of so many columns, if their number was told; 0/1 text if nothing indicates the format.
    pub fn read_matrix(&self, context: &Context, path: &Path, columns: Option<usize>) -> Result<BitMatrix> {
        let matrix = context.read(path, |source| self.matrix_of(context, path, source, columns))?;
        context.hold(matrix.bytes());
        Ok(matrix)
    }

    /// Reads a matrix, as [`read_matrix`](Self::read_matrix), unless the file holds lists that stay lists by `stays`.
    pub fn read_rows(
        &self,
        context: &Context,
        path: &Path,
        stays: impl Fn(&IndexLists, usize) -> bool,
    ) -> Result<Rows> {
        let columns = self.columns();
        let limits = Limits { columns, ..self.limits(context) };
        let rows = context.read(path, |source| match self.of(source, Format::Text) {
            Format::Text | Format::Packed | Format::Npy => {
                self.matrix_of(context, path, source, columns).map(Rows::Matrix)
            }
            format => match bits::read_rows(source, format, &limits, &stays)? {
                Rows::Matrix(matrix) => {
                    Self::note_empty(context, path, source, (format, columns), &matrix)?;
                    Ok(Rows::Matrix(matrix))
                }
                lists => Ok(lists),
            },
        })?;
        context.hold(match &rows {
            Rows::Lists(lists, _) => lists.bytes(),
            Rows::Matrix(matrix) => matrix.bytes(),
        });
        Ok(rows)
    }

    fn matrix_of(
        &self,
        context: &Context,
        path: &Path,
        source: &Source,
        columns: Option<usize>,
    ) -> Result<BitMatrix> {
        let limits = Limits { columns, ..self.limits(context) };
        let format = self.of(source, Format::Text);
        let matrix = bits::read_matrix(source, format, &limits)?;
        Self::note_empty(context, path, source, (format, columns), &matrix)?;
        Ok(matrix)
    }

    /// Says that a file without rows is taken for a matrix without columns, if nothing states their number.
    fn note_empty(
        context: &Context,
        path: &Path,
        source: &Source,
        (format, columns): (Format, Option<usize>),
        matrix: &BitMatrix,
    ) -> Result<()> {
        let states_none = matches!(format, Format::Text | Format::Lists)
            && columns.is_none()
            && bits::stated_shape(source)?.is_none();
        if states_none && (matrix.rows(), matrix.columns()) == (0, 0) {
            let name = text::name(path);
            context.note(&format!("{name} has no rows and states no columns: 0 x 0 is taken"));
        }
        Ok(())
    }

    /// Reads a result that should have the given numbers of rows and columns. Index lists that state no shape store only
    /// the columns that occur, and an empty text stores no shape: the missing rows or columns are
    /// added as zeros.
    pub fn read_result(
        &self,
        context: &Context,
        source: Source,
        (rows, columns): (usize, usize),
    ) -> Result<BitMatrix> {
        // The inputs were read after this file was opened.
        let source = &source.with_held(context.held());
        let format = self.of(source, Format::Text);
        let limits = Limits { columns: None, ..self.limits(context) };
        let name = format!("read {}", source.path().display());
        let matrix = context.step(Phase::Reading, &name, || bits::read_matrix(source, format, &limits))?;
        context.hold(matrix.bytes());
        let empty = (matrix.rows(), matrix.columns()) == (0, 0) && (rows == 0 || columns == 0);
        match format {
            Format::Text | Format::Lists if bits::stated_shape(source)?.is_some() => Ok(matrix),
            Format::Text if empty => BitMatrix::zeros(rows, columns),
            Format::Lists if matrix.columns() < columns => {
                let bytes = (columns as u64 / 8 + 8).saturating_mul(matrix.rows() as u64);
                context.need(bytes, "this result as a matrix")?;
                let mut wide = BitMatrix::zeros(matrix.rows(), columns)?;
                for row in 0..matrix.rows() {
                    matrix.ones(row).for_each(|column| wide.set(row, column, true));
                }
                Ok(wide)
            }
            _ => Ok(matrix),
        }
    }
}

/// The endings of files of matrices.
const ENDINGS: &[&str] = &["txt", "text", "out", "dat", "lists", "mtx", "npy", "npz", "gf2", "alist"];

/// The option for the format of the output.
#[derive(clap::Args)]
pub struct OutputFormat {
    /// Format of the output [default: by ending, .mtx, .npy, .npz, .gf2, .alist or .lists, otherwise that of the first input;
    /// stdout takes 0/1 text if --format names nothing else]
    #[arg(long, value_name = "FORMAT", value_parser = named(FORMATS))]
    output_format: Option<Format>,
}

impl OutputFormat {
    /// Returns the format to write: that of the option, of the ending, or of the first input; `other` if none
    /// indicates it.
    ///
    /// ```text
    /// -o FILE.txt     the first input's format if that is text, otherwise `other`
    /// -o FILE         the first input's format
    /// stdout          the format that --format names, otherwise `other`
    /// ```
    pub fn of(&self, context: &Context, input: &InputFormat, other: Format) -> Format {
        let Some(path) = context.output_path() else {
            return self.output_format.or(input.format).unwrap_or(other);
        };
        let follows = || match outputs::ending(path) {
            Some(_) => input.first.get().filter(|format| matches!(format, Format::Lists | Format::Text)),
            None => input.first.get(),
        };
        self.named().or_else(|| Format::of(path)).or_else(follows).unwrap_or(other)
    }

    /// Returns the format to write where there is no input.
    pub fn of_generated(&self, context: &Context, other: Format) -> Format {
        self.named().or_else(|| context.output_path().and_then(Format::of)).unwrap_or(other)
    }

    /// Returns the format that the option names.
    pub fn named(&self) -> Option<Format> {
        self.output_format
    }

    /// Returns the endings that `-o` may have if the option names no format.
    pub fn endings(&self) -> Option<&'static [&'static str]> {
        self.output_format.is_none().then_some(ENDINGS)
    }
}

/// The options of the CPU engine.
#[derive(clap::Args)]
pub struct Workers {
    /// Number of threads of the CPU engine [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Vector instructions of the CPU engine: auto, scalar, sse2, avx2, avx512 or neon
    #[arg(long, value_name = "SET", default_value = "auto")]
    simd: String,
}

impl Workers {
    /// Returns how a process computes its share of the work.
    pub fn member(&self) -> Result<Option<Member>> {
        Ok(Some(Member { threads: self.threads.map_or(0, usize::from), simd: self.simd.parse()? }))
    }

    /// Returns the plan of a problem on the device that the user selected, as [`Context::plan`]
    /// makes it. Refuses instructions that the processor lacks.
    pub fn plan<P: Problem>(&self, context: &Context, problem: &P) -> Result<Option<(Device, Planned<P>)>> {
        self.plan_with(context, problem, Demands::default())
    }

    /// [`plan`](Self::plan) with demands that the problem does not state; the threads are those of the option.
    pub fn plan_with<P: Problem>(
        &self,
        context: &Context,
        problem: &P,
        demands: Demands,
    ) -> Result<Option<(Device, Planned<P>)>> {
        let simd: Simd = self.simd.parse()?;
        simd.checked()?;
        let chooses = self.threads.is_some() || self.simd != "auto";
        if chooses && context.names_gpu() {
            let scope = "the CPU engine, and --device names a GPU";
            return Err(Error::only_for("--threads and --simd", scope));
        }
        let demands = Demands { threads: self.threads.map_or(0, usize::from), ..demands };
        let Some((mut device, plan)) = context.plan_with(problem, demands)? else { return Ok(None) };
        if let Some(cpu) = device.cpu_mut() {
            cpu.simd = simd;
            context.report("simd", simd.to_string());
            context.report("threads", cpu.thread_count());
        } else if chooses {
            context.note("--threads and --simd apply only to the CPU engine, and a GPU does the work");
        }
        Ok(Some((device, plan)))
    }

    /// Returns only the device of [`plan`](Self::plan).
    pub fn device<P: Problem>(&self, context: &Context, problem: &P) -> Result<Option<Device>> {
        Ok(self.plan(context, problem)?.map(|(device, _)| device))
    }
}

/// Opens a file and brings its bytes into memory; returns the source and the time taken.
pub fn load(context: &Context, path: &Path) -> Result<(Source, Duration)> {
    let begin = Instant::now();
    let source = context.step(Phase::Reading, &format!("read {}", path.display()), || {
        let source = context.source(path)?;
        source.load();
        Ok::<_, Error>(source)
    })?;
    Ok((source, begin.elapsed()))
}
