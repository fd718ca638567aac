//! Bases on the device for scalars of which nearly all are 0 or 1.
//!
//! ```text
//! ones     their points are the entries of one bucket    accumulation as for digits, without sorting
//! others   their points are copied to a small table      a multiplication of few points
//! zeros    nothing
//! ```

use std::ops::Range;
use std::sync::Arc;

use super::compiled::Compiled;
use super::part::{Entries, Part};
use super::reduction::{self, Buckets};
use super::resident::Resident;
use super::stages;
use super::workspace::Workspace;
use crate::Result;
use crate::curve::{Affine, Curve, Projective};
use crate::field::BigField;
use crate::gpu::{BegunRead, DeviceVec, Gpu, Pipeline, Recorder, Variant, kernel};
use crate::msm::split_scalars::{SplitScalars, within};
use crate::msm::{Cut, Settings};
use crate::scalars::DeviceScalars;

kernel! {
    /// Copies some points of a table to another.
    static SELECT = "msm/select", |_| vec![Variant::plain(WORKGROUP)];
    SelectBuffers {
        points: read array<vec4<u32>>, places: read array<u32>, copied: read_write array<vec4<u32>>,
    }
    SelectParams {
        /// Points to copy.
        points,
        /// Vectors of four words that a point has.
        vectors,
        /// The place of the first copy.
        first,
    }
}

/// Invocations per workgroup of [`SELECT`].
const WORKGROUP: u32 = 256;

/// Bases on a device, with the working memory of sums of their points and of multiplications by few of them.
pub(in crate::msm) struct Apart<C: Curve> {
    /// All bases. Entries of the only bucket in use are the points of ones.
    ones: Resident<C>,
    /// The table of those with other scalars, which is filled for each multiplication.
    rest: Resident<C>,
    select: Arc<Pipeline>,
    /// Vectors of four words that a point has.
    vectors: u32,
}

/// A multiplication that the device works on.
pub(in crate::msm) struct PendingApart {
    ones: Vec<BegunRead>,
    rest: Vec<Vec<BegunRead>>,
}

impl<C: Curve> Apart<C> {
    /// Compiles the kernels.
    pub(in crate::msm) fn compile(gpu: &Gpu, settings: &Settings, cuts: &[Cut; 2]) -> Result<()> {
        let [ones, rest] = cuts;
        let select = || gpu.pipeline(&SELECT, &Variant::plain(WORKGROUP));
        let both = || {
            gpu.beside(|| Compiled::new::<C>(gpu, settings, ones), || Compiled::new::<C>(gpu, settings, rest))
        };
        gpu.beside(select, both).map(drop)
    }

    /// Uploads `points`. Of the cuts, the first is that of the ones, and the second has as many points as have other scalars
    /// at a time.
    pub(in crate::msm) fn new(
        gpu: &Gpu,
        name: &str,
        points: &[Affine<C>],
        settings: &Settings,
        [of_ones, of_rest]: &[Cut; 2],
    ) -> Result<Self> {
        let field = BigField::of::<C::BaseField>();
        let (words, sum_words) = (field.affine_words(), settings.coordinates.words(&field));
        let kernels = Compiled::new::<C>(gpu, settings, of_ones)?;
        let tables = points.chunks(of_ones.chunk).map(|chunk| kernels.tables.build(gpu, chunk));
        let tables = tables.collect::<Result<_>>()?;
        let of_entries = Workspace::of_entries(gpu, of_ones, sum_words)?;
        let ones =
            Resident::with(gpu, (name, points.len()), settings, of_ones, (kernels, tables, of_entries));
        let copies = vec![gpu.zeros_whole(of_rest.chunk * words)?];
        let kernels = Compiled::new::<C>(gpu, settings, of_rest)?;
        let own = Workspace::new(gpu, of_rest, &field, sum_words)?;
        let rest = Resident::with(gpu, (name, of_rest.chunk), settings, of_rest, (kernels, copies, own));
        let select = gpu.pipeline(&SELECT, &Variant::plain(WORKGROUP))?;
        Ok(Apart { ones, rest, select, vectors: words as u32 / 4 })
    }

    /// Submits the multiplication by the scalars with places in `range`, the first of them times base `first`, and copies of the
    /// sums to the host. The sums and what was uploaded are cleared behind the work.
    pub(in crate::msm) fn begin(
        &self,
        scalars: &SplitScalars<C::ScalarField>,
        range: Range<usize>,
        first: usize,
    ) -> Result<PendingApart> {
        let base = |place: &u32| (*place as usize - range.start + first) as u32;
        let ones: Vec<u32> = scalars.ones[within(&scalars.ones, &range)].iter().map(base).collect();
        let ones = if ones.is_empty() { Vec::new() } else { self.begin_ones(ones)? };
        let of_rest = within(&scalars.places, &range);
        let mut rest = Vec::new();
        for start in of_rest.clone().step_by(self.rest.len) {
            let part = start..of_rest.end.min(start + self.rest.len);
            let places = scalars.places[part.clone()].iter().map(base).collect();
            rest.push(self.begin_rest(places, &scalars.rest[part])?);
        }
        Ok(PendingApart { ones, rest })
    }

    /// Waits for the sums of a multiplication and adds them up.
    pub(in crate::msm) async fn end(&self, pending: PendingApart) -> Result<Projective<C>> {
        let mut sum = Projective::<C>::default();
        if !pending.ones.is_empty() {
            sum += self.ones.end(pending.ones).await?;
        }
        for rest in pending.rest {
            sum += self.rest.end(rest).await?;
        }
        Ok(sum)
    }

    /// Overwrites the working memory, and the points that were copied.
    pub(in crate::msm) fn clear(&self) -> Result<()> {
        self.ones.gpu.clear_all(&self.rest.tables)?;
        self.ones.clear()?;
        self.rest.clear()
    }

    /// The places of each table's points among those of all bases, in ascending order.
    fn by_table(&self, places: &[u32]) -> Result<Vec<(usize, DeviceVec<u32>)>> {
        let chunk = self.ones.cut.chunk;
        let own = |table: usize| {
            let first = table * chunk;
            let range = within(places, &(first..first + chunk));
            let own: Vec<u32> = places[range].iter().map(|place| place - first as u32).collect();
            (!own.is_empty()).then(|| Ok((table, self.ones.gpu.upload_table(&own)?)))
        };
        (0..self.ones.tables.len()).filter_map(own).collect()
    }

    fn begin_ones(&self, bases: Vec<u32>) -> Result<Vec<BegunRead>> {
        let ones = &self.ones;
        let values = self.by_table(&bases)?;
        let sums = ones.gpu.zeros_whole(ones.sums_a_set() * ones.points.words())?;
        let mut recorder = ones.gpu.record();
        recorder.set_part(&ones.name);
        let workspace = ones.workspace();
        let recorded = values.iter().enumerate().try_for_each(|(i, (table, values))| {
            self.record_ones(&mut recorder, &workspace, (&ones.tables[*table], *table), values, i == 0)
        });
        let submitted = recorded.and_then(|()| {
            let buckets = Buckets { scheme: &ones.cut.scheme, sets: 1 };
            let kernels = &ones.kernels.points.reduction;
            reduction::reduce(&mut recorder, kernels, &buckets, ones.reduction, &workspace, sums.whole()?)?;
            recorder.set_part("");
            recorder.submit_later()
        });
        let read = submitted.and_then(|()| sums.begin_read());
        // After an error, too.
        ones.gpu.clear_all(values.iter().map(|(_, values)| values).chain([&sums]))?;
        Ok(vec![read?])
    }

    /// Adds the points that `values` names to the sum of the bucket.
    fn record_ones(
        &self,
        recorder: &mut Recorder,
        workspace: &Workspace,
        (table, number): (&DeviceVec<u32>, usize),
        values: &DeviceVec<u32>,
        fresh: bool,
    ) -> Result<()> {
        let (ones, kernels) = (&self.ones, &self.ones.kernels.points);
        let stride = ones.cut.chunk.min(ones.len - number * ones.cut.chunk);
        let len = values.len();
        let part = Part { cut: &ones.cut, table, stride, vectors: 1, len, sets: [0, 1], fresh };
        let entries = Entries {
            points: table,
            keys: &workspace.keys,
            values,
            offsets: &workspace.offsets,
            len: len as u32,
            segment: len as u32,
            buckets: ones.cut.scheme.buckets(),
        };
        let sums = workspace.sums.whole()?;
        if kernels.need_offsets() {
            stages::offsets(recorder, &kernels.offsets, &part, &entries)?;
        }
        stages::clear(recorder, &kernels.clear, &part, ones.points.words(), sums)?;
        stages::accumulate(recorder, kernels, &part, &entries, sums)?;
        stages::gather(recorder, kernels, &part, &entries, sums)
    }

    /// Copies the points of some bases, at most as many as the table holds, and multiplies them.
    fn begin_rest(&self, bases: Vec<u32>, scalars: &[C::ScalarField]) -> Result<Vec<BegunRead>> {
        let (gpu, rest) = (&self.rest.gpu, &self.rest);
        let places = self.by_table(&bases)?;
        let mut recorder = gpu.record();
        recorder.set_part(&rest.name);
        let mut first = 0;
        for (table, places) in &places {
            let points = places.len() as u32;
            let params = SelectParams { points, vectors: self.vectors, first };
            let buffers = SelectBuffers {
                points: self.ones.tables[*table].whole()?,
                places: places.whole()?,
                copied: rest.tables[0].written()?,
            };
            let groups = (points * self.vectors).div_ceil(WORKGROUP);
            recorder.dispatch(&self.select, "select", &buffers, &params, groups)?;
            first += points;
        }
        recorder.set_part("");
        recorder.submit_later()?;
        let scalars = DeviceScalars::upload(gpu, scalars)?;
        let begun = rest.begin(&scalars, 0..scalars.len());
        // After an error, too.
        gpu.clear_all(places.iter().map(|(_, places)| places).chain([scalars.words()]))?;
        begun
    }
}
