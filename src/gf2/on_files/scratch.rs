//! Scratch files of lines, and the panels of an elimination in one.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::gf2::bit_matrix::Line;
use crate::gf2::cpu::{BlockPivots, Panel, Panels};
use crate::{Error, Result};

/// The panels of an elimination: the multipliers are in a file.
#[derive(Debug)]
pub(super) struct StoredPanels {
    scratch: Scratch,
    /// The first rows, which have no multipliers.
    known: usize,
    pivots: Vec<BlockPivots>,
}

impl StoredPanels {
    /// Creates the file in a folder.
    pub fn within(folder: &Path, known: usize) -> Result<Self> {
        Ok(StoredPanels { scratch: Scratch::within(folder)?, known, pivots: Vec::new() })
    }
}

impl Panels for StoredPanels {
    fn publish(&mut self, panel: &mut Panel, is_fetched: bool) -> Result<()> {
        if is_fetched {
            let lines = &panel.multipliers[self.known..];
            self.scratch.write(panel.pivots.index * lines.len(), lines)?;
            self.pivots.push(panel.pivots.clone());
        }
        Ok(())
    }

    fn fetch(&self, block: usize, panel: &mut Panel) -> Result<()> {
        if let Ok(k) = self.pivots.binary_search_by_key(&block, |pivots| pivots.index) {
            panel.pivots.clone_from(&self.pivots[k]);
        }
        let lines = &mut panel.multipliers[self.known..];
        self.scratch.read(block * lines.len(), lines)
    }
}

/// A file without a name: the system removes it when the process closes it or ends, in whatever way.
#[derive(Debug)]
pub(super) struct Scratch {
    file: Mutex<File>,
    /// The folder, which errors name.
    folder: PathBuf,
}

impl Scratch {
    /// Creates an empty file in a folder.
    pub fn within(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|e| Error::file(folder, e.kind().into()))?;
        Ok(Scratch { file: Mutex::new(file), folder: folder.to_owned() })
    }

    /// Writes lines from line `first` on.
    pub fn write(&self, first: usize, lines: &[Line]) -> Result<()> {
        self.at(first, |file| file.write_all(bytemuck::cast_slice(lines)))
    }

    /// Reads lines from line `first` on, which were written.
    pub fn read(&self, first: usize, lines: &mut [Line]) -> Result<()> {
        self.at(first, |file| file.read_exact(bytemuck::cast_slice_mut(lines)))
    }

    /// Reads or writes at a line.
    fn at(&self, line: usize, work: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let done = file.seek(SeekFrom::Start(64 * line as u64)).and_then(|_| work(&mut file));
        done.map_err(|error| {
            Error::file(&self.folder, io::Error::new(error.kind(), format!("scratch file: {error}")))
        })
    }
}
