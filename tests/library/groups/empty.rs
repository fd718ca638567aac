//! Work of which a part, or all, is empty: on the CPU engine, on one GPU and on a group.

use ark_bls12_381::{Fr, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use wgalois::curve::{Bls12_381, Bls12_381G2};
use wgalois::gf2::{self, BitMatrix, Dense, F4Matrix, IndexLists, generate};
use wgalois::msm::{Multiplication, Precompute};
use wgalois::task::{Problem, Profile};
use wgalois::{Cpu, Device};
use wgalois_proofs::kzg::Committer;

use super::{group, two};

fn devices() -> [Device; 4] {
    let one = Device::Gpu(two()[0].clone());
    let [equal, unlike] = [[1.0, 1.0], [0.2, 1.0]].map(|speeds| Device::Group(group(speeds)));
    [Device::Cpu(Cpu::default()), one, equal, unlike]
}

#[test]
fn multiplications_without_points_take_no_memory_of_a_device() {
    for device in devices() {
        for precompute in [Precompute::Plain, Precompute::Glv, Precompute::Windows] {
            // No share of a device's memory, as the parts of a proof may have.
            let profile = Profile { device_memory: 0, ..device.profile() };
            let problem = Multiplication::<Bls12_381>::new(0).with_precompute(precompute).with_vectors(2);
            let plan = problem.plan_for(&profile).unwrap();
            assert_eq!(plan.cost().device_bytes, 0);
            plan.compile_with_check(&device).unwrap();
            let bases = plan.prepare(&device, Vec::new()).unwrap();
            assert_eq!(bases.multiply(&[]).unwrap(), G1Affine::identity());
            assert_eq!(bases.run_many(&[&[], &[], &[]]).unwrap(), [G1Affine::identity(); 3]);
            assert!(bases.multiply(&[Fr::from(1u64)]).is_err());
            bases.clear().unwrap();
            problem.check(&device, &[], &[&[]], &[G1Affine::identity()]).unwrap();
            assert!(problem.check(&device, &[], &[&[]], &[G1Affine::generator()]).is_err());
            let second = Multiplication::<Bls12_381G2>::new(0).with_precompute(precompute);
            let bases = second.plan_for(&profile).unwrap().prepare(&device, Vec::new()).unwrap();
            assert_eq!(bases.multiply(&[]).unwrap(), G2Affine::identity());
        }
        // No scalars, and only zeros, for points that there are.
        let bases = Multiplication::<Bls12_381>::new(3).plan(&device).unwrap();
        let bases = bases.prepare(&device, vec![G1Affine::generator(); 3]).unwrap();
        assert_eq!(bases.multiply(&[]).unwrap(), G1Affine::identity());
        assert_eq!(bases.multiply(&[Fr::from(0u64); 3]).unwrap(), G1Affine::identity());
    }
}

#[test]
fn recorded_multiplications_without_points_have_the_empty_sum() {
    use wgalois::scalars::DeviceScalars;
    let gpu = &two()[0];
    let device = Device::Gpu(gpu.clone());
    let bases = Multiplication::<Bls12_381>::new(0).plan(&device).unwrap();
    let bases = bases.prepare(&device, Vec::new()).unwrap();
    let scalars = DeviceScalars::upload(gpu, &[Fr::from(4u64), Fr::from(5u64)]).unwrap();
    for at in 0..=2 {
        let begun = bases.begin_on_device(&scalars, at..at).unwrap();
        assert_eq!(bases.end(begun).unwrap(), G1Affine::identity());
    }
    assert!(bases.begin_on_device(&scalars, 0..1).is_err());
    assert!(bases.run_on_device(&scalars).is_err());
    let none = DeviceScalars::<Fr>::upload(gpu, &[]).unwrap();
    assert_eq!(bases.run_on_device(&none).unwrap(), G1Affine::identity());
    let mut recorder = gpu.record();
    let sums = bases.record(&mut recorder, &none).unwrap();
    recorder.submit().unwrap();
    assert_eq!(bases.finish(&sums).unwrap(), G1Affine::identity());
}

#[test]
fn commitments_to_the_polynomial_0_are_infinity() {
    let powers = [G1Affine::generator(); 4];
    for device in devices() {
        for powers in [&powers[..], &[]] {
            let committer = Committer::<Bls12_381>::new(&device, powers).unwrap();
            assert_eq!(committer.commit(&[]).unwrap(), G1Affine::identity());
            assert_eq!(committer.commit(&vec![Fr::from(0u64); powers.len()]).unwrap(), G1Affine::identity());
            assert_eq!(committer.commit_many(&[&[], &[]]).unwrap(), [G1Affine::identity(); 2]);
            assert!(committer.commit_many(&[]).unwrap().is_empty());
            let opening = committer.open(&[], Fr::from(5u64)).unwrap();
            assert_eq!((opening.value, opening.proof), (Fr::from(0u64), G1Affine::identity()));
            assert!(committer.commit(&vec![Fr::from(1u64); powers.len() + 1]).is_err());
        }
    }
}

fn matrix(rows: usize, columns: usize) -> BitMatrix {
    generate::matrix(rows, columns, 0.5, 1).unwrap()
}

#[test]
fn matrices_without_rows_or_columns_are_those_of_the_cpu_engine() {
    let [cpu, others @ ..] = devices();
    for (rows, columns) in [(0, 0), (0, 5), (5, 0), (0, 700), (700, 0)] {
        let a = matrix(rows, columns);
        let problems = [
            Dense::rank(rows, columns).unwrap(),
            Dense::echelon(rows, columns).unwrap(),
            Dense::rref(rows, columns).unwrap(),
        ];
        for problem in problems {
            let run = |problem: Dense, device: &Device| {
                problem.plan(device).unwrap().prepare(device).unwrap().run((&a, None)).unwrap()
            };
            let expected = run(problem, &cpu);
            for device in &others {
                for sharing in [false, true] {
                    let problem = problem.with_sharing(sharing);
                    assert!(run(problem, device) == expected, "{:?} {rows} x {columns}", problem.operation());
                }
            }
        }
        for device in &others {
            assert_eq!(gf2::rank(device, &a).unwrap(), 0);
            for inner in [0, 3] {
                let (left, right) = (matrix(rows, inner), matrix(inner, columns));
                let product = gf2::multiply(device, &left, &right).unwrap();
                assert!(product == gf2::multiply(&cpu, &left, &right).unwrap(), "{rows} {inner} {columns}");
            }
        }
    }
}

#[test]
fn f4_matrices_without_reducers_rows_or_columns_are_those_of_the_cpu_engine() {
    let [cpu, others @ ..] = devices();
    let lists = |rows: &[&[u32]]| {
        let mut lists = IndexLists::default();
        rows.iter().for_each(|row| lists.push(row).unwrap());
        lists
    };
    /// Reducers, rows, and the number of columns if it is given.
    type Case = (&'static [&'static [u32]], &'static [&'static [u32]], Option<usize>);
    let cases: [Case; 7] = [
        (&[], &[], None),
        (&[], &[], Some(700)),
        (&[&[3, 1]], &[], Some(600)),
        (&[], &[&[]], Some(0)),
        (&[], &[&[], &[]], Some(300)),
        (&[&[]], &[&[5, 2]], None),
        (&[&[7, 3], &[]], &[&[7, 1], &[3, 1], &[]], Some(9)),
    ];
    for (reducers, rows, columns) in cases {
        let f4 = F4Matrix::new(lists(reducers), lists(rows), columns).unwrap();
        let expected = gf2::eliminate(&cpu, &f4).unwrap().to_lists();
        for device in &others {
            for sharing in [false, true] {
                let result = gf2::eliminate(device, &f4.clone().with_sharing(sharing)).unwrap();
                assert!(result.to_lists() == expected, "{reducers:?} {rows:?} {columns:?}");
            }
        }
    }
}
