//! Sums by a thread for each element of a point, at the bounds of the elements.

use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field, PrimeField, UniformRand};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;

use super::devices;
use super::field::{add_multiple, multiples, words_of};
use crate::curve::coordinates::XYZZ;
use crate::curve::{Affine, BaseField, Curve, CurveName, Projective};
use crate::field::{BigField, CANONICAL, PrimeOf};
use crate::gpu::Gpu;
use crate::msm::finish::PointReader;
use crate::msm::gpu::by_element::{REDUCE_BY_ELEMENT, adder, variant};
use crate::msm::gpu::reduction::{LayerBuffers, ReduceParams};
use crate::with_curve;

/// The words of a point in XYZZ coordinates with a random ZZ. Its elements are the largest that the bounds allow, or the
/// smallest.
fn words<C: Curve>(point: Affine<C>, is_large: bool, rng: &mut StdRng) -> Vec<u32> {
    let field = BigField::of::<C::BaseField>();
    let bounds = XYZZ.compile(&field).unwrap().bounds;
    let p = words_of(PrimeOf::<C::BaseField>::MODULUS.as_ref(), field.lazy_words);
    let z = C::BaseField::rand(rng);
    let [zz, zzz] = [z.square(), z.square() * z];
    let coordinates = [point.x * zz, point.y * zzz, zz, zzz];
    let mut words = Vec::new();
    for (coordinate, bound) in coordinates.iter().zip(bounds) {
        for element in field.to_device(coordinate).chunks(field.words) {
            let mut element = element.to_vec();
            element.resize(field.lazy_words, 0);
            if is_large && !point.is_zero() {
                // Below p, plus as often p as the bound leaves room for.
                add_multiple(&mut element, &p, bound / CANONICAL - 1);
            }
            words.extend(element);
        }
    }
    if point.is_zero() {
        words.fill(0);
    }
    words.resize(XYZZ.words(&field), 0);
    words
}

/// The sums of all pairs of some points, with every special case, and the bounds of what is stored.
fn sums_are_right_and_bounded<C: Curve>(gpu: &Gpu) {
    let field = BigField::of::<C::BaseField>();
    let rng = &mut StdRng::seed_from_u64(3);
    let g = Affine::<C>::generator();
    let other = (g * C::ScalarField::rand(rng)).into_affine();
    let points = [g, -g, other, -other, Affine::identity()];
    let mut pairs = Vec::new();
    for left in points {
        for right in points {
            for is_large in [[false; 2], [true; 2], [false, true]] {
                pairs.push(([left, right], is_large));
            }
        }
    }
    let input: Vec<u32> = pairs
        .iter()
        .flat_map(|(points, is_large)| [0, 1].map(|i| words(points[i], is_large[i], rng)).concat())
        .collect();
    let half = pairs.len() as u32;
    let input = gpu.upload(&input).unwrap();
    let output = gpu.zeros::<u32>(XYZZ.words(&field) * 2 * pairs.len()).unwrap();
    let pipeline = gpu.pipeline(&REDUCE_BY_ELEMENT, &variant(&field, gpu.arithmetic())).unwrap();
    let adder = adder(&field);
    let params =
        ReduceParams { last_adding: adder.ends.adding, last_doubling: adder.ends.doubling, arrays: 1, half };
    let mut recorder = gpu.record();
    let buffers = LayerBuffers { input: input.whole().unwrap(), output: output.written().unwrap() };
    recorder.dispatch(&pipeline, "reduce", &buffers, &params, adder.groups(half)).unwrap();
    recorder.submit().unwrap();
    let output = output.download().unwrap();
    let reader = PointReader::<C>::new(&XYZZ, &field);
    let found: Vec<Projective<C>> = output.chunks(reader.words()).map(|words| reader.read(words)).collect();
    for (i, ([left, right], is_large)) in pairs.iter().enumerate() {
        assert_eq!(found[i], *left + right, "{left} + {right}, {is_large:?}");
        assert_eq!(found[pairs.len() + i], Projective::from(*right));
    }
    let bounds = XYZZ.compile(&field).unwrap().bounds;
    let p = words_of(PrimeOf::<C::BaseField>::MODULUS.as_ref(), field.lazy_words);
    for words in output.chunks(XYZZ.words(&field)).take(pairs.len()) {
        for (i, element) in words.chunks(field.lazy_words).take(4 * field.degree).enumerate() {
            let bound = bounds[i / field.degree];
            assert!(multiples(element, &p) < bound.div_ceil(CANONICAL), "element {i}: {element:?}");
        }
    }
}

#[test]
fn sums_by_element_are_right_and_bounded_on_every_curve() {
    for gpu in devices() {
        for name in CurveName::all() {
            with_curve!(name, C => sums_are_right_and_bounded::<C>(gpu));
        }
    }
}

/// A point of order two has no double, and y = 0 is no other coincidence.
#[test]
fn a_point_of_order_two_added_to_itself_is_infinity() {
    // On y^2 = x^3 + 1 over the field of BLS24-315, whose order is even: x = -1.
    use crate::curve::Bls24_315 as C;
    let field = BigField::of::<BaseField<C>>();
    let rng = &mut StdRng::seed_from_u64(4);
    let point = Affine::<C>::new_unchecked(-BaseField::<C>::ONE, BaseField::<C>::ZERO);
    for gpu in devices() {
        let input = [words(point, false, rng), words(point, true, rng)].concat();
        let input = gpu.upload(&input).unwrap();
        let output = gpu.zeros::<u32>(2 * XYZZ.words(&field)).unwrap();
        let pipeline = gpu.pipeline(&REDUCE_BY_ELEMENT, &variant(&field, gpu.arithmetic())).unwrap();
        let ends = adder(&field).ends;
        let params =
            ReduceParams { last_adding: ends.adding, last_doubling: ends.doubling, arrays: 1, half: 1 };
        let mut recorder = gpu.record();
        let buffers = LayerBuffers { input: input.whole().unwrap(), output: output.written().unwrap() };
        recorder.dispatch(&pipeline, "reduce", &buffers, &params, 1).unwrap();
        recorder.submit().unwrap();
        assert!(output.download().unwrap()[..XYZZ.words(&field)].iter().all(|word| *word == 0));
    }
}
