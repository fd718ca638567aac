//! Matrices over GF(2) that stay on a device.

use crate::prelude::*;
use wgalois::gf2::gpu::DeviceMatrix as OnGpu;
use wgalois::gf2::{self, Dense, DenseAnswer, Product};

use crate::bits::BitMatrix;
use crate::forks;
use crate::gf2::{SHORT, dense};

/// A matrix on a device. The CPU engine's are on the host.
enum Bits {
    Host(Arc<gf2::BitMatrix>),
    Device(OnGpu),
}

/// A matrix over GF(2) on a device, which never changes.
#[pyclass(frozen, module = "wgalois._native")]
pub struct DeviceMatrix {
    device: Device,
    shape: (usize, usize),
    bits: Arc<Bits>,
}

impl Drop for DeviceMatrix {
    fn drop(&mut self) {
        forks::keep(|| (self.device.clone(), Arc::clone(&self.bits)));
    }
}

fn unexpected() -> Error {
    Error::Device("the answer to another operation".into())
}

impl DeviceMatrix {
    fn new(device: Device, shape: (usize, usize), bits: Bits) -> Self {
        DeviceMatrix { device, shape, bits: Arc::new(bits) }
    }

    /// [`work::run_short`] on this matrix and its device.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Device, &Bits) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (device, bits) = (self.device.clone(), Arc::clone(&self.bits));
        let is_short = matches!(device, Device::Cpu(_)) && self.shape.0 + self.shape.1 <= SHORT / 2;
        work::run_short(py, is_short, (), move |()| {
            work::stops(&device)?;
            work(&device, &bits)
        })
    }
}

/// A copy on the device.
fn copied(matrix: &OnGpu) -> Result<OnGpu> {
    let mut copy = OnGpu::zeros(matrix.gpu(), matrix.rows(), matrix.columns())?;
    copy.assign(matrix)?;
    Ok(copy)
}

/// Eliminates: the columns of the pivots, and the matrix that is left, a form if the problem asks for one.
fn eliminated(device: &Device, problem: &Dense, bits: &Bits) -> Result<(Vec<u32>, Option<Bits>)> {
    match bits {
        Bits::Host(matrix) => match gf2::compute(device, problem, matrix, None)? {
            DenseAnswer::Pivots(pivots) => Ok((pivots, None)),
            DenseAnswer::Form(form) => Ok((form.pivots, Some(Bits::Host(Arc::new(form.matrix))))),
            _ => Err(unexpected()),
        },
        Bits::Device(matrix) => {
            let ready = problem.plan(device)?.prepare(device)?;
            let mut copy = copied(matrix)?;
            Ok((ready.run_on_device(&mut copy)?, Some(Bits::Device(copy))))
        }
    }
}

fn product(device: &Device, problem: &Product, a: &Bits, b: &Bits) -> Result<Bits> {
    match (a, b) {
        (Bits::Host(a), Bits::Host(b)) => Ok(Bits::Host(Arc::new(gf2::multiply(device, a, b)?))),
        (Bits::Device(a), Bits::Device(b)) => {
            // The plan refuses what does not fit the device.
            problem.plan(device).map(drop)?;
            a.multiply(b).map(Bits::Device)
        }
        _ => Err(Error::OtherDevice { what: "the second factor is" }),
    }
}

#[pymethods]
impl DeviceMatrix {
    /// Copies a matrix to a device.
    #[staticmethod]
    fn of(py: Python<'_>, matrix: &BitMatrix, device: DeviceName) -> PyResult<Self> {
        let matrix = Arc::clone(&matrix.0);
        let shape = (matrix.rows(), matrix.columns());
        let is_short = shape.0 + shape.1 <= SHORT && device::is_cpu_if_short(&device);
        let (device, bits) = work::run_short(py, is_short, (), move |()| {
            // The work that this matrix may be for is not known; its reduced form stands for it.
            let device = device::one(device::select(&device, &Dense::rref(shape.0, shape.1)?)?)?;
            let bits = match &device {
                Device::Gpu(gpu) => Bits::Device(OnGpu::upload(gpu, &matrix)?),
                _ => Bits::Host(matrix),
            };
            Ok((device, bits))
        })?;
        Ok(DeviceMatrix::new(device, shape, bits))
    }

    /// A copy on the host.
    fn download(&self, py: Python<'_>) -> PyResult<BitMatrix> {
        let matrix = self.run(py, |_, bits| match bits {
            Bits::Host(matrix) => Ok(Arc::clone(matrix)),
            Bits::Device(matrix) => matrix.download().map(Arc::new),
        });
        matrix.map(BitMatrix)
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    #[getter]
    fn device(&self) -> String {
        device::name(&self.device)
    }

    /// The columns of the pivots.
    fn pivots(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        let shape = self.shape;
        self.run(py, move |device, bits| Ok(eliminated(device, &dense("rank", shape, 0, None)?, bits)?.0))
    }

    /// The reduced form, with pivots in the first `limit` columns, and their columns.
    #[pyo3(signature = (limit))]
    fn rref(&self, py: Python<'_>, limit: Option<usize>) -> PyResult<(Self, Vec<u32>)> {
        let shape = self.shape;
        let (pivots, form) = self.run(py, move |device, bits| {
            let (pivots, form) = eliminated(device, &dense("rref", shape, 0, limit)?, bits)?;
            Ok((pivots, form.ok_or_else(unexpected)?))
        })?;
        Ok((DeviceMatrix::new(self.device.clone(), shape, form), pivots))
    }

    /// The product with another matrix on the same device.
    fn matmul(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let (b, shape, others) = (Arc::clone(&other.bits), self.shape, other.shape);
        let bits = self.run(py, move |device, a| {
            if shape.1 != others.0 {
                let (a, b) = ((shape.1, "columns"), (others.0, "rows"));
                return Err(Error::ShapeMismatch { operation: "multiply", a, b });
            }
            product(device, &Product::new(shape.0, shape.1, others.1)?, a, &b)
        })?;
        Ok(DeviceMatrix::new(self.device.clone(), (shape.0, others.1), bits))
    }
}
