//! The properties of the readers of matrices over GF(2).

use std::collections::BTreeSet;

use wgalois::gf2::{BitMatrix, IndexLists, MAX_COLUMNS};
use wgalois_io::bits;

use super::common::{decimal, source, words, written};
use super::watched::read_within;

const BITS: [bits::Format; 7] = [
    bits::Format::Text,
    bits::Format::Lists,
    bits::Format::Market,
    bits::Format::Npy,
    bits::Format::Npz,
    bits::Format::Packed,
    bits::Format::Alist,
];

/// A matrix of 0 and 1 is the same when it is read modulo 2.
pub fn check(data: &[u8], format: bits::Format) {
    let limits = bits::Limits::default();
    let strict = check_with(data, format, limits);
    let wrapped = check_with(data, format, bits::Limits { wrap: true, ..limits });
    assert!(strict.is_none() || strict == wrapped);
}

fn check_with(data: &[u8], format: bits::Format, options: bits::Limits) -> Option<BitMatrix> {
    let limits = |memory| bits::Limits { memory, ..options };
    let size = |matrix: &BitMatrix| matrix.rows() * matrix.columns().div_ceil(64) * 8;
    let matrix =
        read_within(data, |source, memory| bits::read_matrix(source, format, &limits(memory)), size)?;
    // A header of 64 bytes may state 2^32 rows without columns, whose text takes gigabytes.
    if matrix.rows() > 1 << 20 {
        return Some(matrix);
    }
    let (lists, told) =
        bits::read_lists(&source(data), format, &limits(1 << 30)).expect("a matrix, read as lists");
    assert!(lists == IndexLists::from_matrix(&matrix));
    if let Some(told) = told {
        assert_eq!(told, matrix.columns());
    }
    let limits = bits::Limits { columns: Some(matrix.columns()), sort: false, wrap: false, memory: 1 << 30 };
    for other in BITS {
        // Alist has a line for each column, of which there may be 2^32 without rows.
        if other == bits::Format::Alist && matrix.columns() > 1 << 20 {
            continue;
        }
        let bytes = written(|out| bits::write_matrix(out, other, &matrix));
        let read = bits::read_matrix(&source(&bytes), other, &limits).expect("what was written");
        assert!(read == matrix, "{other}");
        let untold = bits::Limits { columns: None, ..limits };
        assert!(bits::read_matrix(&source(&bytes), other, &untold).expect("what was written") == matrix);
        assert_eq!(bits::Format::of_source(&source(&bytes), other), other);
    }
    let bytes = written(|out| bits::lists::write_lists(out, &lists));
    assert!(bits::lists::read(&source(&bytes), &limits).expect("what was written") == lists);
    Some(matrix)
}

/// The first byte chooses the number of columns and whether indices are sorted.
pub fn check_lists(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let sort = choice & 1 == 1;
    let columns = match choice >> 1 & 3 {
        0 => None,
        1 => Some(usize::from(choice >> 3)),
        2 => Some(1000),
        _ => Some(1 << 40),
    };
    check_with(data, bits::Format::Lists, bits::Limits { columns, sort, ..bits::Limits::default() });

    // Reads it again in the simplest way.
    let read =
        bits::lists::read(&source(data), &bits::Limits { columns, sort, wrap: false, memory: 1 << 30 });
    let most = columns.map_or(MAX_COLUMNS, |columns| MAX_COLUMNS.min(columns as u64));
    let row = |line: &[u8]| -> Option<Vec<u32>> {
        let indices: Option<Vec<u32>> = words(line)
            .map(|word| decimal(word).filter(|&index| index < most).map(|index| index as u32))
            .collect();
        let indices = indices?;
        let descending: Vec<u32> =
            indices.iter().copied().collect::<BTreeSet<_>>().into_iter().rev().collect();
        let accepted = if sort { descending.len() == indices.len() } else { descending == indices };
        accepted.then_some(descending)
    };
    let mut lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let stated = lines.last().filter(|line| line.starts_with(b"#")).copied();
    // A longer line states no shape, whatever numbers it has.
    if stated.is_some_and(|line| line.len() > 60) {
        return;
    }
    let (most, is_right) = match stated {
        None => (most, true),
        Some(line) => {
            lines.pop();
            let shape = shape(line);
            let is_right = shape.is_some_and(|(rows, width)| {
                rows == lines.len() as u64 && columns.is_none_or(|columns| columns as u64 == width)
            });
            (shape.map_or(most, |(_, width)| most.min(width)), is_right)
        }
    };
    let row = |line: &[u8]| row(line).filter(|row| row.iter().all(|&index| u64::from(index) < most));
    let expected: Option<Vec<Vec<u32>>> = lines.into_iter().map(row).collect();
    let expected = expected.filter(|_| is_right);
    let read = read.ok().map(|lists| lists.iter().map(<[u32]>::to_vec).collect::<Vec<_>>());
    assert_eq!(read, expected);
}

/// The numbers of rows and columns that a line states.
fn shape(line: &[u8]) -> Option<(u64, u64)> {
    let line = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)).ok()?;
    let (rows, columns) = line.strip_prefix("# ")?.split_once(" x ")?;
    let side =
        |text: &str| Some(text).filter(|text| !text.is_empty()).and_then(|text| decimal(text.as_bytes()));
    Some((side(rows)?, side(columns)?))
}

pub fn check_packed(data: &[u8]) {
    let matrix = check_with(data, bits::Format::Packed, bits::Limits::default());
    let source = source(data);
    // A view ignores the bits past the last column, and otherwise refuses the same inputs as
    // reading.
    match (matrix, bits::packed::view(&source)) {
        (Some(matrix), Ok(view)) => {
            assert_eq!((view.rows(), view.columns()), (matrix.rows(), matrix.columns()));
            for row in 0..matrix.rows() {
                for column in 0..matrix.columns() {
                    assert_eq!(view.get(row, column), matrix.get(row, column));
                }
            }
        }
        // Bytes in memory need not be aligned to words.
        (Some(_), Err(error)) => assert!(error.to_string().contains("aligned"), "{error}"),
        (None, Err(error)) => assert_eq!(error.exit_code(), 3),
        (None, Ok(_)) => (),
    }
}
