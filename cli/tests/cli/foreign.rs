//! Files in the formats of other fields: of coding theory, SAT solvers and provers; and compressed files.

use std::io::Write;

use crate::common::Folder;
use flate2::Compression;
use flate2::write::GzEncoder;

const MATRIX: &str = "1011\n0110\n0001\n";
const ALIST: &str = "4 3\n2 3\n1 1 2 2\n3 2 1\n1 0\n2 0\n1 2\n1 3\n1 3 4\n2 3 0\n4 0 0\n";

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn alist_is_read_and_written_by_every_verb() {
    let folder = Folder::new();
    folder.write("m.txt", MATRIX);
    folder.run("gf2 transpose m.txt -o t.alist");
    folder.run("gf2 transpose t.alist -o m.alist");
    assert_eq!(folder.text("m.alist"), ALIST);
    folder.write("unnamed", ALIST);
    for file in ["m.alist", "unnamed"] {
        assert_eq!(folder.run(&format!("gf2 rank {file}")), "3\n");
        assert_eq!(folder.run(&format!("gf2 rref {file} --output-format text")), "1010\n0110\n0001\n");
    }
    folder.run("gf2 rref m.alist -o r.alist");
    folder.run("check gf2 rref m.alist --result r.alist");
    assert_eq!(folder.run("gf2 rank m.txt"), folder.run("gf2 rank r.alist"));
    folder.write("wrong.alist", ALIST.replace("\n4 0 0\n", "\n3 0 0\n"));
    let refused = folder.fail("gf2 rank wrong.alist", 3);
    assert!(refused.contains("wrong.alist:11:1: column 3 is in the list of row 3"), "{refused}");
}

#[test]
fn compressed_files_and_streams() {
    let folder = Folder::new();
    folder.write("m.alist", ALIST);
    let (begin, end) = ALIST.as_bytes().split_at(10);
    for (name, bytes) in
        [("m.alist.gz", packed(ALIST.as_bytes())), ("any", [packed(begin), packed(end)].concat())]
    {
        folder.write(name, &bytes);
        assert_eq!(folder.run(&format!("gf2 rank {name}")), "3\n");
        let mut command = folder.command("gf2 rank -");
        command.write_stdin(bytes).assert().success().stdout("3\n");
    }
    let bytes = packed(ALIST.as_bytes());
    folder.write("cut.txt.gz", &bytes[..bytes.len() - 3]);
    let refused = folder.fail("gf2 rank cut.txt.gz", 3);
    assert!(refused.contains("cut.txt.gz: byte ") && refused.contains("ends within a member"), "{refused}");
    let mut command = folder.command("gf2 rank -");
    let output = command.write_stdin(&bytes[..20]).assert().code(3).get_output().clone();
    assert!(String::from_utf8(output.stderr).unwrap().contains("ends within a member"));
    folder.write("no.txt.gz", MATRIX);
    assert!(folder.fail("gf2 rank no.txt.gz", 3).contains("no file of gzip"));
    // Numbers, equations, integers, and a bound of memory.
    folder.write("a.txt.gz", packed(b"1 2 3\n"));
    assert_eq!(
        folder.run("polymul a.txt.gz a.txt.gz").split_whitespace().collect::<Vec<_>>(),
        ["1", "4", "10", "12", "9"]
    );
    folder.write("i.gz", packed(b"12\n"));
    assert_eq!(folder.run("intmul i.gz i.gz"), "144\n");
    folder.write("s.anf.gz", packed(b"x1*x2 + 1\n"));
    assert_eq!(folder.run("solve s.anf.gz"), "x1=1 x2=1\n");
    folder.write("bomb.gz", packed(&vec![b' '; 50_000_000]));
    let refused = folder.fail("gf2 rank bomb.gz --memory 20M", 3);
    assert!(refused.contains("expanded, it has more than"), "{refused}");
    folder.fail("gf2 transpose m.alist -o m.txt.gz", 2);
}

#[test]
fn matrices_as_programs_print_them() {
    let folder = Folder::new();
    for text in [
        "[[1, 0, 1, 1], [0, 1, 1, 0], [0, 0, 0, 1]]\n",
        "[1,0,1,1;0,1,1,0;0,0,0,1]",
        "1 . 1 1\n. 1 1 .\n. . . 1\n",
    ] {
        let mut command = folder.command("gf2 transpose - -o t.txt");
        command.write_stdin(text).assert().success();
        assert_eq!(folder.run("gf2 transpose t.txt"), MATRIX, "{text}");
    }
}

#[test]
fn clauses_are_solved() {
    let folder = Folder::new();
    folder.write("s.cnf", "c a comment\np cnf 4 3\n1 2 3 0\n-1 -2 0\nx1 2 3 0\n");
    folder.write(
        "s.anf",
        "x1*x2*x3 + x1*x2 + x1*x3 + x2*x3 + x1 + x2 + x3 + 1\nx1*x2\nx1 + x2 + x3 + 1\nx4, x1\n",
    );
    assert_eq!(folder.run("solve s.cnf --all"), folder.run("solve s.anf --all"));
    // x4 is free.
    assert_eq!(folder.run("solve s.cnf --count"), "6\n");
    assert_eq!(folder.run("solve s.cnf --format cnf --fix x4=1 --count"), "3\n");
    folder.run("solve s.cnf --all -o all.txt --verify");
    folder.run("check solve s.cnf --result all.txt");
    // Clauses of more literals than the degree of an exhaustive search.
    folder.write("long.cnf", "p cnf 7 2\n1 2 3 4 5 6 7 0\n-1 -2 -3 -4 -5 -6 -7 0\n");
    assert_eq!(folder.run("solve long.cnf --count"), "126\n");
    folder.write("none.cnf", "p cnf 1 2\n1 0\n-1 0\n");
    assert!(folder.fail("solve none.cnf", 7).contains("no solution"));
    folder.write("wrong.cnf", "p cnf 1 1\n2 0\n");
    assert!(folder.fail("solve wrong.cnf", 3).contains("wrong.cnf:2:1: "));
    assert!(
        folder.fail("gen boolean --variables 2 --equations 2 --format dimacs", 2).contains("not written")
    );
}

#[test]
fn sums_are_written_as_records() {
    let folder = Folder::new();
    // Twice the generator of EIP-196.
    let twice = "030644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd3\
                 15ed738c0e0a7c92e7845f96b2ae9c0a68a6a449e3538fc7ff3ebf7a5a18a2c4\n";
    folder.write("g.eipmsm", format!("{:064x}{:064x}{:064x}\n", 1, 2, 2));
    for curve in ["bn254", "bn128", "BN-128", "alt_bn128"] {
        let msm = format!("msm --curve {curve} --points g.eipmsm");
        assert_eq!(folder.run(&format!("{msm} --output-format eip")), twice);
        folder.run(&format!("{msm} -o sum.eip --verify"));
        assert_eq!(folder.text("sum.eip"), twice);
        folder.run(&format!("check {msm} --result sum.eip"));
        folder.write("sum.txt", twice);
        folder.run(&format!("check {msm} --result sum.txt --output-format eip-196"));
        folder.fail(&format!("check {msm} --result sum.txt"), 3);
        folder.fail(&format!("{msm} --compressed --output-format eip"), 2);
        folder.fail(&format!("{msm} --compressed -o sum.eip"), 2);
    }
    // The sum is a record that is multiplied again, and infinity is zeros.
    folder.run("gen msm --curve bls12-381-g2 --count 5 -o s");
    let msm = "msm --curve BLS12_381_G2 --points s/points.bin --scalars s/scalars.bin";
    folder.run(&format!("{msm} -o sum.eip"));
    folder.write("one.txt", "1\n");
    let again = folder.run("msm --curve bls12-381-g2 --points sum.eip --scalars one.txt");
    assert_eq!(again, folder.text("s/sum.txt"));
    folder.write("zero.txt", "0\n");
    let zero = folder.run("msm --curve bls12-381-g2 --points sum.eip --scalars zero.txt --output-format eip");
    assert_eq!(zero, "0".repeat(512) + "\n");
    folder.run("gen msm --curve bls24-315 --count 2 -o t");
    let refused = folder
        .fail("msm --curve bls24-315 --points t/points.bin --scalars t/scalars.bin --output-format eip", 2);
    assert!(refused.contains("bn254, bls12-381"), "{refused}");
    assert!(folder.fail("msm --curve bn256 --points g.eipmsm", 2).contains("bls12-381"));
}

#[test]
fn points_of_provers() {
    let folder = Folder::new();
    let word = |bytes: &[u8]| [&vec![0; 32 - bytes.len()], bytes].concat();
    let generator = [word(&[1]), word(&[2])].concat();
    folder.write("one.txt", "3\n");
    folder.write("g.eip", &generator);
    let expected = folder.run("msm --curve bn254 --points g.eip --scalars one.txt");
    let mut compressed = word(&[1]);
    compressed[0] = 0x80;
    folder.write("g1.dat", &generator);
    folder.write("c.gnark", &compressed);
    folder.write("s.gnark", [&[0, 0, 0, 1][..], &generator].concat());
    for points in ["g1.dat", "g1.dat --points-format aztec", "c.gnark", "s.gnark"] {
        assert_eq!(
            folder.run(&format!("msm --curve bn254 --points {points} --scalars one.txt")),
            expected,
            "{points}"
        );
    }
    let refused = folder.fail("msm --points g1.dat --points-format aztec --scalars one.txt", 3);
    assert!(refused.contains("not of bls12-381"), "{refused}");
}
