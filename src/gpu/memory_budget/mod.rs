//! The memory of a device, asked of its driver: one backend a file.

#[cfg(any(target_arch = "wasm32", test))]
mod browser;
#[cfg(any(windows, test))]
mod dx12;
#[cfg(target_os = "linux")]
mod host;
#[cfg(any(target_vendor = "apple", test))]
mod metal;
#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd", target_os = "netbsd"))]
mod vulkan;

use serde::Serialize;

/// Bytes of device memory that plans take where the driver reports none and the user states no limit: OpenGL cannot be asked.
/// It is what the smallest devices with compute shaders leave to one program, boards with 4 GiB for host and GPU together.
const UNREPORTED: u64 = 1 << 30;

/// The memory that the vectors of a device are in, as the driver reported it when it was asked: when the adapter was found or
/// opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceMemory {
    /// Its size in bytes.
    pub bytes: u64,
    /// Bytes that this process could still take, without those that it and others had.
    pub budget: u64,
    /// True if the host takes its memory from there, too: then the budget is that of both together.
    pub is_shared: bool,
}

impl DeviceMemory {
    /// Asks the driver of an adapter, which need not be open; `None` if it does not tell.
    pub(super) fn of(adapter: &wgpu::Adapter) -> Option<Self> {
        let info = adapter.get_info();
        // Software drivers compute on the host, in its memory.
        let is_of_host = matches!(info.device_type, wgpu::DeviceType::Cpu | wgpu::DeviceType::IntegratedGpu);
        #[cfg(target_os = "linux")]
        if info.device_type == wgpu::DeviceType::Cpu
            && let Some(memory) = host::memory()
        {
            return Some(memory);
        }
        let memory = match info.backend {
            #[cfg(any(
                windows,
                target_os = "linux",
                target_os = "android",
                target_os = "freebsd",
                target_os = "netbsd"
            ))]
            wgpu::Backend::Vulkan => vulkan::memory(adapter, is_of_host),
            #[cfg(windows)]
            wgpu::Backend::Dx12 => dx12::memory(adapter, is_of_host),
            #[cfg(target_vendor = "apple")]
            wgpu::Backend::Metal => metal::memory(adapter),
            #[cfg(target_arch = "wasm32")]
            wgpu::Backend::BrowserWebGpu => browser::memory(),
            _ => None,
        };
        log::debug!("{}: {memory:?} (of the host: {is_of_host})", info.name);
        // A driver that reports nothing at all does not know.
        memory.filter(|memory| memory.bytes > 0)
    }

    /// The bytes that may be taken where the driver reported `reported` and the user's limit is `limit`; `u64::MAX` is none. A limit
    /// above the budget does not count: drivers that give more memory than there is do not refuse, they become slow.
    pub(super) fn bound(reported: Option<Self>, limit: u64) -> u64 {
        match reported {
            Some(memory) => memory.budget.min(limit),
            None if limit == u64::MAX => UNREPORTED,
            None => limit,
        }
    }
}
