//! The formulas on the host against arkworks, and their bounds for every curve.

use ark_ec::{AffineRepr, CurveConfig, CurveGroup};
use ark_ff::{AdditiveGroup, UniformRand};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;

use super::*;
use crate::curve::{Affine, Curve, CurveName, Projective};
use crate::field::{Mark, PrimeOf};

type Prime<C> = PrimeOf<<C as CurveConfig>::BaseField>;

/// The elements of the prime field that coordinates have.
fn elements<C: Curve>(coordinates: &[C::BaseField]) -> Vec<Prime<C>> {
    coordinates.iter().flat_map(|x| x.to_base_prime_field_elements().collect::<Vec<_>>()).collect()
}

fn degree<C: Curve>() -> usize {
    C::BaseField::extension_degree() as usize
}

/// A point in the given coordinates with a random denominator.
fn spread<C: Curve>(coordinates: &Coordinates, point: &Affine<C>, rng: &mut StdRng) -> Vec<Prime<C>> {
    let z = C::BaseField::rand(rng);
    let (zz, zzz) = (z.square(), z.square() * z);
    match coordinates.name {
        "xyzz" => elements::<C>(&[point.x * zz, point.y * zzz, zz, zzz]),
        "jacobian" => elements::<C>(&[point.x * zz, point.y * zzz, z]),
        _ => elements::<C>(&[point.x * z, point.y * z, z]),
    }
}

fn gather<C: Curve>(coordinates: &Coordinates, registers: &[Prime<C>]) -> Affine<C> {
    let coordinate =
        |parts: &[Prime<C>]| C::BaseField::from_base_prime_field_elems(parts.iter().copied()).unwrap();
    let values: Vec<_> = registers.chunks(degree::<C>()).take(coordinates.size()).map(coordinate).collect();
    let [x, y, z] = coordinates.to_jacobian(&values).unwrap();
    Projective::<C>::new_unchecked(x, y, z).into_affine()
}

fn formulas_add<C: Curve>(coordinates: &Coordinates, rng: &mut StdRng) {
    let additions = coordinates.compile(&BigField::of::<C::BaseField>()).unwrap();
    let [p, q] = [(); 2].map(|()| (Affine::<C>::generator() * C::ScalarField::rand(rng)).into_affine());
    let sum = (p + q).into_affine();

    let mut registers = [spread(coordinates, &p, rng), elements::<C>(&[q.x, q.y])].concat();
    assert!(additions.mixed.run(&mut registers).is_empty());
    assert_eq!(gather::<C>(coordinates, &registers), sum);

    let mut registers = [spread(coordinates, &p, rng), spread(coordinates, &q, rng)].concat();
    assert!(additions.full.run(&mut registers).is_empty());
    assert_eq!(gather::<C>(coordinates, &registers), sum);

    let mut registers = spread(coordinates, &p, rng);
    assert!(additions.double.run(&mut registers).is_empty());
    assert_eq!(gather::<C>(coordinates, &registers), (p + p).into_affine());
}

/// Two affine points behind an accumulator, which stays as it is: their sum, twice the left one, and the marks.
fn pairs_add<C: Curve>(coordinates: &Coordinates, rng: &mut StdRng) {
    let field = BigField::of::<C::BaseField>();
    let additions = coordinates.compile(&field).unwrap();
    let pair = coordinates.compile_pair(&field, &additions).unwrap();
    let [a, p, q] = [(); 3].map(|()| (Affine::<C>::generator() * C::ScalarField::rand(rng)).into_affine());
    let size = coordinates.elements(&field);
    let mut registers = |right: &Affine<C>| {
        [spread(coordinates, &a, rng), elements::<C>(&[p.x, p.y, right.x, right.y])].concat()
    };
    for (formula, sum) in [(&pair.add, p + q), (&pair.double, p + p)] {
        let before = registers(&q);
        let mut after = before.clone();
        assert!(formula.run(&mut after).is_empty());
        assert_eq!(gather::<C>(coordinates, &after[size..]), sum.into_affine());
        assert_eq!(after[..size], before[..size]);
    }
    for (q, same_y) in [(p, true), (-p, false)] {
        let before = registers(&q);
        let mut after = before.clone();
        let marks = pair.add.run(&mut after);
        assert!(marks.contains(&Mark::SameX));
        assert_eq!(marks.contains(&Mark::SameY), same_y);
        assert_eq!(after[..size + 2 * field.degree], before[..size + 2 * field.degree]);
    }
    // A point of order two, whether or not the curve has one.
    let mut order_two = registers(&q);
    order_two[size + field.degree..][..field.degree].fill(Prime::<C>::ZERO);
    assert_eq!(pair.double.run(&mut order_two), [Mark::SameX]);
}

#[test]
fn pairs_add_on_every_curve() {
    let mut rng = StdRng::seed_from_u64(4);
    for name in CurveName::all() {
        for coordinates in ALL {
            crate::with_curve!(name, C => pairs_add::<C>(coordinates, &mut rng));
        }
    }
}

/// Checks that equal and opposite points are marked and leave the accumulator unchanged.
fn formulas_mark<C: Curve>(coordinates: &Coordinates, rng: &mut StdRng) {
    let additions = coordinates.compile(&BigField::of::<C::BaseField>()).unwrap();
    let p = (Affine::<C>::generator() * C::ScalarField::rand(rng)).into_affine();
    let size = coordinates.size() * degree::<C>();
    let found = |formula: &Formula, registers: &mut Vec<Prime<C>>| {
        let marks = formula.run(registers);
        [Mark::SameX, Mark::SameY].map(|mark| marks.contains(&mark))
    };
    for (q, same_y) in [(p, true), (-p, false)] {
        let accumulator = spread(coordinates, &p, rng);
        let mut registers = [accumulator.clone(), elements::<C>(&[q.x, q.y])].concat();
        assert_eq!(found(&additions.mixed, &mut registers), [true, same_y]);
        assert_eq!(registers[..size], accumulator);
        let mut registers = [accumulator.clone(), spread(coordinates, &q, rng)].concat();
        assert_eq!(found(&additions.full, &mut registers), [true, same_y]);
        assert_eq!(registers[..size], accumulator);
    }
    let mut registers = spread(coordinates, &p, rng);
    registers[degree::<C>()..][..degree::<C>()].fill(Prime::<C>::ZERO);
    assert_eq!(additions.double.run(&mut registers), [Mark::SameX]);
}

#[test]
fn every_formula_adds_on_every_curve() {
    let mut rng = StdRng::seed_from_u64(1);
    for coordinates in ALL {
        for name in CurveName::all() {
            crate::with_curve!(name, C => formulas_add::<C>(coordinates, &mut rng));
            crate::with_curve!(name, C => formulas_mark::<C>(coordinates, &mut rng));
        }
    }
}

#[test]
fn mixed_additions_cost_what_the_files_say() {
    let field = BigField::of::<ark_bls12_381::Fq>();
    let costs = ALL.map(|coordinates| {
        let additions = coordinates.compile(&field).unwrap();
        [additions.mixed, additions.full, additions.double].map(|formula| formula.multiplications())
    });
    assert_eq!(costs, [[10, 14, 9], [11, 16, 8], [11, 14, 10]]);
    // In an extension a square takes two as well.
    let field = BigField::of::<ark_bls12_381::Fq2>();
    for coordinates in ALL {
        let additions = coordinates.compile(&field).unwrap();
        let costs =
            [additions.mixed, additions.full, additions.double].map(|formula| formula.multiplications());
        let prime = coordinates.compile(&field.prime()).unwrap();
        let primes = [prime.mixed, prime.full, prime.double].map(|formula| 2 * formula.multiplications());
        assert_eq!(costs, primes);
    }
}
