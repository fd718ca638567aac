//! The conversions of products of residues by way of the integers, on vectors on the device: [`lift`](crate::ntt::lift) says what
//! they are for.

use std::sync::Arc;

use serde_json::json;

use super::specs::FLAT;
use crate::gpu::{DeviceVec, Gpu, Pipeline, Recorder, Variant, Written, exactly, kernel};
use crate::ntt::conversion::{Centring, Combination, LIFT_THIRD};
use crate::ntt::three_primes::PRIMES;
use crate::{Error, Result};

kernel! {
    /// From residues modulo m to the integers nearest to 0, modulo a prime.
    static CENTRE = "ntt/centre", |_| vec![centre()];
    CentreBuffers { source: read array<u32>, centred: read_write array<u32> }
    CentreParams {
        /// Words of either buffer.
        len,
        /// This and what follows are the constants of a [`Centring`].
        above,
        /// m.
        modulus,
        /// See [`Centring::offset`].
        offset,
        /// p.
        prime,
        /// The quotient of 1 modulo p.
        one_quotient,
    }
}

kernel! {
    /// From residues modulo one to three primes to residues modulo m, which replace those modulo the first prime. Buffers of primes
    /// that are not used have one word.
    static COMBINE = "ntt/combine", |_| vec![combine()];
    CombineBuffers { first: read_write array<u32>, second: read array<u32>, third: read array<u32> }
    CombineParams {
        /// Words of a buffer.
        len,
        /// The number of primes. This and what follows are the constants of a [`Combination`], each factor before its quotient.
        count,
        /// m.
        modulus,
        half,
        half_0,
        half_1,
        half_2,
        by_first,
        by_first_quotient,
        by_both,
        by_both_quotient,
        by_second,
        by_second_quotient,
        weight_0,
        weight_0_quotient,
        weight_1,
        weight_1_quotient,
        weight_2,
        weight_2_quotient,
    }
}

fn centre() -> Variant {
    Variant::plain(FLAT)
}

fn combine() -> Variant {
    Variant::new(FLAT, json!({ "primes": PRIMES, "lift": LIFT_THIRD }))
}

/// The kernels, ready to run on vectors of one device.
#[derive(Debug)]
pub struct Conversions {
    centre: Arc<Pipeline>,
    combine: Arc<Pipeline>,
    /// In the place of vectors of primes that are not used; it is not read.
    unused: DeviceVec<u32>,
}

impl Conversions {
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let kernels = gpu.pipelines_of(&[(&CENTRE, centre()), (&COMBINE, combine())])?;
        let [centre, combine] = exactly(kernels)?;
        Ok(Conversions { centre, combine, unused: gpu.zeros(1)? })
    }

    /// Writes the integers nearest to 0 of `source`, modulo the prime of the constants, to `centred`, which is as long.
    pub fn centre(
        &self,
        recorder: &mut Recorder,
        by: &Centring,
        source: &DeviceVec<u32>,
        centred: &mut DeviceVec<u32>,
    ) -> Result<()> {
        Error::expect_length("words of a vector", source.len(), centred.len())?;
        for (source, centred) in source.chunks().iter().zip(centred.chunks()) {
            let len = (source.size() / 4) as u32;
            let &Centring { above, modulus, offset, prime, one } = by;
            let params = CentreParams { len, above, modulus, offset, prime, one_quotient: one.quotient };
            let buffers = CentreBuffers { source, centred: Written(centred) };
            recorder.dispatch(&self.centre, "centre", &buffers, &params, len.div_ceil(FLAT))?;
        }
        Ok(())
    }

    /// Replaces the residues modulo the first prime by those modulo m; the vectors are equally long.
    pub fn combine(
        &self,
        recorder: &mut Recorder,
        by: &Combination,
        first: &mut DeviceVec<u32>,
        others: &[DeviceVec<u32>],
    ) -> Result<()> {
        Error::expect_length("primes", by.count, 1 + others.len())?;
        let unused = self.unused.whole()?;
        for (k, first) in first.chunks().iter().enumerate() {
            let len = (first.size() / 4) as u32;
            let other = |i: usize| others.get(i).and_then(|other| other.chunks().get(k)).unwrap_or(unused);
            let buffers = CombineBuffers { first: Written(first), second: other(0), third: other(1) };
            recorder.dispatch(&self.combine, "combine", &buffers, &params_of(by, len), len.div_ceil(FLAT))?;
        }
        Ok(())
    }
}

fn params_of(by: &Combination, len: u32) -> CombineParams {
    let [half_0, half_1, half_2] = by.halves;
    let [weight_0, weight_1, weight_2] = by.weights;
    CombineParams {
        len,
        count: by.count as u32,
        modulus: by.modulus,
        half: by.half,
        half_0,
        half_1,
        half_2,
        by_first: by.by_first.w,
        by_first_quotient: by.by_first.quotient,
        by_both: by.by_both.w,
        by_both_quotient: by.by_both.quotient,
        by_second: by.by_second.w,
        by_second_quotient: by.by_second.quotient,
        weight_0: weight_0.w,
        weight_0_quotient: weight_0.quotient,
        weight_1: weight_1.w,
        weight_1_quotient: weight_1.quotient,
        weight_2: weight_2.w,
        weight_2_quotient: weight_2.quotient,
    }
}
