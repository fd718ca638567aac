//! Files as other programs write them. Those under `tests/scipy` were written by NumPy 2.4 and SciPy 1.17: one matrix of
//! 9 x 14, and a symmetric one.

use crate::common::{Folder, repository};

fn scipy(name: &str) -> String {
    repository(&format!("io/tests/scipy/{name}"))
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

#[test]
fn texts_of_numpy_that_are_no_matrix_are_explained() {
    let folder = Folder::new();
    folder.write("floats", "1.000000000000000000e+00 0.000000000000000000e+00\n");
    folder.write("long", "[[0 1 0 ... 1 0 1]\n [1 1 0 ... 0 0 0]]\n");
    assert!(
        folder.fail("gf2 rank floats", 3).contains("floats:1:2: \".\": 0 or 1 was expected; numpy.savetxt")
    );
    assert!(folder.fail("gf2 rank long", 3).contains("NumPy leaves out entries"));
}

/// A set of points and scalars on a curve, and its sum.
fn set(folder: &Folder, curve: &str, options: &str) -> String {
    folder.run(&format!("gen msm --curve {curve} --count 5 --seed 3 -o {curve} {options}"));
    folder.text(&format!("{curve}/sum.txt"))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn points_as_hexadecimal_lines() {
    let folder = Folder::new();
    for (curve, sizes) in [("bls12-381", [48, 96]), ("bn254", [32, 64])] {
        for (size, compressed) in sizes.into_iter().zip(["--compressed", ""]) {
            let sum = set(&folder, curve, compressed);
            let bytes = folder.read(&format!("{curve}/points.bin"));
            assert_eq!(bytes.len(), 5 * size);
            let lines: Vec<_> = bytes.chunks(size).map(hexadecimal).collect();
            folder.write("points.hex", lines.join("\n"));
            folder.write("points.txt", lines.iter().map(|line| format!("0x{line}\n")).collect::<String>());
            for name in ["points.hex", "points.txt"] {
                let msm = format!("msm --curve {curve} --points {name} --scalars {curve}/scalars.bin");
                assert_eq!(folder.run(&msm), sum, "{curve} {name}");
            }
            folder.write("points.hex", lines.join("\n").replacen(&lines[2], &lines[2][2..], 1));
            let refused = folder
                .fail(&format!("msm --curve {curve} --points points.hex --scalars {curve}/scalars.bin"), 3);
            let expected = format!("{} characters, where {} were expected", 2 * size - 2, 2 * size);
            assert!(refused.contains("points.hex:3:1: ") && refused.contains(&expected), "{refused}");
        }
    }
    // Digits in a file of another name.
    folder.run("gen msm --count 5 -o m");
    folder.write("digits", hexadecimal(&folder.read("m/points.bin")));
    let refused = folder.fail("msm --points digits --scalars m/scalars.bin", 3);
    assert!(refused.contains("it looks like text: --points-format hex"), "{refused}");
}

#[test]
fn ethereum_s_records() {
    let folder = Folder::new();
    for (curve, width, format) in [("bls12-381", 64, "eip2537"), ("bn254", 32, "eip196")] {
        let sum = set(&folder, curve, "");
        // Coordinates of both encodings: big-endian for bls12-381, little-endian with flags in the last byte for bn254.
        let record = |point: &[u8]| -> Vec<u8> {
            point
                .chunks(point.len() / 2)
                .enumerate()
                .flat_map(|(coordinate, bytes)| {
                    let mut bytes = bytes.to_vec();
                    if curve == "bn254" {
                        let last = bytes.len() - 1;
                        bytes[last] &= if coordinate == 1 { 0x3f } else { 0xff };
                        bytes.reverse();
                    }
                    [vec![0; width - bytes.len()], bytes].concat()
                })
                .collect()
        };
        let points = folder.read(&format!("{curve}/points.bin"));
        let records: Vec<u8> = points.chunks(points.len() / 5).flat_map(record).collect();
        assert_eq!(records.len(), 5 * 2 * width);
        folder.write("p.eip", &records);
        folder.write(
            "p.text",
            records.chunks(2 * width).map(|record| hexadecimal(record) + "\n").collect::<String>(),
        );
        let scalars: Vec<u8> = folder
            .read(&format!("{curve}/scalars.bin"))
            .chunks(32)
            .flat_map(|scalar| scalar.iter().rev().copied().collect::<Vec<_>>())
            .collect();
        folder.write("s.be", scalars);
        assert_eq!(folder.run(&format!("msm --curve {curve} --points p.eip --scalars s.be")), sum);
        let text = format!("msm --curve {curve} --points p.text --points-format {format} --scalars s.be");
        assert_eq!(folder.run(&text), sum);
        // The other byte order.
        let refused = folder
            .fail(&format!("msm --curve {curve} --points p.eip --scalars s.be --scalars-format bytes"), 3);
        assert!(
            refused.contains("is not below the order r") && refused.contains("--scalars-format be"),
            "{refused}"
        );
        // A coordinate that is not below p, of a point in the padding.
        let mut padded = records.clone();
        padded[0] = 0xff;
        folder.write("p.eip", padded);
        assert!(
            folder
                .fail(&format!("msm --curve {curve} --points p.eip --scalars s.be"), 3)
                .contains("not below")
        );
    }
    folder.fail("msm --curve bls12-377 --points p.eip --scalars s.be", 3);
}

#[test]
fn more_points_than_scalars() {
    let folder = Folder::new();
    for curve in ["bls12-381", "bn254"] {
        for options in ["", "--compressed"] {
            folder.run(&format!("gen msm --curve {curve} --count 9 --seed 3 -o all {options}"));
            let (points, scalars) = (folder.read("all/points.bin"), folder.read("all/scalars.bin"));
            folder.write("few", &scalars[..32 * 4]);
            folder.write("first", &points[..points.len() / 9 * 4]);
            let expected = folder.run(&format!("msm --curve {curve} --points first --scalars few"));
            let output = folder
                .command(&format!("msm --curve {curve} --points all/points.bin --scalars few"))
                .assert();
            let output = output.success().get_output().clone();
            assert_eq!(output.stdout, expected.as_bytes());
            assert!(String::from_utf8_lossy(&output.stderr).contains("the first 4 of 9 points"));
            // What is not multiplied is checked, too. Another x may be that of another point.
            if options.is_empty() {
                let mut broken = points.clone();
                *broken.last_mut().unwrap() ^= 1;
                folder.write("broken", broken);
                folder.fail(&format!("msm --curve {curve} --points broken --scalars few"), 3);
            }
        }
    }
}

#[test]
fn scalars_of_another_curve_or_text() {
    let folder = Folder::new();
    folder.run("gen msm --count 2 -o m");
    folder.write("s", [[0xff; 31].as_slice(), &[0x20; 1], &[1; 32]].concat());
    let refused = folder.fail("msm --curve bls12-377 --points m/points.bin --scalars s", 3);
    assert!(
        refused.contains("scalar 0 is not below") && refused.contains("--curve bls12-381, bn254"),
        "{refused}"
    );
    folder.write("s", "1234\n5678\n");
    let refused = folder.fail("msm --points m/points.bin --scalars s", 3);
    assert!(refused.contains("it looks like text: --scalars-format text"), "{refused}");
}

#[test]
fn a_damaged_point_is_not_two_compressed_ones() {
    let folder = Folder::new();
    for curve in ["bn254", "bls12-377"] {
        folder.run(&format!("gen msm --curve {curve} --count 1 --seed 3 -o m"));
        let (points, scalars) = (folder.read("m/points.bin"), folder.read("m/scalars.bin"));
        folder.write("s", &scalars);
        for at in 0..points.len() {
            let mut damaged = points.clone();
            damaged[at] ^= 1 << (at % 8);
            folder.write("p", damaged);
            let refused = folder.fail(&format!("msm --curve {curve} --points p --scalars s"), 3);
            assert!(refused.contains("wgalois: error: p: "), "{refused}");
        }
        // With two scalars the file can only have two compressed points.
        folder.run(&format!("gen msm --curve {curve} --count 2 --compressed --seed 3 -o two"));
        let sum = folder.text("two/sum.txt");
        let msm = format!("msm --curve {curve} --points two/points.bin --scalars");
        assert_eq!(folder.run(&format!("{msm} two/scalars.bin")), sum);
        folder.write("one", &folder.read("two/scalars.bin")[..32]);
        let refused = folder.fail(&format!("{msm} one"), 3);
        assert!(refused.contains("2 compressed points, or 1 uncompressed ones"), "{refused}");
        folder.run(&format!("{msm} one --points-format compressed"));
        folder.fail(&format!("{msm} one --points-format uncompressed"), 3);
    }
}

#[test]
fn a_wrong_file_is_named() {
    let folder = Folder::new();
    let lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n";
    for (bytes, kind) in [
        (lfs.as_bytes(), "Git LFS"),
        (&b"<!DOCTYPE html><html>"[..], "web page"),
        (&b"\x1f\x8b\x08\x00\x00\x00"[..], "gzip"),
        (&b"PK\x03\x04 and more"[..], "zip"),
        (&b"\x89PNG\r\n\x1a\n\x00\x00"[..], "PNG"),
        (&b"ptau\x01\x00\x00\x00"[..], "powers of tau"),
        (&b"r1cs\x01\x00\x00\x00"[..], "circuit"),
        (&b"wtns\x02\x00\x00\x00"[..], "witness"),
    ] {
        folder.write("f", bytes);
        folder.write("f.lists", bytes);
        folder.write("f.mtx", bytes);
        folder.write("f.npy", bytes);
        folder.write("f.gf2", bytes);
        folder.write("f.npz", bytes);
        for verb in [
            "gf2 rank f",
            "gf2 rank f.lists",
            "gf2 rank f.mtx",
            "gf2 rank f.npy",
            "gf2 rank f.gf2",
            "gf2 rank f.npz",
            "eliminate --eliminators f --rows f",
            "polymul f f",
            "ntt f --prime 17",
            "ntt f.npy --prime 17",
            "intmul f f",
            "solve f",
            "groth16 info f",
        ] {
            // A circuit and a witness are what this verb takes, and a zip is what this ending stands for.
            let fits = verb.starts_with("groth16") && bytes[0] == b'r'
                || verb.starts_with("groth16") && bytes[0] == b'w'
                || verb.contains("f.npz")
                || kind == "zip" && (verb == "gf2 rank f" || verb.starts_with("eliminate"));
            let refused = folder.fail(verb, 3);
            assert!(fits || refused.contains(kind), "{verb}: {refused}");
        }
    }
}
