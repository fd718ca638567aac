//! Transforms and products in one call.

use pyo3::prelude::*;
use wgalois::field::Prime;
use wgalois::ntt::exact::ExactProduct;
use wgalois::ntt::{self, Coset, Direction, Order, Product, Transform};
use wgalois::{Error, Result};

use crate::buffers::{Input, Output};
use crate::device;
use crate::errors::raised;
use crate::work;

/// The options of a transform, as the Python half passes them: (inverse, input is bit-reversed, output is
/// bit-reversed, shift of the coset, negacyclic).
pub type Options = (bool, bool, bool, Option<u32>, bool);

/// The transform of `batch` vectors of `n` entries.
pub fn transform_of(prime: &str, n: usize, batch: usize, options: Options) -> Result<Transform> {
    let (inverse, input_reversed, output_reversed, shift, negacyclic) = options;
    let order = |reversed| if reversed { Order::BitReversed } else { Order::Natural };
    let coset = match (shift, negacyclic) {
        (Some(_), true) => {
            return Err(Error::Usage("coset= and negacyclic= exclude each other".into()));
        }
        (Some(shift), false) => Coset::Shift(shift),
        (None, true) => Coset::Negacyclic,
        (None, false) => Coset::Subgroup,
    };
    let transform = Transform::new(prime.parse()?, n)?
        .with_batch(batch)
        .with_direction(if inverse { Direction::Inverse } else { Direction::Forward })
        .with_input(order(input_reversed))
        .with_output(order(output_reversed))
        .with_coset(coset);
    transform.shift()?;
    Ok(transform)
}

/// The ring of a product as the Python half passes it: "full", "cyclic" or "negacyclic", and n of x^n - 1 or x^n + 1.
pub type Form = (String, usize);

/// The ring of a product.
pub fn form_of(form: &Form) -> Result<ntt::Ring> {
    let (mode, n) = (form.0.as_str(), form.1);
    match mode {
        "full" => Ok(ntt::Ring::Linear),
        "cyclic" => Ok(ntt::Ring::Cyclic(n)),
        "negacyclic" => Ok(ntt::Ring::Negacyclic(n)),
        _ => Err(Error::unknown("mode", mode, ["full", "cyclic", "negacyclic"])),
    }
}

/// The value of a prime given by value or name.
#[pyfunction]
pub fn prime_value(py: Python<'_>, prime: &str) -> PyResult<u32> {
    raised(py, prime.parse::<Prime>().map(Prime::value))
}

/// The number of coefficients of a product.
#[pyfunction]
pub fn product_length(py: Python<'_>, form: Form, a: usize, b: usize) -> PyResult<usize> {
    raised(py, form_of(&form).and_then(|form| form.length(a, b)))
}

/// Transforms the vectors of `data`, each of `n` words, in place.
#[pyfunction]
pub fn transform(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    n: usize,
    prime: String,
    options: Options,
    device: String,
) -> PyResult<()> {
    work::run(py, Output::<u32>::new(data)?, move |data| {
        let data = data.get();
        let transform = transform_of(&prime, n, data.len() / n.max(1), options)?;
        ntt::transform(&device::select(&device, &transform)?, &transform, data)
    })
}

/// Multiplies row k of `a` (`lengths.0` words each) by row k of `b` into row k of `c`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python half names them")]
pub fn multiply(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    c: &Bound<'_, PyAny>,
    lengths: (usize, usize),
    prime: String,
    form: Form,
    device: String,
) -> PyResult<()> {
    let data = (Input::<u32>::new(a)?, Input::<u32>::new(b)?, Output::<u32>::new(c)?);
    work::run(py, data, move |(a, b, c)| {
        let (a, b, c) = (a.get(), b.get(), c.get());
        let form = form_of(&form)?;
        let product = Product::new(prime.parse()?, lengths.0, lengths.1).with_ring(form);
        let length = product.length()?;
        let factors = rows(a, b, c.len(), lengths, length);
        let product = product.with_batch(factors.len());
        let device = device::select(&device, &product)?;
        let products = ntt::multiply_many(&device, &product, &factors)?;
        copy_rows(&products, c, length);
        Ok(())
    })
}

/// The pairs of factors of a batch.
pub fn rows<'a, T>(
    a: &'a [T],
    b: &'a [T],
    words: usize,
    lengths: (usize, usize),
    length: usize,
) -> Vec<[&'a [T]; 2]> {
    let count = words.checked_div(length).unwrap_or(0);
    (0..count).map(|k| [&a[k * lengths.0..][..lengths.0], &b[k * lengths.1..][..lengths.1]]).collect()
}

/// Copies products of `length` coefficients to the rows of `c`.
pub fn copy_rows(products: &[Vec<u32>], c: &mut [u32], length: usize) {
    for (product, c) in products.iter().zip(c.chunks_mut(length.max(1))) {
        c.copy_from_slice(product);
    }
}

/// Multiplies rows of integers exactly. The products are 128-bit integers: `low` gets their low words, `high` the high ones.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python half names them")]
pub fn exact(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    low: &Bound<'_, PyAny>,
    high: &Bound<'_, PyAny>,
    lengths: (usize, usize),
    form: Form,
    device: String,
) -> PyResult<()> {
    let factors = (Input::<i64>::new(a)?, Input::<i64>::new(b)?);
    let products = (Output::<u64>::new(low)?, Output::<i64>::new(high)?);
    work::run(py, (factors, products), move |((a, b), (low, high))| {
        let (low, high) = (low.get(), high.get());
        let product = ExactProduct::new(lengths.0, lengths.1).with_ring(form_of(&form)?);
        let length = product.length()?;
        let device = device::select(&device, &product)?;
        let factors = rows(a.get(), b.get(), low.len(), lengths, length);
        let halves = low.chunks_mut(length.max(1)).zip(high.chunks_mut(length.max(1)));
        let check = work::asks();
        for ([a, b], (low, high)) in factors.into_iter().zip(halves) {
            check()?;
            split(&ntt::exact::multiply(&device, &product, a, b)?, low, high);
        }
        Ok(())
    })
}

/// Divides 128-bit integers into words.
pub fn split(integers: &[i128], low: &mut [u64], high: &mut [i64]) {
    for ((&integer, low), high) in integers.iter().zip(low).zip(high) {
        (*low, *high) = (integer as u64, (integer >> 64) as i64);
    }
}
