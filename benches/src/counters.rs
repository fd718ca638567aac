//! The processor's counters of clock ticks and instructions, where Linux gives them.

/// Counted clock ticks and instructions, in user mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Clock ticks at the processor's actual frequency.
    pub ticks: u64,
    /// Instructions retired.
    pub instructions: u64,
}

impl Counts {
    /// Returns the clock ticks an instruction, or `None` without instructions.
    pub fn ticks_an_instruction(&self) -> Option<f64> {
        (self.instructions > 0).then(|| self.ticks as f64 / self.instructions as f64)
    }
}

pub use os::Counters;

/// Runs `work` and returns its result with what was counted meanwhile, on this thread and those that
/// `work` starts.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Result<Counts, String>) {
    let counters = Counters::start();
    let result = work();
    (result, counters.and_then(|mut counters| counters.read()))
}

#[cfg(target_os = "linux")]
mod os {
    use std::io::{self, ErrorKind};

    use perf_event::events::Hardware;
    use perf_event::{Builder, Counter};

    use super::Counts;

    /// Running counters of the thread that started them and of all threads that it starts afterwards, with
    /// those that these start.
    pub struct Counters {
        ticks: Counter,
        instructions: Counter,
    }

    impl Counters {
        /// Starts to count. The error tells users why nothing can be counted.
        pub fn start() -> Result<Self, String> {
            // Inherited counters cannot be read as a group, so each is its own.
            let start = |event| {
                let mut counter = Builder::new(event).inherit(true).build()?;
                counter.enable().map(|()| counter)
            };
            let both = start(Hardware::CPU_CYCLES)
                .and_then(|ticks| Ok(Counters { ticks, instructions: start(Hardware::INSTRUCTIONS)? }));
            both.map_err(|error| reason(&error))
        }

        /// Returns the counts so far. The error tells users why nothing was counted.
        pub fn read(&mut self) -> Result<Counts, String> {
            Ok(Counts { ticks: read(&mut self.ticks)?, instructions: read(&mut self.instructions)? })
        }
    }

    /// Reads a counter. Where several programs shared its hardware, it ran for a part of the time, and the
    /// count is scaled to all of it.
    fn read(counter: &mut Counter) -> Result<u64, String> {
        let data = counter.read_full().map_err(|error| reason(&error))?;
        let (enabled, running) =
            (data.time_enabled().unwrap_or_default(), data.time_running().unwrap_or_default());
        if running.is_zero() {
            return Err("the processor's counters were in use by others all the time".to_owned());
        }
        Ok((data.count() as f64 * (enabled.as_secs_f64() / running.as_secs_f64())) as u64)
    }

    fn reason(error: &io::Error) -> String {
        match error.kind() {
            ErrorKind::PermissionDenied => {
                let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
                let level = level.map(|level| format!(" (kernel.perf_event_paranoid is {})", level.trim()));
                format!("Linux does not permit it{}", level.unwrap_or_default())
            }
            ErrorKind::NotFound | ErrorKind::Unsupported => {
                "this machine gives no hardware counters to Linux, as is usual for virtual ones".to_owned()
            }
            _ => format!("Linux answers: {error}"),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use super::Counts;

    /// There are none.
    pub struct Counters(std::convert::Infallible);

    impl Counters {
        /// Tells that nothing can be counted.
        pub fn start() -> Result<Self, String> {
            Err("only on Linux".to_owned())
        }

        /// Is never called.
        pub fn read(&mut self) -> Result<Counts, String> {
            match self.0 {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_or_a_reason() {
        let (sum, counts) = counted(|| (0..1_000_000u64).map(std::hint::black_box).sum::<u64>());
        assert_eq!(sum, 499_999_500_000);
        match counts {
            // A loop takes at least one instruction a round.
            Ok(counts) => {
                assert!(counts.instructions >= 1_000_000, "{counts:?}");
                assert!(counts.ticks_an_instruction().unwrap() > 0.05, "{counts:?}");
            }
            Err(reason) => assert!(!reason.is_empty()),
        }
        assert_eq!(Counts { ticks: 3, instructions: 0 }.ticks_an_instruction(), None);
        assert_eq!(Counts { ticks: 3, instructions: 4 }.ticks_an_instruction(), Some(0.75));
    }
}
