//! Multi-scalar multiplication on BLS12-381 G1.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use wgalois::curve::{Affine, Bls12_381, Curve};
use wgalois::msm::{self, Known, Multiplication};
use wgalois::{Cpu, Device, Error, Result};
use wgalois_io::points::{self, Trust};
use wgalois_io::{Source, scalars};

use crate::MEMORY;
use crate::job::Task;

type Point = Affine<Bls12_381>;
type Scalar = <Bls12_381 as ark_ec::CurveConfig>::ScalarField;

/// The largest number of points that the page offers, as a logarithm.
const MAX_LOG: u32 = 20;

pub struct Sum {
    points: Vec<Point>,
    scalars: Vec<Scalar>,
    /// The sum computed from the logarithms of the points, if they are known.
    expected: Option<Point>,
}

pub fn generate(log_points: u32) -> Result<Sum> {
    if log_points > MAX_LOG {
        return Err(Error::Usage(format!("2^{log_points} points: at most 2^{MAX_LOG}")));
    }
    let count = 1 << log_points;
    let known = Known::<Bls12_381>::random(count, 1);
    let scalars = msm::random_scalars::<Bls12_381>(count, &mut ChaCha8Rng::seed_from_u64(2));
    Ok(Sum { expected: Some(known.sum(&scalars)), points: known.points, scalars })
}

pub fn read(points: (String, Vec<u8>), scalars: (String, Vec<u8>)) -> Result<Sum> {
    let source = Source::from_bytes(scalars.0, scalars.1);
    let scalars: Vec<Scalar> = scalars::read(&source, scalars::Format::of(source.path()), MEMORY)?;
    let source = Source::from_bytes(points.0, points.1);
    let format = points::Format::of(source.path());
    let points = points::read::<Bls12_381>(&source, format, scalars.len(), Trust::Nothing, MEMORY)?;
    Ok(Sum { points, scalars, expected: None })
}

impl Task for Sum {
    type Output = Point;

    const FILES: &'static [&'static str] = &["sum.txt"];

    fn describe(&self) -> String {
        format!("{} points of {}", self.points.len(), Bls12_381::NAME.as_str())
    }

    async fn run(&self, device: &Device) -> Result<Point> {
        msm::multiply_async(device, &self.points, &self.scalars).await
    }

    fn check(&self, sum: &Point) -> Result<String> {
        match self.expected {
            Some(expected) if expected == *sum => Ok("the points' logarithms give the same sum".into()),
            Some(_) => Err(Error::Check("the points' logarithms give another sum".into())),
            None => {
                let (problem, device) =
                    (Multiplication::<Bls12_381>::new(self.points.len()), Device::Cpu(Cpu::default()));
                problem.check(&device, &self.points, &[&self.scalars], &[*sum])?;
                Ok("a multiplication with masked scalars fits".into())
            }
        }
    }

    fn write(&self, sum: &Point, _: usize) -> Result<Vec<u8>> {
        let hex: String = points::encode(sum, false).iter().map(|byte| format!("{byte:02x}")).collect();
        Ok((hex + "\n").into_bytes())
    }
}
