//! The buffers of every kernel: what a dispatch names is what its text declares, and uses.

use std::collections::HashSet;

use naga::valid::GlobalUse;
use naga::{AddressSpace, StorageAccess};
use wgalois::gpu::Access;

use crate::texts;

#[test]
fn buffers_are_named_and_accessed_as_in_the_text() {
    for kernel in crate::kernels() {
        let mut unused: HashSet<&str> = kernel.bindings.iter().map(|binding| binding.name).collect();
        assert_eq!(unused.len(), kernel.bindings.len(), "{} names a buffer twice", kernel.name);
        let mut unwritten: HashSet<&str> = HashSet::new();
        unwritten.extend(kernel.bindings.iter().filter(|b| b.access == Access::ReadWrite).map(|b| b.name));
        for text in texts::every().iter().filter(|text| text.kernel == kernel.name) {
            let (module, info) = texts::validate(text).unwrap();
            let mut bound: Vec<_> = module.global_variables.iter().collect();
            bound.retain(|(_, variable)| variable.binding.is_some());
            bound.sort_by_key(|(_, variable)| variable.binding);
            let (params, buffers) = bound.split_first().unwrap();
            assert_eq!(params.1.space, AddressSpace::Uniform, "{}", text.name);
            assert_eq!(buffers.len(), kernel.bindings.len(), "{}", text.name);
            for ((&(handle, variable), binding), slot) in buffers.iter().zip(kernel.bindings).zip(1..) {
                let name = variable.name.as_deref();
                assert_eq!(
                    (name, variable.binding.unwrap().binding),
                    (Some(binding.name), slot),
                    "{}",
                    text.name
                );
                let access = match binding.access {
                    Access::Read => StorageAccess::LOAD,
                    Access::ReadWrite => StorageAccess::LOAD | StorageAccess::STORE,
                };
                assert_eq!(
                    variable.space,
                    AddressSpace::Storage { access },
                    "{}: {}",
                    text.name,
                    binding.name
                );
                let used = info.get_entry_point(0)[handle];
                if !used.is_empty() {
                    unused.remove(binding.name);
                }
                if used.intersects(GlobalUse::WRITE | GlobalUse::ATOMIC) {
                    unwritten.remove(binding.name);
                }
            }
        }
        assert!(unused.is_empty(), "no variant of {} uses {unused:?}", kernel.name);
        assert!(unwritten.is_empty(), "no variant of {} writes {unwritten:?}", kernel.name);
    }
}
