//! Transforms and products.

use crate::plans::case::{Of, host, timed};
use crate::plans::{Case, Verb};
use crate::random;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use wgalois::curve::{Bls12_381, Bn254, Curve};
use wgalois::field::{BABY_BEAR, Prime};
use wgalois::msm::random_scalars;
use wgalois::ntt::integer::IntegerProduct;
use wgalois::ntt::{ColumnTransform, Product, Transform, scalar};

const PRIME: Prime = BABY_BEAR;

pub fn transforms() -> Vec<Case> {
    let one = [10, 14, 16, 18, 20, 22, 24, 26].map(|log_n| (log_n, 1));
    let batch = [(10, 64), (12, 256), (12, 4096)];
    one.into_iter().chain(batch).map(|(log_n, batch)| batch_case(log_n, batch)).collect()
}

/// A transform of 2^`log_n` numbers.
pub fn transform(log_n: u32) -> Case {
    batch_case(log_n, 1)
}

fn batch_case(log_n: u32, batch: usize) -> Case {
    let (series, size) = match batch {
        1 => ("", format!("2^{log_n}")),
        _ => ("batch", format!("{batch} x 2^{log_n}")),
    };
    Case::new((Verb::Ntt, series), size, move || {
        let problem = Transform::new(PRIME, 1 << log_n)?.with_batch(batch);
        Ok(Of::new(
            problem,
            move || Ok(random(PRIME, problem.len(), 1)),
            async |plan, device, before: &Vec<u32>| {
                let mut after = before.clone();
                let (time, _) = timed(plan.compute_async(device, &mut after)).await?;
                Ok((time, after))
            },
            |problem, before, after| problem.check(&host(), before, after).map(drop),
        ))
    })
}

pub fn products() -> Vec<Case> {
    let case = |log_n: u32| {
        Case::new((Verb::Polymul, ""), format!("2^{log_n} terms"), move || {
            let n = 1 << log_n;
            Ok(Of::new(
                Product::new(PRIME, n, n),
                move || Ok([1, 2].map(|seed| random(PRIME, n, seed))),
                async |plan, device, [a, b]: &[Vec<u32>; 2]| {
                    let (time, (products, _)) = timed(plan.compute_async(device, &[[a, b]])).await?;
                    Ok((time, products))
                },
                |problem, [a, b], products| {
                    products.iter().try_for_each(|c| problem.check(&host(), a, b, c).map(drop))
                },
            ))
        })
    };
    [8, 12, 15, 17, 19, 21, 23, 25].map(case).into()
}

pub fn integers() -> Vec<Case> {
    let case = |log_digits: u32| {
        Case::new((Verb::Intmul, ""), format!("10^{log_digits} digits"), move || {
            let digits = 10usize.pow(log_digits);
            let factors = [1, 2].map(|seed| integer(digits, seed));
            Ok(Of::new(
                IntegerProduct::of(&factors[0], &factors[1])?,
                move || Ok(factors.clone()),
                async |plan, device, [a, b]: &[String; 2]| {
                    let (time, (product, _)) = timed(plan.compute_async(device, (a, b))).await?;
                    Ok((time, product))
                },
                |problem, [a, b], product| problem.check(&host(), a, b, product).map(drop),
            ))
        })
    };
    [3, 4, 5, 6, 7, 8].map(case).into()
}

/// A decimal number of so many digits.
fn integer(digits: usize, seed: u64) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..digits)
        .map(|place| char::from(b'0' + (random.next_u32() % 9 + u32::from(place == 0)) as u8))
        .collect()
}

pub fn scalars() -> Vec<Case> {
    let both = |log_n: u32| [scalar_transform::<Bn254>(log_n), scalar_transform::<Bls12_381>(log_n)];
    let products = [10, 14, 18, 20].map(scalar_product::<Bls12_381>);
    [10, 14, 16, 18, 20, 22].into_iter().flat_map(both).chain(products).collect()
}

/// A transform of 2^`log_n` scalars of a curve.
pub fn scalar_transform<C: Curve>(log_n: u32) -> Case {
    Case::new((Verb::ScalarNtt, format!("{}-fr", C::NAME)), format!("2^{log_n}"), move || {
        let problem = scalar::Transform::<C::ScalarField>::new(1 << log_n)?;
        Ok(Of::new(
            problem,
            move || Ok(random_scalars::<C>(1 << log_n, &mut ChaCha8Rng::seed_from_u64(1))),
            async |plan, device, before: &Vec<C::ScalarField>| {
                let mut after = before.clone();
                let (time, _) = timed(plan.compute_async(device, &mut after)).await?;
                Ok((time, after))
            },
            |problem, before, after| problem.check(&host(), before, after).map(drop),
        ))
    })
}

fn scalar_product<C: Curve>(log_n: u32) -> Case {
    Case::new((Verb::Polymul, format!("{}-fr", C::NAME)), format!("2^{log_n} terms"), move || {
        let n = 1 << log_n;
        let factor = move |seed| random_scalars::<C>(n, &mut ChaCha8Rng::seed_from_u64(seed));
        Ok(Of::new(
            scalar::Product::<C::ScalarField>::new(n, n),
            move || Ok([1, 2].map(factor)),
            async |plan, device, [a, b]: &[Vec<C::ScalarField>; 2]| {
                let (time, (product, _)) = timed(plan.compute_async(device, (&a[..], &b[..]))).await?;
                Ok((time, product))
            },
            |problem, [a, b], product| problem.check(&host(), a, b, product).map(drop),
        ))
    })
}

pub fn columns() -> Vec<Case> {
    let case = |(log_n, width): (u32, usize)| {
        Case::new((Verb::Columns, ""), format!("{width} of 2^{log_n}"), move || {
            let problem = ColumnTransform::new(Transform::new(PRIME, 1 << log_n)?.with_batch(width));
            Ok(Of::new(
                problem,
                move || Ok(random(PRIME, problem.len_before(), 1)),
                async |plan, device, before: &Vec<u32>| {
                    let (time, (after, _)) = timed(plan.compute_async(device, before)).await?;
                    Ok((time, after))
                },
                |problem, before, after| problem.check(&host(), before, after).map(drop),
            ))
        })
    };
    [(8, 16), (12, 64), (16, 64), (18, 64), (20, 64)].map(case).into()
}
