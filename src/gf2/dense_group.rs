//! Products on a group of GPUs: each multiplies a share of the rows of A by all of B.

use super::{BitMatrix, Dense, DensePlan, cost};
use crate::task::{Cost, Member, Problem, Profile, Share, Shares};
use crate::{Device, Group, Result};

/// Plans the shares of a product, and the cost of all.
pub(super) fn plan(
    problem: &Dense,
    profile: &Profile,
    members: &[Member],
) -> Result<(Shares<DensePlan>, Cost)> {
    let ((rows, columns), others) = (problem.shape(), problem.other_columns());
    let part = |rows, profile: &Profile| Dense::multiply(rows, columns, others)?.plan_for(profile);
    let shares = Shares::plan(profile, members, rows, part)?;
    // The copies of the rows of A, and the whole product.
    let beside = cost::matrix_bytes(rows, columns).saturating_add(cost::matrix_bytes(rows, others));
    let cost = shares.cost();
    let cost = Cost { host_bytes: cost.host_bytes.saturating_add(beside), ..cost };
    cost.check(profile, "this product on several devices")?;
    Ok((shares, cost))
}

/// Prepares every member for its share.
pub(super) fn prepare(shares: &Shares<DensePlan>, group: &Group) -> Result<()> {
    let plans = shares.list.iter().map(|share| (share.member, &share.plan)).collect();
    let prepare = |device: &Device, plan: &mut &DensePlan| plan.prepare(device).map(drop);
    group.each(plans, prepare, |_, _| Ok(())).map(drop)
}

/// The product a b.
pub(super) fn multiply(
    shares: &Shares<DensePlan>,
    group: &Group,
    a: &BitMatrix,
    b: &BitMatrix,
) -> Result<BitMatrix> {
    let rows_of = |share: &Share<DensePlan>| -> Result<BitMatrix> {
        let mut rows = BitMatrix::zeros(share.range.len(), a.columns())?;
        let stride = a.stride64();
        rows.words64_mut()
            .copy_from_slice(&a.words64()[share.range.start * stride..share.range.end * stride]);
        Ok(rows)
    };
    let work = |device: &Device, share: &mut &Share<DensePlan>| {
        share.plan.prepare(device)?.run(&rows_of(share)?, Some(b))?.into_matrix()
    };
    let again = |device: &Device, share: &mut &Share<DensePlan>| super::multiply(device, &rows_of(share)?, b);
    let parts = shares.list.iter().map(|share| (share.member, share)).collect();
    let products = group.each(parts, work, again)?;
    let mut product = BitMatrix::zeros(a.rows(), b.columns())?;
    let stride = product.stride64();
    for (share, part) in shares.list.iter().zip(products) {
        let words = &mut product.words64_mut()[share.range.start * stride..share.range.end * stride];
        words.copy_from_slice(part.words64());
    }
    Ok(product)
}
