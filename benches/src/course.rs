//! The F4 matrices of the course's cases: their real matrices where a folder holds them, else generated
//! F4 matrices of the same dimensions.

use std::path::{Path, PathBuf};

use wgalois::gf2::generate::course::{CASES, Case};
use wgalois::gf2::{F4Matrix, IndexLists};
use wgalois::{Error, Result};
use wgalois_io::Source;
use wgalois_io::bits::{self, Format, Limits};

/// The F4 matrix of a case.
#[derive(Clone, Debug)]
pub struct CourseMatrix {
    /// The F4 matrix.
    pub f4: F4Matrix,
    /// The rows of the result in file order, if the folder holds them.
    pub expected: Option<IndexLists>,
    /// True for the course's own matrices, false for a generated F4 matrix of the same dimensions.
    pub is_real: bool,
}

/// Returns a case by its number.
pub fn numbered(number: u32) -> Result<Case> {
    let most = CASES.len() as u64;
    Case::numbered(number).ok_or(Error::Setting { what: "case", value: number.into(), least: 1, most })
}

/// Loads the real matrices of a case from the folder `data`, which may take `memory` bytes; without the
/// folder, or if it lacks the case, generates an F4 matrix of the same dimensions.
///
/// The folder holds a folder `groebner/N_...` for case N with `eliminators.txt`, `rows.txt` and perhaps
/// `expected.txt`. Refuses matrices of other dimensions than the case.
pub fn load(case: &Case, data: Option<&Path>, memory: u64) -> Result<CourseMatrix> {
    let Some(folder) = data.and_then(|data| folder_of(case, data)) else {
        return Ok(CourseMatrix { f4: case.stand_in(1)?, expected: None, is_real: false });
    };
    let limits = Limits { columns: Some(case.columns), sort: false, wrap: false, memory };
    let read = |name: &str| read(&folder.join(name), &limits);
    let f4 = F4Matrix::new(read("eliminators.txt")?, read("rows.txt")?, Some(case.columns))?;
    Error::expect_length("eliminators", case.reducers, f4.reducer_count())
        .and_then(|()| Error::expect_length("rows", case.rows, f4.row_count()))
        .map_err(|error| error.of(format!("{}: case {}", folder.display(), case.number)))?;
    let has_expected = folder.join("expected.txt").is_file();
    let expected = if has_expected { Some(read("expected.txt")?) } else { None };
    Ok(CourseMatrix { f4, expected, is_real: true })
}

/// Returns the folder of a case's matrices, if there is one.
fn folder_of(case: &Case, data: &Path) -> Option<PathBuf> {
    let prefix = format!("{}_", case.number);
    let folders = std::fs::read_dir(data.join("groebner")).ok()?;
    let mut of_case: Vec<PathBuf> = folders
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)))
        .filter(|path| path.join("eliminators.txt").is_file() && path.join("rows.txt").is_file())
        .collect();
    of_case.sort();
    of_case.into_iter().next()
}

fn read(path: &Path, limits: &Limits) -> Result<IndexLists> {
    let source = Source::open(path, limits.memory)?;
    bits::read_lists(&source, Format::Lists, limits).map(|(lists, _)| lists)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// The additions of an elimination in file order, and the words of 64 bits that they add.
    fn work(f4: &F4Matrix) -> [usize; 2] {
        let packed = |row: &[u32]| {
            let mut words = vec![0u64; f4.columns().div_ceil(64)];
            row.iter().for_each(|&column| words[column as usize / 64] |= 1 << (column % 64));
            words
        };
        let mut pivots: HashMap<_, _> =
            f4.reducers().iter().map(|row| (row[0] as usize, packed(row))).collect();
        let [mut additions, mut words_added] = [0; 2];
        for row in f4.rows().iter() {
            let mut words = packed(row);
            while let Some(word) = words.iter().rposition(|&word| word != 0) {
                let lead = 64 * word + 63 - words[word].leading_zeros() as usize;
                let Some(pivot) = pivots.get(&lead) else {
                    pivots.insert(lead, words);
                    break;
                };
                words[..=word].iter_mut().zip(pivot).for_each(|(word, other)| *word ^= other);
                additions += 1;
                words_added += word + 1;
            }
        }
        [additions, words_added]
    }

    /// Asserts that two amounts of work differ by a factor of at most 1.5.
    fn assert_near(case: u32, what: &str, stand_in: usize, real: usize) {
        let factor = stand_in as f64 / real as f64;
        eprintln!(
            "case {case}, {what}: {stand_in} in the stand-in, {real} in the real one, factor {factor:.2}"
        );
        assert!((1.0 / 1.5..=1.5).contains(&factor), "case {case}, {what}: {stand_in} and {real}");
    }

    #[test]
    fn stand_ins_take_the_work_of_real_cases() {
        let Some(data) = std::env::var_os("WGALOIS_DATA") else {
            assert!(std::env::var_os("CI").is_none(), "WGALOIS_DATA must name the data in CI");
            eprintln!("NOT RUN: WGALOIS_DATA does not name the folder of the data");
            return;
        };
        let mut compared = 0;
        // Larger cases take long to count.
        for case in CASES.into_iter().filter(|case| case.number <= 7) {
            let real = load(&case, Some(Path::new(&data)), u64::MAX).unwrap();
            if real.is_real {
                let (stand_in, real) = (work(&case.stand_in(1).unwrap()), work(&real.f4));
                assert_near(case.number, "additions", stand_in[0], real[0]);
                assert_near(case.number, "words", stand_in[1], real[1]);
                compared += 1;
            }
        }
        assert!(compared >= 3, "{compared} real cases in {}", Path::new(&data).display());
    }

    /// The matrices of case 5 took 404 additions a row, about a third as many as there are reducers, as in case 4.
    #[test]
    fn stand_ins_of_larger_cases_take_additions_in_proportion_to_the_reducers() {
        let additions = |number| {
            let case = Case::numbered(number).unwrap();
            (case, work(&case.stand_in(1).unwrap())[0])
        };
        let (case, count) = additions(5);
        assert_near(5, "additions", count, 404 * case.rows);
        let (case, count) = additions(6);
        assert_near(6, "additions", count, case.rows * case.reducers / 3);
    }

    #[test]
    fn real_matrices_are_preferred_and_must_have_the_dimensions_of_the_case() {
        let case = Case::numbered(1).unwrap();
        let data = tempfile::tempdir().unwrap();
        let none = load(&case, Some(data.path()), u64::MAX).unwrap();
        assert!(!none.is_real && none.expected.is_none());
        let folder = data.path().join("groebner/1_130_22_8");
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, count: u32| {
            let rows: String = (0..count).map(|row| format!("{} \n", 129 - row)).collect();
            std::fs::write(folder.join(name), rows).unwrap();
        };
        write("eliminators.txt", 22);
        write("rows.txt", 8);
        let real = load(&case, Some(data.path()), u64::MAX).unwrap();
        assert!(real.is_real && real.expected.is_none());
        assert_eq!((real.f4.columns(), real.f4.row_count()), (130, 8));
        std::fs::write(folder.join("expected.txt"), "\n".repeat(8)).unwrap();
        let expected = load(&case, Some(data.path()), u64::MAX).unwrap().expected.unwrap();
        assert_eq!(expected.len(), 8);
        write("rows.txt", 9);
        assert!(matches!(load(&case, Some(data.path()), u64::MAX), Err(Error::Of { .. })));
    }
}
