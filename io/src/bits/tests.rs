use super::*;
use proptest::prelude::*;
use wgalois::gf2::{self, F4Matrix, generate};
use wgalois::{Cpu, Device};

mod alist;
mod faults;
mod notation;

const LIMITS: Limits = Limits { columns: None, sort: false, wrap: false, memory: u64::MAX };

fn source(name: &str, bytes: impl Into<Vec<u8>>) -> Source {
    Source::from_bytes(name, bytes)
}

fn lists_of(text: &str, limits: &Limits) -> Result<IndexLists> {
    lists::read(&source("f", text), limits)
}

fn rows(lists: &IndexLists) -> Vec<Vec<u32>> {
    lists.iter().map(<[u32]>::to_vec).collect()
}

fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("an error was expected"),
        Err(error) => {
            assert_eq!(error.exit_code(), 3);
            error.to_string()
        }
    }
}

proptest! {
    #[test]
    fn matrices_come_back(
        rows in 0usize..90, columns in 1usize..200, density in 0.0f64..1.0, seed: u64,
    ) {
        let matrix = generate::matrix(rows, columns, density, seed).unwrap();
        for format in Format::ALL {
            let mut bytes = Vec::new();
            write_matrix(&mut bytes, format, &matrix).unwrap();
            let limits = Limits { columns: Some(columns), ..LIMITS };
            let read = read_matrix(&source("f", bytes.clone()), format, &limits).unwrap();
            prop_assert_eq!(&read, &matrix, "{}", format);
            let untold = read_matrix(&source("f", bytes.clone()), format, &LIMITS).unwrap();
            prop_assert_eq!(&untold, &matrix, "{}", format);
            for other in [columns - 1, columns + 1] {
                let limits = Limits { columns: Some(other), ..LIMITS };
                let read = read_matrix(&source("f", bytes.clone()), format, &limits);
                // Lists that state no shape may have more columns than have ones.
                let may_be_wider = format == Format::Lists && other > columns;
                prop_assert!(read.is_err() || may_be_wider, "{} {}", format, other);
            }
            let (lists, _) = read_lists(&source("f", bytes), format, &limits).unwrap();
            prop_assert_eq!(lists, IndexLists::from_matrix(&matrix), "{}", format);
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes: Vec<u8>, text in "[%0-9 \n,a.-]{0,60}") {
        for format in Format::ALL {
            for bytes in [bytes.clone(), text.clone().into_bytes()] {
                let _ = read_matrix(&source("f", bytes.clone()), format, &Limits { memory: 1 << 20, ..LIMITS });
                for sort in [false, true] {
                    let _ = read_lists(&source("f", bytes.clone()), format, &Limits { sort, memory: 1 << 20, ..LIMITS });
                }
            }
        }
    }

    #[test]
    fn damaged_binaries_are_refused_or_of_the_same_shape(at in 0usize..120, byte: u8, cut in 0usize..200) {
        let matrix = generate::matrix(7, 40, 0.5, 1).unwrap();
        for format in [Format::Packed, Format::Npy, Format::Npz] {
            let mut bytes = Vec::new();
            write_matrix(&mut bytes, format, &matrix).unwrap();
            let whole = bytes.len();
            bytes[at % whole] = byte;
            bytes.truncate(cut.max(1));
            if let Ok(read) = read_matrix(&source("f", bytes.clone()), format, &Limits { memory: 1 << 20, ..LIMITS }) {
                prop_assert!(read.rows() * read.columns() <= 8 * bytes.len());
            }
        }
    }

    #[test]
    fn sorted_lists_are_the_rows_in_order(row in prop::collection::btree_set(0u32..5000, 0..40), seed: u64) {
        let descending: Vec<u32> = row.iter().rev().copied().collect();
        let mut mixed = descending.clone();
        let turn = seed as usize % mixed.len().max(1);
        mixed.rotate_left(turn);
        let text = mixed.iter().map(|index| format!("{index} ")).collect::<String>();
        let limits = Limits { sort: true, ..LIMITS };
        prop_assert_eq!(rows(&lists_of(&text, &limits).unwrap()).concat(), descending);
    }
}

#[test]
fn index_lists_as_they_come() {
    assert_eq!(rows(&lists_of("", &LIMITS).unwrap()), [[0u32; 0]; 0]);
    assert_eq!(rows(&lists_of("\n", &LIMITS).unwrap()), [[0u32; 0]; 1]);
    assert_eq!(rows(&lists_of("5 3 \n\n7 \n", &LIMITS).unwrap()), [vec![5, 3], vec![], vec![7]]);
    assert_eq!(rows(&lists_of(" 5\t3\r\n 9", &LIMITS).unwrap()), [vec![5, 3], vec![9]]);
    assert_eq!(rows(&lists_of("4294967295 000000000000000000000017 ", &LIMITS).unwrap()), [[u32::MAX, 17]]);
}

#[test]
fn faults_of_index_lists_have_their_place() {
    let at = |text: &str| message(lists_of(text, &LIMITS));
    assert!(at("5 3 \n4 x \n").starts_with("f:2:3: \"x\": a column index was expected"));
    assert!(at("5 -3 \n").starts_with("f:1:3: \"-3\""));
    assert!(at("5 3a \n").starts_with("f:1:3: \"3a\""));
    assert!(at("5 3 4 \n").starts_with("f:1:5: index 4 follows 3"));
    assert!(at("9 \n\n5 5 \n").starts_with("f:3:3: index 5 occurs twice"));
    assert!(at("4294967296 ").starts_with("f:1:1: index \"4294967296\""));
    assert!(at("99999999999999999999999 ").starts_with("f:1:1: index"));
    let limits = Limits { columns: Some(8), ..LIMITS };
    assert!(message(lists_of("7 \n8 1 \n", &limits)).starts_with("f:2:1: index \"8\": there are 8 columns"));
    // Indices have 32 bits, for any number of columns.
    let limits = Limits { columns: Some(1 << 40), ..LIMITS };
    assert_eq!(rows(&lists_of("4294967295 ", &limits).unwrap()), [[u32::MAX]]);
    for index in ["4294967296", "4294967301", "1099511627775", "18446744073709551616"] {
        let refused = message(lists_of(&format!("{index} 3 "), &limits));
        assert!(refused.starts_with(&format!("f:1:1: index \"{index}\"")), "{refused}");
        assert!(refused.contains("4294967295"), "{refused}");
    }
    let limits = Limits { sort: true, ..LIMITS };
    assert!(message(lists_of("9 \n3 5 7 5 \n", &limits)).starts_with("f:2:7: index 5 occurs twice"));
    let limits = Limits { memory: 30, ..LIMITS };
    assert!(message(lists_of("3 2 1 \n2 \n1 \n", &limits)).contains("may be used"));
    let text = "3 2 1 \n".repeat(100_000);
    let broken = format!("{text}1 2 \n{text}2 3 \n");
    assert!(at(&broken).starts_with("f:100001:3: index 2 follows 1"));
}

#[test]
fn places_of_rows() {
    let source = source("f", "5 \n\n  7 3 \n9");
    let places: Vec<usize> = (0..4).map(|row| lists::place_of_row(&source, row)).collect();
    assert_eq!(places[0], 0);
    assert_eq!(places[2], 6);
    assert_eq!(places[3], 11);
}

#[test]
fn results_are_written_as_the_course_does() {
    let reducers = lists_of("5 1 \n3 0 \n", &LIMITS).unwrap();
    let f4 = F4Matrix::new(reducers, lists_of("5 1 \n4 3 \n\n4 2 \n3 \n", &LIMITS).unwrap(), None).unwrap();
    let result = gf2::eliminate(&Device::Cpu(Cpu::default()), &f4).unwrap();
    let mut text = Vec::new();
    lists::write_elimination(&mut text, &result).unwrap();
    assert_eq!(String::from_utf8(text).unwrap(), "\n4 3 \n\n2 0 \n0 \n");
}

#[test]
fn results_of_many_rows_are_the_same_as_their_lists() {
    let generator = generate::Groebner {
        columns: 2000,
        reducers: 700,
        rows: 1500,
        new_pivots: 1000,
        reducer_ones: 10,
        row_ones: 20,
        seed: 3,
    };
    let (reducers, rows) = generator.generate().unwrap();
    let f4 = F4Matrix::new(reducers, rows, None).unwrap();
    let result = gf2::eliminate(&Device::Cpu(Cpu::default()), &f4).unwrap();
    let (mut direct, mut through_lists) = (Vec::new(), Vec::new());
    lists::write_elimination(&mut direct, &result).unwrap();
    lists::write_lists(&mut through_lists, &result.to_lists()).unwrap();
    assert!(direct == through_lists);
    assert_eq!(lists::read(&source("f", direct), &LIMITS).unwrap(), result.to_lists());
}

#[test]
fn text_of_rows_without_columns() {
    for rows in [0, 1, 4095, 4096, 4097, 10_000] {
        let mut text = Vec::new();
        write_matrix(&mut text, Format::Text, &BitMatrix::zeros(rows, 0).unwrap()).unwrap();
        let shape = if rows == 0 { String::new() } else { format!("# {rows} x 0\n") };
        assert_eq!(text, [vec![b'\n'; rows], shape.into_bytes()].concat());
        let read = read_matrix(&source("f", text), Format::Text, &LIMITS).unwrap();
        assert_eq!((read.rows(), read.columns()), (rows, 0));
    }
}

#[test]
fn text_of_zeros_and_ones() {
    let read = |text: &str| read_matrix(&source("f", text), Format::Text, &LIMITS);
    let matrix = read("0 1,1\r\n101\n\n").unwrap();
    assert_eq!((matrix.rows(), matrix.columns()), (2, 3));
    assert_eq!(rows(&IndexLists::from_matrix(&matrix)), [[2, 1], [2, 0]]);
    assert_eq!(read("").unwrap().rows(), 0);
    assert_eq!(
        message(read("01\n012\n")),
        "f:2:3: \"2\": 0 or 1 was expected; --format lists reads the columns of ones"
    );
    for rows in ["[0 1]\n[1 1]\n", "[[0, 1],\n [1, 1]]\n"] {
        assert_eq!(read(rows).unwrap(), read("01\n11\n").unwrap());
    }
    assert_eq!(read("[[0, 1], [1, 1]]\n").unwrap(), read("01\n11\n").unwrap());
    assert_eq!(message(read("[0, 1], [1, 1]\n")), "f:1:9: a second row in one line");
    assert!(message(read("01\n011\n")).starts_with("f:2:3: more than 2 columns"));
    assert!(message(read("01\n\n01\n")).starts_with("f:2:1: the row ends after 0 columns"));
}

#[test]
fn matrix_market_patterns() {
    let read = |text: &str| read_matrix(&source("f", text), Format::Market, &LIMITS);
    let matrix = read("%%MatrixMarket matrix coordinate pattern general\n% a\n%\n2 3 2\n1 3\n2 1\n").unwrap();
    assert_eq!(rows(&IndexLists::from_matrix(&matrix)), [[2], [0]]);
    let matrix = read("%%MatrixMarket MATRIX coordinate pattern Symmetric\n3 3 2\n2 1\n3 3\n").unwrap();
    assert_eq!(rows(&IndexLists::from_matrix(&matrix)), [[1], [0], [2]]);
    let head = "%%MatrixMarket matrix coordinate pattern general\n";
    assert!(
        message(read("%%MatrixMarket matrix array pattern general\n1 1\n1\n")).starts_with("f:1:1: expected")
    );
    assert!(message(read("")).starts_with("f:1:1: expected"));
    assert!(message(read(&format!("{head}2 2 1\n3 1\n"))).starts_with("f:3:1: \"3\": the row of an entry"));
    assert!(message(read(&format!("{head}2 2 1\n1 0\n"))).starts_with("f:3:3: \"0\": the column"));
    assert!(message(read(&format!("{head}2 2 3\n1 1\n"))).contains("the row of an entry was expected"));
    assert!(message(read(&format!("{head}2 2 99999999\n1 1\n"))).contains("more than the file can hold"));
    assert!(
        message(read(&format!("{head}2 2 1\n1 1\n2 2\n"))).starts_with("f:4:1: \"2\": the header promises 1")
    );
    assert!(message(read(&format!("{head}2 2 2\n1 1\n1 1\n"))).starts_with("f:4:1: the entry occurs"));
    for (numbers, ones) in
        [("0 1 0 1", Some(2)), ("-0 1.0 1e0 0.0", Some(2)), ("0 1 2 1", None), ("0 1 x 1", None)]
    {
        let text = format!("%%MatrixMarket matrix array real general\n2 2\n{numbers}\n");
        assert_eq!(read(&text).ok().map(|matrix| matrix.count_ones()), ones, "{numbers}");
        let entries: Vec<_> = numbers.split(' ').zip(["1 1", "2 1", "1 2", "2 2"]).collect();
        let entries: String = entries.iter().map(|(number, place)| format!("{place} {number}\n")).collect();
        let text = format!("%%MatrixMarket matrix coordinate integer general\n2 2 4\n{entries}");
        assert_eq!(read(&text).ok().map(|matrix| matrix.count_ones()), ones, "{numbers}");
    }
    let wrap = Limits { wrap: true, ..LIMITS };
    let array = "%%MatrixMarket matrix array real general\n2 3\n2 -3 1e1 12345678901234567890123 -0.0 7.0\n";
    let matrix = read_matrix(&source("f", array), Format::Market, &wrap).unwrap();
    assert_eq!(rows(&IndexLists::from_matrix(&matrix)), [vec![], vec![2, 1, 0]]);
    for number in ["0.5", "inf", "nan", "1e400", "--1", "+", ""] {
        let text = format!("%%MatrixMarket matrix array real general\n1 1\n{number}\n");
        assert!(read_matrix(&source("f", text), Format::Market, &wrap).is_err(), "{number}");
    }
    let array = "%%MatrixMarket matrix array integer general\n2 1\n0\n3\n";
    assert!(message(read(array)).starts_with("f:4:1: \"3\": 0 or 1 was expected (--wrap"));
    assert!(message(read("%%MatrixMarket matrix array integer general\n2 1\n0\n")).contains("the file ends"));
    assert!(message(read("%%MatrixMarket matrix array integer general\n1 1\n0 1\n")).contains("ends before"));
    let limits = Limits { memory: 1 << 20, ..LIMITS };
    let huge = source("f", format!("{head}4000000000 4000000000 0\n"));
    assert!(message(read_matrix(&huge, Format::Market, &limits)).contains("may be used"));
}

#[test]
fn packed_files_say_where_they_are_wrong() {
    let matrix = generate::matrix(5, 40, 0.5, 1).unwrap();
    let mut good = Vec::new();
    write_matrix(&mut good, Format::Packed, &matrix).unwrap();
    assert_eq!(good.len(), 64 + 5 * 2 * 4);
    let read = |bytes: &[u8]| read_matrix(&source("f", bytes), Format::Packed, &LIMITS);
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        message(read(&bytes))
    };
    assert!(with(0, b'0').starts_with("f: byte 0: no packed matrix"));
    assert!(with(8, 2).starts_with("f: byte 8: version 2"));
    assert!(with(13, 1).starts_with("f: byte 13: a byte of the header"));
    assert!(
        with(16, 6).starts_with("f: byte 64: the header promises 6 rows of 2 words, and 40 bytes follow")
    );
    assert!(with(23, 255).contains("promises"));
    assert!(with(24, 65).starts_with("f: byte 32: rows of 65 columns do not fit"));
    assert!(with(64 + 7, 0x80).starts_with("f: byte 68: row 0 has ones past its last column"));
    assert!(message(read(&good[..60])).starts_with("f: byte 60: the file ends within its header"));
    assert!(message(read(&good[..103])).contains("and 39 bytes follow"));
    assert!(message(read(&[&good[..], b"x"].concat())).contains("and 41 bytes follow"));
}

#[test]
fn shapes_that_no_matrix_has_are_refused() {
    let file = |rows: u64, columns: u64, stride: u64| {
        let mut bytes = packed::MAGIC.to_vec();
        bytes.extend_from_slice(&1u64.to_le_bytes());
        [rows, columns, stride].iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        bytes.resize(64, 0);
        bytes
    };
    // These headers are consistent with a file without words, but reading them would never end.
    for (rows, columns, stride) in [(1 << 60, 0, 0), (0, 1 << 62, 1 << 57)] {
        let read = read_matrix(&source("f", file(rows, columns, stride)), Format::Packed, &LIMITS);
        assert!(message(read).contains("at most 4294967295"));
    }
    let limits = Limits { memory: 1 << 20, ..LIMITS };
    assert!(
        message(read_matrix(&source("f", file(1 << 31, 0, 0)), Format::Packed, &limits)).contains("bytes")
    );
}

#[test]
fn a_mapped_packed_file_is_a_matrix() {
    let matrix = generate::matrix(500, 1500, 0.5, 2).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gf2");
    wgalois::files::write_whole(&path, |out| write_matrix(out, Format::Packed, &matrix)).unwrap();
    let mapped = Source::open(&path, u64::MAX).unwrap();
    let view = packed::view(&mapped).unwrap();
    assert_eq!(view.row(0).as_ptr().cast::<u8>(), mapped.bytes()[64..].as_ptr());
    assert_eq!(BitMatrix::from_view(view).unwrap(), matrix);
}

#[test]
fn npy_arrays_that_are_no_bit_matrices() {
    let file = |head: &str, data: &[u8]| {
        let head = format!("{head:<53}\n");
        [b"\x93NUMPY\x01\x00\x36\x00", head.as_bytes(), data].concat()
    };
    let read = |head: &str, data: &[u8]| read_matrix(&source("f", file(head, data)), Format::Npy, &LIMITS);
    let head = |ty: &str, order: &str, shape: &str| {
        format!("{{'descr':'{ty}','fortran_order':{order},'shape':{shape}}}")
    };
    let matrix = read(&head("<u2", "True", "(2,2)"), &[1, 0, 0, 0, 1, 0, 1, 0]).unwrap();
    assert_eq!(rows(&IndexLists::from_matrix(&matrix)), [vec![1, 0], vec![1]]);
    assert!(read(&head("|b1", "False", "(1,3)"), &[1, 0, 1]).is_ok());
    assert!(read(&head(">i4", "False", "(1,1)"), &[0, 0, 0, 1]).unwrap().get(0, 0));
    assert!(
        message(read(&head("|u1", "False", "(1,3)"), &[1, 2, 1]))
            .contains("byte 65: row 0, column 1 (from 0) has 2: 0 or 1 was expected (--wrap")
    );
    assert!(message(read(&head("|u1", "False", "(2,3)"), &[1, 0, 1])).contains("promises 2 x 3 items"));
    let column = read(&head("|u1", "False", "(3,)"), &[1, 0, 1]).unwrap();
    assert_eq!((column.rows(), column.columns(), column.get(2, 0)), (3, 1, true));
    assert!(message(read(&head("|u1", "False", "(1,1,3)"), &[1, 0, 1])).contains("3 dimensions"));
    assert!(message(read(&head("<c8", "False", "(1,1)"), &[0; 8])).contains("type"));
    // Halves: 1.0, -0.0; 0.5 is neither.
    assert!(read(&head("<f2", "False", "(1,2)"), &[0, 0x3c, 0, 0x80]).unwrap().get(0, 0));
    assert!(message(read(&head(">f2", "False", "(1,1)"), &[0x38, 0])).contains("has 0.5: 0 or 1"));
}

#[test]
fn formats_are_told_by_name_then_by_content() {
    let of = |name: &str, bytes: &[u8]| Format::of_source(&source(name, bytes), Format::Lists);
    assert_eq!(of("a.npy", b"1 0"), Format::Npy);
    assert_eq!(of("a.MTX", b""), Format::Market);
    assert_eq!(of("a.gf2", b""), Format::Packed);
    assert_eq!(of("a", b"\x93NUMPY"), Format::Npy);
    assert_eq!(of("-", b"%%MatrixMarket matrix"), Format::Market);
    assert_eq!(of("-", &packed::MAGIC), Format::Packed);
    assert_eq!(of("a.txt", b"1 0"), Format::Lists);
}

#[test]
fn formats_that_begin_with_the_number_of_ones_refuse_bands_and_say_why() {
    for format in [Format::Market, Format::Npz] {
        let mut out = Vec::new();
        let error = write_bands(&mut out, format, (1, 1), |_| panic!("no band is asked for")).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
        assert!(error.to_string().contains("number of ones") && out.is_empty(), "{error}");
    }
}

#[test]
fn the_memory_that_is_stated_for_an_archive_suffices() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scipy");
    for name in ["csr.npz", "csc.npz", "coo.npz", "dense.npz"] {
        let source = source(name, std::fs::read(folder.join(name)).unwrap()).with_held(50);
        let limits = |memory| Limits { memory, ..LIMITS };
        let matrix = |memory| read_matrix(&source, Format::Npz, &limits(memory)).map(drop);
        let lists = |memory| read_lists(&source, Format::Npz, &limits(memory)).map(drop);
        let reads: [&dyn Fn(u64) -> wgalois::Result<()>; 2] = [&matrix, &lists];
        for read in reads {
            for memory in [0, 100, 300, 600] {
                match read(memory) {
                    Ok(()) => assert!(read(u64::MAX).is_ok()),
                    Err(Error::TooLarge(shortage)) => read(shortage.needed.unwrap()).unwrap(),
                    Err(error) => panic!("{name}: {error}"),
                }
            }
        }
    }
}
