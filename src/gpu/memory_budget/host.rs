//! Software drivers: the memory of the host. What they report as their heap is a number of their own (lavapipe: 2 GiB), which
//! bounds nothing.

use super::DeviceMemory;

/// What the system can still give; `None` where it does not tell as Linux does.
pub(super) fn memory() -> Option<DeviceMemory> {
    of_report(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn of_report(report: &str) -> Option<DeviceMemory> {
    let bytes = |name: &str| -> Option<u64> {
        let line = report.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    };
    Some(DeviceMemory { bytes: bytes("MemTotal:")?, budget: bytes("MemAvailable:")?, is_shared: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_of_linux_is_understood() {
        let report = "MemTotal:       16000 kB\nMemFree:         1000 kB\nMemAvailable:    9000 kB\n";
        let memory = DeviceMemory { bytes: 16_384_000, budget: 9_216_000, is_shared: true };
        assert_eq!(of_report(report), Some(memory));
        for other in [
            "",
            "MemTotal: 1 kB\n",
            "MemTotal: 1 kB\nMemAvailable: 2 MB\n",
            "MemTotal: x kB\nMemAvailable: 1 kB\n",
        ] {
            assert_eq!(of_report(other), None, "{other}");
        }
    }
}
