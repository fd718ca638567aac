//! The texts of all kernels that default plans compile, on devices of three kinds.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::sync::Arc;

use wgalois::gpu::{Gpu, Options};
use wgalois::{Device, Error, Result};

use crate::verbs;

/// The kinds of a device, all of them with memory of their own: what a driver on a desktop offers, the same without 64-bit
/// integers, and WebGPU's default limits and features.
pub const KINDS: [&str; 3] = ["int64", "portable", "webgpu"];

fn options(kind: &str, few_registers: bool) -> Options {
    let options = match kind {
        "int64" => Options::default(),
        "portable" => Options { int64: false, ..Options::default() },
        _ => Options::portable(),
    };
    Options { few_registers: Some(few_registers), ..options }
}

/// The name of a text in the tables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The kernel.
    pub kernel: String,
    /// A hash of the variant.
    pub variant: String,
    /// The kinds of device that take this text, or `all`.
    pub kinds: String,
}

impl Name {
    /// The kinds of device.
    pub fn kinds(&self) -> Vec<&str> {
        match &self.kinds[..] {
            "all" => KINDS.to_vec(),
            some => some.split('+').collect(),
        }
    }
}

/// A text of a kernel.
pub struct Text {
    /// Its name.
    pub name: Name,
    /// The verbs whose plans compile it.
    pub verbs: BTreeSet<String>,
    /// The text that wgpu is given.
    pub wgsl: Arc<str>,
}

/// Kernel, hash of the variant, text.
type Key = (&'static str, String, Arc<str>);

/// The texts that a kind of device was asked for, with their verbs; the errors of verbs.
type Asked = (Vec<(Key, String)>, Vec<Error>);

fn of_kind(kind: &str, only: &str, few_registers: bool) -> Result<Asked> {
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    let gpu = Gpu::idle_discrete(options(kind, few_registers))?;
    let device = Device::Gpu(gpu.clone());
    for verb in verbs::all().into_iter().filter(|verb| verb.name.contains(only)) {
        let run = (verb.run)(&device);
        let asked = gpu.take_asked();
        let run = match asked.is_empty() {
            true => run.and(Err(Error::Device("its plan has no kernel".into()))),
            false => run,
        };
        errors.extend(run.err().map(|error| error.of(format!("{} ({kind})", verb.name))));
        let key = |one: &wgalois::gpu::Asked| (one.kernel.name, hash(&one.variant), Arc::clone(&one.wgsl));
        all.extend(asked.iter().map(|one| (key(one), verb.name.clone())));
    }
    Ok((all, errors))
}

/// Returns the texts of kernels whose names begin so, which the default plan of one verb compiles on a kind of device.
pub fn of_kernel(verb: &str, kernel: &str, kind: &str, few_registers: bool) -> Result<Vec<Arc<str>>> {
    let gpu = Gpu::idle_discrete(options(kind, few_registers))?;
    let verbs = verbs::all().into_iter().filter(|one| one.name == verb);
    for verb in verbs {
        (verb.run)(&Device::Gpu(gpu.clone()))?;
    }
    let asked = gpu.take_asked().into_iter().filter(|one| one.kernel.name.starts_with(kernel));
    let mut texts: Vec<Arc<str>> = asked.map(|one| one.wgsl).collect();
    texts.sort();
    texts.dedup();
    Ok(texts)
}

/// Returns the texts of the verbs whose names contain `only`, and the errors of verbs, whose texts are then not all that their
/// plans compile. `few_registers` asks for the texts of compilers that have few.
pub fn of_default_plans(only: &str, few_registers: bool) -> Result<(Vec<Text>, Vec<Error>)> {
    let mut errors = Vec::new();
    let mut found: BTreeMap<Key, (BTreeSet<usize>, BTreeSet<String>)> = BTreeMap::new();
    let of_kinds: Vec<Result<Asked>> = std::thread::scope(|scope| {
        let threads = KINDS.map(|kind| scope.spawn(move || of_kind(kind, only, few_registers)));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    for (number, of_kind) in of_kinds.into_iter().enumerate() {
        let (asked, failed) = of_kind?;
        errors.extend(failed);
        for (key, verb) in asked {
            let (kinds, verbs) = found.entry(key).or_default();
            kinds.insert(number);
            verbs.insert(verb);
        }
    }
    let text = |((kernel, variant, wgsl), (kinds, verbs)): (Key, (BTreeSet<usize>, _))| {
        let kinds = match kinds.len() == KINDS.len() {
            true => "all".to_owned(),
            false => kinds.into_iter().map(|number| KINDS[number]).collect::<Vec<_>>().join("+"),
        };
        Text { name: Name { kernel: kernel.to_owned(), variant, kinds }, verbs, wgsl }
    };
    let mut texts: Vec<Text> = found.into_iter().map(text).collect();
    texts.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((texts, errors))
}

/// Six hexadecimal digits of FNV-1a, which tell the some tens of variants of a kernel apart.
fn hash(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:06x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step) >> 40)
}
