//! Kept translations for browsers: there are none, since a browser translates WGSL itself.

use super::kernel::{Arithmetic, Kernel, Variant};
use super::options::Options;
use crate::Result;

/// Translations that are never kept.
pub(super) enum Translations {}

impl Translations {
    pub(super) fn open(_: &wgpu::Adapter, _: wgpu::Features, _: &Options) -> Option<Self> {
        None
    }

    pub(super) fn name(_: &Kernel, _: &Variant, _: Arithmetic) -> Option<String> {
        None
    }

    pub(super) fn find(&self, _: &str) -> Option<Vec<u32>> {
        match *self {}
    }

    pub(super) fn make(&self, _: &str, _: &str) -> Result<Vec<u32>> {
        match *self {}
    }
}
