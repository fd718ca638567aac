//! The kernels against the host, on whatever adapter is here.

use std::sync::OnceLock;

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, PrimeField, UniformRand};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;

use super::*;
use crate::curve::{Affine, Curve, CurveName};
use crate::field::{BigField, CANONICAL, Formula, Words};
use crate::gpu::{Gpu, Options, Select};
use crate::msm::Precompute;

/// One device with and one without 64-bit integers. These tests need an adapter: lavapipe
/// (Debian's mesa-vulkan-drivers) is one.
fn devices() -> &'static [Gpu] {
    static DEVICES: OnceLock<Vec<Gpu>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let options = [Options::default(), Options::portable()];
        options.map(|o| Gpu::open(&Select::Gpu, o).expect("an adapter; install mesa-vulkan-drivers")).into()
    })
}

fn product_is_a_product<F: Words>(gpu: &Gpu) {
    let field = BigField::of::<F>();
    let inputs = [("a", CANONICAL), ("b", CANONICAL)];
    let formula = Formula::compile("c = a*b\n d = c - a - 2 b\n a = d*b", &inputs, &["a"], &field).unwrap();
    let (inputs, outputs) = ((2, Form::Canonical), (1, Form::Canonical));
    let task = Task { formula: &formula, inputs, constants: vec![], outputs };
    let evaluation = Evaluation::new(gpu, &field, &task).unwrap();
    let mut rng = StdRng::seed_from_u64(1);
    let n = 300;
    let elements: Vec<F> = (0..2 * n).map(|_| F::rand(&mut rng)).collect();
    let words: Vec<u32> = elements.iter().flat_map(|x| field.to_device(x)).collect();
    let input = gpu.upload(&words).unwrap();
    let output = gpu.zeros::<u32>(n * field.words).unwrap();
    let mut recorder = gpu.record();
    let buffers = (input.whole().unwrap(), output.whole().unwrap());
    let span = Span { tuples: n as u32, first_input: 0, first_output: 0 };
    evaluation.record(&mut recorder, "evaluate", buffers, span, 1).unwrap();
    recorder.submit().unwrap();
    let result = output.download().unwrap();
    for (pair, words) in elements.chunks(2).zip(result.chunks(field.words)) {
        let [a, b] = *pair else { panic!() };
        let expected = (a * b - a - b.double()) * b;
        assert_eq!(words, field.to_device(&expected));
    }
}

#[test]
fn products_are_products() {
    for gpu in devices() {
        for name in CurveName::ALL {
            crate::with_curve!(name, C => product_is_a_product::<<C as ark_ec::CurveConfig>::BaseField>(gpu));
        }
    }
}

fn whole<C: Curve>(gpu: &Gpu, n: usize, precompute: Precompute, width: Option<u32>) {
    let mut rng = StdRng::seed_from_u64(n as u64);
    let points: Vec<Affine<C>> =
        (0..n).map(|_| (Affine::<C>::generator() * C::ScalarField::rand(&mut rng)).into_affine()).collect();
    let scalars: Vec<C::ScalarField> = (0..n).map(|_| C::ScalarField::rand(&mut rng)).collect();
    let start = std::time::Instant::now();
    let bases = Settings::default().precompute(precompute).width(width).upload(gpu, &points).unwrap();
    let uploaded = start.elapsed();
    let result = bases.msm(&scalars).unwrap();
    println!("{} {n} {:?} upload {uploaded:?} all {:?}", C::NAME, bases.plan(), start.elapsed());
    let ints: Vec<_> = scalars.iter().map(|k| k.into_bigint()).collect();
    assert_eq!(result, C::host_msm(&points, &ints).into_affine());
}

#[test]
fn wholes() {
    for gpu in devices() {
        for name in CurveName::ALL {
            for precompute in [Precompute::Plain, Precompute::Windows, Precompute::Doublings(2)] {
                crate::with_curve!(name, C => whole::<C>(gpu, 300, precompute, None));
            }
        }
    }
}
