//! Tests of complete multiplications against arkworks, blst and known logarithms.

use ark_ec::scalar_mul::double_and_add_affine;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::PrimeField;

use super::{devices, open, prime_curves};
use crate::curve::coordinates::HOMOGENEOUS;
use crate::curve::{Affine, Bls12_377, Bls12_381, Bls24_315, Bn254, Curve};
use crate::gpu::{Gpu, Options, block_on};
use crate::msm::tests::samples::{KINDS, Kind, Sample, sample};
use crate::msm::{
    Accumulators, Addends, Balance, Bases, DeviceScalars, Known, Multiplication, Precompute, Reduction,
    Settings, gpu, multiply, random_scalars,
};
use crate::task::Problem;
use crate::{Device, Error, Result, with_curve};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

pub(super) const PRECOMPUTES: [Precompute; 4] =
    [Precompute::Plain, Precompute::Glv, Precompute::Windows, Precompute::Doublings(2)];

pub(super) fn prepare<'p, C: Curve>(
    gpu: &Gpu,
    settings: &Settings,
    points: &'p [Affine<C>],
) -> Result<Bases<'p, C>> {
    let device = Device::Gpu(gpu.clone());
    Multiplication::new(points.len()).with_settings(*settings).plan(&device)?.prepare(&device, points)
}

/// Checks by the GPU, however few points there are.
pub(super) fn first_outside<C: Curve>(gpu: &Gpu, points: &[Affine<C>]) -> Result<Option<usize>> {
    block_on(gpu::first_outside_async(gpu, points))
}

pub(super) fn agrees<C: Curve>(gpu: &Gpu, settings: &Settings, kind: Kind, n: usize) {
    let Sample { points, scalars } = sample::<C>(kind, n);
    let integers: Vec<_> = scalars.iter().map(|k| k.into_bigint()).collect();
    let result = prepare(gpu, settings, &points).unwrap().multiply(&scalars).unwrap();
    assert_eq!(
        result,
        crate::curve::sum_by_arkworks(&points, &integers).into_affine(),
        "{settings:?} {kind:?} {n}"
    );
}

#[test]
fn every_length_to_300_sampled() {
    for gpu in devices() {
        for n in [0, 1, 2, 3, 5, 8, 17, 31, 64, 65, 100, 127, 255, 256, 300] {
            for precompute in PRECOMPUTES {
                let settings = Settings::default().with_precompute(precompute).with_width(6);
                agrees::<Bls12_381>(gpu, &settings, Kind::Random, n);
            }
        }
    }
}

#[test]
fn lengths_on_every_curve() {
    fn some<C: Curve>(gpu: &Gpu) {
        for (n, precompute) in [0, 1, 2, 7, 66, 130, 299].into_iter().zip(PRECOMPUTES.iter().cycle()) {
            let settings = Settings::default().with_precompute(*precompute).with_width(5);
            agrees::<C>(gpu, &settings, Kind::Random, n);
        }
    }
    for gpu in devices() {
        for name in prime_curves() {
            with_curve!(name, C => some::<C>(gpu));
        }
    }
}

#[test]
fn every_kind_of_input() {
    for gpu in devices() {
        for kind in KINDS {
            for precompute in PRECOMPUTES {
                let settings = Settings::default().with_precompute(precompute).with_width(8);
                agrees::<Bn254>(gpu, &settings, kind, 150);
                agrees::<Bls12_381>(gpu, &settings, kind, 50);
            }
        }
    }
}

#[test]
fn every_curve_at_4096() {
    for gpu in devices() {
        for name in prime_curves() {
            for precompute in PRECOMPUTES {
                let settings = Settings::default().with_precompute(precompute);
                with_curve!(name, C => agrees::<C>(gpu, &settings, Kind::Random, 1 << 12));
            }
        }
    }
}

#[test]
fn the_imbalanced_form_gives_the_same() {
    let gpu = &devices()[0];
    for kind in KINDS {
        for precompute in PRECOMPUTES {
            for balance in [Balance::Buckets, Balance::BucketEach] {
                let settings =
                    Settings::default().with_precompute(precompute).with_width(6).with_balance(balance);
                agrees::<Bn254>(gpu, &settings, kind, 70);
            }
        }
    }
}

/// The forms of published programs.
fn published_forms() -> Vec<Settings> {
    let plain = Settings::default().with_width(5);
    let two = plain.with_addends(Addends::Two);
    vec![
        plain.with_accumulators(Accumulators::Workgroup),
        two.with_reduction(Reduction::Layers(4)),
        two.with_coordinates(&HOMOGENEOUS).with_reduction(Reduction::Layers(8)),
        two.with_accumulators(Accumulators::Workgroup)
            .with_precompute(Precompute::Doublings(2))
            .with_reduction(Reduction::PrefixSums),
        plain
            .with_balance(Balance::BucketEach)
            .with_accumulators(Accumulators::Workgroup)
            .with_reduction(Reduction::PrefixSums),
        plain
            .with_precompute(Precompute::Doublings(2))
            .with_balance(Balance::Buckets)
            .with_accumulators(Accumulators::Workgroup),
        plain.with_precompute(Precompute::Windows).with_reduction(Reduction::Layers(8)),
    ]
}

#[test]
fn published_forms_give_the_same() {
    for gpu in devices() {
        for settings in published_forms() {
            for n in [0, 1, 2, 3, 100] {
                agrees::<Bn254>(gpu, &settings, Kind::Random, n);
            }
        }
    }
    for settings in published_forms() {
        for kind in KINDS {
            agrees::<Bn254>(&devices()[0], &settings, kind, 50);
        }
    }
}

#[test]
fn forms_that_exclude_each_other_are_refused() {
    let two = Settings::default().with_addends(Addends::Two);
    for settings in [
        two.with_pair_rounds(1),
        two.with_balance(Balance::Buckets),
        two.with_balance(Balance::BucketEach),
        Settings::default().with_reduction(Reduction::Layers(3)),
    ] {
        let refused = prepare::<Bn254>(&devices()[0], &settings, &[]).err().unwrap();
        assert_eq!(refused.exit_code(), 2, "{settings:?}");
    }
}

/// Several chunks: sums that begin with those stored.
#[test]
fn forms_add_up_chunks() {
    let sample = sample::<Bn254>(Kind::Random, 500);
    let integers: Vec<_> = sample.scalars.iter().map(|k| k.into_bigint()).collect();
    let expected = crate::curve::sum_by_arkworks(&sample.points, &integers).into_affine();
    let gpu = open(Options { max_chunk_bytes: 1 << 14, ..Options::default() });
    for settings in published_forms() {
        let bases = match prepare(&gpu, &settings, &sample.points) {
            Ok(bases) => bases,
            Err(error) => {
                assert!(settings.balance == Balance::Buckets && error.exit_code() == 2);
                continue;
            }
        };
        assert!(bases.plan().cut().unwrap().chunk < 500);
        assert_eq!(bases.multiply(&sample.scalars).unwrap(), expected, "{settings:?}");
    }
}

/// Random points of the curve, multiples that clear part of the cofactor, and those inside.
#[test]
fn points_outside_the_subgroup_are_found() {
    fn check<C: Curve>(gpu: &Gpu) {
        let mut points = Known::<C>::random(70, 3).points;
        points[5] = Affine::identity();
        assert_eq!(first_outside(gpu, &points).unwrap(), None);
        let mut x = C::BaseField::from(2u64);
        let mut random = std::iter::repeat_with(|| {
            loop {
                x += C::BaseField::from(1u64);
                if let Some(point) = Affine::<C>::get_point_from_x_unchecked(x, false) {
                    return point;
                }
            }
        });
        for place in [69, 64, 63, 6, 5, 0] {
            let outside = random.by_ref().find(|point| !C::in_subgroup(point)).unwrap();
            points[place] = outside;
            assert_eq!(first_outside(gpu, &points).unwrap(), Some(place));
        }
        // Of the order of the cofactor, and of small order.
        let cleared = |point: Affine<C>| double_and_add_affine(&point, C::ScalarField::MODULUS.as_ref());
        for factor in [1, 2, 3, 11] {
            let low = double_and_add_affine(&cleared(points[0]).into_affine(), &[factor]).into_affine();
            let expected = if low.is_zero() { None } else { Some(0) };
            assert_eq!(first_outside(gpu, &[low]).unwrap(), expected);
        }
    }
    for gpu in devices() {
        check::<Bls12_381>(gpu);
        check::<Bls12_377>(gpu);
        check::<Bls24_315>(gpu);
        // Every point of the curve is in the subgroup.
        assert_eq!(first_outside(gpu, &Known::<Bn254>::random(3, 1).points).unwrap(), None);
    }
    // (0, 1) on y^2 = x^3 + 1 has order three, (-1, 0) order two.
    let of = |x: i64, y: i64| Affine::<Bls24_315>::new_unchecked(x.into(), y.into());
    for point in [of(0, 1), of(-1, 0)] {
        assert!(point.is_on_curve() && !Bls24_315::in_subgroup(&point));
        assert_eq!(first_outside(&devices()[0], &[point]).unwrap(), Some(0));
    }
}

#[test]
fn pairs_first_give_the_same() {
    for gpu in devices() {
        for (rounds, n) in [(1, 200), (2, 333), (3, 77), (8, 1)] {
            for precompute in PRECOMPUTES {
                let settings =
                    Settings::default().with_precompute(precompute).with_width(5).with_pair_rounds(rounds);
                agrees::<Bls12_381>(gpu, &settings, Kind::Random, n);
                agrees::<Bn254>(gpu, &settings, Kind::Opposite, n);
            }
        }
    }
    let whole = Settings::default().with_pair_rounds(1).with_balance(Balance::Buckets);
    assert_eq!(prepare::<Bn254>(&devices()[0], &whole, &[]).err().unwrap().exit_code(), 2);
}

/// Kernels with bounds checks and loop limits compiled in give the same results.
#[test]
fn checked_kernels_give_the_same() {
    let gpu = &open(Options { checked: true, ..Options::portable() });
    for kind in [Kind::Random, Kind::AllEqual] {
        for precompute in PRECOMPUTES {
            for rounds in [0, 2] {
                let settings =
                    Settings::default().with_precompute(precompute).with_width(4).with_pair_rounds(rounds);
                agrees::<Bn254>(gpu, &settings, kind, 40);
            }
        }
        agrees::<Bn254>(gpu, &Settings::default().with_width(4).with_balance(Balance::Buckets), kind, 40);
    }
    assert_eq!(first_outside(gpu, &Known::<Bls24_315>::random(9, 1).points).unwrap(), None);
}

#[test]
fn every_width_from_2_to_16() {
    let gpu = &devices()[0];
    for width in 2..=16 {
        for precompute in PRECOMPUTES {
            let settings = Settings::default().with_precompute(precompute).with_width(width);
            agrees::<Bn254>(gpu, &settings, Kind::EdgeScalars, 40);
        }
    }
    assert!(prepare::<Bn254>(gpu, &Settings::default().with_width(1), &[]).is_err());
}

/// Small bindings and little memory: many chunks, many groups.
#[test]
fn pieces_add_up() {
    let sample = sample::<Bn254>(Kind::Random, 1000);
    let integers: Vec<_> = sample.scalars.iter().map(|k| k.into_bigint()).collect();
    let expected = crate::curve::sum_by_arkworks(&sample.points, &integers).into_affine();
    for (max_chunk_bytes, memory) in [(1 << 14, u64::MAX), (1 << 17, 1 << 21)] {
        let gpu = open(Options { max_chunk_bytes, memory, ..Options::default() });
        for precompute in PRECOMPUTES {
            for rounds in [0, 2] {
                let settings =
                    Settings::default().with_precompute(precompute).with_width(5).with_pair_rounds(rounds);
                let bases = prepare(&gpu, &settings, &sample.points).unwrap();
                let cut = bases.plan().cut().unwrap();
                assert!(cut.chunk < 1000 || cut.group < cut.scheme.sets);
                assert_eq!(bases.multiply(&sample.scalars).unwrap(), expected);
            }
        }
    }
}

/// Points that do not fit the memory go to the device part by part.
#[test]
fn parts_add_up() {
    let known = Known::<Bn254>::random(20_001, 9);
    let scalars = random_scalars::<Bn254>(known.points.len(), &mut ChaCha8Rng::seed_from_u64(6));
    let gpu = open(Options { memory: 1 << 20, ..Options::default() });
    let bases = prepare(&gpu, &Settings::default(), &known.points).unwrap();
    assert!(bases.plan().parts() > 2 && bases.plan().cost().device_bytes <= 1 << 20);
    let (short, expected) = (&scalars[..9000], known.sum(&scalars));
    let sums = bases.run_many(&[&scalars, short, &[]]).unwrap();
    assert_eq!(sums, [expected, known.sum(short), Affine::identity()]);
    let resident = DeviceScalars::upload(&gpu, &scalars).unwrap();
    // The scalars take some of the memory that was planned for.
    match bases.run_on_device(&resident) {
        Ok(sum) => assert_eq!(sum, expected),
        Err(error) => assert!(matches!(error, Error::OutOfMemory(_)), "{error}"),
    }
    // Another preparation of the same size does not fit beside the first.
    drop((bases, resident));
    let sum = multiply(&Device::Gpu(gpu), &known.points, &scalars);
    assert_eq!(sum.unwrap(), expected);
}

#[test]
fn memory_that_does_not_do_is_an_error() {
    let sample = sample::<Bn254>(Kind::Random, 1000);
    for options in [
        Options { memory: 1 << 12, ..Options::default() },
        Options { max_chunk_bytes: 128, ..Options::default() },
    ] {
        let refused = prepare(&open(options), &Settings::default(), &sample.points);
        assert_eq!(refused.err().unwrap().exit_code(), 5);
    }
    // The memory that the error names is enough.
    let known = Known::<Bls12_381>::random(4000, 1);
    let points = &known.points;
    let limited = |memory| open(Options { memory, ..Options::default() });
    let refused = prepare(&limited(360_000), &Settings::default(), points).err().unwrap();
    let Error::OutOfMemory(shortage) = refused else { panic!("{refused}") };
    let enough = shortage.needed.unwrap();
    assert!(enough > 4000 * 96 && shortage.allowed == Some(360_000), "{shortage}");
    let scalars = random_scalars::<Bls12_381>(4000, &mut ChaCha8Rng::seed_from_u64(6));
    let gpu = limited(enough);
    let bases = prepare(&gpu, &Settings::default(), points).unwrap();
    assert_eq!(bases.multiply(&scalars).unwrap(), known.sum(&scalars));
    assert!(prepare(&limited(enough - 1), &Settings::default(), points).is_err());
}

/// Vectors that go to the device in several writes.
#[test]
fn long_vectors_in_a_batch() {
    let known = Known::<Bn254>::random((1 << 15) + 100, 4);
    let scalars = random_scalars::<Bn254>(known.points.len(), &mut ChaCha8Rng::seed_from_u64(5));
    let vectors = [&scalars[7..], &scalars[..], &scalars[..1 << 15]];
    let bases = prepare(&devices()[0], &Settings::default(), &known.points).unwrap();
    assert_eq!(bases.run_many(&vectors).unwrap(), vectors.map(|scalars| known.sum(scalars)));
}

#[test]
fn bases_are_used_again_and_by_prefixes() {
    for gpu in devices() {
        let known = Known::<Bn254>::random(200, 1);
        let scalars = random_scalars::<Bn254>(200, &mut ChaCha8Rng::seed_from_u64(2));
        for precompute in PRECOMPUTES {
            let settings = Settings::default().with_precompute(precompute).with_width(6);
            let bases = prepare(gpu, &settings, &known.points).unwrap();
            let vectors = [&scalars[..], &scalars[..77], &[], &scalars[100..]];
            let expected: Vec<_> = vectors.iter().map(|scalars| known.sum(scalars)).collect();
            assert_eq!(bases.run_many(&vectors).unwrap(), expected);
            assert_eq!(bases.multiply(&scalars[..77]).unwrap(), expected[1]);
            let too_many = [scalars.clone(), scalars.clone()].concat();
            assert_eq!(bases.multiply(&too_many).unwrap_err().exit_code(), 3);
        }
    }
}
