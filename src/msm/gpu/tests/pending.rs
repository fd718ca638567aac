//! Multiplications that are begun before the one before is awaited, by ranges of a vector on the device.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::whole::{PRECOMPUTES, prepare};
use super::{devices, open};
use crate::Device;
use crate::curve::{Affine, Bn254};
use crate::gpu::Options;
use crate::msm::{DeviceScalars, Known, Multiplication, Points, Settings, random_scalars};
use crate::task::Problem;

#[test]
fn begun_multiplications_have_the_sums_of_their_ranges() {
    let (known, others) = (Known::<Bn254>::random(200, 5), Known::<Bn254>::random(150, 6));
    let scalars = random_scalars::<Bn254>(300, &mut ChaCha8Rng::seed_from_u64(7));
    for gpu in devices() {
        for precompute in PRECOMPUTES {
            let settings = Settings::default().with_precompute(precompute).with_width(6).with_pair_rounds(1);
            let device = Device::Gpu(gpu.clone());
            let plan = Multiplication::new(200).with_settings(settings).plan(&device).unwrap();
            let bases = plan.prepare_with(&device, Points::new(&known.points).with_name("one")).unwrap();
            let other = prepare(gpu, &settings, &others.points).unwrap();
            let mut vector = DeviceScalars::upload(gpu, &scalars).unwrap();
            let first = bases.begin_on_device(&vector, 0..200).unwrap();
            let second = other.begin_on_device(&vector, 7..157).unwrap();
            let third = bases.begin_on_device(&vector, 299..300).unwrap();
            let none = bases.begin_on_device(&vector, 5..5).unwrap();
            // The vector may change at once.
            vector.clear().unwrap();
            assert_eq!(bases.end(third).unwrap(), known.sum(&scalars[299..]));
            assert_eq!(bases.end(first).unwrap(), known.sum(&scalars[..200]));
            assert_eq!(other.end(second).unwrap(), others.sum(&scalars[7..157]));
            assert_eq!(bases.end(none).unwrap(), Affine::identity());
            // Nothing that a multiplication needs is cleared.
            bases.clear().unwrap();
            assert_eq!(bases.multiply(&scalars[..200]).unwrap(), known.sum(&scalars[..200]));
            assert_eq!(bases.begin_on_device(&vector, 0..201).err().unwrap().exit_code(), 3);
            assert_eq!(bases.begin_on_device(&vector, 200..301).err().unwrap().exit_code(), 2);
        }
    }
    let stages = devices()[0].timeline().dispatches();
    assert!(stages.contains_key("one: accumulate") && !stages.contains_key("one: convert"), "{stages:?}");
}

/// A vector of several buffers, and bases that go to the device in parts.
#[test]
fn ranges_of_long_vectors_begin_anywhere() {
    let known = Known::<Bn254>::random(3000, 8);
    let scalars = random_scalars::<Bn254>(3500, &mut ChaCha8Rng::seed_from_u64(9));
    for options in [
        Options { max_chunk_bytes: 1 << 15, ..Options::default() },
        Options { memory: 1 << 19, ..Options::default() },
    ] {
        let gpu = open(options);
        let bases = prepare(&gpu, &Settings::default(), &known.points).unwrap();
        let vector =
            DeviceScalars::upload(&open(Options { memory: u64::MAX, ..gpu.options().clone() }), &scalars);
        let vector = vector.unwrap();
        for range in [0..3000, 500..3500, 1023..1024, 1025..2100] {
            let begun = bases.begin_on_device(&vector, range.clone()).unwrap();
            assert_eq!(bases.end(begun).unwrap(), known.sum(&scalars[range]));
        }
    }
}
