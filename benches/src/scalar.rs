//! Times of transforms over scalar fields.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::ntt::Workload;
use super::{Fields, Row, Timing};
use wgalois::curve::{Curve, CurveName};
use wgalois::gpu::{Clock, Gpu};
use wgalois::msm::random_scalars;
use wgalois::ntt::scalar::{Product, Transform};
use wgalois::scalars::{DeviceScalars, Scalar};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Error, Result};

/// The transform of `workload`.
fn transform_of<F: Scalar>(workload: Workload, log_n: u32, batch: usize) -> Result<Transform<F>> {
    let n = 1usize.checked_shl(log_n).unwrap_or(0);
    Ok(Transform::new(n)?.with_batch(batch).with_output(workload.output()))
}

/// A scalar field `F`. The groups of a pairing share theirs.
pub struct Field<F> {
    curve: CurveName,
    random: fn(usize, &mut ChaCha8Rng) -> Vec<F>,
}

impl<F: Scalar> Field<F> {
    /// That of a curve.
    pub fn of<C: Curve<ScalarField = F>>() -> Self {
        Field { curve: C::NAME, random: random_scalars::<C> }
    }

    /// Random scalars for the transform.
    fn random(&self, transform: &Transform<F>) -> Vec<F> {
        (self.random)(transform.len(), &mut ChaCha8Rng::seed_from_u64(u64::from(transform.log_n())))
    }

    fn fields(&self, workload: Workload, log_n: u32, batch: usize) -> Fields {
        workload.fields(log_n, batch).with("field", format!("{}-fr", self.curve))
    }
}

/// Checks transforms of `batch` vectors of 2^`log_n` scalars that stay on the device, then times them `samples`
/// times. Refuses products, which go through the host.
pub fn measure<F: Scalar>(
    field: &Field<F>,
    gpu: &Gpu,
    clock: &mut Clock,
    samples: usize,
    (workload, log_n, batch): (Workload, u32, usize),
) -> Result<Row> {
    if workload == Workload::Product {
        return Err(Error::only_for("products with --field", "the CPU engine"));
    }
    let transform = transform_of::<F>(workload, log_n, batch)?;
    let before = field.random(&transform);
    let device = Device::Gpu(gpu.clone());
    let plan = transform.plan(&device)?;
    let prepared = plan.prepare(&device)?;
    let mut vector = DeviceScalars::upload(gpu, &before)?;
    prepared.run_on_device(&mut vector)?;
    transform.check(&device, &before, &vector.download()?)?;
    let times = super::time(gpu, clock, samples, |recorder| prepared.record(recorder, &mut vector))?;
    let copy = super::time_copy(gpu, clock, samples, 8 * transform.len())?;
    let fields = field
        .fields(workload, log_n, batch)
        .with("int64", gpu.arithmetic().int64)
        .with("passes", plan.passes().unwrap_or(0));
    let timing = Timing { copy: Some(copy.median().as_secs_f64()), ..Timing::of_device(&times) };
    Row::new(fields, "GPU", Ok(timing))
}

/// Checks the CPU engine's result of the same workload, then times `samples` whole calls on all cores.
pub fn measure_host<F: Scalar>(
    field: &Field<F>,
    samples: usize,
    (workload, log_n, batch): (Workload, u32, usize),
) -> Result<Row> {
    let device = Device::Cpu(Cpu::default());
    let transform = transform_of::<F>(workload, log_n, batch)?;
    let before = field.random(&transform);
    let times = if workload == Workload::Product {
        let product = Product::new(before.len(), before.len());
        let prepared = product.plan(&device)?.prepare(&device)?;
        product.check(&device, &before, &before, &prepared.run((&before[..], &before[..]))?)?;
        super::time_calls(samples, || prepared.run((&before[..], &before[..])).map(drop))?
    } else {
        let prepared = transform.plan(&device)?.prepare(&device)?;
        let mut data = before.clone();
        prepared.run(&mut data)?;
        transform.check(&device, &before, &data)?;
        super::time_calls(samples, || prepared.run(&mut data))?
    };
    let fields = field.fields(workload, log_n, batch).with("threads", wgalois::parallel::threads());
    let copy = Some(super::time_host_copy(samples, 8 * transform.len())?);
    Row::new(fields, super::CPU_ENGINE, Ok(Timing { copy, ..Timing::of_sorted_calls(&times) }))
}
