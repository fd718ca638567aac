//! Tests of the numbers of passes and dispatches, which decide the speed. They are counted on a device
//! that computes nothing, so that an additional pass or dispatch is noticed without a GPU.

use std::collections::BTreeMap;

use ark_bn254::Fr;
use ark_ec::AffineRepr;
use ark_ff::Field;

use crate::curve::{Affine, Bls12_381};
use crate::field::BABY_BEAR;
use crate::gf2::{
    self, BitMatrix, Dense, F4Matrix, F4Method, IndexLists, RowReduction, Wanted, generate, gpu::DeviceMatrix,
};
use crate::gpu::{Gpu, Options};
use crate::msm::{DeviceScalars, Multiplication, Precompute};
use crate::ntt::scalar::Coset;
use crate::ntt::{self, Direction, Order, Product, Ring, Transform};
use crate::task::{Problem, Traffic};
use crate::timeline::{Phase, Timeline};
use crate::{Device, Group};

fn large() -> Gpu {
    Gpu::idle(Options::default()).unwrap()
}

/// Opens the idle device with WebGPU's default limits, as in a browser.
fn portable() -> Gpu {
    Gpu::idle(Options::portable()).unwrap()
}

/// Counts the dispatches of `work`, by stage.
fn dispatches(gpu: &Gpu, work: impl FnOnce()) -> BTreeMap<String, u64> {
    let before = gpu.timeline().dispatches();
    work();
    let mut counts = gpu.timeline().dispatches();
    for (stage, count) in before {
        *counts.get_mut(&stage).unwrap() -= count;
    }
    counts.retain(|_, count| *count > 0);
    counts
}

fn total(counts: &BTreeMap<String, u64>) -> u64 {
    counts.values().sum()
}

/// Counts the passes and dispatches of one transform, and the KiB that it moves: every pass reads and writes
/// every word and reads its tables. (Repeated reads of a transform in parts come from a cache.)
fn transform(gpu: &Gpu, log_n: u32, output: Order) -> [u64; 3] {
    let n = 1 << log_n;
    let device = Device::Gpu(gpu.clone());
    let plan = Transform::new(BABY_BEAR, n).unwrap().with_output(output).plan(&device).unwrap();
    let prepared = plan.prepare(&device).unwrap();
    let tables = gpu.memory_in_use();
    let mut data = gpu.zeros(n).unwrap();
    let counts = dispatches(gpu, || prepared.run_on_device(&mut data).unwrap());
    assert_eq!(plan.cost().device_bytes, gpu.memory_in_use(), "2^{log_n} {output:?}");
    let passes = plan.passes().unwrap() as u64;
    assert_eq!(plan.traffic().dispatches, Some(total(&counts)), "2^{log_n} {output:?}");
    [passes, total(&counts), (8 * passes * n as u64 + tables) >> 10]
}

#[test]
fn transforms_pass_over_memory_as_often_as_they_did() {
    let counts = |output| [12, 16, 17, 18, 20, 22, 24].map(|log_n| transform(&large(), log_n, output));
    let expected = [
        [1, 1, 74],
        [2, 2, 1546],
        [2, 2, 3092],
        [2, 2, 6165],
        [2, 2, 16_410],
        [3, 3, 98_580],
        [3, 3, 393_766],
    ];
    assert_eq!(counts(Order::BitReversed), expected);
    let passes = counts(Order::Natural).map(|[passes, dispatches, _]| [passes, dispatches]);
    assert_eq!(passes, [[1, 1], [2, 2], [2, 2], [2, 2], [3, 3], [3, 3], [3, 3]]);
}

#[test]
fn portable_transforms_past_a_binding_take_one_pass_more() {
    let counts = [24, 26].map(|log_n| transform(&portable(), log_n, Order::BitReversed));
    assert_eq!(counts, [[3, 3, 393_766], [4, 7, 2_098_297]]);
}

/// Every direction, pair of orders and coset of transforms of 2^`log_n` scalars.
fn scalar_transforms(log_n: u32) -> Vec<ntt::scalar::Transform<Fr>> {
    let orders = [Order::Natural, Order::BitReversed];
    let mut all = Vec::new();
    for direction in [Direction::Forward, Direction::Inverse] {
        for (input, output) in orders.into_iter().flat_map(|input| orders.map(|output| (input, output))) {
            for coset in [Coset::Subgroup, Coset::Negacyclic] {
                let transform = ntt::scalar::Transform::new(1 << log_n).unwrap().with_direction(direction);
                all.push(transform.with_input(input).with_output(output).with_coset(coset));
            }
        }
    }
    all
}

/// Transforms of scalars that no binding holds, of 2 to 16 pieces.
#[test]
fn plans_of_pieces_count_dispatches_and_memory() {
    let of_pieces = || Gpu::idle(Options { max_chunk_bytes: 32 << 8, ..Options::default() }).unwrap();
    for log_n in 8..=12 {
        for transform in scalar_transforms(log_n) {
            let gpu = of_pieces();
            let device = Device::Gpu(gpu.clone());
            let plan = transform.with_batch(2).plan(&device).unwrap();
            let prepared = plan.prepare(&device).unwrap();
            let mut data = DeviceScalars::zeros(&gpu, 2 << log_n).unwrap();
            let counts = dispatches(&gpu, || prepared.run_on_device(&mut data).unwrap());
            assert_eq!(plan.traffic().dispatches, Some(total(&counts)), "{transform:?}");
            assert_eq!(plan.cost().device_bytes, gpu.memory_in_use(), "{transform:?}");
        }
    }
    let device = Device::Gpu(of_pieces());
    let Device::Gpu(gpu) = &device else { unreachable!() };
    for [a, b] in [[100, 100], [600, 425], [1024, 1025]] {
        let plan = ntt::scalar::Product::<Fr>::new(a, b).plan(&device).unwrap();
        let prepared = plan.prepare(&device).unwrap();
        let (left, right) = (vec![Fr::ONE; a], vec![Fr::ONE; b]);
        let counts = dispatches(gpu, || drop(prepared.run((&left, &right)).unwrap()));
        assert_eq!(plan.traffic().dispatches, Some(total(&counts)), "{a} {b}");
    }
}

/// 2^23 scalars are two pieces within WebGPU's default limits: a pass across them and the three passes of 2^22, or one more that
/// brings them into natural order.
#[test]
fn portable_transforms_of_scalars_past_a_binding_take_one_pass_more() {
    for (output, passes, dispatches) in [(Order::BitReversed, 4, 7), (Order::Natural, 5, 9)] {
        let transform = ntt::scalar::Transform::<Fr>::new(1 << 23).unwrap().with_output(output);
        let plan = transform.plan(&Device::Gpu(portable())).unwrap();
        assert_eq!((plan.passes(), plan.traffic().dispatches), (Some(passes), Some(dispatches)));
    }
}

#[test]
fn products_take_one_dispatch_less_than_their_transforms() {
    for (log_n, expected) in [(12, 1), (17, 3), (18, 3), (20, 3), (22, 5), (24, 5)] {
        let gpu = large();
        let n = 1 << log_n;
        let device = Device::Gpu(gpu.clone());
        let plan = Product::new(BABY_BEAR, n, n).with_ring(Ring::Cyclic(n)).plan(&device).unwrap();
        let prepared = plan.prepare(&device).unwrap();
        let (left, right) = (gpu.zeros(n).unwrap(), gpu.zeros(n).unwrap());
        let mut product = gpu.zeros(n).unwrap();
        let counts = dispatches(&gpu, || {
            let mut recorder = gpu.record();
            prepared.record(&mut recorder, &left, &right, &mut product).unwrap();
            recorder.submit().unwrap();
        });
        assert_eq!((total(&counts), plan.dispatches()), (expected, Some(expected as usize)), "2^{log_n}");
        assert_eq!(plan.cost().device_bytes, gpu.memory_in_use(), "2^{log_n}");
    }
}

/// Counts the dispatches for a matrix in which every block finds its pivots at once, as in a random one.
fn echelon(gpu: &Gpu, n: usize) -> BTreeMap<String, u64> {
    let mut matrix = DeviceMatrix::zeros(gpu, n, n).unwrap();
    let reduction = RowReduction::new(n, n, Wanted::Pivots).unwrap();
    dispatches(gpu, || _ = matrix.reduce_to_echelon(&reduction).unwrap())
}

#[test]
fn a_block_of_256_columns_takes_four_dispatches() {
    for (gpu, n) in [(large(), 4096), (large(), 16_384), (portable(), 4096)] {
        let blocks = n as u64 / 256;
        let expected = [
            ("extract", 1),
            ("panel", blocks),
            ("predict", blocks),
            ("update", blocks - 2),
            ("update next", blocks - 1),
        ];
        let counts = echelon(&gpu, n);
        let counts: Vec<_> = counts.iter().map(|(stage, count)| (stage.as_str(), *count)).collect();
        assert_eq!(counts, expected, "{n}");
    }
}

/// Counts the dispatches of one multiplication of 2^`log_n` points of BLS12-381.
fn multiplication(log_n: u32, precompute: Precompute) -> BTreeMap<String, u64> {
    let gpu = large();
    let points = vec![Affine::<Bls12_381>::generator(); 1 << log_n];
    let device = Device::Gpu(gpu.clone());
    let problem = Multiplication::new(points.len()).with_precompute(precompute);
    let bases = problem.plan(&device).unwrap().prepare(&device, &points).unwrap();
    let scalars = vec![ark_bls12_381::Fr::from(1u64); points.len()];
    let scalars = DeviceScalars::upload(&gpu, &scalars).unwrap();
    let counts = dispatches(&gpu, || _ = bases.run_on_device(&scalars).unwrap());
    assert_eq!(bases.plan().traffic().dispatches, Some(total(&counts)), "2^{log_n} {precompute}");
    counts
}

#[test]
fn a_multiplication_takes_as_many_dispatches_as_it_did() {
    let cases = [(16, Precompute::Plain), (18, Precompute::Plain), (16, Precompute::Windows)];
    let stages = ["digits", "sort", "scan", "offsets", "clear", "accumulate", "fold", "gather", "reduce"];
    let counts = cases.map(|(log_n, precompute)| {
        let counts = multiplication(log_n, precompute);
        let listed = stages.map(|stage| counts.get(stage).copied().unwrap_or(0));
        assert_eq!(listed.iter().sum::<u64>(), total(&counts), "{counts:?}");
        listed
    });
    // If there are fewer buckets than slices, partial sums are gathered by buckets, which needs offsets.
    let plain = |layers| [1, 4, 6, 0, 1, 1, 8, 1, layers];
    assert_eq!(counts, [plain(12), plain(14), [1, 4, 6, 1, 1, 1, 8, 1, 14]]);
}

#[test]
fn two_devices_take_the_bytes_and_dispatches_that_their_plan_counts() {
    let timeline = Timeline::with_events();
    let open = || Gpu::idle(Options { timeline: timeline.clone(), ..Options::default() }).unwrap();
    let device = Device::Group(Group::new(vec![open(), open()]).unwrap());
    let total = || {
        let events = timeline.recording().events;
        let bytes = |phase| events.iter().filter(|event| event.phase == phase).map(|event| event.bytes).sum();
        let bytes: [u64; 2] = [bytes(Phase::Upload), bytes(Phase::Download)];
        (bytes, total(&timeline.dispatches()))
    };
    let check = |(plan, counted): (String, Traffic), work: &mut dyn FnMut()| {
        let (bytes, dispatches) = total();
        work();
        let after = total();
        assert_eq!(
            [counted.upload, counted.download],
            [after.0[0] - bytes[0], after.0[1] - bytes[1]],
            "{plan}"
        );
        assert_eq!(counted.dispatches, Some(after.1 - dispatches), "{plan}");
    };
    let points = vec![Affine::<Bls12_381>::generator(); 5000];
    let scalars = vec![ark_bls12_381::Fr::from(1u64); points.len()];
    for precompute in [Precompute::Plain, Precompute::Windows] {
        let problem = Multiplication::new(points.len()).with_precompute(precompute);
        let plan = problem.plan(&device).unwrap();
        let bases = plan.prepare(&device, &points).unwrap();
        check((plan.to_string(), plan.traffic()), &mut || _ = bases.multiply(&scalars).unwrap());
    }
    // By vectors: each device has all points.
    let problem = Multiplication::new(points.len()).with_vectors(4);
    let plan = problem.plan(&device).unwrap();
    let bases = plan.prepare(&device, &points).unwrap();
    check((plan.to_string(), plan.traffic()), &mut || _ = bases.run_many(&[&scalars[..]; 4]).unwrap());
    // The idle device finds no pivots, which changes nothing of a reduced form.
    for problem in [Dense::rref(1500, 1400).unwrap(), Dense::inverse(700).unwrap()] {
        let plan = problem.with_sharing(true).plan(&device).unwrap();
        let prepared = plan.prepare(&device).unwrap();
        let (rows, columns) = problem.shape();
        let matrix = BitMatrix::zeros(rows, columns).unwrap();
        check((plan.to_string(), plan.traffic()), &mut || _ = prepared.run((&matrix, None)).unwrap());
    }
    let transform = Transform::new(BABY_BEAR, 1 << 18).unwrap().with_batch(3);
    let plan = transform.plan(&device).unwrap();
    let prepared = plan.prepare(&device).unwrap();
    check((plan.to_string(), plan.traffic()), &mut || prepared.run(&mut vec![0; transform.len()]).unwrap());
    let plan = Product::new(BABY_BEAR, 5000, 300).with_batch(3).plan(&device).unwrap();
    let prepared = plan.prepare(&device).unwrap();
    let (a, b) = (vec![0; 5000], vec![0; 300]);
    check((plan.to_string(), plan.traffic()), &mut || _ = prepared.run(&[[&a[..], &b[..]]; 3]).unwrap());
    let plan = gf2::Product::new(3000, 2000, 1000).unwrap().plan(&device).unwrap();
    let prepared = plan.prepare(&device).unwrap();
    // Without a column that lacks a reducer no row becomes a pivot, as on the idle device.
    let reducers = IndexLists::from_matrix(&BitMatrix::identity(1000).unwrap());
    let rows = IndexLists::from_matrix(&generate::matrix(700, 1000, 0.1, 1).unwrap());
    for method in [F4Method::Blocked, F4Method::TwoStage] {
        let f4 = F4Matrix::new(reducers.clone(), rows.clone(), None).unwrap();
        let f4 = f4.with_method(method).with_sharing(true);
        let plan = f4.plan(&device).unwrap();
        let prepared = plan.prepare(&device).unwrap();
        check((plan.to_string(), plan.traffic()), &mut || _ = prepared.run(&f4).unwrap());
        // The memory that the plan states is enough.
        let few = IndexLists::from_matrix(&generate::matrix(1, 1000, 0.5, 2).unwrap());
        let f4 = F4Matrix::new(few, rows.clone(), None).unwrap().with_method(method).with_sharing(true);
        let memory = f4.plan(&device).unwrap().cost().device_bytes;
        let open = || Gpu::idle(Options { memory, ..Options::default() }).unwrap();
        let limited = Device::Group(Group::new(vec![open(), open()]).unwrap());
        let prepared = f4.plan(&limited).unwrap().prepare(&limited).unwrap();
        assert!(prepared.plan().to_string().contains("which share the columns"));
        prepared.run(&f4).unwrap();
    }
    let [a, b] = [(3000, 2000), (2000, 1000)].map(|(rows, columns)| BitMatrix::zeros(rows, columns).unwrap());
    check((plan.to_string(), plan.traffic()), &mut || _ = prepared.run((&a, &b).into()).unwrap());
}
