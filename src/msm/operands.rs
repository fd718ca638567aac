//! What multiplications take: points, which stay, and scalars, which change.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use super::{DeviceScalars, Multiplication};
use crate::curve::{Affine, Curve};
use crate::scalars::Scalar;
use crate::task::Problem;
use crate::{Error, Result};

/// Points on the host that are multiplied again and again, borrowed or owned. A clone shares them.
pub struct Points<'p, C: Curve> {
    all: Arc<Cow<'p, [Affine<C>]>>,
    range: Range<usize>,
    name: Arc<str>,
}

/// [`Points`] by the name that [`Way::prepare`](crate::task::Way::prepare) has for them: with their own, `'p` would be late bound.
pub(super) type ResidentPoints<'p, C> = <Multiplication<C> as Problem>::Resident<'p>;

impl<'p, C: Curve> Points<'p, C> {
    /// Points that lie on the curve. With others, multiplications have wrong sums.
    pub fn new(points: impl Into<Cow<'p, [Affine<C>]>>) -> Self {
        let points = points.into();
        Points { range: 0..points.len(), all: Arc::new(points), name: "".into() }
    }

    /// Names the points in timelines: the name stands before those of the stages of their multiplications.
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        Points { name: name.into(), ..self }
    }

    /// The name in timelines, empty unless it was set.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The points of a range.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let (start, all) = (self.range.start, Arc::clone(&self.all));
        Points { all, range: start + range.start..start + range.end, name: Arc::clone(&self.name) }
    }
}

impl<C: Curve> Deref for Points<'_, C> {
    type Target = [Affine<C>];

    fn deref(&self) -> &[Affine<C>] {
        &self.all[self.range.clone()]
    }
}

impl<C: Curve> Clone for Points<'_, C> {
    fn clone(&self) -> Self {
        self.part(0..self.len())
    }
}

impl<C: Curve> fmt::Debug for Points<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} points of {}", self.len(), C::NAME)
    }
}

/// The scalars of a run.
#[derive(Clone, Copy)]
pub enum Scalars<'s, F: Scalar> {
    /// Vectors on the host, with the number of the point that the first scalar of each multiplies.
    Host(&'s [(usize, &'s [F])]),
    /// One vector on the GPU that multiplies.
    Device(&'s DeviceScalars<F>),
}

impl<'s, F: Scalar> Scalars<'s, F> {
    /// The vectors for `place`, which takes them from the host. Refuses scalars on a GPU.
    pub(super) fn on_host(self, place: &'static str) -> Result<&'s [(usize, &'s [F])]> {
        match self {
            Scalars::Host(vectors) => Ok(vectors),
            Scalars::Device(_) => {
                let what = "take scalars from a device: they come from the host".into();
                Err(Error::Unsupported { device: place, what })
            }
        }
    }

    /// The vectors on the host, each with its first point. Scalars on a GPU are downloaded.
    pub(super) async fn downloaded(self) -> Result<Vec<(usize, Cow<'s, [F]>)>> {
        Ok(match self {
            Scalars::Host(vectors) => {
                vectors.iter().map(|&(first, scalars)| (first, Cow::Borrowed(scalars))).collect()
            }
            Scalars::Device(scalars) => vec![(0, Cow::Owned(scalars.download_async().await?))],
        })
    }

    /// The number of vectors.
    pub(super) fn vectors(&self) -> usize {
        match self {
            Scalars::Host(vectors) => vectors.len(),
            Scalars::Device(_) => 1,
        }
    }

    /// The number of points that it takes.
    pub(super) fn reach(&self) -> usize {
        match self {
            Scalars::Host(vectors) => {
                let end = |(first, scalars): &(usize, &[_])| first.saturating_add(scalars.len());
                vectors.iter().map(end).max().unwrap_or(0)
            }
            Scalars::Device(scalars) => scalars.len(),
        }
    }
}

/// Refuses more scalars than points.
pub(super) fn expect_scalars(scalars: usize, points: usize) -> Result<()> {
    match scalars <= points {
        true => Ok(()),
        false => Err(too_many_scalars(scalars, points)),
    }
}

/// The error of more scalars than points.
pub(super) fn too_many_scalars(scalars: usize, points: usize) -> Error {
    let what = format!("scalars for {points} points").into();
    Error::TooMany { what, count: scalars as u64, most: points as u64 }
}

/// The vectors with zeros up to the first scalar of each, for GPUs, which multiply from the first point on.
pub(super) fn filled<'s, F: Scalar>(vectors: &[(usize, &'s [F])]) -> Vec<Cow<'s, [F]>> {
    let fill = |&(first, scalars): &(usize, &'s [F])| match first {
        0 => Cow::Borrowed(scalars),
        _ => Cow::Owned([&vec![F::ZERO; first][..], scalars].concat()),
    };
    vectors.iter().map(fill).collect()
}

/// The sum of the only vector.
pub(super) fn only<C: Curve>(sums: Vec<Affine<C>>) -> Affine<C> {
    sums.first().copied().unwrap_or_default()
}
