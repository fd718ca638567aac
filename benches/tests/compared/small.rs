//! The 64-point transforms and the transpositions alone against their definitions, on the adapter of this
//! machine.

use crate::gpu_common::{dispatches, full, portable, random};
use wgalois::field::{BABY_BEAR, NAMED, Prime};
use wgalois::gpu::Gpu;
use wgalois::ntt::{Coset, Order, Reduction, Transform};
use wgalois::task::{Prepared, Problem, Profile};
use wgalois::{Cpu, Device, Error};
use wgalois_benches::compared::four_step::{Transpose, TransposeForm, TransposeKernel, transpose_forms};
use wgalois_benches::compared::small::{self, Ablation, POINTS, Small, SmallForm, Storage};
use wgalois_benches::compared::{GpuForm, Kernels, on_gpu};

const REDUCTIONS: [Reduction; 4] =
    [Reduction::Shoup, Reduction::Montgomery, Reduction::Barrett, Reduction::Plain];

fn profile(gpu: &Gpu) -> Profile {
    Device::Gpu(gpu.clone()).profile()
}

fn batch(prime: Prime, transforms: usize) -> Transform {
    Transform::new(prime, POINTS).unwrap().with_batch(transforms)
}

fn prepared(gpu: &Gpu, spec: &Transform, form: SmallForm) -> Prepared<'static, Small> {
    Small::new(spec, form).prepared(gpu).unwrap()
}

/// A transposition of 2^`log_n` words.
fn transpose(prime: Prime, log_n: u32, form: TransposeForm) -> Result<Transpose, Error> {
    Transform::new(prime, 1 << log_n).map(|transform| Transpose::new(&transform, form))
}

fn run(prepared: &Prepared<'static, Small>, gpu: &Gpu, data: &[u32]) -> Vec<u32> {
    let before = dispatches(gpu);
    let mut result = data.to_vec();
    prepared.run(&mut result).unwrap();
    assert!(dispatches(gpu) > before, "nothing ran on the device");
    result
}

fn whole() -> impl Iterator<Item = SmallForm> {
    small::forms().into_iter().filter(|form| form.ablation.is_none())
}

fn stripped() -> impl Iterator<Item = (SmallForm, Ablation)> {
    small::forms().into_iter().filter_map(|form| Some((form, form.ablation?)))
}

#[test]
fn every_form_is_there() {
    assert_eq!(whole().count(), 4);
    let left_out: Vec<_> = stripped().map(|(_, ablation)| ablation).collect();
    assert_eq!(left_out, Ablation::ALL);
    assert!(stripped().all(|(form, _)| form.storage == Storage::Workgroup && form.skewed));
    assert!(small::forms().iter().all(|form| form.workgroup() <= 256));
}

#[test]
fn every_frequency_of_every_form_matches_the_definition() {
    for gpu in [full(), portable()] {
        for form in whole() {
            // Within a workgroup of 4 transforms, one less, one more; several workgroups.
            for transforms in [1, 3, 4, 5, 9] {
                let spec = batch(NAMED[2].1, transforms);
                let data = random(spec.prime(), spec.len(), 1);
                let prepared = prepared(gpu, &spec, form);
                let result = run(&prepared, gpu, &data);
                assert!(result == spec.by_definition(&data).unwrap(), "{}", prepared.plan());
                prepared.plan().problem().check(&data, &result).unwrap();
            }
        }
    }
}

#[test]
fn every_unit_vector_becomes_a_column_of_powers() {
    let prime = BABY_BEAR;
    let spec = batch(prime, POINTS);
    let root = prime.root_of_unity(6).unwrap();
    let data: Vec<u32> = (0..POINTS * POINTS).map(|i| u32::from(i / POINTS == i % POINTS)).collect();
    for form in whole() {
        let result = run(&prepared(portable(), &spec, form), portable(), &data);
        for (i, vector) in result.chunks(POINTS).enumerate() {
            for (k, &x) in vector.iter().enumerate() {
                assert_eq!(x, prime.pow(root, (i * k) as u64), "frequency {k} of unit vector {i}: {form:?}");
            }
        }
    }
}

#[test]
fn the_largest_words_and_every_reduction_match_the_definition() {
    for gpu in [full(), portable()] {
        for prime in [Prime::new(193).unwrap(), NAMED[0].1, BABY_BEAR] {
            for reduction in REDUCTIONS {
                let spec = batch(prime, 2).with_reduction(reduction);
                let mut data = random(prime, spec.len(), 2);
                data[..POINTS].fill(prime.value() - 1);
                for form in whole() {
                    let result = run(&prepared(gpu, &spec, form), gpu, &data);
                    assert!(result == spec.by_definition(&data).unwrap(), "{prime} {reduction:?} {form:?}");
                }
            }
        }
    }
}

/// The rest of the work is still done: the host does the same and gets the same words.
#[test]
fn what_ablations_leave_is_done() {
    for gpu in [full(), portable()] {
        for (form, ablation) in stripped() {
            for transforms in [1, 3, 70] {
                let spec = batch(NAMED[2].1, transforms);
                let data = random(spec.prime(), spec.len(), 3);
                let prepared = prepared(gpu, &spec, form);
                let result = run(&prepared, gpu, &data);
                prepared.plan().problem().check(&data, &result).unwrap();
                let text = prepared.plan().to_string();
                assert!(text.contains(&format!("{ablation:?}")), "{text}");
                assert!(result != spec.by_definition(&data).unwrap(), "{ablation:?} is a transform");
                let mut wrong = result.clone();
                wrong[spec.len() - 1] ^= 1;
                let checked = prepared.plan().problem().check(&data, &wrong);
                assert!(matches!(checked, Err(Error::Check(_))));
            }
        }
    }
}

/// The stripped forms by what they are, not by the host's imitation.
#[test]
fn ablations_make_the_words_that_follow_from_them() {
    let (prime, gpu) = (NAMED[2].1, portable());
    let spec = batch(prime, 3);
    let data = random(prime, spec.len(), 5);
    let result = |ablation| {
        let form = SmallForm { storage: Storage::Workgroup, skewed: true, ablation: Some(ablation) };
        run(&prepared(gpu, &spec, form), gpu, &data)
    };
    assert_eq!(result(Ablation::ButterfliesAndWorkgroupMemory), data);
    for (from, to) in data.chunks(POINTS).zip(result(Ablation::Butterflies).chunks(POINTS)) {
        for (k, &x) in to.iter().enumerate() {
            // Six binary digits reversed and complemented.
            let i = (0..6).map(|bit| (1 - (k >> bit & 1)) << (5 - bit)).sum::<usize>();
            assert_eq!(x, from[i]);
        }
    }
    // Word k of six stages with the same twiddle 3: each digit 0 of k adds the half above it, each 1 subtracts it.
    for (from, to) in data.chunks(POINTS).zip(result(Ablation::Twiddles).chunks(POINTS)) {
        for (k, &x) in to.iter().enumerate() {
            let sum = (0..POINTS).fold(0, |sum, i| {
                let place = (0..6).map(|bit| (i >> bit & 1) << (5 - bit)).sum::<usize>();
                let term = prime.mul(from[i], prime.pow(3, u64::from(place.count_ones())));
                if (place & k).count_ones() % 2 == 0 { prime.add(sum, term) } else { prime.sub(sum, term) }
            });
            assert_eq!(x, sum, "word {k}");
        }
    }
    let made: Vec<u32> = (0..spec.len()).map(|i| ((i % POINTS) ^ (i / POINTS)) as u32).collect();
    assert_eq!(result(Ablation::GlobalMemory), spec.by_definition(&made).unwrap());
}

/// As it is timed, the form without global memory stores nothing.
#[test]
fn without_global_memory_nothing_is_stored() {
    let (spec, gpu) = (batch(NAMED[2].1, 5), full());
    let form =
        SmallForm { storage: Storage::Workgroup, skewed: true, ablation: Some(Ablation::GlobalMemory) };
    let data = random(spec.prime(), spec.len(), 6);
    let (mut source, mut target) = (gpu.upload(&data).unwrap(), gpu.upload(&data).unwrap());
    let mut recorder = gpu.record();
    let prepared = prepared(gpu, &spec, form);
    on_gpu(&prepared).unwrap().record(&mut recorder, [&mut source, &mut target]).unwrap();
    recorder.submit().unwrap();
    assert_eq!(target.download().unwrap(), data);
}

#[test]
fn batches_that_do_not_exist_are_refused() {
    let form = small::forms()[0];
    let code =
        |spec: &Transform, form| Small::new(spec, form).plan_for(&profile(full())).unwrap_err().exit_code();
    let spec = batch(BABY_BEAR, 1);
    assert_eq!(code(&Transform::new(BABY_BEAR, 32).unwrap(), form), 2);
    assert_eq!(code(&spec.inverted(), form), 2);
    assert_eq!(code(&spec.with_output(Order::BitReversed), form), 2);
    assert_eq!(code(&spec.with_coset(Coset::Negacyclic), form), 2);
    let registers =
        SmallForm { storage: Storage::Registers, skewed: true, ablation: Some(Ablation::Butterflies) };
    assert_eq!(code(&spec, registers), 2);
    let cpu = Device::Cpu(Cpu::default()).profile();
    assert_eq!(Small::new(&spec, form).plan_for(&cpu).unwrap_err().exit_code(), 2);
    let prepared = prepared(full(), &spec, form);
    assert_eq!(prepared.run(&mut [0; 63]).unwrap_err().exit_code(), 3);
    assert_eq!(prepared.run(&mut [u32::MAX; 64]).unwrap_err().exit_code(), 3);
    let (mut source, mut short) = (full().zeros(64).unwrap(), full().zeros(63).unwrap());
    let mut recorder = full().record();
    let kernels = on_gpu(&prepared).unwrap();
    assert_eq!(kernels.record(&mut recorder, [&mut source, &mut short]).unwrap_err().exit_code(), 3);
    self::prepared(full(), &batch(BABY_BEAR, 0), form).run(&mut []).unwrap();
}

#[test]
fn every_transposition_matches_its_definition() {
    let prime = NAMED[2].1;
    assert_eq!(transpose_forms().count(), 12);
    for gpu in [full(), portable()] {
        for form in transpose_forms() {
            // One row of 4096 words; fewer rows than a tile has; as many; several tiles.
            for log_n in [12, 13, 15, 17, 18] {
                let problem = transpose(prime, log_n, form).unwrap();
                let data = random(prime, problem.transform.len(), 7);
                let mut result = data.clone();
                problem.prepared(gpu).unwrap().run(&mut result).unwrap();
                assert!(result == problem.by_definition(&data).unwrap(), "{problem:?}");
            }
        }
    }
}

#[test]
fn transpositions_move_words_to_where_they_belong() {
    let (prime, gpu) = (NAMED[2].1, full());
    let data = random(prime, 1 << 14, 8);
    let root = prime.root_of_unity(14).unwrap();
    for form in transpose_forms() {
        let mut result = data.clone();
        transpose(prime, 14, form).unwrap().prepared(gpu).unwrap().run(&mut result).unwrap();
        for i in (0..1 << 14).step_by(41) {
            let (from, expected) = match form.kernel {
                TransposeKernel::Batch => (i >> 12 << 12 | (i & 63) << 6 | (i >> 6 & 63), 1),
                TransposeKernel::Twiddles => {
                    ((i & 3) << 12 | i >> 2, prime.pow(root, ((i & 3) * (i >> 2)) as u64))
                }
                _ => ((i & 3) << 12 | i >> 2, 1),
            };
            assert_eq!(result[i], prime.mul(data[from], expected), "word {i}: {form:?}");
        }
    }
}

#[test]
fn transpositions_that_do_not_exist_are_refused() {
    let form = TransposeForm { kernel: TransposeKernel::Twiddles, padded: true };
    let code = |prime, log_n, form| {
        let plan = transpose(prime, log_n, form).and_then(|problem| problem.plan_for(&profile(full())));
        plan.unwrap_err().exit_code()
    };
    assert_eq!(code(BABY_BEAR, 11, form), 3);
    assert_eq!(code(BABY_BEAR, 28, form), 3);
    assert_eq!(code(Prime::new(193).unwrap(), 12, form), 3);
    let cpu = Device::Cpu(Cpu::default()).profile();
    let problem = transpose(BABY_BEAR, 12, form).unwrap();
    assert_eq!(problem.plan_for(&cpu).unwrap_err().exit_code(), 2);
    let prepared = problem.prepared(full()).unwrap();
    assert_eq!(prepared.run(&mut [0; 5]).unwrap_err().exit_code(), 3);
    let (mut source, mut short) = (full().zeros(4096).unwrap(), full().zeros(4095).unwrap());
    let mut recorder = full().record();
    let kernels = on_gpu(&prepared).unwrap();
    assert_eq!(kernels.record(&mut recorder, [&mut source, &mut short]).unwrap_err().exit_code(), 3);
}
