//! Messages: text from a file or a file's name is printed on one line, escaped and cut short.

use crate::common::Folder;

/// Asserts that stderr consists of lines of printable characters, none longer than a screen.
fn assert_clean(stderr: &str) {
    assert!(stderr.ends_with('\n') && stderr.lines().count() == 1, "{stderr:?}");
    assert!(!stderr.trim_end_matches('\n').chars().any(char::is_control), "{stderr:?}");
    assert!(stderr.len() < 1500, "{} bytes", stderr.len());
}

#[cfg(unix)]
#[test]
fn names_of_files() {
    let folder = Folder::new();
    let hostile = "a\nb\u{1b}]0;title\u{7}\u{9b}31m\u{202e}c";
    folder.write("m", "11\n01\n");
    folder.write("e", "2 1 \n");
    let run = |arguments: &[&str], code: i32| {
        let output = folder.command("").args(arguments).assert().code(code).get_output().clone();
        String::from_utf8(output.stderr).unwrap()
    };
    // The file does not exist; then it has invalid content.
    for content in [None, Some("10\n2"), Some("\u{1b}[31m 0")] {
        if let Some(content) = content {
            folder.write(hostile, content);
        }
        let code = if content.is_some() { 3 } else { 6 };
        for arguments in [
            &["gf2", "rank", hostile][..],
            &["polymul", hostile, hostile],
            &["eliminate", "--rows", hostile, "--eliminators", "e", "--columns", "3"],
            &["msm", "--points", "m", "--scalars-format", "text", "--scalars", hostile],
        ] {
            // Both numbers are valid coefficients and scalars.
            if content == Some("10\n2") && ["polymul", "msm"].contains(&arguments[0]) {
                continue;
            }
            let stderr = run(arguments, code);
            assert_clean(&stderr);
            assert!(stderr.contains("a\\nb\\u{1b}") && stderr.contains("\\u{202e}"), "{stderr}");
        }
    }
    let output = format!("{hostile}/x");
    assert_clean(&run(&["gf2", "rank", "m", "-o", &output], 6));
    assert_clean(&run(&["gf2", "rank", "m", "-o", "x", "--trace", &output], 6));
    let long = "x".repeat(5000);
    assert_clean(&run(&["gf2", "rank", &long], 6));
    // Arguments that are not files.
    let stderr = run(&[hostile], 2);
    assert!(!stderr.chars().any(|c| c.is_control() && c != '\n'), "{stderr:?}");
}

#[test]
fn headers_of_files() {
    let folder = Folder::new();
    let hostile = format!("{{'descr': '\u{1b}[31m{}\n', 'x': ", "A\u{7}".repeat(30_000));
    let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
    bytes.extend_from_slice(&(hostile.len() as u32).to_le_bytes());
    bytes.extend_from_slice(hostile.as_bytes());
    folder.write("a.npy", bytes);
    folder.write("a.mtx", format!("%%MatrixMarket \u{1b}[31m{}\n1 1 0\n", "A".repeat(60_000)));
    folder.write("a.txt", format!("\u{1b}[31m{}", "A".repeat(60_000)));
    for arguments in
        ["gf2 rank a.npy", "polymul a.npy a.npy", "gf2 rank a.mtx", "gf2 rank a.txt", "intmul a.txt a.txt"]
    {
        assert_clean(&folder.fail(arguments, 3));
    }
}

#[test]
fn the_environment_is_named_where_it_is_at_fault() {
    let folder = Folder::new();
    folder.write("m", "11\n01\n");
    for arguments in ["gf2 rank m --device gpu", "devices"] {
        let output =
            folder.command(arguments).env("WGPU_BACKEND", "vulcan").assert().code(2).get_output().clone();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains("WGPU_BACKEND=vulcan"), "{stderr}");
    }
    let output = folder.command("gf2 rank m --device gpu").env("WGPU_ADAPTER_NAME", "foo").assert().code(4);
    let stderr = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(stderr.contains("WGPU_ADAPTER_NAME=foo") || stderr.contains("no adapter was found"), "{stderr}");
    let mut none = folder.command("gf2 rank m --device gpu");
    none.env("WGPU_BACKEND", "vulkan").env("VK_DRIVER_FILES", "/none").env("VK_ICD_FILENAMES", "/none");
    if !cfg!(target_os = "macos") {
        let stderr = String::from_utf8(none.assert().code(4).get_output().stderr.clone()).unwrap();
        assert!(stderr.contains("WGPU_BACKEND=vulkan"), "{stderr}");
    }
}

#[test]
fn binary_numbers_by_the_ending_alone_are_no_other_file() {
    let folder = Folder::new();
    folder.run("gen msm --count 4 -o s");
    let pointer =
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 320\n", "a".repeat(64));
    let page = format!("{:128}", "<html><head><title>404 Not Found");
    let archive = format!("PK\x03\x04{}", "\0".repeat(124));
    let text = format!("{:128}", "12 13 14 15 16");
    let files = [(pointer, "Git LFS"), (page, "HTML"), (archive, "zip"), (text, "text")];
    for (content, expected) in files {
        assert_eq!(content.len(), 128);
        folder.write("f.bin", content);
        for (run, option) in [
            ("msm --points s/points.bin --scalars f.bin --verify", "--scalars-format bytes"),
            ("ntt --field bls12-381-fr f.bin", "--scalars-format bytes"),
            ("ntt --prime babybear f.bin", "--format raw"),
            ("polymul --prime babybear f.bin f.bin", "--format raw"),
        ] {
            let message = folder.fail(run, 3);
            assert!(message.contains(expected) && message.contains(option), "{run}: {message}");
        }
        // The option says that it is what it is called.
        folder.run("ntt --prime babybear f.bin --format raw --wrap -o x.raw");
    }
    // Numbers pass.
    folder.run("msm --points s/points.bin --scalars s/scalars.bin");
    folder.write("n.raw", [7u8; 16]);
    folder.run("ntt --prime babybear n.raw -o x.raw");
}

#[test]
fn entries_past_a_modulus_suggest_the_exact_product() {
    let folder = Folder::new();
    folder.write("a", "1 2 17");
    folder.write("b", "1 -2");
    for (left, right) in [("a", "a"), ("b", "b")] {
        let message = folder.fail(&format!("polymul {left} {right} --prime 17"), 3);
        assert!(message.contains("modulo 17; without --prime the product is exact"), "{message}");
    }
    assert_eq!(folder.run("polymul b b"), "1\n-4\n4\n");
}
