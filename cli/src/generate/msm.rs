//! `wgalois gen msm`: points with known discrete logarithms, scalars, and their sum.

use crate::msm::hexadecimal;
use crate::prelude::*;
use ark_ff::Field;
use wgalois::msm::Known;
use wgalois_benches::msm::Distribution;
use wgalois_io::{points, scalars};

/// Generate points, scalars, and the sum of their products
///
/// Writes points.bin and scalars.bin to the folder of -o, and sum.txt, which is the expected output
/// of `wgalois msm` for them. The points are multiples of the generator by known logarithms, so the
/// sum is computed from the logarithms, without multiplying the points.
#[derive(clap::Args)]
pub struct Msm {
    /// The curve
    #[arg(long, value_parser = crate::names::curves(), default_value_t = CurveName::Bls12_381)]
    curve: CurveName,
    /// Number of points, and of scalars
    #[arg(long, value_name = "N", value_parser = count::<u64>(0..1 << 31))]
    count: u64,
    /// Distribution of the scalars
    #[arg(long, value_parser = named(DISTRIBUTIONS), default_value = "uniform")]
    distribution: Distribution,
    /// Seed of the random generator
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Write compressed points
    #[arg(long)]
    compressed: bool,
    /// Write arkworks' Vec of points and scalars, with the ending .ark instead of .bin
    #[arg(long)]
    ark: bool,
    /// Also write the points' logarithms, to logarithms.bin
    #[arg(long)]
    logarithms: bool,
}

pub const DISTRIBUTIONS: &[Named<Distribution>] = &[
    ("uniform", "Uniform below the order of the subgroup", Distribution::Uniform),
    ("equal", "The same scalar for all points", Distribution::Equal),
    ("skewed", "One in sixteen uniform, the others below 16", Distribution::Skewed),
    ("bits", "0 or 1", Distribution::Bits),
];

impl Run for Msm {
    fn run(&self, context: &Context) -> Result<()> {
        let Some(folder) = context.output_path() else {
            return Err(Error::needs("gen msm, which writes several files,", "-o FOLDER"));
        };
        with_curve!(self.curve, C => self.generate::<C>(context, folder))
    }

    fn is_brief(&self) -> bool {
        true
    }

    fn outputs(&self) -> Outputs {
        let mut names = vec!["sum.txt".to_owned()];
        names.extend(["points", "scalars"].map(|name| self.file_name(name)));
        names.extend(self.logarithms.then(|| self.file_name("logarithms")));
        Outputs { data: Data::Folder(names), ..Outputs::default() }
    }
}

impl Msm {
    /// Returns the file name of the points, scalars or logarithms.
    fn file_name(&self, what: &str) -> String {
        format!("{what}.{}", if self.ark { "ark" } else { "bin" })
    }

    fn generate<C: Curve>(&self, context: &Context, folder: &Path) -> Result<()> {
        // Points, the parts while they are generated, logarithms, scalars, and the bytes to write.
        let of_point = 1024 * C::BaseField::extension_degree();
        context.need(self.count.saturating_mul(of_point), "so many points")?;
        let count = self.count as usize;
        let (known, factors, sum) = context.step(Phase::Host, "generate", || {
            let known = Known::<C>::random(count, self.seed);
            let factors = self.distribution.draw::<C>(count, self.seed.wrapping_add(1));
            let sum = known.sum(&factors);
            (known, factors, sum)
        });
        std::fs::create_dir_all(folder).map_err(|e| Error::file(folder, e))?;
        let (points_format, scalars_format) = match self.ark {
            false => (points::Format::Encoded, scalars::Format::Bytes),
            true => (points::Format::Ark, scalars::Format::Ark),
        };
        context.step(Phase::Writing, "write", || {
            let path = |name: &str| folder.join(self.file_name(name));
            write_whole(&path("points"), |out| {
                points::write(out, points_format, self.compressed, &known.points)
            })?;
            write_whole(&path("scalars"), |out| scalars::write(out, scalars_format, &factors))?;
            if self.logarithms {
                let logarithms = &known.logarithms;
                write_whole(&path("logarithms"), |out| scalars::write(out, scalars_format, logarithms))?;
            }
            let line = hexadecimal(&points::encode(&sum, false));
            write_whole(&folder.join("sum.txt"), |out| writeln!(out, "{line}"))
        })
    }
}
