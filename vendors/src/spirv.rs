//! The buffers that a SPIR-V text binds.

/// A buffer that a kernel binds in group 0.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// Its binding.
    pub binding: u32,
    /// True for the uniform buffer of parameters, which has a dynamic offset.
    pub is_uniform: bool,
}

// From the SPIR-V specification, sections 2.3 and 3.
const HEADER_WORDS: usize = 5;
const OP_VARIABLE: u32 = 59;
const OP_DECORATE: u32 = 71;
const DECORATION_BINDING: u32 = 33;
const CLASS_UNIFORM: u32 = 2;
const CLASS_STORAGE_BUFFER: u32 = 12;

/// Returns the buffers that a SPIR-V text binds; all kernels have one group.
pub fn buffers(words: &[u32]) -> Vec<Buffer> {
    let (mut bindings, mut classes) = (Vec::new(), Vec::new());
    let mut at = HEADER_WORDS;
    while let Some(&first) = words.get(at) {
        let (length, operation) = ((first >> 16) as usize, first & 0xffff);
        match (operation, words.get(at + 1..at + length)) {
            (OP_DECORATE, Some(&[target, DECORATION_BINDING, binding])) => bindings.push((target, binding)),
            (OP_VARIABLE, Some(&[_, variable, class, ..])) => classes.push((variable, class)),
            _ => {}
        }
        at += length.max(1);
    }
    let class = |target| classes.iter().find(|(variable, _)| *variable == target).map(|(_, class)| *class);
    let buffer = |(target, binding)| match class(target) {
        Some(CLASS_UNIFORM) => Some(Buffer { binding, is_uniform: true }),
        Some(CLASS_STORAGE_BUFFER) => Some(Buffer { binding, is_uniform: false }),
        _ => None,
    };
    bindings.into_iter().filter_map(buffer).collect()
}
