//! Examples of every variant of every kernel, for the tests that run over all kernels and for the dump of
//! their texts.

use super::matrix_spec::{MatrixKind, MatrixSpec, extension_shape, matrix_shape};
use super::reduction::Modulus;
use super::specs::{Edge, PassSpec, ProductSpec, outer_radix2};
use super::split::{Room, columns_shape, middle_shape, rows_shape};
use super::steps::{Ends, Outer};
use super::tile::{Decimation, Layout, Shape};
use crate::field::{BABY_BEAR, NAMED, Prime};
use crate::gpu::{Arithmetic, Variant};
use crate::ntt::Reduction;

/// Calls `add` for each kind of modulus, and removes duplicates.
pub(super) fn samples(
    arithmetic: Arithmetic,
    mut add: impl FnMut(Modulus, &mut Vec<Variant>),
) -> Vec<Variant> {
    let mut variants = Vec::new();
    for prime in [BABY_BEAR, NAMED[2].1] {
        add(Modulus::new(prime, Reduction::Auto, arithmetic), &mut variants);
    }
    for reduction in [Reduction::Montgomery, Reduction::Barrett, Reduction::Plain] {
        add(Modulus::new(NAMED[2].1, reduction, arithmetic), &mut variants);
    }
    let mut seen = std::collections::HashSet::new();
    variants.retain(|variant| seen.insert(variant.identity()));
    variants
}

/// The tiles of passes along every stride on devices of either size, for one modulus: a tile's shape does
/// not depend on the modulus.
fn columns_shapes(modulus: Modulus) -> Vec<Shape> {
    let of_room = |room| {
        let bits = if modulus.prime == BABY_BEAR { 4..10 } else { 0..0 };
        bits.flat_map(move |bits| [18, 24].map(|log_n| columns_shape(bits, log_n, room)))
    };
    [Room::LARGE, Room::DEFAULT].into_iter().flat_map(of_room).collect()
}

fn sample_pass(modulus: Modulus, shape: Shape, decimation: Decimation, outer: Outer, edge: Edge) -> PassSpec {
    let root = root_of(modulus.prime, shape.rows);
    let ends = Ends { bound_in: 1, outer, bound_out: 1 };
    PassSpec { edge, ..PassSpec::new(shape, modulus, decimation, root, ends) }
}

/// The samples' primes all have roots of these orders.
fn root_of(prime: Prime, log: u32) -> u32 {
    prime.root_of_unity(log).unwrap_or(1)
}

const WEIGHTED_IN: Edge = Edge { weighted_in: true, ..Edge::INNER };
const WEIGHTED_OUT: Edge = Edge { weighted_out: true, ..Edge::INNER };
const SCALED: Edge = Edge { scaled: true, ..Edge::INNER };

/// The variants of passes of each kind of modulus.
fn passes(arithmetic: Arithmetic, specs: impl Fn(Modulus) -> Vec<PassSpec>) -> Vec<Variant> {
    samples(arithmetic, |modulus, out| out.extend(specs(modulus).iter().map(PassSpec::variant)))
}

pub(super) fn columns_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    passes(arithmetic, |modulus| {
        let shape = Shape::new(8, 4, 4, Layout::Interleaved);
        let pass = |decimation, outer, edge| sample_pass(modulus, shape.clone(), decimation, outer, edge);
        let mut specs = vec![
            pass(Decimation::Frequency, Outer::Words, WEIGHTED_IN),
            pass(Decimation::Frequency, Outer::Pairs, Edge::INNER),
            pass(Decimation::Time, Outer::Words, SCALED),
        ];
        specs.extend(columns_shapes(modulus).into_iter().enumerate().map(|(i, shape)| {
            let decimation = [Decimation::Frequency, Decimation::Time][i % 2];
            sample_pass(modulus, shape, decimation, Outer::Words, Edge::INNER)
        }));
        specs
    })
}

pub(super) fn columns_to_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    passes(arithmetic, |modulus| {
        let shape = Shape::new(8, 4, 4, Layout::Interleaved);
        let spec = sample_pass(modulus, shape, Decimation::Time, Outer::Words, Edge::INNER);
        vec![PassSpec { out_of_place: true, ..spec }]
    })
}

pub(super) fn columns_pair_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    let bounded = Edge { bounded: true, ..Edge::INNER };
    passes(arithmetic, |modulus| {
        let shapes = std::iter::once(Shape::new(8, 4, 3, Layout::Interleaved)).chain(columns_shapes(modulus));
        let spec = |shape| sample_pass(modulus, shape, Decimation::Frequency, Outer::Words, bounded);
        shapes.map(|shape| PassSpec { out_of_place: true, paired: true, ..spec(shape) }).collect()
    })
}

pub(super) fn matrix_variants(arithmetic: Arithmetic, out_of_place: bool) -> Vec<Variant> {
    samples(arithmetic, |modulus, out| {
        let mut push = |shape, outer, edge, ends, orders| {
            out.push(sample_matrix(modulus, shape, outer, edge, ends, orders).variant());
        };
        let shape = |bits| matrix_shape(bits, Room::DEFAULT);
        if out_of_place {
            push(shape(8), Outer::Words, WEIGHTED_IN, [true, false], [true, false]);
            push(shape(5), Outer::Pairs, Edge::INNER, [true, false], [false; 2]);
            push(shape(3), Outer::None, WEIGHTED_OUT, [true; 2], [true; 2]);
            push(shape(4), Outer::None, SCALED, [false, true], [false, true]);
        } else {
            push(shape(8), Outer::Words, Edge::INNER, [false; 2], [false; 2]);
            push(shape(7), Outer::None, WEIGHTED_OUT, [false, true], [false; 2]);
            for shape in matrix_shapes(modulus, matrix_shape) {
                push(shape, Outer::Pairs, Edge::INNER, [false; 2], [false; 2]);
            }
        }
        for (bits, outer) in [(6, Outer::Pairs), (2, Outer::None)] {
            let ends = [out_of_place, false];
            let spec = sample_matrix(modulus, shape(bits), outer, Edge::INNER, ends, [out_of_place, false]);
            out.push(MatrixSpec { kind: MatrixKind::Pass(Decimation::Time), ..spec }.variant());
        }
    })
}

pub(super) fn extension_variants(arithmetic: Arithmetic, out_of_place: bool) -> Vec<Variant> {
    samples(arithmetic, |modulus, out| {
        let mut push = |shape: Shape, outer, ends, orders| {
            let root_back = modulus.prime.inverse(root_of(modulus.prime, shape.rows));
            let kind = MatrixKind::Extension { root_back, bound_back: modulus.constant_product_bound() };
            let spec = sample_matrix(modulus, shape, outer, Edge::INNER, ends, orders);
            out.push(MatrixSpec { kind, ..spec }.variant());
        };
        let shape = |bits| extension_shape(bits, Room::DEFAULT);
        if out_of_place {
            push(shape(7), Outer::None, [true; 2], [true, false]);
            push(shape(2), Outer::None, [true; 2], [true; 2]);
        } else {
            push(shape(8), Outer::Words, [false; 2], [false; 2]);
            for shape in matrix_shapes(modulus, extension_shape) {
                push(shape, Outer::Pairs, [false; 2], [false; 2]);
            }
        }
    })
}

/// The tiles of passes over a matrix, for one modulus: see [`columns_shapes`].
fn matrix_shapes(modulus: Modulus, shape: impl Fn(u32, Room) -> Shape) -> Vec<Shape> {
    let bits = if modulus.prime == BABY_BEAR { 1..11 } else { 0..0 };
    let room = |bits| match bits {
        ..10 => [Room::DEFAULT, Room::LARGE][bits as usize % 2],
        _ => Room::LARGE,
    };
    bits.map(|bits| shape(bits, room(bits))).collect()
}

fn sample_matrix(
    modulus: Modulus,
    shape: Shape,
    outer: Outer,
    edge: Edge,
    [first, last]: [bool; 2],
    [reversed_in, reversed_out]: [bool; 2],
) -> MatrixSpec {
    let (kind, root) = (MatrixKind::Pass(Decimation::Frequency), root_of(modulus.prime, shape.rows));
    let ends = Ends { bound_in: 1, outer, bound_out: 1 };
    MatrixSpec { shape, modulus, kind, root, ends, edge, first, last, reversed_in, reversed_out }
}

pub(super) fn rows_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    passes(arithmetic, |modulus| {
        let pass = |shape, decimation| sample_pass(modulus, shape, decimation, Outer::None, Edge::INNER);
        let mut specs = Vec::new();
        for (rows, columns, registers) in [(1, 6, 4), (9, 0, 3), (12, 0, 4)] {
            for decimation in [Decimation::Frequency, Decimation::Time] {
                let spec = pass(Shape::new(rows, columns, registers, Layout::Stacked), decimation);
                specs.extend([spec.clone(), PassSpec { reversed_out: true, ..spec }]);
            }
        }
        let all = if modulus.prime == BABY_BEAR { 1..13 } else { 0..0 };
        let decimation = |bits| [Decimation::Frequency, Decimation::Time][bits as usize % 2];
        specs.extend(all.map(|bits| pass(rows_shape(bits), decimation(bits))));
        specs
    })
}

pub(super) fn vectors_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    passes(arithmetic, |modulus| {
        let pass = |(rows, decimation)| {
            sample_pass(modulus, Shape::of_vectors(rows, 0), decimation, Outer::None, Edge::INNER)
        };
        [(8, Decimation::Frequency), (12, Decimation::Time)].map(pass).to_vec()
    })
}

pub(super) fn parts_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    passes(arithmetic, |modulus| {
        let pass = |bits| PassSpec::in_parts(modulus, bits, root_of(modulus.prime, bits));
        [11, 12].map(pass).to_vec()
    })
}

pub(super) fn transposed_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    passes(arithmetic, |modulus| {
        let shape = Shape::new(8, 4, 4, Layout::Interleaved);
        let spec = sample_pass(modulus, shape, Decimation::Frequency, Outer::None, Edge::INNER);
        vec![PassSpec { out_of_place: true, reversed_out: true, ..spec }]
    })
}

pub(super) fn product_variants(arithmetic: Arithmetic, whole: bool) -> Vec<Variant> {
    samples(arithmetic, |modulus, out| {
        let mut push = |shape: Shape, weighted| {
            let root = root_of(modulus.prime, shape.rows);
            out.push(ProductSpec { shape, modulus, root, bound_in: 1, whole, weighted }.variant());
        };
        for weighted in [false, whole] {
            push(Shape::new(9, 0, 3, Layout::Stacked), weighted);
        }
        if !whole {
            push(middle_shape(8, arithmetic.int64), false);
        }
    })
}

pub(super) fn outer_radix2_variants(arithmetic: Arithmetic) -> Vec<Variant> {
    samples(arithmetic, |modulus, out| {
        out.push(outer_radix2(modulus, Decimation::Frequency, WEIGHTED_IN));
        out.push(outer_radix2(modulus, Decimation::Time, SCALED));
    })
}
