//! `wgalois bench ntt`.

mod device;
mod tables;

use crate::bench::prelude::*;
use crate::ntt::{ORDERS, field};
use crate::prime::PrimeArgument;
use wgalois::gpu::Options;
use wgalois::ntt::Order;

/// Time transforms and products; every result is checked before it is timed
///
/// By default this times transforms that stay on the GPU, by the GPU's own clock. A sample is
/// discarded if the GPU's clock rate changed. With `--device cpu` it times whole calls of the CPU engine on all
/// cores. `copies` is the time as a multiple of the time of one copy of the data.
#[derive(clap::Args)]
pub struct Ntt {
    /// Time whole products of polynomials as publications compare them: a plain program on the CPU,
    /// textbook kernels of the GPU in several forms, the fast plan, the CPU engine
    #[arg(long, conflicts_with_all = ["four_step", "sizes", "batch", "order", "product", "plot"])]
    table: bool,
    /// Time four-step transforms by base, padding and transposition
    #[arg(long, conflicts_with_all = ["batch", "order", "product", "plot"])]
    four_step: bool,
    /// Numbers of terms of the factors of --table [default: 4,131072]
    #[arg(long, value_name = "N", requires = "table", value_delimiter = ',', value_parser = count::<usize>(..))]
    terms: Vec<usize>,
    /// Lengths, as 2^10..2^20 or 2^12,2^16 [default: 2^12..2^20; of --four-step: 2^17,2^24]
    #[arg(long)]
    sizes: Option<Sizes>,
    /// The modulus [default: babybear; of --table: 7340033, 104857601 and 469762049]
    #[arg(long, value_name = "P")]
    prime: Option<PrimeArgument>,
    /// A scalar field instead of a prime: bls12-381-fr, bls12-377-fr, bn254-fr or bls24-315-fr
    #[arg(long, value_name = "FIELD", value_parser = field, conflicts_with_all = ["prime", "table", "four_step"])]
    field: Option<CurveName>,
    /// Number of transforms in a batch
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "product",
          value_parser = count::<u32>(1..))]
    batch: u32,
    /// Order of the values of transforms
    #[arg(long, value_parser = named(ORDERS), default_value = "bitrev", conflicts_with = "product")]
    order: Order,
    /// Time cyclic products instead of transforms
    #[arg(long)]
    product: bool,
    /// Use no 64-bit integers
    #[arg(long)]
    portable: bool,
    /// Restrict the GPU to the limits that every WebGPU device has, whatever it offers
    #[arg(long)]
    default_limits: bool,
    /// Number of samples of each time
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = count::<u32>(1..=1000))]
    samples: u32,
    /// Draw the times, also those of the CPU engine and of a copy, into an SVG or PNG file, by its ending
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    csv: Csv,
}

impl Run for Ntt {
    fn outputs(&self) -> Outputs {
        Outputs { files: self.csv.outputs_with(&self.plot), ..Outputs::default() }
    }

    fn run(&self, context: &Context) -> Result<()> {
        match (self.table, self.four_step) {
            (true, _) => tables::products(self, context),
            (_, true) => tables::four_steps(self, context),
            _ => device::run(self, context),
        }
    }
}

impl Ntt {
    fn options(&self) -> Options {
        let options = Options::default();
        let full_limits = options.full_limits && !self.default_limits;
        Options { int64: options.int64 && !self.portable, full_limits, ..options }
    }

    fn gpu(&self, context: &Context) -> Result<Gpu> {
        context.gpu(self.options())
    }

    /// Opens a GPU that times its own work. Refuses a GPU that cannot.
    fn gpu_with_clock(&self, context: &Context) -> Result<Gpu> {
        Self::with_clock(self.gpu(context)?)
    }

    /// [`gpu_with_clock`](Self::gpu_with_clock) for work that the CPU engine does where the user wants it or there is no
    /// GPU: then `None`. Refuses options of GPUs with the CPU engine.
    fn gpu_if_any(&self, context: &Context) -> Result<Option<Gpu>> {
        let gpu = context.gpu_if_any(self.options())?;
        match gpu {
            None if self.portable || self.default_limits => {
                Err(Error::only_for("--portable and --default-limits", "GPUs: --device gpu"))
            }
            gpu => gpu.map(Self::with_clock).transpose(),
        }
    }

    fn with_clock(gpu: Gpu) -> Result<Gpu> {
        if gpu.has_timestamps() {
            return Ok(gpu);
        }
        let name = &gpu.adapter().name;
        Err(Error::NoDevice(format!("{name} has no timestamps, so its work cannot be timed")))
    }
}
