//! What the tables of the repository say together, as tables of Markdown.

use std::path::Path;

use wgalois::{Error, Result};

use crate::folder;
use crate::table::Table;
use crate::texts::{KINDS, Name};
use crate::verbs::FIRST;

/// The tables of a folder by their names, without the ending.
fn tables(folder: &Path) -> Result<Vec<(String, Table)>> {
    let of_folder = |error| Error::file(folder, error);
    let mut tables = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(of_folder)? {
        let path = entry.map_err(of_folder)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(family) = name.strip_suffix(".tsv").filter(|_| name != folder::LIST) {
            tables.push((family.to_owned(), Table::read(&path)?));
        }
    }
    tables.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(tables)
}

fn line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().collect();
    format!("| {} |\n", cells.join(" | "))
}

fn head(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().collect();
    format!("{}|{}\n", line(cells.clone()), "---|".repeat(cells.len()))
}

/// The seconds that one core compiles when a program first runs, by verb: a line a family and kind of device.
pub fn first_run(folder: &Path) -> Result<String> {
    let texts = folder::verbs(folder)?;
    let mut verbs: Vec<&String> = texts.iter().flat_map(|(_, verbs)| verbs).collect();
    verbs.retain(|verb| verb.starts_with(FIRST));
    verbs.sort();
    verbs.dedup();
    let names = verbs.iter().map(|verb| verb[FIRST.len()..].to_owned());
    let mut text = head(["family".to_owned(), "device".to_owned()].into_iter().chain(names));
    for (family, table) in tables(folder)? {
        for kind in KINDS {
            let seconds = |verb: &&String| {
                let is_compiled = |name: &Name| {
                    let of_text = |(own, verbs): &(Name, Vec<String>)| own == name && verbs.contains(verb);
                    name.kinds().contains(&kind) && texts.iter().any(of_text)
                };
                let rows = table.rows.iter().filter(|row| is_compiled(&row.name));
                let sum: f64 = rows.map(|row| row.time * table.unit / 1000.0).sum();
                if sum < 0.995 { format!("{sum:.2}") } else { format!("{sum:.1}") }
            };
            text += &line([family.clone(), kind.to_owned()].into_iter().chain(verbs.iter().map(seconds)));
        }
    }
    Ok(text)
}

/// The kernels that spill, with the registers that did not fit: a line a text, a column a family.
pub fn spills(folder: &Path) -> Result<String> {
    let tables = tables(folder)?;
    let spilled = |table: &Table, name: &Name| {
        let row = table.rows.iter().find(|row| row.name == *name);
        row.and_then(|row| row.statistics.spills).filter(|&count| count > 0.0)
    };
    let columns = ["kernel", "variant", "device", "verbs"].map(str::to_owned);
    let mut text = head(columns.into_iter().chain(tables.iter().map(|(family, _)| family.clone())));
    for (name, verbs) in folder::verbs(folder)? {
        let counts: Vec<Option<f64>> = tables.iter().map(|(_, table)| spilled(table, &name)).collect();
        if counts.iter().any(Option::is_some) {
            let verbs: Vec<String> = verbs.into_iter().filter(|verb| !verb.starts_with(FIRST)).collect();
            let cells = [name.kernel, name.variant, name.kinds, verbs.join(", ")].into_iter();
            let counts = counts.into_iter().map(|count| count.map_or(String::new(), |n| n.to_string()));
            text += &line(cells.chain(counts));
        }
    }
    Ok(text)
}
