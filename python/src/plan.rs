//! Plans that are prepared once and run many times.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wgalois::gf2::{self, PreparedDense};
use wgalois::ntt::exact::{ExactProduct, PreparedExact};
use wgalois::ntt::{PreparedProduct, PreparedTransform, Product};
use wgalois::task::{Cost, Planned, Problem};
use wgalois::{Device, Error, Result};

use crate::bits::BitMatrix;
use crate::buffers::{Input, Output};
use crate::gf2::{MATMUL, answer, dense, one_factor, product};
use crate::ntt::{Form, Options, copy_rows, form_of, rows, split, transform_of};
use crate::{device, fields, work};

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

/// A prepared plan.
#[pyclass(frozen, module = "wgalois._native")]
pub struct Plan {
    pub prepared: Arc<Prepared>,
    text: String,
    cost: Cost,
    pub device: Device,
}

pub fn other_operation() -> Error {
    Error::OtherPlan { what: "operation" }
}

/// Plans a problem on the device that `name` selects, and prepares the plan.
pub fn planned<P: Problem>(
    name: &str,
    problem: &P,
    prepare: impl FnOnce(&Planned<P>, &Device) -> Result<Prepared>,
) -> Result<Plan> {
    let device = device::select(name, problem)?;
    let plan = problem.plan(&device)?;
    let prepared = Arc::new(prepare(&plan, &device)?);
    Ok(Plan { prepared, text: plan.to_string(), cost: plan.cost(), device })
}

impl Plan {
    /// [`work::run`] on the plan's device.
    fn run<D: Send + 'static, T: Send + 'static>(
        &self,
        py: Python<'_>,
        data: D,
        work: impl FnOnce(&mut D) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let device = self.device.clone();
        work::run(py, data, move |data| {
            work::stops(&device);
            work(data)
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
        device: String,
    ) -> PyResult<Self> {
        work::run(py, (), move |()| {
            let transform = transform_of(&prime, n, batch, options)?;
            planned(&device, &transform, |plan, device| {
                plan.prepare(device).map(Box::new).map(Prepared::Transform)
            })
        })
    }

    #[staticmethod]
    fn field_transform(
        py: Python<'_>,
        n: usize,
        batch: usize,
        field: String,
        options: fields::Options,
        device: String,
    ) -> PyResult<Self> {
        work::run(py, (), move |()| fields::planned_transform(&field, n, batch, options, &device))
    }

    #[staticmethod]
    fn field_product(
        py: Python<'_>,
        lengths: (usize, usize),
        field: String,
        device: String,
    ) -> PyResult<Self> {
        work::run(py, (), move |()| fields::planned_product(&field, lengths, &device))
    }

    #[staticmethod]
    fn product(
        py: Python<'_>,
        lengths: (usize, usize),
        batch: usize,
        prime: Option<String>,
        form: Form,
        device: String,
    ) -> PyResult<Self> {
        work::run(py, (), move |()| {
            let form = form_of(&form)?;
            let Some(prime) = prime else {
                let product = ExactProduct::new(lengths.0, lengths.1).with_ring(form);
                return planned(&device, &product, |plan, device| {
                    plan.prepare(device).map(Box::new).map(Prepared::Exact)
                });
            };
            let product =
                Product::new(prime.parse()?, lengths.0, lengths.1).with_ring(form).with_batch(batch);
            planned(&device, &product, |plan, device| {
                plan.prepare(device).map(Box::new).map(Prepared::Product)
            })
        })
    }

    #[staticmethod]
    fn dense(
        py: Python<'_>,
        operation: String,
        rows: usize,
        columns: usize,
        others: usize,
        device: String,
    ) -> PyResult<Self> {
        work::run(py, (), move |()| {
            if operation == MATMUL {
                let problem = gf2::Product::new(rows, columns, others)?;
                return planned(&device, &problem, |plan, device| {
                    plan.prepare(device).map(Box::new).map(Prepared::MatrixProduct)
                });
            }
            let problem = dense(&operation, (rows, columns), others, None)?;
            planned(&device, &problem, |plan, device| plan.prepare(device).map(Box::new).map(Prepared::Dense))
        })
    }

    /// Transforms words in place.
    fn run_transform(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let data = (Output::<u32>::new(data)?, Arc::clone(&self.prepared));
        self.run(py, data, |(data, prepared)| match &**prepared {
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
        let arrays = (Input::<u32>::new(a)?, Input::<u32>::new(b)?, Output::<u32>::new(c)?);
        self.run(py, (arrays, Arc::clone(&self.prepared)), |((a, b, c), prepared)| {
            let Prepared::Product(ready) = &**prepared else { return Err(other_operation()) };
            let product = ready.plan().problem();
            let ([first, second], length, c) = (product.lengths(), product.length()?, c.get());
            let factors = rows(a.get(), b.get(), c.len(), (first, second), length);
            copy_rows(&ready.run(&factors)?, c, length);
            Ok(())
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
    ) -> PyResult<()> {
        let factors = (Input::<i64>::new(a)?, Input::<i64>::new(b)?);
        let products = (Output::<u64>::new(low)?, Output::<i64>::new(high)?);
        let data = (factors, products, Arc::clone(&self.prepared));
        self.run(py, data, |((a, b), (low, high), prepared)| {
            let Prepared::Exact(ready) = &**prepared else { return Err(other_operation()) };
            let product = ready.plan().problem();
            let ([first, second], length) = (product.lengths(), product.length()?);
            let (low, high) = (low.get(), high.get());
            let factors = rows(a.get(), b.get(), low.len(), (first, second), length);
            let halves = low.chunks_mut(length.max(1)).zip(high.chunks_mut(length.max(1)));
            let check = work::asks();
            for ([a, b], (low, high)) in factors.into_iter().zip(halves) {
                check()?;
                split(&ready.run((a, b))?, low, high);
            }
            Ok(())
        })
    }

    /// Transforms elements of a scalar field in place.
    fn run_field_transform(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let data = (Output::<u64>::new(data)?, Arc::clone(&self.prepared));
        self.run(py, data, |(data, prepared)| match &**prepared {
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
        let arrays = (Input::<u64>::new(a)?, Input::<u64>::new(b)?, Output::<u64>::new(c)?);
        self.run(py, (arrays, Arc::clone(&self.prepared)), |((a, b, c), prepared)| match &**prepared {
            Prepared::FieldProduct(run) => run(a.get(), b.get(), c.get()),
            _ => Err(other_operation()),
        })
    }

    /// Runs dense linear algebra; the result is that of `gf2_compute`.
    fn run_dense<'py>(
        &self,
        py: Python<'py>,
        a: &BitMatrix,
        b: Option<&BitMatrix>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (a, b) = (Arc::clone(&a.0), b.map(|b| Arc::clone(&b.0)));
        if matches!(*self.prepared, Prepared::MatrixProduct(_)) {
            let result =
                self.run(py, Arc::clone(&self.prepared), move |prepared| match (&**prepared, &b) {
                    (Prepared::MatrixProduct(ready), Some(b)) => ready.run((&*a, &**b).into()),
                    _ => Err(one_factor()),
                })?;
            return product(py, result);
        }
        let result = self.run(py, Arc::clone(&self.prepared), move |prepared| match &**prepared {
            Prepared::Dense(ready) => ready.run((&a, b.as_deref())),
            _ => Err(other_operation()),
        })?;
        answer(py, result)
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
