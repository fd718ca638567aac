//! Traces of small runs of every task, for another implementation of WebGPU to replay.

use ark_ec::CurveGroup;
use ark_ff::PrimeField;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::curve::{Bls12_381, Bn254, Curve};
use crate::field::BABY_BEAR;
use crate::gf2::generate::{Groebner, matrix};
use crate::gf2::{self, Dense, F4Matrix, F4Method};
use crate::gpu::test_devices::open;
use crate::gpu::{Gpu, Options, trace};
use crate::msm::{Known, Precompute, Settings, multiply_with, random_scalars};
use crate::ntt::{self, Direction, Order, Product, Reduction, Ring, Transform, scalar};
use crate::task::Problem;
use crate::{Cpu, Device};

/// Traces `work` on a device with WebGPU's default limits and features; it must run all of `kernels`.
fn traced(name: &str, kernels: &[&str], work: impl FnOnce(&Gpu)) {
    let gpu = open(Options::portable());
    trace::of(name, kernels, || work(&gpu));
}

fn random(len: usize) -> Vec<u32> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    (0..len).map(|_| random.next_u32() % BABY_BEAR.value()).collect()
}

#[test]
fn of_transforms_and_products() {
    let kernels = [
        "ntt/rows",
        "ntt/rows_transposed",
        "ntt/columns",
        "ntt/columns_to",
        "ntt/rows_product",
        "ntt/transpose",
    ];
    traced("ntt", &kernels, |gpu| {
        // With one pass and with two; each reduction forward with one of them, inverse with the other.
        let reductions = [Reduction::Shoup, Reduction::Montgomery, Reduction::Barrett, Reduction::Plain];
        for (i, log_n) in [11, 13].into_iter().enumerate() {
            for (j, reduction) in reductions.into_iter().enumerate() {
                let direction = [Direction::Forward, Direction::Inverse][(i + j) % 2];
                let plain = Transform::new(BABY_BEAR, 1 << log_n).unwrap();
                let spec = plain.with_reduction(reduction).with_direction(direction);
                let data = random(spec.len());
                let (mut by_gpu, mut by_cpu) = (data.clone(), data);
                ntt::transform(&Device::Gpu(gpu.clone()), &spec, &mut by_gpu).unwrap();
                ntt::cpu::transform(&spec, &mut by_cpu, 1).unwrap();
                assert!(by_gpu == by_cpu, "{spec:?}");
            }
        }
        let (a, b) = (random(3000), random(2500));
        let product = Product::new(BABY_BEAR, a.len(), b.len());
        let on = |device: &Device, form| ntt::multiply(device, &product.with_ring(form), &a, &b).unwrap();
        for form in [Ring::Linear, Ring::Negacyclic(4096)] {
            let by_gpu = on(&Device::Gpu(gpu.clone()), form);
            assert!(by_gpu == on(&Device::Cpu(Cpu::default()), form), "{form:?}");
        }
        let table = random(50 * 81);
        let columns = ntt::transposed(&gpu.upload(&table).unwrap(), 50, 81).unwrap().download().unwrap();
        assert!((0..table.len()).all(|i| columns[i] == table[i % 50 * 81 + i / 50]));
    });
}

#[test]
fn of_scalar_fields() {
    let kernels = [
        "ntt/scalar/pass",
        "ntt/scalar/pass_to",
        "ntt/scalar/combine",
        "ntt/scalar/scale",
        "ntt/scalar/invert",
        "ntt/scalar/reverse",
        "ntt/scalar/sparse",
    ];
    traced("scalar", &kernels, |gpu| {
        let engines = [Device::Gpu(gpu.clone()), Device::Cpu(Cpu::default())];
        let scalars = random_scalars::<Bls12_381>(1 << 10, &mut ChaCha8Rng::seed_from_u64(3));
        let results = engines.map(|device| {
            let there = scalar::Transform::new(1 << 10).unwrap();
            let reversed = there.with_input(Order::BitReversed).with_output(Order::BitReversed);
            let vectors = scalar::Vectors::new(&device).unwrap();
            let mut a = vectors.upload(&scalars).unwrap();
            for transform in [there, there.inverted(), reversed] {
                transform.plan(&device).unwrap().prepare(&device).unwrap().run_vector(&mut a).unwrap();
            }
            let b = vectors.upload(&scalars).unwrap();
            vectors.multiply(&mut a, &b).unwrap();
            vectors.scale_by_powers(&mut a, scalars[0], scalars[1]).unwrap();
            vectors.invert(&mut a).unwrap();
            // Rows of 0, 1 and 2 entries, and one that a workgroup adds up.
            let short = (0..200usize).map(|i| (i / 3 * 2 + i % 2, i as u32, scalars[i % 7]));
            let long = (0..300u32).map(|column| (150, column, scalars[column as usize % 5]));
            let matrix = scalar::SparseMatrix::new(160, short.chain(long)).unwrap();
            let (matrix, mut product) = (vectors.matrix(matrix).unwrap(), vectors.zeros(160).unwrap());
            vectors.apply(&matrix, &a, &mut product).unwrap();
            [a, product].map(|vector| vector.download().unwrap()).concat()
        });
        assert!(results[0] == results[1]);
    });
}

#[test]
fn of_elimination() {
    let kernels = ["gf2/pack", "gf2/expand", "gf2/substitute", "gf2/update", "gf2/unpack", "gf2/reduce_many"];
    traced("gf2", &kernels, |gpu| {
        let [by_gpu, by_cpu] = [Device::Gpu(gpu.clone()), Device::Cpu(Cpu::default())];
        let generator = Groebner {
            columns: 700,
            reducers: 450,
            rows: 300,
            new_pivots: 90,
            reducer_ones: 20,
            row_ones: 40,
            seed: 1,
        };
        let (reducers, rows) = generator.generate().unwrap();
        let f4 = F4Matrix::new(reducers, rows, Some(700)).unwrap();
        for method in [F4Method::Blocked, F4Method::TwoStage] {
            let [result, expected] = [&by_gpu, &by_cpu]
                .map(|engine| gf2::eliminate(engine, &f4.clone().with_method(method)).unwrap().to_lists());
            assert!(result == expected, "{method}");
        }
        let (a, b) = (matrix(300, 400, 0.5, 1).unwrap(), matrix(400, 200, 0.5, 2).unwrap());
        assert!(gf2::rref(&by_gpu, &a).unwrap() == gf2::rref(&by_cpu, &a).unwrap());
        let many = [1, 2, 3].map(|seed| matrix(40, 70, 0.5, seed).unwrap());
        let kernels =
            |device| gf2::compute_many(device, &Dense::kernel(40, 70).unwrap(), &many, None).unwrap();
        assert!(kernels(&by_gpu) == kernels(&by_cpu));
        assert!(gf2::multiply(&by_gpu, &a, &b).unwrap() == gf2::multiply(&by_cpu, &a, &b).unwrap());
    });
}

#[test]
fn of_multiplication_on_curves() {
    fn agrees<C: Curve>(gpu: &Gpu, settings: &Settings, n: usize) {
        let points = Known::<C>::random(n, 1).points;
        let scalars = random_scalars::<C>(n, &mut ChaCha8Rng::seed_from_u64(2));
        let integers: Vec<_> = scalars.iter().map(|k| k.into_bigint()).collect();
        let sum = multiply_with(&Device::Gpu(gpu.clone()), settings, &points, &scalars).unwrap();
        assert_eq!(sum, crate::curve::sum_by_arkworks(&points, &integers).into_affine(), "{settings:?}");
    }
    let sums = ["msm/gather_by_element", "msm/reduce_by_element"];
    let kernels = [&["msm/digits", "sort_scatter", "msm/accumulate"][..], &sums].concat();
    traced("msm", &kernels, |gpu| {
        agrees::<Bls12_381>(gpu, &Settings::default().with_width(5), 100);
        agrees::<Bn254>(gpu, &Settings::default().with_precompute(Precompute::Windows).with_width(6), 70);
    });
}
