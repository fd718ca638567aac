//! The problem of a multiplication as plans see it, above its ways and their instances.

use std::fmt;

use super::on_gpu::ReadyOnGpu;
use super::operands::expect_scalars;
use super::speeds::family;
use super::{Multiplication, Points, Scalars, instances};
use crate::curve::{Affine, Curve};
use crate::gpu::Family;
use crate::task::{Problem, Profile, Ways};
use crate::{Error, Result};

impl<C: Curve> Problem for Multiplication<C> {
    const NAME: &'static str = "this multiplication";

    type Resident<'a> = Points<'a, C>;
    type Input<'a> = Scalars<'a, C::ScalarField>;
    /// A sum for each vector, in order.
    type Answer = Vec<Affine<C>>;
    type Kernels = ReadyOnGpu<C>;

    /// That of the coordinates.
    fn families(&self) -> Vec<Family> {
        vec![family::<C>()]
    }

    fn ways(&self, profile: &Profile) -> Result<Ways<Self>> {
        instances::ways(self, profile)
    }

    fn check_resident(&self, points: &Points<'_, C>) -> Result<()> {
        Error::expect_length("points", self.points(), points.len())
    }

    fn check_input(&self, scalars: &Scalars<'_, C::ScalarField>) -> Result<()> {
        expect_scalars(scalars.reach(), self.points())
    }

    fn reborrow<'s>(scalars: &'s mut Scalars<'_, C::ScalarField>) -> Scalars<'s, C::ScalarField> {
        *scalars
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "curve          {}", C::NAME)?;
        writeln!(f, "points         {}", self.points())?;
        writeln!(f, "vectors        {}", self.vectors())
    }
}
