//! Rendering the templates under `shaders/` to WGSL, one text per kernel and variant.
//!
//! naga has no imports, and unrolled arithmetic has to be generated, so the files under
//! `shaders/` are minijinja templates. Before rendering, each line gets a mark with its file and line
//! number. The marks are removed from the final text and kept as the origins of its lines, so
//! that an error names the file and line of the template.

mod replacements;

pub use replacements::in_use as replaced;

use std::fmt::Write as _;
use std::sync::OnceLock;

use minijinja::{Environment, UndefinedBehavior};
use wgalois_shaders::templates;

use super::kernel::{Arithmetic, Kernel, Variant};
use crate::{Error, Result};

/// A final WGSL text with the origins of its lines.
pub struct Shader {
    /// The text.
    pub text: String,
    origins: Vec<String>,
}

/// Renders the WGSL text of one variant of a kernel.
pub fn compose(kernel: &Kernel, variant: &Variant, arithmetic: Arithmetic) -> Result<Shader> {
    let context = variant.context(arithmetic);
    let body = environment()?
        .get_template(kernel.source)
        .and_then(|template| template.render(context))
        .map_err(|e| template_error(&e))?;
    Ok(take_marks_out(&(header(kernel, variant) + &body)))
}

impl Shader {
    /// Replaces a text if this is the kernel that has it, for tests of faulty devices.
    pub fn altered(mut self, kernel: &Kernel, altered: Option<[&'static str; 3]>) -> Self {
        if let Some([_, from, to]) = altered.filter(|[name, ..]| *name == kernel.name) {
            assert!(self.text.contains(from), "{} has no `{from}`", kernel.name);
            self.text = self.text.replace(from, to);
        }
        self
    }

    /// Returns an error with `message`, which is the browser's own explanation.
    #[cfg(target_arch = "wasm32")]
    pub fn explain(&self, message: &str) -> Error {
        Error::Shader(message.to_owned())
    }

    /// Returns an error that names the file and line of the first error naga finds in the text; if naga finds
    /// none, an error with `message`.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn explain(&self, message: &str) -> Error {
        let located = match naga::front::wgsl::parse_str(&self.text) {
            Err(e) => e.location(&self.text).map(|at| (at.line_number, e.message().to_owned())),
            Ok(module) => naga::valid::Validator::new(
                naga::valid::ValidationFlags::all(),
                naga::valid::Capabilities::all(),
            )
            .validate(&module)
            .err()
            .and_then(|e| e.location(&self.text).map(|at| (at.line_number, e.emit_to_string(&self.text)))),
        };
        match located {
            Some((line, what)) => Error::Shader(format!("{}: {what}", self.origin(line as usize))),
            None => Error::Shader(message.to_owned()),
        }
    }

    /// Returns the origin of line `line` (from 1): the nearest mark at or after it, since the
    /// expansion of one template line to several lines has its mark in the last.
    pub fn origin(&self, line: usize) -> &str {
        let after = self.origins.iter().skip(line.saturating_sub(1));
        after.map(String::as_str).find(|origin| !origin.is_empty()).unwrap_or("generated header")
    }
}

/// Generates the bindings, parameters and workgroup size from the kernel's declaration.
pub fn header(kernel: &Kernel, variant: &Variant) -> String {
    let mut text = format!("const WORKGROUP: u32 = {}u;\n", variant.workgroup);
    let fields = ["first_group", "group_count"].iter().chain(kernel.params);
    let fields: String = fields.map(|field| format!("    {field}: u32,\n")).collect();
    let _ =
        write!(text, "struct Params {{\n{fields}}}\n@group(0) @binding(0) var<uniform> params: Params;\n");
    for (slot, binding) in kernel.bindings.iter().enumerate() {
        let _ = writeln!(text, "@group(0) @binding({}) {binding}", slot + 1);
    }
    // Large grids are folded into two dimensions; long work is split into several dispatches.
    text + "fn workgroup_index(id: vec3<u32>, count: vec3<u32>) -> u32 {\n    \
            return params.first_group + id.x + id.y * count.x;\n}\n"
}

fn environment() -> Result<&'static Environment<'static>> {
    static ENVIRONMENT: OnceLock<std::result::Result<Environment<'static>, String>> = OnceLock::new();
    let made = ENVIRONMENT.get_or_init(|| {
        let mut env = with_what_templates_use();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.set_syntax(whole_line_tags());
        env.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        let mut templates = templates()?;
        if let Some(folder) = replacements::folder() {
            replacements::replace(&mut templates, folder)?;
        }
        for template in templates {
            let text = mark(&template.name, &template.text);
            // A template that does not parse becomes an error when a kernel uses it.
            if let Err(e) = env.add_template_owned(template.name, text) {
                log::error!("{}", template_error(&e));
            }
        }
        Ok(env)
    });
    made.as_ref().map_err(|message| Error::Shader(message.clone()))
}

/// Returns an environment with the filters, tests and functions that the templates use: all of minijinja's would be a
/// tenth of a browser's module.
fn with_what_templates_use() -> Environment<'static> {
    use minijinja::{filters, functions, tests};
    let mut env = Environment::empty();
    env.add_filter("format", filters::format);
    env.add_filter("length", filters::length);
    env.add_filter("max", filters::max);
    env.add_filter("reverse", filters::reverse);
    env.add_filter("upper", filters::upper);
    env.add_test("defined", tests::is_defined);
    env.add_test("none", tests::is_none);
    env.add_function("namespace", functions::namespace);
    env.add_function("range", functions::range);
    env
}

/// Returns the template syntax in which a tag on a line of its own leaves no empty line.
fn whole_line_tags() -> minijinja::syntax::SyntaxConfig {
    let syntax = minijinja::syntax::SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    syntax.unwrap_or_default()
}

const MARK: &str = "/*@";

/// Appends a comment with the file and line number to each line that yields text.
fn mark(name: &str, text: &str) -> String {
    let mut inside_tag = false;
    let mut marked = String::with_capacity(2 * text.len());
    for (i, line) in text.lines().enumerate() {
        let opens = line.matches("{%").count() + line.matches("{#").count() + line.matches("{{").count();
        let closes = line.matches("%}").count() + line.matches("#}").count() + line.matches("}}").count();
        let was_inside = inside_tag;
        inside_tag = if inside_tag { closes <= opens } else { opens > closes };
        let trimmed = line.trim();
        let only_tag = (trimmed.starts_with("{%") || trimmed.starts_with("{#"))
            && (trimmed.ends_with("%}") || trimmed.ends_with("#}"));
        marked.push_str(line);
        if !(was_inside || inside_tag || only_tag || trimmed.is_empty()) {
            let _ = write!(marked, " {MARK}shaders/{name}:{}*/", i + 1);
        }
        marked.push('\n');
    }
    marked
}

fn take_marks_out(marked: &str) -> Shader {
    let (mut text, mut origins) = (String::with_capacity(marked.len()), Vec::new());
    for line in marked.lines() {
        let (mut plain, mut origin) = (String::new(), String::new());
        let mut rest = line;
        while let Some((before, after)) = rest.split_once(MARK) {
            let (name, after) = after.split_once("*/").unwrap_or((after, ""));
            if origin.is_empty() {
                name.clone_into(&mut origin);
            }
            plain.push_str(before);
            rest = after;
        }
        plain.push_str(rest);
        if !plain.trim().is_empty() {
            text.push_str(plain.trim_end());
            text.push('\n');
            origins.push(origin);
        }
    }
    Shader { text, origins }
}

fn template_error(e: &minijinja::Error) -> Error {
    let place = format!("shaders/{}:{}", e.name().unwrap_or("?"), e.line().unwrap_or(0));
    let cause = std::error::Error::source(e).map(|cause| format!(" ({cause})")).unwrap_or_default();
    Error::Shader(format!("{place}: {}{cause}", e.detail().unwrap_or(&e.kind().to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_survive_loops_and_lead_back_to_their_lines() {
        let source = "let a = 1;\n{% for i in range(2) %}\nlet b{{ i }} = 2;\n{% endfor %}\n{#\ncomment\n#}\nlet c = 3;";
        let mut env = Environment::new();
        env.set_syntax(whole_line_tags());
        env.add_template_owned("x.wgsl", mark("x.wgsl", source)).unwrap();
        let rendered = env.get_template("x.wgsl").unwrap().render(()).unwrap();
        let shader = take_marks_out(&rendered);
        assert_eq!(shader.text, "let a = 1;\nlet b0 = 2;\nlet b1 = 2;\nlet c = 3;\n");
        let lines: Vec<_> = (1..=4).map(|line| shader.origin(line)).collect();
        assert_eq!(lines, ["shaders/x.wgsl:1", "shaders/x.wgsl:3", "shaders/x.wgsl:3", "shaders/x.wgsl:8"]);
    }
}
