//! The events that a timeline records.

use std::time::Duration;

use super::ThreadTime;

/// The kind of an event's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Reading and parsing files.
    Reading,
    /// Building pipelines and tables.
    Preparing,
    /// Copying from host memory to device memory.
    Upload,
    /// Kernels on the device, timed by its own clock if it has one.
    Device,
    /// Computing on the CPU engine.
    Host,
    /// Waiting for the device.
    Waiting,
    /// Mapping staging buffers into the host's memory, with the wait for the device until they are free.
    /// Only in detailed timelines; always within an upload or a download.
    Mapping,
    /// Copying from device memory to host memory.
    Download,
    /// Verifying a result.
    Checking,
    /// Formatting and writing files.
    Writing,
}

impl Phase {
    /// All phases.
    pub const ALL: [Phase; 10] = [
        Phase::Reading,
        Phase::Preparing,
        Phase::Upload,
        Phase::Device,
        Phase::Host,
        Phase::Waiting,
        Phase::Mapping,
        Phase::Download,
        Phase::Checking,
        Phase::Writing,
    ];

    /// Returns the name of the phase in reports.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Preparing => "preparing",
            Phase::Upload => "upload",
            Phase::Device => "device",
            Phase::Host => "host",
            Phase::Waiting => "waiting",
            Phase::Mapping => "mapping",
            Phase::Download => "download",
            Phase::Checking => "checking",
            Phase::Writing => "writing",
        }
    }
}

/// Work on a timeline: its kind, begin and duration.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The kind of work.
    pub phase: Phase,
    /// A name for users; for a dispatch, its stage.
    pub name: String,
    /// The kernel of a dispatch.
    pub kernel: Option<&'static str>,
    /// The begin, counted from the creation of the timeline.
    pub start: Duration,
    /// The duration; `None` for a dispatch that the device's clock did not time, which starts at its
    /// submission.
    pub length: Option<Duration>,
    /// The bytes copied, or 0.
    pub bytes: u64,
    /// The workgroups of a dispatch.
    pub launch: Option<Launch>,
    /// The number of the worker thread whose task this is. Such an event details a part of an event of
    /// [`Phase::Host`] that has no thread.
    pub thread: Option<usize>,
    /// The number of the device whose work this is, if it is one of a group.
    pub device: Option<usize>,
}

/// The workgroups of a dispatch, or those of them that were submitted together: work that would keep the device too
/// long is submitted in parts, each of which is an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// The first workgroup of this submission.
    pub first: u32,
    /// The number of workgroups in this submission.
    pub count: u32,
    /// The number of workgroups of the whole dispatch.
    pub total: u32,
    /// The bytes of the buffers that the kernel sees.
    pub bound_bytes: u64,
}

impl Event {
    /// Returns the end of the event: its start if it was not timed.
    pub fn end(&self) -> Duration {
        self.start + self.length.unwrap_or_default()
    }
}

/// The contents of a timeline at one moment.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The events, in the order in which they were recorded.
    pub events: Vec<Event>,
    /// Processor time of each thread within events of [`Phase::Host`]; only in detailed timelines, and
    /// empty where the system does not tell it.
    pub threads: Vec<ThreadTime>,
}
