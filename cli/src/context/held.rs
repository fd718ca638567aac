//! The memory that a verb holds and may use.

use super::super::memory::free_memory;
use crate::prelude::*;
use wgalois::Shortage;
use wgalois::task::CpuRecord;

impl Context {
    /// The rates by which the CPU engine plans: this machine's, unless a variable of the environment asks for those that every
    /// machine has alike, as tests do.
    pub fn cpu_record(&self) -> CpuRecord {
        let is_fixed = std::env::var_os("WGALOIS_CPU_RECORD").is_some_and(|name| name == "shipped");
        if is_fixed { CpuRecord::Shipped } else { CpuRecord::Measured }
    }

    /// Counts `bytes` of memory that the verb holds from now on, such as an input: the memory of all
    /// later steps is smaller by them.
    pub fn hold(&self, bytes: u64) {
        self.held.set(self.held.get().saturating_add(bytes));
    }

    /// Counts `bytes` of memory as all that the verb holds: what it held beside is freed.
    pub fn hold_only(&self, bytes: u64) {
        self.held.set(bytes);
    }

    /// Returns the bytes that the verb holds.
    pub fn held(&self) -> u64 {
        self.held.get()
    }

    /// Returns the bytes of host memory that may be used, those that are held included: the free
    /// memory, and at most `--memory`.
    pub fn memory(&self) -> u64 {
        let free =
            free_memory() / self.processes().map_or(1, |processes| processes.identity().local_size as u64);
        let free = free.saturating_add(self.held.get());
        self.options.memory.map_or(free, |limit| limit.min(free))
    }

    /// Returns the bytes of host memory that may be used beside those that are held.
    pub fn free(&self) -> u64 {
        self.memory().saturating_sub(self.held.get())
    }

    /// Refuses a task that needs `bytes` beside what is held, if they may not be used. The error states the limit
    /// that suffices.
    pub fn need(&self, bytes: u64, what: &str) -> Result<()> {
        let (bytes, memory) = (bytes.saturating_add(self.held.get()), self.memory());
        if bytes <= memory {
            return Ok(());
        }
        let message = format!("{what} needs {bytes} bytes of memory, and {memory} may be used");
        let mut shortage = Shortage::from(message);
        (shortage.needed, shortage.allowed) = (Some(bytes), Some(memory));
        Err(Error::TooLarge(shortage))
    }

    /// Adds the `--memory` that suffices to the error of an input that is too large.
    pub fn with_memory_named(&self, error: Error) -> Error {
        match error {
            Error::TooLarge(mut shortage) if self.options.memory.is_some() => {
                if let Some(needed) = shortage.needed {
                    shortage.message += &format!("; --memory {needed} suffices for that");
                }
                Error::TooLarge(shortage)
            }
            other => other,
        }
    }
}
