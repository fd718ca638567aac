//! Direct3D 12: `IDXGIAdapter3::QueryVideoMemoryInfo`. Compiled, and tested with faked reports: no such device is at hand.

use super::DeviceMemory;

/// Asks the driver.
#[cfg(windows)]
pub(super) fn memory(adapter: &wgpu::Adapter, is_of_host: bool) -> Option<DeviceMemory> {
    // SAFETY: the adapter that is returned is only asked, and neither it nor the interface outlives this function.
    let adapter = unsafe { adapter.as_hal::<wgpu::hal::api::Dx12>() }?;
    let adapter = adapter.raw_adapter();
    // 0, the default, is the group of segments that is local to the device; on integrated GPUs all memory is.
    let info = adapter.query_video_memory_info(Default::default()).ok()?;
    // SAFETY: the interface is alive as long as `adapter`.
    let description = unsafe { adapter.GetDesc2() }.ok()?;
    let sizes = [description.DedicatedVideoMemory as u64, description.SharedSystemMemory as u64];
    Some(of_report([info.Budget, info.CurrentUsage], sizes, is_of_host))
}

/// The memory for a budget and what of it is in use, and the sizes of the memories that are the device's own and the host's.
fn of_report([budget, usage]: [u64; 2], [own, of_host]: [u64; 2], is_of_host: bool) -> DeviceMemory {
    let bytes = if is_of_host { own.saturating_add(of_host) } else { own };
    // The budget is the system's estimate, which may exceed a size that the driver does not know.
    DeviceMemory { bytes: bytes.max(budget), budget: budget.saturating_sub(usage), is_shared: is_of_host }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    #[test]
    fn budgets_are_what_is_left() {
        let card = of_report([3 * GIB, GIB / 2], [4 * GIB, 8 * GIB], false);
        assert_eq!(card, DeviceMemory { bytes: 4 * GIB, budget: 5 * (GIB / 2), is_shared: false });
        let integrated = of_report([7 * GIB, 0], [GIB / 8, 8 * GIB], true);
        assert_eq!(integrated, DeviceMemory { bytes: 8 * GIB + GIB / 8, budget: 7 * GIB, is_shared: true });
        assert_eq!(of_report([GIB, 2 * GIB], [0, 0], true).budget, 0);
        // A driver that reports zeros is taken as one that reports nothing.
        assert_eq!(of_report([0, 0], [0, 0], true).bytes, 0);
    }
}
