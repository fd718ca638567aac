//! The kernels against the host, on whatever adapter is here.

use std::sync::OnceLock;

use ark_ff::{AdditiveGroup, Field, PrimeField, UniformRand};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;

use super::evaluate::{Evaluation, Form};
use crate::curve::coordinates::XYZZ;
use crate::curve::{Bls12_381, Curve, CurveName};
use crate::field::{BigField, CANONICAL, Formula, Words};
use crate::gpu::{Gpu, Options, Select};

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
    let start = std::time::Instant::now();
    let evaluation =
        Evaluation::new(gpu, &field, &formula, (2, Form::Canonical), &[], (1, Form::Canonical)).unwrap();
    let built = start.elapsed();
    let mut rng = StdRng::seed_from_u64(1);
    let n = 300;
    let elements: Vec<F> = (0..2 * n).map(|_| F::rand(&mut rng)).collect();
    let words: Vec<u32> = elements.iter().flat_map(|x| field.to_device(x)).collect();
    let input = gpu.upload(&words).unwrap();
    let output = gpu.zeros::<u32>(n * field.words).unwrap();
    let mut recorder = gpu.record();
    evaluation
        .record(&mut recorder, "evaluate", input.whole().unwrap(), output.whole().unwrap(), n as u32, 1)
        .unwrap();
    recorder.submit().unwrap();
    let result = output.download().unwrap();
    println!("{} built {built:?} all {:?}", field.bits, start.elapsed());
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
