//! `wgalois devices`: the adapters that `--device` can name.

use crate::prelude::*;
use comfy_table::{ContentArrangement, Table, presets};
use wgalois::gpu::{AdapterDescription, Options, adapters};

/// List the graphics adapters that --device can name, and the features of each
///
/// They are listed in order of preference: discrete, integrated, virtual, software. WGPU_BACKEND
/// (vulkan, metal, dx12, gl) restricts the list.
#[derive(clap::Args)]
pub struct Devices {}

impl Run for Devices {
    fn run(&self, context: &Context) -> Result<()> {
        let adapters = context.watch("asking for adapters", adapters)?;
        let described = adapters.iter().enumerate().map(|(index, adapter)| {
            let mut object = serde_json::json!(adapter);
            object["index"] = index.into();
            object
        });
        context.report("adapters", described.collect::<Vec<_>>());
        if adapters.is_empty() {
            context.note("no adapter was found: every task runs on the CPU engine");
            return Ok(());
        }
        if context.has_output() {
            context.write(|out| writeln!(out, "{}", table(&adapters)))?;
        }
        Ok(())
    }
}

/// Builds a table with one column per adapter and one row per property, so that it fits a terminal.
fn table(adapters: &[AdapterDescription]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    let mut header = vec!["--device".to_owned()];
    header.extend((0..adapters.len()).map(|index| index.to_string()));
    table.set_header(header);
    for (title, describe) in PROPERTIES {
        let mut row = vec![title.to_owned()];
        row.extend(adapters.iter().map(describe));
        table.add_row(row);
    }
    table
}

type Property = (&'static str, fn(&AdapterDescription) -> String);

const PROPERTIES: [Property; 15] = [
    ("name", |a| a.name.clone()),
    ("vendor", |a| a.vendor.clone()),
    ("backend", |a| a.backend.clone()),
    ("driver", |a| a.driver.clone()),
    ("kind", |a| a.kind.to_owned()),
    ("64-bit integers", |a| yes(a.int64)),
    ("subgroups", |a| match (a.subgroups, a.subgroup_sizes) {
        (false, _) => yes(false),
        (true, [least, most]) if least == most => format!("of {least}"),
        (true, [least, most]) => format!("of {least} to {most}"),
    }),
    ("timestamps", |a| yes(a.timestamps)),
    ("memory", |a| match a.memory {
        None => "not reported".to_owned(),
        Some(memory) if memory.is_shared => format!("{}, with the host", bytes(memory.bytes)),
        Some(memory) => bytes(memory.bytes),
    }),
    ("memory for plans", |a| match (a.memory, a.memory_bound(&Options::default())) {
        (None, assumed) => format!("{}, assumed", bytes(assumed)),
        (Some(_), budget) => bytes(budget),
    }),
    ("largest binding", |a| bytes(a.max_binding_bytes)),
    ("largest buffer", |a| bytes(a.max_buffer_bytes)),
    ("workgroup memory", |a| bytes(a.max_workgroup_bytes.into())),
    ("workgroup threads", |a| a.max_workgroup_invocations.to_string()),
    ("bindings a kernel", |a| a.max_storage_bindings.to_string()),
];

fn yes(there: bool) -> String {
    if there { "yes" } else { "no" }.to_owned()
}

/// Formats a size for readers: 128.00 MiB, 2.00 GiB.
fn bytes(count: u64) -> String {
    indicatif::BinaryBytes(count).to_string()
}
