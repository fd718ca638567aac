//! Matrices that stay on the device.

use std::marker::PhantomData;

use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use wgalois::gpu::{DeviceVec, Gpu};
use wgalois::ntt::Order;
use wgalois::{Error, Result};

use crate::field::{Field31, elements, words};

/// A matrix on a GPU, one row after the other, of words in Montgomery form as Plonky3 keeps them: what a kernel that
/// hashes rows takes. The rows are in natural order, or in that of Plonky3's bit-reversed views.
#[derive(Debug)]
pub struct ResidentMatrix<F> {
    words: DeviceVec<u32>,
    width: usize,
    order: Order,
    field: PhantomData<F>,
}

impl<F: Field31> ResidentMatrix<F> {
    /// Copies a matrix to the device.
    ///
    /// # Errors
    /// The device's.
    pub fn upload(gpu: &Gpu, matrix: &RowMajorMatrix<F>) -> Result<Self> {
        let words = gpu.upload(words(&matrix.values))?;
        Ok(Self::of(words, matrix.width(), Order::Natural))
    }

    /// Takes words that are on the device. They must be below p, which is not checked.
    ///
    /// # Errors
    /// [`Error::Input`] if they are not a whole number of rows.
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
    ///
    /// # Errors
    /// The device's, or an error of the work that computed the matrix.
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
