//! `wgalois completions`: completion scripts for shells.

use super::Cli;
use crate::prelude::*;

/// Write a shell's completion script
#[derive(clap::Args)]
pub struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Run for Completions {
    fn run(&self, context: &Context) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::declared(), "wgalois", &mut script);
        context.write(|out| out.write_all(&script))
    }
}
