//! The problem of commitments to blobs, and its plan.

use std::fmt;

use super::{Blobs, TrustedSetup};
use wgalois::curve::Bls12_381;
use wgalois::msm::{Multiplication, MultiplicationPlan};
use wgalois::task::{Cost, Plan, Problem, Profile, Traffic};
use wgalois::{Device, Result};

/// Commitments to blobs of one size, by bases that stay on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committing {
    values: usize,
    blobs: usize,
}

impl Committing {
    /// The problem for blobs of `values` values: 4096 on Ethereum.
    pub fn new(values: usize) -> Self {
        Committing { values, blobs: 1 }
    }

    /// Sets the number of blobs of a call, one by default, for the expected time. Any number can be committed to.
    #[must_use]
    pub fn with_blobs(self, blobs: usize) -> Self {
        Committing { blobs, ..self }
    }
}

impl Problem for Committing {
    type Plan = CommittingPlan;

    fn plan_for(&self, profile: &Profile) -> Result<CommittingPlan> {
        let problem = Multiplication::new(self.values).with_vectors(self.blobs);
        Ok(CommittingPlan { multiplication: problem.plan_for(profile)? })
    }
}

/// The plan of commitments on one device: one multiplication a blob.
pub struct CommittingPlan {
    multiplication: MultiplicationPlan<Bls12_381>,
}

impl CommittingPlan {
    /// Prepares the bases of a setup on the device that was planned for.
    ///
    /// # Errors
    /// [`Error::Input`](wgalois::Error::Input) for a setup of another size; the device's faults.
    pub fn prepare(&self, device: &Device, setup: TrustedSetup) -> Result<Blobs> {
        Ok(Blobs { bases: self.multiplication.prepare_unchecked(device, setup.lagrange)? })
    }
}

impl Plan for CommittingPlan {
    fn cost(&self) -> Cost {
        self.multiplication.cost()
    }

    fn traffic(&self) -> Traffic {
        self.multiplication.traffic()
    }
}

impl fmt::Display for CommittingPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.multiplication.fmt(f)
    }
}
