//! Tests that portable kernels stay within the limits of every WebGPU implementation.

use std::collections::BTreeSet;

use naga::AddressSpace;
use naga::proc::Layouter;

use crate::texts::{self, Text};

/// The resources that a kernel needs.
#[derive(Debug, PartialEq, Eq)]
struct Need {
    invocations: u32,
    workgroup_bytes: u32,
    storage_buffers: usize,
    uniform_buffers: usize,
    uniform_bytes: u32,
}

impl Need {
    fn of(text: &Text) -> Self {
        let (module, _) = texts::validate(text).unwrap();
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).unwrap();
        let sizes = |wanted: fn(AddressSpace) -> bool| {
            let globals = module.global_variables.iter().filter(move |(_, variable)| wanted(variable.space));
            globals.map(|(_, variable)| layouter[variable.ty].size).collect::<Vec<_>>()
        };
        let uniforms = sizes(|space| space == AddressSpace::Uniform);
        // WebGPU counts each variable separately, rounded up to 16 bytes.
        let shared = sizes(|space| space == AddressSpace::WorkGroup);
        Need {
            invocations: module.entry_points[0].workgroup_size.iter().product(),
            workgroup_bytes: shared.iter().map(|size| size.next_multiple_of(16)).sum(),
            storage_buffers: sizes(|space| matches!(space, AddressSpace::Storage { .. })).len(),
            uniform_buffers: uniforms.len(),
            uniform_bytes: uniforms.into_iter().max().unwrap_or(0),
        }
    }

    /// Returns the resources that exceed the default limits.
    fn excess(&self) -> Vec<&'static str> {
        let limits = wgalois::wgpu::Limits::default();
        let checks = [
            ("invocations", self.invocations > limits.max_compute_invocations_per_workgroup),
            ("workgroup memory", self.workgroup_bytes > limits.max_compute_workgroup_storage_size),
            ("storage buffers", self.storage_buffers > limits.max_storage_buffers_per_shader_stage as usize),
            ("uniform buffers", self.uniform_buffers > limits.max_uniform_buffers_per_shader_stage as usize),
            ("uniform bytes", u64::from(self.uniform_bytes) > limits.max_uniform_buffer_binding_size),
        ];
        checks.into_iter().filter(|(_, exceeds)| *exceeds).map(|(what, _)| what).collect()
    }
}

/// Kernels with portable variants that exceed the default limits, and the limits that they exceed.
/// Such a variant is built only on a device that offers more.
const LARGER: &[(&str, &str)] = &[
    ("four_step/base", "workgroup memory"),
    ("gf2/update", "invocations"),
    ("gf2/update", "workgroup memory"),
    ("gf2/update_stack", "invocations"),
    ("gf2/update_stack", "workgroup memory"),
    ("ntt/columns", "invocations"),
    ("ntt/columns", "workgroup memory"),
    ("ntt/columns_pair", "invocations"),
    ("ntt/columns_pair", "workgroup memory"),
    ("ntt/matrix", "invocations"),
    ("ntt/matrix", "workgroup memory"),
    ("ntt/matrix_extend", "invocations"),
    ("ntt/matrix_extend", "workgroup memory"),
];

#[test]
fn portable_kernels_stay_within_the_default_limits() {
    let mut larger = BTreeSet::new();
    for kernel in crate::kernels() {
        let portable = texts::every().iter().filter(|text| text.kernel == kernel.name && !text.int64);
        let excesses: Vec<_> = portable.map(|text| Need::of(text).excess()).collect();
        let fits = excesses.iter().any(Vec::is_empty);
        assert!(fits, "{} has no variant within the default limits", kernel.name);
        larger.extend(excesses.into_iter().flatten().map(|what| (kernel.name, what)));
    }
    assert_eq!(larger.into_iter().collect::<Vec<_>>(), LARGER);
}

/// True if a device of Direct3D, where a workgroup has 32 KiB of memory, can receive the text.
pub fn fits_direct3d(text: &Text) -> bool {
    Need::of(text).workgroup_bytes <= 32 << 10
}

#[test]
fn few_kernels_pass_the_limits_of_direct3d() {
    let larger = texts::every().iter().filter(|text| !fits_direct3d(text));
    let larger: BTreeSet<_> = larger.map(|text| text.kernel).collect();
    const UPDATES: [&str; 2] = ["gf2/update", "gf2/update_stack"];
    assert_eq!(larger.into_iter().collect::<Vec<_>>(), UPDATES);
    for kernel in UPDATES {
        let updates = texts::every().iter().filter(|text| text.kernel == kernel);
        let bytes: BTreeSet<_> = updates.map(|text| Need::of(text).workgroup_bytes).collect();
        assert_eq!(bytes.into_iter().collect::<Vec<_>>(), [16 << 10, 32 << 10, 36 << 10]);
    }
}

#[test]
fn a_kernel_past_a_limit_is_found() {
    let text = |workgroup: u32, words: u32, buffers: u32| {
        let mut wgsl: String = (0..buffers)
            .map(|i| format!("@group(0) @binding({i}) var<storage, read_write> b{i}: array<u32>;\n"))
            .collect();
        wgsl += &format!(
            "var<workgroup> tile: array<u32, {words}>;\n\
             @compute @workgroup_size({workgroup}) fn main() {{ b0[0] = tile[0]; }}"
        );
        Text { name: String::new(), kernel: "", int64: false, subgroups: false, wgsl }
    };
    let excess = |workgroup, words, buffers| Need::of(&text(workgroup, words, buffers)).excess();
    assert!(excess(256, 4096, 8).is_empty());
    assert_eq!(excess(257, 4096, 8), ["invocations"]);
    assert_eq!(excess(256, 4097, 8), ["workgroup memory"]);
    assert_eq!(excess(256, 4096, 9), ["storage buffers"]);
    assert!(fits_direct3d(&text(256, 8192, 8)) && !fits_direct3d(&text(256, 8193, 8)));
}
