//! `wgalois gen`.

use crate::common::{Folder, numbers};

#[test]
fn the_same_seed_gives_the_same_polynomial() {
    let folder = Folder::new();
    // Coefficient i is (x_i p) >> 64 for the ChaCha8 stream x_i of the seed. The values are pinned,
    // since every later version must reproduce the files that users generated.
    assert_eq!(folder.run("gen poly --terms 5 --prime 17 --seed 3"), "10\n1\n5\n1\n10\n");
    assert_eq!(folder.run("gen poly --terms 1 --bits 63 --signed"), "1928380340239146422\n");
    for format in ["text", "npy", "raw"] {
        let arguments = format!("gen poly --terms 1000 --prime babybear --seed 9 --format {format}");
        folder.run(&format!("{arguments} -o a"));
        folder.run(&format!("{arguments} -o b"));
        assert_eq!(folder.read("a"), folder.read("b"));
        folder.run(&format!("gen poly --terms 1000 --prime babybear --seed 10 --format {format} -o b"));
        assert_ne!(folder.read("a"), folder.read("b"));
    }
}

#[test]
fn coefficients_fill_their_range_and_no_more() {
    let folder = Folder::new();
    for (options, least, most) in [
        ("--prime 17", 0, 16),
        ("--bits 1", 0, 1),
        ("--bits 4", 0, 15),
        ("--bits 4 --signed", -8, 7),
        ("--bits 1 --signed", -1, 0),
    ] {
        let values: Vec<i64> = numbers(&folder.run(&format!("gen poly --terms 1000 {options}")));
        assert_eq!(values.len(), 1000);
        assert_eq!((values.iter().min(), values.iter().max()), (Some(&least), Some(&most)), "{options}");
    }
    let wide: Vec<i64> = numbers(&folder.run("gen poly --terms 100 --bits 63 --signed"));
    assert!(wide.iter().any(|&x| x < -(1 << 60)) && wide.iter().any(|&x| x > 1 << 60));
}

#[test]
fn bad_arguments() {
    let folder = Folder::new();
    for arguments in [
        "--terms 5",
        "--terms 0 --prime 17",
        "--prime 17",
        "--terms 5 --prime 17 --bits 3",
        "--terms 5 --bits 0",
        "--terms 5 --bits 64",
        "--terms 5 --prime 17 --signed",
        "--terms 5 --bits 5 --format raw",
    ] {
        folder.fail(&format!("gen poly {arguments}"), 2);
    }
    assert!(folder.fail("gen poly --terms 5 --prime 15 -o new", 3).contains("not prime"));
    assert!(folder.fail("gen poly --terms 1000000 --prime 17 --memory 1M -o new", 3).contains("memory"));
    assert!(folder.fail("gen poly --terms 18446744073709551615 --prime 17 -o new", 3).contains("memory"));
}

/// The product of the factors, by the engine, is that by its definition.
#[test]
fn matrices_of_a_rank_are_products_by_the_definition() {
    let folder = Folder::new();
    for [rows, columns, rank] in [[70, 130, 40], [300, 65, 64], [5, 9, 1]] {
        let written =
            folder.run(&format!("gen gf2 --rows {rows} --columns {columns} --rank {rank} --seed 5"));
        let matrix = wgalois::gf2::generate::matrix_of_rank(rows, columns, rank, 5).unwrap();
        let bit = |row, column| if matrix.get(row, column) { '1' } else { '0' };
        let line = |row| (0..columns).map(|column| bit(row, column)).collect::<String>();
        let lines = written.lines().map(|line| line.replace(' ', ""));
        assert_eq!(lines.collect::<Vec<_>>(), (0..rows).map(line).collect::<Vec<_>>());
    }
}
