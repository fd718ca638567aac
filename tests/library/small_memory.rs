//! Tests of the published sizes on a card with 4 GiB. Every size, divided by about a thousand, runs within
//! a thousandth of 4 GiB; for the sizes themselves, the plans are checked.

use std::sync::Arc;

use crate::gpu_common::{open, open_another, random};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use wgalois::curve::{Bls12_377, Bls12_381, Bls24_315, Bn254, Curve};
use wgalois::field::{BABY_BEAR, BigField};
use wgalois::gf2::{self, F4Matrix, generate};
use wgalois::gpu::{Arithmetic, DeviceMemory, DeviceRecord, Gpu, Options};
use wgalois::msm::{self, Known, Multiplication, Precompute};
use wgalois::ntt::{self, Order, Product, Ring, Transform};
use wgalois::task::{Budget, Engine, GpuProfile, Problem, Profile, within_memory};
use wgalois::{Cpu, Device};

const CARD: u64 = 4 << 30;
/// A thousandth (1 / 1024) of the card's memory.
const THOUSANDTH: u64 = CARD >> 10;

fn card(memory: u64) -> Gpu {
    open(Options { memory, ..Options::default() })
}

#[test]
fn transforms_and_products() {
    let gpu = card(THOUSANDTH);
    let (device, cpu) = (Device::Gpu(gpu.clone()), Device::Cpu(Cpu::default()));
    // Transforms of 2^26 and products of two polynomials of 2^25 terms are the longest published.
    for output in [Order::Natural, Order::BitReversed] {
        let spec = Transform::new(BABY_BEAR, 1 << 16).unwrap().with_output(output);
        let mut data = random(BABY_BEAR, spec.len(), 1);
        let mut expected = data.clone();
        ntt::transform(&device, &spec, &mut data).unwrap();
        ntt::transform(&cpu, &spec, &mut expected).unwrap();
        assert!(data == expected, "{output:?}");
    }
    let [a, b] = [1, 2].map(|seed| random(BABY_BEAR, 1 << 15, seed));
    let product = |device| ntt::multiply(device, &Product::new(BABY_BEAR, a.len(), b.len()), &a, &b).unwrap();
    assert!(product(&device) == product(&cpu));
}

#[test]
fn long_transforms_have_room_on_the_card() {
    let gpu = card(CARD);
    // The tables are computed. The vectors are only reserved: the driver does not fill unused memory.
    let spec = Transform::new(BABY_BEAR, 1 << 26).unwrap().with_output(Order::BitReversed);
    let device = Device::Gpu(gpu.clone());
    let prepared = spec.plan(&device).unwrap().prepare(&device).unwrap();
    let vectors = [(); 2].map(|()| gpu.zeros::<u32>(1 << 26).unwrap());
    drop((prepared, vectors));
    let product = Product::new(BABY_BEAR, 1 << 26, 1 << 26).with_ring(Ring::Cyclic(1 << 26));
    let prepared = product.plan(&device).unwrap().prepare(&device).unwrap();
    // Two factors, the product, and one or two vectors that the plan uses itself.
    let vectors = [(); 5].map(|()| gpu.zeros::<u32>(1 << 26).unwrap());
    drop((prepared, vectors));
}

/// The published cases 1 to 11: columns, reducers, rows, new pivots, ones per reducer, ones per row.
const CASES: [[usize; 6]; 11] = [
    [130, 22, 8, 8, 20, 30],
    [254, 106, 53, 20, 25, 35],
    [562, 170, 53, 50, 25, 35],
    [1011, 539, 263, 100, 30, 50],
    [2362, 1226, 453, 200, 60, 200],
    [3799, 2759, 1953, 416, 142, 440],
    [8399, 6375, 4535, 1134, 200, 450],
    [23075, 18748, 14325, 3581, 250, 500],
    [37960, 29304, 14291, 3573, 300, 500],
    [43577, 39477, 54274, 3500, 300, 450],
    [85401, 5724, 756, 189, 100, 200],
];

#[test]
fn f4_matrices() {
    let gpu = card(THOUSANDTH);
    let (device, cpu) = (Device::Gpu(gpu), Device::Cpu(Cpu::default()));
    for (number, case) in CASES.iter().enumerate() {
        // The size of a matrix is the product of its sides, so each side is divided by 32.
        let [columns, reducers, rows, new_pivots, ones, row_ones] = case.map(|size| size.div_ceil(32));
        let shape =
            generate::Groebner { columns, reducers, rows, new_pivots, reducer_ones: ones, row_ones, seed: 1 };
        let (reducers, rows) = shape.generate().unwrap();
        let f4 = F4Matrix::new(reducers, rows, None).unwrap();
        let expected = gf2::eliminate(&cpu, &f4).unwrap().to_lists();
        let result = gf2::eliminate(&device, &f4).unwrap().to_lists();
        assert!(result == expected, "case {}", number + 1);
    }
}

#[test]
fn sums() {
    let gpu = card(THOUSANDTH);
    for log in [9, 14] {
        let known = Known::<Bls12_381>::random(1 << log, 1);
        let scalars = msm::random_scalars::<Bls12_381>(1 << log, &mut ChaCha8Rng::seed_from_u64(2));
        let device = Device::Gpu(gpu.clone());
        let sum = msm::multiply::<Bls12_381>(&device, &known.points, &scalars).unwrap();
        assert!(sum == known.sum(&scalars), "2^{log}");
    }
}

/// Checks the plans of every published length on the card, with bindings of 128 MiB, the smallest, and of
/// 2 GiB.
fn plans_fit<C: Curve>() {
    let point_bytes = 8 * BigField::of::<C::BaseField>().words as u64;
    for binding_bytes in [128 << 20, 2 << 30] {
        let gpu = GpuProfile {
            is_software: false,
            is_discrete: true,
            arithmetic: Arithmetic { subgroups: true, ..Arithmetic::INT64 },
            record: Arc::new(DeviceRecord::of_h200()),
            compiled: Arc::default(),
            binding_bytes,
            workgroup_bytes: 32 << 10,
            workgroup_invocations: 256,
        };
        let budget = Budget::default();
        let profile =
            Profile { engine: Engine::Gpu(gpu), host_memory: u64::MAX, device_memory: CARD, budget };
        for log in 19..=24 {
            for precompute in [Precompute::Plain, Precompute::Doublings(4), Precompute::Windows] {
                let problem = Multiplication::<C>::new(1 << log).with_precompute(precompute);
                let plan = problem.plan_for(&profile).unwrap();
                let cut = plan.cut().unwrap();
                assert_eq!(plan.parts(), 1, "2^{log} {precompute:?}");
                assert!(plan.cost().device_bytes <= CARD, "2^{log} {precompute:?}");
                let points = u64::from(cut.scheme.levels) << log;
                assert!(points * point_bytes <= CARD / 2, "2^{log} {precompute:?}");
                assert!(cut.entries() as u64 * 16 <= CARD / 2, "2^{log} {precompute:?}");
            }
        }
    }
}

#[test]
fn sums_of_the_published_lengths_have_plans() {
    plans_fit::<Bls12_381>();
    plans_fit::<Bls12_377>();
    plans_fit::<Bn254>();
    plans_fit::<Bls24_315>();
}

/// A run begins with the plan that the device's profile gives, which `--plan` prints: for the memory that was given, as far as
/// the driver reports it.
#[test]
fn plans_take_the_memory_that_was_given() {
    const GIB: u64 = 1 << 30;
    // The matrix alone takes 42 GiB.
    let problem = gf2::Dense::rank(600_000, 600_000).unwrap();
    let reported = |budget| Some(DeviceMemory { bytes: 2 * budget, budget, is_shared: false });
    // What the vectors of other tests take of a device counts.
    let gpu = open_another(Options::default());
    for (given, reported_memory, planned) in [
        (100 * GIB, reported(200 * GIB), 100 * GIB),
        (u64::MAX, reported(24 * GIB), 24 * GIB),
        (100 * GIB, reported(24 * GIB), 24 * GIB),
        (3 * GIB, reported(24 * GIB), 3 * GIB),
    ] {
        let options = Options { memory: given, reported_memory, ..gpu.options().clone() };
        let device = Device::Gpu(gpu.with_options(options));
        assert_eq!(device.profile().device_memory, planned);
        let printed = problem.plan(&device).unwrap();
        let run = async |profile: &Profile| Ok(problem.plan_for(profile)?.to_string());
        let run = pollster::block_on(within_memory(device.profile(), run)).unwrap();
        assert_eq!(printed.to_string(), run, "{given}");
        assert_eq!(printed.parts() == 1, planned > 42 * GIB, "{given}: {printed}");
    }
}
