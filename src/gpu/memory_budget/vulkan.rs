//! Vulkan: the heaps of the physical device, with `VK_EXT_memory_budget` also what is left of them.

use ash::{ext, vk};

use super::DeviceMemory;

/// A heap of a physical device.
#[derive(Clone, Copy)]
struct Heap {
    bytes: u64,
    is_of_device: bool,
    /// The bytes that the process may have, and those that it has; `None` without the extension.
    budget: Option<[u64; 2]>,
}

/// Asks the driver.
pub(super) fn memory(adapter: &wgpu::Adapter, is_of_host: bool) -> Option<DeviceMemory> {
    of_heaps(&heaps(adapter)?, is_of_host)
}

fn heaps(adapter: &wgpu::Adapter) -> Option<Vec<Heap>> {
    // SAFETY: the adapter that is returned is only asked, and neither it nor the handles outlive this function.
    let adapter = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }?;
    let (instance, device) = (adapter.shared_instance(), adapter.raw_physical_device());
    let capabilities = adapter.physical_device_capabilities();
    // The call with an extension's structure belongs to Vulkan 1.1, of the instance and of the device.
    let is_new = [instance.instance_api_version(), capabilities.properties().api_version]
        .into_iter()
        .all(|version| version >= vk::API_VERSION_1_1);
    let has_budget = is_new && capabilities.supports_extension(ext::memory_budget::NAME);
    let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
    let properties = match has_budget {
        true => {
            let mut properties = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
            // SAFETY: the instance lives in `adapter`, and the device is one of its own, of Vulkan 1.1. The structures are
            // initialised, and the device has the extension of the one that the other points to.
            unsafe {
                instance.raw_instance().get_physical_device_memory_properties2(device, &mut properties)
            };
            properties.memory_properties
        }
        // SAFETY: the instance lives in `adapter`, and the device is one of its own.
        false => unsafe { instance.raw_instance().get_physical_device_memory_properties(device) },
    };
    let heaps =
        properties.memory_heaps_as_slice().iter().zip(budget.heap_budget.iter().zip(&budget.heap_usage));
    let heap = |(heap, (&budget, &usage)): (&vk::MemoryHeap, _)| Heap {
        bytes: heap.size,
        is_of_device: heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL),
        budget: has_budget.then_some([budget, usage]),
    };
    Some(heaps.map(heap).collect())
}

/// Vectors are in the largest heap of the device's: the others are windows through which the host sees it.
fn of_heaps(heaps: &[Heap], is_of_host: bool) -> Option<DeviceMemory> {
    let own = heaps.iter().filter(|heap| heap.is_of_device).max_by_key(|heap| heap.bytes)?;
    let budget = match own.budget {
        Some([budget, usage]) => budget.min(own.bytes).saturating_sub(usage),
        // What the desktop and other programs have is not known; AMD's Vulkan Memory Allocator takes 80% in this case, too.
        None => own.bytes / 5 * 4,
    };
    // A device without another heap has the memory of the host, whatever kind it says it is.
    let is_shared = is_of_host || heaps.iter().all(|heap| heap.is_of_device);
    Some(DeviceMemory { bytes: own.bytes, budget, is_shared })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;
    const MIB: u64 = 1 << 20;

    fn heap(bytes: u64, is_of_device: bool, budget: [u64; 2]) -> Heap {
        Heap { bytes, is_of_device, budget: Some(budget) }
    }

    #[test]
    fn a_card_has_what_the_desktop_leaves_of_its_own_heap() {
        // As NVIDIA's driver lists them: the card's memory, the host's, and the window of 256 MiB.
        let heaps = [
            heap(4 * GIB, true, [3600 * MIB, 100 * MIB]),
            heap(16 * GIB, false, [16 * GIB, 0]),
            heap(246 * MIB, true, [240 * MIB, 8 * MIB]),
        ];
        let memory = DeviceMemory { bytes: 4 * GIB, budget: 3500 * MIB, is_shared: false };
        assert_eq!(of_heaps(&heaps, false), Some(memory));
        // The order does not matter.
        let reversed: Vec<Heap> = heaps.into_iter().rev().collect();
        assert_eq!(of_heaps(&reversed, false), Some(memory));
        let unknown: Vec<Heap> = heaps.into_iter().map(|heap| Heap { budget: None, ..heap }).collect();
        let budget = of_heaps(&unknown, false).unwrap().budget;
        assert!(budget < 4 * GIB && budget > 3 * GIB);
    }

    #[test]
    fn memory_of_the_host_is_shared() {
        let one = [heap(16 * GIB, true, [12 * GIB, 4 * GIB])];
        let memory = DeviceMemory { bytes: 16 * GIB, budget: 8 * GIB, is_shared: true };
        assert_eq!(of_heaps(&one, true), Some(memory));
        // Some drivers call such a device virtual, or other.
        assert_eq!(of_heaps(&one, false), Some(memory));
        // AMD's driver names two heaps of one memory.
        let two = [heap(5 * GIB, false, [5 * GIB, 0]), heap(10 * GIB, true, [8 * GIB, 0])];
        let memory = DeviceMemory { bytes: 10 * GIB, budget: 8 * GIB, is_shared: true };
        assert_eq!(of_heaps(&two, true), Some(memory));
    }

    #[test]
    fn strange_reports_are_survived() {
        assert_eq!(of_heaps(&[], false), None);
        assert_eq!(of_heaps(&[heap(GIB, false, [GIB, 0])], true), None);
        // More in use than allowed, and a budget above the size.
        assert_eq!(of_heaps(&[heap(GIB, true, [GIB, 2 * GIB])], true).unwrap().budget, 0);
        assert_eq!(of_heaps(&[heap(GIB, true, [u64::MAX, 0])], true).unwrap().budget, GIB);
    }
}
