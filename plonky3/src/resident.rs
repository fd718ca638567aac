//! Matrices that stay on the device, and their transforms.

use std::marker::PhantomData;

use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use wgalois::gpu::{DeviceVec, Gpu};
use wgalois::ntt::Order;
use wgalois::{Device, Error, Result};

use crate::dft::WgaloisDft;
use crate::field::{Field31, elements, words};
use crate::job::{Job, Shape};
use crate::transform_device::TransformDevice;

/// A matrix on a GPU, one row after the other, of words in Montgomery form as Plonky3 keeps them: what a kernel that
/// hashes rows takes. The rows are in natural order, or in that of Plonky3's bit-reversed views.
///
/// # Errors
/// - [`Error::NoDevice`]: there is no GPU, or the device is the CPU engine or a group.
/// - [`Error::Input`]: the words are not a whole number of rows, or there is no such transform: the number of rows is
///   not a power of two from 2 to the longest transform, there are no columns, or the shift is 0.
#[derive(Debug)]
pub struct ResidentMatrix<F> {
    words: DeviceVec<u32>,
    width: usize,
    order: Order,
    field: PhantomData<F>,
}

impl<F: Field31> ResidentMatrix<F> {
    /// Copies a matrix to the device.
    pub fn upload(gpu: &Gpu, matrix: &RowMajorMatrix<F>) -> Result<Self> {
        let words = gpu.upload(words(&matrix.values))?;
        Ok(Self::of(words, matrix.width(), Order::Natural))
    }

    /// Takes words that are on the device. They must be below p, which is not checked.
    pub fn from_words(words: DeviceVec<u32>, width: usize, order: Order) -> Result<Self> {
        if width == 0 || !words.len().is_multiple_of(width) {
            return Err(Error::Input(format!("{} words in rows of {width}", words.len())));
        }
        Ok(Self::of(words, width, order))
    }

    pub(crate) fn of(words: DeviceVec<u32>, width: usize, order: Order) -> Self {
        ResidentMatrix { words, width, order, field: PhantomData }
    }

    /// Copies the rows to the host, in the order in which they lie. If that is [`Order::BitReversed`],
    /// `bit_reverse_rows` makes it the view that Plonky3's transforms return.
    pub fn download(&self) -> Result<RowMajorMatrix<F>> {
        Ok(RowMajorMatrix::new(elements(self.words.download()?), self.width))
    }

    /// The words, for kernels to bind.
    pub fn words(&self) -> &DeviceVec<u32> {
        &self.words
    }

    /// The words.
    pub fn into_words(self) -> DeviceVec<u32> {
        self.words
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.words.len() / self.width.max(1)
    }

    /// The order of the rows.
    pub fn order(&self) -> Order {
        self.order
    }
}

/// Transforms of matrices that stay on the device.
impl<F: Field31> WgaloisDft<F> {
    /// Copies a matrix to the device.
    pub fn upload(&self, matrix: &RowMajorMatrix<F>) -> Result<ResidentMatrix<F>> {
        match self.transforms().as_deref().map(TransformDevice::device) {
            Some(Device::Gpu(gpu)) => ResidentMatrix::upload(gpu, matrix),
            _ => Err(no_gpu()),
        }
    }

    /// [`coset_dft_batch`](p3_dft::TwoAdicSubgroupDft::coset_dft_batch) of a matrix on the device. The result's
    /// rows are in bit-reversed order.
    ///
    /// It returns before the work is done; the next download waits for it.
    pub fn coset_dft_resident(&self, matrix: &ResidentMatrix<F>, shift: F) -> Result<ResidentMatrix<F>> {
        let job = |shape, before| Job::values(shape, 0, shift, [before, Order::BitReversed]);
        self.resident(matrix, job, Order::BitReversed)
    }

    /// [`coset_idft_batch`](p3_dft::TwoAdicSubgroupDft::coset_idft_batch) of a matrix on the device. The result's
    /// rows are in natural order.
    pub fn coset_idft_resident(&self, matrix: &ResidentMatrix<F>, shift: F) -> Result<ResidentMatrix<F>> {
        let job = |shape, before| Job::coefficients(shape, shift, [before, Order::Natural]);
        self.resident(matrix, job, Order::Natural)
    }

    /// [`coset_lde_batch`](p3_dft::TwoAdicSubgroupDft::coset_lde_batch) of a matrix on the device. The result's
    /// rows are in bit-reversed order.
    pub fn coset_lde_resident(
        &self,
        matrix: &ResidentMatrix<F>,
        added_bits: usize,
        shift: F,
    ) -> Result<ResidentMatrix<F>> {
        let job = |shape, before| Job::extension(shape, added_bits, shift, [before, Order::BitReversed]);
        self.resident(matrix, job, Order::BitReversed)
    }

    fn resident(
        &self,
        matrix: &ResidentMatrix<F>,
        job: impl FnOnce(Shape, Order) -> Option<Job>,
        after: Order,
    ) -> Result<ResidentMatrix<F>> {
        let (rows, width) = (matrix.height(), matrix.width());
        let job = job([rows, width], matrix.order())
            .ok_or_else(|| Error::Input(format!("{rows} rows of {width}: there is no such transform")))?;
        let transforms = self.transforms().ok_or_else(no_gpu)?;
        let words = transforms.run_on_device(matrix.words(), &job)?;
        self.count_run();
        Ok(ResidentMatrix::of(words, width, after))
    }
}

fn no_gpu() -> Error {
    Error::NoDevice("matrices stay on a GPU only".into())
}
