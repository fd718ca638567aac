//! Where an elimination has its tiles and panels. Both in memory are here; `gf2::on_files` has them on the disk.

use std::ops::Range;

use super::panel::Panel;
use super::tiled::TiledMatrix;
use crate::Result;
use crate::gf2::bit_matrix::Line;

/// The own tiles of a matrix, of which a group is in memory at a time. A tile of a matrix with r rows has r lines.
pub trait Tiles: Send {
    /// Loads the own tiles among those of a group.
    fn load(&mut self, group: Range<usize>) -> Result<&mut [Line]>;

    /// Takes the tiles of the loaded group in their final form. `leads` has by row the column of its lead, or `u32::MAX`;
    /// those of later tiles are not known yet. Returns true if the tiles after them are needed.
    fn finish(&mut self, group: Range<usize>, leads: &[u32]) -> Result<bool>;
}

/// The panels of the blocks that have pivots, for the groups after theirs.
pub trait Panels: Send + Sync {
    /// Takes a panel, in ascending order of the blocks. Only if it is fetched again need it be kept. A panel without
    /// lines may be left in its place.
    fn publish(&mut self, panel: &mut Panel, is_fetched: bool) -> Result<()>;

    /// Writes the panel of a block, which was published, to `panel`.
    fn fetch(&self, block: usize, panel: &mut Panel) -> Result<()>;
}

impl Tiles for TiledMatrix {
    fn load(&mut self, _: Range<usize>) -> Result<&mut [Line]> {
        Ok(self.tiles_from_mut(0))
    }

    fn finish(&mut self, _: Range<usize>, _: &[u32]) -> Result<bool> {
        Ok(false)
    }
}

/// Panels in memory.
#[derive(Default)]
pub struct Kept {
    pub panels: Vec<Panel>,
    /// All panels are wanted after the elimination.
    pub all: bool,
}

impl Panels for Kept {
    fn publish(&mut self, panel: &mut Panel, is_fetched: bool) -> Result<()> {
        if self.all || is_fetched {
            self.panels.push(std::mem::take(panel));
        }
        Ok(())
    }

    fn fetch(&self, block: usize, panel: &mut Panel) -> Result<()> {
        if let Ok(k) = self.panels.binary_search_by_key(&block, |panel| panel.pivots.index) {
            panel.pivots.clone_from(&self.panels[k].pivots);
            panel.multipliers.copy_from_slice(&self.panels[k].multipliers);
        }
        Ok(())
    }
}
