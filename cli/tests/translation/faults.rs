//! Inserts faults into a kernel, which each checker must find: a checker that accepts everything
//! proves nothing.

use crate::checkers::{self, Checker, Source};
use crate::texts::{self, Text};

/// Returns a portable kernel with an input buffer, an output buffer and arithmetic.
fn sample() -> &'static Text {
    let mut texts = texts::every().iter();
    texts.find(|text| text.kernel == "copy" && !text.int64).expect("the kernel that copies")
}

/// Asserts that the checker accepts the sample and refuses it with each of the faults.
fn find(checker: &Checker, faults: [fn(&Source) -> Source; 3]) {
    let Some(check) = checker.find() else { return };
    let source = checker.source(sample());
    assert!(check(std::slice::from_ref(&source)).is_empty(), "{} refuses the sample", checker.name);
    for (number, fault) in faults.into_iter().enumerate() {
        let spoilt = fault(&source);
        assert!(spoilt.bytes != source.bytes, "fault {number} changes nothing");
        // Checked together with a good source, to test that errors are attributed to the right one.
        let complaints = check(&[source.clone(), Source { name: "spoilt".into(), ..spoilt }]);
        let names: Vec<_> = complaints.iter().map(|complaint| complaint.name.as_str()).collect();
        assert_eq!(names, ["spoilt"], "{}, fault {number}", checker.name);
    }
}

#[test]
fn naga_finds_faults() {
    let spoil = |line: &str| {
        let wgsl = insert(&sample().wgsl, line);
        texts::validate(&Text { name: String::new(), kernel: "", int64: false, subgroups: false, wgsl })
    };
    assert!(spoil("let fault = 1u;").is_ok());
    for line in ["let fault = no_such_name;", "let fault: u32 = 1.5f;", "let fault = u64(1u);"] {
        assert!(spoil(line).is_err(), "{line}");
    }
}

#[test]
fn spirv_val_finds_faults() {
    // Opcodes and decorations, from SPIR-V's specification.
    const TYPE_VOID: u32 = 19;
    const DECORATE: u32 = 71;
    const I_ADD: u32 = 128;
    const BLOCK: u32 = 2;
    const BUFFER_BLOCK: u32 = 3;
    find(
        &checkers::SPIRV,
        [
            // A sum of type void.
            |source| {
                let mut void = 0;
                edit(source, |opcode, words| match opcode {
                    TYPE_VOID => void = words[1],
                    I_ADD => words[1] = void,
                    _ => {}
                })
            },
            // An identifier without a definition.
            |source| {
                edit(source, |opcode, words| {
                    if opcode == I_ADD {
                        words[3] = words[2] + 1
                    }
                })
            },
            // Buffers in the form of Vulkan's first version, which the target environment forbids.
            |source| {
                edit(source, |opcode, words| {
                    if opcode == DECORATE && words[2] == BLOCK {
                        words[2] = BUFFER_BLOCK;
                    }
                })
            },
        ],
    );
}

#[test]
fn dxc_finds_faults() {
    find(
        &checkers::HLSL,
        [
            |source| with_line(source, "uint fault = no_such_name;"),
            |source| with_line(source, "uint fault = params;"),
            // This compiles, but the validator refuses it: derivatives are only for pixel shaders.
            |source| with_line(source, "target_words.Store(0, asuint(ddx(float(params.group_count))));"),
        ],
    );
}

#[test]
fn clang_finds_faults() {
    find(
        &checkers::MSL,
        [
            |source| with_line(source, "uint fault = metal::no_such_function(1u);"),
            |source| with_line(source, "metal::uint2 fault = metal::uint3(1u);"),
            |source| with_line(source, "params.group_count = 1u;"),
        ],
    );
}

#[test]
fn glslang_finds_faults() {
    find(
        &checkers::GLSL,
        [
            |source| with_line(source, "uint fault = no_such_name;"),
            |source| with_line(source, "uint fault = 1;"),
            |source| with_line(source, "uint64_t fault = 1ul;"),
        ],
    );
}

/// Returns the source with an additional line at the start of its entry point.
fn with_line(source: &Source, line: &str) -> Source {
    let text = String::from_utf8(source.bytes.clone()).unwrap();
    Source { name: source.name.clone(), bytes: insert(&text, line).into_bytes() }
}

fn insert(text: &str, line: &str) -> String {
    let entry = text.rfind("main").expect("an entry point");
    let start = entry + text[entry..].find("{\n").expect("its body") + 2;
    format!("{}{line}\n{}", &text[..start], &text[start..])
}

/// Returns the module with `change` applied to each instruction's opcode and words.
fn edit(source: &Source, mut change: impl FnMut(u32, &mut [u32])) -> Source {
    let bytes = source.bytes.chunks_exact(4);
    let mut words: Vec<u32> = bytes.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    // The header has five words.
    let mut at = 5;
    while at < words.len() {
        let (length, opcode) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        change(opcode, &mut words[at..at + length]);
        at += length;
    }
    Source { name: source.name.clone(), bytes: words.into_iter().flat_map(u32::to_le_bytes).collect() }
}
