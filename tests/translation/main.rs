//! Every kernel in every variant before the compilers of every kind of driver. What they accept
//! is proved to be translated and compiled, not to run: for Metal and Direct3D nothing here runs.
//!
//! | checker | what it proves |
//! |---|---|
//! | naga | the text is valid with what its arithmetic may use, and nothing else |
//! | spirv-val | Vulkan 1.1 takes naga's SPIR-V |
//! | DXC | naga's HLSL compiles for shader model 6.2, and the result is valid (the kernels that Direct3D has workgroup memory for) |
//! | clang | naga's MSL has right syntax and types, by a stub of Metal's library |
//! | glslangValidator | naga's GLSL ES is valid (the portable kernels: it knows no 64-bit integers) |
//!
//! WGALOIS_DXC names the library `libdxcompiler`. A checker that is missing is a failure where
//! CI is set, and said on stderr elsewhere.

mod checkers;
mod dxc;
mod faults;
mod limits;
mod texts;

use checkers::Checker;

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
    for kernel in wgalois::internal::kernels::all() {
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
