//! The options that the verbs of GF(2) share: formats, threads, vector instructions.

use super::Context;
use std::path::Path;
use std::time::{Duration, Instant};
use wgalois::gf2::{BitMatrix, MAX_COLUMNS};
use wgalois::io::Source;
use wgalois::io::bits::{self, Format, Limits};
use wgalois::task::Problem;
use wgalois::timeline::Phase;
use wgalois::{Device, Error, Result, Simd};

#[derive(Clone, Copy, clap::ValueEnum)]
enum FormatName {
    /// A line a row: the columns of its ones, descending
    Lists,
    /// Matrix Market, coordinate pattern
    Mtx,
    /// A line a row of 0 and 1
    Text,
    /// NumPy's array file
    Npy,
    /// The packed binary format
    Packed,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Format {
        match name {
            FormatName::Lists => Format::Lists,
            FormatName::Mtx => Format::Market,
            FormatName::Text => Format::Text,
            FormatName::Npy => Format::Npy,
            FormatName::Packed => Format::Packed,
        }
    }
}

/// Formats of inputs.
#[derive(clap::Args)]
pub struct InputFormat {
    /// Format of every input; otherwise its ending (.mtx, .npy, .gf2) or its first bytes tell
    #[arg(long, value_name = "FORMAT")]
    format: Option<FormatName>,
    /// Columns that index lists may name [default: as many as occur]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MAX_COLUMNS))]
    columns: Option<u64>,
    /// Put the indices of a row in order instead of refusing them
    #[arg(long)]
    sort: bool,
}

impl InputFormat {
    /// The format of `source`, `other` where nothing tells.
    pub fn of(&self, source: &Source, other: Format) -> Format {
        self.format.map_or_else(|| Format::of_source(source, other), Format::from)
    }

    pub fn columns(&self) -> Option<usize> {
        // A machine that cannot count to 2^32 cannot hold more indices than it can count.
        self.columns.map(|columns| usize::try_from(columns).unwrap_or(usize::MAX))
    }

    pub fn limits(&self, context: &Context) -> Limits {
        Limits { columns: self.columns(), sort: self.sort, memory: context.memory() }
    }

    /// Reads a matrix; 0/1 text where nothing tells the format.
    pub fn read_matrix(&self, context: &Context, path: &Path) -> Result<BitMatrix> {
        let limits = self.limits(context);
        context.read(path, |source| bits::read_matrix(source, self.of(source, Format::Text), &limits))
    }

    /// Reads a result that should have so many rows and columns. Index lists tell only the columns
    /// that occur, and an empty text no shape: these get the missing columns or rows of zeros.
    pub fn read_result(
        &self,
        context: &Context,
        source: &Source,
        (rows, columns): (usize, usize),
    ) -> Result<BitMatrix> {
        let format = self.of(source, Format::Text);
        let limits = Limits { columns: None, ..self.limits(context) };
        let name = format!("read {}", source.path().display());
        let matrix = context.step(Phase::Reading, &name, || bits::read_matrix(source, format, &limits))?;
        let empty = (matrix.rows(), matrix.columns()) == (0, 0) && (rows == 0 || columns == 0);
        match format {
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

/// The format of the output.
#[derive(clap::Args)]
pub struct OutputFormat {
    /// Format of the output; otherwise its ending tells (.mtx, .npy, .gf2)
    #[arg(long, value_name = "FORMAT")]
    output_format: Option<FormatName>,
}

impl OutputFormat {
    /// The format to write, `other` where nothing tells.
    pub fn of(&self, context: &Context, other: Format) -> Format {
        let by_name = || context.output_path().and_then(Format::of);
        self.output_format.map(Format::from).or_else(by_name).unwrap_or(other)
    }
}

/// How the CPU engine is to work.
#[derive(clap::Args)]
pub struct Workers {
    /// Threads of the CPU engine [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Vector instructions of the CPU engine: auto, scalar, sse2, avx2, avx512 or neon
    #[arg(long, value_name = "SET", default_value = "auto")]
    simd: String,
}

impl Workers {
    /// The plan of a problem on the device that the user selected, as [`Context::plan`] makes it.
    ///
    /// # Errors
    /// Those of [`Context::plan`]; [`Error::NoDevice`] for instructions that the processor lacks.
    pub fn plan<P: Problem>(&self, context: &Context, problem: &P) -> Result<Option<(Device, P::Plan)>> {
        let simd: Simd = self.simd.parse()?;
        simd.checked()?;
        let threads = self.threads.map_or(0, usize::from);
        let Some((mut device, plan)) = context.plan_with_threads(problem, threads)? else { return Ok(None) };
        if let Device::Cpu(cpu) = &mut device {
            cpu.simd = simd;
            context.report("simd", simd.to_string());
            context.report("threads", cpu.thread_count());
        }
        Ok(Some((device, plan)))
    }

    /// The device of [`plan`](Self::plan) alone.
    ///
    /// # Errors
    /// The same.
    pub fn device<P: Problem>(&self, context: &Context, problem: &P) -> Result<Option<Device>> {
        Ok(self.plan(context, problem)?.map(|(device, _)| device))
    }
}

/// Opens a file and brings its bytes into memory; with the time that took.
pub fn load(context: &Context, path: &Path) -> Result<(Source, Duration)> {
    let begin = Instant::now();
    let source = context.step(Phase::Reading, &format!("read {}", path.display()), || {
        let source = context.source(path)?;
        source.load();
        Ok::<_, Error>(source)
    })?;
    Ok((source, begin.elapsed()))
}
