//! The textbook kernels on the command line, on any adapter that is present, such as lavapipe.

use crate::common::{Folder, numbers};

const KERNELS: [&str; 8] = [
    "",
    "--reduction montgomery --workgroup 64",
    "--reduction barrett --workgroup 128",
    "--reduction shoup --workgroup 512",
    "--reduction plain",
    "--reduction montgomery --twiddles fly",
    "--reduction barrett --twiddles fly --workgroup 1024",
    "--reduction plain --twiddles fly",
];

#[test]
fn textbook_kernels_multiply_and_transform() {
    let folder = Folder::new();
    folder.write("a", "1 2 3 4 5 6 7 8");
    folder.write("b", "96 95 94");
    let expected = folder.run("polymul a b --prime 97");
    let cyclic = folder.run("polymul a b --prime 97 --negacyclic 8");
    let values = folder.run("ntt a --prime 97 --batch 2");
    for kernels in KERNELS {
        let gpu = format!("--prime 97 --textbook {kernels} --verify --device gpu");
        assert_eq!(folder.run(&format!("polymul a b {gpu}")), expected, "{kernels}");
        assert_eq!(folder.run(&format!("polymul a b --negacyclic 8 {gpu}")), cyclic, "{kernels}");
        assert_eq!(folder.run(&format!("ntt a --batch 2 {gpu}")), values, "{kernels}");
        folder.write("values", &values);
        let back = folder.run(&format!("ntt values --inverse --batch 2 {gpu}"));
        assert_eq!(numbers::<u32>(&back), [1, 2, 3, 4, 5, 6, 7, 8], "{kernels}");
        let report = folder.report(&format!("polymul a b -o c {gpu}"));
        assert_eq!(report["engine"], "gpu");
        assert!(report["dispatches"]["stage 0"].as_u64().unwrap() >= 3, "{report}");
    }
}

#[test]
fn what_textbook_kernels_cannot_do_is_refused() {
    let folder = Folder::new();
    folder.write("a", "1 2 3 4");
    for (arguments, code) in [
        ("polymul a a --textbook --device gpu", 2),
        ("polymul a a --prime 97 --textbook --device cpu", 2),
        ("polymul a a --prime 97 --workgroup 64 --device gpu", 2),
        ("polymul a a --prime 97 --textbook --workgroup 100 --device gpu", 2),
        ("polymul a a --prime 97 --textbook --reduction shoup --twiddles fly --device gpu", 2),
        ("ntt a --prime 97 --textbook --negacyclic --device gpu", 2),
        ("ntt a --prime 97 --textbook --coset 5 --device gpu", 2),
    ] {
        let message = folder.fail(arguments, code);
        assert!(message.contains("error"), "{arguments}: {message}");
    }
}
