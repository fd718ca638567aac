//! Points off the curve, words past the prime, ranges of bases, sums of chosen points, devices that a program has
//! opened, programs that are written once for either engine.

use ark_bn254::Fr;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::Field;
use wgalois::curve::{Affine, Bls12_381, Bn254, Curve};
use wgalois::field::BABY_BEAR;
use wgalois::gpu::{Gpu, Options};
use wgalois::msm::{self, Known, Multiplication};
use wgalois::ntt::{self, Direction, Order, Transform};
use wgalois::task::Problem;
use wgalois::{Cpu, Device, Select, Setup};

fn cpu() -> Device {
    Device::Cpu(Cpu::default())
}

fn refuse_points_off_the_curve<C: Curve>() {
    let g = Affine::<C>::generator();
    let off = Affine::<C>::new_unchecked(g.x, g.x);
    let one = C::ScalarField::from(1u64);
    let told = |error: wgalois::Error| {
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().starts_with("point 1 is not on "), "{error}");
    };
    told(msm::multiply(&cpu(), &[g, off], &[one, one]).unwrap_err());
    let plan = Multiplication::<C>::new(2).plan(&cpu()).unwrap();
    told(plan.prepare(&cpu(), vec![g, off]).err().unwrap());
    // Infinity is a point of the curve, and unchecked points are taken as they are.
    assert_eq!(msm::multiply(&cpu(), &[Affine::<C>::zero(), g], &[one, one]).unwrap(), g);
    assert!(plan.prepare_unchecked(&cpu(), vec![g, off]).is_ok());
    let gpu = Device::Gpu(crate::gpu_common::full().clone());
    let plan = Multiplication::<C>::new(2).plan(&gpu).unwrap();
    told(plan.prepare(&gpu, vec![g, off]).err().unwrap());
    told(msm::multiply(&gpu, &[g, off], &[one, one]).unwrap_err());
    assert!(msm::multiply_unchecked(&cpu(), &Default::default(), &[off], &[one]).is_ok());
}

#[test]
fn points_off_the_curve_are_refused_by_default() {
    refuse_points_off_the_curve::<Bn254>();
    refuse_points_off_the_curve::<Bls12_381>();
}

#[test]
fn ranges_of_bases() {
    let known = Known::<Bn254>::random(9, 1);
    let scalars: Vec<Fr> = (1..=9u64).map(Fr::from).collect();
    for device in [cpu(), Device::Gpu(crate::gpu_common::full().clone())] {
        let bases = Multiplication::new(9).plan(&device).unwrap().prepare(&device, &known.points).unwrap();
        let ranges = [(0, 9), (0, 3), (4, 5), (8, 1), (9, 0), (3, 2)];
        let expected = ranges.map(|(first, count)| {
            let points = &known.points[first..first + count];
            let products = points.iter().zip(&scalars).map(|(point, scalar)| *point * scalar);
            let expected = products.sum::<ark_bn254::G1Projective>().into_affine();
            assert_eq!(bases.run_from(first, &scalars[..count]).unwrap(), expected, "{first} {count}");
            expected
        });
        let ranges = ranges.map(|(first, count)| (first, &scalars[..count]));
        assert_eq!(bases.run_many_from(&ranges).unwrap(), expected);
        let together = Multiplication::new(9).with_vectors(4).plan(&device).unwrap();
        let bases = together.prepare(&device, &known.points).unwrap();
        assert_eq!(bases.run_many_from(&ranges).unwrap(), expected);
        for (first, count) in [(1, 9), (9, 1), (usize::MAX, 1)] {
            assert_eq!(
                bases.run_from(first, &scalars[..count]).unwrap_err().exit_code(),
                3,
                "{first} {count}"
            );
        }
    }
}

/// The work of a program that is written once: it keeps its points, its plans and its device, whichever that is.
fn on_either(device: &Device, points: &[Affine<Bn254>], words: &[u32]) -> (Vec<Affine<Bn254>>, Vec<u32>) {
    let bases = Multiplication::new(points.len()).plan(device).unwrap().prepare(device, points).unwrap();
    let transform = Transform::new(BABY_BEAR, words.len()).unwrap();
    let prepared = transform.plan(device).unwrap().prepare(device).unwrap();
    let mut sums = Vec::new();
    for seed in 1..3u64 {
        let scalars: Vec<Fr> =
            (0..points.len() as u64).map(|i| Fr::from(seed + i).inverse().unwrap()).collect();
        sums.push(bases.multiply(&scalars).unwrap());
        sums.push(bases.multiply(&scalars[..3]).unwrap());
        sums.extend(bases.run_many(&[&scalars, &scalars[1..]]).unwrap());
    }
    let mut data = words.to_vec();
    for _ in 0..3 {
        prepared.run(&mut data).unwrap();
    }
    (sums, data)
}

#[test]
fn one_program_runs_on_either_engine() {
    let known = Known::<Bn254>::random(20, 4);
    let words: Vec<u32> = (7..7 + 512).collect();
    let gpu = Device::Gpu(crate::gpu_common::full().clone());
    let (on_cpu, on_gpu) = (on_either(&cpu(), &known.points, &words), on_either(&gpu, &known.points, &words));
    assert!(on_cpu == on_gpu);
    assert_eq!(on_cpu.0.len(), 8);
}

#[test]
fn a_software_driver_is_taken_by_name_only() {
    // A driver that the environment names counts as named by the caller.
    if std::env::var_os("WGPU_ADAPTER_NAME").is_some() || !crate::gpu_common::full().adapter().is_software() {
        return;
    }
    // Tasks that take longer than to look for a GPU, and one that does not.
    for (log_n, batch) in [(24, 100), (20, 20_000), (10, 1)] {
        let problem = Transform::new(BABY_BEAR, 1 << log_n).unwrap().with_batch(batch);
        let choice = Device::select(&Select::Auto, &problem, Setup::default()).unwrap();
        assert!(matches!(choice.device, Device::Cpu(_)), "2^{log_n}");
        assert_eq!(choice.reason.unwrap().contains("software"), batch > 1, "2^{log_n}");
    }
    let named: Select = "gpu".parse().unwrap();
    let problem = Transform::new(BABY_BEAR, 1 << 10).unwrap();
    let choice = Device::select(&named, &problem, Setup::default()).unwrap();
    assert!(matches!(choice.device, Device::Gpu(_)) && choice.reason.is_none());
}

#[test]
fn scalars_of_0_and_1_select_points() {
    let known = Known::<Bn254>::random(100, 2);
    for pattern in [|_: usize| false, |_| true, |i| i % 3 == 0, |i| i == 99, |i| i < 2] {
        let scalars: Vec<Fr> = (0..100).map(|i| Fr::from(u64::from(pattern(i)))).collect();
        let chosen = known.points.iter().enumerate().filter(|(i, _)| pattern(*i));
        let expected =
            chosen.map(|(_, point)| point.into_group()).sum::<ark_bn254::G1Projective>().into_affine();
        assert_eq!(msm::multiply(&cpu(), &known.points, &scalars).unwrap(), expected);
    }
}

#[test]
fn words_past_the_prime_are_refused_by_the_checked_upload() {
    let gpu = crate::gpu_common::full();
    let p = BABY_BEAR.value();
    let vector = ntt::upload_checked(gpu, BABY_BEAR, &[0, p - 1]).unwrap();
    assert_eq!(vector.download().unwrap(), [0, p - 1]);
    for word in [p, p + 1, u32::MAX] {
        let error = ntt::upload_checked(gpu, BABY_BEAR, &[0, 5, word]).err().unwrap();
        assert!(error.exit_code() == 3 && error.to_string().starts_with("word 2 is "), "{error}");
    }
    assert!(gpu.upload(&[p]).is_ok());
}

#[test]
fn a_device_that_the_program_has_opened() {
    let instance = wgpu::Instance::default();
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
        .expect("an adapter; install mesa-vulkan-drivers");
    let opened = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()));
    let (device, queue) = opened.unwrap();
    let gpu = Gpu::from_device(&adapter, device.clone(), queue, Options::default());
    // It is used with the limits and features that it has.
    assert_eq!(gpu.limits(), &device.limits());
    let transform = Transform::new(BABY_BEAR, 1 << 8).unwrap();
    let data: Vec<u32> = (0..1 << 8).collect();
    let [on_gpu, on_cpu] = [Device::Gpu(gpu), cpu()].map(|device| {
        let mut data = data.clone();
        ntt::transform(&device, &transform, &mut data).unwrap();
        data
    });
    assert!(on_gpu == on_cpu);
}

#[test]
fn montgomery_words_go_through_a_transform() {
    let transform = Transform::new(BABY_BEAR, 16).unwrap().with_output(Order::BitReversed);
    let plain: Vec<u32> = (5..21).collect();
    let to_form =
        |words: &[u32]| words.iter().map(|&word| BABY_BEAR.mul(word, 268_435_454)).collect::<Vec<_>>();
    assert_eq!(268_435_454, (1u64 << 32) % u64::from(BABY_BEAR.value()));
    let (mut expected, mut words) = (plain.clone(), to_form(&plain));
    ntt::transform(&cpu(), &transform, &mut expected).unwrap();
    ntt::transform(&cpu(), &transform, &mut words).unwrap();
    assert_eq!(words, to_form(&expected));
    // The inverse swaps the orders.
    let inverse = transform.inverted();
    assert_eq!(
        (inverse.direction(), inverse.input(), inverse.output()),
        (Direction::Inverse, Order::BitReversed, Order::Natural)
    );
}
