//! A GPU that the user named, opened by a thread of its own while the input is read.
//!
//! ```text
//! main thread   read the input                  | plan | wait | run ...
//! this thread   find the GPUs | open the named one .........|
//! ```

use super::devices::time_opening;
use crate::prelude::*;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use wgalois::Select;
use wgalois::gpu::{self, Adapter};
use wgalois::timeline::Timeline;

/// The GPU of a run, if it is opened early.
#[derive(Default)]
pub enum Early {
    #[default]
    NotBegun,
    /// Its thread delivers it here.
    Begun(Receiver<Result<Gpu>>),
    Taken,
}

impl Early {
    /// Begins to open an adapter, once. If no thread can be started, the GPU is opened when it is needed.
    fn begin(&mut self, adapter: &Adapter, options: gpu::Options, timeline: &Timeline) {
        if let Early::NotBegun = self {
            let (adapter, timeline) = (adapter.clone(), timeline.clone());
            let (deliver, opened) = mpsc::channel();
            let open = move || {
                let _ = deliver.send(time_opening(&timeline, || Gpu::open(&adapter, options)));
                // It stays until the process ends: NVIDIA's driver takes 12 ms to let go of a thread that opened a device (H200, 2026-12-01).
                loop {
                    thread::park();
                }
            };
            let thread = thread::Builder::new().spawn(open);
            *self = thread.map_or(Early::Taken, |_| Early::Begun(opened));
        }
    }

    /// Waits for the GPU; `None` if it was not begun, or was taken before.
    fn take(&mut self) -> Option<Result<Gpu>> {
        match std::mem::replace(self, Early::Taken) {
            Early::Begun(opened) => {
                let panicked = |_| Err(Error::Device("the thread that opens the GPU has panicked".into()));
                Some(opened.recv().unwrap_or_else(panicked))
            }
            Early::NotBegun | Early::Taken => None,
        }
    }
}

impl Context {
    /// Begins to open the GPU that the user named. Its errors come when it is needed.
    pub(super) fn open_early(&self) {
        if let Select::Gpu(adapter) = &self.options.device {
            let options = self.gpu_options(gpu::Options::default());
            self.early.borrow_mut().begin(adapter, options, &self.timeline);
        }
    }

    /// True if a GPU is being opened for work that will follow, within memory that the user has not limited: then what
    /// the work needs can be read before it is planned.
    pub fn is_opening(&self) -> bool {
        let is_begun = matches!(&*self.early.borrow(), Early::Begun(_));
        is_begun && !self.options.plan && self.options.memory.is_none()
    }

    /// The GPU that was opened early, with these options, if there is one.
    pub(super) fn opened_early(&self, options: &gpu::Options) -> Option<Result<Gpu>> {
        let opened = self.early.borrow_mut().take()?;
        Some(opened.map(|gpu| gpu.with_options(options.clone())))
    }

    /// Keeps the GPUs of a device open until the process ends.
    pub(super) fn stay_open(&self, device: &Device) {
        match device {
            Device::Cpu(_) => {}
            Device::Gpu(gpu) => self.open.borrow_mut().push(gpu.clone()),
            Device::Group(group) => self.open.borrow_mut().extend_from_slice(group.members()),
            Device::Processes(processes) => self.stay_open(processes.own()),
        }
    }

    /// True if GPUs are open.
    pub fn has_open_gpus(&self) -> bool {
        !self.open.borrow().is_empty()
    }

    /// Opens no GPU early from here on. Waits for one that has begun: a program must not end while a driver starts.
    pub(super) fn close_early(&self) {
        drop(self.early.borrow_mut().take());
    }
}
