//! The kernel in whose compile time others are measured. It stays as it is when the library changes.

use std::fmt::Write as _;

/// Halves of a factor.
const HALVES: usize = 16;

/// A product of two numbers of 256 bits, in halves of 16 bits without loops, some hundred times the work of a copy.
pub fn text() -> String {
    let mut text = String::from(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n\
         @compute @workgroup_size(64)\n\
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n    \
         let first = id.x * 64u;\n",
    );
    for i in 0..HALVES {
        let _ = writeln!(
            text,
            "    let a{i} = data[first + {i}u];\n    let b{i} = data[first + {}u];",
            HALVES + i
        );
    }
    let _ = writeln!(text, "    var low = 0u;\n    var high = 0u;\n    var next = 0u;");
    for column in 0..2 * HALVES - 1 {
        for i in column.saturating_sub(HALVES - 1)..=column.min(HALVES - 1) {
            let j = column - i;
            let _ = writeln!(
                text,
                "    next = a{i} * b{j};\n    low += next & 0xffffu;\n    high += next >> 16u;"
            );
        }
        let _ = writeln!(
            text,
            "    data[first + {}u] = low & 0xffffu;\n    low = (low >> 16u) + high;\n    high = 0u;",
            2 * HALVES + column
        );
    }
    text + "}\n"
}
