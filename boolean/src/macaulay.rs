//! Macaulay matrices: products of equations and monomials as rows, monomials as columns.

use super::checks::Checks;
use super::{Equations, Monomial, Polynomial};
use wgalois::gf2::{self, BitMatrix};
use wgalois::parallel::*;
use wgalois::timeline::Timeline;
use wgalois::{Device, Error, Result};

/// The maximum number of variables: a monomial is a mask of 64 bits.
pub const MOST_VARIABLES: usize = 64;

/// The monomials of a degree at most some bound, as columns: those of the highest degree first, 1 last.
#[derive(Clone, Debug)]
pub struct Columns {
    /// `choose[v][k]` is the binomial coefficient v over k.
    choose: Vec<Vec<u64>>,
    /// The number of monomials of a lower degree, by degree.
    offsets: Vec<u64>,
}

impl Columns {
    /// Refuses more variables or columns than a matrix can have.
    pub fn new(variables: usize, degree: usize) -> Result<Self> {
        Error::expect_at_most("variables of a Macaulay matrix", MOST_VARIABLES as u64, variables as u64)?;
        let mut choose = vec![vec![0u64; degree + 2]; variables + 1];
        for v in 0..=variables {
            choose[v][0] = 1;
            for k in 1..=degree + 1 {
                choose[v][k] = if v == 0 { 0 } else { choose[v - 1][k - 1].saturating_add(choose[v - 1][k]) };
            }
        }
        let mut offsets = vec![0u64];
        for k in 0..=degree {
            offsets.push(offsets[k].saturating_add(choose[variables][k]));
        }
        Error::expect_at_most("monomials of a matrix", gf2::MAX_SIDE as u64, offsets[degree + 1])?;
        Ok(Columns { choose, offsets })
    }

    /// Returns the number of columns.
    pub fn len(&self) -> usize {
        self.offsets[self.offsets.len() - 1] as usize
    }

    /// Returns the number of columns of the monomials of a degree above `degree`.
    pub fn above(&self, degree: usize) -> usize {
        self.len() - self.offsets[(degree + 1).min(self.offsets.len() - 1)] as usize
    }

    /// Returns the column of a monomial.
    pub fn of(&self, mask: u64) -> usize {
        let mut rank = self.offsets[mask.count_ones() as usize];
        let (mut rest, mut k) = (mask, 1);
        while rest != 0 {
            rank += self.choose[rest.trailing_zeros() as usize][k];
            rest &= rest - 1;
            k += 1;
        }
        self.len() - 1 - rank as usize
    }

    /// Returns the monomial of a column.
    pub fn mask(&self, column: usize) -> u64 {
        let rank = (self.len() - 1 - column) as u64;
        let degree = self.offsets.partition_point(|&offset| offset <= rank) - 1;
        let mut rest = rank - self.offsets[degree];
        let mut mask = 0;
        for k in (1..=degree).rev() {
            // The highest variable whose binomial fits.
            let variable = self.choose.partition_point(|row| row[k] <= rest) - 1;
            rest -= self.choose[variable][k];
            mask |= 1 << variable;
        }
        mask
    }
}

/// A row: the monomial, as a mask, and the number of the equation that it multiplies.
pub type Product = (u64, u32);

/// Returns all products of a degree at most `degree`: a monomial of a degree that is left over, times an equation.
/// The lowest degrees come first.
pub fn products(equations: &Equations, columns: &Columns, degree: usize) -> Vec<Product> {
    let mut products = Vec::new();
    for total in 0..=degree {
        for (number, polynomial) in equations.polynomials().iter().enumerate() {
            let Some(left) = total.checked_sub(polynomial.degree()) else { continue };
            let (begin, end) =
                (columns.above(left), if left == 0 { columns.len() } else { columns.above(left - 1) });
            // The masks of one degree.
            products.extend((begin..end).map(|column| (columns.mask(column), number as u32)));
        }
    }
    products
}

/// Fills the matrix of some products.
pub fn fill(
    timeline: &Timeline,
    equations: &Equations,
    columns: &Columns,
    products: &[Product],
) -> Result<BitMatrix> {
    let terms: Vec<Vec<u64>> = equations.polynomials().iter().map(masks).collect();
    let mut matrix = BitMatrix::zeros(products.len(), columns.len())?;
    let stride = matrix.stride();
    if stride == 0 || products.is_empty() {
        return Ok(matrix);
    }
    let rows = matrix.words_mut().par_chunks_mut(stride).zip(products);
    rows.try_for_each(|(row, &(factor, number))| {
        timeline.check()?;
        for term in &terms[number as usize] {
            // Products of different terms may be equal; they cancel.
            let column = columns.of(factor | term);
            row[column / 32] ^= 1 << (column % 32);
        }
        Ok(())
    })?;
    Ok(matrix)
}

/// Returns the terms of a polynomial as masks.
pub fn masks(polynomial: &Polynomial) -> Vec<u64> {
    let mask = |term: &Monomial| term.variables().iter().fold(0, |mask, &variable| mask | 1 << variable);
    polynomial.terms().iter().map(mask).collect()
}

/// Returns the monomial of a mask.
pub fn monomial(mask: u64) -> Monomial {
    Monomial::new((0..64).filter(|variable| mask >> variable & 1 == 1))
}

/// Eliminates a matrix and returns the polynomials of a degree at most 1 in a basis of its row space, echelonized with
/// the highest degrees first: these span all such polynomials.
pub async fn linear_polynomials(
    device: &Device,
    columns: &Columns,
    matrix: &BitMatrix,
    checks: &Checks,
) -> Result<Vec<Polynomial>> {
    let rows = checks.rows_from(device, matrix, columns.above(1)).await?;
    let polynomial =
        |row: Vec<usize>| Polynomial::new(row.into_iter().map(|column| monomial(columns.mask(column))));
    Ok(rows.into_iter().map(polynomial).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_all_monomials_by_degree() {
        for (variables, degree) in [(0, 0), (1, 3), (5, 2), (7, 7), (64, 2)] {
            let columns = Columns::new(variables, degree).unwrap();
            let masks: Vec<u64> = (0..columns.len()).map(|column| columns.mask(column)).collect();
            assert!(masks.iter().is_sorted_by_key(|mask| std::cmp::Reverse(mask.count_ones())));
            assert!((0..columns.len()).all(|column| columns.of(masks[column]) == column));
            assert_eq!(masks.last(), Some(&0));
            let above = |k: usize| masks.iter().filter(|mask| mask.count_ones() as usize > k).count();
            (0..=degree + 1).for_each(|k| assert_eq!(columns.above(k), above(k), "{variables} {degree} {k}"));
        }
    }
}
