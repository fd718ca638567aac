//! Traces of submissions, which another implementation of WebGPU can replay and compare. A trace holds
//! the text of every kernel, and the contents of every buffer before and after each submission.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::binding::Access;
use super::device::Gpu;
use super::kernel::Kernel;
use super::mapped;
use super::mapping;
use super::staging::Way;
use super::step::{PARAMS_STRIDE, Step};
use crate::Result;

thread_local! {
    static TRACE: RefCell<Option<Trace>> = const { RefCell::new(None) };
}

/// A trace: the submissions of one thread since the trace began.
#[derive(Default)]
struct Trace {
    kernels: Vec<Value>,
    submissions: Vec<Value>,
    /// The contents of the buffers, one after the other.
    contents: Vec<u8>,
}

/// Runs `work`, which must run all of `kernels` on this thread, and writes the trace of its submissions to `name.json` and
/// `name.bin`, in the folder that the environment variable `WGALOIS_TRACES` names, otherwise in the system's folder for
/// temporary files.
///
/// # Panics
/// If a kernel did not run, or the trace cannot be written: this is for tests, and exists in development builds only.
pub fn of(name: &str, kernels: &[&str], work: impl FnOnce()) {
    TRACE.set(Some(Trace::default()));
    work();
    let trace = TRACE.take().unwrap_or_default();
    let ran: BTreeSet<&str> = trace.kernels.iter().filter_map(|kernel| kernel["name"].as_str()).collect();
    for kernel in kernels {
        assert!(ran.contains(kernel), "{kernel} is not among {ran:?}");
    }
    let folder = std::env::var_os("WGALOIS_TRACES").map_or_else(std::env::temp_dir, PathBuf::from);
    trace.write(&folder, name).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
}

impl Trace {
    fn write(&self, folder: &Path, name: &str) -> std::io::Result<()> {
        let whole = json!({ "kernels": self.kernels, "submissions": self.submissions });
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(name).with_extension("json"), whole.to_string())?;
        std::fs::write(folder.join(name).with_extension("bin"), &self.contents)
    }

    fn kernel(&mut self, (kernel, wgsl): &(&'static Kernel, Arc<str>)) -> usize {
        self.kernels.iter().position(|known| known["wgsl"] == **wgsl).unwrap_or_else(|| {
            let read_only: Vec<bool> =
                kernel.bindings.iter().map(|binding| binding.access == Access::Read).collect();
            self.kernels.push(json!({ "name": kernel.name, "wgsl": &**wgsl, "readOnly": read_only }));
            self.kernels.len() - 1
        })
    }

    /// Appends the bytes to `contents` and returns their offset and length.
    fn keep(&mut self, bytes: &[u8]) -> [usize; 2] {
        let start = self.contents.len();
        self.contents.extend_from_slice(bytes);
        [start, bytes.len()]
    }
}

/// True if this thread's submissions are traced.
pub(super) fn is_on() -> bool {
    TRACE.with_borrow(Option::is_some)
}

/// Runs `submit`, which submits `steps` with `params`, and adds the submission to the trace.
pub(super) fn record(
    gpu: &Gpu,
    steps: &[Step],
    params: &[u8],
    submit: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let mut buffers: Vec<wgpu::Buffer> = Vec::new();
    let mut numbers = Vec::new();
    for step in steps {
        let number = |buffer: &wgpu::Buffer| {
            buffers.iter().position(|known| known == buffer).unwrap_or_else(|| {
                buffers.push(buffer.clone());
                buffers.len() - 1
            })
        };
        numbers.push(step.buffers.iter().map(number).collect::<Vec<_>>());
    }
    let contents = || buffers.iter().map(|buffer| read(gpu, buffer)).collect::<Result<Vec<_>>>();
    let before = contents()?;
    submit()?;
    let after = contents()?;
    TRACE.with_borrow_mut(|trace| {
        let Some(trace) = trace else { return };
        let pairs = before.iter().zip(&after);
        let buffers: Vec<Value> = pairs
            .map(|(before, after)| json!({ "before": trace.keep(before), "after": trace.keep(after) }))
            .collect();
        let steps: Vec<Value> = steps
            .iter()
            .zip(numbers)
            .zip(params.chunks(PARAMS_STRIDE))
            .map(|((step, buffers), params)| {
                let kernel = trace.kernel(&step.source);
                let count = 2 + step.source.0.params.len();
                let params: &[u32] = &bytemuck::pod_collect_to_vec::<u8, u32>(params)[..count];
                json!({ "kernel": kernel, "buffers": buffers, "params": params, "groups": step.groups })
            })
            .collect();
        trace.submissions.push(json!({ "buffers": buffers, "steps": steps }));
    });
    Ok(())
}

fn read(gpu: &Gpu, buffer: &wgpu::Buffer) -> Result<Vec<u8>> {
    let size = buffer.size();
    let copy = gpu.create_buffer("traced", size, mapping::READABLE)?;
    gpu.submit(|encoder| encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, size))?;
    super::block_on(mapping::map(gpu, &copy, size, Way::Download))?;
    Ok(mapped::view(&copy, ..)?.to_vec())
}
