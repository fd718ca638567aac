//! Each kernel against the host's reference of its step.

use ark_ff::PrimeField;

use super::bench::{Bench, scheme};
use super::{devices, portable_with_few_registers, prime_curves};
use crate::curve::coordinates::{self, HOMOGENEOUS, JACOBIAN, XYZZ};
use crate::curve::{Bls12_381, Bls24_315, Bn254, Curve, CurveName, Projective};
use crate::field::BigField;
use crate::gpu::Gpu;
use crate::msm::gpu::digits::{DIGITS, digits_variant};
use crate::msm::gpu::pair_kernels::PairKernels;
use crate::msm::gpu::pairs::add_pairs;
use crate::msm::gpu::part::Part;
use crate::msm::gpu::reduction::{self, Buckets};
use crate::msm::gpu::stages;
use crate::msm::tests::reference;
use crate::msm::tests::samples::{KINDS, Kind};
use crate::msm::{Accumulators, Addends, Precompute, Reduction, Scheme, Settings};
use crate::scalars::DeviceScalars;
use crate::with_curve;

/// Every step of one multiplication.
pub(super) fn check<C: Curve>(bench: &Bench<C>) {
    tables_match(bench);
    digits_and_sort_match(bench);
    additions_match(bench);
}

fn tables_match<C: Curve>(bench: &Bench<C>) {
    let field = BigField::of::<C::BaseField>();
    let expected: Vec<u32> = bench
        .host_table
        .iter()
        .flat_map(|p| [field.to_device(&p.x), field.to_device(&p.y)].concat())
        .collect();
    assert!(bench.table.download().unwrap() == expected);
}

fn digits_and_sort_match<C: Curve>(bench: &Bench<C>) {
    let pipeline = bench.gpu.pipeline(&DIGITS, &digits_variant::<C>(bench.cut.scheme.halves)).unwrap();
    let scalars = DeviceScalars::upload(bench.gpu, &bench.sample.scalars).unwrap();
    let (part, workspace) = (bench.part(), &bench.workspace);
    bench.run(|recorder| stages::digits(recorder, &pipeline, &part, scalars.at(0), workspace));
    let integers: Vec<_> = bench.sample.scalars.iter().map(|k| k.into_bigint()).collect();
    let (keys, values): (Vec<u32>, Vec<u32>) =
        reference::entries::<C>(&bench.cut.scheme, &integers).concat().into_iter().unzip();
    assert!(workspace.keys.download().unwrap() == keys);
    assert!(workspace.values.download().unwrap() == values);

    let sorted = bench.run(|recorder| stages::sort(recorder, &part, workspace));
    let (keys, values): (Vec<u32>, Vec<u32>) = bench.sets.concat().into_iter().unzip();
    assert!(sorted.keys.download().unwrap() == keys);
    assert!(sorted.values.download().unwrap() == values);
}

pub(super) fn additions_match<C: Curve>(bench: &Bench<C>) {
    let (part, workspace, kernels) = (bench.part(), &bench.workspace, &bench.kernels);
    let (scheme, sets) = (&bench.cut.scheme, &bench.sets);
    let (keys, values) = bench.sorted();
    let entries = part.sorted(&keys, &values, &workspace.offsets);

    bench.run(|recorder| stages::offsets(recorder, &kernels.offsets, &part, &entries));
    let mut offsets = Vec::new();
    let mut begin = 0;
    for set in sets {
        let first_at = |bucket: u32| set.partition_point(|(key, _)| *key < bucket) as u32;
        offsets.extend((0..scheme.buckets()).map(|bucket| begin + first_at(bucket)));
        begin += set.len() as u32;
    }
    offsets.push(begin);
    assert!(workspace.offsets.download().unwrap() == offsets);

    let all_sums = workspace.sums.whole().unwrap();
    bench.run(|recorder| stages::accumulate(recorder, kernels, &part, &entries, all_sums));
    let expected = reference::partials(sets, &bench.host_table, bench.cut.slice);
    let buckets = part.all_buckets() as usize;
    let partials = bench.points(&workspace.sums).split_off(buckets);
    for (slot, (partial, expected)) in partials.iter().zip(expected).enumerate() {
        assert!(expected.is_none_or(|sum| sum == *partial), "slot {slot}");
    }

    bench.run(|recorder| stages::gather(recorder, kernels, &part, &entries, all_sums));
    let sums = reference::bucket_sums(scheme, sets, &bench.host_table);
    let found = || bench.points(&workspace.sums)[..buckets].to_vec();
    assert!(found() == sums);

    // Accumulate once more, on top of the existing sums.
    let again = Part { fresh: false, ..bench.part() };
    bench.run(|recorder| {
        stages::accumulate(recorder, kernels, &again, &entries, all_sums)?;
        stages::gather(recorder, kernels, &again, &entries, all_sums)
    });
    let twice: Vec<_> = sums.iter().map(|sum| *sum + sum).collect();
    assert!(found() == twice);

    // Accumulate from the beginning, which overwrites all sums.
    let words = bench.settings.coordinates.words(&BigField::of::<C::BaseField>());
    bench.run(|recorder| {
        stages::clear(recorder, &kernels.clear, &part, words, all_sums)?;
        stages::accumulate(recorder, kernels, &part, &entries, all_sums)?;
        stages::gather(recorder, kernels, &part, &entries, all_sums)
    });
    assert!(found() == sums);
    reduction_matches(bench, &sums);
}

/// The reduction of the bucket sums in the workspace, which are `sums`.
fn reduction_matches<C: Curve>(bench: &Bench<C>, sums: &[Projective<C>]) {
    let (scheme, reduction) = (&bench.cut.scheme, bench.settings.reduction);
    if scheme.weights() == 1 {
        return;
    }
    let sets = scheme.sets as usize;
    let words = bench.settings.coordinates.words(&BigField::of::<C::BaseField>());
    let sums_a_set = reduction.digits(scheme.weights()).len() + 1;
    let results = bench.gpu.zeros::<u32>(words * sets * sums_a_set).unwrap();
    bench.run(|recorder| {
        let buckets = Buckets { scheme, sets: scheme.sets };
        let (kernels, workspace) = (&bench.kernels.reduction, &bench.workspace);
        reduction::reduce(recorder, kernels, &buckets, reduction, workspace, results.whole()?)
    });
    let results = bench.points(&results);
    let sums = reference::without_excess(scheme, sums);
    for (set, expected) in reference::reduce(scheme, reduction, &sums).into_iter().enumerate() {
        let found: Vec<_> = results[set..].iter().step_by(sets).copied().collect();
        assert!(found == expected, "set {set}");
    }
}

/// The reduction of bucket sums that the device accumulates without other checks.
pub(super) fn reduction_alone_matches<C: Curve>(bench: &Bench<C>) {
    let (part, workspace, kernels) = (bench.part(), &bench.workspace, &bench.kernels);
    let (keys, values) = bench.sorted();
    let entries = part.sorted(&keys, &values, &workspace.offsets);
    let all_sums = workspace.sums.whole().unwrap();
    bench.run(|recorder| {
        stages::offsets(recorder, &kernels.offsets, &part, &entries)?;
        stages::accumulate(recorder, kernels, &part, &entries, all_sums)?;
        stages::gather(recorder, kernels, &part, &entries, all_sums)
    });
    reduction_matches(bench, &reference::bucket_sums(&bench.cut.scheme, &bench.sets, &bench.host_table));
}

/// Rounds of adding up pairs, and the accumulation of what they leave.
pub(super) fn pairs_match<C: Curve>(bench: &Bench<C>) {
    let (part, workspace, kernels) = (bench.part(), &bench.workspace, &bench.kernels);
    let pair_kernels = PairKernels::new(bench.gpu, &BigField::of::<C::BaseField>()).unwrap();
    let (keys, values) = bench.sorted();
    let sorted = part.sorted(&keys, &values, &workspace.offsets);
    let left = bench.run(|recorder| {
        stages::offsets(recorder, &kernels.offsets, &part, &sorted)?;
        add_pairs(recorder, &pair_kernels, &part, sorted, workspace.pairs.as_ref().unwrap())
    });
    let expected = reference::add_pairs(&bench.cut.scheme, &bench.sets, &bench.host_table, bench.cut.rounds);
    let field = BigField::of::<C::BaseField>();
    let found = left.points.download().unwrap();
    let (found_keys, found_values) = (left.keys.download().unwrap(), left.values.download().unwrap());
    let mut offsets = vec![0];
    for (i, (bucket, point)) in expected.iter().enumerate() {
        let words = &found[field.affine_words() * i..field.affine_words() * (i + 1)];
        // The value is the place of the sum, and its sign.
        let y = if found_values[i] >> 31 == 1 { -point.y } else { point.y };
        assert!(words == [field.to_device(&point.x), field.to_device(&y)].concat(), "sum {i}");
        assert_eq!((found_keys[i], found_values[i] & (u32::MAX >> 1)), (*bucket, i as u32));
        offsets.resize(*bucket as usize + 1, i as u32);
    }
    offsets.resize(part.all_buckets() as usize + 1, expected.len() as u32);
    assert!(left.offsets.download().unwrap() == offsets);

    let all_sums = workspace.sums.whole().unwrap();
    bench.run(|recorder| {
        stages::accumulate(recorder, kernels, &part, &left, all_sums)?;
        stages::gather(recorder, kernels, &part, &left, all_sums)
    });
    let sums = reference::bucket_sums(&bench.cut.scheme, &bench.sets, &bench.host_table);
    assert!(bench.points(&workspace.sums)[..sums.len()] == sums);
}

fn schemes<C: Curve>() -> [Scheme; 7] {
    [
        scheme::<C>(5, Precompute::Plain, 1),
        scheme::<C>(5, Precompute::Glv, 2),
        scheme::<C>(8, Precompute::Glv, 2),
        scheme::<C>(7, Precompute::Windows, u32::MAX),
        scheme::<C>(4, Precompute::Windows, 10),
        scheme::<C>(6, Precompute::Doublings(1), u32::MAX),
        scheme::<C>(4, Precompute::Doublings(9), u32::MAX),
    ]
}

/// Slices of one or two entries: buckets of up to 70 slices, which several levels fold.
#[test]
fn buckets_of_many_slices_are_folded() {
    for (turn, (kind, slice)) in
        [(Kind::AllEqual, 1), (Kind::EqualScalars, 2), (Kind::Opposite, 1), (Kind::ZeroScalars, 1)]
            .into_iter()
            .enumerate()
    {
        let scheme = scheme::<Bn254>(6, Precompute::Plain, 1);
        additions_match(&Bench::<Bn254>::new(
            &devices()[turn % devices().len()],
            &XYZZ,
            (kind, 70),
            scheme,
            slice,
        ));
    }
}

#[test]
fn every_step_matches_on_every_kind_of_input() {
    for gpu in devices() {
        for kind in KINDS {
            check(&Bench::<Bls12_381>::new(
                gpu,
                &XYZZ,
                (kind, 40),
                scheme::<Bls12_381>(5, Precompute::Plain, 1),
                5,
            ));
        }
    }
}

#[test]
fn every_step_matches_with_every_precomputation_on_every_curve() {
    fn all<C: Curve>(gpu: &Gpu) {
        for scheme in schemes::<C>() {
            check(&Bench::<C>::new(gpu, &XYZZ, (Kind::EdgeScalars, 33), scheme, 16));
        }
    }
    for gpu in devices() {
        for name in prime_curves() {
            with_curve!(name, C => all::<C>(gpu));
        }
    }
}

/// Tests one bucket shared by a thousand threads: three levels of folding.
#[test]
fn crowded_buckets_are_folded() {
    for gpu in devices() {
        for kind in [Kind::EqualScalars, Kind::AllEqual, Kind::Opposite] {
            let scheme = scheme::<Bn254>(13, Precompute::Windows, u32::MAX);
            check(&Bench::<Bn254>::new(gpu, &XYZZ, (kind, 300), scheme, 1));
        }
    }
}

#[test]
fn pairs_match_on_every_kind_of_input() {
    for gpu in devices().iter().chain([portable_with_few_registers()]) {
        for kind in KINDS {
            for (rounds, n) in [(1, 40), (2, 81), (3, 9)] {
                let scheme = scheme::<Bls12_381>(4, Precompute::Plain, 1);
                let slice = (5, rounds);
                pairs_match(&Bench::<Bls12_381>::with_rounds(gpu, &XYZZ, (kind, n), scheme, slice));
            }
        }
    }
}

#[test]
fn pairs_match_with_every_precomputation_on_every_curve() {
    fn all<C: Curve>(gpu: &Gpu) {
        for scheme in schemes::<C>() {
            pairs_match(&Bench::<C>::with_rounds(gpu, &XYZZ, (Kind::EdgeScalars, 33), scheme, (16, 2)));
        }
    }
    for gpu in devices() {
        for name in prime_curves() {
            with_curve!(name, C => all::<C>(gpu));
        }
    }
}

#[test]
fn every_step_matches_in_every_system_of_coordinates() {
    fn all<C: Curve>(kinds: &[Kind]) {
        for system in coordinates::ALL {
            for kind in kinds {
                let scheme = scheme::<C>(4, Precompute::Plain, 1);
                additions_match(&Bench::<C>::new(&devices()[0], system, (*kind, 20), scheme, 7));
            }
        }
    }
    all::<Bls12_381>(&KINDS);
    all::<Bn254>(&[Kind::EdgeScalars]);
    all::<Bls24_315>(&[Kind::EdgeScalars]);
}

/// The forms of the accumulation by slices, beside the default.
fn accumulations() -> [Settings; 5] {
    let two = Settings::default().with_addends(Addends::Two);
    [
        Settings::default().with_accumulators(Accumulators::Workgroup),
        two,
        two.with_coordinates(&JACOBIAN),
        two.with_coordinates(&HOMOGENEOUS),
        two.with_coordinates(&HOMOGENEOUS).with_accumulators(Accumulators::Workgroup),
    ]
}

/// Pairs of a curve and a form, with each curve and each form at least once.
fn curves_with<T: Copy>(forms: &[T]) -> Vec<(CurveName, T)> {
    let curves: Vec<_> = prime_curves().collect();
    let pair = |i: usize| (curves[i % curves.len()], forms[i % forms.len()]);
    (0..curves.len().max(forms.len())).map(pair).collect()
}

/// Every form with every kind of input, every kind with every shape; the devices take turns.
#[test]
fn every_accumulation_matches_on_every_kind_of_input() {
    // Slices of an odd and of an even number of entries, which buckets begin and end at any place.
    let shapes = [(40, 5), (23, 4), (1, 16)];
    for (i, settings) in accumulations().into_iter().enumerate() {
        for (j, kind) in KINDS.into_iter().enumerate() {
            let gpu = &devices()[(i + j) % devices().len()];
            let (n, slice) = shapes[(i + j / 2) % shapes.len()];
            let scheme = scheme::<Bn254>(4, Precompute::Plain, 1);
            additions_match(&Bench::<Bn254>::with_settings(gpu, settings, (kind, n), scheme, (slice, 0)));
        }
    }
}

/// Every curve with one form, every form with a curve. The other tests cover both kinds of arithmetic.
#[test]
fn every_accumulation_matches_on_every_curve() {
    fn one<C: Curve>(settings: Settings) {
        let scheme = scheme::<C>(4, Precompute::Doublings(1), 2);
        let sample = (Kind::EdgeScalars, 33);
        additions_match(&Bench::<C>::with_settings(&devices()[0], settings, sample, scheme, (16, 0)));
    }
    for (name, settings) in curves_with(&accumulations()) {
        with_curve!(name, C => one::<C>(settings));
    }
}

fn reduces<C: Curve>(
    gpu: &Gpu,
    settings: Settings,
    reduction: Reduction,
    width: u32,
    precompute: Precompute,
) {
    let settings = settings.with_reduction(reduction);
    let scheme = scheme::<C>(width, precompute, 2);
    let kind = if width.is_multiple_of(2) { Kind::Random } else { Kind::SmallScalars };
    reduction_alone_matches(&Bench::<C>::with_settings(gpu, settings, (kind, 30), scheme, (16, 0)));
}

/// Sets of one bucket to 256, with and without buckets beyond the table; the devices take turns.
#[test]
fn every_reduction_matches() {
    let precomputes = [Precompute::Plain, Precompute::Doublings(1)];
    for (i, reduction) in Reduction::ALL.into_iter().enumerate() {
        for (width, j) in (2..=9).zip(0..) {
            for (k, precompute) in precomputes.into_iter().enumerate() {
                let gpu = &devices()[(i + j + k) % devices().len()];
                reduces::<Bn254>(gpu, Settings::default(), reduction, width, precompute);
            }
        }
        let homogeneous = Settings::default().with_coordinates(&HOMOGENEOUS);
        let gpu = &devices()[i % devices().len()];
        reduces::<Bn254>(gpu, homogeneous, reduction, 5, precomputes[1]);
    }
}

/// Every curve with one form of the reduction, every form with a curve.
#[test]
fn every_reduction_matches_on_every_curve() {
    for (name, reduction) in curves_with(&Reduction::ALL) {
        let (gpu, settings, precompute) = (&devices()[0], Settings::default(), Precompute::Doublings(1));
        with_curve!(name, C => reduces::<C>(gpu, settings, reduction, 5, precompute));
    }
}
