//! Vectors of residues that stay on a device.

use crate::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

use wgalois::field::Prime;
use wgalois::gpu::DeviceVec;
use wgalois::ntt::{self, Product};

use crate::forks;
use crate::ntt::{Options, RingArgument, SHORT, ring_of, transform_of};
use crate::plan::{Plan, Prepared, other_operation};

/// Words on a device. The CPU engine's are on the host.
pub enum Words {
    Host(Vec<u32>),
    Device(DeviceVec<u32>),
}

/// Residues modulo a prime on a device, checked when they were uploaded.
#[pyclass(frozen, module = "wgalois._native")]
pub struct DeviceArray {
    prime: Prime,
    device: Device,
    /// The number of words, which stays known while work holds them.
    len: usize,
    words: Arc<Mutex<Words>>,
}

impl Drop for DeviceArray {
    fn drop(&mut self) {
        forks::keep(|| (self.device.clone(), Arc::clone(&self.words)));
    }
}

fn locked(words: &Mutex<Words>) -> MutexGuard<'_, Words> {
    words.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The device on which single vectors live: a GPU, or the CPU engine.
fn one(name: &str, len: usize, prime: Prime) -> Result<Device> {
    // The work that these words may be for is not known; the product of two of them stands for it.
    device::one(device::select(name, &Product::new(prime, len / 2, len / 2))?)
}

impl DeviceArray {
    fn new(prime: Prime, device: Device, words: Words) -> Self {
        let len = match &words {
            Words::Host(words) => words.len(),
            Words::Device(vector) => vector.len(),
        };
        DeviceArray { prime, device, len, words: Arc::new(Mutex::new(words)) }
    }

    /// True if its words are handled within a millisecond.
    fn is_short(&self) -> bool {
        matches!(self.device, Device::Cpu(_)) && self.len <= SHORT / 2
    }

    /// [`work::run_short`] on these words, their device, and other data.
    fn run_with<D: Send + 'static, T: Send + 'static>(
        &self,
        py: Python<'_>,
        data: D,
        work: impl FnOnce(&Device, &Mutex<Words>, &mut D) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let (device, words) = (self.device.clone(), Arc::clone(&self.words));
        work::run_short(py, self.is_short(), data, move |data| {
            work::stops(&device)?;
            work(&device, &words, data)
        })
    }

    fn expect_prime(&self, prime: Prime) -> Result<()> {
        match self.prime == prime {
            true => Ok(()),
            false => Err(Error::Input(format!("residues modulo {}, and the prime is {prime}", self.prime))),
        }
    }
}

/// Residues on a device.
fn uploaded(device: &Device, prime: Prime, data: &[u32]) -> Result<Words> {
    if let Device::Gpu(gpu) = device {
        return ntt::upload_checked(gpu, prime, data).map(Words::Device);
    }
    match data.iter().position(|&word| word >= prime.value()) {
        None => Ok(Words::Host(data.to_vec())),
        Some(index) => {
            let (value, modulus) = (data[index].into(), prime.value().into());
            Err(Error::NotReduced { what: "word", index, value, modulus })
        }
    }
}

fn copied(words: &Words) -> Result<Words> {
    Ok(match words {
        Words::Host(words) => Words::Host(words.clone()),
        Words::Device(vector) => {
            let mut copy = vector.gpu().zeros(vector.len())?;
            copy.assign(vector)?;
            Words::Device(copy)
        }
    })
}

#[pymethods]
impl DeviceArray {
    /// Copies residues to a device.
    #[staticmethod]
    fn of(py: Python<'_>, data: &Bound<'_, PyAny>, prime: String, device: DeviceName) -> PyResult<Self> {
        let data = Input::<u32>::new(data)?;
        let is_short = data.get().len() <= SHORT && device::is_cpu_if_short(&device);
        work::run_short(py, is_short, data, move |data| {
            let (data, prime) = (data.get(), prime.parse::<Prime>()?);
            let device = one(&device, data.len(), prime)?;
            let words = uploaded(&device, prime, data)?;
            Ok(DeviceArray::new(prime, device, words))
        })
    }

    /// Copies residues of this array's prime to its device.
    fn like(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (prime, data) = (self.prime, Input::<u32>::new(data)?);
        let words = self.run_with(py, data, move |device, _, data| uploaded(device, prime, data.get()))?;
        Ok(DeviceArray::new(prime, self.device.clone(), words))
    }

    /// Copies the words to an array.
    fn read(&self, py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        self.run_with(py, Output::<u32>::new(out)?, |_, words, out| {
            let out = out.get();
            match &*locked(words) {
                Words::Host(words) => out.copy_from_slice(&words[..out.len()]),
                Words::Device(vector) => vector.read_into(0, out)?,
            }
            Ok(())
        })
    }

    #[getter]
    fn device(&self) -> String {
        device::name(&self.device)
    }

    #[getter]
    fn prime(&self) -> u32 {
        self.prime.value()
    }

    fn __len__(&self) -> usize {
        self.len
    }

    /// A copy on the device.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let copy = self.run_with(py, (), |_, words, ()| copied(&locked(words)))?;
        Ok(DeviceArray::new(self.prime, self.device.clone(), copy))
    }

    /// The transforms of the vectors of `n` words: a new array on the device, or this one if `in_place`.
    fn transform(
        &self,
        py: Python<'_>,
        n: usize,
        options: Options,
        in_place: bool,
    ) -> PyResult<Option<Self>> {
        let prime = self.prime.to_string();
        let transform = raised(py, transform_of(&prime, n, self.len / n.max(1), options))?;
        let copy = self.run_with(py, (), move |device, words, ()| {
            let ready = transform.plan(device)?.prepare(device)?;
            let apply = |words: &mut Words| match words {
                Words::Host(words) => ready.run(words),
                Words::Device(vector) => ready.run_on_device(vector),
            };
            let mut words = locked(words);
            if in_place {
                return apply(&mut words).map(|()| None);
            }
            let mut copy = copied(&words)?;
            drop(words);
            apply(&mut copy).map(|()| Some(copy))
        })?;
        Ok(copy.map(|words| DeviceArray::new(self.prime, self.device.clone(), words)))
    }

    /// [`transform`](Self::transform) by a plan for these vectors, in place.
    fn run(&self, py: Python<'_>, plan: &Plan) -> PyResult<()> {
        let (words, prepared) = (Arc::clone(&self.words), Arc::clone(&plan.prepared));
        let Prepared::Transform(ready) = &*prepared else {
            return raised(py, Err(other_operation()));
        };
        raised(py, self.expect_prime(ready.plan().transform().prime()))?;
        let device = plan.device.clone();
        work::run_short(py, self.is_short(), Arc::clone(&prepared), move |prepared| {
            work::stops(&device)?;
            match (&**prepared, &mut *locked(&words)) {
                (Prepared::Transform(ready), Words::Host(words)) => ready.run(words),
                (Prepared::Transform(ready), Words::Device(vector)) => ready.run_on_device(vector),
                _ => Err(other_operation()),
            }
        })
    }

    /// The product with another array on the same device, and its number of coefficients. `lengths` are those of the
    /// factors: on a GPU the vector of a product may be longer, and zeros follow.
    fn multiply(
        &self,
        py: Python<'_>,
        other: &Self,
        lengths: (usize, usize),
        ring: RingArgument,
    ) -> PyResult<(Self, usize)> {
        raised(py, self.expect_prime(other.prime))?;
        let (prime, b) = (self.prime, Arc::clone(&other.words));
        let (words, length) = self.run_with(py, (), move |device, a, ()| {
            let product = Product::new(prime, lengths.0, lengths.1).with_ring(ring_of(&ring)?);
            let ready = product.plan(device)?.prepare(device)?;
            // A copy of the second factor, so that an array may be multiplied by itself.
            let b = copied(&locked(&b))?;
            let words = match (&*locked(a), &b) {
                (Words::Host(a), Words::Host(b)) => Words::Host(ready.multiply(a, b)?),
                (Words::Device(a), Words::Device(b)) => Words::Device(ready.run_on_device(a, b)?),
                _ => return Err(Error::OtherDevice { what: "the second factor is" }),
            };
            Ok((words, product.length()?))
        })?;
        Ok((DeviceArray::new(prime, self.device.clone(), words), length))
    }
}
