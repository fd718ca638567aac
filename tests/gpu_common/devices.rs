//! The devices of a test's process, opened once: opening one takes a moment, and compiling every
//! kernel again for each takes minutes on a driver that keeps no compiled kernels.
//!
//! The crate's own tests use this too.

use std::sync::{Arc, Mutex, PoisonError};

use wgalois::gpu::{Adapter, DeviceRecord, Gpu, Options, Records};

/// A device used with `options`, restricted by the environment: the first adapter that there is. The
/// test fails where there is none.
pub fn open(options: Options) -> Gpu {
    let options = planned_as_ever(options.restricted_by_environment());
    static OPENED: Mutex<Vec<Gpu>> = Mutex::new(Vec::new());
    let offers = |options: &Options| {
        let Options { int64, compact, few_registers, subgroups, full_limits, .. } = *options;
        (int64, compact, few_registers, subgroups, full_limits)
    };
    // A test that failed to open one has said so, and must not fail the others.
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(gpu) = opened.iter().find(|gpu| offers(gpu.options()) == offers(&options)) {
        return gpu.with_options(options);
    }
    let gpu = open_another(options);
    opened.push(gpu.clone());
    gpu
}

/// The options with one fixed record, so that plans and kernels are those of every other run: an H200's, which prefers 64-bit
/// integers. Devices without them run the other arithmetic.
fn planned_as_ever(options: Options) -> Options {
    let records = match options.records {
        Records::Fixed(record) => record,
        Records::Kept | Records::Shipped => Arc::new(DeviceRecord::of_h200()),
    };
    Options { records: Records::Fixed(records), ..options }
}

/// A device that nobody else uses: for a test that loses it.
pub fn open_another(options: Options) -> Gpu {
    Gpu::open(&Adapter::First, planned_as_ever(options.restricted_by_environment()))
        .expect("an adapter; install mesa-vulkan-drivers")
}

/// Has Mesa's layer that sorts devices look for no Wayland display where there is none, as the program does: libwayland
/// would complain to stderr.
#[cfg(target_os = "linux")]
mod early {
    extern "C" fn prepare() {
        let desktop = [c"XDG_RUNTIME_DIR", c"MESA_VK_DEVICE_SELECT", c"DRI_PRIME"];
        // SAFETY: the strings end with a zero byte, and no other thread reads the environment yet. A value that is there stays.
        unsafe {
            if desktop.iter().all(|name| libc::getenv(name.as_ptr()).is_null()) {
                libc::setenv(c"NODEVICE_SELECT".as_ptr(), c"1".as_ptr(), 0);
            }
        }
    }

    // SAFETY: the section holds pointers to functions of this type, which the system calls in sequence before `main`, when
    // there is one thread; `prepare` needs nothing that `main` would set up.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static PREPARE: extern "C" fn() = prepare;
}
