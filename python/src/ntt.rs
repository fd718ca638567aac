//! Transforms and products in one call.

use crate::prelude::*;
use wgalois::field::{Modulus, Prime};
use wgalois::ntt::exact::ExactProduct;
use wgalois::ntt::{
    self, CosetOf, Direction, DiscreteTransform, Elements, Order, Product, Transform, TransformOf, ml_kem,
};
use wgalois::parallel::*;

/// Words that are transformed or multiplied within a millisecond, by a margin.
pub const SHORT: usize = 1 << 14;

/// True if so many words are transformed or multiplied within a millisecond on the device that `name` selects.
fn is_short(name: &str, words: usize) -> bool {
    words <= SHORT && device::is_cpu_if_short(name)
}

/// The options of a transform, as the Python half passes them: (inverse, input is bit-reversed, output is
/// bit-reversed, shift of the coset, negacyclic).
pub type Options<E = u32> = (bool, bool, bool, Option<E>, bool);

/// A transform with these options.
pub fn with_options<K: Elements>(
    transform: TransformOf<K>,
    batch: usize,
    options: Options<K::Element>,
) -> Result<TransformOf<K>> {
    let (inverse, input_reversed, output_reversed, shift, negacyclic) = options;
    let order = |reversed| if reversed { Order::BitReversed } else { Order::Natural };
    let coset = match (shift, negacyclic) {
        (Some(_), true) => return Err(Error::Usage("coset= and negacyclic= exclude each other".into())),
        (Some(shift), false) => CosetOf::Shift(shift),
        (None, true) => CosetOf::Negacyclic,
        (None, false) => CosetOf::Subgroup,
    };
    Ok(transform
        .with_batch(batch)
        .with_direction(if inverse { Direction::Inverse } else { Direction::Forward })
        .with_input(order(input_reversed))
        .with_output(order(output_reversed))
        .with_coset(coset))
}

/// The transform of `batch` vectors of `n` entries.
pub fn transform_of(prime: &str, n: usize, batch: usize, options: Options) -> Result<Transform> {
    let transform = with_options(Transform::new(prime.parse()?, n)?, batch, options)?;
    transform.shift()?;
    Ok(transform)
}

/// The ring of a product as the Python half passes it: "full", "cyclic" or "negacyclic", and n of x^n - 1 or x^n + 1.
pub type RingArgument = (String, usize);

/// The ring of a product.
pub fn ring_of(ring: &RingArgument) -> Result<ntt::Ring> {
    let (mode, n) = (ring.0.as_str(), ring.1);
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

/// The value of a modulus of products, given by value or name.
#[pyfunction]
pub fn modulus_value(py: Python<'_>, modulus: &str) -> PyResult<u32> {
    raised(py, modulus.parse::<Modulus>().map(Modulus::value))
}

/// The number of coefficients of a product.
#[pyfunction]
pub fn product_length(py: Python<'_>, ring: RingArgument, a: usize, b: usize) -> PyResult<usize> {
    raised(py, ring_of(&ring).and_then(|ring| ring.length(a, b)))
}

/// Transforms the vectors of `data`, each of `n` words, in place.
#[pyfunction]
pub fn transform(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    n: usize,
    prime: String,
    options: Options,
    device: DeviceName,
) -> PyResult<()> {
    let mut data = Output::<u32>::new(data)?;
    let is_short = is_short(&device, data.get().len());
    work::run_short(py, is_short, data, move |data| {
        let data = data.get();
        let transform = transform_of(&prime, n, data.len() / n.max(1), options)?;
        ntt::transform(&device::select(&device, &transform)?, &transform, data)
    })
}

/// A discrete transform with this root, or that of the smallest generator.
fn discrete_of(prime: &str, n: usize, root: Option<u32>) -> Result<DiscreteTransform> {
    let transform = DiscreteTransform::new(prime.parse()?, n)?;
    root.map_or(Ok(transform), |root| transform.with_root(root))
}

/// The root of unity of order `n` that transforms take by default.
#[pyfunction]
pub fn discrete_root(py: Python<'_>, n: usize, prime: &str) -> PyResult<u32> {
    raised(py, discrete_of(prime, n, None).map(|transform| transform.root()))
}

/// Transforms the vectors of `data`, each of `n` words, in place; `n` divides p - 1.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the Python half names them")]
pub fn discrete(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    n: usize,
    prime: String,
    inverse: bool,
    shift: Option<u32>,
    root: Option<u32>,
    device: DeviceName,
) -> PyResult<()> {
    let mut data = Output::<u32>::new(data)?;
    let is_short = is_short(&device, 4 * data.get().len());
    work::run_short(py, is_short, data, move |data| {
        let data = data.get();
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        let transform = discrete_of(&prime, n, root)?.with_shift(shift.unwrap_or(1))?;
        let transform = transform.with_batch(data.len() / n.max(1)).with_direction(direction);
        ntt::discrete_transform(&device::select(&device, &transform)?, &transform, data)
    })
}

/// Transforms polynomials of ML-KEM in place.
#[pyfunction]
pub fn ml_kem_transform(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    inverse: bool,
    device: DeviceName,
) -> PyResult<()> {
    let mut data = Output::<u32>::new(data)?;
    let is_short = is_short(&device, data.get().len());
    work::run_short(py, is_short, data, move |data| {
        let data = data.get();
        let stand_in =
            Transform::new(ml_kem::MODULUS.to_string().parse()?, 128)?.with_batch(data.len() / 128);
        let device = device::select(&device, &stand_in)?;
        if inverse { ml_kem::inverse(&device, data) } else { ml_kem::transform(&device, data) }
    })
}

/// Multiplies transformed polynomials of ML-KEM into `c`.
#[pyfunction]
pub fn ml_kem_multiply(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    c: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let data = (Input::<u32>::new(a)?, Input::<u32>::new(b)?, Output::<u32>::new(c)?);
    let is_short = is_short("cpu", 2 * data.0.get().len());
    work::run_short(py, is_short, data, move |(a, b, c)| {
        c.get().copy_from_slice(&ml_kem::multiply(a.get(), b.get())?);
        Ok(())
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
    ring: RingArgument,
    device: DeviceName,
) -> PyResult<()> {
    let data = (Input::<u32>::new(a)?, Input::<u32>::new(b)?, Output::<u32>::new(c)?);
    let is_short = is_short(&device, data.0.get().len() + data.1.get().len());
    work::run_short(py, is_short, data, move |data| {
        let modulus: Modulus = prime.parse()?;
        let product = Product::new(modulus, lengths.0, lengths.1).with_ring(ring_of(&ring)?);
        multiply_rows(&product, data, |factors| {
            let product = product.with_batch(factors.len());
            ntt::multiply_many(&device::select(&device, &product)?, &product, factors)
        })
    })
}

/// Multiplies the rows of two arrays into those of a third; `multiply` does so with all pairs of factors.
pub fn multiply_rows(
    product: &Product,
    (a, b, c): &mut (Input<u32>, Input<u32>, Output<u32>),
    multiply: impl FnOnce(&[[&[u32]; 2]]) -> Result<Vec<Vec<u32>>>,
) -> Result<()> {
    let (length, c) = (product.length()?, c.get());
    let products = multiply(&rows(a.get(), b.get(), c.len(), product.lengths(), length))?;
    for (product, c) in products.iter().zip(c.chunks_mut(length.max(1))) {
        c.copy_from_slice(product);
    }
    Ok(())
}

/// The pairs of factors of a batch.
fn rows<'a, T>(
    a: &'a [T],
    b: &'a [T],
    words: usize,
    [first, second]: [usize; 2],
    length: usize,
) -> Vec<[&'a [T]; 2]> {
    let count = words.checked_div(length).unwrap_or(0);
    (0..count).map(|k| [&a[k * first..][..first], &b[k * second..][..second]]).collect()
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
    ring: RingArgument,
    device: DeviceName,
) -> PyResult<bool> {
    let data = exact_rows(a, b, low, high)?;
    // Each product is planned on its own.
    let words = data.0.0.get().len() + data.0.1.get().len();
    let is_short = is_short(&device, 2 * words + 256 * words / (lengths.0 + lengths.1).max(1));
    work::run_short(py, is_short, data, move |data| {
        let magnitudes = [data.0.0.get(), data.0.1.get()].map(ntt::exact::magnitude);
        let product =
            ExactProduct::new(lengths.0, lengths.1).with_ring(ring_of(&ring)?).with_magnitudes(magnitudes);
        product.length()?;
        let device = device::select(&device, &product)?;
        multiply_exactly(&product, data, |a, b| ntt::exact::multiply(&device, &product, a, b))
    })
}

/// The arrays of exact products: factors, and low and high words.
pub type ExactRows = ((Input<i64>, Input<i64>), (Output<u64>, Output<i64>));

pub fn exact_rows(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    low: &Bound<'_, PyAny>,
    high: &Bound<'_, PyAny>,
) -> PyResult<ExactRows> {
    Ok(((Input::new(a)?, Input::new(b)?), (Output::new(low)?, Output::new(high)?)))
}

/// Multiplies row after row, and divides the 128-bit integers into words. True if all are integers of 64 bits, which the low words
/// are then; the high words are left as they were.
pub fn multiply_exactly(
    product: &ExactProduct,
    ((a, b), (low, high)): &mut ExactRows,
    multiply: impl Fn(&[i64], &[i64]) -> Result<Vec<i128>>,
) -> Result<bool> {
    let (length, low, high) = (product.length()?, low.get(), high.get());
    let factors = rows(a.get(), b.get(), low.len(), product.lengths(), length);
    let check = work::asks();
    let mut all_fit = true;
    for (row, [a, b]) in factors.into_iter().enumerate() {
        check()?;
        let integers = multiply(a, b)?;
        let places = row * length..(row + 1) * length;
        let fit = low_words(&integers, &mut low[places.clone()]);
        if all_fit && !fit {
            all_fit = false;
            // The rows before this one have integers of 64 bits.
            let before = high.iter_mut().zip(low.iter()).take(places.start);
            before.for_each(|(high, &low)| *high = (low as i64) >> 63);
        }
        if !all_fit {
            high[places].iter_mut().zip(integers).for_each(|(high, x)| *high = (x >> 64) as i64);
        }
    }
    Ok(all_fit)
}

/// Writes the low words of integers by all threads; true if these are integers of 64 bits.
fn low_words(integers: &[i128], low: &mut [u64]) -> bool {
    /// Integers that are written within some microseconds.
    const SHARE: usize = 1 << 15;
    let convert = |(low, integers): (&mut [u64], &[i128])| {
        let mut all = true;
        for (low, &x) in low.iter_mut().zip(integers) {
            *low = x as u64;
            all &= x == i128::from(x as i64);
        }
        all
    };
    let shares = low.par_chunks_mut(SHARE).zip(integers.par_chunks(SHARE));
    shares.map(convert).reduce(|| true, |all, fit| all & fit)
}
