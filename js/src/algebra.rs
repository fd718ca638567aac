//! Transforms, products and multi-scalar multiplications on typed arrays. `is_timed` asks for the times of a call's work.

use wasm_bindgen::prelude::*;
use wgalois::curve::{Curve, PairingCurve};
use wgalois::field::Prime;
use wgalois::msm;
use wgalois::ntt::{self, Direction, Product, Transform};
use wgalois::{Device, Error, Result};
use wgalois_io::points::{self, Trust};
use wgalois_io::{Source, scalars};

use crate::engine::Engine;
use crate::outcome::outcome;
use crate::{MEMORY, Pairing};

/// The number-theoretic transform of `values` modulo `prime`, or its inverse.
#[wasm_bindgen]
pub fn ntt(
    engine: &Engine,
    is_timed: bool,
    prime: u32,
    inverse: bool,
    mut values: Vec<u32>,
) -> Result<JsValue, JsValue> {
    let device = engine.device(is_timed);
    outcome(async move {
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        let transform = Transform::new(Prime::new(prime)?, values.len())?.with_direction(direction);
        ntt::transform_async(&device, &transform, &mut values).await?;
        Ok(js_sys::Uint32Array::from(&values[..]))
    })
}

/// The product of two polynomials modulo `prime`.
#[wasm_bindgen]
pub fn polymul(
    engine: &Engine,
    is_timed: bool,
    prime: u32,
    a: Vec<u32>,
    b: Vec<u32>,
) -> Result<JsValue, JsValue> {
    let device = engine.device(is_timed);
    outcome(async move {
        let problem = Product::new(Prime::new(prime)?, a.len(), b.len());
        let product = ntt::multiply_async(&device, &problem, &a, &b).await?;
        Ok(js_sys::Uint32Array::from(&product[..]))
    })
}

/// The sum of multiples of points, in G2 or in G1. With `check`, the points are checked to be in the subgroup of order r.
#[wasm_bindgen]
pub fn msm(
    engine: &Engine,
    is_timed: bool,
    in_g2: bool,
    check: bool,
    points: Vec<u8>,
    scalars: Vec<u8>,
) -> Result<JsValue, JsValue> {
    let device = engine.device(is_timed);
    outcome(async move {
        match in_g2 {
            true => sum::<<Pairing as PairingCurve>::G2>(&device, check, points, scalars).await,
            false => sum::<<Pairing as PairingCurve>::G1>(&device, check, points, scalars).await,
        }
    })
}

async fn sum<C: Curve>(
    device: &Device,
    check: bool,
    points: Vec<u8>,
    scalars: Vec<u8>,
) -> Result<js_sys::Uint8Array> {
    let scalars = Source::from_bytes("the scalars", scalars);
    let scalars: Vec<C::ScalarField> = scalars::read(&scalars, scalars::Format::Bytes, MEMORY)?;
    let points = Source::from_bytes("the points", points);
    let format = points::Format::Raw;
    let points = points::read_on_curve::<C>(&points, format, scalars.len(), Trust::Nothing, MEMORY)?;
    if check && let Some(index) = msm::first_outside_async(device, &points).await? {
        return Err(Error::OutsideSubgroup { index });
    }
    let sum = msm::multiply_async(device, &points, &scalars).await?;
    let mut bytes = Vec::new();
    let written = points::write::<C>(&mut bytes, format, false, &[sum]);
    written.map_err(|error| Error::File { path: "sum".into(), source: error })?;
    Ok(js_sys::Uint8Array::from(&bytes[..]))
}
