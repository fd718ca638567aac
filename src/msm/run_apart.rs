//! Runs of multiplications that take bits apart.

use super::Scalars;
use super::gpu::{Apart, PendingApart};
use super::split_scalars::SplitScalars;
use crate::Result;
use crate::curve::{Affine, Curve, normalized};

/// The sums of vectors. While the device works on one, the host splits the next.
pub(super) async fn run<C: Curve>(
    apart: &Apart<C>,
    scalars: Scalars<'_, C::ScalarField>,
) -> Result<Vec<Affine<C>>> {
    let mut sums = Vec::with_capacity(scalars.vectors());
    let mut before: Option<PendingApart> = None;
    for (first, scalars) in scalars.downloaded().await? {
        let split = SplitScalars::of(&scalars);
        let begun = apart.begin(&split, 0..scalars.len(), first)?;
        if let Some(before) = before.replace(begun) {
            sums.push(apart.end(before).await?);
        }
    }
    if let Some(before) = before {
        sums.push(apart.end(before).await?);
    }
    Ok(normalized(&sums))
}
