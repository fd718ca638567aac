//! `wgalois gen msm`: points with known discrete logarithms, scalars, and their sum.

use crate::cli::msm::hexadecimal;
use crate::cli::{Context, Run};
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use wgalois::bench::msm::Distribution;
use wgalois::curve::{Curve, CurveName};
use wgalois::io::{points, scalars, write_whole};
use wgalois::msm::Known;
use wgalois::timeline::Phase;
use wgalois::{Error, Result, with_curve};

/// Generate points, scalars, and the sum of their products
///
/// Writes NAME.points, NAME.scalars and NAME.sum for `-o NAME`: what `wgalois msm` reads, and
/// what it must write. The points are multiples of the generator by known logarithms, so that
/// the sum is right without having been multiplied out.
#[derive(clap::Args)]
pub struct Msm {
    /// The curve
    #[arg(long, value_enum, default_value_t = CurveName::Bls12_381)]
    curve: CurveName,
    /// Points, and as many scalars
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..1 << 31))]
    count: u64,
    /// The scalars
    #[arg(long, value_enum, default_value_t = DistributionName::Uniform)]
    distribution: DistributionName,
    /// The seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Write compressed points
    #[arg(long)]
    compressed: bool,
    /// Format of points and scalars: as `wgalois msm` reads them, or arkworks' Vec (NAME.points.ark, NAME.scalars.ark)
    #[arg(long, value_enum, default_value_t = Container::Plain)]
    format: Container,
    /// Write the points' logarithms too, to NAME.logarithms
    #[arg(long)]
    logarithms: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Container {
    Plain,
    Ark,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DistributionName {
    /// Uniform below the order of the subgroup
    Uniform,
    /// One scalar for all points
    Equal,
    /// One in sixteen uniform, the others below 16
    Skewed,
}

impl From<DistributionName> for Distribution {
    fn from(name: DistributionName) -> Distribution {
        match name {
            DistributionName::Uniform => Distribution::Uniform,
            DistributionName::Equal => Distribution::Equal,
            DistributionName::Skewed => Distribution::Skewed,
        }
    }
}

impl Run for Msm {
    fn run(&self, context: &Context) -> Result<()> {
        let Some(name) = context.output_path() else {
            return Err(Error::Usage("several files are written: -o NAME says where".to_owned()));
        };
        // Points, their parts while they are made, logarithms, scalars, and what is written.
        context.need(self.count.saturating_mul(1024), "so many points")?;
        with_curve!(self.curve, C => self.generate::<C>(context, name))
    }
}

impl Msm {
    fn generate<C: Curve>(&self, context: &Context, name: &Path) -> Result<()> {
        let count = self.count as usize;
        let (known, factors, sum) = context.step(Phase::Host, "generate", || {
            let known = Known::<C>::random(count, self.seed);
            let factors = Distribution::from(self.distribution).draw::<C>(count, self.seed.wrapping_add(1));
            let sum = known.sum(&factors);
            (known, factors, sum)
        });
        let (ending, points_format, scalars_format) = match self.format {
            Container::Plain => ("", points::Format::Encoded, scalars::Format::Bytes),
            Container::Ark => (".ark", points::Format::Ark, scalars::Format::Ark),
        };
        context.step(Phase::Writing, "write", || {
            write_whole(&beside(name, &format!(".points{ending}")), |out| {
                points::write(out, points_format, self.compressed, &known.points)
            })?;
            write_whole(&beside(name, &format!(".scalars{ending}")), |out| {
                scalars::write(out, scalars_format, &factors)
            })?;
            if self.logarithms {
                let logarithms = &known.logarithms;
                let path = beside(name, &format!(".logarithms{ending}"));
                write_whole(&path, |out| scalars::write(out, scalars_format, logarithms))?;
            }
            let line = hexadecimal(&points::encode(&sum, false));
            write_whole(&beside(name, ".sum"), |out| writeln!(out, "{line}"))
        })
    }
}

/// `name` with something behind.
fn beside(name: &Path, ending: &str) -> PathBuf {
    let mut path = name.as_os_str().to_owned();
    path.push(ending);
    path.into()
}
