//! The environment that libraries of the system see.

/// Makes Mesa choose devices without a connection to a Wayland display where there is none: its layer that sorts devices
/// makes libwayland print 'error: XDG_RUNTIME_DIR is invalid or not set in the environment.' to stderr, twice, on every
/// machine without a desktop. A user who chooses devices by that layer keeps it.
///
/// The process must not have started a thread.
#[cfg(all(unix, not(target_vendor = "apple")))]
pub fn prepare() {
    let is_unset = |name| std::env::var_os(name).is_none();
    if ["XDG_RUNTIME_DIR", "MESA_VK_DEVICE_SELECT", "NODEVICE_SELECT", "DRI_PRIME"].into_iter().all(is_unset)
    {
        // SAFETY: no other thread reads the environment, because this is called first in `main`.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

/// Other systems have no such layer.
#[cfg(not(all(unix, not(target_vendor = "apple"))))]
pub fn prepare() {}
