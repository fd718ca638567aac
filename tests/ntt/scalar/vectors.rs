//! Operations on vectors on a device.

use super::{ORDERS, cpu, gpu, portable_gpu, random};
use ark_ff::AdditiveGroup;
use wgalois::curve::scalar_fields;
use wgalois::curve::{Affine, Bls12_381, Curve, ScalarField};
use wgalois::msm::{Known, Multiplication};
use wgalois::ntt::scalar::{self, Coset, Transform, Vector, Vectors};
use wgalois::scalars::{DeviceScalars, Scalar};
use wgalois::task::Problem;
use wgalois::{Device, Error, with_curve};

fn operations_agree_with_arkworks<F: Scalar>(device: &Device, len: usize) {
    let vectors = Vectors::<F>::new(device).unwrap();
    let (a, b) = (random::<F>(len, 1), random::<F>(len, 2));
    let b: Vec<F> = b.into_iter().rev().collect();
    let uploaded = vectors.upload(&b).unwrap();
    let check = |operation: &dyn Fn(&mut Vector<F>), expected: &dyn Fn(usize) -> F| {
        let mut vector = vectors.upload(&a).unwrap();
        operation(&mut vector);
        let expected: Vec<F> = (0..len).map(expected).collect();
        assert!(vector.download().unwrap() == expected);
    };
    check(&|v| vectors.add(v, &uploaded).unwrap(), &|i| a[i] + b[i]);
    check(&|v| vectors.subtract(v, &uploaded).unwrap(), &|i| a[i] - b[i]);
    check(&|v| vectors.multiply(v, &uploaded).unwrap(), &|i| a[i] * b[i]);
    let (first, ratio) = (F::from(3u64), -F::from(7u64));
    check(&|v| vectors.scale(v, ratio).unwrap(), &|i| a[i] * ratio);
    let scale = |v: &mut Vector<F>| vectors.scale_by_powers(v, first, ratio).unwrap();
    check(&scale, &|i| a[i] * first * ratio.pow([i as u64]));
    check(&|v| vectors.invert(v).unwrap(), &|i| a[i].inverse().unwrap_or(F::ZERO));
    check(&|v| v.clear().unwrap(), &|_| F::ZERO);
}

#[test]
fn operations_on_vectors_agree_with_arkworks() {
    let device = gpu();
    operations_agree_with_arkworks::<ScalarField<Bls12_381>>(&portable_gpu(), 201);
    for name in scalar_fields() {
        with_curve!(name, C => {
            operations_agree_with_arkworks::<ScalarField<C>>(&cpu(), 3000);
            operations_agree_with_arkworks::<ScalarField<C>>(&device, 201);
        });
    }
    for len in [0, 1, 2, 70] {
        operations_agree_with_arkworks::<ark_bn254::Fr>(&device, len);
        operations_agree_with_arkworks::<ark_bn254::Fr>(&cpu(), len);
    }
    let [on_host, on_gpu] = [cpu(), device].map(|device| Vectors::<ark_bn254::Fr>::new(&device).unwrap());
    let (mut a, b) = (on_host.zeros(3).unwrap(), on_gpu.zeros(3).unwrap());
    assert!(matches!(on_host.add(&mut a, &b), Err(Error::OtherDevice { .. })));
    assert!(matches!(on_gpu.invert(&mut a), Err(Error::OtherDevice { .. })));
    let wrong = on_host.add(&mut a, &on_host.zeros(4).unwrap());
    assert!(matches!(wrong, Err(Error::WrongLength { expected: 3, found: 4, .. })));
    assert!(on_host.upload_padded(&random(4, 1), 3).is_err());
}

/// The quotient of a product by x^m - 1, from values on a coset, in both orders.
#[test]
fn quotients_by_vanishing_polynomials_are_exact() {
    type F = ScalarField<Bls12_381>;
    let (m, n) = (16, 64);
    let quotient = random::<F>(n - m, 1);
    let mut product = vec![F::ZERO; n];
    for (i, x) in quotient.iter().enumerate() {
        product[i] -= x;
        product[i + m] += x;
    }
    for device in [cpu(), gpu()] {
        let vectors = Vectors::<F>::new(&device).unwrap();
        for output in ORDERS {
            let there =
                Transform::new(n).unwrap().with_output(output).with_coset(Coset::Shift(F::from(7u64)));
            let mut vector = vectors.upload(&product).unwrap();
            there.plan(&device).unwrap().prepare(&device).unwrap().run_vector(&mut vector).unwrap();
            vectors.divide_by_vanishing(&mut vector, &there, m).unwrap();
            there
                .inverted()
                .plan(&device)
                .unwrap()
                .prepare(&device)
                .unwrap()
                .run_vector(&mut vector)
                .unwrap();
            let result = vector.download().unwrap();
            assert!(result[..n - m] == quotient && result[n - m..].iter().all(|x| *x == F::ZERO));
            // On the subgroup it vanishes; 3 does not divide 64.
            let subgroup = there.with_coset(Coset::Subgroup);
            let vanishing = vectors.divide_by_vanishing(&mut vector, &subgroup, m);
            assert!(matches!(vanishing, Err(Error::Unsuited { .. })));
            let third = vectors.divide_by_vanishing(&mut vector, &there, 3);
            assert!(matches!(third, Err(Error::NotAPowerOfTwo { value: 3, .. })));
        }
    }
}

/// A polynomial is committed to from its values without leaving the device.
#[test]
fn a_transforms_result_multiplies_bases_on_the_device() {
    type C = Bls12_381;
    let device = gpu();
    let Device::Gpu(open) = &device else { unreachable!() };
    let n = 64;
    let known = Known::<C>::random(n, 3);
    let bases = Multiplication::<C>::new(n).plan(&device).unwrap().prepare(&device, &known.points).unwrap();
    let coefficients = random::<ScalarField<C>>(n, 8);
    let mut values = coefficients.clone();
    let transform = Transform::new(n).unwrap();
    scalar::transform(&cpu(), &transform, &mut values).unwrap();
    let mut on_device = DeviceScalars::upload(open, &values).unwrap();
    transform
        .inverted()
        .plan(&device)
        .unwrap()
        .prepare(&device)
        .unwrap()
        .run_on_device(&mut on_device)
        .unwrap();
    let sum: Affine<C> = bases.run_on_device(&on_device).unwrap();
    assert_eq!(sum, known.sum(&coefficients));
    // Only the first of them.
    on_device.truncate(40);
    assert_eq!(bases.run_on_device(&on_device).unwrap(), known.sum(&coefficients[..40]));
    let mut copy = DeviceScalars::zeros(open, 50).unwrap();
    copy.assign(&on_device).unwrap();
    let copied = copy.download().unwrap();
    assert!(copied[..40] == coefficients[..40] && copied[40..].iter().all(|x| *x == ScalarField::<C>::ZERO));
    assert!(C::in_subgroup(&sum));
}
