//! Files as other programs write them. Those under `tests/scipy` were written by NumPy 2.4 and SciPy 1.17: one matrix of
//! 9 x 14, and a symmetric one.

mod cli_common;

use cli_common::{Folder, repository};

fn scipy(name: &str) -> String {
    repository(&format!("tests/scipy/{name}"))
}

fn text_of(name: &str) -> String {
    std::fs::read_to_string(scipy(name)).unwrap()
}

/// Reads a file and returns it as 0/1 text.
fn read(folder: &Folder, file: &str, options: &str) -> String {
    folder.run(&format!("gf2 transpose {file} {options} --output-format text -o t"));
    folder.run("gf2 transpose t -o m");
    folder.text("m")
}

#[test]
fn matrices_of_scipy_and_numpy() {
    let folder = Folder::new();
    let matrix = text_of("matrix.txt");
    for name in [
        "csr.npz",
        "csc.npz",
        "coo.npz",
        "dense.npz",
        "real.mtx",
        "integer.mtx",
        "array.mtx",
        "array_real.mtx",
        "f2.npy",
        "f4.npy",
        "f8.npy",
        "i8.npy",
        "bool.npy",
        "fortran.npy",
        "sage.txt",
        "numpy.txt",
    ] {
        assert_eq!(read(&folder, &scipy(name), ""), matrix, "{name}");
        assert_eq!(read(&folder, &scipy(name), "--wrap"), matrix, "{name}");
    }
    for name in ["symmetric.mtx", "array_symmetric.mtx"] {
        assert_eq!(read(&folder, &scipy(name), ""), text_of("symmetric.txt"), "{name}");
    }
}

#[test]
fn other_numbers_are_taken_modulo_2_only_on_demand() {
    let folder = Folder::new();
    for name in ["mod.npy", "modf.npy"] {
        assert_eq!(read(&folder, &scipy(name), "--wrap"), text_of("matrix.txt"), "{name}");
        let refused = folder.fail(&format!("gf2 rank {}", scipy(name)), 3);
        assert!(refused.contains("row 0, column ") && refused.contains("--wrap"), "{refused}");
    }
    // Entries in one place are added: (0, 1) and (1, 0) have three, (2, 1) has 2, (2, 0) has -1.
    assert_eq!(read(&folder, &scipy("sums.npz"), "--wrap"), "01\n10\n10\n");
    assert!(folder.fail(&format!("gf2 rank {}", scipy("sums.npz")), 3).contains("--wrap"));
    folder.write("half.mtx", "%%MatrixMarket matrix array real general\n1 1\n0.5\n");
    folder.fail("gf2 rank half.mtx --wrap", 3);
}

#[test]
fn archives_in_and_out() {
    let folder = Folder::new();
    folder.run("gen gf2 --rows 130 --columns 70 --density 0.1 --seed 3 -o m.npz");
    folder.run("gen gf2 --rows 130 --columns 70 --density 0.1 --seed 3 -o m.txt");
    assert_eq!(read(&folder, "m.npz", ""), folder.text("m.txt"));
    assert!(folder.read("m.npz").starts_with(b"PK\x03\x04"));
    // Told by its first bytes, and as rows of an elimination.
    std::fs::rename(folder.path("m.npz"), folder.path("unnamed")).unwrap();
    assert_eq!(folder.run("gf2 rank unnamed"), folder.run("gf2 rank m.txt"));
    folder.write("none", "");
    let reduced = folder.run("eliminate --eliminators none --rows unnamed");
    assert_eq!(
        folder.run("eliminate --eliminators none --rows m.txt --format text --output-format lists"),
        reduced
    );
    for rows in ["", "\n\n"] {
        folder.write("empty", rows);
        folder.run("gf2 transpose empty --format lists -o e.npz");
        assert_eq!(folder.run("gf2 rank e.npz"), "0\n");
    }
    let refused = folder.fail(&format!("gf2 rank {}", scipy("bsr.npz")), 3);
    assert!(refused.contains("of the format bsr, where csr, csc or coo"), "{refused}");
    let cut = folder.read("unnamed");
    folder.write("cut.npz", &cut[..cut.len() / 2]);
    assert!(folder.fail("gf2 rank cut.npz", 3).contains("no .npz archive"));
    assert!(folder.fail("gf2 rank unnamed --memory 1000", 3).contains("--memory"));
}

#[test]
fn a_vector_is_a_right_side() {
    let folder = Folder::new();
    let solved =
        folder.report(&format!("gf2 solve {} {} -o x --verify", scipy("csr.npz"), scipy("vector.npy")));
    assert_eq!(solved["verified"], true);
    folder.run(&format!("gf2 mul {} x -o b", scipy("csr.npz")));
    // The vector is the matrix's column 3.
    let column: String =
        text_of("matrix.txt").lines().map(|row| format!("{}\n", row.chars().nth(3).unwrap())).collect();
    assert_eq!(read(&folder, "b", ""), column);
}

#[test]
fn index_lists_are_suggested() {
    let folder = Folder::new();
    folder.write("l", "5 3 1 \n4 0 \n");
    let refused = folder.fail("gf2 rank l", 3);
    assert!(refused.contains("l:1:1: \"5\": 0 or 1 was expected; --format lists"), "{refused}");
    assert_eq!(folder.run("gf2 rank l --format lists"), "2\n");
}
