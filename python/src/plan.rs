//! Plans that are prepared once and run many times.

use crate::prelude::*;
use std::time::Duration;

use wgalois::field::Modulus;
use wgalois::gf2::{self, PreparedDense};
use wgalois::ntt::exact::{ExactProduct, PreparedExact};
use wgalois::ntt::{PreparedProduct, PreparedTransform, Product};
use wgalois::task::{self, Cost, Problem};

use crate::bits::BitMatrix;
use crate::fields;
use crate::forks;
use crate::gf2::{Answer, MATMUL, answer, dense, one_factor, product};
use crate::ntt::{
    self, Options, RingArgument, exact_rows, multiply_exactly, multiply_rows, ring_of, transform_of,
};

/// The prepared form that a plan runs.
pub enum Prepared {
    Transform(Box<PreparedTransform>),
    Product(Box<PreparedProduct>),
    Exact(Box<PreparedExact>),
    Dense(Box<PreparedDense>),
    MatrixProduct(Box<gf2::PreparedProduct>),
    FieldTransform(FieldTransform),
    FieldProduct(FieldProduct),
}

/// Transforms the limbs of elements of a scalar field, in place.
type FieldTransform = Box<dyn Fn(&mut [u64]) -> Result<()> + Send + Sync>;

/// Multiplies the rows of two arrays of limbs into those of a third.
type FieldProduct = Box<dyn Fn(&[u64], &[u64], &mut [u64]) -> Result<()> + Send + Sync>;

/// The expected time of a plan that may run on the caller's thread.
const SHORT: Duration = Duration::from_micros(500);

/// A prepared plan.
#[pyclass(frozen, module = "wgalois._native")]
pub struct Plan {
    pub prepared: Arc<Prepared>,
    text: String,
    cost: Cost,
    pub device: Device,
}

impl Drop for Plan {
    fn drop(&mut self) {
        forks::keep(|| (self.device.clone(), Arc::clone(&self.prepared)));
    }
}

pub fn other_operation() -> Error {
    Error::OtherPlan { what: "operation" }
}

/// Plans a problem on the device that `name` selects, and prepares the plan.
pub fn planned<P: for<'r> Problem<Resident<'r> = ()>>(
    name: &str,
    problem: &P,
    prepared: impl FnOnce(Box<task::Prepared<'static, P>>) -> Prepared,
) -> Result<Plan> {
    let device = device::select(name, problem)?;
    let plan = problem.plan(&device)?;
    let prepared = Arc::new(prepared(Box::new(plan.prepare(&device)?)));
    Ok(Plan { prepared, text: plan.to_string(), cost: plan.cost(), device })
}

impl Plan {
    /// [`work::run_short`] of the prepared form on so many words of data, on the plan's device.
    fn run<D: Send + 'static, T: Send + 'static>(
        &self,
        py: Python<'_>,
        words: usize,
        data: D,
        work: impl FnOnce(&Prepared, &mut D) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let device = self.device.clone();
        let is_short = matches!(device, Device::Cpu(_)) && self.cost.time < SHORT && words <= ntt::SHORT;
        work::run_short(py, is_short, (data, Arc::clone(&self.prepared)), move |(data, prepared)| {
            work::stops(&device)?;
            work(prepared, data)
        })
    }
}

#[pymethods]
impl Plan {
    #[staticmethod]
    fn transform(
        py: Python<'_>,
        n: usize,
        batch: usize,
        prime: String,
        options: Options,
        device: DeviceName,
    ) -> PyResult<Self> {
        work::run(py, (), move |()| {
            planned(&device, &transform_of(&prime, n, batch, options)?, Prepared::Transform)
        })
    }

    #[staticmethod]
    fn field_transform(
        py: Python<'_>,
        n: usize,
        batch: usize,
        field: String,
        options: fields::Options,
        device: DeviceName,
    ) -> PyResult<Self> {
        work::run(py, (), move |()| fields::planned_transform(&field, n, batch, options, &device))
    }

    #[staticmethod]
    fn field_product(
        py: Python<'_>,
        lengths: (usize, usize),
        field: String,
        device: DeviceName,
    ) -> PyResult<Self> {
        work::run(py, (), move |()| fields::planned_product(&field, lengths, &device))
    }

    #[staticmethod]
    fn product(
        py: Python<'_>,
        lengths: (usize, usize),
        batch: usize,
        prime: Option<String>,
        ring: RingArgument,
        device: DeviceName,
    ) -> PyResult<Self> {
        work::run(py, (), move |()| {
            let ring = ring_of(&ring)?;
            let Some(prime) = prime else {
                let product = ExactProduct::new(lengths.0, lengths.1).with_ring(ring);
                return planned(&device, &product, Prepared::Exact);
            };
            let modulus: Modulus = prime.parse()?;
            let product = Product::new(modulus, lengths.0, lengths.1).with_ring(ring).with_batch(batch);
            planned(&device, &product, Prepared::Product)
        })
    }

    #[staticmethod]
    fn dense(
        py: Python<'_>,
        operation: String,
        rows: usize,
        columns: usize,
        others: usize,
        device: DeviceName,
    ) -> PyResult<Self> {
        work::run(py, (), move |()| {
            if operation == MATMUL {
                let problem = gf2::Product::new(rows, columns, others)?;
                return planned(&device, &problem, Prepared::MatrixProduct);
            }
            planned(&device, &dense(&operation, (rows, columns), others, None)?, Prepared::Dense)
        })
    }

    /// Transforms words in place.
    fn run_transform(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut data = Output::<u32>::new(data)?;
        self.run(py, data.get().len(), data, |prepared, data| match prepared {
            Prepared::Transform(ready) => ready.run(data.get()),
            _ => Err(other_operation()),
        })
    }

    /// Multiplies rows.
    fn run_product(
        &self,
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        c: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let data = (Input::new(a)?, Input::new(b)?, Output::new(c)?);
        self.run(py, data.0.get().len() + data.1.get().len(), data, |prepared, data| match prepared {
            Prepared::Product(ready) => {
                multiply_rows(ready.plan().problem(), data, |factors| ready.run(factors))
            }
            _ => Err(other_operation()),
        })
    }

    /// Multiplies rows of integers.
    fn run_exact(
        &self,
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        low: &Bound<'_, PyAny>,
        high: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let data = exact_rows(a, b, low, high)?;
        self.run(py, 4 * (data.0.0.get().len() + data.0.1.get().len()), data, |prepared, data| match prepared
        {
            Prepared::Exact(ready) => {
                multiply_exactly(ready.plan().problem(), data, |a, b| ready.run((a, b)))
            }
            _ => Err(other_operation()),
        })
    }

    /// Transforms elements of a scalar field in place.
    fn run_field_transform(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut data = Output::<u64>::new(data)?;
        self.run(py, data.get().len(), data, |prepared, data| match prepared {
            Prepared::FieldTransform(run) => run(data.get()),
            _ => Err(other_operation()),
        })
    }

    /// Multiplies rows of elements of a scalar field.
    fn run_field_product(
        &self,
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        c: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let data = (Input::<u64>::new(a)?, Input::<u64>::new(b)?, Output::<u64>::new(c)?);
        self.run(py, data.0.get().len() + data.1.get().len(), data, |prepared, (a, b, c)| match prepared {
            Prepared::FieldProduct(run) => run(a.get(), b.get(), c.get()),
            _ => Err(other_operation()),
        })
    }

    /// Runs dense linear algebra; the result is that of `gf2_compute`.
    fn run_dense(&self, py: Python<'_>, a: &BitMatrix, b: Option<&BitMatrix>) -> PyResult<Answer> {
        let factors = (Arc::clone(&a.0), b.map(|b| Arc::clone(&b.0)));
        self.run(py, 0, factors, |prepared, (a, b)| match (prepared, b) {
            (Prepared::MatrixProduct(ready), Some(b)) => ready.run((&**a, &**b).into()).map(product),
            (Prepared::MatrixProduct(_), None) => Err(one_factor()),
            (Prepared::Dense(ready), b) => ready.run((&*a, b.as_deref())).map(answer),
            _ => Err(other_operation()),
        })
    }

    /// The plan in words, several lines.
    fn __str__(&self) -> &str {
        &self.text
    }

    /// The expected time of preparing and running once, in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.cost.time.as_secs_f64()
    }

    /// Bytes of host memory beside the inputs.
    #[getter]
    fn host_bytes(&self) -> u64 {
        self.cost.host_bytes
    }

    /// Bytes of device memory.
    #[getter]
    fn device_bytes(&self) -> u64 {
        self.cost.device_bytes
    }

    /// The name of the device.
    #[getter]
    fn device(&self) -> String {
        device::name(&self.device)
    }
}
