//! Plonky3's trait, on a device.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use p3_dft::{Layout, Radix2DitParallel, TwoAdicSubgroupDft};
use p3_field::BasedVectorSpace;
use p3_matrix::Matrix;
use p3_matrix::bitrev::{BitReversedMatrixView, BitReversibleMatrix};
use p3_matrix::dense::{RowMajorMatrix, RowMajorMatrixView, RowMajorMatrixViewMut};
use wgalois::{Device, Error};

use crate::crossover::{Crossover, LEAST};
use crate::field::{Field31, elements, into_words, words};
use crate::job::{Job, NATURAL, TO_BIT_REVERSED};
use crate::matrix::{by_coordinates, shape};
use crate::recover::from_second_block;
use crate::transform_device::TransformDevice;

/// Plonky3's transforms of the columns of a matrix, on a device. Clones share the device, its kernels and tables.
///
/// The default opens the first GPU when the first matrix that is large enough comes, once for the whole program;
/// without a GPU, all matrices go to Plonky3's own code. Software drivers count as no GPU unless the variable
/// `WGPU_ADAPTER_NAME` names one.
#[derive(Clone, Debug, Default)]
pub struct WgaloisDft<F> {
    /// `None`: the program's first GPU.
    transforms: Option<Arc<TransformDevice>>,
    crossover: Crossover,
    plonky3: Radix2DitParallel<F>,
    record: Arc<Record>,
}

/// The outcomes of the calls so far.
#[derive(Debug, Default)]
struct Record {
    runs: AtomicU64,
    error: Mutex<Option<Arc<Error>>>,
}

impl<F: Field31> WgaloisDft<F> {
    /// Transforms on `device`. A GPU keeps the data in its memory between the steps. The CPU engine and groups of
    /// GPUs take vectors from the host, which transposes there.
    ///
    /// ```
    /// use p3_koala_bear::KoalaBear;
    /// use wgalois::{Cpu, Device};
    /// use wgalois_plonky3::{Crossover, WgaloisDft};
    ///
    /// let device = Device::Cpu(Cpu::default());
    /// let dft = WgaloisDft::<KoalaBear>::on(device).with_crossover(Crossover::Words(1 << 20));
    /// ```
    pub fn on(device: Device) -> Self {
        WgaloisDft { transforms: Some(Arc::new(TransformDevice::new(device))), ..Self::default() }
    }

    /// Sets the size from which on matrices go to the device.
    #[must_use]
    pub fn with_crossover(self, crossover: Crossover) -> Self {
        WgaloisDft { crossover, ..self }
    }

    /// The calls that the device did so far, of this value and its clones.
    pub fn device_runs(&self) -> u64 {
        self.record.runs.load(Ordering::Relaxed)
    }

    /// The last error of the device in a call that Plonky3's own code then did, of this value and its clones.
    pub fn last_error(&self) -> Option<Arc<Error>> {
        self.record.error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The device, also for jobs that Plonky3 does.
    pub(crate) fn transforms(&self) -> Option<Arc<TransformDevice>> {
        self.transforms.clone().or_else(TransformDevice::first_gpu)
    }

    /// Counts a call that the device did.
    pub(crate) fn count_run(&self) {
        self.record.runs.fetch_add(1, Ordering::Relaxed);
    }

    /// The device that does this job; `None` where Plonky3 does.
    fn takes(&self, job: &Job) -> Option<Arc<TransformDevice>> {
        let words = job.words_after();
        let least = if let Crossover::Words(words) = self.crossover { words } else { LEAST };
        if words < least {
            return None;
        }
        let transforms = self.transforms().filter(|transforms| !transforms.is_lost())?;
        match self.crossover {
            Crossover::Words(_) => Some(transforms),
            Crossover::Measured => {
                let least = transforms.measurement.words(&transforms, &self.plonky3)?;
                (words >= least).then_some(transforms)
            }
        }
    }

    /// Does the job on the device; `None` where Plonky3 has to.
    fn on_device(&self, matrix: &RowMajorMatrix<F>, job: Option<Job>) -> Option<RowMajorMatrix<F>> {
        let job = job?;
        match self.takes(&job)?.run(words(&matrix.values), &job) {
            Ok(values) => {
                self.count_run();
                Some(RowMajorMatrix::new(elements(values), job.width))
            }
            Err(error) => {
                self.note(&job, error);
                None
            }
        }
    }

    /// Records that Plonky3's own code does a job, after an error of the device.
    fn note(&self, job: &Job, error: Error) {
        log::warn!("Plonky3's own code transforms {} rows of {}: {error}", job.rows, job.width);
        *self.record.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(error));
    }

    /// The values of coefficients, in bit-reversed order, on a coset of more points than there are rows.
    fn padded_dft_batch(
        &self,
        mut coefficients: RowMajorMatrix<F>,
        added_bits: usize,
        shift: F,
    ) -> BitReversedMatrixView<RowMajorMatrix<F>> {
        let job = Job::values(shape(&coefficients), added_bits, shift, TO_BIT_REVERSED);
        if let Some(values) = self.on_device(&coefficients, job) {
            return values.bit_reverse_rows();
        }
        coefficients.values.resize(coefficients.values.len() << added_bits, F::ZERO);
        self.plonky3.coset_dft_batch(coefficients, shift)
    }

    /// The values of coefficients in natural order.
    fn natural_dft(&self, matrix: RowMajorMatrix<F>, shift: F) -> RowMajorMatrix<F> {
        let done = self.on_device(&matrix, Job::values(shape(&matrix), 0, shift, NATURAL));
        done.unwrap_or_else(|| self.plonky3.coset_dft_batch(matrix, shift).to_row_major_matrix())
    }

    /// The values of a low-degree extension in natural order.
    fn natural_lde(&self, matrix: RowMajorMatrix<F>, added_bits: usize, shift: F) -> RowMajorMatrix<F> {
        let done = self.on_device(&matrix, Job::extension(shape(&matrix), added_bits, shift, NATURAL));
        done.unwrap_or_else(|| self.plonky3.coset_lde_batch(matrix, added_bits, shift).to_row_major_matrix())
    }
}

impl<F: Field31> TwoAdicSubgroupDft<F> for WgaloisDft<F> {
    type Evaluations = BitReversedMatrixView<RowMajorMatrix<F>>;

    fn dft(&self, vec: Vec<F>) -> Vec<F> {
        self.coset_dft(vec, F::ONE)
    }

    fn dft_batch(&self, mat: RowMajorMatrix<F>) -> Self::Evaluations {
        let done = self.on_device(&mat, Job::values(shape(&mat), 0, F::ONE, TO_BIT_REVERSED));
        done.map_or_else(|| self.plonky3.dft_batch(mat), |values| values.bit_reverse_rows())
    }

    fn coset_dft(&self, vec: Vec<F>, shift: F) -> Vec<F> {
        self.natural_dft(RowMajorMatrix::new_col(vec), shift).values
    }

    fn coset_dft_batch(&self, mat: RowMajorMatrix<F>, shift: F) -> Self::Evaluations {
        let done = self.on_device(&mat, Job::values(shape(&mat), 0, shift, TO_BIT_REVERSED));
        done.map_or_else(|| self.plonky3.coset_dft_batch(mat, shift), |values| values.bit_reverse_rows())
    }

    fn idft_batch(&self, mat: RowMajorMatrix<F>) -> RowMajorMatrix<F> {
        let done = self.on_device(&mat, Job::coefficients(shape(&mat), F::ONE, NATURAL));
        done.unwrap_or_else(|| self.plonky3.idft_batch(mat))
    }

    fn coset_idft_batch(&self, mat: RowMajorMatrix<F>, shift: F) -> RowMajorMatrix<F> {
        let done = self.on_device(&mat, Job::coefficients(shape(&mat), shift, NATURAL));
        done.unwrap_or_else(|| self.plonky3.coset_idft_batch(mat, shift))
    }

    fn lde(&self, vec: Vec<F>, added_bits: usize) -> Vec<F> {
        self.coset_lde(vec, added_bits, F::ONE)
    }

    fn coset_lde(&self, vec: Vec<F>, added_bits: usize, shift: F) -> Vec<F> {
        self.natural_lde(RowMajorMatrix::new_col(vec), added_bits, shift).values
    }

    fn coset_lde_batch(&self, mat: RowMajorMatrix<F>, added_bits: usize, shift: F) -> Self::Evaluations {
        let job = Job::extension(shape(&mat), added_bits, shift, TO_BIT_REVERSED);
        let Some((job, transforms)) = job.and_then(|job| Some((job, self.takes(&job)?))) else {
            return self.plonky3.coset_lde_batch(mat, added_bits, shift);
        };
        let (len, width) = (mat.values.len(), mat.width);
        let mut values = into_words(mat.values);
        let outcome = transforms.extend(&mut values, &job);
        let mat = RowMajorMatrix::new(elements(values), width);
        match outcome {
            Ok(()) => {
                self.count_run();
                mat.bit_reverse_rows()
            }
            Err(error) => {
                self.note(&job, error);
                match mat.values.len() == len {
                    true => self.plonky3.coset_lde_batch(mat, added_bits, shift),
                    false => from_second_block(&self.plonky3, mat, added_bits, shift),
                }
            }
        }
    }

    /// The coefficients come to the host for `transform`, in natural order. They are padded on the device.
    fn coset_lde_batch_with_transform<T>(
        &self,
        mat: RowMajorMatrix<F>,
        added_bits: usize,
        shift: F,
        transform: T,
    ) -> Self::Evaluations
    where
        T: FnOnce(&mut RowMajorMatrixViewMut<'_, F>, Layout),
    {
        let job = Job::extension(shape(&mat), added_bits, shift, TO_BIT_REVERSED);
        if job.and_then(|job| self.takes(&job)).is_none() {
            return self.plonky3.coset_lde_batch_with_transform(mat, added_bits, shift, transform);
        }
        let mut coefficients = self.idft_batch(mat);
        transform(&mut coefficients.as_view_mut(), Layout::Natural);
        self.padded_dft_batch(coefficients, added_bits, shift)
    }

    /// A result of the device is a single block.
    fn coset_lde_batch_with_blocks<T, K, C>(
        &self,
        mat: RowMajorMatrix<F>,
        added_bits: usize,
        shift: F,
        transform: T,
        make_consumer: K,
    ) -> Self::Evaluations
    where
        T: FnOnce(&mut RowMajorMatrixViewMut<'_, F>, Layout),
        K: FnOnce(usize) -> C,
        C: Fn(usize, RowMajorMatrixView<'_, F>) + Sync,
    {
        let job = Job::extension(shape(&mat), added_bits, shift, TO_BIT_REVERSED);
        if job.and_then(|job| self.takes(&job)).is_none() {
            return self.plonky3.coset_lde_batch_with_blocks(
                mat,
                added_bits,
                shift,
                transform,
                make_consumer,
            );
        }
        let values = self.coset_lde_batch_with_transform(mat, added_bits, shift, transform);
        let rows = values.bit_reverse_rows();
        make_consumer(rows.height())(0, rows.as_view());
        rows.bit_reverse_rows()
    }

    fn dft_algebra_batch<V: BasedVectorSpace<F> + Clone + Send + Sync>(
        &self,
        mat: RowMajorMatrix<V>,
    ) -> RowMajorMatrix<V> {
        self.coset_dft_algebra_batch(mat, F::ONE)
    }

    fn coset_dft_algebra_batch<V: BasedVectorSpace<F> + Clone + Send + Sync>(
        &self,
        mat: RowMajorMatrix<V>,
        shift: F,
    ) -> RowMajorMatrix<V> {
        by_coordinates(mat, |mat| self.natural_dft(mat, shift))
    }

    fn lde_algebra_batch<V: BasedVectorSpace<F> + Clone + Send + Sync>(
        &self,
        mat: RowMajorMatrix<V>,
        added_bits: usize,
    ) -> RowMajorMatrix<V> {
        self.coset_lde_algebra_batch(mat, added_bits, F::ONE)
    }

    fn coset_lde_algebra_batch<V: BasedVectorSpace<F> + Clone + Send + Sync>(
        &self,
        mat: RowMajorMatrix<V>,
        added_bits: usize,
        shift: F,
    ) -> RowMajorMatrix<V> {
        by_coordinates(mat, |mat| self.natural_lde(mat, added_bits, shift))
    }
}
