//! Hilbert series of systems that behave like random ones, and the sizes of Macaulay matrices that follow.

use super::generate::monomials;

/// The highest degree of a Macaulay matrix that is considered.
pub const MAX_MACAULAY_DEGREE: usize = 12;

/// Coefficients of the Hilbert series of a semi-regular Boolean system, to t^[`MAX_MACAULAY_DEGREE`]:
///
/// ```text
/// (1 + t)^n / ((1 + t^d1) (1 + t^d2) ...)
/// ```
///
/// As long as they and those before are positive, the coefficient of t^D is the number of monomials of degree D that
/// are not leading terms (Bardet, Faugere, Salvy, Yang, MEGA 2005).
pub fn series(variables: usize, degrees: &[usize]) -> Vec<f64> {
    let mut series = vec![0.0; MAX_MACAULAY_DEGREE + 1];
    series[0] = 1.0;
    for _ in 0..variables {
        (1..series.len()).rev().for_each(|k| series[k] += series[k - 1]);
    }
    for &degree in degrees.iter().filter(|&&degree| degree > 0) {
        (degree..series.len()).for_each(|k| series[k] -= series[k - degree]);
    }
    series
}

/// Returns the lowest degree at which the Macaulay matrix of such a system is expected to have linear polynomials or 1
/// in its row space, which determine the solution: where the sum of the series' coefficients is no longer positive.
pub fn solving_degree(variables: usize, degrees: &[usize]) -> Option<usize> {
    // Equations of a higher degree than the matrix are no part of it, nor of the series so far.
    let lowest = degrees.iter().copied().min().unwrap_or(1).max(1);
    let mut sum = 0.0;
    for (degree, coefficient) in series(variables, degrees).into_iter().enumerate() {
        sum += coefficient;
        // One solution leaves one monomial, and the linear polynomials the rest.
        if sum <= 1.0 && degree >= lowest {
            return Some(degree);
        }
    }
    None
}

/// Returns the expected rank of the Macaulay matrix of degree `degree`.
pub fn rank(variables: usize, degrees: &[usize], degree: usize) -> f64 {
    let mut left = 0.0;
    for coefficient in series(variables, degrees).into_iter().take(degree + 1) {
        // A series is cut where it stops being positive.
        if coefficient <= 0.0 {
            break;
        }
        left += coefficient;
    }
    (monomials(variables, degree) as f64 - left).max(0.0)
}

/// Returns the numbers of rows, that is products of an equation and a monomial, and of columns, that is monomials, of
/// the Macaulay matrix of a degree.
pub fn shape(variables: usize, degrees: &[usize], degree: usize) -> (u64, u64) {
    let products =
        degrees.iter().filter(|&&own| own <= degree).map(|&own| monomials(variables, degree - own));
    (products.fold(0, u64::saturating_add), monomials(variables, degree))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_of_random_quadratic_systems() {
        // Twice as many quadratic equations as variables.
        let degree = |n: usize| solving_degree(n, &vec![2; 2 * n]);
        assert_eq!([24, 28, 32].map(degree), [Some(4), Some(5), Some(5)]);
        assert_eq!(shape(24, &[2; 48], 4), (48 * 301, 12_951));
        assert_eq!(shape(28, &[2; 56], 5).1, 122_438);
        // (1 + t)^2 / (1 + t^2) = 1 + 2 t + 0 t^2 - ...
        assert_eq!(series(2, &[2])[..4], [1.0, 2.0, 0.0, -2.0]);
        assert_eq!(rank(2, &[2], 2), 1.0);
    }
}
