//! Options that select kernels.

use crate::prelude::*;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use wgalois::ntt::Reduction;
use wgalois_benches::compared::textbook::{Options, Twiddles};

/// The kernel options of verbs that transform.
#[derive(clap::Args)]
pub struct Kernels {
    /// Method of reducing products modulo the prime
    #[arg(long, value_parser = named(REDUCTIONS), requires = "prime", default_value = "auto")]
    pub reduction: Reduction,
    /// Use textbook kernels, one radix-2 stage per dispatch; GPU only
    #[arg(long, requires = "prime", conflicts_with = "plan")]
    textbook: bool,
    /// Threads per workgroup of the textbook kernels [default: 256]
    #[arg(long, value_name = "N", requires = "textbook", value_parser = workgroups())]
    workgroup: Option<u32>,
    /// Twiddle factors of the textbook kernels: computed on the fly, or read from a table [default:
    /// table]
    #[arg(long, value_parser = named(TWIDDLES), requires = "textbook")]
    twiddles: Option<Twiddles>,
}

const REDUCTIONS: &[Named<Reduction>] = &[
    ("auto", "", Reduction::Auto),
    ("montgomery", "", Reduction::Montgomery),
    ("barrett", "", Reduction::Barrett),
    ("shoup", "", Reduction::Shoup),
    ("plain", "", Reduction::Plain),
];

const TWIDDLES: &[Named<Twiddles>] = &[("fly", "", Twiddles::Fly), ("table", "", Twiddles::Table)];

impl Kernels {
    /// Refuses the options for transforms over scalar fields, which have kernels of their own.
    pub fn refuse_for_fields(&self) -> Result<()> {
        match self.textbook || self.reduction != Reduction::Auto {
            true => Err(Error::only_for("--reduction and --textbook", "the kernels of --prime")),
            false => Ok(()),
        }
    }

    /// Prints a note that the CPU engine does not have the requested reduction.
    pub fn note_reduction(&self, context: &Context, device: &Device) {
        context.note_of_gpus(device, "--reduction", self.reduction != Reduction::Auto);
    }

    /// Opens a GPU for the textbook kernels. Refuses the CPU engine.
    pub fn textbook_gpu(&self, context: &Context) -> Result<Gpu> {
        context.profiled_gpu().map_err(|error| match error {
            Error::Needs { .. } => {
                Error::needs("--textbook", "a GPU: the CPU engine has no textbook kernels")
            }
            other => other,
        })
    }

    /// Returns the options of the textbook kernels if they were asked for.
    pub fn textbook(&self) -> Option<Options> {
        self.textbook.then(|| Options {
            reduction: self.reduction,
            workgroup: self.workgroup.unwrap_or(256),
            twiddles: self.twiddles.unwrap_or_default(),
        })
    }
}

fn workgroups() -> impl TypedValueParser<Value = u32> {
    PossibleValuesParser::new(["64", "128", "256", "512", "1024"]).map(|text| text.parse().unwrap_or(256))
}
