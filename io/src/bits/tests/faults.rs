//! Files whose fault is named, and lists that stay in their file.

use super::*;

#[test]
fn matrix_market_files_whose_fault_is_named() {
    let read = |text: &str, wrap| read_matrix(&source("f", text), Format::Market, &Limits { wrap, ..LIMITS });
    for (text, says) in [
        ("%MatrixMarket matrix coordinate pattern general\n1 1 0\n", "f:1:1: expected"),
        ("%MatrixMarket matrix coordinate pattern general\n1 1 0\n", "here is one %"),
        (
            "%%MatrixMarket matrix coordinate complex general\n1 1 0\n",
            "f:1:34: \"complex\": expected pattern, integer",
        ),
        (
            "%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n",
            "f:1:39: \"hermitian\": expected general",
        ),
        (
            "%%MatrixMarket matrix coordinate pattern general\n2 3\n1 3\n",
            "f:2:1: 2 numbers, where the numbers of rows, columns and entries",
        ),
        (
            "%%MatrixMarket matrix array real general\n1 1 1\n1\n",
            "f:2:1: 3 numbers, where the numbers of rows and columns",
        ),
        (
            "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 1\n",
            "f:1:42: \"skew-symmetric\": expected general or symmetric",
        ),
        ("1 2 3\n", "f:1:1: expected"),
        ("<!DOCTYPE html>", "the file is a web page"),
    ] {
        let refused = message(read(text, false));
        assert!(refused.contains(says), "{text}: {refused}");
    }
    // Modulo 2, an entry with the other sign is the same.
    let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 3\n3 1 2\n";
    let matrix = read(skew, true).unwrap();
    assert_eq!(rows(&IndexLists::from_matrix(&matrix)), [vec![1], vec![0], vec![]]);
    let array = "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n0\n-1\n";
    let matrix = read(array, true).unwrap();
    assert_eq!(rows(&IndexLists::from_matrix(&matrix)), [vec![1], vec![2, 0], vec![1]]);
    let diagonal = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n1 1 1\n";
    assert!(message(read(diagonal, true)).starts_with("f:3:1: an entry on the diagonal"));
    // Entries in one place are added, as SciPy adds them, only where numbers are taken modulo 2.
    let twice = "%%MatrixMarket matrix coordinate integer general\n2 2 4\n1 2 1\n1 2 2\n2 1 1\n2 1 1\n";
    let matrix = read(&twice.replace("1 2 2", "1 2 4"), true).unwrap();
    assert_eq!(rows(&IndexLists::from_matrix(&matrix)), [vec![1], vec![]]);
    let strict = message(read(&twice.replace("1 2 2", "1 2 1"), false));
    assert!(strict.starts_with("f:4:1: the entry occurs for the second time (--wrap adds"), "{strict}");
}

#[test]
fn an_archive_of_several_arrays_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    let mut zip = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (name, matrix) in [("hx", 1), ("hz", 2)] {
        let matrix = generate::matrix(3, 5, 0.5, matrix).unwrap();
        let file = zip.new_file(format!("{name}.npy"));
        let (mut entry, config) = file.start().unwrap();
        let mut writer = config.wrap(&mut entry);
        write_matrix(&mut writer, Format::Npy, &matrix).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    zip.finish().unwrap();
    let path = folder.path().join("code.npz");
    std::fs::write(&path, &bytes).unwrap();
    let read = |name: &str| {
        let path = folder.path().join(format!("code.npz{name}"));
        let source = Source::open(&path, u64::MAX)?;
        read_matrix(&source, Format::of_source(&source, Format::Text), &LIMITS)
    };
    for (name, seed) in [(":hx", 1), (":hz", 2), (":hz.npy", 2)] {
        assert_eq!(read(name).unwrap(), generate::matrix(3, 5, 0.5, seed).unwrap(), "{name}");
    }
    let refused = message(read(""));
    assert!(
        refused.contains("2 arrays, hx, hz, and no sparse") && refused.contains("code.npz:hx"),
        "{refused}"
    );
    assert!(message(read(":h")).contains("there is no array h; there are hx, hz"));
    assert_eq!(Source::open(&folder.path().join("none.npz:hx"), 1).unwrap_err().exit_code(), 6);
}

#[test]
fn lists_in_a_file_state_their_shape() {
    let stored = |text: &'static str, limits: &Limits| {
        let source = source("f", text);
        let lists = stored_lists::StoredLists::new(&source, limits, true)?.with_rows_noted()?;
        let mut rows = vec![Vec::new(); lists.len()];
        for (number, row) in rows.iter_mut().enumerate() {
            wgalois::gf2::StoredRows::read_row(&lists, number, &mut |column| row.push(column))?;
        }
        Ok(rows)
    };
    assert_eq!(stored("5 1 \n\n3 \n# 3 x 8\n", &LIMITS).unwrap(), [vec![5, 1], vec![], vec![3]]);
    assert!(message(stored("5 1 \n# 1 x 5\n", &LIMITS)).starts_with("f:1:1: index"));
    assert!(
        message(stored("5 1 \n# 2 x 8\n", &LIMITS)).starts_with("f:2:1: the file states 2 rows, and has 1")
    );
    let limits = Limits { columns: Some(9), ..LIMITS };
    assert!(message(stored("5 1 \n# 1 x 8\n", &limits)).starts_with("f:2:1: the file states 8 columns"));
}
