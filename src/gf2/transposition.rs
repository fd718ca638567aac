//! The transpose of a matrix, which the host computes.

use std::fmt;

use super::bit_matrix::expect_sides;
use super::{BitMatrix, cost, verify};
use crate::task::{Cost, Done, Problem, Profile, Ready, Way, Ways};
use crate::timeline::{Phase, Timeline};
use crate::verify::Guarantee;
use crate::{Device, Error, Result};

/// The transpose of a matrix of `rows` x `columns`. The host computes it, whatever the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transpose {
    rows: usize,
    columns: usize,
}

impl Transpose {
    /// The transpose of a matrix of `rows` x `columns`.
    pub fn new(rows: usize, columns: usize) -> Result<Self> {
        expect_sides([rows, columns])?;
        Ok(Transpose { rows, columns })
    }

    /// The bytes of host memory that a [`check`](Self::check) takes beside the matrices.
    pub fn check_bytes(&self) -> u64 {
        verify::linear_bytes(self.rows, 0, self.columns)
    }

    /// The bytes of host memory that a [`check`](Self::check) takes after a run beside the matrix, the transpose included.
    pub fn check_bytes_of_run(&self) -> u64 {
        BitMatrix::bytes_of(self.columns as u64, self.rows as u64).saturating_add(self.check_bytes())
    }

    /// Checks the transpose of `matrix`, in time linear in it. A wrong one is missed with a chance of at most 2^-64.
    pub fn check(&self, matrix: &BitMatrix, transposed: &BitMatrix) -> Result<Guarantee> {
        self.check_input(&matrix)?;
        verify::transposed(matrix, transposed)
    }
}

impl Problem for Transpose {
    const NAME: &'static str = "this matrix";

    type Resident<'a> = ();
    type Input<'a> = &'a BitMatrix;
    type Answer = BitMatrix;
    type Kernels = ();

    fn ways(&self, _: &Profile) -> Result<Ways<Self>> {
        let cost = Cost {
            time: cost::transposition_time(self.rows, self.columns),
            host_bytes: cost::transposition_bytes(self.rows, self.columns),
            device_bytes: 0,
            ..Cost::default()
        };
        Ok(Ways::default().with("on the host", Ok(OnHost { cost })))
    }

    fn check_input(&self, matrix: &&BitMatrix) -> Result<()> {
        let &Transpose { rows, columns } = self;
        Error::expect_shape("a matrix", (rows, columns), (matrix.rows(), matrix.columns()))
    }

    fn reborrow<'s>(matrix: &'s mut &BitMatrix) -> &'s BitMatrix {
        matrix
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "operation      transpose")?;
        writeln!(f, "matrix         {} x {}", self.rows, self.columns)
    }
}

/// The only way.
#[derive(Debug)]
struct OnHost {
    cost: Cost,
}

impl Way<Transpose> for OnHost {
    type Device = Device;
    type Ready<'p> = Timeline;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn write(&self, _: &Transpose, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "method         blocks of 64 x 64 bits, on the host")
    }

    fn prepare<'p>(&self, _: &Transpose, device: &Device, (): ()) -> Result<Self::Ready<'p>> {
        Ok(device.timeline().clone())
    }
}

impl Ready<Transpose> for Timeline {
    async fn run<'i: 'i>(&self, _: &Transpose, matrix: &'i BitMatrix, _: &Done) -> Result<BitMatrix> {
        self.time(Phase::Host, "transpose", || matrix.transposed())
    }
}
