//! Points of BLS12-381 G1 and scalars, generated or from files, and the check of their sum: the package adds.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use wasm_bindgen::prelude::*;
use wgalois::curve::{Affine, Bls12_381};
use wgalois::msm::{self, Known, Multiplication};
use wgalois::{Cpu, Device, Error, Result};
use wgalois_io::points::{self, Trust};
use wgalois_io::{Source, scalars};

use crate::{MEMORY, two};

type Point = Affine<Bls12_381>;
type Scalar = <Bls12_381 as ark_ec::CurveConfig>::ScalarField;

/// The largest number of points that the page generates, as a logarithm.
const MAX_LOG: u32 = 20;

/// A sum to be computed.
#[wasm_bindgen]
pub struct Sum {
    points: Vec<Point>,
    scalars: Vec<Scalar>,
    /// The sum by the logarithms of the points, if they are known.
    expected: Option<Point>,
}

#[wasm_bindgen]
impl Sum {
    /// Generates 2^`log_points` points with known discrete logarithms, and scalars.
    pub fn generate(log_points: u32) -> Result<Sum, JsError> {
        if log_points > MAX_LOG {
            return Err(Error::Usage(format!("2^{log_points} points: at most 2^{MAX_LOG}")).into());
        }
        let count = 1 << log_points;
        let known = Known::<Bls12_381>::random(count, 1);
        let scalars = msm::random_scalars::<Bls12_381>(count, &mut ChaCha8Rng::seed_from_u64(2));
        Ok(Sum { expected: Some(known.sum(&scalars)), points: known.points, scalars })
    }

    /// Reads a file of points and a file of scalars.
    pub fn read(names: Vec<String>, points: Vec<u8>, scalars: Vec<u8>) -> Result<Sum, JsError> {
        let [name_p, name_s] = two(names)?;
        let source = Source::from_bytes(name_s, scalars);
        let scalars: Vec<Scalar> = scalars::read(&source, scalars::Format::of(source.path()), MEMORY)?;
        let source = Source::from_bytes(name_p, points);
        let format = points::Format::of(source.path());
        let points = points::read::<Bls12_381>(&source, format, scalars.len(), Trust::Nothing, MEMORY)?;
        Ok(Sum { points, scalars, expected: None })
    }

    /// Returns the number of points.
    pub fn count(&self) -> usize {
        self.points.len()
    }

    /// Returns the points as the package takes them.
    pub fn points(&self) -> Result<Vec<u8>, JsError> {
        let mut bytes = Vec::new();
        points::write(&mut bytes, points::Format::Raw, false, &self.points)
            .map_err(|error| Error::file("the points", error))?;
        Ok(bytes)
    }

    /// Returns the scalars as the package takes them.
    pub fn scalars(&self) -> Result<Vec<u8>, JsError> {
        let mut bytes = Vec::new();
        scalars::write(&mut bytes, scalars::Format::Bytes, &self.scalars)
            .map_err(|error| Error::file("the scalars", error))?;
        Ok(bytes)
    }

    /// Checks a sum that the package returned by a method other than its engines', and returns the method's name.
    pub fn check(&self, sum: Vec<u8>) -> Result<String, JsError> {
        let sum = read_sum(sum)?;
        match self.expected {
            Some(expected) if expected == sum => Ok("the points' logarithms give the same sum".into()),
            Some(_) => Err(Error::Check("the points' logarithms give another sum".into()).into()),
            None => {
                let (problem, device) =
                    (Multiplication::<Bls12_381>::new(self.points.len()), Device::Cpu(Cpu::default()));
                problem.check(&device, &self.points, &[&self.scalars], &[sum])?;
                Ok("a multiplication with masked scalars fits".into())
            }
        }
    }

    /// Returns the text of a sum that the package returned: the point's encoding in hexadecimal digits.
    pub fn text(sum: Vec<u8>) -> Result<String, JsError> {
        let bytes = points::encode(&read_sum(sum)?, false);
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n")
    }
}

fn read_sum(bytes: Vec<u8>) -> Result<Point> {
    let source = Source::from_bytes("the sum", bytes);
    let points = points::read_on_curve(&source, points::Format::Raw, 1, Trust::Nothing, MEMORY)?;
    points.first().copied().ok_or_else(|| source.error("no point"))
}
