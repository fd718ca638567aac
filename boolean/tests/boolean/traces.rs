//! Traces of small searches, for another implementation of WebGPU to replay.
//!
//! They are written to the folder that the environment variable `WGALOIS_TRACES` names, otherwise to
//! the system's folder for temporary files.

use std::collections::BTreeSet;
use std::path::PathBuf;

use wgalois::Device;
use wgalois::gpu::trace::Trace;
use wgalois::gpu::{Gpu, Options};
use wgalois_boolean::generate::random as random_system;
use wgalois_boolean::{self as boolean, Want};

use crate::gpu_common::open;

/// Traces `work` on a device with WebGPU's default limits and features; it must run all of `kernels`.
fn trace(name: &str, kernels: &[&str], work: impl FnOnce(&Gpu)) {
    let gpu = open(Options::portable());
    let ((), trace) = Trace::of(|| work(&gpu));
    let ran: BTreeSet<&str> = trace.kernels().collect();
    for kernel in kernels {
        assert!(ran.contains(kernel), "{kernel} is not among {ran:?}");
    }
    let folder = std::env::var_os("WGALOIS_TRACES").map_or_else(std::env::temp_dir, PathBuf::from);
    trace.write(&folder, name).unwrap();
}

#[test]
fn of_boolean_searches() {
    let kernels = ["boolean/search", "boolean/restrict", "boolean/linear"];
    trace("boolean", &kernels, |gpu| {
        let system = random_system(14, 28, 2, 3, true).unwrap();
        for method in [boolean::Method::Exhaustive, boolean::Method::Crossbred] {
            let device = Device::Gpu(gpu.clone());
            let all = boolean::solve_by(&device, &system.equations, Want::All, method).unwrap();
            assert!(all.list.contains(system.planted.as_ref().unwrap()), "{method}");
        }
    });
}
