//! Measuring what a device's record lacks, once: the record is kept for later runs.

use super::{Family, Gpu};
use crate::Result;
use crate::gpu::device_record::Origin;
#[cfg(not(target_arch = "wasm32"))]
use crate::gpu::device_record::keep;
use crate::gpu::options::Records;

impl Gpu {
    /// Returns this device with a record that was measured on it and that knows products of `families`, or `None` if that is so
    /// already. What is missing is measured, or all of it `again` (an H200 took less than a second, its opening included), and is
    /// kept in the user's cache folder. A folder that cannot be written is not an error.
    ///
    /// A record that the options fix, and the shipped one if they ask for it, stay as they are unless `again` is true.
    pub fn tuned(&self, families: &[Family], again: bool) -> Result<Option<Self>> {
        self.tuned_while(families, again, &mut || ())
    }

    /// [`tuned`](Self::tuned), which calls `meanwhile` first, to begin to compile kernels on other threads: they get few of the cores as
    /// long as it measures what that disturbs. A device whose rates depend on the host to the end, as one that has the host's memory,
    /// does not call it.
    pub fn tuned_while(
        &self,
        families: &[Family],
        again: bool,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Option<Self>> {
        let record = self.device_record();
        let is_measured = record.origin == Origin::Measured;
        let is_complete = is_measured && families.iter().all(|&family| record.knows(family));
        if !again && (is_complete || !matches!(self.options().records, Records::Kept)) {
            return Ok(None);
        }
        let known = (is_measured && !again).then(|| record.clone());
        let record = self.measured(known, families, meanwhile)?;
        #[cfg(not(target_arch = "wasm32"))]
        if let Err(error) = keep(&self.adapter().identity(), &record) {
            log::warn!("the measured record of the device cannot be kept: {error}");
        }
        Ok(Some(self.with_record(record)))
    }
}
