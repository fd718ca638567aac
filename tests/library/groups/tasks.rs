//! Batches, multiplications and products, of which every member takes a share.

use crate::gpu_common::random;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use wgalois::curve::{Affine, Bls12_381};
use wgalois::field::BABY_BEAR;
use wgalois::gf2::{self, generate};
use wgalois::msm::{self, Known, Multiplication, Precompute};
use wgalois::ntt::{self, Direction, Order, Product, Ring, Transform};
use wgalois::task::{Problem, Profile};
use wgalois::timeline::Phase;
use wgalois::{Cpu, Device, Error};

use super::{counted, group};

type Scalar = <Bls12_381 as ark_ec::CurveConfig>::ScalarField;

fn vectors(count: usize, len: usize) -> Vec<Vec<Scalar>> {
    let vector = |seed| msm::random_scalars::<Bls12_381>(len, &mut ChaCha8Rng::seed_from_u64(seed));
    (0..count as u64).map(vector).collect()
}

#[test]
fn multiplications_on_a_group_give_the_known_sums() {
    let known = Known::<Bls12_381>::random(130, 1);
    for (speeds, precompute) in [([1.0, 1.0], Precompute::Plain), ([1.0, 0.3], Precompute::Windows)] {
        let device = Device::Group(group(speeds));
        for points in [0, 1, 2, 130] {
            for count in [1, 3] {
                let problem = Multiplication::<Bls12_381>::new(points)
                    .with_vectors(count)
                    .with_settings(msm::Settings::default().with_precompute(precompute).with_width(6));
                let plan = problem.plan(&device).unwrap();
                let bases = plan.prepare(&device, &known.points[..points]).unwrap();
                let mut vectors = vectors(count, points);
                // Scalars may be fewer than points.
                vectors[count - 1].truncate(points / 2);
                let slices: Vec<&[Scalar]> = vectors.iter().map(Vec::as_slice).collect();
                let expected: Vec<Affine<Bls12_381>> = slices.iter().map(|v| known.sum(v)).collect();
                assert_eq!(bases.run_many(&slices).unwrap(), expected, "{points} {count} {speeds:?}");
                // Another number of vectors than planned.
                assert_eq!(bases.multiply(slices[0]).unwrap(), expected[0]);
                assert!(bases.run_many(&[]).unwrap().is_empty());
            }
        }
    }
}

#[test]
fn a_multiplication_takes_as_much_traffic_as_its_plan_says() {
    let known = Known::<Bls12_381>::random(200, 2);
    let group = group([1.0, 1.0]);
    let device = Device::Group(group.clone());
    let plan = Multiplication::<Bls12_381>::new(200).plan(&device).unwrap();
    let bases = plan.prepare(&device, &known.points).unwrap();
    let scalars = &vectors(1, 200)[0];
    assert_eq!(counted(&group, &plan, || bases.multiply(scalars)).unwrap(), known.sum(scalars));
    for number in 0..2 {
        assert!(group.timeline().dispatches_of(number).values().sum::<u64>() > 0);
        assert!(group.timeline().totals_of(number).contains_key(&Phase::Upload));
    }
}

#[test]
fn batches_of_transforms_on_a_group_are_those_of_one_device() {
    let cpu = Device::Cpu(Cpu::default());
    for speeds in [[1.0, 1.0], [0.2, 1.0]] {
        let group = group(speeds);
        let device = Device::Group(group.clone());
        for batch in [0, 1, 2, 5] {
            let transform = Transform::new(BABY_BEAR, 1 << 10)
                .unwrap()
                .with_batch(batch)
                .with_direction(Direction::Inverse)
                .with_output(Order::BitReversed);
            let data = random(BABY_BEAR, transform.len(), batch as u64);
            let mut expected = data.clone();
            ntt::transform(&cpu, &transform, &mut expected).unwrap();
            let plan = transform.plan(&device).unwrap();
            let prepared = plan.prepare(&device).unwrap();
            let mut result = data.clone();
            counted(&group, &plan, || prepared.run(&mut result)).unwrap();
            assert!(result == expected, "{batch} {speeds:?}");
            let mut result = data;
            ntt::transform(&device, &transform, &mut result).unwrap();
            assert!(result == expected);
        }
        let transform = Transform::new(BABY_BEAR, 2).unwrap().with_batch(2);
        let wrong = ntt::transform(&device, &transform, &mut [1, 2, 3]);
        assert!(matches!(wrong, Err(Error::WrongLength { expected: 4, found: 3, .. })));
    }
}

#[test]
fn products_on_a_group_are_those_of_one_device() {
    let cpu = Device::Cpu(Cpu::default());
    for speeds in [[1.0, 1.0], [0.2, 1.0]] {
        let group = group(speeds);
        let device = Device::Group(group.clone());
        for (batch, form) in [(0, Ring::Linear), (1, Ring::Linear), (5, Ring::Negacyclic(256))] {
            let product = Product::new(BABY_BEAR, 300, 200).with_ring(form).with_batch(batch);
            let data: Vec<_> = (0..batch as u64)
                .map(|seed| (random(BABY_BEAR, 300, seed), random(BABY_BEAR, 200, seed + 100)))
                .collect();
            let factors: Vec<[&[u32]; 2]> = data.iter().map(|(a, b)| [&a[..], &b[..]]).collect();
            let expected: Vec<_> =
                factors.iter().map(|[a, b]| ntt::multiply(&cpu, &product, a, b).unwrap()).collect();
            let plan = product.plan(&device).unwrap();
            let prepared = plan.prepare(&device).unwrap();
            let products = counted(&group, &plan, || prepared.run(&factors)).unwrap();
            assert!(products == expected, "{batch} {speeds:?}");
            assert!(ntt::multiply_many(&device, &product, &factors).unwrap() == expected);
            if let Some([a, b]) = factors.first() {
                assert!(prepared.multiply(a, b).unwrap() == expected[0]);
            }
        }
    }
}

#[test]
fn matrices_on_a_group_are_those_of_one_device() {
    let cpu = Device::Cpu(Cpu::default());
    for (speeds, memory) in [([1.0, 1.0], u64::MAX), ([0.2, 1.0], 1_700_000)] {
        let group = group(speeds);
        let device = Device::Group(group.clone());
        for (rows, inner, columns) in [(0, 3, 2), (1, 1, 1), (3, 0, 2), (300, 257, 129), (1500, 700, 900)] {
            let (a, b) = (
                generate::matrix(rows, inner, 0.5, 1).unwrap(),
                generate::matrix(inner, columns, 0.5, 2).unwrap(),
            );
            let expected = gf2::multiply(&cpu, &a, &b).unwrap();
            let profile = Profile { device_memory: memory, ..device.profile() };
            let problem = gf2::Product::new(rows, inner, columns).unwrap();
            let plan = problem.plan_for(&profile).unwrap();
            let prepared = plan.prepare(&device).unwrap();
            let result = counted(&group, &plan, || prepared.run((&a, &b).into())).unwrap();
            assert!(result == expected, "{rows} {inner} {columns}");
            assert!(gf2::multiply(&device, &a, &b).unwrap() == expected);
            assert_eq!(gf2::rref(&device, &a).unwrap(), gf2::rref(&cpu, &a).unwrap());
        }
    }
}
