//! What drivers report of the memory of devices.

use crate::gpu::DeviceMemory;

/// What drivers report of the memory of a device, in bytes that are free: bounds that a user's limit does not move. The default is
/// that they report nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of device memory; `u64::MAX` where the driver reports none.
    pub device: u64,
    /// Bytes that host and device may take together, where the device has the host's memory; `u64::MAX` where each has its own.
    pub shared: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { device: u64::MAX, shared: u64::MAX }
    }
}

impl Budget {
    /// The budget of a driver's report, of which vectors took `used` bytes since.
    pub(super) fn of(reported: Option<DeviceMemory>, used: u64) -> Self {
        let Some(memory) = reported else { return Budget::default() };
        let device = memory.budget.saturating_sub(used);
        Budget { device, shared: if memory.is_shared { device } else { u64::MAX } }
    }

    /// What is left if the host takes `bytes` besides.
    #[must_use]
    pub fn beside(self, bytes: u64) -> Self {
        match self.is_shared() {
            true => Budget { shared: self.shared.saturating_sub(bytes), ..self },
            false => self,
        }
    }

    /// True if the device has the host's memory.
    pub fn is_shared(&self) -> bool {
        self.shared < u64::MAX
    }
}
