//! Scratch files of lines, and the panels of an elimination in one.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

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
    ///
    /// # Errors
    /// [`Error::File`] if the folder cannot be written to.
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
    file: File,
    /// The folder, which errors name.
    folder: PathBuf,
}

impl Scratch {
    /// Creates an empty file in a folder.
    ///
    /// # Errors
    /// [`Error::File`] if the folder cannot be written to.
    pub fn within(folder: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(folder).map_err(|e| Error::file(folder, e.kind().into()))?;
        Ok(Scratch { file, folder: folder.to_owned() })
    }

    /// Writes lines from line `first` on.
    ///
    /// # Errors
    /// [`Error::File`], for example if the disk is full.
    pub fn write(&self, first: usize, lines: &[Line]) -> Result<()> {
        write_at(&self.file, bytemuck::cast_slice(lines), 64 * first as u64).map_err(|e| self.failed(e))
    }

    /// Reads lines from line `first` on, which were written.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn read(&self, first: usize, lines: &mut [Line]) -> Result<()> {
        read_at(&self.file, bytemuck::cast_slice_mut(lines), 64 * first as u64).map_err(|e| self.failed(e))
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::file(&self.folder, io::Error::new(error.kind(), format!("scratch file: {error}")))
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => {
                bytes = &bytes[count..];
                offset += count as u64;
            }
        }
    }
    Ok(())
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
        }
    }
    Ok(())
}
