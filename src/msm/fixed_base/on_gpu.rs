//! Multiples of a base on a GPU.

use std::fmt;
use std::time::Duration;

use super::table::{self, Table, best_width};
use super::{FixedBase, ResidentBase};
use crate::curve::{Affine, BaseField, Curve};
use crate::field::BigField;
use crate::gpu::Gpu;
use crate::msm::gpu::{DeviceMultiples, bytes_a_scalar, compile_multiples, windows};
use crate::msm::speeds::family;
use crate::task::{Cost, Done, GpuProfile, Ready, Traffic, Way, other_device};
use crate::timeline::Phase;
use crate::{Device, Error, One, Result, Shortage, Side};

/// The most scalars that are multiplied at a time: the device is then busy for some milliseconds.
const MOST_AT_A_TIME: usize = 1 << 20;
/// The fewest.
const FEWEST_AT_A_TIME: usize = 1 << 10;

/// The way.
#[derive(Debug)]
pub(super) struct OnGpu {
    width: u32,
    windows: u32,
    /// Scalars that are multiplied at a time.
    pub(super) at_a_time: usize,
    cost: Cost,
    traffic: Traffic,
}

impl OnGpu {
    pub fn new<C: Curve>(problem: &FixedBase<C>, gpu: &GpuProfile, memory: u64) -> Result<Self> {
        let field = BigField::of::<BaseField<C>>();
        let (count, point) = (problem.count(), 4 * field.affine_words() as u64);
        // The table takes at most a quarter of the memory, twice while it is made.
        let most = gpu.binding_bytes.min(memory / 8) / point;
        let width = best_width(count, windows::<C>, usize::try_from(most).unwrap_or(usize::MAX));
        let windows = windows::<C>(width);
        let points = table::points(width, windows);
        let [bytes, binding] = bytes_a_scalar::<C>(width);
        let table = 2 * point * points as u64;
        let fitting = (memory.saturating_sub(table) / bytes).min(gpu.binding_bytes / binding);
        let fewest = FEWEST_AT_A_TIME.min(count.next_power_of_two());
        let at_a_time = usize::try_from(fitting).unwrap_or(usize::MAX).clamp(1, MOST_AT_A_TIME);
        let at_a_time = (1 << at_a_time.ilog2()).min(count.next_power_of_two());
        if fitting < fewest as u64 {
            let needed = table.saturating_add(bytes * fewest as u64);
            return Err(Error::OutOfMemory(Shortage::new("these multiples", Side::Device, needed, memory)));
        }
        let degree = if field.degree > 1 { EXTENDED } else { 1.0 };
        let additions = windows as f64 * count as f64;
        let compiling =
            gpu.compile_seconds("multiples", Some((field.bits, field.degree)), COMPILE.map(|k| k * degree));
        let products = degree * additions * PRODUCTS * gpu.product_seconds(family::<C>());
        let (up, down) = (32.0 * count as f64, point as f64 * count as f64);
        let pieces = count.div_ceil(at_a_time);
        let seconds = compiling
            + products
            + gpu.upload_seconds(up)
            + gpu.download_seconds(down)
            + pieces as f64 * CALLS * gpu.record.call;
        let cost = Cost {
            time: Duration::from_secs_f64(seconds),
            compiling: Duration::from_secs_f64(compiling),
            // The table and the points as words, the multiples and their words.
            host_bytes: (2 * points + 3 * at_a_time) as u64 * point + COMPILER,
            device_bytes: table + bytes * at_a_time as u64,
            ..Cost::default()
        };
        let traffic = Traffic {
            upload: up as u64,
            download: down as u64,
            dispatches: Some(DISPATCHES * pieces as u64),
        };
        Ok(OnGpu { width, windows, at_a_time, cost, traffic })
    }
}

/// Products of an addition of an affine point to a sum, with the share of the last inversion.
const PRODUCTS: f64 = 12.0;
/// Products of the prime field for one of a quadratic extension, with the time that its longer texts lose.
const EXTENDED: f64 = 4.0;
/// Reference kernels that take as long to compile as all of these, the first time and later.
const COMPILE: [f64; 2] = [4.0, 2.0];
/// Short calls of a piece: the upload, the dispatches, the download.
const CALLS: f64 = 6.0;
/// Dispatches of a piece.
const DISPATCHES: u64 = 6;
/// Bytes of texts and of the driver's compilation: see [`cost`](crate::msm::cost).
const COMPILER: u64 = 160 << 20;

impl<C: Curve> Way<FixedBase<C>> for OnGpu {
    type Device = Device;
    type Ready<'p> = ReadyOnGpu<C>;

    fn cost(&self) -> Cost {
        self.cost
    }

    fn traffic(&self) -> Traffic {
        self.traffic
    }

    fn write(&self, _: &FixedBase<C>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OnGpu { width, windows, at_a_time, .. } = self;
        writeln!(f, "method         GPU, a thread a scalar")?;
        writeln!(f, "windows        {windows} of {width} bits")?;
        writeln!(f, "at a time      {at_a_time} scalars")
    }

    fn compile(&self, _: &FixedBase<C>, device: &Device) -> Result<()> {
        compile_multiples::<C>(own(device)?)
    }

    fn prepare<'p>(
        &self,
        _: &FixedBase<C>,
        device: &Device,
        base: ResidentBase<'p, C>,
    ) -> Result<Self::Ready<'p>> {
        let gpu = own(device)?;
        let table = || Table::new(&base, self.width, self.windows);
        let table = gpu.timeline().time(Phase::Preparing, "multiples of the base", table);
        let multiples = DeviceMultiples::new(gpu, table.width, &table.points)?;
        Ok(ReadyOnGpu { gpu: gpu.clone(), multiples, at_a_time: self.at_a_time })
    }
}

/// The GPU that multiplies: of a group, the fastest.
fn own(device: &Device) -> Result<&Gpu> {
    match device.one() {
        One::Gpu(gpu) => Ok(gpu),
        One::Cpu(_) => Err(other_device()),
    }
}

/// The table of a base on the device.
pub(super) struct ReadyOnGpu<C: Curve> {
    gpu: Gpu,
    multiples: DeviceMultiples<C>,
    at_a_time: usize,
}

impl<C: Curve> fmt::Debug for ReadyOnGpu<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "multiples of a point of {} on a GPU", C::NAME)
    }
}

impl<C: Curve> Ready<FixedBase<C>> for ReadyOnGpu<C> {
    async fn run<'i: 'i>(
        &self,
        _: &FixedBase<C>,
        scalars: &'i [C::ScalarField],
        _: &Done,
    ) -> Result<Vec<Affine<C>>> {
        let meter = self.gpu.timeline().meter(scalars.len() as u64);
        let mut points = Vec::with_capacity(scalars.len());
        for scalars in scalars.chunks(self.at_a_time) {
            points.append(&mut self.multiples.multiply(scalars).await?);
            meter.reach(points.len() as u64);
        }
        Ok(points)
    }
}
