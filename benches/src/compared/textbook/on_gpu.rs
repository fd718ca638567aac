//! The textbook's transforms on a GPU.

use std::sync::Arc;
use std::time::Duration;

use web_time::Instant;

use super::kernels::{
    self, BIT_REVERSE, BitReverseBuffers, BitReverseParams, POINTWISE, PointwiseBuffers, PointwiseParams,
    SCALE, STAGE, ScaleBuffers, ScaleParams, StageBuffers, StageParams,
};
use super::{Textbook, Times, Twiddles};
use crate::compared::{OnGpu, OnOneGpu, check_lengths};
use wgalois::field::Prime;
use wgalois::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Variant};
use wgalois::ntt::arithmetic::Modulus;
use wgalois::ntt::{Coset, Direction, Order, Passes, Transform};
use wgalois::task::{Done, Profile, Ready};
use wgalois::{Error, Result};

impl Textbook {
    /// The way on a GPU.
    ///
    /// # Errors
    /// [`Error::Usage`] for a coset, for options that exclude each other, for a workgroup larger than the
    /// device's, and for the CPU engine; [`Error::OutOfMemory`] for more data than one binding, or the memory,
    /// holds.
    pub(super) fn on_gpu(&self, profile: &Profile) -> Result<OnGpu> {
        if self.transform.coset() != Coset::Subgroup {
            return Err(Error::Usage(
                "the textbook's transforms are those on the subgroup, without a coset".into(),
            ));
        }
        self.options.check_workgroup(profile)?;
        self.options.settled_reduction()?;
        // A pair of words for each power, in both directions.
        let table_bytes = match self.options.twiddles() {
            Twiddles::Fly => 8,
            Twiddles::Table => 8 * self.transform.n() as u64,
        };
        let (words, dispatches) = (self.transform.len(), self.dispatches());
        OnGpu::new(&Passes { words, dispatches, levels: dispatches, vectors: 1, table_bytes }, profile)
    }
}

/// The kernels and tables of a transform, and of the products by transforms of its length.
#[derive(Debug)]
pub struct TextbookKernels {
    gpu: Gpu,
    spec: Transform,
    workgroup: u32,
    modulus: Modulus,
    reverse: Arc<Pipeline>,
    stage: Arc<Pipeline>,
    scale: Arc<Pipeline>,
    pointwise: Arc<Pipeline>,
    /// Powers of w and of 1/w; one word each if twiddles are computed on the fly.
    tables: [DeviceVec<u32>; 2],
}

impl OnOneGpu for Textbook {
    fn ready(&self, gpu: &Gpu) -> Result<TextbookKernels> {
        let Textbook { transform: spec, options } = self;
        let modulus = Modulus::new(spec.prime(), options.settled_reduction()?, gpu.arithmetic());
        let root = spec.root()?;
        let twiddles = options.twiddles();
        let table = |root: u32| -> Result<DeviceVec<u32>> {
            match twiddles {
                Twiddles::Fly => gpu.zeros(1),
                Twiddles::Table => gpu.upload_table(&powers(modulus, root, spec.n() / 2)),
            }
        };
        let workgroup = options.workgroup();
        let flat = kernels::flat(modulus, workgroup);
        Ok(TextbookKernels {
            gpu: gpu.clone(),
            spec: *spec,
            workgroup,
            modulus,
            reverse: gpu.pipeline(&BIT_REVERSE, &Variant::plain(workgroup))?,
            stage: gpu.pipeline(&STAGE, &kernels::stage(modulus, twiddles, workgroup))?,
            scale: gpu.pipeline(&SCALE, &flat)?,
            pointwise: gpu.pipeline(&POINTWISE, &flat)?,
            tables: [table(root)?, table(spec.prime().inverse(root))?],
        })
    }
}

impl Ready<Textbook> for TextbookKernels {
    async fn run<'i: 'i>(&self, _: &Textbook, batch: &'i mut [u32], _: &Done) -> Result<Times> {
        if batch.is_empty() {
            return Ok(Times::default());
        }
        let (mut vector, upload) = timed(|| self.upload(batch))?;
        let ((), device) = timed(|| self.submit(|recorder| self.record(recorder, &mut vector)))?;
        let (result, download) = timed(|| vector.download())?;
        batch.copy_from_slice(&result);
        Ok(Times { upload, device, download })
    }

    fn kernels(&self) -> Option<&Self> {
        Some(self)
    }
}

impl TextbookKernels {
    /// The product of `a` and `b` modulo x^n - 1, n coefficients.
    ///
    /// # Errors
    /// [`Error::Input`] for factors of more than n coefficients; [`Error::Usage`] for the plan of a batch;
    /// the device's faults.
    pub fn multiply(&self, a: &[u32], b: &[u32]) -> Result<(Vec<u32>, Times)> {
        let n = self.spec.n();
        if self.spec.batch() != 1 {
            return Err(Error::Usage(format!("a product with a plan for {} vectors", self.spec.batch())));
        }
        if a.len() > n || b.len() > n {
            let (a, b) = (a.len(), b.len());
            return Err(Error::Input(format!("factors of {a} and {b} coefficients in a product of {n}")));
        }
        let ((mut left, mut right), upload) = timed(|| Ok((self.upload(a)?, self.upload(b)?)))?;
        let ((), device) =
            timed(|| self.submit(|recorder| self.record_product(recorder, &mut left, &mut right)))?;
        let (result, download) = timed(|| left.download())?;
        Ok((result, Times { upload, device, download }))
    }

    /// Records the transform of a vector on the device, in place.
    ///
    /// # Errors
    /// [`Error::Input`] for vectors of another length; [`Error::OutOfMemory`] for more data than one binding
    /// holds; the device's faults.
    pub fn record(&self, recorder: &mut Recorder, data: &mut DeviceVec<u32>) -> Result<()> {
        let spec = &self.spec;
        check_lengths(spec.len(), &[data])?;
        if spec.input() == Order::Natural {
            self.record_reversal(recorder, data)?;
        }
        self.record_stages(recorder, data, spec.direction())?;
        if spec.direction() == Direction::Inverse {
            self.record_scale(recorder, data, spec.prime().inverse_of_length(spec.log_n()))?;
        }
        if spec.output() == Order::BitReversed {
            self.record_reversal(recorder, data)?;
        }
        Ok(())
    }

    /// Records the product of two vectors of n words modulo x^n - 1, left in `left`.
    ///
    /// # Errors
    /// Those of [`record`](Self::record).
    pub fn record_product(
        &self,
        recorder: &mut Recorder,
        left: &mut DeviceVec<u32>,
        right: &mut DeviceVec<u32>,
    ) -> Result<()> {
        check_lengths(self.spec.n(), &[left, right])?;
        for factor in [&mut *left, &mut *right] {
            self.record_reversal(recorder, factor)?;
            self.record_stages(recorder, factor, Direction::Forward)?;
        }
        let len = left.len() as u32;
        let buffers = PointwiseBuffers { left: left.written()?, right: right.whole()? };
        let params = PointwiseParams { len };
        recorder.dispatch(&self.pointwise, "products", &buffers, &params, self.groups(len))?;
        self.record_reversal(recorder, left)?;
        self.record_stages(recorder, left, Direction::Inverse)?;
        // The products lack the factor that their reduction divided by.
        let (prime, log_n) = (self.spec.prime(), self.spec.log_n());
        let scale = prime.mul(prime.inverse_of_length(log_n), self.modulus.product_factor());
        self.record_scale(recorder, left, scale)
    }

    fn record_reversal(&self, recorder: &mut Recorder, data: &DeviceVec<u32>) -> Result<()> {
        let len = data.len() as u32;
        let params = BitReverseParams { log_n: self.spec.log_n(), len };
        let buffers = BitReverseBuffers { data: data.written()? };
        recorder.dispatch(&self.reverse, "bit reversal", &buffers, &params, self.groups(len))
    }

    /// Records all stages, from bit-reversed to natural order.
    fn record_stages(
        &self,
        recorder: &mut Recorder,
        data: &DeviceVec<u32>,
        direction: Direction,
    ) -> Result<()> {
        let (prime, log_n) = (self.spec.prime(), self.spec.log_n());
        let [there, back] = &self.tables;
        let table = if direction == Direction::Forward { there } else { back };
        let butterflies = data.len() as u32 / 2;
        let one = self.modulus.variable(1);
        for stage in 0..log_n {
            let root = self.modulus.variable(stage_root(prime, stage, direction)?);
            let params = StageParams { butterflies, stage, log_step: log_n - 1 - stage, one, root };
            let buffers = StageBuffers { data: data.written()?, table: table.whole()? };
            let groups = self.groups(butterflies);
            recorder.dispatch(&self.stage, &format!("stage {stage}"), &buffers, &params, groups)?;
        }
        Ok(())
    }

    fn record_scale(&self, recorder: &mut Recorder, data: &DeviceVec<u32>, by: u32) -> Result<()> {
        let len = data.len() as u32;
        let [scale, scale_quotient] = self.modulus.constant(by);
        let params = ScaleParams { len, scale, scale_quotient };
        let buffers = ScaleBuffers { data: data.written()? };
        recorder.dispatch(&self.scale, "scale", &buffers, &params, self.groups(len))
    }

    fn groups(&self, threads: u32) -> u32 {
        threads.div_ceil(self.workgroup)
    }

    /// Uploads host data, with zeros after them up to the length of the transforms.
    fn upload(&self, data: &[u32]) -> Result<DeviceVec<u32>> {
        let mut vector = self.gpu.zeros(self.spec.len())?;
        vector.write(0, data)?;
        self.gpu.wait()?;
        Ok(vector)
    }

    fn submit(&self, record: impl FnOnce(&mut Recorder) -> Result<()>) -> Result<()> {
        let mut recorder = self.gpu.record();
        record(&mut recorder)?;
        recorder.submit()?;
        self.gpu.wait()
    }
}

/// The root of unity of the blocks of a stage.
fn stage_root(prime: Prime, stage: u32, direction: Direction) -> Result<u32> {
    let root = prime.root_of_unity(stage + 1)?;
    Ok(if direction == Direction::Forward { root } else { prime.inverse(root) })
}

/// The first `count` powers of `root`, in the form that the kernel multiplies by: pairs of words if the
/// reduction has a quotient per constant.
fn powers(modulus: Modulus, root: u32, count: usize) -> Vec<u32> {
    let mut table = Vec::with_capacity(2 * count);
    let mut power = 1;
    for _ in 0..count {
        let [word, quotient] = modulus.constant(power);
        table.push(word);
        if modulus.has_quotients() {
            table.push(quotient);
        }
        power = modulus.prime().mul(power, root);
    }
    table
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed()))
}
