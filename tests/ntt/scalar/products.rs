//! Products of polynomials.

use super::{cpu, gpu, random};
use ark_ff::Field;
use ark_poly::univariate::DensePolynomial;
use ark_poly::{DenseUVPolynomial, Polynomial};
use wgalois::Error;
use wgalois::curve::{Bls12_381, ScalarField};
use wgalois::ntt::scalar::{self, Product};
use wgalois::task::Problem;

#[test]
fn products_agree_with_ark_poly() {
    type F = ScalarField<Bls12_381>;
    for device in [cpu(), gpu()] {
        for (a, b) in [(1, 1), (3, 5), (700, 400)] {
            let (left, right) = (random::<F>(a, 1), random::<F>(b, 2));
            let mut product = scalar::multiply(&device, &left, &right).unwrap();
            let [p, q] = [&left, &right].map(|list| DensePolynomial::from_coefficients_slice(list));
            let point = F::from(12345u64);
            assert_eq!(product.len(), a + b - 1);
            let of_product = DensePolynomial::from_coefficients_slice(&product);
            assert!(of_product == p.naive_mul(&q));
            assert_eq!(of_product.evaluate(&point), p.evaluate(&point) * q.evaluate(&point));
            let problem = Product::new(a, b);
            problem.check(&device, &left, &right, &product).unwrap();
            product[0] += F::ONE;
            assert!(matches!(problem.check(&device, &left, &right, &product), Err(Error::Check(_))));
        }
        assert!(scalar::multiply::<F>(&device, &[], &random(3, 1)).unwrap().is_empty());
        let prepared = Product::<F>::new(2, 3).plan(&device).unwrap().prepare(&device).unwrap();
        let wrong = prepared.run((&random(3, 1), &random(3, 1)));
        assert!(matches!(wrong, Err(Error::WrongLength { expected: 2, found: 3, .. })));
    }
}
