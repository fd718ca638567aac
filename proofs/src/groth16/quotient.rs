//! From a witness to the scalars that multiply the bases of the quotient.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Domain;
use super::cleared::Cleared;
use wgalois::ntt::scalar::{
    Coset, PreparedMatrix, PreparedTransform, SparseMatrix, Transform, TransformPlan, Vector, Vectors,
};
use wgalois::ntt::{Direction, Order};
use wgalois::scalars::Scalar;
use wgalois::{Device, Error, One, Result};

/// The polynomials that a key's bases stand for, by which the quotient `h = (a b - c) / Z` is multiplied; `Z = x^n - 1` is
/// zero at all n-th roots of unity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// `L_i(tau) / delta` for the Lagrange polynomials L_i of the odd powers of a root of order 2n, among all of its powers,
    /// as snarkjs' keys have them.
    ///
    /// `a b - c` has a degree below 2n and is zero at the even powers, the n-th roots of unity. So
    /// its values at the odd powers are its coordinates in this basis, and nothing is divided.
    OddRoots,
    /// `tau^i Z(tau) / delta` for i below n - 1: h by its coefficients, as arkworks' keys have them.
    Powers,
}

/// A call that compiles kernels.
pub(super) type Job<'a> = Box<dyn Fn() -> Result<()> + Sync + 'a>;

/// The computation of the quotient's scalars, prepared for a circuit on a device.
pub(super) struct Quotient<F: Scalar> {
    /// The rows A and B, if the key has them.
    matrices: Option<[PreparedMatrix<F>; 2]>,
    vectors: Vectors<F>,
    /// From the values at the roots to coefficients, in bit-reversed order.
    inverse: PreparedTransform<F>,
    /// From these to the values on the coset of odd powers of a root of order 2n.
    forward: PreparedTransform<F>,
    /// From the coset to coefficients, if the basis takes them.
    back: Option<PreparedTransform<F>>,
    /// The vectors of a proof, all 0, kept between proofs.
    spare: Mutex<Option<Values<F>>>,
}

/// The vectors of a proof. After [`Quotient::scalars`] the first has the scalars of the quotient's bases.
pub(super) struct Values<F: Scalar>([Cleared<F>; 3]);

impl<F: Scalar> Values<F> {
    /// The scalars of the quotient's bases, perhaps with more behind them.
    pub(super) fn scalars(&self) -> &Vector<F> {
        &self.0[0]
    }

    /// The scalars without the other vectors.
    pub(super) fn into_scalars(self) -> Cleared<F> {
        let [scalars, ..] = self.0;
        scalars
    }
}

impl<F: Scalar> Quotient<F> {
    pub(super) fn new(
        device: &Device,
        constraints: Option<[SparseMatrix<F>; 2]>,
        [inverse, forward, back]: &[TransformPlan<F>; 3],
        basis: Basis,
    ) -> Result<Self> {
        let one = &one(device);
        let vectors = Vectors::new(device)?;
        let both = |[a, b]: [SparseMatrix<F>; 2]| {
            wgalois::parallel::join(|| vectors.matrix(a), || vectors.matrix(b))
        };
        let matrices = constraints.map(both).map(|(a, b)| Ok::<_, Error>([a?, b?])).transpose()?;
        Ok(Quotient {
            matrices,
            vectors,
            inverse: inverse.prepare(one)?,
            forward: forward.prepare(one)?,
            back: (basis == Basis::Powers).then(|| back.prepare(one)).transpose()?,
            spare: Mutex::default(),
        })
    }

    /// What compiles the kernels for keys of snarkjs on a GPU.
    pub(super) fn compiling<'a>(
        one: &'a Device,
        [inverse, forward, _]: &'a [TransformPlan<F>; 3],
    ) -> [Job<'a>; 3] {
        [
            Box::new(|| inverse.compile(one)),
            Box::new(|| forward.compile(one)),
            Box::new(|| Vectors::<F>::new(one)?.compile()),
        ]
    }

    /// A witness as [`scalars`](Self::scalars) takes it.
    pub(super) fn upload(&self, witness: &[F]) -> Result<Cleared<F>> {
        let mut vector = self.zeros(witness.len())?;
        match &mut *vector {
            Vector::Host(scalars) => scalars.copy_from_slice(witness),
            Vector::Device(scalars) => scalars.write(0, witness)?,
        }
        Ok(vector)
    }

    /// The scalars of the quotient's bases by A w and B w, as [`scalars`](Self::scalars) by the witness.
    pub(super) async fn scalars_of_products(&self, products: [&[F]; 2]) -> Result<Values<F>> {
        let mut values = self.take_values()?;
        for (vector, products) in values.0.iter_mut().zip(products) {
            // What lies behind the products is 0.
            match &mut **vector {
                Vector::Host(scalars) => wgalois::parallel::copy(&mut scalars[..products.len()], products),
                Vector::Device(scalars) => scalars.write_async(0, products).await?,
            }
        }
        self.divide(values)
    }

    /// A vector of `len` zeros on the device.
    pub(super) fn zeros(&self, len: usize) -> Result<Cleared<F>> {
        self.vectors.zeros(len).map(Cleared::from)
    }

    /// The scalars of the quotient's bases, on the device. The witness has a value for every variable. It returns when
    /// the work is submitted. [`clear`](Self::clear) takes the vectors back.
    pub(super) fn scalars(&self, witness: &Vector<F>) -> Result<Values<F>> {
        let Some(matrices) = &self.matrices else {
            return Err(Error::needs("the product of a witness", "the circuit's constraints"));
        };
        let mut values = self.take_values()?;
        for (vector, matrix) in values.0.iter_mut().zip(matrices) {
            self.vectors.apply(matrix, witness, vector)?;
        }
        self.divide(values)
    }

    /// Vectors of zeros for a proof.
    fn take_values(&self) -> Result<Values<F>> {
        let n = self.inverse.plan().transform().n();
        let spare = self.spare().take();
        spare.map_or_else(|| Ok(Values([self.zeros(n)?, self.zeros(n)?, self.zeros(n)?])), Ok)
    }

    /// From A w and B w, in the first two vectors, to the scalars of the quotient's bases.
    fn divide(&self, mut values: Values<F>) -> Result<Values<F>> {
        let vectors = &self.vectors;
        let [a, b, c] = &mut values.0;
        // Where the constraints hold, a b is C w. Where they do not, the proof is wrong: C is part of other bases.
        vectors.assign(c, a)?;
        vectors.multiply(c, b)?;
        for values in [&mut **a, &mut **b, &mut **c] {
            self.inverse.run_vector(values)?;
            self.forward.run_vector(values)?;
        }
        vectors.multiply(a, b)?;
        vectors.subtract(a, c)?;
        if let Some(back) = &self.back {
            // Z = -2 at the odd powers of a root of order 2n. The degree of h is at most n - 2: a base less.
            vectors.scale(a, -F::from(2u64).inverse().unwrap_or_default())?;
            back.run_vector(a)?;
        }
        Ok(values)
    }

    /// Overwrites the vectors of a proof, behind the work that was submitted, and keeps them for the next.
    pub(super) fn clear(&self, mut values: Values<F>) -> Result<()> {
        values.0.iter_mut().try_for_each(|vector| vector.clear())?;
        self.clear_transforms()?;
        *self.spare() = Some(values);
        Ok(())
    }

    /// Overwrites what transforms keep, each of them even if one fails.
    pub(super) fn clear_transforms(&self) -> Result<()> {
        let transforms = [&self.inverse, &self.forward].into_iter().chain(&self.back);
        transforms.map(PreparedTransform::clear).fold(Ok(()), Result::and)
    }

    /// True if the vectors that are kept have only zeros.
    #[cfg(test)]
    pub(super) fn leaves_nothing(&self) -> Result<bool> {
        let spare = self.spare();
        let vectors = spare.iter().flat_map(|Values(vectors)| vectors);
        let all = vectors.map(|vector| vector.download()).collect::<Result<Vec<_>>>()?.concat();
        Ok(!all.is_empty() && all.iter().all(F::is_zero))
    }

    fn spare(&self) -> MutexGuard<'_, Option<Values<F>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: Scalar> Drop for Quotient<F> {
    fn drop(&mut self) {
        // An error may have left something there. A device with a fault keeps nothing to clear.
        let _ = self.clear_transforms();
    }
}

/// The device of the quotient: of a group, the fastest.
fn one(device: &Device) -> Device {
    match device.one() {
        One::Cpu(cpu) => Device::Cpu(cpu.clone()),
        One::Gpu(gpu) => Device::Gpu(gpu.clone()),
    }
}

/// The transforms of a proof: to coefficients, to the coset, and from there to coefficients.
pub(super) fn transforms<F: Scalar>(log2: u32) -> Result<[Transform<F>; 3]> {
    let domain = Domain::new::<F>(log2)?;
    let transform = || Transform::<F>::new(domain.len());
    let inverse = transform()?.with_direction(Direction::Inverse).with_output(Order::BitReversed);
    let forward = transform()?.with_input(Order::BitReversed).with_coset(Coset::Negacyclic);
    let back = transform()?.with_direction(Direction::Inverse).with_coset(Coset::Negacyclic);
    Ok([inverse, forward, back])
}
