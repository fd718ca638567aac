//! The texts of operations, made of the project's own templates.

use std::sync::Arc;

use wgalois::gpu::{Arithmetic, Kernel, Variant, compose};
use wgalois::{Error, Result};

use super::walk::{Skipped, Trips};
use crate::texts;

/// What is counted of a text.
pub enum Counted {
    /// The difference between this text and one with as many operations again.
    Difference { twice: String },
    /// The largest loop, once.
    Loop,
    /// All, where there are no loops.
    Whole,
}

/// A text that does some operations.
pub struct Text {
    /// The text.
    pub wgsl: String,
    /// What is counted.
    pub counted: Counted,
    /// The loops from the outermost on.
    pub trips: Vec<Trips>,
    /// The operations of what is counted.
    pub operations: f64,
}

/// An operation: its name, and its texts with 64-bit integers and without; what it costs is their sum.
pub struct Operation {
    /// Its name.
    pub name: &'static str,
    /// The texts by arithmetic.
    pub texts: [Vec<Text>; 2],
}

const ONCE: Trips = Trips { count: 1.0, skipped: Skipped::Always };

/// All operations, as the texts for GPUs with few registers or the compact texts do them.
pub fn all(few_registers: bool) -> Result<Vec<Operation>> {
    let both = |of: &dyn Fn(Arithmetic) -> Result<Vec<Text>>| -> Result<[Vec<Text>; 2]> {
        let arithmetic = |int64| Arithmetic { int64, compact: true, few_registers, ..Arithmetic::PORTABLE };
        Ok([of(arithmetic(true))?, of(arithmetic(false))?])
    };
    let field = |bits| both(&move |arithmetic| Ok(vec![field_product(bits, arithmetic)?]));
    let word = |is_known| both(&move |arithmetic| Ok(vec![word_product(is_known, arithmetic)?]));
    let curve = |bits| both(&move |arithmetic| Ok(vec![curve_product(bits, arithmetic)?]));
    let point = |bits| both(&move |arithmetic| Ok(vec![point_addition(bits, arithmetic)?]));
    let planned = |of: &dyn Fn(&str) -> Result<Vec<Text>>| -> Result<[Vec<Text>; 2]> {
        Ok([of("int64")?, of("portable")?])
    };
    let operation = |name, texts: Result<[Vec<Text>; 2]>| Ok(Operation { name, texts: texts? });
    [
        operation("product of 31 bits", word(false)),
        operation("product of 31 bits by a known factor", word(true)),
        operation("product modulo 2^255 - 19", field(255)),
        operation("product of 254 bits (BN254)", curve(254)),
        operation("product of 381 bits (BLS12-381)", field(381)),
        operation("addition of an affine point, 254 bits", point(254)),
        operation("addition of an affine point, 381 bits", point(381)),
        operation("butterfly of 31 bits", planned(&|kind| butterflies(kind, few_registers))),
        operation(
            "update of a row of 128 columns by 256 pivots",
            planned(&|kind| updates(kind, few_registers)),
        ),
    ]
    .into_iter()
    .collect()
}

fn unexpected(kernel: &str, lacking: &str) -> Error {
    Error::Shader(format!("{kernel}: no `{lacking}` in the text"))
}

fn library(kernel: &str) -> Result<&'static Kernel> {
    wgalois::kernels().find(|one| one.name == kernel).ok_or_else(|| unexpected(kernel, "kernel"))
}

/// The first text of a kernel of the library whose variant has `part` in its identity.
fn of_library(kernel: &str, part: &str, arithmetic: Arithmetic) -> Result<String> {
    let found = library(kernel)?;
    let variants = (found.variants)(arithmetic);
    let variant = variants.iter().find(|variant| variant.identity().contains(part));
    let variant = variant.ok_or_else(|| unexpected(kernel, part))?;
    Ok(compose(found, variant, arithmetic)?.text)
}

/// The number before `after` that follows `before`.
fn number(text: &str, before: &str, after: &str) -> Option<f64> {
    let rest = text.split_once(before)?.1;
    rest.split_once(after)?.0.parse().ok()
}

/// The loops inside an operation that multiplies: those of the rows of a product.
fn rows(text: &str) -> Vec<Trips> {
    let count = number(text, ROWS[0], ROWS[1]);
    count.map(|count| Trips { count, skipped: Skipped::Half }).into_iter().collect()
}

/// What stands around the number of rows.
pub const ROWS: [&str; 2] = ["let rows = ", "u * min("];

/// A text with twice the rows, if it has a loop of rows.
pub fn with_more_rows(wgsl: &str) -> Option<String> {
    let count = number(wgsl, ROWS[0], ROWS[1])? as u32;
    let [before, after] = ROWS;
    Some(wgsl.replace(&format!("{before}{count}{after}"), &format!("{before}{}{after}", 2 * count)))
}

/// Repeats what stands between two pieces of a text.
fn repeated(kernel: &str, wgsl: &str, begin: &str, end: &str) -> Result<String> {
    let (before, rest) = wgsl.split_once(begin).ok_or_else(|| unexpected(kernel, begin))?;
    let (body, after) = rest.split_once(end).ok_or_else(|| unexpected(kernel, end))?;
    Ok(format!("{before}{begin}{{{body}}}\n{{{body}}}\n{end}{after}"))
}

/// The beginning of the loop that measurements repeat.
const ROUNDS: &str = "i < params.rounds; i++) {\n";

/// The products of the kernel that measures a device, by factors that compilers know or do not know.
fn word_product(is_known: bool, arithmetic: Arithmetic) -> Result<Text> {
    let kernel = "rates/word_products";
    let mut wgsl = of_library(kernel, "", arithmetic)?;
    if !is_known {
        for (known, unknown) in [("1234567u", "params.mask"), ("7654321u", "params.never")] {
            if !wgsl.contains(known) {
                return Err(unexpected(kernel, known));
            }
            wgsl = wgsl.replace(known, unknown);
        }
    }
    let twice = repeated(kernel, &wgsl, ROUNDS, "    }\n    // Never true")?;
    Ok(Text { wgsl, counted: Counted::Difference { twice }, trips: vec![ONCE], operations: 2.0 })
}

/// The product of the kernel that measures a device.
fn field_product(bits: u32, arithmetic: Arithmetic) -> Result<Text> {
    product(of_library(PRODUCTS, &format!("\"bits\":{bits},"), arithmetic)?)
}

/// The same kernel over the coordinates' field of a curve.
fn curve_product(bits: u32, arithmetic: Arithmetic) -> Result<Text> {
    let (own, other) = (library(PRODUCTS)?, library("msm/pair_forward")?);
    let part = format!("\"bits\":{bits},");
    let variants = (other.variants)(arithmetic);
    let variant = variants.iter().find(|variant| variant.identity().contains(&part));
    let lacking = || unexpected(other.name, &part);
    let identity = variant.ok_or_else(lacking)?.identity();
    let (_, context) = identity.split_once(' ').ok_or_else(lacking)?;
    let context: serde_json::Value = serde_json::from_str(context).map_err(|_| lacking())?;
    let context = serde_json::json!({ "field": context["field"], "salt": 0 });
    product(compose(own, &Variant::new(256, context), arithmetic)?.text)
}

/// The kernel that measures products.
const PRODUCTS: &str = "rates/field_products";

fn product(wgsl: String) -> Result<Text> {
    let trips = [vec![ONCE], rows(&wgsl)].concat();
    Ok(Text { wgsl, counted: Counted::Loop, trips, operations: 1.0 })
}

/// The turns of the accumulation's addition, without those of doubling.
fn point_addition(bits: u32, arithmetic: Arithmetic) -> Result<Text> {
    let kernel = "msm/accumulate";
    let wgsl = of_library(kernel, &format!("\"bits\":{bits},"), arithmetic)?;
    let (wgsl, turns) =
        with_addition_only(&wgsl).ok_or_else(|| unexpected(kernel, "turn without factors"))?;
    let (functions, _) = wgsl.split_once("@compute").ok_or_else(|| unexpected(kernel, "@compute"))?;
    let own = if functions.contains("var<private> own") { "    own = lane;\n" } else { "" };
    let wgsl = format!(
        "{functions}@compute @workgroup_size(WORKGROUP)\n\
         fn main(\n    @builtin(workgroup_id) id: vec3<u32>,\n    @builtin(num_workgroups) count: vec3<u32>,\n    \
         @builtin(local_invocation_index) lane: u32,\n) {{\n    \
         let thread = workgroup_index(id, count) * WORKGROUP + lane;\n{own}    \
         finite = load_sum(thread) && load_affine(thread, false);\n    \
         finite = finite && !run(0u, params.last_adding).same_x;\n    \
         store_sum(thread);\n}}\n"
    );
    let trips = [vec![Trips { count: turns, skipped: Skipped::OnceButLargest }], rows(&wgsl)].concat();
    Ok(Text { wgsl, counted: Counted::Loop, trips, operations: 1.0 })
}

/// Removes the cases behind the first turn that has no factors, the last of a formula. Returns the number of turns, too.
fn with_addition_only(wgsl: &str) -> Option<(String, f64)> {
    const CASE: &str = "\n            case ";
    const FACTORS: &str = "\n                a = ";
    let mut parts = wgsl.split(CASE);
    let mut text = parts.next()?.to_owned();
    let (mut turns, mut cases) = (0.0, parts.peekable());
    for case in cases.by_ref() {
        turns += 1.0;
        text += CASE;
        if !case.contains(FACTORS) {
            // What follows the last case of all.
            let (_, label_and_body) = case.split_once(':')?;
            let body = label_and_body.split("\n        }\n").next()?;
            let last = cases.last().unwrap_or(case);
            let (_, behind) = last.split_once("\n        }\n")?;
            return Some((format!("{text}default:{body}\n        }}\n{behind}"), turns));
        }
        text += case;
    }
    None
}

/// The texts of kernels whose names begin so, of a verb's default plan.
fn of_plan(verb: &str, kernel: &str, kind: &str, few_registers: bool) -> Result<Vec<Arc<str>>> {
    let texts = texts::of_kernel(verb, kernel, kind, few_registers)?;
    if texts.is_empty() {
        return Err(unexpected(verb, kernel));
    }
    Ok(texts)
}

/// The passes of a transform of 2^20 words: of each, the share of one butterfly of the transform.
fn butterflies(kind: &str, few_registers: bool) -> Result<Vec<Text>> {
    let verb = "first:ntt";
    let texts = of_plan(verb, "ntt/", kind, few_registers)?;
    let constant = |text: &str, name: &str| {
        let found = number(text, &format!("const {name}: u32 = "), "u;");
        found.ok_or_else(|| unexpected(verb, name))
    };
    let levels = texts.iter().map(|text| constant(text, "LOG_ROWS")).sum::<Result<f64>>()?;
    let pass = |text: Arc<str>| {
        let words = constant(&text, "WORDS")? / constant(&text, "WORKGROUP")?;
        // A butterfly has two words.
        let operations = words * levels / 2.0;
        Ok(Text { wgsl: text.to_string(), counted: Counted::Whole, trips: Vec::new(), operations })
    };
    texts.into_iter().map(pass).collect()
}

/// The update of rows for a rank, with the tables that its tile takes.
fn updates(kind: &str, few_registers: bool) -> Result<Vec<Text>> {
    let texts = of_plan("first:gf2:rank", "gf2/update", kind, few_registers)?;
    let update = |text: Arc<str>| {
        let operations = text.matches("WORKGROUP] = sum").count() as f64;
        Text { wgsl: text.to_string(), counted: Counted::Loop, trips: vec![ONCE], operations }
    };
    Ok(texts.into_iter().map(update).filter(|text| text.operations > 0.0).collect())
}
