//! The buffers of every kernel: what a dispatch names is what the text declares, and writes.

use std::collections::HashSet;

use naga::valid::GlobalUse;
use naga::{AddressSpace, StorageAccess};
use wgalois::gpu::{Access, Binding, Kernel};

use crate::texts;

/// The kernel's variables with a binding, by its declaration: parameters, then buffers.
fn declared(kernel: &'static Kernel) -> Vec<(&'static str, AddressSpace)> {
    let buffer = |&Binding { name, access, .. }: &Binding| {
        let access = match access {
            Access::Read => StorageAccess::LOAD,
            Access::ReadWrite => StorageAccess::LOAD | StorageAccess::STORE,
        };
        (name, AddressSpace::Storage { access })
    };
    std::iter::once(("params", AddressSpace::Uniform)).chain(kernel.bindings.iter().map(buffer)).collect()
}

#[test]
fn buffers_are_named_and_accessed_as_in_the_text() {
    let mut unwritten = Vec::new();
    for kernel in crate::kernels() {
        let declared = declared(kernel);
        let mut written = HashSet::new();
        for text in texts::every().iter().filter(|text| text.kernel == kernel.name) {
            let (module, info) = texts::validate(text).unwrap();
            let variables = module.global_variables.iter();
            let mut bound: Vec<_> = variables.filter(|(_, variable)| variable.binding.is_some()).collect();
            bound.sort_by_key(|(_, variable)| variable.binding);
            let found: Vec<_> = bound
                .iter()
                .map(|(_, variable)| (variable.name.as_deref().unwrap(), variable.space))
                .collect();
            assert_eq!(found, declared, "{}", text.name);
            let uses = info.get_entry_point(0);
            let is_written = |i: &usize| uses[bound[*i].0].intersects(GlobalUse::WRITE | GlobalUse::ATOMIC);
            written.extend((0..bound.len()).filter(is_written));
        }
        // The parameters come first.
        let writes = |binding: &Binding| binding.access == Access::ReadWrite;
        let never = (1..).zip(kernel.bindings).filter(|(i, binding)| writes(binding) && !written.contains(i));
        unwritten.extend(never.map(|(_, binding)| (kernel.name, binding.name)));
    }
    assert!(unwritten.is_empty(), "buffers that no variant writes: {unwritten:?}");
}
