//! How bases are prepared, and multiplications by them done.

use ark_ff::PrimeField;

use super::bases::{Bases, available_memory};
use crate::curve::coordinates::{Coordinates, XYZZ};
use crate::curve::{Affine, Curve};
use crate::field::BigField;
use crate::gpu::Gpu;
use crate::msm::{Choice, Cut, Limits, Precompute, THREADS};
use crate::{Error, Result};

/// How bases are prepared, beyond which ones.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(super) precompute: Precompute,
    pub(super) coordinates: &'static Coordinates,
    pub(super) balance: Balance,
    pub(super) choice: Choice,
    pub(super) threads: u64,
    pub(super) memory: u64,
}

/// How the sorted entries are shared out among threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Balance {
    /// Equal slices, wherever buckets begin and end.
    #[default]
    Slices,
    /// Slices that end where a bucket ends: a baseline. Not with odd digits, nor for bases in
    /// several chunks.
    Buckets,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            precompute: Precompute::Plain,
            coordinates: &XYZZ,
            balance: Balance::Slices,
            choice: Choice::default(),
            threads: THREADS,
            memory: u64::MAX,
        }
    }
}

impl Settings {
    /// What is stored of every base besides itself.
    pub fn precompute(self, precompute: Precompute) -> Self {
        Settings { precompute, ..self }
    }

    /// The bits of a window, from [`MIN_WIDTH`](crate::msm::MIN_WIDTH) to
    /// [`MAX_WIDTH`](crate::msm::MAX_WIDTH); otherwise what a model of the device's time says.
    pub fn width(self, width: Option<u32>) -> Self {
        Settings { choice: Choice { width, ..self.choice }, ..self }
    }

    /// The coordinates that sums are kept in.
    pub fn coordinates(self, coordinates: &'static Coordinates) -> Self {
        Settings { coordinates, ..self }
    }

    /// How the sorted entries are shared out among threads.
    pub fn balance(self, balance: Balance) -> Self {
        Settings { balance, ..self }
    }

    /// How often the entries of each bucket are added up in pairs of affine points before
    /// what is left of them goes to the bucket one at a time, at most
    /// [`MAX_PAIR_ROUNDS`](crate::msm::MAX_PAIR_ROUNDS) times; otherwise what a model of the
    /// device's time says, and none with [`Balance::Buckets`].
    pub fn pair_rounds(self, pair_rounds: Option<u32>) -> Self {
        Settings { choice: Choice { pair_rounds, ..self.choice }, ..self }
    }

    /// Threads that share out the accumulation.
    pub fn threads(self, threads: u64) -> Self {
        Settings { threads, ..self }
    }

    /// Bytes of device memory to plan for, where that is less than the device has.
    pub fn memory(self, memory: u64) -> Self {
        Settings { memory, ..self }
    }

    /// What is stored, in words.
    pub fn describe(&self) -> String {
        match self.precompute {
            Precompute::Plain => "none".to_owned(),
            Precompute::Doublings(tau) => format!("doublings:{tau}"),
            Precompute::Windows => "windows".to_owned(),
        }
    }

    /// The coordinates that sums are kept in.
    pub fn coordinates_name(&self) -> &'static str {
        self.coordinates.name
    }

    /// How entries are shared out, in words.
    pub fn balance_name(&self) -> &'static str {
        match self.balance {
            Balance::Slices => "balanced",
            Balance::Buckets => "imbalanced",
        }
    }

    /// How a multiplication by `n` points is cut up on a device.
    pub(super) fn plan<C: Curve>(&self, gpu: &Gpu, n: usize) -> Result<Cut> {
        let field = BigField::of::<C::BaseField>();
        let limits = Limits {
            binding_words: gpu.binding_len::<u32>()? as u64,
            memory: self.memory.min(available_memory(gpu)),
            threads: self.threads,
            scalar_bits: C::ScalarField::MODULUS_BIT_SIZE,
            point_words: 2 * field.words as u64,
            sum_words: self.coordinates.words(&field) as u64,
            element_words: field.element_words() as u64,
        };
        let mut choice = self.choice;
        if self.balance == Balance::Buckets {
            choice.pair_rounds = choice.pair_rounds.or(Some(0));
        }
        let plan = Cut::new(n, self.precompute, choice, &limits)?;
        if self.balance == Balance::Buckets && (plan.scheme.odd || plan.chunk < n) {
            return Err(Error::Usage(
                "whole buckets a thread: only for even digits and one chunk of bases".into(),
            ));
        }
        if self.balance == Balance::Buckets && plan.rounds > 0 {
            return Err(Error::Usage("whole buckets a thread take one point at a time".into()));
        }
        gpu.need(plan.bytes(n, &limits), "this multiplication")?;
        Ok(plan)
    }

    /// Uploads `points` and prepares them.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::Usage`](crate::Error::Usage)
    /// for a width that is none, and the device's faults.
    pub fn upload<C: Curve>(&self, gpu: &Gpu, points: &[Affine<C>]) -> Result<Bases<C>> {
        Bases::new(gpu, points, self)
    }
}
