//! `wgalois-vendors`: the kernels of default plans before the vendors' own compilers, without their cards. CONTRIBUTING.md says how
//! to use it.

mod clock;
mod counts;
mod driver;
mod folder;
mod measure;
mod reference;
mod spirv;
mod statistics;
mod summary;
mod table;
mod texts;
mod verbs;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use wgalois::{Error, Result};

use table::Table;

/// What the compilers of GPU vendors make of the kernels of wgalois
///
/// The driver is the one that the environment names: VK_DRIVER_FILES or VK_ICD_FILENAMES.
#[derive(Parser)]
enum Command {
    /// Write the kernels of default plans: WGSL, SPIR-V, and a list
    Kernels {
        /// The folder to write to
        folder: PathBuf,
        /// Only those of verbs whose names contain this, such as msm:bn254
        #[arg(long, default_value = "")]
        verb: String,
        /// The texts for compilers with few registers a thread, which Intel's GPUs and NVK take
        #[arg(long)]
        few_registers: bool,
    },
    /// Compile kernels and print the table
    Compile {
        /// Folders that `kernels` wrote, or files: .wgsl, .spv
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Only kernels whose names contain this
        #[arg(long, default_value = "")]
        kernel: String,
        /// Compile each for at most so many seconds of a processor
        #[arg(long, default_value_t = 300)]
        limit: u64,
        /// The known tables: measure kernels again that seem slower than there
        #[arg(long, requires = "family")]
        beside: Option<PathBuf>,
        /// The family in the name of its known table
        #[arg(long, default_value = "")]
        family: String,
    },
    /// Print all that the driver says of one kernel
    Raw {
        /// The file: .wgsl, .spv
        path: PathBuf,
        /// Print its listings too
        #[arg(long)]
        listings: bool,
    },
    /// Compare a table with the known one of its family and version of Mesa, and fail if a kernel is worse
    Compare {
        /// The known tables
        tables: PathBuf,
        /// The family in their names
        family: String,
        /// The new table
        new: PathBuf,
        /// Write the new table instead
        #[arg(long)]
        update: bool,
    },
    /// Print how many instructions one operation runs, as a Markdown table
    Counts {
        /// Only operations whose names contain this
        #[arg(long, default_value = "")]
        operation: String,
    },
    /// Print what a first run of a verb compiles in seconds, from known tables
    FirstRun {
        /// The known tables
        tables: PathBuf,
    },
    /// Print the kernels that spill registers, from known tables
    Spills {
        /// The known tables
        tables: PathBuf,
    },
    /// Compile kernels for `compile`
    #[command(hide = true)]
    Some {
        /// The files
        paths: Vec<PathBuf>,
        /// Seconds of the processor
        #[arg(long)]
        limit: u64,
        /// How often what is short is compiled
        #[arg(long)]
        times: usize,
    },
}

fn main() -> ExitCode {
    match run(Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    match command {
        Command::Kernels { folder, verb, few_registers } => {
            let (texts, errors) = texts::of_default_plans(&verb, few_registers)?;
            folder::write(&folder, &texts)?;
            println!("{} texts in {}", texts.len(), folder.display());
            if !errors.is_empty() {
                let lines: Vec<String> = errors.iter().map(Error::to_string).collect();
                return Err(Error::Check(format!("verbs did not run:\n{}", lines.join("\n")).into()));
            }
        }
        Command::Compile { paths, kernel, limit, beside, family } => {
            let mut jobs = folder::jobs(&paths)?;
            jobs.retain(|job| job.name.kernel.contains(&kernel));
            let known = match beside {
                Some(tables) => known(&tables, &family, &measure::version()?)?,
                None => None,
            };
            print!("{}", measure::all(&jobs, limit, &known.unwrap_or_default())?);
        }
        Command::Raw { path, listings } => {
            for job in folder::jobs(&[path])? {
                print!("{}", measure::raw(&job.spirv, listings)?);
            }
        }
        Command::Counts { operation } => print!("{}", counts::table(&operation)?),
        Command::FirstRun { tables } => print!("{}", summary::first_run(&tables)?),
        Command::Spills { tables } => print!("{}", summary::spills(&tables)?),
        Command::Some { paths, limit, times } => measure::some(&paths, limit, times)?,
        Command::Compare { tables, family, new, update } => {
            let new = Table::read(&new)?;
            let path = path(&tables, &family, new.version());
            let known = known(&tables, &family, new.version())?;
            if update {
                let kept = new.kept_beside(known.as_ref());
                std::fs::write(&path, kept.to_string()).map_err(|error| Error::file(&path, error))?;
                println!("{} rows in {}", kept.rows.len(), path.display());
                return Ok(());
            }
            let Some(known) = known else {
                let lacking = format!(
                    "there is no table of {family} by Mesa {}: nothing is compared; --update writes one",
                    new.version()
                );
                return Err(Error::Check(lacking.into()));
            };
            let faults = table::faults(&known, &new);
            if !faults.is_empty() {
                let count = faults.len();
                return Err(Error::Check(
                    format!(
                        "{}\n{count} faults beside {}, columns {}",
                        faults.join("\n"),
                        path.display(),
                        table::heading().replace('\t', " ")
                    )
                    .into(),
                ));
            }
            println!("{family}: {} rows, none worse than in {}", new.rows.len(), path.display());
        }
    }
    Ok(())
}

/// The known table of a family by a version of Mesa.
fn path(tables: &Path, family: &str, version: &str) -> PathBuf {
    tables.join(format!("{family}.mesa-{version}.tsv"))
}

fn known(tables: &Path, family: &str, version: &str) -> Result<Option<Table>> {
    let path = path(tables, family, version);
    if path.exists() { Table::read(&path).map(Some) } else { Ok(None) }
}
