//! What most of the modules use.

pub(crate) use crate::buffers::{Input, Output};
pub(crate) use crate::device::DeviceName;
pub(crate) use crate::errors::raised;
pub(crate) use crate::{device, work};
pub(crate) use pyo3::prelude::*;
pub(crate) use pyo3::types::PyBytes;
pub(crate) use std::sync::Arc;
pub(crate) use wgalois::curve::{Curve, CurveName};
pub(crate) use wgalois::task::Problem;
pub(crate) use wgalois::{Device, Error, Result, with_curve};
pub(crate) use wgalois_io::Source;
