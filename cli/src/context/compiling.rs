//! The measurement of a GPU before it is first used, and the kernels that are compiled meanwhile.
//!
//! ```text
//! main thread   plan by the shipped record | measure the GPU ............| plan by its record | prepare ... | end: wait
//! this thread                                     | compile the kernels of the first plan .............|
//! ```
//!
//! The second plan nearly always has the kernels of the first, and finds them compiled or being compiled.

use super::devices::device_name;
use crate::prelude::*;
use std::thread::{self, JoinHandle};
use wgalois::gpu::Family;
use wgalois::task::Planned;

/// The threads that compile.
#[derive(Default)]
pub struct Compiling(Vec<JoinHandle<()>>);

impl Context {
    /// Returns the device with what its record lacks measured, which is done once on each GPU, or again if the user asks for it.
    pub(super) fn tuned(
        &self,
        device: &Device,
        families: &[Family],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<Option<Device>> {
        let begin = Instant::now();
        let measure = || device.tuned_while(families, self.options.retune, meanwhile);
        let tuned = self.watch("measuring the GPU", measure)?;
        if tuned.is_some() {
            let seconds = begin.elapsed().as_secs_f64();
            self.note(&format!("{}: measured in {seconds:.1} s; the record is kept", device_name(device)));
        }
        Ok(tuned)
    }

    /// Begins to compile the kernels of a plan for a device. Their errors come when they are needed; if no thread can be started,
    /// they are compiled then.
    pub(super) fn compile_early<P: Problem>(
        &self,
        device: &Device,
        plan: &Planned<P>,
        compile: impl FnOnce(&Device, &Planned<P>) -> Result<()> + Send + 'static,
    ) {
        let (device, plan) = (device.clone(), plan.clone());
        self.compile_on_thread(Box::new(move || compile(&device, &plan)));
    }

    fn compile_on_thread(&self, compile: Box<dyn FnOnce() -> Result<()> + Send>) {
        let thread = thread::Builder::new().spawn(|| {
            if let Err(error) = compile() {
                log::info!("a kernel was not compiled early: {error}");
            }
        });
        self.compiling.borrow_mut().0.extend(thread);
    }

    /// Waits for the threads: a program must not end while a driver compiles.
    pub(super) fn end_compiling(&self) {
        for thread in self.compiling.take().0 {
            // What has panicked was of no use.
            let _ = thread.join();
        }
    }
}
