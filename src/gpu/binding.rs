//! Declarations of the storage buffers of kernels.

use std::fmt;

/// The way a kernel accesses a storage buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Only reads.
    Read,
    /// Reads and writes.
    ReadWrite,
}

/// The declaration of one storage buffer of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Its name in the shader.
    pub name: &'static str,
    /// Its WGSL type, for example `array<u32>`.
    pub ty: &'static str,
    /// The kernel's access to it.
    pub access: Access,
}

impl Binding {
    /// Declares a buffer that the kernel only reads.
    pub const fn read(name: &'static str, ty: &'static str) -> Self {
        Binding { name, ty, access: Access::Read }
    }

    /// Declares a buffer that the kernel writes, and may read.
    pub const fn read_write(name: &'static str, ty: &'static str) -> Self {
        Binding { name, ty, access: Access::ReadWrite }
    }

    /// Declares the same buffers with other types, for a kernel that takes another one's place in a dispatch.
    ///
    /// # Panics
    /// If there are not as many types as buffers: declarations of kernels are evaluated by the compiler.
    pub const fn with_types<const N: usize>(bindings: &[Binding], types: [&'static str; N]) -> [Binding; N] {
        assert!(bindings.len() == N, "there are not as many types as buffers");
        let mut typed = [Binding::read("", ""); N];
        let mut i = 0;
        while i < N {
            typed[i] = Binding { ty: types[i], ..bindings[i] };
            i += 1;
        }
        typed
    }

    /// True if both lists name the same buffers with the same accesses, in the same order. A struct of `buffers!` and the
    /// kernels that take it mostly have the same list, of which no name is read.
    pub(super) fn are_same(a: &[Binding], b: &[Binding]) -> bool {
        let is_same = |(a, b): (&Binding, &Binding)| a.name == b.name && a.access == b.access;
        std::ptr::eq(a, b) || a.len() == b.len() && a.iter().zip(b).all(is_same)
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Binding { name, ty, access } = self;
        write!(f, "var<storage, {access}> {name}: {ty};")
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::ReadWrite => "read_write",
        })
    }
}
