//! Multi-scalar multiplications.

use crate::msm::{Data, Distribution};
use crate::plans::case::{Of, timed};
use crate::plans::{Case, Verb};
use ark_ff::Field;
use wgalois::curve::{Curve, CurveName};
use wgalois::msm::{Multiplication, Points, Scalars, Settings};
use wgalois::with_curve;

pub fn multiplications() -> Vec<Case> {
    CurveName::all().flat_map(|curve| with_curve!(curve, C => of_curve::<C>())).collect()
}

fn of_curve<C: Curve>() -> Vec<Case> {
    let sizes = match C::BaseField::extension_degree() {
        1 => [6, 8, 10, 12, 14, 16, 18, 20, 22],
        _ => [4, 6, 8, 10, 12, 14, 16, 18, 20],
    };
    sizes.map(multiplication::<C>).into()
}

/// A multiplication of 2^`log_n` points.
pub fn multiplication<C: Curve>(log_n: u32) -> Case {
    Case::new((Verb::Msm, C::NAME.as_str()), format!("2^{log_n}"), move || {
        let n = 1 << log_n;
        Ok(Of::new(
            Multiplication::<C>::new(n).with_settings(Settings::default().for_one_run()),
            move || Ok(Data::<C>::new(n, Distribution::Uniform)),
            async |plan, device, data: &Data<C>| {
                let vectors = [(0, &data.scalars[..])];
                let points = Points::new(&data.known.points[..]);
                let run = plan.compute_with_async(device, points, Scalars::Host(&vectors));
                let (time, (sums, _)) = timed(run).await?;
                Ok((time, sums))
            },
            |_, data, sums| sums.iter().try_for_each(|sum| data.check(*sum)),
        ))
    })
}
