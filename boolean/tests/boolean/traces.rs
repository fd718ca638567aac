//! Traces of small searches, for another implementation of WebGPU to replay.

use wgalois::Device;
use wgalois::gpu::{DeviceRecord, Gpu, Options, trace};
use wgalois_boolean::generate::random as random_system;
use wgalois_boolean::{self as boolean, Query};

use crate::gpu_common::open;

/// Traces `work` on a device with WebGPU's default limits and features; it must run all of `kernels`.
fn traced(name: &str, kernels: &[&str], work: impl FnOnce(&Gpu)) {
    let gpu = open(Options::portable());
    trace::of(name, kernels, || work(&gpu));
}

#[test]
fn of_boolean_searches() {
    let kernels = ["boolean/search", "boolean/restrict", "boolean/linear"];
    traced("boolean", &kernels, |gpu| {
        // Kernels are ready at once: otherwise the host searches so small a system before one is compiled.
        let record = DeviceRecord { compile: 1e-9, call: 1e-9, ..gpu.device_record().clone() };
        let gpu = gpu.with_record(record);
        let system = random_system(14, 28, 2, 3, true).unwrap();
        for method in [boolean::Method::Exhaustive, boolean::Method::Crossbred] {
            let device = Device::Gpu(gpu.clone());
            let all = boolean::solve_by(&device, &system.equations, Query::All, method).unwrap();
            assert!(all.list.contains(system.planted.as_ref().unwrap()), "{method}");
        }
    });
}
