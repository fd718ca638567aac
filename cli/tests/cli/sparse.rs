//! `wgalois gf2 rank` of large sparse matrices.

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
fn small_matrices_are_packed() {
    let folder = Folder::new();
    folder.write("t.lists", toric(10));
    let report = folder.report("gf2 rank t.lists --device cpu");
    assert_eq!(report["rank"], 99);
    assert!(report.get("sparse_pivots").is_none(), "{report}");
}
