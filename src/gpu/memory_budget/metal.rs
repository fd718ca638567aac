//! Metal: `recommendedMaxWorkingSetSize`. Compiled, and tested with faked reports: no such device is at hand.

use super::DeviceMemory;

/// Asks the driver.
#[cfg(target_vendor = "apple")]
pub(super) fn memory(adapter: &wgpu::Adapter) -> Option<DeviceMemory> {
    use objc2_metal::MTLDevice;

    // SAFETY: the adapter that is returned is only asked, and neither it nor the device outlives this function.
    let adapter = unsafe { adapter.as_hal::<wgpu::hal::api::Metal>() }?;
    let device = adapter.raw_device();
    let recommended = device.recommendedMaxWorkingSetSize();
    Some(of_report(recommended, device.currentAllocatedSize() as u64, device.hasUnifiedMemory()))
}

/// The memory for the size of all resources that Metal recommends as the most, and the bytes of those that there are.
fn of_report(recommended: u64, allocated: u64, is_shared: bool) -> DeviceMemory {
    DeviceMemory { bytes: recommended, budget: recommended.saturating_sub(allocated), is_shared }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_what_is_left() {
        let memory = DeviceMemory { bytes: 11 << 30, budget: 10 << 30, is_shared: true };
        assert_eq!(of_report(11 << 30, 1 << 30, true), memory);
        assert_eq!(of_report(1 << 30, 2 << 30, false).budget, 0);
    }
}
