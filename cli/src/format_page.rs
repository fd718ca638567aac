//! `wgalois formats`, and `wgalois help formats`: the file formats.

use crate::prelude::*;
/// Describe the file formats
#[derive(clap::Args)]
#[command(after_long_help = PAGE)]
pub struct FormatPage {}

impl Run for FormatPage {
    fn run(&self, context: &Context) -> Result<()> {
        context.write(|out| writeln!(out, "{PAGE}"))
    }
}

const PAGE: &str = include_str!("format_page.txt").trim_ascii_end();
