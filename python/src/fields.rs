//! Transforms and products over the scalar fields of curves: elements as four 64-bit limbs, the least significant first.

use crate::prelude::*;
use ark_ff::{BigInt, PrimeField};
use wgalois::curve::ScalarField;
use wgalois::ntt::scalar::{self, Product, Transform};
use wgalois::parallel::*;
use wgalois::scalars::Scalar;

use crate::ntt;
use crate::plan::{Plan, Prepared, planned};

/// Limbs of an element.
const LIMBS: usize = 4;

/// The options of a transform, with the shift of the coset as limbs.
pub type Options = ntt::Options<[u64; LIMBS]>;

/// Limbs that are transformed or multiplied within a millisecond, by a margin.
const SHORT: usize = 1 << 12;

/// True if so many limbs are transformed or multiplied within a millisecond on the device that `name` selects.
fn is_short(name: &str, limbs: usize) -> bool {
    limbs <= SHORT && device::is_cpu_if_short(name)
}

/// The curve whose scalar field has this name: that of the curve with `-fr` behind it.
fn curve_of(name: &str) -> Result<CurveName> {
    let fields = wgalois::curve::scalar_fields();
    let named = |curve: &CurveName| name.eq_ignore_ascii_case(&format!("{curve}-fr"));
    fields
        .iter()
        .copied()
        .find(named)
        .ok_or_else(|| Error::unknown("field", name, fields.iter().map(|curve| format!("{curve}-fr"))))
}

/// The names of the fields, with the limbs of their orders.
#[pyfunction]
pub fn fields() -> Vec<(String, [u64; LIMBS])> {
    let fields = wgalois::curve::scalar_fields().into_iter();
    fields
        .map(|curve| (format!("{curve}-fr"), with_curve!(curve, C => ScalarField::<C>::MODULUS.0)))
        .collect()
}

/// The elements of limbs.
fn elements<F: Scalar>(limbs: &[u64], what: &str) -> Result<Vec<F>> {
    let element = |(k, limbs): (usize, &[u64])| {
        let mut integer = BigInt::default();
        integer.0.copy_from_slice(limbs);
        F::from_bigint(integer).ok_or_else(|| {
            let (what, order) = (format!("{what} {k}").into(), F::MODULUS.to_string());
            Error::NotBelowOrder { what, value: integer.to_string(), order }
        })
    };
    limbs.par_chunks_exact(LIMBS).enumerate().with_min_len(1 << 10).map(element).try_collect()
}

fn write<F: Scalar>(elements: &[F], limbs: &mut [u64]) {
    let pairs = limbs.par_chunks_exact_mut(LIMBS).zip(elements).with_min_len(1 << 10);
    pairs.for_each(|(limbs, element)| limbs.copy_from_slice(&element.into_bigint().0));
}

fn transform_of<F: Scalar>(
    n: usize,
    batch: usize,
    (inverse, input, output, shift, negacyclic): Options,
) -> Result<Transform<F>> {
    let shift = shift.map(|shift| elements::<F>(&shift, "coset shift")).transpose()?;
    let options = (inverse, input, output, shift.map(|shift| shift[0]), negacyclic);
    let transform = ntt::with_options(Transform::new(n)?, batch, options)?;
    transform.shift()?;
    Ok(transform)
}

fn transform<F: Scalar>(limbs: &mut [u64], n: usize, options: Options, device: &str) -> Result<()> {
    let transform = transform_of::<F>(n, limbs.len() / LIMBS / n, options)?;
    let mut data = elements(limbs, "entry")?;
    scalar::transform(&device::select(device, &transform)?, &transform, &mut data)?;
    write(&data, limbs);
    Ok(())
}

/// Transforms the vectors of `data`, each of `n` elements, in place.
#[pyfunction]
pub fn field_transform(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    n: usize,
    field: &str,
    options: Options,
    device: DeviceName,
) -> PyResult<()> {
    let curve = raised(py, curve_of(field))?;
    let mut data = Output::<u64>::new(data)?;
    let is_short = is_short(&device, data.get().len());
    work::run_short(
        py,
        is_short,
        data,
        move |data| with_curve!(curve, C => transform::<ScalarField<C>>(data.get(), n, options, &device)),
    )
}

/// Multiplies row k of `a` by row k of `b` into row k of `c`, by a product that is prepared.
fn multiply_rows<F: Scalar>(
    ready: &scalar::PreparedProduct<F>,
    a: &[u64],
    b: &[u64],
    c: &mut [u64],
) -> Result<()> {
    let product = ready.plan().problem();
    let ([first, second], length) = (product.lengths(), product.length()?);
    let rows = a.chunks_exact(LIMBS * first).zip(b.chunks_exact(LIMBS * second));
    let check = work::asks();
    for ((a, b), c) in rows.zip(c.chunks_exact_mut(LIMBS * length)) {
        check()?;
        let (a, b) = (elements(a, "coefficient")?, elements(b, "coefficient")?);
        write(&ready.run((&a[..], &b[..]))?, c);
    }
    Ok(())
}

fn multiply<F: Scalar>(
    a: &[u64],
    b: &[u64],
    c: &mut [u64],
    lengths: (usize, usize),
    device: &str,
) -> Result<()> {
    let product = Product::<F>::new(lengths.0, lengths.1);
    let device = device::select(device, &product)?;
    multiply_rows(&product.plan(&device)?.prepare(&device)?, a, b, c)
}

/// Plans the transform of `batch` vectors of `n` elements of a field.
pub fn planned_transform(
    field: &str,
    n: usize,
    batch: usize,
    options: Options,
    device: &str,
) -> Result<Plan> {
    with_curve!(curve_of(field)?, C => plan_transform::<ScalarField<C>>(n, batch, options, device))
}

fn plan_transform<F: Scalar>(n: usize, batch: usize, options: Options, device: &str) -> Result<Plan> {
    planned(device, &transform_of::<F>(n, batch, options)?, |ready| {
        Prepared::FieldTransform(Box::new(move |limbs| {
            let mut data = elements(limbs, "entry")?;
            ready.run(&mut data)?;
            write(&data, limbs);
            Ok(())
        }))
    })
}

/// Plans the product of polynomials of `lengths` elements of a field, at least one each.
pub fn planned_product(field: &str, lengths: (usize, usize), device: &str) -> Result<Plan> {
    with_curve!(curve_of(field)?, C => plan_product::<ScalarField<C>>(lengths, device))
}

fn plan_product<F: Scalar>(lengths: (usize, usize), device: &str) -> Result<Plan> {
    planned(device, &Product::<F>::new(lengths.0, lengths.1), |ready| {
        Prepared::FieldProduct(Box::new(move |a, b, c| multiply_rows(&ready, a, b, c)))
    })
}

/// Multiplies row k of `a` (`lengths.0` elements each, at least one) by row k of `b` into row k of `c`.
#[pyfunction]
pub fn field_multiply(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    c: &Bound<'_, PyAny>,
    lengths: (usize, usize),
    field: &str,
    device: DeviceName,
) -> PyResult<()> {
    let curve = raised(py, curve_of(field))?;
    let data = (Input::<u64>::new(a)?, Input::<u64>::new(b)?, Output::<u64>::new(c)?);
    let is_short = is_short(&device, data.0.get().len() + data.1.get().len());
    work::run_short(
        py,
        is_short,
        data,
        move |(a, b, c)| with_curve!(curve, C => multiply::<ScalarField<C>>(a.get(), b.get(), c.get(), lengths, &device)),
    )
}
