//! MacKay's lists: what other programs write, and what is refused.

use super::*;

/// The matrix of MacKay's definition with columns and rows of one to three ones.
const PADDED: &str = "4 3\n2 3\n1 2 1 2\n3 2 1\n1 0\n1 2\n2 0\n1 3\n1 2 4\n2 3 0\n4 0 0\n";

fn read(text: &str) -> Result<BitMatrix> {
    read_matrix(&source("f", text), Format::Alist, &LIMITS)
}

fn written(matrix: &BitMatrix) -> String {
    let mut bytes = Vec::new();
    write_matrix(&mut bytes, Format::Alist, matrix).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn lists_with_zeros_and_without() {
    let expected = [vec![3, 1, 0], vec![2, 1], vec![3]];
    let unpadded = "4 3\n2 3\n1 2 1 2\n3 2 1\n1\n2 1\n2\n3 1\n4 2 1\n3 2\n4\n";
    let commented = format!("# a code\n{}# the end\n\n", PADDED.replace("\n1 0\n", "\n  # columns\n1 0\n"));
    let spaced = PADDED.replace('\n', " \t\r\n").replace(' ', "  ");
    for text in [PADDED, unpadded, &commented, &spaced, PADDED.trim_end()] {
        assert_eq!(rows(&IndexLists::from_matrix(&read(text).unwrap())), expected, "{text}");
        let (lists, columns) = read_lists(&source("f", text), Format::Alist, &LIMITS).unwrap();
        assert_eq!((rows(&lists), columns), (expected.to_vec(), Some(4)));
        assert_eq!(Format::of_source(&source("f", text), Format::Lists), Format::Alist);
    }
    assert_eq!(written(&read(unpadded).unwrap()), PADDED);
    // Sides without ones: an empty line, or a zero.
    for lists in ["\n\n\n", "0\n\n0\n"] {
        let matrix = read(&format!("2 1\n0 0\n0 0\n0\n{lists}")).unwrap();
        assert_eq!((matrix.rows(), matrix.columns(), matrix.count_ones()), (1, 2, 0));
    }
}

#[test]
fn every_shape_comes_back() {
    for (rows, columns) in [(0, 0), (0, 3), (3, 0), (1, 1), (7, 70), (300, 5)] {
        for density in [0.0, 0.1, 1.0] {
            let matrix = generate::matrix(rows, columns, density, 1).unwrap();
            let text = written(&matrix);
            assert!(read(&text).unwrap() == matrix, "{rows} x {columns}\n{text}");
        }
    }
}

#[test]
fn what_is_refused_and_where() {
    let with = |from: &str, to: &str| message(read(&PADDED.replacen(from, to, 1)));
    for (from, to, says) in [
        ("4 3\n", "4\n", "f:1:2: 1 numbers, where the numbers of columns and of rows, 2 numbers"),
        ("4 3\n", "4 3 2\n", "f:1:5: \"2\": the line holds the numbers of columns and of rows, 2 numbers"),
        ("4 3\n", "4 x\n", "f:1:3: \"x\": a number from 0 to"),
        ("4 3\n", "-4 3\n", "f:1:1: \"-4\": a number"),
        ("4 3\n", "5 3\n", "f:3:8: 4 numbers, where the numbers of ones of the columns, 5 numbers"),
        ("4 3\n", "4 2\n", "f:4:5: \"1\": the line holds the numbers of ones of the rows, 2 numbers"),
        ("4 3\n", "4000000000 3\n", "f:1:1: 4000000000 columns and 3 rows, more than the file can hold"),
        ("4 3\n2 3\n", "4 3\n3 3\n", "f:3:1: the numbers of ones of the columns are at most 2"),
        ("4 3\n2 3\n", "4 3\n1 3\n", "f:3:3: \"2\": a number from 0 to 1"),
        ("1 2 1 2\n", "2 2 1 2\n", "f:4:1: 6 ones in the rows, and 7 in the columns"),
        (
            "\n1 2\n2 0\n",
            "\n1 0\n2 0\n",
            "f:6:4: the list of column 2 has 1 numbers, and the degrees state 2",
        ),
        (
            "\n1 2\n2 0\n",
            "\n1 4\n2 0\n",
            "f:6:3: \"4\": a number from 0 to 3 was expected: the list of column 2",
        ),
        ("\n1 2\n2 0\n", "\n1 1\n2 0\n", "f:6:3: row 1 occurs twice in the list of column 2"),
        ("\n1 0\n1 2\n", "\n0 1\n1 2\n", "f:5:3: 1 follows a zero"),
        ("\n1 0\n1 2\n", "\n1 2\n1 2\n", "f:5:3: the list of column 1 has more than 1 numbers"),
        ("\n1 0\n1 2\n", "\n1 0 0\n1 2\n", "f:5:5: the list of column 1 has more than 2 numbers"),
        ("\n2 0\n1 3\n", "\n1 0\n1 3\n", "f:8:1: row 1 is in the lists of more columns than its degree, 3"),
        (
            "\n1 2 4\n",
            "\n1 3 4\n",
            "f:9:3: column 3 is in the list of row 1, and the list of that column lacks",
        ),
        ("\n1 2 4\n", "\n1 2 2\n", "f:9:5: column 2 occurs twice in the list of row 1"),
        ("4 0 0\n", "4 0 0\n1\n", "f:12:1: more lines than the lists of 4 columns and 3 rows"),
        ("4 0 0\n", "", "f:11:1: the file ends before the list of row 3"),
    ] {
        let said = with(from, to);
        assert!(said.starts_with(says), "{said}\n{says}");
    }
    // No truncation is another matrix.
    let matrix = read(PADDED).unwrap();
    for end in 0..PADDED.len() {
        match read(&PADDED[..end]) {
            Ok(read) => assert!(end >= PADDED.trim_end_matches([' ', '0', '\n']).len() && read == matrix),
            Err(error) => assert_eq!(error.exit_code(), 3),
        }
    }
    let limits = Limits { columns: Some(5), ..LIMITS };
    let other = read_matrix(&source("f", PADDED), Format::Alist, &limits);
    assert!(message(other).starts_with("f:1:1: the file states 4 columns, where 5 were expected"));
    // A matrix that is far larger than the file is refused before its memory is taken.
    let sparse = format!("60000 60000\n0 0\n{}", "0 ".repeat(60000) + "\n" + &"0 ".repeat(60000) + "\n");
    let limits = Limits { memory: 1 << 20, ..LIMITS };
    let text = sparse + &"\n".repeat(120_000);
    assert!(message(read_matrix(&source("f", text), Format::Alist, &limits)).contains("may be used"));
}

proptest! {
    #[test]
    fn valid_lists_and_text_are_no_alist(lines in prop::collection::vec(prop::collection::vec(0u32..5, 0..5), 4..9)) {
        let text: String = lines.iter().map(|line| {
            line.iter().map(|number| format!("{number} ")).collect::<String>() + "\n"
        }).collect();
        let source = source("f", text);
        if Format::of_source(&source, Format::Lists) == Format::Alist {
            for sort in [false, true] {
                let limits = Limits { sort, ..LIMITS };
                // Lists in any order need one more look: no file that is an alist is read as these.
                if read_matrix(&source, Format::Alist, &LIMITS).is_ok() || !sort {
                    prop_assert!(read_matrix(&source, Format::Lists, &limits).is_err());
                }
            }
            prop_assert!(read_matrix(&source, Format::Text, &LIMITS).is_err());
        }
    }
}
