//! The quotient's scalars where the device has no room for the constraints beside the vectors.

use zeroize::Zeroize;

use super::SparseMatrix;
use super::evaluated::Rows;
use super::quotient::{Basis, Quotient};
use wgalois::ntt::scalar::{PreparedMatrix, PreparedTransform, TransformPlan, Vector, Vectors};
use wgalois::parallel::*;
use wgalois::scalars::Scalar;
use wgalois::{Cpu, Device, Error, Result};

/// The computation of the quotient's scalars, which come back to the host.
pub(super) struct QuotientInTurn<F: Scalar> {
    device: Device,
    host: Vectors<F>,
    /// The rows A and B on the host, if the key has them.
    matrices: Option<[PreparedMatrix<F>; 2]>,
    transforms: [TransformPlan<F>; 3],
    basis: Basis,
    /// True if the device has the three vectors at a time.
    three: bool,
}

/// What the device has for the quotients of some proofs.
pub(super) struct Turn<'q, F: Scalar> {
    all: &'q QuotientInTurn<F>,
    held: Held<F>,
}

enum Held<F: Scalar> {
    Three(Box<Quotient<F>>),
    One(Box<OneByOne<F>>),
}

/// Transforms of one vector at a time.
struct OneByOne<F: Scalar> {
    vectors: Vectors<F>,
    to_coefficients: PreparedTransform<F>,
    to_coset: PreparedTransform<F>,
    /// From the coset to coefficients, if the basis takes them.
    back: Option<PreparedTransform<F>>,
}

impl<F: Scalar> QuotientInTurn<F> {
    pub(super) fn new(
        device: &Device,
        constraints: Option<[SparseMatrix<F>; 2]>,
        transforms: [TransformPlan<F>; 3],
        basis: Basis,
        three: bool,
    ) -> Result<Self> {
        let host = Vectors::new(&Device::Cpu(Cpu::default()))?;
        let both = |[a, b]: [SparseMatrix<F>; 2]| Ok::<_, Error>([host.matrix(a)?, host.matrix(b)?]);
        let matrices = constraints.map(both).transpose()?;
        Ok(QuotientInTurn { device: device.clone(), host, matrices, transforms, basis, three })
    }

    /// Prepares the transforms, which the device has until the turn is dropped.
    pub(super) fn turn(&self) -> Result<Turn<'_, F>> {
        let QuotientInTurn { device, transforms, basis, three, .. } = self;
        let held = match three {
            true => Held::Three(Box::new(Quotient::new(device, None, transforms, *basis)?)),
            false => {
                let [inverse, forward, back] = transforms;
                Held::One(Box::new(OneByOne {
                    vectors: Vectors::new(device)?,
                    to_coefficients: inverse.prepare(device)?,
                    to_coset: forward.prepare(device)?,
                    back: (*basis == Basis::Powers).then(|| back.prepare(device)).transpose()?,
                }))
            }
        };
        Ok(Turn { all: self, held })
    }

    fn product(&self, matrix: &PreparedMatrix<F>, witness: &Vector<F>) -> Result<Vector<F>> {
        let mut product = self.host.zeros(self.transforms[0].transform().n())?;
        self.host.apply(matrix, witness, &mut product)?;
        Ok(product)
    }
}

impl<F: Scalar> Turn<'_, F> {
    /// The scalars of the quotient's bases, perhaps with more behind them.
    pub(super) async fn scalars(&self, rows: Rows<'_, F>) -> Result<Vec<F>> {
        let all = self.all;
        match rows {
            Rows::Evaluated(products) => self.of_products(products).await,
            Rows::Witness(witness) => {
                let Some([a, b]) = &all.matrices else {
                    return Err(Error::needs("the product of a witness", "the circuit's constraints"));
                };
                let mut witness = all.host.upload(witness)?;
                let mut products = [all.product(a, &witness)?, all.product(b, &witness)?];
                witness.clear()?;
                let scalars = match &products {
                    [Vector::Host(a), Vector::Host(b)] => self.of_products([a, b]).await,
                    _ => Err(Error::Device("the vectors of the host are elsewhere".into())),
                };
                products.iter_mut().try_for_each(Vector::clear)?;
                scalars
            }
        }
    }

    async fn of_products(&self, products: [&[F]; 2]) -> Result<Vec<F>> {
        let quotient = match &self.held {
            Held::Three(quotient) => quotient,
            Held::One(transforms) => return transforms.scalars(products).await,
        };
        let values = quotient.scalars_of_products(products).await?;
        let scalars = match values.scalars() {
            Vector::Host(scalars) => Ok(scalars.clone()),
            Vector::Device(scalars) => scalars.download_async().await,
        };
        quotient.clear(values)?;
        scalars
    }
}

impl<F: Scalar> OneByOne<F> {
    /// The values of a polynomial on the coset, by those at the roots.
    async fn on_coset(&self, values: &[F]) -> Result<Vec<F>> {
        self.transformed(values, &[&self.to_coefficients, &self.to_coset]).await
    }

    async fn transformed(&self, values: &[F], transforms: &[&PreparedTransform<F>]) -> Result<Vec<F>> {
        let mut vector = self.vectors.upload_padded(values, self.to_coset.plan().transform().n())?;
        transforms.iter().try_for_each(|transform| transform.run_vector(&mut vector))?;
        let result = vector.download_async().await;
        vector.clear()?;
        transforms.iter().map(|transform| transform.clear()).fold(Ok(()), Result::and)?;
        result
    }

    async fn scalars(&self, [a, b]: [&[F]; 2]) -> Result<Vec<F>> {
        // Where the constraints hold, a b is C w.
        let mut c = vec![F::ZERO; a.len()];
        c.par_iter_mut().zip(a).zip(b).for_each(|((c, a), b)| *c = *a * b);
        let of_c = self.on_coset(&c).await;
        c.zeroize();
        let (mut of_c, mut of_a, mut of_b) = (of_c?, self.on_coset(a).await?, self.on_coset(b).await?);
        of_a.par_iter_mut().zip(&of_b).zip(&of_c).for_each(|((a, b), c)| *a = *a * b - c);
        of_b.zeroize();
        of_c.zeroize();
        let Some(back) = &self.back else { return Ok(of_a) };
        // Z = -2 at the odd powers of a root of order 2n.
        let factor = -F::from(2u64).inverse().unwrap_or_default();
        of_a.par_iter_mut().for_each(|a| *a *= factor);
        let result = self.transformed(&of_a, &[back]).await;
        of_a.zeroize();
        result
    }
}
