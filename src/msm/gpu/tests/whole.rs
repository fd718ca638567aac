//! Whole multiplications against arkworks, blst and known logarithms.

use ark_ec::CurveGroup;
use ark_ff::PrimeField;

use super::{devices, open};
use crate::curve::{Bls12_381, Bn254, Curve, CurveName};
use crate::gpu::{Gpu, Options};
use crate::msm::samples::{KINDS, Kind, Sample, sample};
use crate::msm::{Balance, Known, Precompute, Settings, random_scalars};
use crate::with_curve;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

const PRECOMPUTES: [Precompute; 3] = [Precompute::Plain, Precompute::Windows, Precompute::Doublings(2)];

fn agrees<C: Curve>(gpu: &Gpu, settings: &Settings, kind: Kind, n: usize) {
    let Sample { points, scalars } = sample::<C>(kind, n);
    let integers: Vec<_> = scalars.iter().map(|k| k.into_bigint()).collect();
    let result = settings.upload(gpu, &points).unwrap().msm(&scalars).unwrap();
    assert_eq!(result, C::host_msm(&points, &integers).into_affine(), "{settings:?} {kind:?} {n}");
}

#[test]
fn every_length_to_300_sampled() {
    for gpu in devices() {
        for n in [0, 1, 2, 3, 5, 8, 17, 31, 64, 65, 100, 127, 255, 256, 300] {
            for precompute in PRECOMPUTES {
                let settings = Settings::default().precompute(precompute).width(Some(6));
                agrees::<Bls12_381>(gpu, &settings, Kind::Random, n);
            }
        }
    }
}

#[test]
fn every_kind_of_input() {
    for gpu in devices() {
        for kind in KINDS {
            for precompute in PRECOMPUTES {
                let settings = Settings::default().precompute(precompute).width(Some(8));
                agrees::<Bn254>(gpu, &settings, kind, 150);
                agrees::<Bls12_381>(gpu, &settings, kind, 50);
            }
        }
    }
}

#[test]
fn every_curve_at_4096() {
    for gpu in devices() {
        for name in CurveName::ALL {
            for precompute in PRECOMPUTES {
                let settings = Settings::default().precompute(precompute);
                with_curve!(name, C => agrees::<C>(gpu, &settings, Kind::Random, 1 << 12));
            }
        }
    }
}

#[test]
fn the_imbalanced_form_gives_the_same() {
    let gpu = &devices()[0];
    for kind in KINDS {
        for precompute in [Precompute::Plain, Precompute::Windows] {
            let settings =
                Settings::default().precompute(precompute).width(Some(6)).balance(Balance::Buckets);
            agrees::<Bn254>(gpu, &settings, kind, 70);
        }
    }
    let odd = Settings::default().precompute(Precompute::Doublings(1)).balance(Balance::Buckets);
    assert_eq!(odd.upload::<Bn254>(gpu, &[]).err().unwrap().exit_code(), 2);
}

#[test]
fn every_width_from_2_to_16() {
    let gpu = &devices()[0];
    for width in 2..=16 {
        for precompute in PRECOMPUTES {
            let settings = Settings::default().precompute(precompute).width(Some(width));
            agrees::<Bn254>(gpu, &settings, Kind::EdgeScalars, 40);
        }
    }
    assert!(Settings::default().width(Some(1)).upload::<Bn254>(gpu, &[]).is_err());
}

/// Small bindings and little memory: many chunks, many groups.
#[test]
fn pieces_add_up() {
    let sample = sample::<Bn254>(Kind::Random, 1000);
    let integers: Vec<_> = sample.scalars.iter().map(|k| k.into_bigint()).collect();
    let expected = Bn254::host_msm(&sample.points, &integers).into_affine();
    for (max_chunk_bytes, memory) in [(1 << 14, u64::MAX), (1 << 17, 1 << 21)] {
        let gpu = open(Options { max_chunk_bytes, memory, ..Options::default() });
        for precompute in PRECOMPUTES {
            let settings = Settings::default().precompute(precompute).width(Some(5));
            let bases = settings.upload(&gpu, &sample.points).unwrap();
            assert!(bases.plan().chunk < 1000 || bases.plan().group < bases.plan().scheme.sets);
            assert_eq!(bases.msm(&sample.scalars).unwrap(), expected);
        }
    }
}

#[test]
fn memory_that_does_not_do_is_an_error() {
    let sample = sample::<Bn254>(Kind::Random, 1000);
    for options in [
        Options { memory: 1 << 12, ..Options::default() },
        Options { max_chunk_bytes: 128, ..Options::default() },
    ] {
        let upload = Settings::default().upload(&open(options), &sample.points);
        assert_eq!(upload.err().unwrap().exit_code(), 5);
    }
}

#[test]
fn bases_are_used_again_and_by_prefixes() {
    for gpu in devices() {
        let known = Known::<Bn254>::random(200, 1);
        let scalars = random_scalars::<Bn254>(200, &mut ChaCha8Rng::seed_from_u64(2));
        for precompute in PRECOMPUTES {
            let bases =
                Settings::default().precompute(precompute).width(Some(6)).upload(gpu, &known.points).unwrap();
            let vectors = [&scalars[..], &scalars[..77], &[], &scalars[100..]];
            let expected: Vec<_> = vectors.iter().map(|scalars| known.sum(scalars)).collect();
            assert_eq!(bases.batch(&vectors).unwrap(), expected);
            assert_eq!(bases.msm(&scalars[..77]).unwrap(), expected[1]);
            let too_many = [scalars.clone(), scalars.clone()].concat();
            assert_eq!(bases.msm(&too_many).unwrap_err().exit_code(), 3);
        }
    }
}
