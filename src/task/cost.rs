//! The expected time and the memory of a plan.

use std::fmt;
use std::time::Duration;

use crate::{Error, Result, Shortage, Side};

/// The time and memory of one run of a plan, from host data to host data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The expected time of preparing and running once: opening the device if it is not open,
    /// compiling, transfers and computation. An estimate, correct to a factor of about two.
    pub time: Duration,
    /// The part of the time in which kernels are compiled, which work with the same kernels shares.
    pub compiling: Duration,
    /// The part of the time that a second run of the prepared form does not take: compiling, tables, and uploads of what all
    /// runs have in common. Zero where it was not estimated.
    pub preparing: Duration,
    /// Peak host memory in bytes in addition to the inputs, the answer included. An upper bound.
    pub host_bytes: u64,
    /// Peak device memory in bytes. An upper bound; 0 on the CPU engine.
    pub device_bytes: u64,
}

impl Cost {
    /// Returns the cost as an object for `--json`: `seconds`, `host_bytes` and `device_bytes`.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "seconds": self.time.as_secs_f64(),
            "host_bytes": self.host_bytes,
            "device_bytes": self.device_bytes,
        })
    }

    /// Returns the cost of several pieces of work with the same kernels, one after the other, each so many times: they are
    /// compiled once.
    pub fn in_turn(costs: &[(Cost, u32)]) -> Cost {
        let compiling = costs.iter().map(|(cost, _)| cost.compiling).max().unwrap_or_default();
        costs.iter().fold(Cost { time: compiling, compiling, ..Cost::default() }, |sum, (cost, times)| Cost {
            time: sum.time.saturating_add(cost.time.saturating_sub(cost.compiling).saturating_mul(*times)),
            host_bytes: sum.host_bytes.max(cost.host_bytes),
            device_bytes: sum.device_bytes.max(cost.device_bytes),
            ..sum
        })
    }

    /// Returns the cost of preparing once and running so many times.
    #[must_use]
    pub fn repeated(self, times: u32) -> Cost {
        let further = self.time.saturating_sub(self.preparing).saturating_mul(times.saturating_sub(1));
        Cost { time: self.time.saturating_add(further), ..self }
    }

    /// Bytes of host and device memory together.
    pub fn bytes(&self) -> u64 {
        self.host_bytes.saturating_add(self.device_bytes)
    }

    /// Checks that the cost is within the memory that `profile` allows.
    pub fn check(&self, profile: &super::Profile, what: &str) -> Result<()> {
        let sides = [
            (Side::Host, self.host_bytes, profile.host_memory),
            (Side::Device, self.device_bytes, profile.device_memory),
            (Side::Shared, self.bytes(), profile.shared_memory()),
        ];
        match sides.into_iter().find(|(_, needed, allowed)| needed > allowed) {
            None => Ok(()),
            Some((side, needed, allowed)) => {
                Err(Error::OutOfMemory(Shortage::new(what, side, needed, allowed)))
            }
        }
    }
}

/// An estimated time in the unit that suits it.
pub fn approximate(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1e-3 => format!("about {:.0} us", (seconds * 1e6).ceil()),
        seconds if seconds < 1.0 => format!("about {:.0} ms", seconds * 1e3),
        seconds => format!("about {seconds:.1} s"),
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "expected time  {}", approximate(self.time))?;
        writeln!(f, "host memory    {} bytes", self.host_bytes)?;
        write!(f, "device memory  {} bytes", self.device_bytes)
    }
}
