//! `wgalois-vendors`: the kernels of default plans before the vendors' own compilers, without their cards. CONTRIBUTING.md says how
//! to use it.

mod clock;
mod driver;
mod folder;
mod measure;
mod reference;
mod spirv;
mod statistics;
mod table;
mod texts;
mod verbs;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

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
    },
    /// Compile kernels and print the table
    Compile {
        /// Folders that `kernels` wrote, or files: .wgsl, .spv
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Only kernels whose names contain this
        #[arg(long, default_value = "")]
        kernel: String,
        /// Compile each in a process of its own, for at most so many seconds
        #[arg(long)]
        limit: Option<u64>,
    },
    /// Print all that the driver says of one kernel
    Raw {
        /// The file: .wgsl, .spv
        path: PathBuf,
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
    /// Compile one kernel for `compile --limit`
    #[command(hide = true)]
    One {
        /// The file
        path: PathBuf,
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
        Command::Kernels { folder, verb } => {
            let (texts, errors) = texts::of_default_plans(&verb)?;
            folder::write(&folder, &texts)?;
            println!("{} texts in {}", texts.len(), folder.display());
            if !errors.is_empty() {
                let lines: Vec<String> = errors.iter().map(Error::to_string).collect();
                return Err(Error::Check(format!("verbs did not run:\n{}", lines.join("\n")).into()));
            }
        }
        Command::Compile { paths, kernel, limit } => {
            let mut jobs = folder::jobs(&paths)?;
            jobs.retain(|job| job.name.kernel.contains(&kernel));
            let table = match limit {
                Some(seconds) => measure::each_alone(&jobs, Duration::from_secs(seconds))?,
                None => measure::together(&jobs)?,
            };
            print!("{table}");
        }
        Command::Raw { path } => {
            for job in folder::jobs(&[path])? {
                print!("{}", measure::raw(&job.spirv)?);
            }
        }
        Command::One { path } => println!("{}", measure::one(&path)?),
        Command::Compare { tables, family, new, update } => {
            let new = Table::read(&new)?;
            let path = tables.join(format!("{family}.mesa-{}.tsv", new.version()));
            if update {
                std::fs::write(&path, new.to_string()).map_err(|error| Error::file(&path, error))?;
                println!("{} rows in {}", new.rows.len(), path.display());
                return Ok(());
            }
            if !path.exists() {
                let lacking = format!(
                    "there is no table of {family} by Mesa {}: nothing is compared; --update writes one",
                    new.version()
                );
                return Err(Error::Check(lacking.into()));
            }
            let faults = table::faults(&Table::read(&path)?, &new);
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
