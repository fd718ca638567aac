//! The eleven cases of a course on parallel programming, from which figures were published: their
//! dimensions, and F4 matrices of the same dimensions.
//!
//! The matrices of the course are not part of this crate. A generated F4 matrix has the dimensions of its case, and is
//! made by [`Groebner`] with numbers read off the cases whose matrices are known: ones of a reducer and of a row
//! (1, 3, 4, 5; reducers also of 6) and new pivots (1, 3, 4, 5, 6). The number of additions and that of words
//! added then are within a factor 1.5 of those of the cases 1, 3 and 4, and additions within that of case 5, which
//! takes 404 a row; a test counts them. In cases 4 and 5 a row takes a third as many additions as there are
//! reducers, and so does one of the F4 matrices for the cases 6 to 10, whose numbers are guessed.

use super::Groebner;
use crate::Result;
use crate::gf2::F4Matrix;

/// One case of the course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// The number of the case, from 1 to 11.
    pub number: u32,
    /// The number of columns.
    pub columns: usize,
    /// The number of reducers.
    pub reducers: usize,
    /// The number of rows to reduce.
    pub rows: usize,
    /// Other dimensions under which the case was printed, if they differ from those of its matrices.
    pub note: Option<&'static str>,
    /// At most this many rows become pivots in a generated F4 matrix.
    new_pivots: usize,
    /// The mean numbers of ones of a reducer and of a row.
    ones: (usize, usize),
}

impl Case {
    /// In a generated F4 matrix, one row in so many is a sum of three reducers, which vanishes at once.
    fn sums(&self) -> usize {
        if self.number <= 3 { 3 } else { 5 }
    }
}

/// All cases, by number.
pub const CASES: [Case; 11] = [
    case(1, (130, 22, 8), 8, (19, 19)),
    case(2, (254, 106, 53), 20, (25, 35)),
    case(3, (562, 170, 53), 25, (32, 51)),
    case(4, (1011, 539, 263), 72, (48, 129)),
    case(5, (2362, 1226, 453), 113, (92, 271)),
    case(6, (3799, 2759, 1953), 416, (142, 440)),
    case(7, (8399, 6375, 4535), 1134, (200, 450)),
    Case {
        note: Some("printed with 23045 columns; the matrices have 23075"),
        ..case(8, (23_075, 18_748, 14_325), 3581, (250, 500))
    },
    Case {
        note: Some("printed with 14921 rows; the matrices have 14291"),
        ..case(9, (37_960, 29_304, 14_291), 3573, (300, 500))
    },
    case(10, (43_577, 39_477, 54_274), 3500, (300, 450)),
    case(11, (85_401, 5724, 756), 189, (100, 200)),
];

/// Makes the case of `columns`, `reducers` and `rows`.
const fn case(
    number: u32,
    (columns, reducers, rows): (usize, usize, usize),
    new_pivots: usize,
    ones: (usize, usize),
) -> Case {
    Case { number, columns, reducers, rows, note: None, new_pivots, ones }
}

impl Case {
    /// Returns case `number`, or `None` if it is not from 1 to 11.
    ///
    /// ```
    /// use wgalois::gf2::generate::course::Case;
    ///
    /// let case = Case::numbered(3).expect("a case of the course");
    /// let f4 = case.stand_in(1)?;
    /// assert_eq!((f4.columns(), f4.reducer_count(), f4.row_count()), (562, 170, 53));
    /// assert_eq!(Case::numbered(12), None);
    /// # Ok::<(), wgalois::Error>(())
    /// ```
    pub fn numbered(number: u32) -> Option<Self> {
        CASES.into_iter().find(|case| case.number == number)
    }

    /// Generates an F4 matrix with the dimensions of the case divided by `divisor` and rounded up; 1 leaves
    /// them as they are, 0 counts as 1. The same divisor gives the same F4 matrix on every machine.
    pub fn stand_in(&self, divisor: usize) -> Result<F4Matrix> {
        let by = |count: usize| count.div_ceil(divisor.max(1));
        let columns = by(self.columns);
        let problem = Groebner {
            columns,
            reducers: by(self.reducers),
            rows: by(self.rows),
            new_pivots: by(self.new_pivots),
            // A denser row would have more ones than columns.
            reducer_ones: self.ones.0.min(columns / 2),
            row_ones: self.ones.1.min(columns / 2),
            seed: u64::from(self.number),
        };
        let (reducers, rows) = problem.generate_with_sums(self.sums())?;
        F4Matrix::new(reducers, rows, Some(columns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_have_the_dimensions_of_their_cases() {
        for case in CASES.iter().take(6) {
            let f4 = case.stand_in(1).unwrap();
            let shape = (f4.columns(), f4.reducer_count(), f4.row_count());
            assert_eq!(shape, (case.columns, case.reducers, case.rows), "{}", case.number);
        }
        for case in CASES {
            let f4 = case.stand_in(100).unwrap();
            assert_eq!(f4.columns(), case.columns.div_ceil(100));
            assert_eq!(f4.row_count(), case.rows.div_ceil(100));
            // A divisor that leaves one column, row and reducer.
            let least = case.stand_in(usize::MAX).unwrap();
            assert_eq!((least.columns(), least.reducer_count(), least.row_count()), (1, 1, 1));
        }
        assert_eq!(CASES.map(|case| case.number), std::array::from_fn(|k| k as u32 + 1));
    }
}
