//! Transforms by the names of ark-poly's `EvaluationDomain`.

use std::sync::Arc;

use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use wgalois::ntt::Direction;
use wgalois::ntt::scalar::{Coset, PreparedTransform, Transform, Vector, Vectors};
use wgalois::scalars::Scalar;
use wgalois::task::{Kept, Problem};
use wgalois::{Device, Error, Result};

/// A [`Radix2EvaluationDomain`] whose transforms run on a device. Values are ark-poly's.
///
/// It is cheap to clone, and clones and cosets share the transforms that were prepared: kernels and tables of a
/// direction, an offset and a number of vectors are made when they are first used. Several threads can use it, and a
/// device does their work in turn.
///
/// ```
/// use ark_bn254::Fr;
/// use ark_ff::FftField;
/// use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
/// use wgalois_arkworks::GpuDomain;
/// use wgalois_arkworks::wgalois::{Cpu, Device};
///
/// let coefficients = [1, 2, 3].map(Fr::from);
/// // Before.
/// let domain = Radix2EvaluationDomain::<Fr>::new(4).ok_or("no such domain")?;
/// let expected = domain.get_coset(Fr::GENERATOR).ok_or("no such coset")?.fft(&coefficients);
/// // After; `Device::Gpu(Gpu::new()?)` is the first GPU.
/// let domain = GpuDomain::<Fr>::new(&Device::Cpu(Cpu::default()), 4)?;
/// assert_eq!(domain.get_coset(Fr::GENERATOR)?.fft(&coefficients)?, expected);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// - [`Error::Input`], one of:
///   - The field has no subgroup of this size.
///   - A domain of arkworks is no coset of its subgroup of a power of two.
///   - For a division by x^m - 1, `m` does not divide the size, or x^m - 1 is 0 somewhere on this domain.
/// - [`Error::ZeroShift`]: the offset of a coset is 0.
/// - [`Error::TooMany`]: there are more coefficients than elements.
/// - [`Error::WrongLength`]: a vector on the device has another length than the domain.
/// - [`Error::OtherDevice`], [`Error::DifferentDevices`]: a vector is on another device.
/// - [`Error::OutOfMemory`]: threads cannot start.
#[derive(Clone, Debug)]
pub struct GpuDomain<F: Scalar> {
    transforms: Arc<TransformDevice<F>>,
    domain: Radix2EvaluationDomain<F>,
}

/// A device with the transforms that it has prepared.
#[derive(Debug)]
struct TransformDevice<F: Scalar> {
    device: Device,
    vectors: Vectors<F>,
    /// A domain, its coset and a batch take six.
    prepared: Kept<PreparedTransform<F>>,
}

impl<F: Scalar> GpuDomain<F> {
    /// The subgroup of the smallest power of two that is at least `num_coeffs`.
    pub fn new(device: &Device, num_coeffs: usize) -> Result<Self> {
        let none =
            || Error::Input(format!("no subgroup of {num_coeffs} elements, or of the next power of two"));
        let size = Radix2EvaluationDomain::<F>::compute_size_of_domain(num_coeffs).ok_or_else(none)?;
        // Transforms have bounds of their own.
        Transform::<F>::new(size)?;
        let domain = Radix2EvaluationDomain::new(size).ok_or_else(none)?;
        let transforms = TransformDevice {
            device: device.clone(),
            vectors: Vectors::new(device)?,
            prepared: Kept::default(),
        };
        Ok(GpuDomain { transforms: Arc::new(transforms), domain })
    }

    /// The coset of `offset` and the subgroup of [`new`](Self::new).
    pub fn new_coset(device: &Device, num_coeffs: usize, offset: F) -> Result<Self> {
        Self::new(device, num_coeffs)?.get_coset(offset)
    }

    /// The domain that arkworks has, such as a `GeneralEvaluationDomain`, on a device.
    pub fn from_domain<D: EvaluationDomain<F>>(device: &Device, domain: &D) -> Result<Self> {
        let ours = Self::new_coset(device, domain.size(), domain.coset_offset())?;
        match ours.group_gen() == domain.group_gen() && ours.size() == domain.size() {
            true => Ok(ours),
            false => Err(Error::Input(format!("not a coset of arkworks' radix-2 subgroups: {domain:?}"))),
        }
    }

    /// The coset of `offset` and this domain's subgroup, which shares what was prepared.
    pub fn get_coset(&self, offset: F) -> Result<Self> {
        let coset = self.domain.get_coset(offset);
        let domain = coset.ok_or(Error::ZeroShift)?;
        Ok(GpuDomain { transforms: self.transforms.clone(), domain })
    }

    /// The domain as arkworks has it: for its elements, its vanishing polynomial, and what else is no transform.
    pub fn domain(&self) -> &Radix2EvaluationDomain<F> {
        &self.domain
    }

    /// The number of elements, a power of two.
    pub fn size(&self) -> usize {
        self.domain.size()
    }

    /// The generator of the subgroup.
    pub fn group_gen(&self) -> F {
        self.domain.group_gen()
    }

    /// The offset of the coset; 1 for a subgroup.
    pub fn coset_offset(&self) -> F {
        self.domain.coset_offset()
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.transforms.device
    }

    /// The values of a polynomial on the domain, by its coefficients from the lowest. Missing ones count as 0. More
    /// coefficients than elements are an error, where ark-poly would cut them off.
    pub fn fft(&self, coeffs: &[F]) -> Result<Vec<F>> {
        self.run(Direction::Forward, coeffs)
    }

    /// [`fft`](Self::fft), in the place of the coefficients, which become as many as there are elements. After an error
    /// the vector has no meaning.
    pub fn fft_in_place(&self, coeffs: &mut Vec<F>) -> Result<()> {
        self.run_in_place(Direction::Forward, coeffs)
    }

    /// The coefficients of the polynomial that has these values on the domain. Missing ones count as 0.
    pub fn ifft(&self, evals: &[F]) -> Result<Vec<F>> {
        self.run(Direction::Inverse, evals)
    }

    /// [`ifft`](Self::ifft), in the place of the values. After an error the vector has no meaning.
    pub fn ifft_in_place(&self, evals: &mut Vec<F>) -> Result<()> {
        self.run_in_place(Direction::Inverse, evals)
    }

    /// [`fft_in_place`](Self::fft_in_place) of several polynomials in one run. After an error they are as before.
    pub fn fft_many_in_place(&self, polynomials: &mut [Vec<F>]) -> Result<()> {
        self.run_many_in_place(Direction::Forward, polynomials)
    }

    /// [`ifft_in_place`](Self::ifft_in_place) of several vectors of values in one run. After an error they are as
    /// before.
    pub fn ifft_many_in_place(&self, evals: &mut [Vec<F>]) -> Result<()> {
        self.run_many_in_place(Direction::Inverse, evals)
    }

    /// Coefficients or values on the device, padded with zeros to the size of the domain. They stay there for the
    /// `_resident` methods and for [`Bases::msm_resident`](crate::Bases::msm_resident).
    pub fn upload(&self, scalars: &[F]) -> Result<Vector<F>> {
        self.check_len(scalars.len())?;
        self.transforms.vectors.upload_padded(scalars, self.size())
    }

    /// [`fft_in_place`](Self::fft_in_place) of a vector on the device. It returns before the work is done.
    pub fn fft_resident(&self, coeffs: &mut Vector<F>) -> Result<()> {
        self.prepared(Direction::Forward, 1)?.run_vector(coeffs)
    }

    /// [`ifft_in_place`](Self::ifft_in_place) of a vector on the device. It returns before the work is done.
    pub fn ifft_resident(&self, evals: &mut Vector<F>) -> Result<()> {
        self.prepared(Direction::Inverse, 1)?.run_vector(evals)
    }

    /// The values of the product of two polynomials, by their values, in the place of the first. Both vectors are on
    /// the device: for one product of vectors on the host, a device would not pay for the way there.
    pub fn mul_polynomials_in_evaluation_domain(&self, a: &mut Vector<F>, b: &Vector<F>) -> Result<()> {
        self.transforms.vectors.multiply(a, b)
    }

    /// Divides the values of a polynomial on this domain, a coset, by those of the polynomial x^m - 1, which vanishes
    /// on the subgroup of `m` elements. The vector is on the device.
    ///
    /// ```
    /// use ark_bn254::Fr;
    /// use ark_ff::FftField;
    /// use wgalois_arkworks::GpuDomain;
    /// use wgalois_arkworks::wgalois::{Cpu, Device};
    ///
    /// // (x^4 - 1) / (x^2 - 1) = x^2 + 1, on a coset of eight elements.
    /// let coset = GpuDomain::new_coset(&Device::Cpu(Cpu::default()), 8, Fr::GENERATOR)?;
    /// let mut values = coset.upload(&[-1, 0, 0, 0, 1].map(Fr::from))?;
    /// coset.fft_resident(&mut values)?;
    /// coset.divide_by_vanishing_poly_on_coset(&mut values, 2)?;
    /// coset.ifft_resident(&mut values)?;
    /// assert_eq!(values.download()?, [1, 0, 1, 0, 0, 0, 0, 0].map(Fr::from));
    /// # Ok::<(), wgalois_arkworks::wgalois::Error>(())
    /// ```
    pub fn divide_by_vanishing_poly_on_coset(&self, evals: &mut Vector<F>, m: usize) -> Result<()> {
        self.transforms.vectors.divide_by_vanishing(evals, &self.transform(Direction::Forward, 1)?, m)
    }

    /// The operations on vectors on the device: sums, products, powers, inverses.
    pub fn vectors(&self) -> &Vectors<F> {
        &self.transforms.vectors
    }

    fn run(&self, direction: Direction, scalars: &[F]) -> Result<Vec<F>> {
        self.check_len(scalars.len())?;
        let mut data = room(self.size())?;
        data.extend_from_slice(scalars);
        self.run_in_place(direction, &mut data)?;
        Ok(data)
    }

    fn run_in_place(&self, direction: Direction, data: &mut Vec<F>) -> Result<()> {
        self.check_len(data.len())?;
        let prepared = self.prepared(direction, 1)?;
        data.try_reserve_exact(self.size() - data.len()).map_err(|error| shortage(self.size(), &error))?;
        data.resize(self.size(), F::ZERO);
        prepared.run(data)
    }

    fn run_many_in_place(&self, direction: Direction, vectors: &mut [Vec<F>]) -> Result<()> {
        if let [vector] = vectors {
            let mut data = self.run(direction, vector)?;
            std::mem::swap(vector, &mut data);
            return Ok(());
        }
        vectors.iter().try_for_each(|vector| self.check_len(vector.len()))?;
        let len = self.size().saturating_mul(vectors.len());
        let mut data = room(len)?;
        for (i, vector) in vectors.iter().enumerate() {
            data.extend_from_slice(vector);
            data.resize((i + 1) * self.size(), F::ZERO);
        }
        self.prepared(direction, vectors.len())?.run(&mut data)?;
        for (vector, result) in vectors.iter_mut().zip(data.chunks_exact(self.size())) {
            vector.clear();
            vector.extend_from_slice(result);
        }
        Ok(())
    }

    fn check_len(&self, len: usize) -> Result<()> {
        Error::expect_at_most("scalars of a domain", self.size() as u64, len as u64)
    }

    fn transform(&self, direction: Direction, batch: usize) -> Result<Transform<F>> {
        let coset = match self.coset_offset() {
            offset if offset == F::ONE => Coset::Subgroup,
            offset => Coset::Shift(offset),
        };
        let transform = Transform::new(self.size())?;
        Ok(transform.with_direction(direction).with_coset(coset).with_batch(batch))
    }

    fn prepared(&self, direction: Direction, batch: usize) -> Result<Arc<PreparedTransform<F>>> {
        let (transform, device) = (self.transform(direction, batch)?, &self.transforms.device);
        let is_it = |prepared: &PreparedTransform<F>| *prepared.plan().transform() == transform;
        self.transforms.prepared.get(is_it, || transform.plan(device)?.prepare(device))
    }
}

/// An empty vector with room for `len` scalars.
fn room<F>(len: usize) -> Result<Vec<F>> {
    let mut room = Vec::new();
    room.try_reserve_exact(len).map_err(|error| shortage(len, &error))?;
    Ok(room)
}

fn shortage(len: usize, error: &dyn std::error::Error) -> Error {
    Error::OutOfMemory(format!("{len} scalars on the host: {error}").into())
}
