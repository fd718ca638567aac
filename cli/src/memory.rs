//! The memory that the process may take, and the size of `--memory` that suffices for a plan.

use wgalois::task::Profile;
use wgalois::{Error, Result, Shortage, Side};

/// Returns a size of `--memory` for which `plan` succeeds after the `shortage`, where `held` bytes of host
/// memory are held; `None` if there is none.
///
/// ```text
/// size = what the shortage needs
/// repeat: plan within the size; where that fails, size = what is then needed
/// ```
///
/// More than one round is taken where a plan with more device memory takes more of the host.
pub fn sufficient(
    shortage: &Shortage,
    profile: &Profile,
    held: u64,
    plan: &dyn Fn(&Profile) -> Result<()>,
) -> Option<u64> {
    const ROUNDS: usize = 64;
    let mut memory = 0;
    let mut short = (shortage.side, shortage.needed?);
    for _ in 0..ROUNDS {
        let needed = match short {
            // What the driver says that there is does not grow by a limit.
            (Some(Side::Device), needed) if needed > profile.budget.device => return None,
            (Some(Side::Shared), _) => return None,
            (Some(Side::Device), needed) => needed,
            (_, needed) => needed.saturating_add(held),
        };
        memory = needed.max(memory + 1);
        let (host_memory, device_memory) = (memory.saturating_sub(held), memory);
        match plan(&profile.with_limits(host_memory, device_memory)) {
            Ok(()) => return Some(memory),
            Err(Error::OutOfMemory(shortage)) => short = (shortage.side, shortage.needed?),
            Err(_) => return None,
        }
    }
    None
}

/// Makes the allocator give back the memory of every large vector as soon as it is freed. By default glibc keeps, once a
/// vector is freed, as much as it had, so that the peak exceeds what the vectors take at a time: by a third for exact
/// products, and by half for products over GF(2). The pages of each vector are then new, which takes time, so it is only
/// done where the user states a limit.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_back_freed() {
    // glibc's own initial value, which it otherwise raises to the size of the largest vector that was freed.
    const LARGE: libc::c_int = 128 << 10;
    // SAFETY: mallopt has no preconditions.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Other allocators are taken as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_freed() {}

/// Returns the bytes that this process can still allocate, within the limits of its control group and of its
/// address space.
pub fn free_memory() -> u64 {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    // Control groups count cached files as used, but the system evicts them when memory is needed. Their limits are
    // those of memory whose size is known: sysinfo panics otherwise, for example where /proc cannot be read.
    let limits = (system.total_memory() > 0).then(|| system.cgroup_limits()).flatten();
    let grouped = limits.map(|limits| limits.total_memory.saturating_sub(limits.rss));
    // 0 says that the system does not report it.
    let known = [Some(system.available_memory()), grouped, free_addresses()].into_iter().flatten();
    known.filter(|&bytes| bytes > 0).min().unwrap_or(u64::MAX)
}

/// Returns half of the addresses that the process may still use, if they are limited (`ulimit -v`): allocators
/// and threads reserve more than they use.
#[cfg(target_os = "linux")]
fn free_addresses() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = limit.split_whitespace().next()?.parse().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let used = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let kilobytes: u64 = used.split_whitespace().next()?.parse().ok()?;
    // 0 would mean that the number is unknown.
    Some((limit.saturating_sub(kilobytes << 10) / 2).max(1))
}

/// Other systems do not limit the address space, or do not tell.
#[cfg(not(target_os = "linux"))]
fn free_addresses() -> Option<u64> {
    None
}
