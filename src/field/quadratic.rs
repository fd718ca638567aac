//! Formulas over a quadratic extension by u, u^2 = -k, as formulas over its prime field.
//!
//! A name `A` stands for the elements `A.0` and `A.1` of A0 + A1 u. A product of two takes a difference and a sum of two
//! products, each with one reduction; a square takes two products, or one and a difference of two if k is not 1:
//!
//! ```text
//! A B = (A0 B0 - k A1 B1) + (A0 B1 + A1 B0) u
//! A^2 = (A0 + A1) (A0 - A1) + 2 A0 A1 u              k = 1
//! A^2 = (A0 A0 - k A1 A1) + 2 A0 A1 u
//! ```
//!
//! A.0 B is A0 B0 + A0 B1 u, with a reduction for each product.
//!
//! The factors -k B1, A0 + A1 and A0 - A1 are computed where all turns meet, so that their code is in a kernel once.
//!
//! Karatsuba's method would take three products with a reduction each, and more sums.

use super::BigField;
use super::bound::Product;
use super::formula::{Line, Mark};

/// The names of the elements that `name` stands for.
pub(super) fn parts(name: &str, field: &BigField) -> Vec<String> {
    match field.held {
        1 => vec![name.to_owned()],
        held => (0..held).map(|part| of(name, part)).collect(),
    }
}

fn of(name: &str, part: usize) -> String {
    format!("{name}.{part}")
}

/// The lines over the prime field that compute the lines over the field of coordinates. Threads that share coordinates run
/// the lines as they are, on one element each.
pub(super) fn expand(mut lines: Vec<Line>, field: &BigField) -> Vec<Line> {
    if field.is_split() {
        let products = lines.iter_mut().filter(|line| !line.products.is_empty());
        products.for_each(|line| line.product = Product::Shared(field.minus_square));
    }
    if field.held == 1 {
        return lines;
    }
    let expanded = lines.iter().enumerate().flat_map(|(i, line)| match line.products.first() {
        None => (0..2).map(|part| sum(of(&line.destination, part), 1, NO_PRODUCT, line, part)).collect(),
        Some([a, b]) if a == b => square(line, a, i, field),
        Some([a, b]) => match element(a) {
            Some(part) => scaled(line, a, part, b),
            None => product(line, a, b, i, field),
        },
    });
    expanded.collect()
}

const NO_PRODUCT: (Product, &[[&str; 2]]) = (Product::Single, &[]);

/// `destination` = `scale` (the products) + the line's terms in one of the parts.
fn sum(
    destination: String,
    scale: i32,
    (product, factors): (Product, &[[&str; 2]]),
    line: &Line,
    part: usize,
) -> Line {
    Line {
        destination,
        scale,
        products: factors.iter().map(|pair| pair.map(str::to_owned)).collect(),
        product,
        terms: line.terms.iter().map(|(factor, name)| (*factor, of(name, part))).collect(),
        mark: None,
    }
}

/// The element that `name` names, if it is not a coordinate.
fn element(name: &str) -> Option<usize> {
    (0..2).find(|part| name.ends_with(&of("", *part)))
}

/// A product by the element `a`, which is this part of its coordinate.
fn scaled(line: &Line, a: &str, own: usize, b: &str) -> Vec<Line> {
    let of_part = |part: usize| {
        let factors: &[[&str; 2]] = &[[a, &of(b, part)]];
        sum(of(&line.destination, part), line.scale, (Product::Single, factors), line, part)
    };
    // The element itself may be what the line sets.
    vec![of_part(1 - own), of_part(own)]
}

/// `destination` = `source`.
fn copy(destination: &str, source: &str) -> Line {
    Line {
        destination: destination.to_owned(),
        scale: 1,
        products: Vec::new(),
        product: Product::Single,
        terms: vec![(1, source.to_owned())],
        mark: None,
    }
}

fn product(line: &Line, a: &str, b: &str, number: usize, field: &BigField) -> Vec<Line> {
    let ([a0, a1], [b0, b1]) = ([of(a, 0), of(a, 1)], [of(b, 0), of(b, 1)]);
    let [first, second] = [0, 1].map(|part| of(&line.destination, part));
    // The first element of a factor is still needed when that of the result is known.
    let is_factor = line.destination == a || line.destination == b;
    let put_aside = format!("({number} first)");
    let found = if is_factor { &put_aside } else { &first };
    let difference = Product::Difference(field.minus_square);
    let mut lines = vec![
        sum(found.clone(), line.scale, (difference, &[[&a0, &b0], [&a1, &b1]]), line, 0),
        sum(second, line.scale, (Product::Sum, &[[&a0, &b1], [&a1, &b0]]), line, 1),
    ];
    if is_factor {
        lines.push(copy(&first, &put_aside));
    }
    lines
}

/// A marked square is 0 if both of its products are: then one of A0 and A1 is 0, and A0^2 + k A1^2 makes the other 0.
fn square(line: &Line, a: &str, number: usize, field: &BigField) -> Vec<Line> {
    let [a0, a1] = [of(a, 0), of(a, 1)];
    let [first, second] = [0, 1].map(|part| of(&line.destination, part));
    let is_factor = line.destination == a;
    let put_aside = format!("({number} second)");
    let found = if is_factor { &put_aside } else { &second };
    let (product, factors): (_, &[[&str; 2]]) = match field.minus_square {
        1 => (Product::Square, &[[&a0, &a1]]),
        k => (Product::Difference(k), &[[&a0, &a0], [&a1, &a1]]),
    };
    let twice = (Product::Single, &[[a0.as_str(), a1.as_str()]][..]);
    let mut lines = vec![
        Line { mark: line.mark.map(|_| Mark::Half), ..sum(found.clone(), 2 * line.scale, twice, line, 1) },
        Line { mark: line.mark, ..sum(first, line.scale, (product, factors), line, 0) },
    ];
    if is_factor {
        lines.push(copy(&second, &put_aside));
    }
    lines
}

#[cfg(all(test, feature = "default"))]
mod tests {
    use ark_std::rand::SeedableRng;
    use ark_std::rand::rngs::StdRng;

    use crate::field::{BigField, CANONICAL, CoordinateField, Formula, Mark, PrimeOf};

    /// Runs a formula on `a` and `b` and returns what becomes of them, with the marks.
    fn run<F: CoordinateField>(text: &str, [a, b]: [F; 2]) -> ([F; 2], Vec<Mark>) {
        let field = BigField::of::<F>();
        let inputs = [("a", 2 * CANONICAL), ("b", 2 * CANONICAL)];
        let formula = Formula::compile(text, &inputs, &["a", "b"], &field).unwrap();
        let mut registers: Vec<PrimeOf<F>> =
            [a, b].iter().flat_map(|x| x.to_base_prime_field_elements()).collect();
        let marks = formula.run(&mut registers);
        let element =
            |part: usize| F::from_base_prime_field_elems(registers[2 * part..][..2].iter().copied());
        ([element(0).unwrap(), element(1).unwrap()], marks)
    }

    fn computes<F: CoordinateField>() {
        let mut random = StdRng::seed_from_u64(1);
        let [a, b] = [(); 2].map(|()| F::rand(&mut random));
        let n = |k: u64| F::from(k);
        // x times an element of y.
        let by = |x: F, y: F, part| {
            x.mul_by_base_prime_field(&y.to_base_prime_field_elements().nth(part).unwrap())
        };
        // Destinations that are factors, terms, both and neither.
        for (text, expected) in [
            ("c = a*b\n a = 2 c - 3 a + b\n b = c", [(a * b).double() - n(3) * a + b, a * b]),
            ("a = a*b\n b = b*a", [a * b, a * b * b]),
            ("a = -2 a*b - a + 2 b", [-(a * b).double() - a + b.double(), b]),
            ("b = 3 a*b - b", [a, n(3) * a * b - b]),
            ("c = 3 a*a - a - 2 b\n b = c*c", [a, (n(3) * a.square() - a - b.double()).square()]),
            ("a = 3 a*a - a\n b = b*b", [n(3) * a.square() - a, b.square()]),
            ("b = a.0*b\n a = b.1*a", [by(a, by(b, a, 0), 1), by(b, a, 0)]),
            ("a = a.0*b\n b = a.1*b + a", [by(b, a, 0), by(b, by(b, a, 0), 1) + by(b, a, 0)]),
            ("a = -2 a.1*b + a", [a - by(b, a, 1).double(), b]),
        ] {
            assert_eq!(run(text, [a, b]), (expected, vec![]), "{text}");
        }
    }

    #[test]
    fn lines_compute_in_the_extension() {
        computes::<ark_bls12_381::Fq2>();
        computes::<ark_bls12_377::Fq2>();
        computes::<ark_bn254::Fq2>();
    }

    /// Runs a formula as two threads do that share every coordinate.
    fn run_shared<F: CoordinateField>(text: &str, values: [F; 2]) -> ([F; 2], Vec<Mark>) {
        let field = BigField::of::<F>().split();
        let inputs = [("a", 2 * CANONICAL), ("b", 2 * CANONICAL)];
        let formula = Formula::compile(text, &inputs, &["a", "b"], &field).unwrap();
        let mut registers = values.to_vec();
        let marks = formula.run(&mut registers);
        ([registers[0], registers[1]], marks)
    }

    /// A thread needs half of the registers, and no more steps than over the prime field.
    #[test]
    fn shared_lines_compute_in_the_extension() {
        fn check<F: CoordinateField>() {
            let mut random = StdRng::seed_from_u64(2);
            let [a, b] = [(); 2].map(|()| F::rand(&mut random));
            for text in ["c = a*b\n a = 2 c - 3 a + b\n b = c", "b = a*a - b", "same_x: c = a*a\n a = c"] {
                assert_eq!(run_shared(text, [a, b]), run(text, [a, b]), "{text}");
                assert_eq!(run_shared(text, [F::ZERO, b]).1, run(text, [F::ZERO, b]).1, "{text}");
            }
        }
        check::<ark_bls12_381::Fq2>();
        check::<ark_bls12_377::Fq2>();
        check::<ark_bn254::Fq2>();
    }

    /// A factor that is above 16 p has no opposite above 0.
    #[test]
    fn shared_factors_are_bounded() {
        let field = BigField::of::<ark_bls12_381::Fq2>().split();
        let compiles = |bound| {
            let inputs = [("a", bound * CANONICAL), ("b", CANONICAL)];
            Formula::compile("a = a*b", &inputs, &["a"], &field).is_ok()
        };
        assert!(compiles(16) && !compiles(17));
    }

    fn marks<F: CoordinateField>() {
        let element =
            |parts: [u64; 2]| F::from_base_prime_field_elems(parts.map(PrimeOf::<F>::from)).unwrap();
        let values = [[0, 0], [1, 0], [0, 1], [1, 1], [5, 1]].map(element);
        let values = values.into_iter().chain(values.map(|x| x.frobenius_map(1)));
        for a in values {
            // After equal x, nothing but the other mark becomes of a line.
            for b in [a, F::ZERO, element([0, 1])] {
                let (after, marks) = run("same_x: c = a*a\n a = a*b\n same_y: d = b*b\n b = a", [a, b]);
                assert_eq!(marks.contains(&Mark::SameX), a.is_zero(), "{a}");
                assert_eq!(marks.contains(&Mark::SameY), b.is_zero(), "{b}");
                assert_eq!(after, if a.is_zero() { [a, b] } else { [a * b; 2] });
            }
        }
    }

    #[test]
    fn marks_are_those_of_both_elements() {
        marks::<ark_bls12_381::Fq2>();
        marks::<ark_bls12_377::Fq2>();
        marks::<ark_bn254::Fq2>();
    }
}
