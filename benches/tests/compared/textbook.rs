//! The textbook's transforms and the four-step ones against the definition, on the adapter of this machine.

use crate::gpu_common::{dispatches, full, portable, random};
use wgalois::field::{BABY_BEAR, NAMED, Prime};
use wgalois::gpu::Gpu;
use wgalois::ntt::{self, Coset, Direction, Order, Product, Reduction, Transform, cpu};
use wgalois::task::{Prepared, Problem, Profile};
use wgalois::{Cpu, Device};
use wgalois_benches::compared::four_step::{self, FourStep, FourStepForm, Transposition};
use wgalois_benches::compared::textbook::{self, Options, Textbook, Twiddles};
use wgalois_benches::compared::{Kernels, on_gpu};

const REDUCTIONS: [Reduction; 5] =
    [Reduction::Auto, Reduction::Shoup, Reduction::Montgomery, Reduction::Barrett, Reduction::Plain];

/// Every valid combination of reduction and twiddles.
fn kinds() -> impl Iterator<Item = (Reduction, Twiddles)> {
    let all = REDUCTIONS.into_iter().flat_map(|r| [(r, Twiddles::Table), (r, Twiddles::Fly)]);
    all.filter(|kind| *kind != (Reduction::Shoup, Twiddles::Fly))
}

fn check(gpu: &Gpu, spec: &Transform, options: &Options, data: &[u32]) {
    let before = dispatches(gpu);
    let mut result = data.to_vec();
    textbook::transform(gpu, spec, options, &mut result).unwrap();
    let plan = Textbook::new(spec, *options).plan_for(&profile(gpu)).unwrap();
    assert!(dispatches(gpu) >= before + plan.problem().dispatches() as u64, "{plan}");
    assert!(result == spec.by_definition(data).unwrap(), "{spec:?} {options:?} on {gpu:?}");
}

#[test]
fn every_reduction_and_kind_of_twiddles_matches_the_definition() {
    for gpu in [full(), portable()] {
        for prime in [NAMED[0].1, BABY_BEAR, Prime::new(97).unwrap()] {
            for (reduction, twiddles) in kinds() {
                let options = Options { reduction, twiddles, ..Options::default() };
                for direction in [Direction::Forward, Direction::Inverse] {
                    let spec = Transform::new(prime, 32).unwrap().with_direction(direction).with_batch(3);
                    check(gpu, &spec, &options, &random(prime, spec.len(), 1));
                    check(gpu, &spec, &options, &vec![prime.value() - 1; spec.len()]);
                }
            }
        }
    }
}

#[test]
fn every_length_to_1024_matches_the_definition() {
    check(full(), &Transform::new(Prime::new(3).unwrap(), 2).unwrap(), &Options::default(), &[2, 1]);
    for prime in [Prime::new(12289).unwrap(), NAMED[2].1] {
        for log_n in 1..=10 {
            let spec = Transform::new(prime, 1 << log_n).unwrap();
            for reduction in [Reduction::Montgomery, Reduction::Barrett, Reduction::Plain] {
                for gpu in [full(), portable()] {
                    let options = Options { reduction, ..Options::default() };
                    check(gpu, &spec, &options, &random(prime, spec.len(), log_n));
                }
            }
        }
    }
}

#[test]
fn every_workgroup_matches_the_definition_or_is_refused() {
    let spec = Transform::new(NAMED[2].1, 512).unwrap();
    let data = random(spec.prime(), spec.len(), 2);
    for gpu in [full(), portable()] {
        let most = gpu.limits().max_compute_invocations_per_workgroup;
        for workgroup in [64, 128, 256, 512, 1024] {
            for (reduction, twiddles) in kinds() {
                let options = Options { reduction, workgroup, twiddles };
                if workgroup <= most {
                    check(gpu, &spec, &options, &data);
                } else {
                    let refusal = Textbook::new(&spec, options).plan_for(&profile(gpu)).unwrap_err();
                    assert_eq!(refusal.exit_code(), 2);
                    assert!(refusal.to_string().contains(&most.to_string()), "{refusal}");
                }
            }
        }
    }
    assert!(portable().limits().max_compute_invocations_per_workgroup < 1024, "nothing was refused");
}

#[test]
fn every_order_matches_the_definition() {
    let orders = [Order::Natural, Order::BitReversed];
    for (input, output) in orders.into_iter().flat_map(|i| orders.map(|o| (i, o))) {
        for direction in [Direction::Forward, Direction::Inverse] {
            let spec = Transform::new(BABY_BEAR, 64)
                .unwrap()
                .with_input(input)
                .with_output(output)
                .with_direction(direction)
                .with_batch(2);
            check(full(), &spec, &Options::default(), &random(BABY_BEAR, spec.len(), 3));
        }
    }
}

#[test]
fn products_agree_with_the_cpu_engine() {
    let engine = Device::Cpu(Cpu::default());
    let prime = NAMED[1].1;
    for gpu in [full(), portable()] {
        for (reduction, twiddles) in kinds() {
            let options = Options { reduction, workgroup: 64, twiddles };
            for (form, a, b) in [
                (ntt::Ring::Linear, 4, 4),
                (ntt::Ring::Linear, 1, 1),
                (ntt::Ring::Linear, 0, 3),
                (ntt::Ring::Linear, 300, 77),
                (ntt::Ring::Cyclic(10), 25, 7),
                (ntt::Ring::Negacyclic(64), 64, 64),
            ] {
                let (a, b) = (random(prime, a, 4), random(prime, b, 5));
                let product = Product::new(prime, a.len(), b.len()).with_ring(form);
                let (words, _) = textbook::multiply(gpu, &product, &options, &a, &b).unwrap();
                let expected = ntt::multiply(&engine, &product, &a, &b).unwrap();
                assert!(words == expected, "{product:?} {options:?}");
            }
        }
    }
}

#[test]
fn a_long_product_of_the_largest_coefficients() {
    // All p - 1: the coefficient of x^k is the number of its terms.
    let (prime, n) = (NAMED[0].1, 1usize << 16);
    let factor = vec![prime.value() - 1; n / 2];
    for (reduction, twiddles) in kinds() {
        let options = Options { reduction, twiddles, ..Options::default() };
        let (words, times) =
            textbook::multiply(portable(), &Product::new(prime, n / 2, n / 2), &options, &factor, &factor)
                .unwrap();
        assert!((0..n - 1).all(|k| words[k] == (k + 1).min(n - 1 - k) as u32), "{options:?}");
        assert!(times.upload > Default::default() && times.device > Default::default());
        assert_eq!(times.total(), times.upload + times.device + times.download);
    }
}

#[test]
fn what_the_textbook_cannot_do_is_refused() {
    let spec = Transform::new(BABY_BEAR, 8).unwrap();
    let code = |spec: &Transform, options: &Options| {
        Textbook::new(spec, *options).plan_for(&profile(full())).unwrap_err().exit_code()
    };
    let shoup = Options { reduction: Reduction::Shoup, workgroup: 64, twiddles: Twiddles::Fly };
    assert_eq!(code(&spec, &shoup), 2);
    assert_eq!(code(&spec, &Options { workgroup: 0, ..Options::default() }), 2);
    assert_eq!(code(&spec.with_coset(Coset::Negacyclic), &Options::default()), 2);
    let prepared = |spec: &Transform| Textbook::new(spec, Options::default()).prepared(full()).unwrap();
    let cpu = Device::Cpu(Cpu::default()).profile();
    assert_eq!(Textbook::new(&spec, Options::default()).plan_for(&cpu).unwrap_err().exit_code(), 2);
    let plan = prepared(&spec);
    assert_eq!(plan.run(&mut [0; 4]).unwrap_err().exit_code(), 3);
    assert_eq!(plan.run(&mut [u32::MAX; 8]).unwrap_err().exit_code(), 3);
    let kernels = on_gpu(&plan).unwrap();
    assert_eq!(kernels.multiply(&[0; 9], &[0; 8]).unwrap_err().exit_code(), 3);
    let batch = prepared(&spec.with_batch(2));
    assert_eq!(on_gpu(&batch).unwrap().multiply(&[1], &[1]).unwrap_err().exit_code(), 2);
    let large = [BABY_BEAR.value()];
    let refusal =
        textbook::multiply(full(), &Product::new(BABY_BEAR, 1, 1), &Options::default(), &large, &[1]);
    assert_eq!(refusal.unwrap_err().exit_code(), 3);
}

fn profile(gpu: &Gpu) -> Profile {
    Device::Gpu(gpu.clone()).profile()
}

fn four_step(gpu: &Gpu, spec: &Transform, form: FourStepForm) -> Prepared<'static, FourStep> {
    FourStep::new(spec, form).prepared(gpu).unwrap()
}

/// Checks a form's transform there and back, or its refusal by a small device.
fn check_four_step(gpu: &Gpu, spec: &Transform, form: FourStepForm) {
    if let Err(refusal) = FourStep::new(spec, form).plan_for(&profile(gpu)) {
        assert_eq!(refusal.exit_code(), 2);
        return assert!(form.log_base == 12 && form.padded, "{refusal}");
    }
    let data = random(spec.prime(), spec.len(), 6);
    let mut expected = data.clone();
    cpu::transform(spec, &mut expected, 1).unwrap();
    let mut result = data.clone();
    let before = dispatches(gpu);
    let prepared = four_step(gpu, spec, form);
    prepared.run(&mut result).unwrap();
    assert!(dispatches(gpu) >= before + prepared.plan().problem().dispatches() as u64, "{form:?}");
    assert!(result == expected, "2^{} {form:?} on {gpu:?}", spec.log_n());
    four_step(gpu, &spec.inverted(), form).run(&mut result).unwrap();
    assert!(result == data, "2^{} {form:?} and back on {gpu:?}", spec.log_n());
}

#[test]
fn four_step_transforms_of_every_form_agree_with_the_cpu_engine() {
    assert_eq!(four_step::forms().count(), 24);
    for form in four_step::forms() {
        // One step and less; a short last step; whole steps; a last step of two words.
        for log_n in [1, 4, 6, 9, 12, 13, 14, 17] {
            let spec = Transform::new(NAMED[2].1, 1 << log_n).unwrap();
            check_four_step(full(), &spec, form);
        }
        for (prime, log_n) in [(BABY_BEAR, 13), (NAMED[0].1, 16)] {
            let spec = Transform::new(prime, 1 << log_n).unwrap();
            check_four_step(portable(), &spec, form);
        }
    }
}

#[test]
fn only_a_padded_base_of_4096_passes_the_default_limits() {
    let spec = Transform::new(BABY_BEAR, 1 << 13).unwrap();
    for form in four_step::forms() {
        let refused = FourStep::new(&spec, form).plan_for(&profile(portable())).is_err();
        assert_eq!(refused, form.log_base == 12 && form.padded, "{form:?}");
    }
}

#[test]
fn four_step_transforms_take_every_reduction() {
    let form = four_step::forms().next().unwrap();
    for reduction in REDUCTIONS {
        let spec = Transform::new(NAMED[1].1, 1 << 13).unwrap().with_reduction(reduction);
        check_four_step(portable(), &spec, form);
        check_four_step(portable(), &spec, FourStepForm { transposition: Transposition::Merged, ..form });
    }
}

#[test]
fn what_four_steps_cannot_do_is_refused() {
    let spec = Transform::new(BABY_BEAR, 64).unwrap();
    let form = four_step::forms().next().unwrap();
    let code = |spec: &Transform, form| {
        FourStep::new(spec, form).plan_for(&profile(full())).unwrap_err().exit_code()
    };
    assert_eq!(code(&spec.with_batch(2), form), 2);
    assert_eq!(code(&spec.with_output(Order::BitReversed), form), 2);
    assert_eq!(code(&spec.with_coset(Coset::Shift(3)), form), 2);
    assert_eq!(code(&spec, FourStepForm { transforms: 3, ..form }), 2);
    assert_eq!(code(&spec, FourStepForm { threads: 1 << 20, ..form }), 2);
    let cpu = Device::Cpu(Cpu::default()).profile();
    assert_eq!(FourStep::new(&spec, form).plan_for(&cpu).unwrap_err().exit_code(), 2);
    let (mut vector, mut other) = (full().zeros(64).unwrap(), full().zeros(32).unwrap());
    let mut recorder = full().record();
    let prepared = four_step(full(), &spec, form);
    let kernels = on_gpu(&prepared).unwrap();
    assert_eq!(kernels.record(&mut recorder, [&mut vector, &mut other]).unwrap_err().exit_code(), 3);
    let past = prepared.plan().problem().dispatches();
    let mut other = full().zeros(64).unwrap();
    let one = kernels.record_one(&mut recorder, past, [&mut vector, &mut other]);
    assert_eq!(one.unwrap_err().exit_code(), 2);
    assert_eq!(four_step(full(), &spec, form).run(&mut [0; 63]).unwrap_err().exit_code(), 3);
}
