//! Which kernels do the arithmetic.

use super::Context;
use super::engine::Task;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use wgalois::ntt::Reduction;
use wgalois::{Device, Error, Result};

/// Options of verbs that transform.
#[derive(clap::Args)]
pub struct Kernels {
    /// How products are reduced modulo the prime
    #[arg(long, value_enum, requires = "prime", default_value_t = ReductionName::Auto)]
    reduction: ReductionName,
    /// One radix-2 stage a dispatch, as textbooks do it; GPU only
    #[arg(long, requires = "prime")]
    textbook: bool,
    /// Threads a workgroup of the textbook kernels [default: 256]
    #[arg(long, value_name = "N", requires = "textbook", value_parser = workgroups())]
    workgroup: Option<u32>,
    /// Twiddles of the textbook kernels: computed on the fly, or from a table [default: table]
    #[arg(long, value_enum, requires = "textbook")]
    twiddles: Option<Twiddles>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReductionName {
    Auto,
    Montgomery,
    Barrett,
    Shoup,
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Twiddles {
    Fly,
    Table,
}

/// The textbook kernels in one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Textbook {
    workgroup: u32,
    twiddles: Twiddles,
}

impl Kernels {
    pub fn reduction(&self) -> Reduction {
        match self.reduction {
            ReductionName::Auto => Reduction::Auto,
            ReductionName::Montgomery => Reduction::Montgomery,
            ReductionName::Barrett => Reduction::Barrett,
            ReductionName::Shoup => Reduction::Shoup,
            ReductionName::Plain => Reduction::Plain,
        }
    }

    /// The device for `task`, with a word on choices that it does not have.
    ///
    /// # Errors
    /// Those of [`Context::device`], and [`Error::Usage`] for textbook kernels.
    pub fn device(&self, context: &Context, task: Task) -> Result<Device> {
        if let Some(Textbook { workgroup, twiddles }) = self.textbook() {
            let form = format!("{workgroup} threads a workgroup, twiddles from {twiddles:?}");
            return Err(Error::Usage(format!("--textbook ({form}): this version has no such kernels")));
        }
        let device = context.device(task)?;
        if matches!(device, Device::Cpu(_)) && self.reduction != ReductionName::Auto {
            context.note("--reduction chooses among kernels of a GPU; the CPU engine has its own way");
        }
        Ok(device)
    }

    /// The textbook kernels, where they were asked for.
    fn textbook(&self) -> Option<Textbook> {
        self.textbook.then(|| Textbook {
            workgroup: self.workgroup.unwrap_or(256),
            twiddles: self.twiddles.unwrap_or(Twiddles::Table),
        })
    }
}

fn workgroups() -> impl TypedValueParser<Value = u32> {
    PossibleValuesParser::new(["64", "128", "256", "512", "1024"]).map(|text| text.parse().unwrap_or(256))
}
