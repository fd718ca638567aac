//! Modules use each other one way: no circle of imports, in the folders that are listed below.
//!
//! The nodes of a folder are its own file (`lib.rs`, `gpu/mod.rs`) and its direct children, each with all that is below it.
//! What counts as a use of one node by another:
//!
//! - A `use`, or a path in the code (`crate::a::b`, `super::c`, `child::d`), also within a macro's arguments. It uses the module
//!   that defines what the path names, however many `pub use` lead there; what comes from outside of the crate counts as
//!   defined where it is passed on.
//! - A folder's own file does not use a child by `mod child` and `pub use child::Item` (of any visibility but the private one);
//!   by everything else it does. So a child may use what its parent defines, if the parent only declares the child and passes its
//!   items on.
//! - A path that only names a module around the one in which it stands (`use crate::gpu;`) uses nothing by itself.
//! - Items under `cfg(test)` and `cfg(doc)`, calls of methods, attributes and documentation do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, File, Item, ItemMod, ItemUse, Macro, Meta, UseTree, Visibility};

/// The names of a path, of a module from the crate's root.
type Names = Vec<String>;

/// How many times a name may stand for another.
const MOST_NAMES: usize = 16;

#[derive(Default)]
struct Module {
    children: BTreeSet<String>,
    /// What a name of the module stands for.
    names: BTreeMap<String, Names>,
    /// The paths that it uses, and true for those that it passes on.
    uses: Vec<(Names, bool)>,
}

#[derive(Default)]
struct Modules {
    modules: BTreeMap<Names, Module>,
    read: BTreeSet<PathBuf>,
    /// The files and folders of modules that only tests have.
    left_out: Vec<PathBuf>,
}

impl Modules {
    /// Reads a crate from its folder `src`.
    fn of_crate(folder: &Path) -> Self {
        let mut modules = Modules::default();
        modules.read_file(&[], &folder.join("lib.rs"), folder);
        // A macro declares the modules of the curves.
        let mut folders = vec![folder.to_owned()];
        while let Some(inner) = folders.pop() {
            for entry in fs::read_dir(&inner).unwrap() {
                let path = entry.unwrap().path();
                let is_known = modules.read.contains(&path);
                if is_known || modules.left_out.iter().any(|out| path.starts_with(out)) {
                    continue;
                }
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let below = path.with_extension("");
                    let relative = below.strip_prefix(folder).unwrap();
                    let name: Names = relative.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
                    modules.read_file(&name, &path, &below);
                }
            }
        }
        modules
    }

    /// Reads the module `name` from a file; `folder` has the files of its children.
    fn read_file(&mut self, name: &[String], file: &Path, folder: &Path) {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.read.insert(file.to_owned());
        self.read_items(name, &parsed.items, folder);
    }

    fn read_items(&mut self, name: &[String], items: &[Item], folder: &Path) {
        let mut module = Module::default();
        items.iter().for_each(|item| module.visit_item(item));
        self.modules.insert(name.to_vec(), module);
        if let Some((last, parent)) = name.split_last()
            && let Some(parent) = self.modules.get_mut(parent)
        {
            parent.children.insert(last.clone());
        }
        let inner =
            items.iter().filter_map(|item| if let Item::Mod(inner) = item { Some(inner) } else { None });
        for ItemMod { ident, content, attrs, .. } in inner {
            let (child, below) = ([name, &[ident.to_string()]].concat(), folder.join(ident.to_string()));
            let files = [below.with_extension("rs"), below.join("mod.rs")];
            match content {
                _ if are_left_out(attrs) => self.left_out.extend([files[0].clone(), below]),
                Some((_, items)) => self.read_items(&child, items, &below),
                None => match files.iter().find(|file| file.exists()) {
                    Some(file) => self.read_file(&child, file, &below),
                    None => panic!("{} has no file", child.join("::")),
                },
            }
        }
    }

    /// Returns the module that defines what `path` names in `module`, and true if it names the module itself; `None` for what is
    /// not in the crate.
    fn definition(&self, module: &[String], path: &[String], names_left: usize) -> Option<(Names, bool)> {
        let (mut at, mut rest) = (module.to_vec(), path);
        match path.first()?.as_str() {
            "crate" => (at, rest) = (Vec::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while let Some(("super", more)) = rest.split_first().map(|(name, more)| (name.as_str(), more))
                {
                    at.pop()?;
                    rest = more;
                }
            }
            first => {
                let here = self.modules.get(module)?;
                if !here.children.contains(first) && !here.names.contains_key(first) {
                    return None;
                }
            }
        }
        let mut left = names_left;
        while let Some((name, more)) = rest.split_first() {
            let here = self.modules.get(&at)?;
            if here.children.contains(name) {
                at.push(name.clone());
            } else if let Some(meant) = here.names.get(name).filter(|_| left > 0) {
                left -= 1;
                let Some((definer, is_module)) = self.definition(&at, meant, left) else {
                    return Some((at, false));
                };
                at = definer;
                if !is_module {
                    return Some((at, false));
                }
            } else {
                return Some((at, false));
            }
            rest = more;
        }
        Some((at, true))
    }

    /// Returns a line for each use that is part of a circle between the nodes of `folder`.
    fn circles(&self, folder: &[String]) -> Vec<String> {
        // The first name below the folder; none for its own file.
        let node = |module: &Names| -> Option<String> {
            Some(module.strip_prefix(folder)?.first().cloned().unwrap_or_default())
        };
        let mut uses: BTreeMap<[String; 2], Vec<String>> = BTreeMap::new();
        for (name, module) in &self.modules {
            let Some(user) = node(name) else { continue };
            for (path, is_passed_on) in &module.uses {
                let Some((definer, is_module)) = self.definition(name, path, MOST_NAMES) else { continue };
                let is_around = is_module && name.starts_with(&definer);
                let is_child = *is_passed_on && definer.starts_with(name);
                match node(&definer) {
                    Some(used) if used != user && !is_around && !is_child => {
                        let place = [&["crate".to_owned()], &name[..]].concat().join("::");
                        let line = format!("{} in {place}", path.join("::"));
                        uses.entry([user.clone(), used]).or_default().push(line);
                    }
                    _ => (),
                }
            }
        }
        let reached = |from: &String| {
            let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(user) = open.pop() {
                let next = uses.keys().filter(|[other, _]| other == user).map(|[_, used]| used);
                open.extend(next.filter(|&used| reached.insert(used.clone())));
            }
            reached
        };
        let file = |node: &String| if node.is_empty() { "(its own file)".to_owned() } else { node.clone() };
        let circular = uses.iter().filter(|([user, used], _)| reached(used).contains(user));
        circular
            .map(|([user, used], lines)| format!("{} -> {}: {}", file(user), file(used), lines[0]))
            .collect()
    }
}

/// True for an item that is compiled only for tests or for documentation.
fn are_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string().replace(' ', "");
            ["test", "doc", "doctest"].contains(&&*condition) || condition.starts_with("all(test,")
        }
        _ => false,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

impl Module {
    fn use_tree(&mut self, before: &[String], tree: &UseTree, is_passed_on: bool) {
        let (name, alias) = match tree {
            UseTree::Path(path) => {
                let path_so_far = [before, &[path.ident.to_string()]].concat();
                return self.use_tree(&path_so_far, &path.tree, is_passed_on);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.use_tree(before, tree, is_passed_on));
            }
            UseTree::Glob(_) => return self.uses.push((before.to_vec(), is_passed_on)),
            UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            UseTree::Rename(rename) => (rename.ident.to_string(), rename.rename.to_string()),
        };
        let (path, alias) = match (name.as_str(), before.last()) {
            ("self", Some(module)) if alias == "self" => (before.to_vec(), module.clone()),
            ("self", Some(_)) => (before.to_vec(), alias),
            _ => ([before, &[name]].concat(), alias),
        };
        self.names.insert(alias, path.clone());
        self.uses.push((path, is_passed_on));
    }

    fn use_path(&mut self, path: Names) {
        if path.len() > 1 {
            self.uses.push((path, false));
        }
    }

    /// Finds the paths among the tokens of a macro.
    fn use_tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Names::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.use_path(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.use_path(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.use_tokens(group.stream());
                    }
                }
            }
        }
        self.use_path(path);
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item(&mut self, item: &'ast Item) {
        if !are_left_out(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    /// Read by itself.
    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.use_tree(&[], &item.tree, !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !are_left_out(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.use_path(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.use_tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

#[test]
fn modules_use_each_other_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (library, mut lines) = (Modules::of_crate(&root.join("src")), Vec::new());
    let mut check = |title: &str, modules: &Modules, folder: &[String]| {
        let circles = modules.circles(folder);
        if !circles.is_empty() {
            lines.push(format!("circles between the modules of {title}:\n  {}", circles.join("\n  ")));
        }
    };
    check("wgalois", &library, &[]);
    for folder in ["gpu", "gf2", "gf2::cpu", "msm", "ntt"] {
        let names: Names = folder.split("::").map(str::to_owned).collect();
        check(&format!("wgalois::{folder}"), &library, &names);
    }
    // Another package, which does not come with this one.
    let folder = root.join("io/src");
    if folder.exists() {
        let modules = Modules::of_crate(&folder);
        for folder in modules.modules.keys().filter(|name| !modules.modules[*name].children.is_empty()) {
            check(&["wgalois_io", &folder.join("::")].join("::"), &modules, folder);
        }
    }
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

/// The circles in a folder of a crate that is one text.
fn circles_of(text: &str, folder: &[String]) -> Vec<String> {
    let File { items, .. } = syn::parse_file(text).unwrap();
    let mut modules = Modules::default();
    modules.read_items(&[], &items, Path::new("nowhere"));
    modules.circles(folder)
}

#[test]
fn circles_are_found_and_only_circles() {
    let circles = |text: &str| circles_of(text, &[]);
    let b = "mod b { pub struct B; fn f() { crate::a::f() } }";
    let uses_of_b = [
        "use crate::b::B; pub fn f() {}",
        "pub fn f() { use super::b; b::B; }",
        "pub fn f() { super::b::B; }",
        "pub fn f(x: crate::b::B) {}",
        "pub fn f() { vec![(1, crate::b::B)]; }",
        "pub use inner::f; mod inner { pub use crate::b::*; pub fn f() {} }",
    ];
    for used in uses_of_b {
        let found = circles(&format!("mod a {{ {used} }} {b}"));
        assert_eq!(found.len(), 2, "{used}: {found:?}");
        assert!(found[0].starts_with("a -> b: ") && found[1].starts_with("b -> a: "), "{found:?}");
    }
    let others = [
        "pub fn f() {}",
        "#[cfg(test)] use crate::b::B; pub fn f() {}",
        "#[cfg(test)] mod tests { use crate::b::B; } pub fn f() {}",
        "#[cfg(all(test, unix))] fn g() { crate::b::B; } pub fn f() {}",
        "use b::B; pub fn f() {}",
        "pub(super) fn f() { self::g(); } fn g() {}",
        "use crate::c::C; pub fn f() {}",
    ];
    for used in others {
        let found = circles(&format!("mod a {{ {used} }} {b} mod c {{ pub struct C; }}"));
        assert!(found.is_empty(), "{used}: {found:?}");
    }
    // A name that is passed on leads to the module that defines it.
    let passed_on =
        "mod a { pub use crate::c::C; pub fn f() {} } mod b { use crate::a::C; } mod c { pub struct C; }";
    assert!(circles(&format!("{passed_on} mod d {{ use crate::b; }}")).is_empty());
    // Three in a circle.
    let three = "mod a { use crate::b::B; pub struct A; } mod b { use crate::c::C; pub struct B; }
        mod c { use crate::a::A; pub struct C; } mod d { use crate::a::A; }";
    assert_eq!(circles(three).len(), 3);
}

#[test]
fn a_parent_that_only_declares_a_child_may_be_used_by_it() {
    let folder = ["a".to_owned()];
    let child = "mod child { use super::Parent; pub struct Child; }";
    for parent in
        ["pub use child::Child;", "pub(crate) use child::Child;", "pub use self::child::Child as Other;"]
    {
        let found = circles_of(&format!("mod a {{ {child} {parent} pub struct Parent; }}"), &folder);
        assert!(found.is_empty(), "{parent}: {found:?}");
    }
    for parent in ["use child::Child;", "fn f() { child::Child; }", "fn f(x: self::child::Child) {}"] {
        let found = circles_of(&format!("mod a {{ {child} {parent} pub struct Parent; }}"), &folder);
        assert_eq!(found.len(), 2, "{parent}: {found:?}");
        assert!(found[0].starts_with("(its own file) -> child: "), "{found:?}");
    }
}
