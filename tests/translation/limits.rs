//! Portable kernels within what every WebGPU implementation has.

use std::collections::BTreeMap;

use naga::AddressSpace;
use naga::proc::Layouter;

use crate::texts::{self, Text};

/// What a kernel takes of a device.
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
        // As WebGPU counts: each variable by itself, in steps of 16 bytes.
        let shared = sizes(|space| space == AddressSpace::WorkGroup);
        Need {
            invocations: module.entry_points[0].workgroup_size.iter().product(),
            workgroup_bytes: shared.iter().map(|size| size.next_multiple_of(16)).sum(),
            storage_buffers: sizes(|space| matches!(space, AddressSpace::Storage { .. })).len(),
            uniform_buffers: uniforms.len(),
            uniform_bytes: uniforms.into_iter().max().unwrap_or(0),
        }
    }

    /// What of it passes the default limits.
    fn excess(&self) -> Vec<&'static str> {
        let limits = wgpu::Limits::default();
        let checks = [
            ("invocations", self.invocations > limits.max_compute_invocations_per_workgroup),
            ("workgroup memory", self.workgroup_bytes > limits.max_compute_workgroup_storage_size),
            (
                "storage buffers",
                self.storage_buffers > limits.max_storage_buffers_per_shader_stage as usize,
            ),
            (
                "uniform buffers",
                self.uniform_buffers > limits.max_uniform_buffers_per_shader_stage as usize,
            ),
            (
                "uniform bytes",
                u64::from(self.uniform_bytes) > limits.max_uniform_buffer_binding_size,
            ),
        ];
        checks.into_iter().filter(|(_, exceeds)| *exceeds).map(|(what, _)| what).collect()
    }
}

/// Kernels some of whose portable variants pass the default limits, what these pass, and how many
/// do. They are built only where a device offers more.
const LARGER: &[(&str, &str, usize)] = &[
    ("four_step/base", "workgroup memory", 4),
    ("gf2/state", "invocations", 2),
    ("gf2/state", "workgroup memory", 2),
    ("gf2/update", "invocations", 4),
    ("gf2/update", "workgroup memory", 4),
    ("ntt/columns", "invocations", 0),
    ("ntt/columns", "workgroup memory", 0),
    ("ntt/columns_pair", "invocations", 5),
];

#[test]
fn portable_kernels_stay_within_the_default_limits() {
    let mut larger: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for kernel in wgalois::kernels::all() {
        let portable = texts::every().iter().filter(|text| text.kernel == kernel.name && !text.int64);
        let mut fitting = 0;
        for text in portable {
            let need = Need::of(text);
            fitting += usize::from(need.excess().is_empty());
            for what in need.excess() {
                *larger.entry((kernel.name, what)).or_default() += 1;
            }
        }
        assert!(fitting > 0, "{} has no variant within the default limits", kernel.name);
    }
    let larger: Vec<_> = larger.into_iter().map(|((kernel, what), count)| (kernel, what, count)).collect();
    assert_eq!(larger, LARGER);
}

#[test]
fn a_kernel_past_a_limit_is_found() {
    let text = |wgsl: &str| Text { name: String::new(), kernel: "", int64: false, wgsl: wgsl.into() };
    let excess = |workgroup: u32, words: u32, buffers: u32| {
        let mut wgsl: String = (0..buffers)
            .map(|i| format!("@group(0) @binding({i}) var<storage, read_write> b{i}: array<u32>;\n"))
            .collect();
        wgsl += &format!(
            "var<workgroup> tile: array<u32, {words}>;\n\
             @compute @workgroup_size({workgroup}) fn main() {{ b0[0] = tile[0]; }}"
        );
        Need::of(&text(&wgsl)).excess()
    };
    assert!(excess(256, 4096, 8).is_empty());
    assert_eq!(excess(257, 4096, 8), ["invocations"]);
    assert_eq!(excess(256, 4097, 8), ["workgroup memory"]);
    assert_eq!(excess(256, 4096, 9), ["storage buffers"]);
}
