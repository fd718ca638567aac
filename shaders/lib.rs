//! The kernels of wgalois: templates of WGSL, which its module `gpu` renders and compiles.

/// The path below this folder and the text of every template, sorted by path.
pub const TEMPLATES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/templates.rs"));
