//! `wgalois gf2` with large sparse matrices: ranks, kernels, solutions.

use crate::common::Folder;

/// The vertex checks of a toric code of size `l`, as index lists: rank l^2 - 1.
fn toric(l: usize) -> String {
    let row = |v: usize| {
        let (x, y) = (v % l, v / l);
        let mut ones = [v, y * l + (x + l - 1) % l, l * l + v, l * l + (y + l - 1) % l * l + x];
        ones.sort_unstable_by(|a, b| b.cmp(a));
        ones.map(|column| column.to_string()).join(" ") + "\n"
    };
    (0..l * l).map(row).collect()
}

#[test]
fn lists_of_a_large_matrix_stay_lists() {
    let folder = Folder::new();
    folder.write("t.lists", toric(100));
    let report = folder.report("gf2 rank t.lists --device cpu --verify");
    assert_eq!((&report["rank"], &report["sparse_pivots"]), (&9999.into(), &9999.into()));
    assert_eq!((&report["remainder_rows"], &report["remainder_columns"]), (&65.into(), &1.into()));
    let plan = folder.run("gf2 rank t.lists --device cpu --plan -v");
    assert!(plan.contains("triangle       9999 pivots, 1 x 10001 left"), "{plan}");
    assert!(plan.contains("not taken      packed: about"), "{plan}");
    // The columns of the pivots are those of the packed matrix.
    let report = folder.report("gf2 rank t.lists --device cpu --pivots p");
    assert_eq!(report["rank"], 9999);
    assert!(report.get("sparse_pivots").is_none(), "{report}");
    assert_eq!(folder.text("p").lines().count(), 9999);
}

#[test]
fn ranks_of_lists_are_checked_without_packing() {
    let folder = Folder::new();
    folder.write("t.lists", toric(100));
    // Packed, the matrix alone has 25 MB.
    folder.write("right", "9999\n");
    folder.run("check gf2 rank t.lists --device cpu --memory 20M --result right");
    for wrong in ["9998", "10000", "0"] {
        folder.write("wrong", wrong);
        let message = folder.fail("check gf2 rank t.lists --device cpu --result wrong", 1);
        assert!(message.contains("the rank is 9999, not"), "{message}");
    }
}

#[test]
fn small_matrices_are_packed() {
    let folder = Folder::new();
    folder.write("t.lists", toric(10));
    let report = folder.report("gf2 rank t.lists --device cpu");
    assert_eq!(report["rank"], 99);
    assert!(report.get("sparse_pivots").is_none(), "{report}");
}

#[test]
fn kernels_of_lists_are_bases_in_every_format() {
    let folder = Folder::new();
    folder.write("t.lists", toric(100));
    for name in ["k.gf2", "k.lists", "k.npz", "k.txt --output-format text"] {
        let report = folder.report(&format!("gf2 kernel t.lists --device cpu --verify -o {name}"));
        assert_eq!((&report["rank"], &report["sparse_pivots"]), (&9999.into(), &9999.into()), "{name}");
        // The check packs the matrix.
        let file = name.split(' ').next().unwrap();
        folder.run(&format!("check gf2 kernel t.lists --device cpu --result {file}"));
    }
    assert_eq!(folder.text("k.txt").lines().next().unwrap().len(), 20_000);
    assert_eq!(folder.text("k.txt").lines().count(), 10_001);
    // The columns of the pivots are those of the packed matrix.
    let report = folder.report("gf2 kernel t.lists --device cpu --pivots p -o k.gf2");
    assert!(report.get("sparse_pivots").is_none(), "{report}");
}

#[test]
fn equations_of_lists_are_solved() {
    let folder = Folder::new();
    folder.write("t.lists", toric(100));
    // All rows sum to zero: a right side has a solution if its ones are even in number.
    let sides = |rows: [&str; 3]| {
        let row = |r: usize| *rows.get(r).unwrap_or(&"000");
        (0..10_000).map(|r| row(r).to_string() + "\n").collect::<String>()
    };
    folder.write("b.txt", sides(["110", "101", "011"]));
    let report = folder.report("gf2 solve t.lists b.txt --device cpu --verify -o x.txt --output-format text");
    assert_eq!((&report["rank"], &report["sparse_pivots"]), (&9999.into(), &9999.into()));
    folder.run("check gf2 solve t.lists b.txt --device cpu --result x.txt");
    folder.run("gf2 mul t.lists x.txt --device cpu -o ax.txt --output-format text");
    assert_eq!(folder.text("ax.txt"), folder.text("b.txt"));

    folder.write("odd.txt", sides(["110", "100", "000"]));
    let report = folder
        .no_answer("gf2 solve t.lists odd.txt --device cpu --verify -o x.txt --output-format text --json");
    assert_eq!(report["inconsistent"], serde_json::json!([1]));
    assert_eq!(folder.text("x.txt").lines().next().unwrap().len(), 2);

    folder.write("short.txt", "110\n");
    let message = folder.fail("gf2 solve t.lists short.txt --device cpu", 3);
    assert!(message.contains("A has 10000 rows, B has 1 rows"), "{message}");
    let plan = folder.run("gf2 solve t.lists b.txt --device cpu --plan");
    assert!(plan.contains("triangle       9999 pivots"), "{plan}");
}

#[test]
fn a_kernel_that_is_written_in_bands_needs_little_memory() {
    let folder = Folder::new();
    folder.write("t.lists", toric(100));
    // The packed kernel has 25 MB.
    folder.run("gf2 kernel t.lists --device cpu --memory 24M -o k.gf2");
    assert!(folder.read("k.gf2").len() > 25_000_000);
    let message = folder.fail("gf2 kernel t.lists --device cpu --memory 24M -o k.npz", 3);
    assert!(message.starts_with("wgalois: error: this kernel in this format needs 2"), "{message}");
    assert!(!message.contains("in parts"), "{message}");
}
