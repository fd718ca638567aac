//! What most measurements use.

pub(crate) use super::csv::Csv;
pub(crate) use super::plot::{Axis, COPY, CPU, GPU, Plot};
pub(crate) use super::sizes::Sizes;
pub(crate) use super::stream::print;
pub(crate) use super::table::print_rows;
pub(crate) use crate::prelude::*;
pub(crate) use wgalois::gpu::Clock;
pub(crate) use wgalois_benches::published::{Lab, Scale};
pub(crate) use wgalois_benches::{Fields, Row, Timing, judge};
