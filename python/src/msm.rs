//! Multi-scalar multiplication over bytes.

use crate::prelude::*;
use wgalois::curve::Affine;
use wgalois::msm::{self, Multiplication, Precompute};
use wgalois_io::points::{self, Format, Trust};
use wgalois_io::scalars;

use crate::forks;

/// The names of the curves, with the 64-bit words of a coordinate.
#[pyfunction]
pub fn curves() -> Vec<(&'static str, usize)> {
    fn words<C: Curve>() -> usize {
        size_of::<C::BaseField>() / 8
    }
    CurveName::all().map(|name| (name.as_str(), with_curve!(name, C => words::<C>()))).collect()
}

/// Reads points, of which there must be `least` or more.
fn read_points<C: Curve>(
    bytes: &[u8],
    raw: bool,
    least: usize,
    trust: Trust,
    device: &Device,
) -> Result<Vec<Affine<C>>> {
    let source = Source::from_bytes("points", bytes);
    let format = points::settled::<C>(&source, if raw { Format::Raw } else { Format::Encoded }, least)?;
    let read = points::read_on_curve(&source, format, None, trust, u64::MAX)?;
    if trust == Trust::Nothing {
        points::check_members(&source, format, &read, |points| msm::first_outside(device, points))?;
    }
    Ok(read)
}

fn read_scalars<C: Curve>(bytes: &[u8]) -> Result<Vec<C::ScalarField>> {
    scalars::read(&Source::from_bytes("scalars", bytes), scalars::Format::Bytes, u64::MAX)
}

/// Writes a point: raw words, or the encoding.
fn written<C: Curve>(point: &Affine<C>, raw: bool, compressed: bool) -> Result<Vec<u8>> {
    if !raw {
        return Ok(points::encode(point, compressed));
    }
    let mut bytes = Vec::new();
    points::write(&mut bytes, Format::Raw, false, &[*point]).map_err(|e| Error::file("sum", e))?;
    Ok(bytes)
}

/// How points are given and returned.
#[derive(Clone, Copy)]
struct Layout {
    raw: bool,
    compressed: bool,
    trust: Trust,
}

fn multiply<C: Curve>(points: &[u8], scalars: &[u8], layout: Layout, device: &str) -> Result<Vec<u8>> {
    let scalars = read_scalars::<C>(scalars)?;
    let device = device::select(device, &Multiplication::<C>::new(scalars.len()))?;
    let points = read_points::<C>(points, layout.raw, scalars.len(), layout.trust, &device)?;
    let settings = msm::Settings::default();
    let sum = msm::multiply_unchecked(&device, &settings, &points, &scalars)?;
    written(&sum, layout.raw, layout.compressed)
}

fn layout(raw: bool, compressed: bool, check: bool) -> Layout {
    Layout { raw, compressed, trust: if check { Trust::Nothing } else { Trust::Everything } }
}

/// The sum of scalars times points.
#[pyfunction]
#[pyo3(name = "msm")]
#[expect(clippy::too_many_arguments, reason = "the Python half names them")]
pub fn sum<'py>(
    py: Python<'py>,
    curve: &str,
    points: &Bound<'py, PyAny>,
    scalars: &Bound<'py, PyAny>,
    raw: bool,
    compressed: bool,
    check: bool,
    device: DeviceName,
) -> PyResult<Bound<'py, PyBytes>> {
    let curve = raised(py, curve.parse::<CurveName>())?;
    let data = (Input::<u8>::new(points)?, Input::<u8>::new(scalars)?);
    let layout = layout(raw, compressed, check);
    let sum = work::run(
        py,
        data,
        move |(points, scalars)| with_curve!(curve, C => multiply::<C>(points.get(), scalars.get(), layout, &device)),
    )?;
    Ok(PyBytes::new(py, &sum))
}

/// Points of any curve, kept for many multiplications.
trait Multiply: Send + Sync {
    /// The sum for each vector of scalars, times the points from its first one on.
    fn run(&self, ranges: &[(usize, &[u8])], layout: Layout) -> Result<Vec<Vec<u8>>>;
}

impl<C: Curve> Multiply for msm::Bases<'static, C> {
    fn run(&self, ranges: &[(usize, &[u8])], layout: Layout) -> Result<Vec<Vec<u8>>> {
        let vectors = ranges.iter().map(|(_, bytes)| read_scalars::<C>(bytes)).collect::<Result<Vec<_>>>()?;
        let firsts = ranges.iter().map(|&(first, _)| first);
        let ranges: Vec<(usize, &[C::ScalarField])> = firsts.zip(vectors.iter().map(Vec::as_slice)).collect();
        let sums = self.run_many_from(&ranges)?;
        sums.iter().map(|sum| written(sum, layout.raw, layout.compressed)).collect()
    }
}

/// Points prepared for multiplications.
#[pyclass(frozen, module = "wgalois._native")]
pub struct Bases {
    bases: Arc<dyn Multiply>,
    layout: Layout,
    count: usize,
    text: String,
    device: Device,
}

impl Drop for Bases {
    fn drop(&mut self) {
        forks::keep(|| (self.device.clone(), Arc::clone(&self.bases)));
    }
}

fn prepare<C: Curve>(
    points: &[u8],
    layout: Layout,
    vectors: usize,
    precompute: Precompute,
    device: &str,
) -> Result<Bases> {
    // The number of points is known once they are read, which a device helps to check.
    let source = Source::from_bytes("points", points);
    let format = if layout.raw { Format::Raw } else { Format::Encoded };
    let count = points::count::<C>(&source, format)?;
    let problem = Multiplication::<C>::new(count).with_vectors(vectors).with_precompute(precompute);
    let device = device::select(device, &problem)?;
    let points = read_points::<C>(points, layout.raw, 0, layout.trust, &device)?;
    let plan = problem.plan(&device)?;
    let text = plan.to_string();
    let bases = plan.prepare_unchecked(&device, points)?;
    Ok(Bases { bases: Arc::new(bases), layout, count, text, device })
}

#[pymethods]
impl Bases {
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "the Python half names them")]
    fn of(
        py: Python<'_>,
        curve: &str,
        points: &Bound<'_, PyAny>,
        raw: bool,
        compressed: bool,
        check: bool,
        vectors: usize,
        precompute: &str,
        device: DeviceName,
    ) -> PyResult<Self> {
        let (curve, precompute) = (raised(py, curve.parse::<CurveName>())?, raised(py, precompute.parse())?);
        let layout = layout(raw, compressed, check);
        work::run(
            py,
            Input::<u8>::new(points)?,
            move |points| with_curve!(curve, C => prepare::<C>(points.get(), layout, vectors, precompute, &device)),
        )
    }

    /// The sum for each vector of scalars, times the points from its first one on.
    fn run<'py>(
        &self,
        py: Python<'py>,
        ranges: Vec<(usize, Bound<'py, PyAny>)>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let input = |(first, scalars): &(usize, Bound<'py, PyAny>)| Ok((*first, Input::<u8>::new(scalars)?));
        let ranges = ranges.iter().map(input).collect::<PyResult<Vec<_>>>()?;
        let (bases, layout, device) = (Arc::clone(&self.bases), self.layout, self.device.clone());
        let sums = work::run(py, ranges, move |ranges| {
            work::stops(&device)?;
            let ranges: Vec<(usize, &[u8])> =
                ranges.iter().map(|(first, scalars)| (*first, scalars.get())).collect();
            bases.run(&ranges, layout)
        })?;
        Ok(sums.iter().map(|sum| PyBytes::new(py, sum)).collect())
    }

    fn __len__(&self) -> usize {
        self.count
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    #[getter]
    fn device(&self) -> String {
        device::name(&self.device)
    }
}
