//! `wgalois intmul`.

use crate::common::Folder;
use dashu_int::IBig;

#[test]
fn products_of_every_sign_and_base() {
    let folder = Folder::new();
    for (a, b, product) in [
        ("12345678901234567890", "98765432109876543210", "1219326311370217952237463801111263526900"),
        ("-12", "12", "-144"),
        ("-12", "-12", "144"),
        ("+7", "0", "0"),
        ("-0", "5", "0"),
        ("999999999", "999999999", "999999998000000001"),
        ("0xff", "0xFF", "0xfe01"),
        ("-0x0", "0x5", "0x0"),
        ("0xffffffff", "-4294967295", "-0xfffffffe00000001"),
        ("4294967295", "0xffffffff", "18446744065119617025"),
    ] {
        folder.write("a", a);
        folder.write("b", format!("{b}\n"));
        assert_eq!(folder.run("intmul a b --verify"), format!("{product}\n"), "{a} {b}");
        folder.run("intmul a b -o c");
        folder.run("check intmul a b --result c");
    }
}

#[test]
fn large_products_agree_with_another_library() {
    let folder = Folder::new();
    let digits = |n: usize, seed: usize| -> String {
        (0..n).map(|i| char::from(b'1' + ((i * i + seed * i + seed) % 9) as u8)).collect()
    };
    for (n, m) in [(1, 5000), (3000, 3001), (9000, 4000)] {
        let (a, b) = (digits(n, 3), digits(m, 5));
        folder.write("a", &a);
        folder.write("b", format!("-{b}"));
        let product = -a.parse::<IBig>().unwrap() * b.parse::<IBig>().unwrap();
        assert_eq!(folder.run("intmul a b --verify").trim_end(), product.to_string());
    }
}

#[test]
fn bad_input_and_its_place() {
    let folder = Folder::new();
    folder.write("good", "12");
    folder.write("empty", "");
    folder.write("two", "12\n34");
    folder.write("float", "1.5");
    folder.write("hex", "12ab");
    folder.write("sign", "-");
    for (name, message) in [
        ("empty", "empty: empty, where an integer was expected"),
        ("two", "two:2:1: expected the end after one integer, found \"34\""),
        ("float", "float:1:2: expected decimal digits, found \".5\""),
        ("hex", "hex:1:3: expected decimal digits, found \"ab\"; --format hex"),
        ("sign", "sign:1:2: expected decimal digits, found the end"),
    ] {
        for arguments in [format!("{name} good"), format!("good {name}")] {
            let stderr = folder.fail(&format!("intmul {arguments} -o new"), 3);
            assert!(stderr.contains(message), "{arguments}: {stderr}");
        }
    }
    assert_eq!(folder.run("intmul hex hex --format hex"), "0x15c7e39\n");
    folder.write("long", "1".repeat(100_000));
    assert!(folder.fail("intmul long long --memory 400K", 5).contains("memory"));
}

#[test]
fn a_wrong_product_is_found() {
    let folder = Folder::new();
    folder.write("a", "123456789012345678901234567890");
    folder.write("b", "-987654321");
    folder.run("intmul a b -o c");
    folder.run("check intmul a b --result c");
    let right = folder.text("c");
    for wrong in
        [right.replace('-', ""), right.replacen('1', "2", 1), format!("{}0", right.trim_end()), "0".into()]
    {
        folder.write("c", &wrong);
        assert!(folder.fail("check intmul a b --result c", 1).contains("check failed"), "{wrong}");
    }
}

/// The smallest factors on both engines, by their right values; `None` for a file that is refused.
#[test]
fn the_smallest_products() {
    let folder = Folder::new();
    let files = [
        ("empty", ""),
        ("zero", "0"),
        ("five", "5"),
        ("minus", "-7"),
        ("negative", "-0"),
        ("hex", "0x0"),
        ("zeros", "000"),
    ];
    files.iter().for_each(|(name, text)| folder.write(name, text));
    let cases = [
        ("empty five", None),
        ("five empty", None),
        ("zero zero", Some("0\n")),
        ("five minus", Some("-35\n")),
        ("zero minus", Some("0\n")),
        ("minus negative", Some("0\n")),
        ("zeros minus", Some("0\n")),
        ("hex minus", Some("0x0\n")),
        ("five hex", Some("0\n")),
    ];
    for device in ["cpu", "gpu"] {
        for (factors, product) in cases {
            let arguments = format!("intmul {factors} --verify --device {device}");
            let output = folder.command(&arguments).output().unwrap();
            match (output.status.code(), product) {
                (Some(4), _) if device == "gpu" => eprintln!("NOT RUN: there is no GPU"),
                (code, None) => assert_eq!(code, Some(3), "{arguments}"),
                (code, Some(product)) => {
                    assert_eq!(code, Some(0), "{arguments}");
                    assert_eq!(String::from_utf8(output.stdout).unwrap(), product, "{arguments}");
                }
            }
        }
    }
}
