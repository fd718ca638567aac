//! The search for the pivots of a triangle.

use std::collections::BinaryHeap;

use crate::gf2::IndexLists;

const ROWS: usize = 0;
const COLUMNS: usize = 1;

/// What a crossing line of two ones adds to a line's score beyond the one of any other: without the line, it is a pivot.
const BONUS: u32 = 3;

/// The rows and columns of pivots, in the order of a [`Triangle`](super::Triangle). `transposed` has the columns of `matrix`
/// as rows.
///
/// ```text
/// row of one 1      pivot; its column is removed from the other rows
/// column of one 1   pivot; its row is removed from the other columns
/// none of these     the row or column of the highest score is removed, and has no pivot
/// ```
///
/// A row that is a pivot has no one in columns that are left then, and a column none in rows. So the pivots of rows come
/// first, as they were found, then those of columns, the last one first.
pub fn pivots(matrix: &IndexLists, transposed: &IndexLists) -> Vec<(u32, u32)> {
    let mut peeling = Peeling::new([matrix, transposed]);
    let (mut of_rows, mut of_columns) = (Vec::new(), Vec::new());
    loop {
        if let Some((row, column)) = peeling.single(ROWS) {
            of_rows.push((row, column));
        } else if let Some((column, row)) = peeling.single(COLUMNS) {
            of_columns.push((row, column));
        } else if !peeling.remove_heaviest() {
            break;
        }
    }
    of_rows.extend(of_columns.into_iter().rev());
    of_rows
}

/// The bytes of the search, its result included, for a matrix of so many lines (rows and columns) and ones.
pub fn bytes_of(lines: usize, ones: usize) -> u64 {
    // Degree, score, singles, pivots. A line enters the heap at first, and again when a crossing line has two ones.
    let (lines, ones) = (lines as u64, ones as u64);
    let entries = lines.saturating_add(ones.min(2 * lines));
    (4 + 4 + 8 + 16) * lines + 2 * 8 * entries
}

/// Rows and columns as lines of two sides, each with the crossing lines of the other.
struct Peeling<'a> {
    sides: [Side<'a>; 2],
}

struct Side<'a> {
    lists: &'a IndexLists,
    /// The crossing lines of each line that are not removed; 0 if it is removed itself.
    degrees: Vec<u32>,
    /// The sum of [`weight`] over these, as a hint: modulo 2^32.
    scores: Vec<u32>,
    /// Lines that had one crossing line.
    singles: Vec<u32>,
    /// Scores, which may have changed, and lines.
    heap: BinaryHeap<(u32, u32)>,
}

/// What a crossing line of this degree adds to a score.
fn weight(degree: u32) -> u32 {
    if degree == 2 { 1 + BONUS } else { 1 }
}

impl<'a> Peeling<'a> {
    fn new(lists: [&'a IndexLists; 2]) -> Self {
        let degrees = lists.map(|lists| lists.iter().map(|line| line.len() as u32).collect::<Vec<_>>());
        let side = |s: usize| {
            let (lists, across) = (lists[s], &degrees[1 - s]);
            let score = |line: &[u32]| {
                line.iter().fold(0u32, |sum, &other| sum.wrapping_add(weight(across[other as usize])))
            };
            let scores: Vec<u32> = lists.iter().map(score).collect();
            let present = || (0..lists.len() as u32).zip(&degrees[s]).filter(|(_, degree)| **degree > 0);
            let singles = present().filter(|(_, degree)| **degree == 1).map(|(line, _)| line).collect();
            let heap = present().map(|(line, _)| (scores[line as usize], line)).collect();
            Side { lists, degrees: degrees[s].clone(), scores, singles, heap }
        };
        Peeling { sides: [side(ROWS), side(COLUMNS)] }
    }

    /// Takes a line of one crossing line as a pivot, and removes both. Returns them.
    fn single(&mut self, s: usize) -> Option<(u32, u32)> {
        while let Some(line) = self.sides[s].singles.pop() {
            if self.sides[s].degrees[line as usize] != 1 {
                continue;
            }
            let across = &self.sides[1 - s].degrees;
            let other =
                self.sides[s].lists.row(line as usize).iter().find(|other| across[**other as usize] > 0);
            if let Some(&other) = other {
                self.sides[s].degrees[line as usize] = 0;
                self.remove(1 - s, other);
                return Some((line, other));
            }
        }
        None
    }

    /// Removes the line of the highest score; false if none is left.
    fn remove_heaviest(&mut self) -> bool {
        let [rows, columns] = &mut self.sides;
        let (row, column) = (rows.heaviest(), columns.heaviest());
        let score = |top: Option<(u32, u32)>| top.map(|(score, _)| score);
        let (s, top) = if score(column) >= score(row) { (COLUMNS, column) } else { (ROWS, row) };
        let Some((_, line)) = top else { return false };
        self.sides[s].heap.pop();
        self.remove(s, line);
        true
    }

    /// Removes a line from the lines that cross it.
    fn remove(&mut self, s: usize, line: u32) {
        let own = weight(std::mem::take(&mut self.sides[s].degrees[line as usize]));
        let lists = self.sides[s].lists;
        for &other in lists.row(line as usize) {
            let across = &mut self.sides[1 - s];
            let degree = &mut across.degrees[other as usize];
            if *degree == 0 {
                continue;
            }
            *degree -= 1;
            let degree = *degree;
            let score = &mut across.scores[other as usize];
            *score = score.wrapping_sub(own);
            if degree == 1 {
                across.singles.push(other);
            }
            if degree == 1 || degree == 2 {
                self.change_scores(s, other, degree);
            }
        }
    }

    /// Changes the scores of the lines of side `s` that cross `other`, which has this degree now, and had one more.
    fn change_scores(&mut self, s: usize, other: u32, degree: u32) {
        let [side, across] = match &mut self.sides {
            [rows, columns] if s == ROWS => [rows, columns],
            [rows, columns] => [columns, rows],
        };
        for &line in across.lists.row(other as usize) {
            if side.degrees[line as usize] == 0 {
                continue;
            }
            let score = &mut side.scores[line as usize];
            if degree == 2 {
                *score = score.wrapping_add(BONUS);
                side.heap.push((*score, line));
            } else {
                *score = score.wrapping_sub(BONUS);
            }
        }
    }
}

impl Side<'_> {
    /// The highest score and its line, which are left on top of the heap.
    fn heaviest(&mut self) -> Option<(u32, u32)> {
        while let Some(&(noted, line)) = self.heap.peek() {
            let score = self.scores[line as usize];
            if self.degrees[line as usize] > 0 && score == noted {
                return Some((score, line));
            }
            self.heap.pop();
            if self.degrees[line as usize] > 0 {
                self.heap.push((score, line));
            }
        }
        None
    }
}
