//! Forms of transforms that are checked and timed on the same words.

use super::{Lab, reference};
use crate::compared::{Compared, GpuForm, Kernels, Words, on_gpu};
use crate::{Fields, Row, Timing, random};
use wgalois::gpu::Recorder;
use wgalois::ntt::Transform;
use wgalois::task::{Prepared, Problem};
use wgalois::{Device, Result, Wrong};

/// The words that are transformed, with what the forms are compared with.
pub(super) struct Case {
    pub transform: Transform,
    pub data: Vec<u32>,
    /// The time of one copy, in seconds.
    copy: Option<f64>,
    pub fast: Fast,
}

/// The time of the fast method in seconds and its result, where it has them.
#[derive(Default)]
pub(super) struct Fast {
    pub seconds: Option<f64>,
    result: Option<Vec<u32>>,
}

impl Case {
    /// Random words, of which a copy is timed.
    pub fn new(lab: &mut Lab, transform: &Transform, seed: u64) -> Result<Self> {
        let data = random(transform.prime(), transform.len(), seed);
        Ok(Case { transform: *transform, copy: lab.copy_seconds(data.len())?, data, fast: Fast::default() })
    }

    /// The same with the fast method's transform.
    pub fn with_fast(self, lab: &mut Lab) -> Result<Self> {
        let fast = reference(self.run_fast(lab))?.unwrap_or_default();
        Ok(Case { fast, ..self })
    }

    fn run_fast(&self, lab: &mut Lab) -> Result<Fast> {
        let device = Device::Gpu(lab.gpu()?);
        let prepared = self.transform.plan(&device)?.prepare(&device)?;
        let mut result = self.data.clone();
        prepared.run(&mut result)?;
        let timing = self.timed(lab, |recorder, [vector, _]| prepared.record(recorder, vector))?;
        Ok(Fast { seconds: timing.device, result: Some(result) })
    }

    /// Prepares a form and checks its result; that of a whole transform must also be the fast method's.
    pub fn checked<F: GpuForm>(
        &self,
        lab: &Lab,
        form: F,
        is_whole: bool,
    ) -> Result<Prepared<'static, Compared<F>>> {
        let prepared = Compared::new(&self.transform, form).prepared(&lab.gpu()?)?;
        let mut result = self.data.clone();
        prepared.run(&mut result)?;
        prepared.plan().problem().check(&self.data, &result)?;
        if is_whole {
            self.fast.compare(&result)?;
        }
        Ok(prepared)
    }

    /// Times work on two vectors of the words on the device.
    pub fn timed(
        &self,
        lab: &mut Lab,
        mut record: impl FnMut(&mut Recorder, [&mut Words; 2]) -> Result<()>,
    ) -> Result<Timing> {
        let gpu = lab.gpu()?;
        let (mut vector, mut other) = (gpu.upload(&self.data)?, gpu.upload(&self.data)?);
        let timing = Timing { copy: self.copy, ..Timing::default() };
        lab.device_time(timing, |recorder| record(recorder, [&mut vector, &mut other]))
    }

    /// Checks and times a form, as a row.
    pub fn row<F: GpuForm>(
        &self,
        lab: &mut Lab,
        fields: Fields,
        system: &str,
        (form, is_whole): (F, bool),
    ) -> Result<Row> {
        let row = lab.row(fields, system, |lab| {
            let prepared = self.checked(lab, form, is_whole)?;
            let kernels = on_gpu(&prepared)?;
            self.timed(lab, |recorder, vectors| kernels.record(recorder, vectors).map(drop))
        })?;
        Ok(row.with_fast(self.fast.seconds))
    }
}

impl Fast {
    /// Compares another method's result with the fast method's.
    pub fn compare(&self, result: &[u32]) -> Result<()> {
        let is_right = self.result.as_ref().is_none_or(|right| right == result);
        Wrong::unless(is_right, "the result is not that of the fast method")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgalois::Error;

    #[test]
    fn another_result_than_the_fast_methods_is_wrong() {
        let fast = Fast { seconds: None, result: Some(vec![1, 2]) };
        fast.compare(&[1, 2]).unwrap();
        for other in [&[1, 3][..], &[1], &[1, 2, 0]] {
            assert!(matches!(fast.compare(other), Err(Error::Check(_))), "{other:?}");
        }
    }
}
