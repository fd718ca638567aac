//! Multiplications by the names of ark-ec's `VariableBaseMSM`.

use ark_ff::PrimeField;
use rayon::prelude::*;
use std::borrow::Cow;
use wgalois::curve::{Affine, Curve, Projective, ScalarInt};
use wgalois::msm::Multiplication;
use wgalois::ntt::scalar::Vector;
use wgalois::task::Problem;
use wgalois::{Device, Error, Result};

/// Points that are multiplied again and again: on a GPU they stay in its memory.
///
/// `C` is arkworks' configuration of the curve, which follows from the points: G1 and G2 of ark-bls12-381,
/// ark-bls12-377 and ark-bn254.
///
/// ```
/// use ark_bn254::{Fr, G1Affine, G1Projective};
/// use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
/// use wgalois_arkworks::Bases;
/// use wgalois_arkworks::wgalois::{Cpu, Device};
///
/// let g = G1Affine::generator();
/// let points = [g, (g + g).into_affine()];
/// let scalars = [3, 5].map(Fr::from);
/// // Before.
/// let expected = G1Projective::msm(&points, &scalars).map_err(|len| format!("only {len}"))?;
/// // After; `Device::Gpu(Gpu::new()?)` is the first GPU.
/// let bases = Bases::new(&Device::Cpu(Cpu::default()), &points)?;
/// assert_eq!(bases.msm(&scalars)?, expected);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The library's own [`Multiplication`] has options, such as tables of multiples and the number of vectors to plan for.
/// What it prepares becomes `Bases`, too:
///
/// ```
/// use ark_bn254::{Fr, G1Affine, G1Projective};
/// use ark_ec::AffineRepr;
/// use wgalois_arkworks::Bases;
/// use wgalois_arkworks::wgalois::msm::{Multiplication, Precompute};
/// use wgalois_arkworks::wgalois::task::Problem;
/// use wgalois_arkworks::wgalois::{Cpu, Device};
///
/// let device = Device::Cpu(Cpu::default());
/// let points = [G1Affine::generator(); 2];
/// let problem = Multiplication::new(2).with_vectors(8).with_precompute(Precompute::Windows);
/// let bases = Bases::from(problem.plan(&device)?.prepare(&device, &points)?);
/// assert_eq!(bases.msm(&[3, -3].map(Fr::from))?, G1Projective::default());
/// # Ok::<(), wgalois_arkworks::wgalois::Error>(())
/// ```
///
/// # Errors
/// - [`Error::NotOnCurve`]: a point is not on the curve, but for [`new_unchecked`](Self::new_unchecked).
/// - [`Error::WrongLength`]: [`msm`](Self::msm) has more or fewer scalars than points.
/// - [`Error::TooMany`]: there are more scalars than points, or than points from the first one of a range on.
/// - [`Error::Input`]: an integer is not below r.
/// - [`Error::Unsupported`]: scalars on a GPU are given to points that several GPUs share, or to the CPU engine.
/// - [`Error::DifferentDevices`]: scalars are on another GPU than the points.
pub struct Bases<'p, C: Curve> {
    bases: wgalois::msm::Bases<'p, C>,
}

impl<'p, C: Curve> From<wgalois::msm::Bases<'p, C>> for Bases<'p, C> {
    fn from(bases: wgalois::msm::Bases<'p, C>) -> Self {
        Bases { bases }
    }
}

impl<'p, C: Curve> Bases<'p, C> {
    /// Prepares points, `&[G1Affine]`, `&[G2Affine]` or a `Vec` of them, after the host has checked that they lie on
    /// the curve. Infinity is allowed. As in arkworks, points have to lie in the subgroup of order r, too:
    /// [`first_outside`](wgalois::msm::first_outside) checks it.
    pub fn new(device: &Device, points: impl Into<Cow<'p, [Affine<C>]>>) -> Result<Self> {
        let points = points.into();
        Ok(Bases { bases: Multiplication::new(points.len()).plan(device)?.prepare(device, points)? })
    }

    /// [`new`](Self::new) for points that lie on the curve. With others, sums are wrong.
    pub fn new_unchecked(device: &Device, points: impl Into<Cow<'p, [Affine<C>]>>) -> Result<Self> {
        let points = points.into();
        Ok(Bases {
            bases: Multiplication::new(points.len()).plan(device)?.prepare_unchecked(device, points)?,
        })
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    /// The library's own form, for plans, recorded work and asynchronous calls.
    pub fn library(&self) -> &wgalois::msm::Bases<'p, C> {
        &self.bases
    }

    /// The sum of `scalars[i]` times point i.
    pub fn msm(&self, scalars: &[C::ScalarField]) -> Result<Projective<C>> {
        Error::expect_length("scalars", self.len(), scalars.len())?;
        self.msm_unchecked(scalars)
    }

    /// [`msm`](Self::msm) of the first points, if scalars are fewer. More scalars than points are an error, where
    /// arkworks would leave them out.
    pub fn msm_unchecked(&self, scalars: &[C::ScalarField]) -> Result<Projective<C>> {
        Ok(self.bases.multiply(scalars)?.into())
    }

    /// [`msm_unchecked`](Self::msm_unchecked) of scalars as integers below r. Where they come from field elements, call
    /// that: a device takes these as they are.
    pub fn msm_bigint(&self, bigints: &[ScalarInt]) -> Result<Projective<C>> {
        let convert = |(i, &int): (usize, &ScalarInt)| {
            C::ScalarField::from_bigint(int)
                .ok_or_else(|| Error::value(format!("scalar {i}"), "not below r".into()))
        };
        let scalars: Result<Vec<_>> = bigints.par_iter().enumerate().map(convert).collect();
        self.msm_unchecked(&scalars?)
    }

    /// One sum for each vector of scalars, which may be shorter than the points. A GPU multiplies one while the host
    /// prepares the next.
    pub fn run_many(&self, vectors: &[&[C::ScalarField]]) -> Result<Vec<Projective<C>>> {
        Ok(self.bases.run_many(vectors)?.into_iter().map(Into::into).collect())
    }

    /// The sum of `scalars[i]` times point `first + i`: arkworks' `msm_unchecked(&points[first..], scalars)`.
    pub fn msm_from(&self, first: usize, scalars: &[C::ScalarField]) -> Result<Projective<C>> {
        Ok(self.bases.run_from(first, scalars)?.into())
    }

    /// One sum for each range of the points: the first point of the range, and the scalars from there on.
    pub fn run_many_from(&self, ranges: &[(usize, &[C::ScalarField])]) -> Result<Vec<Projective<C>>> {
        Ok(self.bases.run_many_from(ranges)?.into_iter().map(Into::into).collect())
    }

    /// [`msm_unchecked`](Self::msm_unchecked) of scalars where a [`GpuDomain`](crate::GpuDomain) has left them.
    /// Refuses a vector of another engine, and points that several GPUs share.
    ///
    /// ```
    /// use ark_bn254::{Fr, G1Affine, G1Projective};
    /// use ark_ec::AffineRepr;
    /// use wgalois_arkworks::wgalois::{Cpu, Device};
    /// use wgalois_arkworks::{Bases, GpuDomain};
    ///
    /// // A commitment to the values 1, 0, 0, 0, whose polynomial is (1 + x + x^2 + x^3) / 4.
    /// let device = Device::Cpu(Cpu::default());
    /// let powers = [G1Affine::generator(); 4];
    /// let (domain, bases) = (GpuDomain::new(&device, 4)?, Bases::new(&device, &powers)?);
    /// let mut values = domain.upload(&[Fr::from(1)])?;
    /// domain.ifft_resident(&mut values)?;
    /// assert_eq!(bases.msm_resident(&values)?, G1Projective::from(powers[0]));
    /// # Ok::<(), wgalois_arkworks::wgalois::Error>(())
    /// ```
    pub fn msm_resident(&self, scalars: &Vector<C::ScalarField>) -> Result<Projective<C>> {
        let sum = match scalars {
            Vector::Host(scalars) => self.bases.multiply(scalars)?,
            Vector::Device(scalars) => self.bases.run_on_device(scalars)?,
        };
        Ok(sum.into())
    }
}
