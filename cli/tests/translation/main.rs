//! Gives every kernel in every variant to the compilers for every kind of driver. This proves that a
//! kernel is translated and compiled, but not that it runs: for Metal and Direct3D nothing is run
//! here.
//!
//! | checker | what it proves |
//! |---|---|
//! | naga | the text is valid with the features of its arithmetic only |
//! | spirv-val | naga's SPIR-V is valid for Vulkan 1.1 |
//! | DXC | naga's HLSL compiles for shader model 6.2, and the result is valid (for the kernels whose workgroup memory fits Direct3D) |
//! | clang | naga's MSL has correct syntax and types, according to a stub of Metal's library |
//! | glslangValidator | naga's GLSL ES is valid (for the portable kernels, since it has no 64-bit integers) |
//!
//! WGALOIS_DXC names the library `libdxcompiler`. A missing checker is a failure if CI is set, and
//! is otherwise reported on stderr.

mod buffers;
mod checkers;
mod dxc;
mod faults;
mod limits;
mod texts;
#[path = "../../src/translate.rs"]
mod translate;

use checkers::Checker;
use wgalois::gpu::Kernel;

/// All kernels of all crates.
fn kernels() -> impl Iterator<Item = &'static Kernel> {
    let others = wgalois_boolean::kernels().chain(wgalois_benches::kernels());
    wgalois::kernels().chain(others)
}

/// Checks all texts that the checker's language can express.
fn walk(checker: &Checker) {
    let Some(check) = checker.find() else { return };
    let complaints = check(&checker.sources(&texts::all()));
    let [first, ..] = &complaints[..] else { return };
    let names: Vec<_> = complaints.iter().map(|complaint| &complaint.name).collect();
    panic!("{} refuses {} texts: {names:?}; the first: {}", checker.name, names.len(), first.message);
}

#[test]
fn the_walk_covers_every_kernel_and_arithmetic() {
    for kernel in crate::kernels() {
        let mut of_kernel = texts::every().iter().filter(|text| text.kernel == kernel.name);
        assert!(of_kernel.any(|text| !text.int64), "{} has no portable variant", kernel.name);
    }
    assert!(texts::all().iter().any(|text| text.int64));
}

#[test]
fn naga() {
    for text in texts::all() {
        if let Err(message) = texts::validate(text) {
            panic!("{}: {message}", text.name);
        }
    }
}

#[test]
fn spirv() {
    walk(&checkers::SPIRV);
}

#[test]
fn hlsl() {
    walk(&checkers::HLSL);
}

#[test]
fn msl() {
    walk(&checkers::MSL);
}

#[test]
fn glsl() {
    walk(&checkers::GLSL);
}
