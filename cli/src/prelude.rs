//! What most verbs use.

pub(crate) use crate::context::{Context, Demands};
pub(crate) use crate::counts::count;
pub(crate) use crate::names::{Named, named};
pub(crate) use crate::outputs::{Data, Outputs, TEXT};
pub(crate) use crate::processes::Member;
pub(crate) use crate::{Check, Choice, Run, verbs};
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::time::{Duration, Instant};
pub(crate) use wgalois::curve::{Curve, CurveName};
pub(crate) use wgalois::files::write_whole;
pub(crate) use wgalois::gpu::Gpu;
pub(crate) use wgalois::task::Problem;
pub(crate) use wgalois::timeline::Phase;
pub(crate) use wgalois::verify::Guarantee;
pub(crate) use wgalois::{Device, Error, Result, Wrong, with_curve};
pub(crate) use wgalois_io::{Source, text};
