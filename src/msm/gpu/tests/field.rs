//! Field arithmetic: every operation against arkworks, with the largest values that the
//! bounds allow.

use ark_ff::{Field, PrimeField};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::{devices, portable_with_few_registers, prime_curves};
use crate::curve::BaseField;
use crate::field::{BigField, CANONICAL, CoordinateField, Formula, PrimeOf, Words};
use crate::gpu::Gpu;
use crate::msm::gpu::evaluate::{Evaluation, Representation, Span, Task};
use crate::msm::gpu::inverses::{
    INVERSES, InversesBuffers, InversesParams, SHARED_INVERSIONS, inverses_variant,
};
use crate::with_curve;

/// An element below 8 p, as words: a random residue, or an extreme, plus a multiple of p.
fn lazy_words<F: Words>(field: &BigField) -> impl Strategy<Value = Vec<u32>> + use<F> {
    let p: Vec<u32> = words_of(F::MODULUS.as_ref(), field.lazy_words);
    let len = field.lazy_words;
    let residue = prop_oneof![
        4 => prop::collection::vec(any::<u32>(), len),
        1 => Just(vec![0; len]),
        1 => Just([vec![1], vec![0; len - 1]].concat()),
        // All bits ones: the reduction below makes this at least p - 1.
        1 => Just(vec![u32::MAX; len]),
    ];
    (residue, 0u64..8, any::<bool>()).prop_map(move |(mut residue, multiple, minus_one)| {
        reduce(&mut residue, &p);
        if minus_one {
            // p - 1 plus the multiple: the largest of its kind.
            residue.clone_from(&p);
            residue[0] -= 1;
        }
        add_multiple(&mut residue, &p, multiple);
        residue
    })
}

pub(super) fn words_of(words: &[u64], len: usize) -> Vec<u32> {
    let mut halves: Vec<u32> = words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect();
    halves.resize(len, 0);
    halves
}

/// Clears bits until the value is below p.
fn reduce(value: &mut [u32], p: &[u32]) {
    let top = p.iter().rposition(|word| *word != 0).unwrap_or(0);
    value[top + 1..].fill(0);
    value[top] = value[top].checked_rem(p[top]).unwrap_or(0);
}

pub(super) fn add_multiple(value: &mut [u32], p: &[u32], multiple: u64) {
    let mut carry = 0u64;
    for (word, p) in value.iter_mut().zip(p) {
        carry += u64::from(*word) + multiple * u64::from(*p);
        *word = carry as u32;
        carry >>= 32;
    }
    assert_eq!(carry, 0);
}

/// Runs a formula on `a`, `b` and `c`, of lazy elements, and returns `a` and `b`.
fn evaluate(gpu: &Gpu, field: &BigField, text: &str, tuples: &[Vec<u32>], to: Representation) -> Vec<u32> {
    let inputs = ["a", "b", "c"].map(|name| (name, 8 * CANONICAL));
    let formula = Formula::compile(text, &inputs, &["a", "b"], field).unwrap();
    let (inputs, outputs) = ((3 * field.degree, Representation::Lazy), (2 * field.degree, to));
    let task = Task { formula, inputs, constants: vec![], outputs };
    let evaluation = Evaluation::new(gpu, field, &task).unwrap();
    let words = field.degree * if to == Representation::Lazy { field.lazy_words } else { field.words };
    let input = gpu.upload(&tuples.concat()).unwrap();
    let output = gpu.zeros::<u32>(tuples.len() * 2 * words).unwrap();
    let buffers = (input.whole().unwrap(), output.written().unwrap());
    let span = Span { tuples: tuples.len() as u32, first_input: 0, first_output: 0 };
    let mut recorder = gpu.record();
    evaluation.record(&mut recorder, "evaluate", buffers, span, 1).unwrap();
    recorder.submit().unwrap();
    output.download().unwrap()
}

pub(super) fn agrees_with_arkworks<F: CoordinateField>(
    gpu: &Gpu,
    text: &str,
    oracle: impl Fn([F; 3]) -> [F; 2],
) {
    let field = BigField::of::<F>();
    let reader = field.reader::<F>();
    let tuple = prop::collection::vec(lazy_words::<PrimeOf<F>>(&field), 3 * field.degree);
    let tuple = tuple.prop_map(|elements| elements.concat());
    let mut runner = TestRunner::new(Config { cases: 4, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&prop::collection::vec(tuple, 1..60), |tuples| {
        let result = evaluate(gpu, &field, text, &tuples, Representation::Canonical);
        for (tuple, result) in tuples.iter().zip(result.chunks(field.affine_words())) {
            let elements: Vec<F> =
                tuple.chunks(field.degree * field.lazy_words).map(|words| reader.read(words)).collect();
            let expected = oracle([elements[0], elements[1], elements[2]]);
            // Canonical results have one representation.
            prop_assert_eq!(result, expected.map(|x| field.to_device(&x)).concat());
        }
        Ok(())
    });
    outcome.unwrap();
}

fn operations_agree<F: Words>(gpu: &Gpu) {
    let n = |k: u64| F::from(k);
    agrees_with_arkworks::<F>(gpu, "a = a*b\n b = c*c", |[a, b, c]| [a * b, c * c]);
    // Operands of 56 p each.
    agrees_with_arkworks::<F>(gpu, "a = 7 a\n b = 7 b\n t = a*b\n b = 2 c - 3 t\n b = b*c\n a = t*c", {
        move |[a, b, c]| {
            let t = n(49) * a * b;
            [t * c, (c + c - n(3) * t) * c]
        }
    });
    agrees_with_arkworks::<F>(gpu, "t = -7 a*b - 7 c\n u = b - c\n t = t*a\n a = t*u\n b = t*t", {
        move |[a, b, c]| {
            let t = -n(7) * (a * b + c) * a;
            [t * (b - c), t * t]
        }
    });
}

#[test]
fn operations_agree_with_arkworks() {
    for gpu in devices() {
        for name in prime_curves() {
            with_curve!(name, C => operations_agree::<PrimeOf<BaseField<C>>>(gpu));
        }
    }
}

/// The bounds that the compiler of formulas states hold for the extremes, in every limb.
#[test]
fn bounds_hold_for_extremes() {
    fn check<F: Words>(gpu: &Gpu) {
        let field = BigField::of::<F>();
        let p = words_of(F::MODULUS.as_ref(), field.lazy_words);
        let mut largest = p.clone();
        largest[0] -= 1;
        add_multiple(&mut largest, &p, 7);
        for tuple in [vec![largest.clone(); 3].concat(), vec![vec![0; p.len()]; 3].concat()] {
            let text = "t = 7 a\n u = c*c\n a = t*t\n b = a - u";
            let inputs = ["a", "b", "c"].map(|name| (name, 8 * CANONICAL));
            let formula = Formula::compile(text, &inputs, &["a", "b"], &field).unwrap();
            let result = evaluate(gpu, &field, text, &[tuple], Representation::Lazy);
            for (words, bound) in result.chunks(field.lazy_words).zip(&formula.outputs) {
                assert!(multiples(words, &p) < bound.div_ceil(CANONICAL), "{words:?}");
            }
        }
    }
    for gpu in devices() {
        for name in prime_curves() {
            with_curve!(name, C => check::<PrimeOf<BaseField<C>>>(gpu));
        }
    }
}

/// floor(value / p).
pub(super) fn multiples(value: &[u32], p: &[u32]) -> u64 {
    use dashu_int::UBig;
    let of = |words: &[u32]| words.iter().rev().fold(UBig::ZERO, |sum, w| (sum << 32) + UBig::from(*w));
    u64::try_from(of(value) / of(p)).unwrap()
}

pub(super) fn inverses_invert_on<F: CoordinateField>(gpu: &Gpu) {
    let field = BigField::of::<F>();
    let reader = field.reader::<F>();
    let part = |k: u64| PrimeOf::<F>::from(k).pow([77]) - PrimeOf::<F>::from(3 * k);
    let element =
        |k: u64| F::from_base_prime_field_elems((0..field.degree as u64).map(|i| part(k + 1000 * i)));
    let mut elements: Vec<F> = (1..200u64).filter_map(element).collect();
    elements.extend([F::from(1u64), -F::from(1u64), F::from(2u64)]);
    let p = words_of(PrimeOf::<F>::MODULUS.as_ref(), field.lazy_words);
    let words: Vec<u32> = elements
        .iter()
        .enumerate()
        .flat_map(|(i, x)| {
            let mut words: Vec<u32> = Vec::new();
            for part in field.to_device(x).chunks(field.words) {
                let mut part = part.to_vec();
                part.resize(field.lazy_words, 0);
                // The input is below 2 p.
                add_multiple(&mut part, &p, i as u64 % 2);
                part.resize(field.element_words() / field.degree, 0);
                words.extend(part);
            }
            words
        })
        .collect();
    // Numbers that do not share inversions evenly, and a single element.
    for len in [elements.len(), elements.len() - 3, 1] {
        let vector = gpu.upload(&words).unwrap();
        let pipeline = gpu.pipeline(&INVERSES, &inverses_variant(&field, gpu.arithmetic())).unwrap();
        let mut recorder = gpu.record();
        let len_u32 = len as u32;
        let params = InversesParams { threads: len_u32.div_ceil(SHARED_INVERSIONS), len: len_u32 };
        let buffers = InversesBuffers { elements: vector.written().unwrap() };
        recorder.dispatch(&pipeline, "inverses", &buffers, &params, pipeline.groups(params.threads)).unwrap();
        recorder.submit().unwrap();
        let inverses = vector.download().unwrap();
        for (x, words) in elements[..len].iter().zip(inverses.chunks(field.element_words())) {
            assert_eq!(reader.read(words), x.inverse().unwrap());
        }
        assert!(inverses[len * field.element_words()..] == words[len * field.element_words()..]);
    }
}

#[test]
fn inverses_invert() {
    for gpu in devices().iter().chain([portable_with_few_registers()]) {
        for name in prime_curves() {
            with_curve!(name, C => inverses_invert_on::<PrimeOf<BaseField<C>>>(gpu));
        }
    }
}
