//! The definition of the elimination in file order, against which a result is checked: in memory or in files.
//!
//! Pivots are reducers and new pivots, in the order of their leads. In memory are a line for each column, and the
//! leads.
//!
//! ```text
//! leads      read the new pivots: their leads differ from each other and from the reducers' (certain)
//! a group    512 rows as one line a column; read the pivots from the highest lead down, add each to the rows that have a
//!            one at its lead; what is left of each row is its result
//! no loss    vectors v on which the pivots vanish, uniform among those: every row vanishes on v, so that a lost row is
//!            missed with a chance of at most 2^-64
//! ```

use super::failed;
use super::vectors::random_vectors;
use crate::gf2::bit_matrix::{Line, SetBits, zero_lines};
use crate::gf2::{Elimination, F4Matrix};
use crate::{Result, Wrong};

/// An F4 matrix and its result, as a check reads them. Columns count from the highest one: their places.
pub(in crate::gf2) trait Judged {
    /// The number of places.
    fn width(&self) -> usize;

    /// The number of rows.
    fn row_count(&self) -> usize;

    /// The number of reducers that are not empty.
    fn reducer_count(&self) -> usize;

    /// The place of the lead, and the number, of the k-th of these reducers; places ascend.
    fn reducer(&self, k: usize) -> Result<(usize, u32)>;

    /// The new pivots, ascending.
    fn new_pivots(&self) -> &[u32];

    /// The column at a place.
    fn column(&self, place: usize) -> u32;

    /// Calls `one` with the places of a reducer's ones, ascending.
    fn read_reducer(&self, number: u32, one: impl FnMut(usize)) -> Result<()>;

    /// Calls `one` with the places of a row's ones, ascending.
    fn read_row(&self, row: u32, one: impl FnMut(usize)) -> Result<()>;

    /// Gives `take` the numbers of some of the new pivots, in this order, and their ones.
    fn visit(&self, rows: &[u32], take: &mut dyn FnMut(u32, Ones<'_>) -> Result<()>) -> Result<()>;
}

/// The ones of a new pivot.
pub(in crate::gf2) enum Ones<'o> {
    /// Words in which column c has place `width - 1 - c`.
    Packed { words: &'o [u64], width: usize },
    /// Their places, ascending.
    #[cfg(not(target_arch = "wasm32"))]
    Listed(&'o mut dyn Iterator<Item = Result<usize>>),
}

impl Ones<'_> {
    /// The place of the first one, if there is one, and the number of ones.
    fn summary(self) -> Result<(Option<usize>, u64)> {
        match self {
            Ones::Packed { words, width } => {
                let highest = words.iter().rposition(|&word| word != 0);
                let highest = highest.map(|w| 64 * w + 63 - words[w].leading_zeros() as usize);
                let ones = words.iter().map(|word| u64::from(word.count_ones())).sum();
                Ok((highest.and_then(|column| (width - 1).checked_sub(column)), ones))
            }
            #[cfg(not(target_arch = "wasm32"))]
            Ones::Listed(places) => {
                let (mut first, mut ones) = (None, 0);
                for place in places {
                    first = first.or(Some(place?));
                    ones += 1;
                }
                Ok((first, ones))
            }
        }
    }

    /// Calls `one` with the place of every one.
    fn for_each(self, mut one: impl FnMut(usize)) -> Result<()> {
        match self {
            Ones::Packed { words, width } => {
                for (w, &word) in words.iter().enumerate() {
                    SetBits(word).for_each(|bit| one(width - 1 - (64 * w + bit)));
                }
                Ok(())
            }
            #[cfg(not(target_arch = "wasm32"))]
            Ones::Listed(places) => {
                for place in places {
                    one(place?);
                }
                Ok(())
            }
        }
    }
}

/// An F4 matrix and its result in memory.
pub(super) struct InMemory<'a> {
    f4: &'a F4Matrix,
    result: &'a Elimination,
    reducers: Vec<(u32, u32)>,
}

impl<'a> InMemory<'a> {
    pub fn new(f4: &'a F4Matrix, result: &'a Elimination) -> Result<Self> {
        let width = f4.width();
        Wrong::expect_length("rows", f4.row_count(), result.row_count())?;
        Wrong::expect_length("columns with ones", width, result.width())?;
        let of_column = |column| Some(((width - 1 - column) as u32, f4.reducer_of(column)? as u32));
        Ok(InMemory { f4, result, reducers: (0..width).rev().filter_map(of_column).collect() })
    }
}

impl Judged for InMemory<'_> {
    fn width(&self) -> usize {
        self.f4.width()
    }

    fn row_count(&self) -> usize {
        self.f4.row_count()
    }

    fn reducer_count(&self) -> usize {
        self.reducers.len()
    }

    fn reducer(&self, k: usize) -> Result<(usize, u32)> {
        let (place, number) = self.reducers[k];
        Ok((place as usize, number))
    }

    fn new_pivots(&self) -> &[u32] {
        self.result.new_pivots()
    }

    fn column(&self, place: usize) -> u32 {
        self.result.label(self.width() - 1 - place)
    }

    fn read_reducer(&self, number: u32, mut one: impl FnMut(usize)) -> Result<()> {
        let row = self.f4.reducers().row(number as usize);
        row.iter().for_each(|&column| one(self.width() - 1 - column as usize));
        Ok(())
    }

    fn read_row(&self, row: u32, mut one: impl FnMut(usize)) -> Result<()> {
        let row = self.f4.rows().row(row as usize);
        row.iter().for_each(|&column| one(self.width() - 1 - column as usize));
        Ok(())
    }

    fn visit(&self, rows: &[u32], take: &mut dyn FnMut(u32, Ones<'_>) -> Result<()>) -> Result<()> {
        rows.iter().try_for_each(|&row| match self.result.new_pivots().binary_search(&row) {
            Ok(k) => take(row, Ones::Packed { words: self.result.words(k), width: self.width() }),
            Err(_) => Ok(()),
        })
    }
}

/// An F4 matrix and its result, whose leads differ.
pub(in crate::gf2) struct F4Check<S> {
    source: S,
    /// The new pivots by ascending place of their leads, and these places.
    rows: Vec<u32>,
    places: Vec<u32>,
    /// The number of ones of reducers and new pivots.
    pub(super) ones: u64,
}

impl<S: Judged> F4Check<S> {
    /// Checks that all leads differ. Deterministic.
    pub fn new(source: S) -> Result<Self> {
        let (mut leads, mut ones) = (Vec::with_capacity(source.new_pivots().len()), 0);
        source.visit(source.new_pivots(), &mut |row, of_row| match of_row.summary()? {
            (None, _) => failed(Wrong::at("row", row, "is said to be promoted and is zero")),
            (Some(place), count) => {
                leads.push((place as u32, row));
                ones += count;
                Ok(())
            }
        })?;
        leads.sort_unstable();
        if let Some(pair) = leads.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let ((place, first), (_, row)) = (pair[0], pair[1]);
            let column = source.column(place as usize);
            return failed(format!("rows {first} and {row} have the same lead {column}"));
        }
        for k in 0..source.reducer_count() {
            let (place, number) = source.reducer(k)?;
            if let Ok(at) = leads.binary_search_by_key(&(place as u32), |&(place, _)| place) {
                let column = source.column(place);
                return failed(format!("row {} has the lead {column} of an eliminator", leads[at].1));
            }
            source.read_reducer(number, |_| ones += 1)?;
        }
        let (places, rows) = leads.into_iter().unzip();
        Ok(F4Check { source, rows, places, ones })
    }

    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.source.row_count()
    }

    /// The number of new pivots.
    pub fn new_pivots(&self) -> usize {
        self.rows.len()
    }

    /// Reduces up to 512 rows, ascending, by the definition, and compares them with the result.
    pub fn group(&self, group: &[u32]) -> Result<()> {
        let source = &self.source;
        let mut reduction = Reduction { columns: zero_lines(source.width())?, stopped: Line::ZERO, next: 0 };
        for (k, &row) in group.iter().enumerate() {
            source.read_row(row, |place| reduction.columns[place].flip(k))?;
        }
        let mut next = 0;
        let mut add_reducers = |reduction: &mut Reduction, before: usize| -> Result<()> {
            while next < source.reducer_count() {
                let (place, number) = source.reducer(next)?;
                if place >= before {
                    break;
                }
                next += 1;
                let added = reduction.added_at(place, &Line::ZERO);
                if !added.is_zero() {
                    source.read_reducer(number, |place| reduction.columns[place].xor(&added))?;
                }
            }
            Ok(())
        };
        let mut places = self.places.iter();
        source.visit(&self.rows, &mut |new_pivot, ones| {
            let Some(&place) = places.next() else { return Ok(()) };
            add_reducers(&mut reduction, place as usize)?;
            // A row is reduced by the rows before it.
            let up_to = group.partition_point(|&row| row <= new_pivot);
            let added = reduction.added_at(place as usize, &Line::ones(up_to));
            match added.is_zero() {
                true => Ok(()),
                false => ones.for_each(|place| reduction.columns[place].xor(&added)),
            }
        })?;
        add_reducers(&mut reduction, source.width())?;
        let mut columns = reduction.columns;
        let is_new_pivot = |row: &u32| source.new_pivots().binary_search(row).is_ok();
        let new_pivots: Vec<u32> = group.iter().copied().filter(is_new_pivot).collect();
        source.visit(&new_pivots, &mut |row, ones| {
            let k = group.partition_point(|&other| other < row);
            ones.for_each(|place| columns[place].flip(k))
        })?;
        let mut wrong = Line::ZERO;
        columns.iter().for_each(|line| wrong.0.iter_mut().zip(&line.0).for_each(|(any, word)| *any |= word));
        let first = (0..group.len()).find(|&k| wrong.bit(k)).map(|k| group[k]);
        Wrong::none("row", first, "does not follow from the definition")
    }

    /// Checks that every row is a sum of reducers and new pivots.
    pub fn no_row_is_lost(&self) -> Result<()> {
        let source = &self.source;
        let mut vectors = random_vectors(source.width())?;
        let mut left = source.reducer_count();
        let mut set_reducers = |vectors: &mut [u64], from: usize| -> Result<()> {
            while left > 0 {
                let (pivot, number) = source.reducer(left - 1)?;
                if pivot < from {
                    break;
                }
                left -= 1;
                let mut sum = 0;
                vectors[pivot] = 0;
                source.read_reducer(number, |place| sum ^= vectors[place])?;
                vectors[pivot] = sum;
            }
            Ok(())
        };
        let from_the_lowest: Vec<u32> = self.rows.iter().rev().copied().collect();
        let mut places = self.places.iter().rev();
        source.visit(&from_the_lowest, &mut |_, ones| {
            let Some(&pivot) = places.next() else { return Ok(()) };
            set_reducers(&mut vectors, pivot as usize)?;
            let mut sum = 0;
            vectors[pivot as usize] = 0;
            ones.for_each(|place| sum ^= vectors[place])?;
            vectors[pivot as usize] = sum;
            Ok(())
        })?;
        set_reducers(&mut vectors, 0)?;
        for row in 0..source.row_count() as u32 {
            let mut sum = 0;
            source.read_row(row, |place| sum ^= vectors[place])?;
            if sum != 0 {
                return failed(Wrong::at("row", row, "is not a sum of eliminators and promoted rows"));
            }
        }
        Ok(())
    }
}

/// 512 rows as they are reduced.
struct Reduction {
    /// By place: the rows that have a one there.
    columns: Box<[Line]>,
    /// The rows that have a one where no pivot may be added: these are final.
    stopped: Line,
    /// The places before this one were passed.
    next: usize,
}

impl Reduction {
    /// Goes on to a pivot's lead. Returns the rows that the pivot is added to: those that have a one there, except the
    /// final ones and `not`.
    fn added_at(&mut self, place: usize, not: &Line) -> Line {
        for passed in self.next..place {
            let reduced = without(&self.columns[passed], &self.stopped);
            self.stopped.xor(&reduced);
        }
        self.next = place + 1;
        let reduced = without(&self.columns[place], &self.stopped);
        let added = without(&reduced, not);
        self.stopped.xor(&without(&reduced, &added));
        added
    }
}

fn without(line: &Line, other: &Line) -> Line {
    Line(std::array::from_fn(|k| line.0[k] & !other.0[k]))
}
