//! Tests of the GPU layer on the available adapter: kernels run, data are transferred, failures are errors.

use std::sync::Arc;

use crate::gpu_common::{open, open_another};
use ark_ec::AffineRepr;
use wgalois::curve::{Affine, Bls12_381, ScalarField};
use wgalois::field::BABY_BEAR;
use wgalois::gf2::gpu::DeviceMatrix;
use wgalois::gf2::{BitMatrix, Dense};
use wgalois::gpu::{Adapter, Gpu, Options};
use wgalois::gpu::{
    Buffers, CANARY, CanaryBuffers, CanaryParams, Clock, DeviceVec, Kernel, Variant, buffers, compose,
};
use wgalois::msm::{DeviceScalars, Multiplication};
use wgalois::ntt::scalar::{self, Vectors};
use wgalois::ntt::{ColumnTransform, Product, Transform, transposed};
use wgalois::task::Problem;
use wgalois::timeline::Timeline;
use wgalois::{Device, Error};

static CANARY_COPY: Kernel =
    Kernel::of::<CanaryBuffers, CanaryParams>("canary_copy", "canary.wgsl", |_| vec![Variant::plain(64)]);

buffers! {
    /// Buffers that the canary does not have.
    struct OtherBuffers {
        not_the_sink: read_write array<u32>,
    }
}

buffers! {
    /// The canary's buffer, which it cannot write.
    struct ReadBuffers {
        sink: read array<u32>,
    }
}

/// The canary's buffers.
fn canary_buffers(sink: &DeviceVec<u32>) -> CanaryBuffers<'_> {
    CanaryBuffers { sink: sink.written().unwrap() }
}

/// The parameters of a canary of `rounds` rounds.
fn canary_rounds(rounds: u32) -> CanaryParams {
    CanaryParams { rounds, never: u32::MAX }
}

#[test]
fn data_survive_the_round_trip() {
    for max_chunk_bytes in [u64::MAX, 4096] {
        let gpu = open(Options { max_chunk_bytes, ..Options::default() });
        for len in [0, 1, 2, 1023, 1024, 1025, 300_000] {
            let data: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            let vector = gpu.upload(&data).unwrap();
            assert_eq!(vector.download().unwrap(), data);
            assert_eq!(vector.read(len / 3..len / 2).unwrap(), data[len / 3..len / 2]);
        }
    }
}

#[test]
fn large_data_go_through_the_staging_buffers() {
    let gpu = open(Options::default());
    let data: Vec<u32> = (0..20_000_000u32).map(|i| i ^ 0x5bd1_e995).collect();
    assert!(gpu.upload(&data).unwrap().download().unwrap() == data);
}

#[test]
fn memory_past_the_limit_is_refused_and_freed_memory_counts_no_more() {
    let gpu = open(Options { memory: 1 << 20, ..Options::default() });
    let half = gpu.zeros::<u32>(1 << 17).unwrap();
    let refused = gpu.zeros::<u32>(1 << 18).unwrap_err();
    assert_eq!(refused.exit_code(), 5, "{refused}");
    drop(half);
    gpu.zeros::<u32>(1 << 18).unwrap();
}

#[test]
fn a_lost_device_answers_with_an_error_and_a_new_one_works() {
    let gpu = open_another(Options::default());
    let vector = gpu.upload(&[1u32, 2, 3, 4]).unwrap();
    gpu.destroy();
    assert_eq!(vector.download().unwrap_err().exit_code(), 5);
    assert_eq!(gpu.upload(&[1u32]).unwrap_err().exit_code(), 5);
    assert!(gpu.is_lost());
    let next = open_another(Options::default());
    assert_eq!(next.upload(&[7u32]).unwrap().download().unwrap(), [7]);
}

#[test]
fn dispatches_are_counted_and_timed() {
    let gpu = open(Options { profile: true, ..Options::default() });
    let sink = gpu.zeros::<u32>(1).unwrap();
    let pipeline = gpu.pipeline(&CANARY, &Variant::plain(64)).unwrap();
    let mut recorder = gpu.record();
    for _ in 0..3 {
        recorder.dispatch(&pipeline, "sing", &canary_buffers(&sink), &canary_rounds(1), 2).unwrap();
    }
    // With more than 65,535 workgroups the grid is folded.
    recorder.dispatch(&pipeline, "fold", &canary_buffers(&sink), &canary_rounds(0), 70_000).unwrap();
    recorder.submit().unwrap();
    gpu.wait().unwrap();
    let counts = gpu.timeline().dispatches();
    assert_eq!(counts["sing"], 3);
    assert!(counts["fold"] >= 1);
    let trace = gpu.timeline().to_perfetto();
    let events = trace["traceEvents"].as_array().unwrap();
    assert_eq!(events.iter().filter(|e| e["name"] == "sing" && e["cat"] == "device").count(), 3);
}

#[test]
fn a_clock_takes_the_samples_asked_for() {
    let gpu = open(Options::default());
    if !gpu.has_timestamps() {
        assert!(Clock::new(&gpu).is_err());
        return;
    }
    let sink = gpu.zeros::<u32>(1).unwrap();
    let pipeline = gpu.pipeline(&CANARY_COPY, &Variant::plain(64)).unwrap();
    let samples = Clock::new(&gpu)
        .unwrap()
        .samples(3, |recorder| {
            recorder.dispatch(&pipeline, "x", &canary_buffers(&sink), &canary_rounds(100), 8)
        })
        .unwrap();
    assert_eq!(samples.sorted.len(), 3);
}

#[test]
fn a_wrong_dispatch_is_an_error() {
    let gpu = open(Options::default());
    let pipeline = gpu.pipeline(&CANARY, &Variant::plain(64)).unwrap();
    let sink = gpu.zeros::<u32>(1).unwrap();
    let refused = |buffers: &dyn Buffers, parts: [&str; 2]| {
        let fault = gpu.record().dispatch(&pipeline, "x", buffers, &canary_rounds(1), 1).unwrap_err();
        assert!(parts.iter().all(|part| fault.to_string().contains(part)), "{fault}");
    };
    let other = OtherBuffers { not_the_sink: sink.written().unwrap() };
    refused(&other, ["canary: buffers not_the_sink (read_write) where", "sink (read_write) are"]);
    let read = ReadBuffers { sink: sink.whole().unwrap() };
    refused(&read, ["canary: buffers sink (read) where", "sink (read_write) are"]);
    let fault = gpu.record().dispatch(&pipeline, "x", &canary_buffers(&sink), &(), 1).unwrap_err();
    assert!(fault.to_string().contains("rounds"), "{fault}");
}

#[test]
fn a_fault_in_a_shader_names_its_file_and_line() {
    static BROKEN: Kernel = Kernel::of::<OtherBuffers, CanaryParams>("broken", "canary.wgsl", |_| Vec::new());
    let gpu = open(Options::default());
    let message = gpu.pipeline(&BROKEN, &Variant::plain(64)).unwrap_err().to_string();
    assert!(message.contains("shaders/canary.wgsl:17"), "{message}");
    static MISSING: Kernel = Kernel {
        name: "missing",
        source: "no_such_file.wgsl",
        bindings: &[],
        params: &[],
        variants: |_| Vec::new(),
    };
    assert!(compose(&MISSING, &Variant::plain(1), gpu.arithmetic()).is_err());
}

/// Returns a valid kernel with the canary's text.
const fn canary(name: &'static str) -> Kernel {
    Kernel::of::<CanaryBuffers, CanaryParams>(name, "canary.wgsl", |_| Vec::new())
}

#[test]
fn a_broken_kernel_among_good_ones_is_the_one_that_is_told() {
    static GOOD: [Kernel; 2] = [canary("good 1"), canary("good 2")];
    static BROKEN: [Kernel; 2] = [
        Kernel { bindings: OtherBuffers::BINDINGS, ..canary("broken 1") },
        Kernel { source: "no_such_file.wgsl", ..canary("broken 2") },
    ];
    let gpu = open_another(Options { timeline: Timeline::with_events(), ..Options::default() });
    let variants = [1, 2, 4, 8].map(Variant::plain);
    let good = |variant| [(&GOOD[0], variant), (&GOOD[1], variant)];
    // Some threads compile the kernels that others wait for. A broken kernel fails only its own call.
    std::thread::scope(|scope| {
        for (i, variant) in variants.iter().chain(&variants).enumerate() {
            let gpu = &gpu;
            scope.spawn(move || {
                let [a, b] = good(variant);
                let broken = &BROKEN[i % 2];
                let fault = ["shaders/canary.wgsl:17", "no_such_file.wgsl"][i % 2];
                let message = gpu.pipelines([a, (broken, variant), b]).unwrap_err().to_string();
                assert!(message.contains(fault), "{message}");
            });
            scope.spawn(move || gpu.pipelines(good(variant)).unwrap());
        }
    });
    for variant in &variants {
        let (first, second) = (gpu.pipelines(good(variant)).unwrap(), gpu.pipelines(good(variant)).unwrap());
        assert!(first.iter().zip(&second).all(|(a, b)| Arc::ptr_eq(a, b)));
    }
    // Each variant was compiled once.
    let trace = gpu.timeline().to_perfetto();
    let prepared = trace["traceEvents"].as_array().unwrap().iter().filter(|e| e["cat"] == "preparing");
    assert_eq!(prepared.count(), GOOD.len() * variants.len());
    gpu.check().unwrap();
}

#[test]
fn the_portable_device_has_webgpus_default_limits() {
    let gpu = open(Options::portable());
    assert_eq!(gpu.limits().max_compute_workgroup_storage_size, 16_384);
    assert!(!gpu.arithmetic().int64 && !gpu.arithmetic().subgroups);
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    for select in [Adapter::Index(99), Adapter::Name("no such adapter".into())] {
        assert_eq!(Gpu::open(&select, Options::default()).unwrap_err().exit_code(), 4);
    }
}

#[test]
fn data_of_another_device_are_refused() {
    let (gpu, other) = (open_another(Options::default()), open_another(Options::default()));
    assert!(gpu.is_same_device(&gpu.with_options(Options::portable())) && !gpu.is_same_device(&other));
    let device = Device::Gpu(gpu.clone());
    let refused = |outcome: wgalois::Result<()>| match outcome {
        Err(Error::DifferentDevices { .. }) => (),
        outcome => panic!("{outcome:?}"),
    };
    let (mut own, mut foreign) = (gpu.upload(&[1u32, 2, 3, 4]).unwrap(), other.upload(&[1u32; 4]).unwrap());
    refused(own.assign(&foreign));
    refused(own.assign_padded(&foreign, 2, 2));
    let transform = Transform::new(BABY_BEAR, 4).unwrap().plan(&device).unwrap().prepare(&device).unwrap();
    refused(transform.run_on_device(&mut foreign));
    refused(transform.record(&mut other.record(), &mut own));
    let product = Product::new(BABY_BEAR, 4, 4).plan(&device).unwrap().prepare(&device).unwrap();
    refused(product.run_on_device(&own, &foreign).map(drop));
    refused(product.run_on_device(&foreign, &own).map(drop));
    let columns = ColumnTransform::new(Transform::new(BABY_BEAR, 4).unwrap())
        .plan(&device)
        .unwrap()
        .prepare(&device)
        .unwrap();
    refused(columns.run_on_device(&foreign).map(drop));

    let matrices =
        [&gpu, &other].map(|gpu| DeviceMatrix::upload(gpu, &BitMatrix::identity(8).unwrap()).unwrap());
    let [mut a, mut b] = matrices;
    refused(a.multiply(&b).map(drop));
    refused(a.assign(&b));
    let rank = Dense::rank(8, 8).unwrap().plan(&device).unwrap().prepare(&device).unwrap();
    refused(rank.run_on_device(&mut b).map(drop));
    assert!(rank.run_on_device(&mut a).is_ok());

    type Scalar = ScalarField<Bls12_381>;
    let one = [Scalar::from(1u64)];
    let vectors = [&gpu, &other].map(|gpu| Vectors::<Scalar>::new(&Device::Gpu(gpu.clone())).unwrap());
    let [mut a, mut b] = vectors.each_ref().map(|vectors| vectors.upload(&one).unwrap());
    refused(vectors[0].add(&mut a, &b));
    refused(vectors[0].assign(&mut a, &b));
    refused(vectors[0].scale(&mut b, one[0]));
    refused(vectors[0].invert(&mut b));
    let transform = scalar::Transform::<Scalar>::new(1).unwrap();
    refused(transform.plan(&device).unwrap().prepare(&device).unwrap().run_vector(&mut b));
    let bases = Multiplication::<Bls12_381>::new(1).plan(&device).unwrap();
    let points = [Affine::<Bls12_381>::generator()];
    let bases = bases.prepare(&device, &points).unwrap();
    refused(bases.run_on_device(&DeviceScalars::upload(&other, &one).unwrap()).map(drop));

    // Neither device has a fault afterwards.
    assert!([&gpu, &other].iter().all(|gpu| gpu.check().is_ok() && !gpu.is_lost() && gpu.index().is_some()));
    assert_eq!(own.download().unwrap(), [1, 2, 3, 4]);
    assert_eq!(transposed(&foreign, 2, 2).unwrap().download().unwrap(), [1; 4]);
}
