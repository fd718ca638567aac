//! A four-step transform ready to run.

use std::sync::Arc;

use super::kernels::{BASE, BaseParams, BaseSpec, LOG_TILE, TRANSPOSE, TransposeParams, transpose};
use super::{Form, Transposition};
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder};
use crate::ntt::gpu::{Modulus, Powers};
use crate::ntt::textbook::{SCALE, ScaleParams, flat};
use crate::ntt::{Coset, Direction, Order, Transform};
use crate::{Error, Result};

/// One vector's transform, natural order on both sides, ready to run.
#[derive(Debug)]
pub struct FourStep {
    gpu: Gpu,
    spec: Transform,
    passes: Vec<Pass>,
    powers: Powers,
}

/// One dispatch, from one vector to another.
#[derive(Debug)]
enum Pass {
    /// Transforms in workgroup memory.
    Base(Base),
    /// Transpositions of matrices of 2^rows by 2^columns words.
    Transpose { pipeline: Arc<Pipeline>, log_rows: u32, log_columns: u32 },
    /// Every word times a constant, in place.
    Scale { pipeline: Arc<Pipeline>, by: [u32; 2] },
}

#[derive(Debug)]
struct Base {
    pipeline: Arc<Pipeline>,
    twiddles: DeviceVec<[u32; 2]>,
    /// log2 of the words between the words of a transform, if it reads along a stride.
    log_stride: u32,
    /// log2 of the frequencies that earlier steps have computed.
    log_done: u32,
    /// log2 of the words that a workgroup transforms.
    log_words: u32,
}

/// Invocations per workgroup of the kernel that scales.
const SCALE_WORKGROUP: u32 = 256;

impl FourStep {
    /// Compiles the kernels and makes the tables of `spec` in one form.
    ///
    /// # Errors
    /// [`Error::Usage`] for a form that the device cannot run, see [`Form::check`], and for anything but one
    /// vector in natural order without a coset; the device's faults.
    pub fn new(gpu: &Gpu, spec: &Transform, form: Form) -> Result<Self> {
        form.check(gpu)?;
        let natural = spec.input == Order::Natural && spec.output == Order::Natural;
        if !natural || spec.coset != Coset::Subgroup || spec.batch != 1 {
            return Err(Error::Usage(
                "four-step transforms are those of one vector, in natural order, without a coset".into(),
            ));
        }
        let modulus = Modulus::new(spec.prime, spec.reduction, gpu.arithmetic());
        let forward = spec.root()?;
        let root = if spec.direction == Direction::Forward { forward } else { spec.prime.inverse(forward) };
        let builder = Builder { gpu, spec, form, modulus, root };
        Ok(FourStep {
            gpu: gpu.clone(),
            spec: *spec,
            passes: builder.passes()?,
            powers: Powers::new(gpu, modulus, root, 1, spec.log_n)?,
        })
    }

    /// Dispatches of a transform.
    pub fn dispatches(&self) -> usize {
        self.passes.len()
    }

    /// Transforms host data in place.
    ///
    /// # Errors
    /// [`Error::Input`] if `data` have another length or an entry that is not below p;
    /// [`Error::OutOfMemory`] for more data than one binding holds; the device's faults.
    pub fn transform(&self, data: &mut [u32]) -> Result<()> {
        self.spec.check_input(data)?;
        let (mut vector, mut other) = (self.gpu.upload(data)?, self.gpu.zeros(data.len())?);
        let mut recorder = self.gpu.record();
        self.record(&mut recorder, &mut vector, &mut other)?;
        recorder.submit()?;
        data.copy_from_slice(&vector.download()?);
        Ok(())
    }

    /// Records the transform of `vector`; the contents of `other`, of the same length, are lost. Afterwards
    /// the two may have changed places in memory.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] for more data than one binding holds, and the device's faults.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        vector: &mut DeviceVec<u32>,
        other: &mut DeviceVec<u32>,
    ) -> Result<()> {
        for pass in &self.passes {
            self.record_pass(recorder, pass, vector, other)?;
            if !matches!(pass, Pass::Scale { .. }) {
                std::mem::swap(vector, other);
            }
        }
        Ok(())
    }

    fn record_pass(
        &self,
        recorder: &mut Recorder,
        pass: &Pass,
        source: &DeviceVec<u32>,
        target: &DeviceVec<u32>,
    ) -> Result<()> {
        let (log_n, source, target) = (self.spec.log_n, source.whole()?, target.whole()?);
        match pass {
            Pass::Base(base) => {
                let buffers = [source, target, base.twiddles.whole()?, self.powers.words.whole()?];
                let Base { log_stride, log_done, .. } = *base;
                let params = BaseParams { log_stride, log_done, log_low_powers: self.powers.log_low };
                let groups = 1 << (log_n - base.log_words);
                recorder.dispatch(&base.pipeline, "transforms", &buffers, &params, groups)
            }
            Pass::Transpose { pipeline, log_rows, log_columns } => {
                let tiles = |log: u32| log.saturating_sub(LOG_TILE);
                let matrices = log_n - log_rows - log_columns;
                let groups = 1 << (matrices + tiles(*log_rows) + tiles(*log_columns));
                let params = TransposeParams { log_rows: *log_rows, log_columns: *log_columns };
                recorder.dispatch(pipeline, "transposition", &[source, target], &params, groups)
            }
            &Pass::Scale { ref pipeline, by: [scale, scale_quotient] } => {
                let len = 1 << log_n;
                let groups = u32::div_ceil(len, SCALE_WORKGROUP);
                let params = ScaleParams { len, scale, scale_quotient };
                recorder.dispatch(pipeline, "scale", &[source], &params, groups)
            }
        }
    }
}

struct Builder<'a> {
    gpu: &'a Gpu,
    spec: &'a Transform,
    form: Form,
    modulus: Modulus,
    root: u32,
}

impl Builder<'_> {
    fn passes(&self) -> Result<Vec<Pass>> {
        let log_n = self.spec.log_n;
        let apart = self.form.transposition == Transposition::Apart;
        let mut passes = Vec::new();
        let mut log_done = 0;
        while log_done < log_n {
            let log_base = self.form.log_base.min(log_n - log_done);
            // Without strides, the words of a transform have to become neighbours first, and its frequencies
            // are placed before those of earlier steps.
            if apart && log_base < log_n {
                passes.push(self.transposition(log_base, log_n - log_base)?);
            }
            passes.push(Pass::Base(self.base(log_base, log_done)?));
            if apart && log_done > 0 {
                passes.push(self.transposition(log_done, log_base)?);
            }
            log_done += log_base;
        }
        if self.spec.direction == Direction::Inverse {
            let pipeline = self.gpu.pipeline(&SCALE, &flat(self.modulus, SCALE_WORKGROUP))?;
            let by = self.modulus.constant(self.spec.prime.inverse_of_length(log_n));
            passes.push(Pass::Scale { pipeline, by });
        }
        Ok(passes)
    }

    fn transposition(&self, log_rows: u32, log_columns: u32) -> Result<Pass> {
        let pipeline = self.gpu.pipeline(&TRANSPOSE, &transpose(self.form.padded))?;
        Ok(Pass::Transpose { pipeline, log_rows, log_columns })
    }

    fn base(&self, log_base: u32, log_done: u32) -> Result<Base> {
        let log_n = self.spec.log_n;
        // A shorter step has correspondingly more transforms per workgroup, as far as there are enough.
        let log_words = (self.form.log_base + self.form.transforms.ilog2()).min(log_n);
        let spec = BaseSpec {
            form: self.form,
            modulus: self.modulus,
            log_base,
            log_transforms: log_words - log_base,
            first: log_done == 0,
            last: log_done + log_base == log_n,
        };
        let root = self.spec.prime.pow(self.root, 1 << (log_n - log_base));
        Ok(Base {
            pipeline: self.gpu.pipeline(&BASE, &spec.variant())?,
            twiddles: self.gpu.upload_table(&self.twiddles(root, log_base))?,
            log_stride: log_n - log_base,
            log_done,
            log_words,
        })
    }

    /// The powers of the root of a step.
    fn twiddles(&self, root: u32, log_base: u32) -> Vec<[u32; 2]> {
        let mut power = 1;
        let next = |_| {
            let pair = self.modulus.constant(power);
            power = self.spec.prime.mul(power, root);
            pair
        };
        (0..1u32 << (log_base - 1)).map(next).collect()
    }
}
