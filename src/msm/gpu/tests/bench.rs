//! A small multiplication whose steps the tests run one by one.

use ark_ff::PrimeField;

use crate::curve::coordinates::Coordinates;
use crate::curve::{Affine, Curve, Projective};
use crate::field::BigField;
use crate::gpu::{DeviceVec, Gpu, Recorder};
use crate::msm::gpu::kernels::PointKernels;
use crate::msm::gpu::part::Part;
use crate::msm::gpu::tables::TableKernels;
use crate::msm::gpu::workspace::Workspace;
use crate::msm::tests::reference::{self, Entry};
use crate::msm::tests::samples::{Kind, Sample, sample};
use crate::msm::{Cut, Precompute, ScalarBits, Scheme, Settings, finish};

/// A small multiplication: the inputs of each step on the host, and the device's buffers.
pub(super) struct Bench<'g, C: Curve> {
    pub(super) gpu: &'g Gpu,
    pub(super) settings: Settings,
    pub(super) cut: Cut,
    pub(super) sample: Sample<C>,
    pub(super) host_table: Vec<Affine<C>>,
    /// Sorted.
    pub(super) sets: Vec<Vec<Entry>>,
    pub(super) table: DeviceVec<u32>,
    pub(super) workspace: Workspace,
    pub(super) kernels: PointKernels,
}

impl<'g, C: Curve> Bench<'g, C> {
    pub(super) fn new(
        gpu: &'g Gpu,
        coordinates: &'static Coordinates,
        (kind, n): (Kind, usize),
        scheme: Scheme,
        slice: usize,
    ) -> Self {
        Self::with_rounds(gpu, coordinates, (kind, n), scheme, (slice, 0))
    }

    pub(super) fn with_rounds(
        gpu: &'g Gpu,
        coordinates: &'static Coordinates,
        sample: (Kind, usize),
        scheme: Scheme,
        shares: (usize, u32),
    ) -> Self {
        Self::with_settings(gpu, Settings::default().with_coordinates(coordinates), sample, scheme, shares)
    }

    pub(super) fn with_settings(
        gpu: &'g Gpu,
        settings: Settings,
        (kind, n): (Kind, usize),
        scheme: Scheme,
        (slice, rounds): (usize, u32),
    ) -> Self {
        let cut = Cut { scheme, chunk: n, group: scheme.sets, rounds, slice, together: 1 };
        let sample = sample::<C>(kind, n);
        let integers: Vec<_> = sample.scalars.iter().map(|k| k.into_bigint()).collect();
        let mut sets = reference::entries::<C>(&scheme, &integers);
        reference::sort(&mut sets);
        let field = BigField::of::<C::BaseField>();
        Bench {
            gpu,
            settings,
            host_table: reference::table(&scheme, &sample.points),
            sets,
            table: TableKernels::new::<C>(gpu, &scheme).unwrap().build(gpu, &sample.points).unwrap(),
            workspace: Workspace::new(gpu, &cut, &field, settings.coordinates.words(&field)).unwrap(),
            kernels: PointKernels::new(gpu, &BigField::of::<C::BaseField>(), &settings, &cut).unwrap(),
            cut,
            sample,
        }
    }

    pub(super) fn part(&self) -> Part<'_> {
        let n = self.cut.chunk;
        let sets = [0, self.cut.scheme.sets];
        Part { cut: &self.cut, table: &self.table, stride: n, vectors: 1, len: n, sets, fresh: true }
    }

    /// Records by `record`, submits and waits.
    pub(super) fn run<T>(&self, record: impl FnOnce(&mut Recorder) -> crate::Result<T>) -> T {
        let mut recorder = self.gpu.record();
        let result = record(&mut recorder).unwrap();
        recorder.submit().unwrap();
        result
    }

    pub(super) fn sorted(&self) -> (DeviceVec<u32>, DeviceVec<u32>) {
        let (keys, values): (Vec<u32>, Vec<u32>) = self.sets.concat().into_iter().unzip();
        (self.gpu.upload(&keys).unwrap(), self.gpu.upload(&values).unwrap())
    }

    pub(super) fn points(&self, vector: &DeviceVec<u32>) -> Vec<Projective<C>> {
        let field = BigField::of::<C::BaseField>();
        let reader = finish::PointReader::new(self.settings.coordinates, &field);
        vector.download().unwrap().chunks(reader.words()).map(|words| reader.read(words)).collect()
    }
}

/// The scheme of a curve's scalars, with the topmost window spread.
pub(super) fn scheme<C: Curve>(width: u32, precompute: Precompute, max_levels: u32) -> Scheme {
    let bits = ScalarBits::of::<C>();
    Scheme::new(bits, width, precompute, max_levels).unwrap().spread(bits, 1)
}
