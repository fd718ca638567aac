//! Which kernels do the arithmetic.

use super::Context;
use super::engine::Task;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use wgalois::field::Prime;
use wgalois::ntt::textbook::{self, Twiddles};
use wgalois::ntt::{self, Product, Reduction, Transform};
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
    twiddles: Option<TwiddlesName>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReductionName {
    Auto,
    Montgomery,
    Barrett,
    Shoup,
    Plain,
}

#[derive(Clone, Copy, ValueEnum)]
enum TwiddlesName {
    Fly,
    Table,
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
    /// Those of [`Context::device`], and [`Error::Usage`] for textbook kernels on the CPU.
    pub fn device(&self, context: &Context, task: Task) -> Result<Device> {
        let device = context.device(if self.textbook { Task::Gpu } else { task })?;
        match device {
            Device::Cpu(_) if self.textbook => {
                Err(Error::Usage("--textbook takes kernels of a GPU: the CPU engine has none".to_owned()))
            }
            Device::Cpu(_) if self.reduction != ReductionName::Auto => {
                context.note("--reduction chooses among kernels of a GPU; the CPU engine has its own way");
                Ok(device)
            }
            device => Ok(device),
        }
    }

    /// [`ntt::multiply`] by these kernels.
    pub fn multiply(
        &self,
        device: &Device,
        prime: Prime,
        product: Product,
        a: &[u32],
        b: &[u32],
    ) -> Result<Vec<u32>> {
        match (device, self.textbook()) {
            (Device::Gpu(gpu), Some(options)) => {
                Ok(textbook::multiply(gpu, prime, product, &options, a, b)?.0)
            }
            _ => ntt::multiply_with(device, prime, product, self.reduction(), a, b),
        }
    }

    /// [`ntt::transform`] by these kernels.
    pub fn transform(&self, device: &Device, transform: &Transform, data: &mut [u32]) -> Result<()> {
        match (device, self.textbook()) {
            (Device::Gpu(gpu), Some(options)) => {
                textbook::transform(gpu, transform, &options, data).map(|_| ())
            }
            _ => ntt::transform(device, transform, data),
        }
    }

    /// The textbook kernels, where they were asked for.
    fn textbook(&self) -> Option<textbook::Options> {
        self.textbook.then(|| textbook::Options {
            reduction: self.reduction(),
            workgroup: self.workgroup.unwrap_or(256),
            twiddles: match self.twiddles {
                Some(TwiddlesName::Fly) => Twiddles::Fly,
                Some(TwiddlesName::Table) | None => Twiddles::Table,
            },
        })
    }
}

fn workgroups() -> impl TypedValueParser<Value = u32> {
    PossibleValuesParser::new(["64", "128", "256", "512", "1024"]).map(|text| text.parse().unwrap_or(256))
}
