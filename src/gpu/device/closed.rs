//! A program without GPUs opens none.

use std::time::Duration;

use super::Gpu;
#[cfg(not(target_arch = "wasm32"))]
use crate::gpu::adapter_search::Found;
use crate::gpu::{Adapter, Options};
use crate::{Error, Result};

fn none() -> Error {
    Error::NoDevice("this program was built without GPUs (the feature cpu-only)".into())
}

impl Gpu {
    pub(super) async fn of(_: &wgpu::Adapter, _: (Option<usize>, Duration), _: Options) -> Result<Self> {
        Err(none())
    }

    /// Returns [`Error::NoDevice`].
    pub fn new() -> Result<Self> {
        Err(none())
    }

    /// Returns [`Error::NoDevice`].
    pub async fn new_async() -> Result<Self> {
        Err(none())
    }

    /// Returns [`Error::NoDevice`].
    pub fn open(_: &Adapter, _: Options) -> Result<Self> {
        Err(none())
    }

    /// Returns [`Error::NoDevice`].
    pub async fn open_async(_: &Adapter, _: Options) -> Result<Self> {
        Err(none())
    }

    /// Returns [`Error::NoDevice`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_found(_: &Found, _: usize, _: Options) -> Result<Self> {
        Err(none())
    }

    /// Returns [`Error::NoDevice`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_all(_: &Found, _: &[usize], _: &Options) -> Result<Vec<Self>> {
        Err(none())
    }
}
