//! Transforms over scalar fields, products and operations on vectors, on both engines, against the definition, ark-poly
//! and arkworks' arithmetic.

mod gpu_common;

use ark_ff::{AdditiveGroup, Field};
use ark_poly::univariate::DensePolynomial;
use ark_poly::{DenseUVPolynomial, EvaluationDomain, Polynomial, Radix2EvaluationDomain};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use gpu_common::{dispatches, full, open, portable};
use wgalois::curve::{Affine, Bls12_381, Curve, ScalarField};
use wgalois::gpu::Options;
use wgalois::msm::{Known, Multiplication};
use wgalois::ntt::scalar::{self, Coset, Product, Transform, Vector, Vectors};
use wgalois::ntt::{Direction, Order};
use wgalois::scalars::{DeviceScalars, Scalar, fields};
use wgalois::task::{Engine, Plan, Problem, Profile};
use wgalois::{Cpu, Device, Error, with_curve};

const ORDERS: [Order; 2] = [Order::Natural, Order::BitReversed];

/// Random scalars, with 0, 1 and r - 1 among them.
fn random<F: Scalar>(len: usize, seed: u64) -> Vec<F> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut scalars: Vec<F> = (0..len).map(|_| F::rand(&mut rng)).collect();
    let edges = [F::ZERO, -F::ONE, F::ONE];
    for (scalar, edge) in scalars.iter_mut().skip(1).step_by(3).zip(edges) {
        *scalar = edge;
    }
    scalars
}

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

/// With 64-bit integers, where the driver has them.
fn gpu() -> Device {
    Device::Gpu(full().clone())
}

/// Without.
fn portable_gpu() -> Device {
    Device::Gpu(portable().clone())
}

/// Every direction, order and coset of transforms of length n.
fn all<F: Scalar>(n: usize) -> Vec<Transform<F>> {
    let mut transforms = Vec::new();
    for direction in [Direction::Forward, Direction::Inverse] {
        for (input, output) in ORDERS.into_iter().flat_map(|input| ORDERS.map(|output| (input, output))) {
            for coset in [Coset::Subgroup, Coset::Shift(F::GENERATOR), Coset::Negacyclic] {
                let transform = Transform::new(n).unwrap().with_direction(direction);
                transforms.push(transform.with_input(input).with_output(output).with_coset(coset));
            }
        }
    }
    transforms
}

fn agrees_with_the_definition<F: Scalar>(device: &Device, n: usize, batch: usize) {
    for transform in all::<F>(n) {
        let transform = transform.with_batch(batch);
        let before = random::<F>(transform.len(), n as u64);
        let mut after = before.clone();
        scalar::transform(device, &transform, &mut after).unwrap();
        assert!(after == transform.by_definition(&before).unwrap(), "{transform:?}");
    }
}

#[test]
fn the_cpu_engine_agrees_with_the_definition() {
    for name in fields() {
        with_curve!(name, C => {
            for (n, batch) in [(1, 3), (2, 1), (4, 2), (64, 1)] {
                agrees_with_the_definition::<ScalarField<C>>(&cpu(), n, batch);
            }
        });
    }
    agrees_with_the_definition::<ScalarField<Bls12_381>>(&cpu(), 1, 0);
}

#[test]
fn a_gpu_agrees_with_the_definition() {
    // 33 vectors of 8 fill a tile, and a part of another one.
    for (n, batch) in [(1, 2), (2, 1), (4, 3), (8, 33), (32, 1)] {
        agrees_with_the_definition::<ScalarField<Bls12_381>>(&gpu(), n, batch);
    }
    agrees_with_the_definition::<ScalarField<Bls12_381>>(&portable_gpu(), 8, 1);
}

/// The profile that this GPU would have with memory of its own, where short vectors are transformed by sums.
fn discrete(device: &Device) -> Profile {
    let mut profile = device.profile();
    match &mut profile.engine {
        Engine::Gpu(gpu) => gpu.is_discrete = true,
        engine => panic!("{engine:?} is no GPU"),
    }
    profile
}

/// The engines take different paths from 2^13 on: the CPU engine shares a vector, the GPU takes several passes.
#[test]
fn long_transforms_agree_with_ark_poly() {
    fn agrees<F: Scalar>(device: &Device, log_n: u32) {
        agrees_with_profile::<F>(device, &device.profile(), log_n);
    }
    fn agrees_with_profile<F: Scalar>(device: &Device, profile: &Profile, log_n: u32) {
        let run = |transform: &Transform<F>, data: &mut [F]| {
            transform.plan_for(profile).unwrap().prepare(device).unwrap().run(data).unwrap();
        };
        let n = 1 << log_n;
        let domain = Radix2EvaluationDomain::<F>::new(n).unwrap();
        for (domain, coset) in
            [(domain, Coset::Subgroup), (domain.get_coset(F::GENERATOR).unwrap(), Coset::Shift(F::GENERATOR))]
        {
            let coefficients = random::<F>(n, 5);
            let values = domain.fft(&coefficients);
            for orders in ORDERS.into_iter().flat_map(|input| ORDERS.map(|output| (input, output))) {
                let transform = Transform::new(n).unwrap().with_coset(coset);
                let transform = transform.with_input(orders.0).with_output(orders.1);
                let place = |order, list: &[F]| match order {
                    Order::Natural => list.to_vec(),
                    Order::BitReversed => {
                        (0..n).map(|i| list[i.reverse_bits() >> (usize::BITS - log_n)]).collect()
                    }
                };
                let (before, after) = (place(orders.0, &coefficients), place(orders.1, &values));
                let mut data = before.clone();
                run(&transform, &mut data);
                assert!(data == after, "{transform:?}");
                run(&transform.inverted(), &mut data);
                assert!(data == before, "{transform:?}, back");
            }
        }
    }
    agrees::<ScalarField<Bls12_381>>(&cpu(), 14);
    // Two passes, of equal and of different lengths.
    agrees::<ScalarField<Bls12_381>>(&gpu(), 11);
    agrees::<ScalarField<Bls12_381>>(&portable_gpu(), 12);
    // Tiles of 2^9, which make one pass of two, and two of three.
    agrees::<ScalarField<Bls12_381>>(&gpu(), 9);
    agrees::<ScalarField<Bls12_381>>(&portable_gpu(), 9);
    agrees::<ScalarField<Bls12_381>>(&gpu(), 17);
    // Exchanges in workgroup memory alone.
    let without_subgroups = open(Options { subgroups: false, ..Options::default() });
    agrees::<ScalarField<Bls12_381>>(&Device::Gpu(without_subgroups), 11);
    // Sums of four and of eight products, in workgroups for a row and for half of one.
    for log_n in 9..=12 {
        agrees_with_profile::<ScalarField<Bls12_381>>(&gpu(), &discrete(&gpu()), log_n);
    }
    for log_n in [9, 12] {
        agrees_with_profile::<ScalarField<Bls12_381>>(&portable_gpu(), &discrete(&portable_gpu()), log_n);
    }
    for name in fields() {
        with_curve!(name, C => agrees_with_profile::<ScalarField<C>>(&gpu(), &discrete(&gpu()), 10));
    }
}

#[test]
fn short_vectors_are_transformed_by_sums_where_that_is_faster() {
    let (discrete, other) = (discrete(&gpu()), gpu().profile());
    // Those of stages take one pass at 2^9.
    for (batch, passes) in [(1, 2), (8, 2), (9, 1)] {
        let transform = Transform::<ScalarField<Bls12_381>>::new(1 << 9).unwrap().with_batch(batch);
        assert_eq!(transform.plan_for(&discrete).unwrap().passes(), Some(passes), "{batch} vectors");
        assert_eq!(transform.plan_for(&other).unwrap().passes(), Some(1), "{batch} vectors");
    }
}

#[test]
fn passes_are_as_few_as_tiles_allow() {
    let profile = gpu().profile();
    for (log_n, passes) in [(0, 0), (1, 1), (9, 1), (10, 2), (17, 2), (18, 2), (19, 3), (22, 3)] {
        let transform = Transform::<ScalarField<Bls12_381>>::new(1 << log_n).unwrap();
        assert_eq!(transform.plan_for(&profile).unwrap().passes(), Some(passes), "2^{log_n}");
    }
}

#[test]
fn a_batch_of_long_vectors_agrees_on_both_engines() {
    fn agrees<F: Scalar>(device: &Device, profile: &Profile, log_n: u32) {
        let transform = Transform::<F>::new(1 << log_n).unwrap().with_batch(3);
        let transform = transform.with_coset(Coset::Negacyclic);
        for transform in [transform, transform.inverted(), transform.with_output(Order::BitReversed)] {
            let before = random(transform.len(), 9);
            let [mut by_gpu, mut by_cpu] = [before.clone(), before];
            transform.plan_for(profile).unwrap().prepare(device).unwrap().run(&mut by_gpu).unwrap();
            scalar::transform(&cpu(), &transform, &mut by_cpu).unwrap();
            assert!(by_gpu == by_cpu, "{transform:?}");
        }
    }
    let device = gpu();
    for name in fields() {
        with_curve!(name, C => agrees::<ScalarField<C>>(&device, &device.profile(), 11));
    }
    agrees::<ScalarField<Bls12_381>>(&device, &discrete(&device), 10);
}

/// Two-adicity 22: the longest transforms of BLS24-315, whose root has exactly that order.
#[test]
fn lengths_are_limited_by_the_field_and_the_binding() {
    type F = ScalarField<wgalois::curve::Bls24_315>;
    assert!(Transform::<F>::new(1 << 22).is_ok());
    for n in [0, 3, 6, 1 << 23] {
        let error = Transform::<F>::new(n).unwrap_err();
        assert!(matches!(&error, Error::Input(message) if message.contains("2^22")), "{error}");
    }
    let root = Transform::<F>::new(1 << 22).unwrap().root();
    assert_eq!(root.pow([1 << 21]), -F::ONE);
    let longest = Transform::<F>::new(1 << 22).unwrap().with_coset(Coset::Negacyclic);
    assert!(longest.plan(&cpu()).is_err());
    let zero = Transform::<F>::new(4).unwrap().with_coset(Coset::Shift(F::ZERO));
    assert!(matches!(zero.plan(&cpu()), Err(Error::Input(_))));
    // A binding of 2^10 scalars.
    let mut profile = gpu().profile();
    if let wgalois::task::Engine::Gpu(gpu) = &mut profile.engine {
        gpu.binding_bytes = 32 << 10;
    }
    assert!(Transform::<F>::new(1 << 10).unwrap().plan_for(&profile).is_ok());
    let error = Transform::<F>::new(1 << 11).unwrap().plan_for(&profile).unwrap_err();
    assert!(matches!(&error, Error::OutOfMemory(why) if why.to_string().contains("2^10 scalars")), "{error}");
    let data = &mut random::<F>(3, 1);
    assert!(matches!(scalar::transform(&cpu(), &Transform::new(4).unwrap(), data), Err(Error::Input(_))));
}

#[test]
fn a_plan_counts_its_dispatches_and_transforms_in_parts() {
    type F = ark_bn254::Fr;
    // A device of its own: other tests run beside this one, and their dispatches would count.
    let gpu = open(Options::default());
    let device = Device::Gpu(gpu.clone());
    let transform = Transform::<F>::new(1 << 10).unwrap().with_batch(8);
    let one = transform.with_batch(1).plan(&device).unwrap();
    assert_eq!(one.parts(), 1);
    let bound = transform.with_batch(2).plan(&device).unwrap().cost().device_bytes;
    let plan = transform.plan_for(&device.profile().with_device_memory(bound)).unwrap();
    assert_eq!(plan.parts(), 4);
    let before = random::<F>(transform.len(), 4);
    let [mut in_parts, mut at_once] = [before.clone(), before];
    plan.prepare(&device).unwrap().run(&mut in_parts).unwrap();
    scalar::transform(&cpu(), &transform, &mut at_once).unwrap();
    assert!(in_parts == at_once);
    let before = dispatches(&gpu);
    let prepared = one.prepare(&device).unwrap();
    prepared.run(&mut random(1 << 10, 1)).unwrap();
    // A software driver gets long dispatches in several; tests of the crate count them on a device that does not.
    assert!(dispatches(&gpu) - before >= one.traffic().dispatches.unwrap());
}

#[test]
fn checks_pass_right_results_and_find_wrong_ones() {
    type F = ScalarField<Bls12_381>;
    for n in [1, 2, 1 << 11] {
        for transform in all::<F>(n) {
            let transform = transform.with_batch(2);
            let before = random(transform.len(), 3);
            let mut after = before.clone();
            scalar::transform(&cpu(), &transform, &mut after).unwrap();
            let guarantee = transform.check(&cpu(), &before, &after).unwrap();
            let bits = 253 - n.ilog2();
            assert!(guarantee.to_string().ends_with(&format!("at most 2^-{bits}")), "{guarantee}");
            // One value wrong; two values exchanged; a whole vector of another coset.
            let last = after.len() - 1;
            after[last] += F::ONE;
            assert!(
                matches!(transform.check(&cpu(), &before, &after), Err(Error::Check(_))),
                "{transform:?}"
            );
            after[last] -= F::ONE;
            if n > 2 && after[last] != after[last - 1] {
                after.swap(last - 1, last);
                assert!(transform.check(&cpu(), &before, &after).is_err(), "{transform:?}");
                after.swap(last - 1, last);
            }
            let other = transform.with_coset(Coset::Shift(F::from(5u64)));
            assert_eq!(other.check(&cpu(), &before, &after).is_err(), n > 1, "{transform:?}");
            assert!(transform.check(&cpu(), &before, &after[1..]).is_err());
        }
    }
}

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
        assert!(matches!(prepared.run(&random(3, 1), &random(3, 1)), Err(Error::Input(_))));
    }
}

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
    for name in fields() {
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
    assert!(matches!(on_host.add(&mut a, &b), Err(Error::Usage(_))));
    assert!(matches!(on_gpu.invert(&mut a), Err(Error::Usage(_))));
    assert!(matches!(on_host.add(&mut a, &on_host.zeros(4).unwrap()), Err(Error::Input(_))));
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
            assert!(matches!(vectors.divide_by_vanishing(&mut vector, &subgroup, m), Err(Error::Input(_))));
            assert!(matches!(vectors.divide_by_vanishing(&mut vector, &there, 3), Err(Error::Input(_))));
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

/// Plans for a device with little workgroup memory and small bindings: three passes.
#[test]
fn three_passes_agree_with_the_cpu_engine() {
    type F = ScalarField<Bls12_381>;
    let device = gpu();
    let mut profile = device.profile();
    if let wgalois::task::Engine::Gpu(gpu) = &mut profile.engine {
        gpu.workgroup_bytes = 36 << 4;
        gpu.binding_bytes = 32 << 11;
    }
    for transform in all::<F>(1 << 11) {
        if transform.coset() == Coset::Negacyclic {
            continue;
        }
        let plan = transform.plan_for(&profile).unwrap();
        let reverses = transform.input() == Order::BitReversed && transform.output() == Order::BitReversed;
        assert_eq!(plan.passes(), Some(if reverses { 4 } else { 3 }));
        let before = random::<F>(1 << 11, 6);
        let [mut by_gpu, mut by_cpu] = [before.clone(), before];
        plan.prepare(&device).unwrap().run(&mut by_gpu).unwrap();
        scalar::transform(&cpu(), &transform, &mut by_cpu).unwrap();
        assert!(by_gpu == by_cpu, "{transform:?}");
    }
}
