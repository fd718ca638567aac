//! `wgalois man`: manual pages.

use super::Cli;
use crate::prelude::*;

/// Write the manual pages
///
/// With -o FOLDER a page for each verb and operation, such as wgalois-gf2-rank.1; otherwise the first page goes to stdout.
#[derive(clap::Args)]
pub struct Man {}

/// Returns the pages, by the names of their files.
fn pages() -> Vec<(String, clap_mangen::Man)> {
    fn add(command: &clap::Command, pages: &mut Vec<(String, clap_mangen::Man)>) {
        let page =
            clap_mangen::Man::new(command.clone()).source(concat!("wgalois ", env!("CARGO_PKG_VERSION")));
        pages.push((page.get_filename(), page));
        command.get_subcommands().filter(|verb| !verb.is_hide_set()).for_each(|verb| add(verb, pages));
    }
    let mut command = Cli::declared().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add(&command, &mut pages);
    pages
}

impl Run for Man {
    fn run(&self, context: &Context) -> Result<()> {
        let pages = pages();
        let Some(folder) = context.output_path() else {
            return context.write(|out| pages.first().map_or(Ok(()), |(_, page)| page.render(out)));
        };
        std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
        pages
            .iter()
            .try_for_each(|(name, page)| write_whole(&folder.join(Path::new(name)), |out| page.render(out)))
    }

    fn outputs(&self) -> Outputs {
        let names = pages().into_iter().map(|(name, _)| name).collect();
        Outputs { data: Data::Folder(names), ..Outputs::default() }
    }
}
